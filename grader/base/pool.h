// pool.h - runs independent tasks in parallel.

#ifndef GRADER_POOL_H
#define GRADER_POOL_H

#include <stddef.h>

enum { MOST_THREADS = 16 };

// Calls task(context, 0) to task(context, count - 1) in any order, at most jobs at a time
// (0: one per processor). Returns when all are done.
void for_each(size_t jobs, size_t count, void (*task)(void *context, size_t i),
              void *context);

// The same, except that the calling thread takes tasks from the end.
void for_each_from_both_ends(size_t jobs, size_t count,
                             void (*task)(void *context, size_t i), void *context);

#endif
