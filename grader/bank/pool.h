// pool.h - stores numbers of one type, and equal runs only once. For the writer of a bank.

#ifndef GRADER_BANK_POOL_H
#define GRADER_BANK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_of_numbers {
    uint64_t hash;
    size_t at, count;
};

struct pool {
    size_t element_size;
    char *numbers;
    size_t count, room;
    struct run_of_numbers *runs; // a hash table of positions; count 0 is a free slot
    size_t runs_count, runs_room;
};

// Adds count numbers unless the same run is stored already. Returns its position.
int64_t pool_add(struct pool *pool, const void *numbers, size_t count);
void pool_free(struct pool *pool);

#endif
