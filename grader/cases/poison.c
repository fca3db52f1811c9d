// poison.c - see poison.h.

#include "cases/poison.h"

void poison_fill(void *memory, size_t bytes)
{
    contents_fill_words(memory, bytes, POISON_WORD);
}

// Returns true if the bytes from `first` up to `end` contain the pattern that starts at
// memory.
static bool holds(const void *memory, size_t first, size_t end, uint32_t word)
{
    for (size_t i = first; i < end; i++) {
        if (((const uint8_t *)memory)[i] != contents_byte(word, i)) {
            return false;
        }
    }
    return true;
}

bool poison_intact(const void *memory, size_t bytes)
{
    return holds(memory, 0, bytes, POISON_WORD) || holds(memory, 0, bytes, LEFT_WORD);
}

static bool unset(const struct tensor *tensor, size_t first, size_t end)
{
    return holds(tensor->got, first, end, POISON_WORD) ||
           holds(tensor->got, first, end, LEFT_WORD);
}

bool never_set(const struct tensor *tensor, size_t i)
{
    return unset(tensor, i * tensor->element_size, (i + 1) * tensor->element_size);
}

bool still_unset(const struct tensor *tensor, size_t i)
{
    size_t first = i * tensor->element_size, end = first + tensor->element_size;
    if (tensor->spec->type == I8) { // 127 is a byte of the pattern, and in every row
        first -= first % sizeof(uint32_t);
        end = first + sizeof(uint32_t);
        end = end < tensor->count ? end : tensor->count;
    }
    return unset(tensor, first, end);
}
