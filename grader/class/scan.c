// scan.c - records the entries of the class's folder in the gradebook.

#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "class/class.h"
#include "class/commit.h"
#include "class/metadata.h"
#include "class/names.h"
#include "class/people.h"
#include "class/roster.h"
#include "class/slice.h"
#include "class/sources.h"
#include "class/times.h"
#include "report/text.h"

enum {
    MOST_ENTRIES = 20000, // of a hand-in
    DEEPEST = 16,
    READ_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
};

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
    gradebook_do(
        book,
        "INSERT INTO student (key, name, canvas, email) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET canvas = coalesce(canvas, "
        "excluded.canvas), name = excluded.name, email = CASE WHEN id IN (SELECT "
        "student FROM listed) THEN email ELSE coalesce(excluded.email, email) END",
        "tttt", key, name, who->canvas[0] != '\0' ? who->canvas : NULL,
        email[0] != '\0' ? email : NULL);
    int64_t id =
        gradebook_number(book, 0, "SELECT id FROM student WHERE key = ?", "t", key);
    people_add(book, "name", name, id);
    people_add(book, "email", email, id);
    people_add(book, "id", who->id, id);
    people_add(book, "canvas", who->canvas, id);
    people_add(book, "moodle", who->participant, id);
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

// When a submission was handed in, by the clocks that are known before it is collected
// (lateness.h). If there are several uploads, the newest time counts.
static void note_moments(struct class *class, int64_t submission, const struct who *who,
                         const char *path)
{
    struct gradebook *book = &class->book;
    struct commit_times times = {.count = 0};
    for (int i = 0; i < class->lab_count && who->handed_in != 0; i++) {
        gradebook_do(book,
                     "INSERT INTO moment (submission, lab, platform) VALUES (?, ?, ?) ON "
                     "CONFLICT DO UPDATE SET platform = max(coalesce(platform, 0), "
                     "excluded.platform)",
                     "iii", submission, (int64_t) class->labs[i].place->number,
                     who->handed_in);
    }
    if (!commit_read(path, &times)) {
        return;
    }
    for (int i = 0; i < times.count; i++) {
        gradebook_do(book,
                     "INSERT INTO moment (submission, lab, authored, committed) VALUES "
                     "(?, ?, ?, ?) ON CONFLICT DO UPDATE SET authored = "
                     "excluded.authored, committed = excluded.committed",
                     "iiii", submission, (int64_t)times.labs[i].lab,
                     times.labs[i].authored, times.labs[i].committed);
    }
}

// ---- the time of files --------------------------------------------------------------------

struct walk {
    int left; // entries that may still be looked at
    struct sources *sources;
    int64_t newest;
};

static void walk_folder(struct walk *walk, int folder, const char *path, int depth)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    struct dirent *one;
    while (entries != NULL && walk->left > 0 && (one = readdir(entries)) != NULL) {
        struct stat status;
        int line;
        const char *name = one->d_name;
        walk->left--;
        if (name[0] == '.' || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        char *inside = grader_print("%s%s%s", path, *path != '\0' ? "/" : "", name);
        bool counts = S_ISREG(status.st_mode) &&
                      (sources_find(walk->sources, inside, &line) != NULL ||
                       (depth == 0 && names_archive(name)));
        if (counts && status.st_mtim.tv_sec > walk->newest) {
            walk->newest = status.st_mtim.tv_sec;
        }
        if (S_ISDIR(status.st_mode) && !sources_skip(name) && depth < DEEPEST) {
            walk_folder(walk, openat(folder, name, READ_FOLDER), inside, depth + 1);
        }
        free(inside);
    }
    if (entries != NULL) {
        closedir(entries);
    } else if (folder >= 0) {
        close(folder);
    }
}

// The time of the archive or of the newest lab file, as collect.c computes it; only names
// and times are read here. It is needed before hand-ins are collected (times_question).
static int64_t time_of_files(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 ||
        (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
        return 0;
    }
    if (S_ISREG(status.st_mode)) {
        return status.st_mtim.tv_sec;
    }
    struct sources *sources = grader_alloc(sizeof *sources);
    sources_begin(sources);
    struct walk walk = {MOST_ENTRIES, sources, 0};
    walk_folder(&walk, open(path, READ_FOLDER), "", 0);
    sources_end(sources);
    free(sources);
    return walk.newest;
}

// ---- submissions --------------------------------------------------------------------------

// Gradescope's other submitters, who get the same mark.
static void note_partners(struct class *class, int64_t submission, const struct who *who)
{
    struct gradebook *book = &class->book;
    for (int i = 0; i < who->partner_count; i++) {
        struct who *partner = grader_alloc(sizeof *partner);
        metadata_partner(&who->partners[i], partner);
        roster_find(book, partner);
        gradebook_do(book, "INSERT OR IGNORE INTO partner VALUES (?, ?)", "ii",
                     submission, student_of(book, partner));
        free(partner);
    }
}

