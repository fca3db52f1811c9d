// lab01.c - how to call the functions of lab 1. This file is compiled for the judge and
// for the worker. Only the judge has 01/, with a file for each exercise: the cases, the
// tolerance, the hints, and the known mistakes as functions that make them. The other
// labs follow this model. Each exercise has the same order:
//
//     fills and properties    inputs other than unit normals, and laws to check
//     mistakes                wrong on purpose; each must differ from every other
//     alternatives            other right solutions, which must pass easily
//     part, exercise          the tables the judge reads
//
// Code for several exercises is in 01/shared.h.
//
// The first cases have shapes that a person can check by hand. Then all sizes differ, and
// then some exceed 64, 256 and 512 (one output has more than 65536 numbers). Those reveal
// fixed buffers, narrow counters and bugs in unrolled loops. A mistake must not touch
// memory outside its arguments, so some cases have sizes for which the wrong access stays
// inside; a comment marks them.
//
// Tolerances: the references round once. The tolerance covers a sum of floats in any
// order over the longest K here, and is far below half precision (rtol 5e-4).
//
// Start reading at 01/01_matmul.c.

#include "exercises/exercise.h"

#include "01_simple_attention/attention.h"
#include "common/rng.h"
#ifdef GPU
#include "01_simple_attention/attention_gpu.h"
#endif

GPU_ADAPTOR(matmul, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(linear, t[0], t[1], t[2], t[3], n[0], n[1], n[2])
GPU_ADAPTOR(attention_scores, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(softmax_rows, t[0], t[1], n[0], n[1])
GPU_ADAPTOR(weighted_values, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(simple_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9],
        n[0], n[1], n[2])

const struct entry lab_entries[] = {
    GPU_ENTRY(matmul),       GPU_ENTRY(matmul_nt),
    ENTRY(linear),           GPU_ENTRY(attention_scores),
    GPU_ENTRY(softmax_rows), GPU_ENTRY(weighted_values),
    ENTRY(simple_attention), {0},
};

#ifndef WORKER

const struct lab lab_01 = {"Simple attention", lab_exercises};

#endif
