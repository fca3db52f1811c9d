// code.c - see code.h.

#include "programs/learn/code.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH = 16, TAB = 4, STEP = 4 };

// A walk along a row: the column, the brackets that are open, and what it is inside of.
struct walk {
    int column;
    int opened[DEPTH]; // the columns behind the open brackets
    int depth;
    struct code_inside inside;
    bool escaped; // the character before was a backslash in a string
    bool over;    // the character before was the first of a comment's two
};

static int width_of(char character)
{
    return character == '\t' ? TAB : ((unsigned char)character & 0xC0) != 0x80;
}

// Takes a character of a string, or of a comment that has an end.
static void take_inside(struct walk *walk, const char *at)
{
    char *quote = &walk->inside.quote;
    if (walk->over || walk->escaped) {
        walk->over = walk->escaped = false;
    } else if (*quote == '*') {
        walk->over = at[0] == '*' && at[1] == '/';
        *quote = walk->over ? 0 : '*';
    } else if (*at == '\\') {
        walk->escaped = true;
    } else if (*at == *quote) {
        *quote = 0;
    }
}

// Takes the character at `at`.
static void take(struct walk *walk, const char *at)
{
    walk->column += width_of(*at);
    if (walk->inside.comment) {
        return;
    }
    if (walk->inside.quote != 0 || walk->over) {
        take_inside(walk, at);
    } else if (*at == '"' || *at == '\'') {
        walk->inside.quote = *at;
    } else if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
        walk->inside.comment = at[1] == '/';
        walk->inside.quote = at[1] == '*' ? '*' : 0;
        walk->over = at[1] == '*';
    } else if (strchr("([{", *at) != NULL && walk->depth < DEPTH) {
        walk->opened[walk->depth++] = walk->column;
    } else if (strchr(")]}", *at) != NULL && walk->depth > 0) {
        walk->depth--;
    }
}

static int indent_of(const char *line)
{
    int columns = 0;
    for (; *line == ' ' || *line == '\t'; line++) {
        columns += width_of(*line);
    }
    return columns;
}

static bool in_comment(const struct walk *walk)
{
    return walk->inside.comment || walk->inside.quote == '*';
}

// How good it is to break the row at a blank: best behind a comma, worst within a string; 0 elsewhere.
static int rank_of(const struct walk *walk, const char *row, const char *at)
{
    if (*at != ' ' || at == row) {
        return 0;
    }
    const char quote = walk->inside.quote;
    return quote == '"' || quote == '\'' ? 1 : at[-1] == ',' && !in_comment(walk) ? 3 : 2;
}

// Where the row after a break begins, and with what.
static void set_rest(struct code_row *row, const struct walk *at, const char *rest,
                     int columns)
{
    const int below = at->depth > 0 ? at->opened[at->depth - 1] : columns;
    row->rest = *rest != '\0' ? rest : NULL; // NULL: only blanks were left
    row->rest_lead = at->inside.comment ? "// " : "";
    row->rest_indent = in_comment(at)         ? row->indent
                       : below <= columns / 2 ? below
                                              : row->line_indent + STEP;
    row->inside = at->inside;
}

struct code_row code_begin(const char *line, struct code_inside inside)
{
    const int indent = indent_of(line);
    return (struct code_row){.rest = line + strspn(line, " \t"),
                             .rest_lead = "",
                             .line_indent = indent,
                             .rest_indent = indent,
                             .inside = inside};
}

// What the next line begins inside of: a comment, or a string whose line ends with a backslash.
static struct code_inside inside_next_line(struct walk *walk, const char *at)
{
    for (; *at != '\0'; at++) {
        take(walk, at);
    }
    const bool goes_on = walk->inside.quote == '*' || walk->escaped;
    return (struct code_inside){.quote = goes_on ? walk->inside.quote : 0};
}

bool code_next_row(struct code_row *row, int columns)
{
    if (row->rest == NULL) {
        return false;
    }
    row->indent = row->rest_indent;
    row->lead = row->rest_lead;
    row->text = row->rest;
    struct walk walk = {.column = row->indent + (int)strlen(row->lead),
                        .inside = row->inside};
    struct walk before = walk; // at the break
    const char *best = NULL, *at = row->text;
    int rank = 0; // of the best place so far
    for (; *at != '\0' && walk.column <= columns; at++) {
        const int here = rank_of(&walk, row->text, at);
        if (here > 0 && (here >= rank || before.column < columns / 2)) {
            best = at;
            before = walk;
            rank = here;
        }
        take(&walk, at);
    }
    if (walk.column <= columns || best == NULL) { // it fits, or is one long word
        row->size = strlen(row->text);
        row->rest = NULL;
        row->inside = inside_next_line(&walk, at);
        return true;
    }
    row->size = (size_t)(best - row->text);
    set_rest(row, &before, best + strspn(best, " "), columns);
    return true;
}
