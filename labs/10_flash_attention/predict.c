// predict.c - the values that this lab's questions ask for (make ask LAB=10). Reading this before
// you predict spoils the question, but the values are not here: your own files compute them.

#include <math.h>

#include "10_flash_attention/flash_attention.h"
#include "common/predict.h"
#include "common/rng.h"

static lab_status merged_sum(double *value)
{
    float max = 0, sum = 1, weighted = 0;
    const float max_b = logf(4), sum_b = 3, weighted_b = 0;
    LAB_TRY(
        online_softmax_merge(&max, &sum, &weighted, &max_b, &sum_b, &weighted_b, 1, 1));
    *value = (double)sum;
    return LAB_OK;
}

static lab_status merged_with_nothing(double *value)
{
    float max = 2, sum = 5, weighted = 7;
    const float max_b = -INFINITY, sum_b = 0, weighted_b = 0;
    LAB_TRY(
        online_softmax_merge(&max, &sum, &weighted, &max_b, &sum_b, &weighted_b, 1, 1));
    *value = (double)sum;
    return LAB_OK;
}

enum { T = 256, HS = 4, TILE = 64 };

static lab_status visited_tiles(double *value)
{
    static float q[T * HS], out[T * HS], logsumexp[T];
    static float scores[TILE * TILE], rows[4][TILE], weighted[2][TILE * HS];
    const struct flash_buffers z = {scores,  rows[0], rows[1],    weighted[0],
                                    rows[2], rows[3], weighted[1]};
    size_t visited;
    LAB_TRY(flash_attention_causal(out, logsumexp, &visited, &z, q, q, q, 1, 1, T, T, HS,
                                   TILE, TILE));
    *value = (double)visited;
    return LAB_OK;
}

static lab_status logsumexp_of_zeros(double *value)
{
    const float q[1] = {0}, k[4] = {1, 2, 3, 4}, v[4] = {0};
    float out[1], logsumexp[1], scores[2], rows[6];
    const struct flash_buffers z = {scores,   rows,     rows + 1, rows + 2,
                                    rows + 3, rows + 4, rows + 5};
    LAB_TRY(flash_attention(out, logsumexp, &z, q, k, v, false, 1, 1, 1, 4, 1, 1, 2));
    *value = (double)logsumexp[0];
    return LAB_OK;
}

static lab_status combined_output(double *value)
{
    const float part_out[2] = {0, 4}, part_logsumexp[2] = {0, logf(3)};
    float out[1], logsumexp[1];
    LAB_TRY(combine_partials(out, logsumexp, part_out, part_logsumexp, 1, 2, 1));
    *value = (double)out[0];
    return LAB_OK;
}

static lab_status rows_of_a_tile(double *value)
{
    size_t Br, Bc;
    LAB_TRY(flash_tile_sizes(&Br, &Bc, 65536, 64));
    *value = (double)Br;
    return LAB_OK;
}

// How many times the traffic of standard attention grows when T = S doubles, and that of the
// tiled form when the fast memory doubles.
static lab_status traffic_of_twice_the_length(double *value)
{
    size_t standard, longer, tiled;
    LAB_TRY(memory_traffic(&standard, &tiled, 8192, 8192, 64, 65536));
    LAB_TRY(memory_traffic(&longer, &tiled, 16384, 16384, 64, 65536));
    *value = (double)longer / (double)standard;
    return LAB_OK;
}

static lab_status traffic_of_twice_the_fast_memory(double *value)
{
    size_t standard, tiled, less;
    LAB_TRY(memory_traffic(&standard, &tiled, 16384, 16384, 64, 65536));
    LAB_TRY(memory_traffic(&standard, &less, 16384, 16384, 64, 131072));
    *value = (double)less / (double)tiled;
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(merged_sum),
    PREDICT(merged_with_nothing),
    PREDICT(visited_tiles),
    PREDICT(logsumexp_of_zeros),
    PREDICT(combined_output),
    PREDICT(rows_of_a_tile),
    PREDICT(traffic_of_twice_the_length),
    PREDICT(traffic_of_twice_the_fast_memory),
    {NULL, NULL},
};
