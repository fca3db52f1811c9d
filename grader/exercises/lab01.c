// lab01.c - how to call the functions of lab 1. This file is compiled for both sides; what
// is asked of each function is the judge's alone and lies in 01/, a file for each exercise,
// the model for every other lab: the cases to draw, the tolerance, the hints, and the known
// mistakes as functions that make them. Inside an exercise the order is always
//
//     fills and properties    what the cases need beyond unit normals
//     mistakes                wrong on purpose; each must differ from every other
//     alternatives            other right ways, which must pass with ease
//     part, exercise          the tables the judge reads
//
// and what several exercises need lies in 01/shared.h.
//
// Cases are ordered from shapes a person can check by hand to shapes that tell all sizes
// apart, and on to sizes past 64, 256 and 512 (an output of more than 65536 numbers among
// them), where fixed buffers, narrow counters and the main loop of an unrolled one come to
// light. A mistake never touches memory outside its arguments, so the sizes of some cases
// are chosen such that the wrong reading stays inside; a comment says where.
//
// Tolerances: the references round once, so what is allowed covers a sum of floats in any
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
