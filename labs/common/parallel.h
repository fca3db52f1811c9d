// parallel.h - a few threads that share the items of a loop.
//
//     struct rows { float *y; const float *x; size_t width; };
//     static void double_rows(void *context, size_t first, size_t count) { ... }
//     ...
//     lab_threads_set(2);                               // once, in main
//     lab_parallel(double_rows, &rows, number_of_rows); // returns when all rows are done
//
// A program that sets nothing has one thread: lab_parallel is then a plain call, and no thread is
// ever created. The threads wait for work in a short loop first and then sleep, so that a chain of
// short loops does not pay for waking them each time.
//
// This file and parallel.c are given; you don't edit them.

#ifndef LAB_PARALLEL_H
#define LAB_PARALLEL_H

#include <stddef.h>

enum { LAB_THREADS_MOST = 64 };

// Sets how many threads lab_parallel uses, including the caller's; at first it is 1. Returns the
// number that it will use: fewer if the system refuses to create them. Do not call it while
// lab_parallel runs.
size_t lab_threads_set(size_t threads);
size_t lab_threads(void);

// Divides the items 0 ... count - 1 among calls to work. Each call handles its own items, first ...
// first + count - 1; several calls may run at once, in any order. If work itself calls
// lab_parallel, all items run in that thread.
void lab_parallel(void (*work)(void *context, size_t first, size_t count), void *context,
                  size_t count);

#endif
