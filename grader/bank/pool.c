// pool.c - see pool.h.

#include "bank/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t hash_of(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

// The slot of an equal run, or a free slot for a new one.
static struct run_of_numbers *find(const struct pool *pool, uint64_t hash,
                                   const void *numbers, size_t count)
{
    for (size_t i = hash % pool->runs_room;; i = (i + 1) % pool->runs_room) {
        struct run_of_numbers *run = &pool->runs[i];
        bool equal = run->hash == hash && run->count == count &&
                     memcmp(pool->numbers + run->at * pool->element_size, numbers,
                            count * pool->element_size) == 0;
        if (run->count == 0 || equal) {
            return run;
        }
    }
}

static void grow_runs(struct pool *pool)
{
    struct pool old = *pool;
    pool->runs_room = old.runs_room > 0 ? 2 * old.runs_room : 1024;
    pool->runs = grader_alloc(pool->runs_room * sizeof *pool->runs);
    for (size_t i = 0; i < old.runs_room; i++) {
        const struct run_of_numbers *run = &old.runs[i];
        if (run->count > 0) {
            *find(pool, run->hash, pool->numbers + run->at * pool->element_size,
                  run->count) = *run;
        }
    }
    free(old.runs);
}

int64_t pool_add(struct pool *pool, const void *numbers, size_t count)
{
    if (count == 0) {
        return 0;
    }
    if (2 * (pool->runs_count + 1) > pool->runs_room) {
        grow_runs(pool);
    }
    uint64_t hash = hash_of(numbers, count * pool->element_size);
    struct run_of_numbers *run = find(pool, hash, numbers, count);
    if (run->count > 0) {
        return (int64_t)run->at;
    }
    if (pool->count + count > pool->room) {
        pool->room = 2 * (pool->count + count);
        pool->numbers = grader_resize(pool->numbers, pool->room * pool->element_size);
    }
    *run = (struct run_of_numbers){hash, pool->count, count};
    memcpy(pool->numbers + pool->count * pool->element_size, numbers,
           count * pool->element_size);
    pool->count += count;
    pool->runs_count++;
    return (int64_t)run->at;
}

void pool_free(struct pool *pool)
{
    free(pool->numbers);
    free(pool->runs);
}
