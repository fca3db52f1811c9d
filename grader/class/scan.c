// scan.c - records the entries of the class's folder in the gradebook.

#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "class/class.h"
#include "class/names.h"
#include "class/slice.h"
#include "report/text.h"

// Invalid bytes in a name are not shown, but different names stay different.
static char *clean_key(const char *key)
{
    char *clean = report_clean(key, strlen(key));
    if (strcmp(clean, key) != 0) {
        char hex[DIGEST_SIZE];
        SHA2_CTX context;
        SHA256Init(&context);
        digest_text(&context, key);
        digest_end(&context, hex);
        char *longer = grader_print("%s %.8s", clean, hex);
        free(clean);
        clean = longer;
    }
    return clean;
}

static int64_t student_of(struct gradebook *book, const struct who *who)
{
    char *name = report_clean(who->name, strlen(who->name));
    char *key = clean_key(who->key);
    char *email = report_clean(who->email, strlen(who->email));
    gradebook_do(book,
                 "INSERT INTO student (key, name, canvas, email) VALUES (?, ?, ?, ?) "
                 "ON CONFLICT (key) DO UPDATE SET name = excluded.name, "
                 "email = coalesce(excluded.email, email)",
                 "tttt", key, name, who->canvas[0] != '\0' ? who->canvas : NULL,
                 email[0] != '\0' ? email : NULL);
    int64_t id =
        gradebook_number(book, 0, "SELECT id FROM student WHERE key = ?", "t", key);
    free(name);
    free(key);
    free(email);
    return id;
}

// Names and paths are stored as hexadecimal digits, because they may not be UTF-8 and the
// path must stay usable. files is a list of [name, path].
static char *as_hex(const char *text)
{
    struct text hex;
    text_begin(&hex);
    for (; *text != '\0'; text++) {
        fprintf(hex.file, "%02x", (unsigned char)*text);
    }
    return text_end(&hex);
}

static void add_file(struct class *class, const struct who *who, const char *path)
{
    struct gradebook *book = &class->book;
    int64_t student = student_of(book, who);
    char *name_hex = as_hex(who->file), *path_hex = as_hex(path);
    char *file = grader_print("%s:%s ", name_hex, path_hex);
    int64_t handed_in = who->handed_in;
    gradebook_do(book,
                 "INSERT INTO submission (run, student, files, handed_in, late, verdict, "
                 "reason) VALUES (?, ?, ?, nullif(?, 0), ?, 'waiting', '') "
                 "ON CONFLICT (run, student) DO UPDATE SET files = files || "
                 "excluded.files, late = max(late, excluded.late), "
                 "verdict = 'waiting', reason = ''",
                 "iitii", class->run, student, file, handed_in,
                 (int64_t)(who->canvas[0] == '\0' ? -1 : who->late));
    free(file);
    free(name_hex);
    free(path_hex);
}

static bool in_slice(const struct class *class, const struct who *who)
{
    const struct class_options *options = &class->options;
    char *key = clean_key(who->key);
    bool ours = options->parts == 0 || slice_of(key, options->parts) == options->part;
    free(key);
    return ours;
}

static void leave_out(const char *entry, const char *why)
{
    char *clean = report_clean(entry, strlen(entry)), *line = progress_line(clean);
    printf("  left out: %s (%s)\n", line, why);
    free(line);
    free(clean);
}

static bool is_folder(const struct class *class, const char *entry)
{
    struct stat status;
    char *path = grader_print("%s/%s", class->options.folder, entry);
    bool there = stat(path, &status) == 0;
    free(path);
    // The collector reports a broken link.
    return (there && S_ISDIR(status.st_mode)) || (!there && !names_archive(entry));
}

// The name is the key, unless two people share it, because Moodle's numbers differ between
// assignments.
static bool shares_name(struct dirent *const *entries, int count, const struct who *who)
{
    char why[128];
    struct who other;
    for (int i = 0; i < count; i++) {
        if (names_read(entries[i]->d_name, true, &other, why, sizeof why) &&
            strcmp(other.name, who->name) == 0 &&
            strcmp(other.participant, who->participant) != 0) {
            return true;
        }
    }
    return false;
}

static void look_at(struct class *class, struct dirent *const *entries, int count,
                    const char *entry, FILE *metadata)
{
    char why[128];
    struct who who;
    if (!names_read(entry, is_folder(class, entry), &who, why, sizeof why)) {
        if (why[0] != '\0') {
            leave_out(entry, why);
        }
        return;
    }
    if (metadata != NULL) {
        names_metadata(metadata, entry, &who);
    }
    if (who.participant[0] != '\0' && shares_name(entries, count, &who)) {
        snprintf(who.key, sizeof who.key, "%.200s (%.20s)", who.name, who.participant);
        strcpy(who.name, who.key);
    }
    if (in_slice(class, &who)) {
        // A single .rar file also gets a row, and the collector reports its name.
        class->left_out += who.other;
        char *path = grader_print("%s/%s", class->options.folder, entry);
        add_file(class, &who, path);
        free(path);
    }
}

int class_scan(struct class *class)
{
    struct gradebook *book = &class->book;
    struct dirent **entries;
    int found = scandir(class->options.folder, &entries, NULL, alphasort);
    if (found < 0) {
        fprintf(stderr, "grade: cannot read the folder %s: %s\n", class->options.folder,
                strerror(errno));
        exit(CLASS_USAGE);
    }
    char *path = grader_print("%s/submission_metadata.yml", class->options.folder);
    FILE *metadata = fopen(path, "re");
    free(path);
    gradebook_begin(book);
    // An unfinished run starts again here; existing gradings are kept.
    gradebook_do(book, "DELETE FROM submission WHERE run = ?", "i", class->run);
    for (int i = 0; i < found; i++) {
        look_at(class, entries, found, entries[i]->d_name, metadata);
    }
    int64_t count = gradebook_number(
        book, 0, "SELECT count(*) FROM submission WHERE run = ?", "i", class->run);
    gradebook_commit(book);
    for (int i = 0; i < found; i++) {
        free(entries[i]);
    }
    free(entries);
    if (metadata != NULL) {
        fclose(metadata);
    }
    return (int)count;
}
