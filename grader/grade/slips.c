// slips.c - see slips.h.
//
// Reads C and C++ only as far as needed: a text without comments and strings, words, and brackets that
// match. What it takes for a function or a loop by mistake is tried in vain, and nothing is claimed.

#include "grade/slips.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/slip_kinds.h"
#include "grade/slip_text.h"

// Limits for a text that is made to take long.
enum {
    MOST_BODIES = 32,
    MOST_LOOKED_UP = 200,
    LONGEST_NAME = 63,
    LONGEST_ARGUMENTS = 4096,
    MOST_UNCLOSED = 64 // brackets: code that compiles has few, in macros
};

// ---- the text -----------------------------------------------------------------------------

// Sets *unclosed if no "*/" follows: then none follows the next "/*" either.
static size_t comment_length(const char *text, bool *unclosed)
{
    if (strncmp(text, "//", 2) == 0) {
        return strcspn(text, "\n");
    }
    if (strncmp(text, "/*", 2) != 0 || *unclosed) {
        return 0;
    }
    const char *end = strstr(text + 2, "*/");
    *unclosed = end == NULL;
    return end != NULL ? (size_t)(end + 2 - text) : 0;
}

// The length of a string or a character, with its quotation marks.
static size_t quoted_length(const char *text)
{
    size_t i = 1;
    if (*text != '"' && *text != '\'') {
        return 0;
    }
    while (text[i] != '\0' && text[i] != '\n' && text[i] != *text) {
        i += text[i] == '\\' && text[i + 1] != '\0' ? 2 : 1;
    }
    return text[i] == *text ? i + 1 : i;
}

