// foreign.c - see foreign.h.

#define _GNU_SOURCE
#include "build/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_LINES = 60, LONGEST_LINE = 300, LARGEST_TEXT = 1 << 24, LOOKED_AT = 4096 };

// ---- encodings ----------------------------------------------------------------------------

// In UTF-16 every second byte of plain C is 0, in UTF-32 three of four. Their positions
// show the byte order.
static const char *encoding_of(const unsigned char *bytes, size_t size)
{
    size_t zeros[4] = {0}, quarter = size / 4;
    if (size >= 2 && bytes[0] + bytes[1] == 0xff + 0xfe && bytes[0] >= 0xfe) {
        return size >= 4 && bytes[2] == 0 && bytes[3] == 0 ? "UTF-32" : "UTF-16";
    }
    for (size_t i = 0; i < 4 * quarter; i++) {
        zeros[i % 4] += bytes[i] == 0;
    }
    size_t even = zeros[0] + zeros[2], odd = zeros[1] + zeros[3];
    bool wide = quarter > 0 && zeros[1] > quarter / 2 && zeros[2] > quarter / 2;
    if (wide && (zeros[0] > quarter / 2 || zeros[3] > quarter / 2)) {
        return "UTF-32";
    }
    return even > quarter && odd < quarter / 4   ? "UTF-16"
           : odd > quarter && even < quarter / 4 ? "UTF-16"
                                                 : NULL;
}

// ---- #line --------------------------------------------------------------------------------

// A position in a source file as the preprocessor sees it: a backslash at the end of a
// line, possibly followed by blanks, joins two lines.
struct place {
    const char *at, *end;
    size_t line;
};

static bool ends_line(char byte)
{
    return byte == '\n' || byte == '\r'; // gcc takes either for the end of a line
}

static void join_lines(struct place *place)
{
    while (place->at < place->end && *place->at == '\\') {
        const char *behind = place->at + 1;
        while (behind < place->end && strchr(" \t\f\v", *behind) != NULL) {
            behind++; // also a 0
        }
        if (behind >= place->end || !ends_line(*behind)) {
            return;
        }
        behind += *behind == '\r' && behind + 1 < place->end && behind[1] == '\n';
        place->line += *behind == '\n';
        place->at = behind + 1;
    }
}

// The current character; 0 at the end.
static char here(struct place *place)
{
    join_lines(place);
    return place->at < place->end ? *place->at : '\0';
}

static void step(struct place *place)
{
    place->line += here(place) == '\n';
    place->at += place->at < place->end;
}

static bool done(struct place *place)
{
    join_lines(place);
    return place->at >= place->end;
}

static bool starts(const struct place *place, const char *with)
{
    struct place copy = *place;
    for (; *with != '\0'; with++, step(&copy)) {
        if (here(&copy) != *with) {
            return false;
        }
    }
    return true;
}

static void skip(struct place *place, size_t count)
{
    for (; count > 0; count--) {
        step(place);
    }
}

// Skips a comment, if there is one here.
static bool skip_comment(struct place *place)
{
    if (starts(place, "//")) {
        while (!done(place) && !ends_line(here(place))) {
            step(place);
        }
        return true;
    }
    if (!starts(place, "/*")) {
        return false;
    }
    for (skip(place, 2); !done(place) && !starts(place, "*/"); step(place)) {
    }
    skip(place, 2);
    return true;
}

// Skips a string or character literal, which ends at the end of the line at the latest.
static void skip_quoted(struct place *place)
{
    char quote = here(place);
    for (step(place); !done(place) && here(place) != quote && !ends_line(here(place));
         step(place)) {
        if (here(place) == '\\') {
            step(place);
        }
    }
    if (here(place) == quote) {
        step(place);
    }
}

// What has been read of a line that may be a #line directive: blanks and comments; #, %: or
// ?\?=; blanks and comments; a digit or "line". The comments may end on later lines.
enum spot {
    BEFORE, // the #
    BEFORE_SLASH,
    BEFORE_COMMENT,
    BEFORE_STAR, // in a comment
    PERCENT,
    QUESTION,
    QUESTIONS,
    AFTER,
    AFTER_SLASH,
    AFTER_COMMENT,
    AFTER_STAR,
    L,
    LI,
    LIN,
    SPOTS,
    DIRECTIVE = SPOTS,
    OTHER // it is none
};

