// lab02.c - how to call the functions of lab 2, batching. 02/ has a file for each
// exercise; lab01.c explains their order.
//
// Most mistakes here are a right product of matrices with a wrong layout. One function,
// multiply (02/shared.h), makes them all from a struct layout. A mistake must not touch
// memory outside its arguments, so some cases have sizes for which the wrong access stays
// inside; a comment marks them. Large cases (past 64, 256 and 512, with an output of more
// than 65536 numbers) reveal fixed buffers, narrow types and wrong block loops.
//
// Tolerances: the references sum in float, in the order of BLAS, which differs between
// processors. The tolerance covers any order over the longest K here.
//
// Start reading at struct layout in 02/shared.h, then at 02/01_matmul.c.

#include "exercises/exercise.h"

#include "02_batching/batching.h"
#ifdef GPU
#include "02_batching/batching_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(matmul, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(batched_matmul, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR(batched_matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR_CUBLAS(batched_linear, t[0], t[1], t[2], t[3], n[0], n[1], n[2], n[3])
ADAPTOR(batched_softmax, t[0], t[1], n[0], n[1], n[2])
GPU_ADAPTOR_CUBLAS(batched_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7],
                   t[8], t[9], n[0], n[1], n[2])

const struct entry lab_entries[] = {
    ENTRY(matmul),
    ENTRY(matmul_nt),
    GPU_ENTRY(batched_matmul),
    GPU_ENTRY(batched_matmul_nt),
    GPU_ENTRY(batched_linear),
    ENTRY(batched_softmax),
    GPU_ENTRY(batched_attention),
    {0},
};

#ifndef WORKER

const struct lab lab_02 = {"Batching", lab_exercises};

#endif
