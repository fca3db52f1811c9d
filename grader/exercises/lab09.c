// lab09.c - how to call the functions of lab 9, generation with a cache. What is asked of each
// lies in 09/, a file for each exercise.

#include "exercises/exercise.h"

#include "09_generation/generation.h"
#ifdef GPU
#include "09_generation/generation_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(cache_append, t[0], t[1], t[2], n[0], n[1], n[2], n[3], n[4])
GPU_ADAPTOR(attention_decode, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1], n[2],
            n[3])
GPU_ADAPTOR(grouped_query_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1],
            n[2], n[3], n[4], n[5])
ADAPTOR(ring_append, t[0], t[1], t[2], n[0], n[1], n[2], n[3], n[4])
ADAPTOR(sliding_window_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1],
        n[2], n[3])
GPU_ADAPTOR(quantize_rows, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR(linear_int8, t[0], t[1], t[2], t[3], n[0], n[1], n[2])

const struct entry lab_entries[] = {
    ENTRY(cache_append),
    GPU_ENTRY(attention_decode),
    GPU_ENTRY(grouped_query_attention),
    ENTRY(ring_append),
    ENTRY(sliding_window_attention),
    GPU_ENTRY(quantize_rows),
    GPU_ENTRY(linear_int8),
    {0},
};

#ifndef WORKER

const struct lab lab_09 = {
    .title = "Generation with a KV cache",
    .exercises = lab_exercises,
};

#endif
