// slip_words.h - what the report says of a slip.

#ifndef GRADER_SLIP_WORDS_H
#define GRADER_SLIP_WORDS_H

#include "grade/slips.h"

struct slip_words {
    const char *id;
    char *what; // without the line
    char *why;
};

// Of slips of one kind in a text; count is at least 1. Caller frees with free_slip_words.
struct slip_words slip_words(enum slip_kind kind, const char *text,
                             const struct slip *slips, size_t count);
void free_slip_words(struct slip_words *words);

#endif
