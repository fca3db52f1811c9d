// 06_loss.c - the steps to solutions/fast/06_copy_task/loss.c.

#include <math.h>

#include "06_copy_task/copy_task.h"
#include "bench/ladder/ladder.h"
#include "common/rng.h"
#include "fast/common/vector_math.h"

static void draw_targets(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_dim(test, "V");
    for (size_t n = 0; n < case_count(test, "targets"); n++) {
        case_size(test, "targets")[n] = lab_rng_next32(rng) % V;
    }
}

LAB_WIDE static float exponentials(float *restrict x, const float *restrict logits,
                                   float max, size_t V)
{
    float sum = 0.0f;
    for (size_t i = 0; i < V; i++) {
        x[i] = lab_exp(logits[i] - max);
    }
    for (size_t i = 0; i < V; i++) {
        sum += x[i];
    }
    return sum;
}

static lab_status row_by_row(float *loss, float *probabilities, const float *logits,
                             const size_t *targets, size_t N, size_t V)
{
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        float *probabilities_n = probabilities + n * V, max = logits_n[0];
        for (size_t i = 1; i < V; i++) {
            max = logits_n[i] > max ? logits_n[i] : max;
        }
        const float sum = exponentials(probabilities_n, logits_n, max, V);
        for (size_t i = 0; i < V; i++) {
            probabilities_n[i] /= sum;
        }
        total += log(sum) - (logits_n[targets[n]] - max);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

const struct ladder ladders_loss[] = {
    {"cross_entropy",
     6,
     {.dims = "N=256 V=10", .fill = draw_targets},
     {{"plain: expf, a call for each number", NULL},
      {"1  lab_exp, one row at a time", LIKE(cross_entropy, row_by_row)},
      {"2  one long loop (this file)", LIKE(cross_entropy, cross_entropy)}}},
    {0},
};
