// rows.c - walks over tables of tensors: counts them, and lays them out in memory.

#include "common/rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(const char *word, size_t length, const struct lab_size *sizes)
{
    for (; sizes->name != NULL; sizes++) {
        if (strlen(sizes->name) == length && memcmp(sizes->name, word, length) == 0) {
            return sizes->size;
        }
    }
    abort(); // a mistyped table
}

size_t lab_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                     const struct lab_size *sizes)
{
    size_t axes = 0;
    bool exists = true;
    for (const char *word = row->shape; *word != '\0'; axes++) {
        size_t length = strcspn(word, " ");
        size[axes] = size_of(word, length, sizes);
        exists = exists && size[axes] > 0;
        word += length + (word[length] == ' ');
    }
    return exists ? axes : 0;
}

size_t lab_row_count(const struct lab_row *row, const struct lab_size *sizes)
{
    size_t size[LAB_AXES];
    size_t axes = lab_row_shape(size, row, sizes);
    size_t count = axes > 0;
    for (size_t a = 0; a < axes; a++) {
        // if a size_t cannot count it, memory cannot hold it
        count = count > SIZE_MAX / size[a] ? SIZE_MAX : count * size[a];
    }
    return count;
}

size_t lab_rows_count(const struct lab_row *rows, const struct lab_size *sizes)
{
    size_t sum = 0;
    for (const struct lab_row *row = rows; row->name != NULL; row++) {
        size_t count = lab_row_count(row, sizes);
        sum = sum > SIZE_MAX - count ? SIZE_MAX : sum + count;
    }
    return sum;
}

float **lab_row_pointer(void *tensors, const struct lab_row *row)
{
    return (float **)(void *)((char *)tensors + row->pointer);
}

void lab_rows_lay_out(void *tensors, const struct lab_row *rows,
                      const struct lab_size *sizes, float *memory)
{
    for (const struct lab_row *row = rows; row->name != NULL; row++) {
        size_t count = lab_row_count(row, sizes);
        *lab_row_pointer(tensors, row) = count > 0 ? memory : NULL;
        memory += count;
    }
}

void *lab_take(struct lab_arena *pieces, size_t count, size_t size)
{
    const size_t room = SIZE_MAX - LAB_ALIGNMENT - pieces->used;
    if (pieces->overflow || count > room / size) {
        pieces->overflow = true;
        return NULL;
    }
    void *piece = pieces->memory == NULL ? NULL : pieces->memory + pieces->used;
    pieces->used += (count * size + LAB_ALIGNMENT - 1) / LAB_ALIGNMENT * LAB_ALIGNMENT;
    return piece;
}
