// names.c - see names.h.

#define _GNU_SOURCE
#include "class/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "class/due.h"
#include "exercises/exercise.h"

static const char *const archive_ends[] = {".zip",     ".tar",     ".tgz",    ".tar.gz",
                                           ".tbz2",    ".tar.bz2", ".tar.xz", ".txz",
                                           ".tar.zst", NULL};
static const char *const source_ends[] = {".c", ".cu", NULL};

// The length of the suffix of name that is in the list, or 0.
static size_t ending(const char *name, const char *const *ends)
{
    size_t length = strlen(name);
    for (size_t i = 0; ends[i] != NULL; i++) {
        size_t part = strlen(ends[i]);
        if (length > part && strcasecmp(name + length - part, ends[i]) == 0) {
            return part;
        }
    }
    return 0;
}

bool names_archive(const char *name)
{
    return ending(name, archive_ends) > 0;
}

static void copy(char *to, size_t room, const char *from, size_t length)
{
    snprintf(to, room, "%.*s", (int)(length < room ? length : room - 1), from);
}

static size_t digits(const char *text)
{
    size_t count = 0;
    while (isdigit((unsigned char)text[count])) {
        count++;
    }
    return count;
}

// Canvas appends -1, -2 to the name of a file that is handed in again: attention-2.c.
static void drop_attempt(char *file)
{
    size_t end = strlen(file) - ending(file, source_ends), start = end;
    while (start > 0 && isdigit((unsigned char)file[start - 1])) {
        start--;
    }
    if (ending(file, source_ends) > 0 && start < end && start > 1 &&
        file[start - 1] == '-') {
        memmove(file + start - 1, file + end, strlen(file + end) + 1);
    }
}

// "NAME_LATE_12345_67890_attention.c" from the underscore after the name on, or nothing.
static bool read_numbers(const char *entry, const char *rest, struct who *who)
{
    const size_t name = (size_t)(rest - entry);
    rest++;
    bool late = strncmp(rest, "LATE_", 5) == 0;
    rest += late ? 5 : 0;
    size_t user = digits(rest);
    const char *upload = rest + user + 1;
    if (user == 0 || user >= sizeof who->canvas || rest[user] != '_') {
        return false;
    }
    size_t number = digits(upload);
    if (number == 0 || upload[number] != '_' || upload[number + 1] == '\0') {
        return false;
    }
    copy(who->canvas, sizeof who->canvas, rest, user);
    copy(who->name, sizeof who->name, entry, name);
    copy(who->file, sizeof who->file, upload + number + 1, strlen(upload + number + 1));
    snprintf(who->key, sizeof who->key, "canvas %s", who->canvas);
    drop_attempt(who->file);
    who->late = late;
    return true;
}

// The name may have underscores, too; Canvas leaves out numbers between two of them.
static bool read_canvas(const char *entry, struct who *who)
{
    const char *rest = strchr(entry, '_');
    while (rest != NULL && rest > entry && !read_numbers(entry, rest, who)) {
        rest = strchr(rest + 1, '_');
    }
    return rest != NULL && rest > entry;
}

static bool read_moodle(const char *entry, struct who *who)
{
    static const char mark[] = "_assignsubmission_file";
    const char *end = strstr(entry, mark);
    if (end == NULL) {
        return false;
    }
    const char *number = end;
    while (number > entry && isdigit((unsigned char)number[-1])) {
        number--;
    }
    if (number == end || number - entry < 2 || number[-1] != '_') {
        return false;
    }
    const char *file = end + strlen(mark);
    file += *file == '_';
    copy(who->name, sizeof who->name, entry, (size_t)(number - 1 - entry));
    copy(who->participant, sizeof who->participant, number, (size_t)(end - number));
    strcpy(who->key, who->name);
    copy(who->file, sizeof who->file, file, strlen(file));
    return true;
}

bool names_platform(const char *entry, char *name, size_t size)
{
    struct who *who = grader_alloc(sizeof *who);
    bool is = read_moodle(entry, who) || read_canvas(entry, who);
    snprintf(name, size, "%s", is ? who->key : "");
    free(who);
    return is;
}

// "submissions.zip", "submissions (1).zip": what Canvas and others call the whole export.
static bool is_export(const char *entry)
{
    static const char name[] = "submissions";
    const char *rest = entry + sizeof name - 1;
    return strncasecmp(entry, name, sizeof name - 1) == 0 &&
           strspn(rest, " ()-0123456789") + strlen(".zip") == strlen(rest) &&
           names_archive(entry);
}

// "01_simple_attention": then the class's folder is one student's hand-in, or holds one.
static bool is_lab(const char *entry)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (strcmp(entry, place->folder) == 0) {
            return true;
        }
    }
    return false;
}

// "anon_ab3Xy_67890_attention.c", "LATE_anon_...": Canvas does not say whose it is.
static bool is_anonymous(const char *entry)
{
    char end;
    entry += strncmp(entry, "LATE_", 5) == 0 ? 5 : 0;
    return sscanf(entry, "anon_%*[A-Za-z0-9]_%*[0-9]_%c", &end) == 1;
}

bool names_read(const char *entry, bool is_folder, struct who *who, char *why, int size)
{
    *who = (struct who){.late = false};
    why[0] = '\0';
    size_t end = ending(entry, archive_ends);
    bool source = ending(entry, source_ends) > 0;
    // A file of this name that can be a hand-in has it from the student, not from Moodle.
    bool text =
        strstr(entry, "_assignsubmission_onlinetext") != NULL && end == 0 && !source;
    if (entry[0] == '.' || strcmp(entry, "__MACOSX") == 0 || text ||
        strcmp(entry, "submission_metadata.yml") == 0) {
        return false;
    }
    if (!is_folder && is_export(entry)) {
        snprintf(why, (size_t)size, "%s",
                 "a platform's export of the class: unpack it, and give its folder");
        return false;
    }
    if (is_folder && is_lab(entry)) {
        snprintf(why, (size_t)size, "%s",
                 "a lab's folder without a student: put it into a folder named after the "
                 "student");
        return false;
    }
    bool known = read_moodle(entry, who) || read_canvas(entry, who);
    if (!known && !is_folder && is_anonymous(entry)) {
        snprintf(
            why, (size_t)size, "%s",
            "Canvas has hidden the name: end the assignment's anonymous grading, and "
            "download again");
        return false;
    }
    if (!known && !is_folder && end == 0) {
        snprintf(why, (size_t)size, "%s",
                 source ? "a source file without a student's name before it: put it in a "
                          "folder named after the student"
                        : "not a folder, an archive or a source file");
        return false;
    }
    who->other = !is_folder && end == 0 && !source;
    if (strlen(entry) >= NAME_LENGTH - 8) {
        snprintf(why, (size_t)size, "its name is too long: shorten it");
        return false;
    }
    if (!known) {
        copy(who->name, sizeof who->name, entry, strlen(entry) - (is_folder ? 0 : end));
        copy(who->file, sizeof who->file, entry, strlen(entry));
        strcpy(who->key, who->name);
    }
    return true;
}
