// code.h - breaks lines of C code that are wider than the terminal.

#ifndef LAB_LEARN_CODE_H
#define LAB_LEARN_CODE_H

#include <stdbool.h>
#include <stddef.h>

// What a row or a line begins inside of; all 0 for code.
struct code_inside {
    char quote;   // ' or " in a string, * in a comment that has an end, 0 elsewhere
    bool comment; // a comment up to the end of the line
};

// One row on the screen: blanks, "// " if it goes on with a comment, and a part of the line.
struct code_row {
    int indent; // columns
    const char *lead, *text;
    size_t size; // bytes of text
    // What follows, for code_next_row:
    const char *rest; // NULL after the last row
    int line_indent, rest_indent;
    const char *rest_lead;
    struct code_inside inside; // after the last row: what the next line begins inside of
};

// Before the first row of a line.
struct code_row code_begin(const char *line, struct code_inside inside);

// Takes the next row of at most `columns` columns; false if there is none. It breaks at a blank, if
// possible outside of strings. The next row begins below the innermost open bracket; if there is none, or it
// is too far right, 4 columns further right than the line. A word that is too long stays whole.
//
//     struct code_row row = code_begin(line, (struct code_inside){0});
//     while (code_next_row(&row, 80)) {
//         printf("%*s%s%.*s\n", row.indent, "", row.lead, (int)row.size, row.text);
//     }
bool code_next_row(struct code_row *row, int columns);

#endif