// The word of a line "# word ...", or NULL.
static const char *directive(const char *line)
{
    line += strspn(line, " \t");
    return *line == '#' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static bool begins_if(const char *line)
{
    const char *word = directive(line);
    return word != NULL && strncmp(word, "if", 2) == 0;
}

static bool begins_if_0(const char *line)
{
    const char *word = directive(line);
    return word != NULL && is_word(word, "if") &&
           is_word(word + 2 + strspn(word + 2, " \t"), "0");
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

// The end of what the compiler skips behind "#if 0": the line of its #else, #elif or #endif.
static const char *end_of_skipped(const char *line)
{
    size_t depth = 0;
    for (; *line != '\0'; line = next_line(line)) {
        const char *word = directive(line);
        if (word != NULL && depth == 0 &&
            (strncmp(word, "el", 2) == 0 || is_word(word, "endif"))) {
            break;
        }
        depth += begins_if(line);
        depth -= word != NULL && is_word(word, "endif");
    }
    return line;
}

// Code that the compiler skips may hold an older version of a function.
static void blank_skipped(char *text)
{
    for (char *line = text; *line != '\0'; line = text + (next_line(line) - text)) {
        if (begins_if_0(line)) {
            char *first = text + (next_line(line) - text);
            memset(first, ' ', (size_t)(end_of_skipped(first) - first));
        }
    }
}

// A copy of the same length with blanks in place of comments, strings and code behind #if 0.
static char *blank_out(const char *text)
{
    char *blank = grader_print("%s", text);
    bool unclosed = false;
    for (size_t i = 0; text[i] != '\0';) {
        size_t length = comment_length(text + i, &unclosed);
        length = length > 0 ? length : quoted_length(text + i);
        memset(blank + i, ' ', length);
        i += length > 0 ? length : 1;
    }
    blank_skipped(blank);
    return blank;
}

// ---- functions ----------------------------------------------------------------------------

struct body {
    const char *begin, *end;
};

// name(...) {...}
static bool find_body(const char *text, const char *name, struct body *body)
{
    const size_t length = strlen(name);
    size_t unclosed = 0;
    for (const char *at = text;
         unclosed < MOST_UNCLOSED && (at = strstr(at, name)) != NULL; at += length) {
        const char *next = skip_blanks(at + length);
        if ((at > text && in_word(at[-1])) || *next != '(') {
            continue;
        }
        next = behind_bracket(next, '(', ')', LONGEST_ARGUMENTS);
        unclosed += next == NULL;
        body->begin = next != NULL ? skip_blanks(next) : NULL;
        if (body->begin == NULL || *body->begin != '{') {
            continue;
        }
        body->end = behind_bracket(body->begin, '{', '}', SIZE_MAX);
        return body->end != NULL;
    }
    return false;
}

struct bodies {
    struct body all[MOST_BODIES];
    char looked_up[MOST_LOOKED_UP][LONGEST_NAME + 1];
    size_t count, looked_up_count;
};

// Returns true for a name that was not looked up yet. A text may call the same function everywhere.
static bool is_new(struct bodies *bodies, const char *name)
{
    for (size_t i = 0; i < bodies->looked_up_count; i++) {
        if (strcmp(bodies->looked_up[i], name) == 0) {
            return false;
        }
    }
    if (bodies->looked_up_count == MOST_LOOKED_UP || strlen(name) > LONGEST_NAME) {
        return false;
    }
    strcpy(bodies->looked_up[bodies->looked_up_count++], name);
    return true;
}

static void add_body(struct bodies *bodies, const char *text, const char *name)
{
    struct body body;
    if (bodies->count == MOST_BODIES || !is_new(bodies, name) ||
        !find_body(text, name, &body)) {
        return;
    }
    for (size_t i = 0; i < bodies->count; i++) {
        if (bodies->all[i].begin == body.begin) {
            return;
        }
    }
    bodies->all[bodies->count++] = body;
}

static bool is_keyword(const char *word)
{
    static const char *const keywords[] = {"for",    "while",  "if",
                                           "switch", "sizeof", "return"};
    bool is = false;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        is = is || strcmp(word, keywords[i]) == 0;
    }
    return is;
}

// A call: name(...), of a kernel name<<<...>>>(...).
static bool is_called(const char *behind_name)
{
    return *behind_name == '<' || *skip_blanks(behind_name) == '(';
}

static void add_called(struct bodies *bodies, const char *text, struct body body,
                       bool (*is_other)(const void *context, const char *name),
                       const void *context)
{
    for (const char *at = body.begin; at < body.end;) {
        const size_t length = word_length(at);
        char name[LONGEST_NAME + 1] = "";
        if (length > 0 && length <= LONGEST_NAME && is_called(at + length)) {
            memcpy(name, at, length);
        }
        if (*name != '\0' && !is_keyword(name) && !is_other(context, name)) {
            add_body(bodies, text, name);
        }
        at += length > 0 ? length : 1;
    }
}

// ---- all of them ---------------------------------------------------------------------------

static bool is_before(const struct body *body, const struct body *other)
{
    return body->begin < other->begin;
}

static void sort(struct bodies *bodies)
{
    for (size_t i = 1; i < bodies->count; i++) {
        for (size_t j = i; j > 0 && is_before(&bodies->all[j], &bodies->all[j - 1]);
             j--) {
            const struct body earlier = bodies->all[j];
            bodies->all[j] = bodies->all[j - 1];
            bodies->all[j - 1] = earlier;
        }
    }
}

size_t find_slips(const char *text, const char *const *functions,
                  bool (*is_other)(const void *context, const char *name),
                  const void *context, enum slip_kind kind, struct slip slips[MOST_SLIPS])
{
    char *blank = blank_out(text);
    struct bodies bodies = {.count = 0};
    size_t count = 0;
    for (; *functions != NULL; functions++) {
        add_body(&bodies, blank, *functions);
    }
    for (size_t i = 0; i < bodies.count; i++) {
        add_called(&bodies, blank, bodies.all[i], is_other, context);
    }
    sort(&bodies);
    const char *at = blank;
    for (size_t i = 0; i < bodies.count; i++) {
        const struct body body = bodies.all[i];
        at = at > body.begin ? at : body.begin; // a macro's {...} lies inside a body
        // At each word, and not at each blank of a long comment.
        while (at < body.end && count <= MOST_SLIPS) {
            struct slip slip;
            if (find_slip(blank, at, kind, &slip)) {
                if (count < MOST_SLIPS) {
                    slips[count] = slip;
                }
                count++;
            }
            const size_t length = word_length(at);
            at = skip_blanks(at + (length > 0 ? length : 1));
        }
    }
    free(blank);
    return count <= MOST_SLIPS ? count : 0;
}

bool slip_is_counter(const char *text, const struct slip *slip)
{
    return is_word(text + slip->at, "size_t");
}

char *change_slips(const char *text, const struct slip *slips, size_t count)
{
    struct text changed;
    text_begin(&changed);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        fprintf(changed.file, "%.*s%s", (int)(slips[i].at - at), text + at, slips[i].by);
        at = slips[i].at + slips[i].length;
    }
    fputs(text + at, changed.file);
    return text_end(&changed);
}

size_t slip_line(const char *text, const struct slip *slip)
{
    size_t line = 1;
    for (size_t i = 0; i < slip->at; i++) {
        line += text[i] == '\n';
    }
    return line;
}
