// lab03.c - how to call the functions of lab 3, the causal mask. 03/ has a file for each
// exercise, with its cases, mistakes, other right solutions, and the tables the judge
// reads.
//
// Large cases (past 64, 256 and 512, with an output of more than 65536 numbers) reveal
// fixed buffers, narrow types and windows. Start reading at 03/01_causal_mask.c.

#include "exercises/exercise.h"

#include "03_causal_mask/causal.h"
#ifdef GPU
#include "03_causal_mask/causal_gpu.h"
#endif

GPU_ADAPTOR(causal_mask, t[0], n[0], n[1])
ADAPTOR(masked_fill, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR(masked_softmax, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR_CUBLAS(causal_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8],
                   t[9], t[10], n[0], n[1], n[2])
ADAPTOR(padding_mask, t[0], t[1], n[0], n[1])
ADAPTOR(combine_masks, t[0], t[1], t[2], n[0], n[1], n[2])

const struct entry lab_entries[] = {
    GPU_ENTRY(causal_mask),
    ENTRY(masked_fill),
    GPU_ENTRY(masked_softmax),
    GPU_ENTRY(causal_attention),
    ENTRY(padding_mask),
    ENTRY(combine_masks),
    {0},
};

#ifndef WORKER

const struct lab lab_03 = {
    .title = "Causal mask",
    .exercises = lab_exercises,
};

#endif
