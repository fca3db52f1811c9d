// wrapped.h - writes a text to the standard output; on a terminal, lines break between words.

#ifndef LAB_LANGUAGE_WRAPPED_H
#define LAB_LANGUAGE_WRAPPED_H

#include <stddef.h>
#include <stdint.h>

enum { WRAPPED_WORD = 64 };

struct wrapped {
    size_t columns; // of the terminal; 0: write every byte at once
    size_t column;  // how wide the line is, without the blanks and the word below
    size_t blanks;  // not yet written: they may become a line end
    size_t length;  // of the word
    uint8_t word[WRAPPED_WORD]; // not yet written
};

// The columns of the terminal, or 0 where the standard output is none.
size_t wrapped_columns(void);

// A word is written when the next blank or line end comes.
void wrapped_write(struct wrapped *wrapped, const uint8_t *text, size_t length);

#endif
