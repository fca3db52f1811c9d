// pool.h - doing several independent things at once.

#ifndef GRADER_POOL_H
#define GRADER_POOL_H

#include <stddef.h>

enum { MOST_THREADS = 16 };

// Calls task(context, 0) to task(context, count - 1), at most jobs at a time (0: one per
// processor), in any order; returns when all are done.
void for_each(size_t jobs, size_t count, void (*task)(void *context, size_t i),
              void *context);

// The same, and the thread that calls this takes from the end.
void for_each_from_both_ends(size_t jobs, size_t count,
                             void (*task)(void *context, size_t i), void *context);

#endif
