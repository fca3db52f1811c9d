// text.c - shared by the reports: makes foreign text safe, and writes files completely or
// not at all.

#define _GNU_SOURCE

#include "report/text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cases/show.h"
#include "common/replace.h"
#include "grade/grading.h"
#include "judge/result.h"

enum { MOST_PRINTED_LINES = 20, MOST_PRINTED_BYTES = 4096 };

// Length of the valid UTF-8 sequence at the start of bytes (RFC 3629), or 0.
static size_t utf8_length(const unsigned char *bytes, size_t size)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 1, 0},
                 {0xe0, 0xc0, 2, 0x80},
                 {0xf0, 0xe0, 3, 0x800},
                 {0xf8, 0xf0, 4, 0x10000}};
    for (size_t f = 0; f < 4; f++) {
        if ((bytes[0] & forms[f].mask) != forms[f].lead || size < forms[f].length) {
            continue;
        }
        uint32_t code = bytes[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i < forms[f].length; i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (bytes[i] & 0x3fu);
        }
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        bool control_c1 = code >= 0x80 && code <= 0x9f;
        bool noncharacter = code == 0xfffe || code == 0xffff;
        // They reverse the direction of text, and so could change the meaning of a line.
        bool bidi = code == 0x61c || code == 0x200e || code == 0x200f ||
                    (code >= 0x202a && code <= 0x202e) ||
                    (code >= 0x2066 && code <= 0x2069);
        // A browser begins a new line behind them, outside of the quotation.
        bool line_break = code == 0x2028 || code == 0x2029;
        bool fine = code >= forms[f].least && code <= 0x10ffff && !surrogate &&
                    !control_c1 && !noncharacter && !bidi && !line_break;
        return fine ? forms[f].length : 0;
    }
    return 0;
}

char *report_clean(const char *bytes, size_t size)
{
    static const char replacement[] = "\xef\xbf\xbd";
    struct text text;
    text_begin(&text);
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < size;) {
        size_t length = utf8_length(at + i, size - i);
        bool control = length == 1 && (at[i] < 0x20 || at[i] == 0x7f) && at[i] != '\n' &&
                       at[i] != '\t';
        if (length == 0 || control) {
            fputs(replacement, text.file);
            i++;
        } else {
            fwrite(at + i, 1, length, text.file);
            i += length;
        }
    }
    return text_end(&text);
}

void report_escape(FILE *file, const char *text, bool attribute)
{
    for (; *text != '\0'; text++) {
        const char *entity = *text == '<'                 ? "&lt;"
                             : *text == '>'               ? "&gt;"
                             : *text == '&'               ? "&amp;"
                             : *text == '"'               ? "&quot;"
                             : *text == '\''              ? "&#39;"
                             : *text == '\n' && attribute ? "&#10;"
                                                          : NULL;
        if (entity != NULL) {
            fputs(entity, file);
        } else {
            fputc(*text, file);
        }
    }
}

// 48112 as "48,112".
static void write_number(FILE *file, size_t number)
{
    if (number >= 1000) {
        write_number(file, number / 1000);
        fprintf(file, ",%03zu", number % 1000);
    } else {
        fprintf(file, "%zu", number);
    }
}

static void write_rest(FILE *file, size_t count, const char *what, bool later)
{
    fputs("    | … ", file);
    write_number(file, count);
    fprintf(file, " more %s%s printed%s\n", what, count == 1 ? " was" : "s were",
            later ? ", in this call and later ones" : "");
}

// The first lines of what the student's code printed.
static void write_printed(FILE *file, const struct result *result)
{
    size_t size = result->printed_size;
    if (size == 0 && result->printed_lines > 0) {
        fputs("  your code printed ", file);
        write_number(file, result->printed_lines);
        fputs(" lines in all; the output of this call was not kept\n", file);
    }
    if (size == 0) {
        return;
    }
    size_t shown = size < MOST_PRINTED_BYTES ? size : MOST_PRINTED_BYTES;
    char *clean = report_clean(result->printed, shown);
    // The place where a call stood still comes between line breaks, which are not the student's.
    if (shown == size && !result->printed_later && clean[strspn(clean, "\n")] == '\0') {
        free(clean);
        return;
    }
    fprintf(file, "  your code printed in %s call:\n",
            result->verdict == PASS ? "its first" : "this");
    char *rest = clean;
    size_t lines = 0, ended = 0; // not empty; counts complete lines
    for (char *line;
         lines < MOST_PRINTED_LINES && (line = strsep(&rest, "\n")) != NULL;) {
        ended += rest != NULL;
        if (*line != '\0') {
            fprintf(file, "    | %s\n", line);
            lines++;
        }
    }
    if (result->printed_lines > ended) {
        write_rest(file, result->printed_lines - ended, "line", result->printed_later);
    } else if (result->printed_later) {
        fputs("    | … and more, without a line break\n", file);
    } else if (shown < size) {
        write_rest(file, size - shown, "byte", false);
    }
    free(clean);
}

