// statements.h - a C file as a list of statements in a normal form, for the comparison of
// hand-ins.
//
// What a copy is usually disguised by makes no difference there:
//
//   names                all the same, except well-known functions and constants
//   types, casts         dropped, and so are braces and grouping parentheses
//   for (a; b; c) d      a; while (b) { d c }
//   T x = a, y;          x = a
//   x = x + a            x += a; and x++ for x += 1
//   a[i * n + j], *p     an element, wherever it is: a helper's row[j] is the same as its
//                        caller's a[i * n + j]
//   a * b, b * a         the parts of a statement in any order, as in b > a for a < b
//   f(...) { }           a function's head is no statement, so a helper's body counts
//                        like the same statements in its caller
//
// Any bytes can be read. A file that is not C gives statements, too, which mean nothing.

#ifndef GRADER_STATEMENTS_H
#define GRADER_STATEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct statement {
    uint64_t hash;        // of the normal form
    uint32_t first, last; // its lines
    uint32_t parts;       // of the normal form
    bool begins;          // a function begins here
};

struct statements {
    struct statement *list;
    size_t count;
};

struct statements statements_read(const char *text, size_t size);
void statements_free(struct statements *statements);

#endif
