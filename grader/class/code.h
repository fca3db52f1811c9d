// code.h - a function in a student's file: where it is, its loops, and what its index expressions
// come to. For questions about the student's own lines (questions.h).

#ifndef GRADER_CODE_H
#define GRADER_CODE_H

#include <stdbool.h>

#include "class/tokens.h"

struct code {
    const char *file; // "attention.c"
    const char *text;
    size_t size;
    struct tokens tokens;
    size_t from, to;      // the tokens of the function's body
    uint32_t first, last; // the lines of the function
};

// Finds the definition of a function. The text must outlive the code. Freed by code_free, also
// if there is none.
bool code_find(struct code *code, const char *file, const char *text, size_t size,
               const char *function);
void code_free(struct code *code);

// "a[m * K + k]": the name, the brackets' tokens and the line.
struct code_index {
    char name[32];
    size_t from, to;
    uint32_t line;
};
// The first one after this token of the body; false if there is none.
bool code_next_index(const struct code *code, size_t after, struct code_index *index);

// Names with values, for code_evaluate. A name is bound to the newest.
enum { CODE_MOST_VALUES = 32 };
struct code_values {
    struct code_value {
        char name[32];
        long value;
    } list[CODE_MOST_VALUES];
    size_t count;
};
void code_set(struct code_values *values, const char *name, long value);
const struct code_value *code_get(const struct code_values *values, const char *name);

// The value of an expression of + - * ( ), numbers and names; false if it has anything else.
bool code_evaluate(const struct code *code, size_t from, size_t to,
                   const struct code_values *values, long *result);

// "for (size_t name = 0; name < BOUND; ...)" around this token: the name of the bound. False if
// there is no such loop.
bool code_bound(const struct code *code, size_t token, const char *name, char bound[32]);

// Copies a token's text.
void code_word(const struct code *code, size_t token, char word[32]);
bool code_is(const struct code *code, size_t token, const char *word);

// The text of a line of the file, with its indentation. Caller frees.
char *code_line(const struct code *code, uint32_t line);
// These tokens as they stand in the file, with single blanks. Caller frees.
char *code_text(const struct code *code, size_t from, size_t to);

#endif
