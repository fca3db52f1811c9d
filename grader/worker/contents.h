// contents.h - the contents of outputs and workspaces before a call, for judge and worker.
//
// A right function does not care. So each call is made on NaN, and then made again with the same
// inputs, on what it left itself, on zeros and on numbers (docs/grader.md, "What an output holds").

#ifndef GRADER_CONTENTS_H
#define GRADER_CONTENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum contents {
    POISONED, // a NaN that no computation gives; in bytes numbers that read as true
    KEPT,     // the results of the first call
    ZEROS,
    NUMBERS, // 70001.3 in floats; 0 and 1 in bytes, as in a mask
    CONTENTS
};

// A signalling NaN: copying keeps it, and any arithmetic turns it into a quiet one. So an output
// that still holds it was never written, and one computed from it (+= before =) shows as NaN.
#define POISON_WORD 0x7fa0deadu
// 70001.3: a number that somebody might have left there, and that a comparison takes notice of.
// (The larger of NaN and x is x, to some.)
#define LEFT_WORD 0x4788b8a6u

// Byte i of memory that holds a word over and over.
static inline uint8_t contents_byte(uint32_t word, size_t i)
{
    return (uint8_t)(word >> (8 * (i % sizeof word)));
}

static inline void contents_fill_words(void *memory, size_t bytes, uint32_t word)
{
    uint8_t *to = memory;
    const size_t first = bytes < 64 ? bytes : 64;
    for (size_t i = 0; i < first; i++) {
        to[i] = contents_byte(word, i);
    }
    for (size_t done = first; done < bytes;) { // twice as much every time
        const size_t more = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

// 0 and 1 in no order that the rows of a matrix could have.
static inline void contents_fill_coins(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint32_t)(i + 1) * 2654435761u >> 31;
    }
}

// Fills a tensor; element is the size of one of its elements in bytes: 4 of a float, 1 of a byte.
// KEPT leaves it as it is.
static inline void contents_fill(enum contents contents, size_t element, void *memory,
                                 size_t bytes)
{
    if (contents == ZEROS) {
        memset(memory, 0, bytes);
    } else if (contents == NUMBERS && element == 1) {
        contents_fill_coins(memory, bytes);
    } else if (contents != KEPT) {
        contents_fill_words(memory, bytes,
                            contents == POISONED ? POISON_WORD : LEFT_WORD);
    }
}

#endif
