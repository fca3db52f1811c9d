// 06_optimizer.c - the steps to solutions/fast/06_copy_task/optimizer.c.

#include <math.h>

#include "06_copy_task/copy_task.h"
#include "bench/ladder/ladder.h"

// The settings of training. Second moments are squares, and first moments have the sign of
// their gradient. Otherwise the two could nearly cancel and leave only rounding.
static void fill_adam(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *m = case_f32(test, "m"), *v = case_f32(test, "v");
    for (size_t i = 0; i < case_count(test, "g"); i++) {
        m[i] = copysignf(m[i], case_f32(test, "g")[i]);
        v[i] *= v[i];
    }
    case_f32(test, "lr")[0] = 1e-3f;
    case_f32(test, "beta1")[0] = 0.9f;
    case_f32(test, "beta2")[0] = 0.999f;
    case_f32(test, "eps")[0] = 1e-8f;
    case_f32(test, "weight_decay")[0] = 0.01f;
}

// Constants of all parameters, computed once; each parameter is still computed in double.
static lab_status constants_first(float *w, float *m, float *v, const float *g,
                                  const struct adam *s, size_t step, size_t N)
{
    const double rate = s->lr / (1.0 - pow(s->beta1, (double)step));
    const double root = 1.0 / sqrt(1.0 - pow(s->beta2, (double)step));
    const double keep = 1.0 - s->lr * s->weight_decay;
    for (size_t i = 0; i < N; i++) {
        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * g[i]);
        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * g[i] * g[i]);
        w[i] = (float)(keep * w[i] - rate * m[i] / (sqrt(v[i]) * root + s->eps));
    }
    return LAB_OK;
}

// A gradient far shorter than the limit, so only its length must be computed.
static void no_clipping(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "max_norm")[0] = 1e6f;
}

const struct ladder ladders_optimizer[] = {
    {"adam_step",
     6,
     {.dims = "step=3 N=13610", .fill = fill_adam},
     {{"plain: all in double", NULL},
      {"1  constants first", LIKE(adam_step, constants_first)},
      {"2  float, as vectors (this file)", LIKE(adam_step, adam_step)}}},
    {"clip_grad_norm",
     6,
     {.dims = "N=13610", .fill = no_clipping},
     {{"plain: one sum in double", NULL},
      {"3  eight sums (this file)", LIKE(clip_grad_norm, clip_grad_norm)}}},
    {0},
};
