// lab07.c - how to call the functions of lab 7, positional encoding. 07/ has a file for
// each exercise; lab01.c explains their order. Start reading at
// 07/01_sinusoidal_encoding.c.

#include "exercises/exercise.h"

#include "07_positional_encoding/positions.h"
#ifdef GPU
#include "07_positional_encoding/positions_gpu.h"
#endif

GPU_ADAPTOR(sinusoidal_encoding, t[0], n[0], n[1])
ADAPTOR(add_positions, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR(rope, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
ADAPTOR(alibi_bias, t[0], n[0], n[1], n[2])
ADAPTOR(attention_without_projections, t[0], t[1], t[2], t[3], n[0], n[1])

const struct entry lab_entries[] = {
    GPU_ENTRY(sinusoidal_encoding),
    ENTRY(add_positions),
    GPU_ENTRY(rope),
    ENTRY(alibi_bias),
    ENTRY(attention_without_projections),
    {0},
};

#ifndef WORKER

const struct lab lab_07 = {
    .title = "Positional encoding",
    .exercises = lab_exercises,
};

#endif
