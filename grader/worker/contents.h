// contents.h - the initial contents of outputs and workspaces, for judge and worker.
//
// A right function does not depend on them. So each call is first made on NaN, then
// repeated with the same inputs on its own results, on zeros and on numbers
// (docs/grader.md, "What an output holds").

#ifndef GRADER_CONTENTS_H
#define GRADER_CONTENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum contents {
    POISONED, // a NaN that no computation produces; as bytes, all true
    KEPT,     // the results of the first call
    ZEROS,
    NUMBERS, // 70001.3 as floats; 0 and 1 as bytes, as in a mask
    CONTENTS
};

// A signalling NaN: copying preserves it, and arithmetic turns it into a quiet NaN. So an
// output that still contains it was never written, and a result computed from it (+= before
// =) is a quiet NaN.
#define POISON_WORD 0x7fa0deadu
// The memory around the tensors holds another signalling NaN. So the NaN in a result shows whether an
// unset element was read, or memory beyond the end of a tensor.
#define GUARD_WORD 0x7fa1beefu
// 70001.3: like a number left over from earlier work, which affects comparisons. (Some
// maximum functions ignore NaN.)
#define LEFT_WORD 0x4788b8a6u

// Byte i of memory filled with a repeated word.
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
    for (size_t done = first; done < bytes;) { // doubles the filled part each time
        const size_t more = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

// 0 and 1 in an irregular order.
static inline void contents_fill_coins(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint32_t)(i + 1) * 2654435761u >> 31;
    }
}

// Fills a tensor. element is the size of an element in bytes: 4 for a float, 1 for a byte.
// KEPT leaves it unchanged.
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