static void add_file(struct class *class, const struct who *who, const char *path)
{
    struct gradebook *book = &class->book;
    int64_t student = student_of(book, who);
    char *name_hex = as_hex(who->file), *path_hex = as_hex(path);
    char *file = grader_print("%s:%s ", name_hex, path_hex);
    int64_t handed_in = who->handed_in != 0 ? who->handed_in : time_of_files(path);
    gradebook_do(book,
                 "INSERT INTO submission (run, student, files, handed_in, late, verdict, "
                 "reason) VALUES (?, ?, ?, nullif(?, 0), ?, 'waiting', '') "
                 "ON CONFLICT (run, student) DO UPDATE SET files = files || "
                 "excluded.files, late = max(late, excluded.late), "
                 "handed_in = max(coalesce(handed_in, 0), coalesce(excluded.handed_in, "
                 "0)), verdict = 'waiting', reason = ''",
                 "iitii", class->run, student, file, handed_in,
                 (int64_t)(who->canvas[0] == '\0' ? -1 : who->late));
    int64_t submission = gradebook_number(
        book, 0, "SELECT id FROM submission WHERE run = ? AND student = ?", "ii",
        class->run, student);
    note_moments(class, submission, who, path);
    note_partners(class, submission, who);
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

// Says so if there is a roster and the entry is of nobody on it.
static bool on_roster(struct class *class, const char *entry, struct who *who)
{
    if (!roster_exists(&class->book)) {
        return false;
    }
    int found = roster_find(&class->book, who);
    if (found == 1) {
        return true;
    }
    char *clean = report_clean(entry, strlen(entry)), *line = progress_line(clean);
    if (found > 1) {
        printf("  %s: %d people on the roster have this name; Moodle's grading worksheet "
               "(--times) says which\n",
               line, found);
        // Apart from both, and from whoever has the other number.
        char name[NAME_LENGTH];
        snprintf(name, sizeof name, "%s", who->name);
        snprintf(who->key, sizeof who->key, "%.200s (%.40s)", name,
                 who->participant[0] != '\0' ? who->participant : "which?");
        snprintf(who->name, sizeof who->name, "%s", who->key);
    } else {
        printf("  not on the roster: %s\n", line);
    }
    free(line);
    free(clean);
    return found > 1; // its key is settled
}

static void look_at(struct class *class, struct dirent *const *entries, int count,
                    const char *entry, const struct metadata *metadata)
{
    char why[128];
    struct who who;
    if (!names_read(entry, is_folder(class, entry), &who, why, sizeof why)) {
        if (why[0] != '\0') {
            leave_out(entry, why);
            class->nobodys++;
        }
        return;
    }
    if (metadata != NULL) {
        metadata_take(metadata, entry, &who);
    }
    bool listed = on_roster(class, entry, &who);
    if (!listed && who.participant[0] != '\0' && shares_name(entries, count, &who)) {
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

static void keep_given(struct class *class)
{
    gradebook_do(
        &class->book,
        "CREATE TEMP TABLE kept AS SELECT student, files, lab, given FROM moment "
        "JOIN submission ON submission.id = submission WHERE run = ? AND given NOT NULL",
        "i", class->run);
}

static void restore_given(struct class *class)
{
    gradebook_do(
        &class->book,
        "INSERT INTO moment (submission, lab, given) SELECT submission.id, lab, "
        "given FROM temp.kept JOIN submission USING (student, files) WHERE run = "
        "? ON CONFLICT DO UPDATE SET given = excluded.given",
        "i", class->run);
    gradebook_do(&class->book, "DROP TABLE temp.kept", "");
}

// Reads the names in the folder. Caller frees.
static int read_folder(const struct class *class, struct dirent ***entries)
{
    int found = scandir(class->options.folder, entries, NULL, alphasort);
    if (found < 0) {
        fprintf(stderr, "grade: cannot read the folder %s: %s%s\n", class->options.folder,
                strerror(errno),
                names_archive(class->options.folder)
                    ? "; unpack the archive, and give its folder"
                    : "");
        exit(CLASS_USAGE);
    }
    return found;
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
}

void class_check_folder(const struct class *class)
{
    struct dirent **entries;
    struct who *who = grader_alloc(sizeof *who);
    char why[128];
    int count = read_folder(class, &entries), hand_ins = 0;
    for (int i = 0; i < count; i++) {
        const char *entry = entries[i]->d_name;
        hand_ins += names_read(entry, is_folder(class, entry), who, why, sizeof why);
    }
    const bool roster = class->options.roster != NULL;
    const bool refused = hand_ins == 0 && !roster;
    // With a roster, class_scan says what is left out.
    for (int i = 0; i < count && refused; i++) {
        const char *entry = entries[i]->d_name;
        names_read(entry, is_folder(class, entry), who, why, sizeof why);
        if (why[0] != '\0') {
            leave_out(entry, why);
        }
    }
    if (hand_ins == 0) {
        fflush(stdout);
        fprintf(stderr, "grade: there is no hand-in in %s\n", class->options.folder);
    }
    free_entries(entries, count);
    free(who);
    if (refused) {
        exit(CLASS_USAGE);
    }
}

int class_scan(struct class *class)
{
    struct gradebook *book = &class->book;
    struct dirent **entries;
    int found = read_folder(class, &entries);
    char *path = grader_print("%s/submission_metadata.yml", class->options.folder);
    FILE *file = fopen(path, "re");
    struct metadata *metadata = file != NULL ? metadata_read(file) : NULL;
    free(path);
    // An unfinished run starts again here; existing gradings are kept, and so are the times
    // of --times, which --resume need not repeat.
    keep_given(class);
    gradebook_do(book, "DELETE FROM submission WHERE run = ?", "i", class->run);
    for (int i = 0; i < found; i++) {
        look_at(class, entries, found, entries[i]->d_name, metadata);
    }
    restore_given(class);
    times_apply(class);
    int64_t count = gradebook_number(
        book, 0, "SELECT count(*) FROM submission WHERE run = ?", "i", class->run);
    free_entries(entries, found);
    metadata_free(metadata);
    if (file != NULL) {
        fclose(file);
    }
    return (int)count;
}