// Behind these, blanks and comments are skipped: the states of AFTER follow as those of BEFORE do.
static enum spot next_in_comment(enum spot spot, char byte)
{
    const enum spot around = spot < AFTER ? BEFORE : AFTER;
    switch (spot - around) {
    case BEFORE_SLASH: // behind "//" nothing follows on its line
        return byte == '*' ? around + BEFORE_COMMENT : OTHER;
    case BEFORE_STAR:
        return byte == '/' ? around : byte == '*' ? spot : around + BEFORE_COMMENT;
    default:
        return byte == '*' ? around + BEFORE_STAR : spot;
    }
}

static enum spot next_spot(enum spot spot, char byte)
{
    switch (spot) {
    case BEFORE:
    case AFTER:
        if (byte == '/') {
            return spot + BEFORE_SLASH;
        }
        if (byte == '\0' || (byte != '\n' && isspace((unsigned char)byte))) {
            return spot; // gcc takes a 0 for a blank
        }
        if (spot == AFTER) {
            return isdigit((unsigned char)byte) ? DIRECTIVE : byte == 'l' ? L : OTHER;
        }
        return byte == '#'   ? AFTER
               : byte == '%' ? PERCENT
               : byte == '?' ? QUESTION
                             : OTHER;
    case PERCENT:
        return byte == ':' ? AFTER : OTHER;
    case QUESTION:
        return byte == '?' ? QUESTIONS : OTHER;
    case QUESTIONS:
        return byte == '=' ? AFTER : OTHER;
    case L:
        return byte == 'i' ? LI : OTHER;
    case LI:
        return byte == 'n' ? LIN : OTHER;
    case LIN:
        return byte == 'e' ? DIRECTIVE : OTHER;
    default:
        return next_in_comment(spot, byte);
    }
}

// At the first character of a line: returns true for a #line directive.
static bool names_lines(struct place place)
{
    enum spot spot = BEFORE;
    for (; spot < SPOTS && !done(&place); step(&place)) {
        spot = next_spot(spot, here(&place));
    }
    return spot == DIRECTIVE;
}

static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

// Skips a word or a number (also 1'000). Returns true if a raw string begins here.
static bool skip_word(struct place *place)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    const bool number = isdigit((unsigned char)here(place));
    char word[5] = ""; // enough to recognize it
    size_t length = 0;
    while (in_word(here(place)) || (number && here(place) == '\'')) {
        if (length < sizeof word - 1) {
            word[length++] = here(place);
        }
        step(place);
    }
    bool raw = false;
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        raw = raw || strcmp(word, prefixes[i]) == 0;
    }
    return raw && here(place) == '"';
}

// Skips to the next raw string, R"x(...)x", or #line directive, whichever comes first.
// Returns false if there is neither.
static bool find_raw_or_directive(struct place *place)
{
    bool first = true; // its line
    while (!done(place)) {
        if (first && names_lines(*place)) {
            return true;
        }
        first = ends_line(here(place));
        if (in_word(here(place))) {
            if (skip_word(place)) {
                return true;
            }
        } else if (here(place) == '"' || here(place) == '\'') {
            skip_quoted(place);
        } else if (!skip_comment(place)) {
            step(place);
        }
    }
    return false;
}

static size_t lower(size_t line, size_t other)
{
    return line == 0 || (other != 0 && other < line) ? other : line;
}

// For each spot, the first of the lines that are there, or 0. Lines at the same spot go on alike, so
// one byte moves them all at once, however many comments begin.
struct lines {
    size_t at[SPOTS];
    size_t directive;
};

static void move_lines(struct lines *lines, char byte)
{
    struct lines moved = {.directive = lines->directive};
    for (int spot = BEFORE; spot < SPOTS; spot++) {
        const size_t line = lines->at[spot];
        const enum spot next = line != 0 ? next_spot((enum spot)spot, byte) : OTHER;
        if (next == DIRECTIVE) {
            moved.directive = lower(moved.directive, line);
        } else if (next != OTHER) {
            moved.at[next] = lower(moved.at[next], line);
        }
    }
    *lines = moved;
}

// The first line with a directive, 0 if there is none, in a text in which every line may have one,
// also inside a comment.
static size_t directive_anywhere(struct place place)
{
    struct lines lines = {.directive = 0};
    for (bool first = false; !done(&place); step(&place)) {
        if (first) {
            lines.at[BEFORE] = lower(lines.at[BEFORE], place.line);
        }
        first = ends_line(here(&place));
        move_lines(&lines, here(&place));
    }
    return lines.directive;
}

