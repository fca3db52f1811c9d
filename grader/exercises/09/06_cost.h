// 06_cost.h - shared by the files of 9.6: sums of a decoder's sizes, and the tables of mistakes.

#ifndef GRADER_09_06_COST_H
#define GRADER_09_06_COST_H

#include "exercises/exercise.h"

#include "09_generation/generation.h"

// 06a_weights_and_cache.c
extern const struct mistake weights_mistakes[], weights_alternatives[];
extern const struct mistake cache_mistakes[], cache_alternatives[];

// 06b_flops_and_bytes.c
extern const struct mistake flops_mistakes[], flops_alternatives[];
extern const struct mistake bytes_mistakes[], bytes_alternatives[];

static inline bool sizes_fit(const struct decoder_sizes *s)
{
    return s->L > 0 && s->C > 0 && s->NH > 0 && s->NKV > 0 && s->H > 0 && s->V > 0 &&
           s->C % s->NH == 0 && s->NH % s->NKV == 0;
}

// A sum that returns value, an expression of the sizes by their names.
#define COST(more_are_0, value)                                                          \
    if (!sizes_fit(s) || (more_are_0)) {                                                 \
        return LAB_ESHAPE;                                                               \
    }                                                                                    \
    const size_t L = s->L, C = s->C, NH = s->NH, NKV = s->NKV, H = s->H, V = s->V;       \
    const size_t hs = C / NH, matrices = s->gated ? 3 : 2;                               \
    (void)L, (void)NKV, (void)H, (void)V, (void)hs, (void)matrices;                      \
    *result = value;                                                                     \
    return LAB_OK

#define WEIGHTS(name, value)                                                             \
    static lab_status name(size_t *result, const struct decoder_sizes *s)                \
    {                                                                                    \
        COST(false, value);                                                              \
    }
#define CACHE(name, value)                                                               \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t B,      \
                           size_t T, size_t number_bytes)                                \
    {                                                                                    \
        COST(B == 0 || T == 0 || number_bytes == 0, value);                              \
    }
#define FLOPS(name, value)                                                               \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t T)      \
    {                                                                                    \
        COST(T == 0, value);                                                             \
    }
#define STEP_BYTES(name, value)                                                          \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t B,      \
                           size_t T, size_t weight_bytes, size_t number_bytes)           \
    {                                                                                    \
        COST(B == 0 || T == 0 || weight_bytes == 0 || number_bytes == 0, value);         \
    }

#define ALL_WEIGHTS (L * (2 * C * C + 2 * NKV * hs * C + matrices * H * C) + V * C)
#define A_CACHE (2 * L * NKV * hs * T) // in numbers, of one sequence

// What an int and an unsigned int keep of a sum, whichever part of it was one.
#define IN_INT(value) ((size_t)(int32_t)(uint32_t)(value))
#define IN_UNSIGNED(value) ((size_t)(uint32_t)(value))

#define TOO_NARROW                                                                       \
    "Large models have more than 2^32 weights and bytes. Use size_t for every "          \
    "variable, also for intermediate results."

#endif