char *report_reading(const struct exercise *exercise, const struct lab_place *place,
                     bool gpu)
{
    const char *section = gpu ? exercise->gpu_section : exercise->section;
    const char *page = gpu ? "GPU.md" : "README.md";
    return section == NULL
               ? grader_print("labs/%s/%s", place->folder, page)
               : grader_print("labs/%s/%s, \"%s\"", place->folder, page, section);
}

static void write_hints(FILE *file, const struct grading *grading,
                        const struct result *result)
{
    const struct exercise *exercise = result->exercise;
    bool gpu = result->place->gpu;
    if (result_is_answers(result)) {
        fprintf(file, "  answer them: make ask LAB=%d\n", result->place->number);
        return;
    }
    const char *const *hints = gpu ? exercise->gpu_hints : exercise->hints;
    for (int level = 1; level <= grading->options.hint && level <= HINT_LEVELS; level++) {
        char *prefix = grader_print("  hint %d: ", level);
        show_wrapped(file, prefix, hints[level - 1] != NULL ? hints[level - 1] : "none");
        free(prefix);
    }
    char *page = report_reading(exercise, result->place, gpu);
    fprintf(file, "  read: %s\n", page);
    free(page);
    if (grading->options.hint < HINT_LEVELS) {
        fprintf(file, "  hint: make hint EX=%s%s\n", exercise->id, gpu ? " GPU=1" : "");
    }
}

static void write_note(FILE *file, const struct result *result)
{
    if (result->lent != NULL && result->verdict != PASS) { // the lab's line says it, too
        show_wrapped(file, "  ", result->lent);
    }
    if (result->note != NULL) {
        show_wrapped(file, "  ", result->note);
    }
}

char *report_judged_with(const struct result *result)
{
    struct text text;
    text_begin(&text);
    write_note(text.file, result);
    return text_end(&text);
}

char *report_text(const struct grading *grading, const struct result *result)
{
    struct text text;
    text_begin(&text);
    write_note(text.file, result);
    if (result->verdict != PASS) {
        char *details = report_clean(result->details, strlen(result->details));
        size_t length = strlen(details);
        fprintf(text.file, "%s%s", details,
                length > 0 && details[length - 1] != '\n' ? "\n" : "");
        free(details);
    }
    if (result->verdict != NOCOMPILE && !result->traced) {
        write_printed(text.file, result);
    }
    if (result->verdict != PASS && result->verdict != NOCOMPILE && !result->traced) {
        write_hints(text.file, grading, result);
    }
    return text_end(&text);
}

bool report_wants_color(FILE *file)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(fileno(file)) && (no_color == NULL || *no_color == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

// Pipes, devices and names of open descriptors are written directly, because a rename would
// replace /dev/stdout by a file.
static bool is_special(const char *path)
{
    struct stat status;
    bool there = lstat(path, &status) == 0;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
        return there;
    }
    return there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
           !S_ISLNK(status.st_mode);
}

static bool write_special(const char *path, const char *content, size_t size)
{
    FILE *file = fopen(path, "we");
    bool fine = file != NULL && fwrite(content, 1, size, file) == size;
    return file != NULL && fclose(file) == 0 && fine;
}

static bool replace(const char *path, const char *content, size_t size)
{
    struct lab_replacement file;
    if (lab_replace_begin(&file, path) != LAB_OK) {
        return false;
    }
    fwrite(content, 1, size, file.file); // commit reports any error
    return lab_replace_commit(&file) == LAB_OK;
}

// Replaces the target of a symbolic link, not the link, unless the target is a descriptor
// or device.
static bool write_anything(const char *path, const char *content, size_t size)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (is_special(path)) {
        return write_special(path, content, size);
    }
    if (length < 0) {
        return replace(path, content, size);
    }
    target[length] = '\0';
    char *real = realpath(path, NULL);
    bool fine;
    if (real == NULL) {
        fine = write_special(path, content, size); // a link to a missing file
    } else if (is_special(target) || is_special(real)) {
        fine = write_special(path, content, size);
    } else {
        fine = replace(real, content, size);
    }
    free(real);
    return fine;
}

bool report_write(const char *path, const char *content, size_t size)
{
    bool fine = write_anything(path, content, size);
    if (!fine) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    }
    return fine;
}