// The line number of the first such directive, 0 if there is none. A raw string may contain
// text that looks like a comment, so after the first raw string nothing counts as a
// comment.
static size_t line_directive(const char *text, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; // of UTF-8, which gcc skips
    const bool marked = size >= 3 && memcmp(text, mark, 3) == 0;
    struct place place = {text + (marked ? 3 : 0), text + size, 1};
    if (!find_raw_or_directive(&place)) {
        return 0;
    }
    return here(&place) == '"' ? directive_anywhere(place) : place.line;
}

char *foreign_refuses(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    char *text = grader_alloc(LARGEST_TEXT + 1), *sentence = NULL;
    size_t size = file != NULL ? fread(text, 1, LARGEST_TEXT + 1, file) : 0;
    const char *encoding =
        encoding_of((const unsigned char *)text, size < LOOKED_AT ? size : LOOKED_AT);
    size_t line = encoding == NULL ? line_directive(text, size) : 0;
    if (encoding != NULL) {
        sentence = grader_print("%s is saved as %s; save it as UTF-8\n", name, encoding);
    } else if (line > 0) {
        sentence = grader_print("%s, line %zu: remove the #line directive, which makes "
                                "messages name another file\n",
                                name, line);
    } else if (size > LARGEST_TEXT) { // a directive may follow
        sentence =
            grader_print("%s is larger than %d megabytes\n", name, LARGEST_TEXT >> 20);
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return sentence;
}

// ---- quoting ------------------------------------------------------------------------------

static size_t name_length(const char *line)
{
    static const char others[] = "_./+-";
    size_t length = 0;
    while (isalnum((unsigned char)line[length]) ||
           (line[length] != '\0' && strchr(others, line[length]) != NULL)) {
        length++;
    }
    return length;
}

// "attention.c:12:5: error: ..." or "attention.c: In function 'linear':"
static bool begins_with_place(const char *line)
{
    static const char *const ends[] = {".c", ".cu", ".h", ".cpp", NULL};
    size_t length = name_length(line);
    bool source = false;
    for (size_t i = 0; ends[i] != NULL; i++) {
        size_t end = strlen(ends[i]);
        source =
            source || (length > end && strncmp(line + length - end, ends[i], end) == 0);
    }
    return source && line[length] == ':' &&
           (isdigit((unsigned char)line[length + 1]) || line[length + 1] == ' ');
}

// gcc's last lines, which say nothing about the code.
static bool is_noise(const char *line)
{
    return strcmp(line, "compilation terminated.") == 0 ||
           strcmp(line, "cc1: some warnings being treated as errors") == 0 ||
           strcmp(line, "cc1: all warnings being treated as errors") == 0;
}

// "   12 | code", "      |      ^", "  +++ |+#include <stdio.h>", "In file included from attention.h:3," and,
// below it, "                 from attention.c:13:"
static bool is_compilers(const char *line)
{
    const char *at = line + strspn(line, " ");
    const char *bar = at + strspn(at, "0123456789");
    bool gutter = at > line && (strncmp(bar, " | ", 3) == 0 || strcmp(bar, " |") == 0 ||
                                (bar == at && *bar == '|'));
    static const char from[] = "In file included from ", added[] = "+++ |+";
    static const char and_from[] = "                 from "; // as wide as from
    gutter = gutter || (at > line && strncmp(at, added, strlen(added)) == 0);
    return gutter || begins_with_place(line) ||
           (strncmp(line, from, strlen(from)) == 0 &&
            begins_with_place(line + strlen(from))) ||
           (strncmp(line, and_from, strlen(and_from)) == 0 &&
            begins_with_place(line + strlen(and_from)));
}

char *foreign_quote(const char *text, size_t size)
{
    struct text quoted;
    size_t lines = 0;
    text_begin(&quoted);
    for (const char *at = text, *end = text + size; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        if (lines < MOST_LINES) {
            bool cut = length > LONGEST_LINE;
            char *line = grader_print("%.*s", (int)(cut ? LONGEST_LINE : length), at);
            if (!is_noise(line)) {
                fprintf(quoted.file, "%s%s%s\n", is_compilers(line) ? "" : "      | ",
                        line, cut ? " ..." : "");
            }
            free(line);
        }
        at += length + 1;
    }
    if (lines > MOST_LINES) {
        fprintf(quoted.file, "      | ... (%zu lines in all)\n", lines);
    }
    return text_end(&quoted);
}
