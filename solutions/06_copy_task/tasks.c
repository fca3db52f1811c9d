// tasks.c - the tasks that the model learns.
//
// A data set has R random sequences of tokens. A task defines the right answer to a sequence,
// and a batch is B sequences of the set with their answers.
//
//   data (R,T) ── rows first ... first + B - 1 ──> inputs (B,T) ── task ──> targets (B,T)
//
// Start reading at make_targets.

#include "06_copy_task/copy_task.h"

#include <string.h>

// BEGIN SOLUTION 6.1 helper
// y(T) = x(T) in ascending order, by insertion sort, because T is small.
static void sort_tokens(size_t *y, const size_t *x, size_t T)
{
    for (size_t t = 0; t < T; t++) {
        size_t place = t;
        while (place > 0 && y[place - 1] > x[t]) {
            y[place] = y[place - 1];
            place--;
        }
        y[place] = x[t];
    }
}
// END SOLUTION 6.1

lab_status make_targets(size_t *targets, const size_t *inputs, enum task task, size_t B,
                        size_t T, size_t V)
{
    if (B == 0 || T == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if ((unsigned)task >= TASK_COUNT || !tokens_below(inputs, B * T, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.1 make_targets: apply the task's rule to every sequence; a helper that
    // sorts T tokens is welcome (about 30 lines)
    for (size_t b = 0; b < B; b++) {
        const size_t *x = inputs + b * T;
        size_t *y = targets + b * T;
        if (task == TASK_SORT) {
            sort_tokens(y, x, T);
            continue;
        }
        for (size_t t = 0; t < T; t++) {
            if (task == TASK_REVERSE) {
                y[t] = x[T - 1 - t];
            } else if (task == TASK_ADD && t > 0) {
                y[t] = (x[t] + x[t - 1]) % V;
            } else {
                y[t] = x[t];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 6.1
}

lab_status make_copy_batch(size_t *inputs, size_t *targets, const size_t *data,
                           size_t first, enum task task, size_t R, size_t B, size_t T,
                           size_t V)
{
    if (B == 0 || T == 0 || V == 0 || first > R || B > R - first) {
        return LAB_ESHAPE;
    }
    if ((unsigned)task >= TASK_COUNT || !tokens_below(data + first * T, B * T, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.1 make_copy_batch: copy B rows, then make_targets (about 2 lines)
    memcpy(inputs, data + first * T, B * T * sizeof *inputs);
    return make_targets(targets, inputs, task, B, T, V);
    // END SOLUTION 6.1
}
