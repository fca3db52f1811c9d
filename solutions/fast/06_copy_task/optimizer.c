// optimizer.c - one step of the optimizer, made fast.
//
//   grad ─> clip_grad_norm ─> adam_step ─> param
//                                 ^
//              learning_rate ─────┘
//
// All parameters are in one array (common/model.h), so this file knows nothing about layers.
//
// Read solutions/06_copy_task/optimizer.c first: it is the plain form of the same mathematics.
// This file is faster for three reasons (the table below says what each is worth):
//
//   1. constants first     Everything that is the same for all parameters is computed once, in
//                          double. The loop needs only one root and one division per parameter.
//   2. float, as vectors   With float constants the loop is in float, and LAB_WIDE
//                          (fast/common/vector_math.h) compiles it for 4, 8 or 16 parameters at once.
//   3. eight sums          A compiler must add in the order written. sum_of_squares keeps eight
//                          sums side by side, still in double.
//
// BEGIN MEASURED: build/bench/ladder 06_copy_task/optimizer.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// adam_step, step=3, N=13610
//     plain: all in double                                         46.1 us   1.00
//     1  constants first                                           36.4 us   1.27
//     2  float, as vectors (this file)                              6.3 us   7.34
//
// clip_grad_norm, N=13610
//     plain: one sum in double                                      9.1 us   1.00
//     3  eight sums (this file)                                     2.1 us   4.27
// END MEASURED
//
// Start reading at adam_step.

#include "06_copy_task/copy_task.h"

#include <math.h>

#include "fast/common/vector_math.h"

// ---- 6.12  Adam ---------------------------------------------------------------------------

// The constants for all parameters, computed in double and rounded once.
struct factors {
    float beta1, beta2, new1, new2; // new = 1 - beta
    float keep;                     // 1 - lr weight_decay
    float rate;                     // lr / (1 - beta1^step)
    float root;                     // 1 / sqrt(1 - beta2^step)
    float eps;
};

LAB_WIDE static void adam_loop(float *restrict w, float *restrict m, float *restrict v,
                               const float *restrict g, struct factors f, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        m[i] = f.beta1 * m[i] + f.new1 * g[i];
        v[i] = f.beta2 * v[i] + f.new2 * g[i] * g[i];
        w[i] = f.keep * w[i] - f.rate * m[i] / (sqrtf(v[i]) * f.root + f.eps);
    }
}

lab_status adam_step(float *w, float *m, float *v, const float *g,
                     const struct adam *settings, size_t step, size_t N)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    //
    // The moments start at 0 and are too small at first: m by a factor 1 - beta1^step, v by
    // 1 - beta2^step.
    const double m_correction = 1.0 - pow(s->beta1, (double)step);
    const double v_correction = 1.0 - pow(s->beta2, (double)step);
    const struct factors factors = {
        .beta1 = (float)s->beta1,
        .beta2 = (float)s->beta2,
        .new1 = (float)(1.0 - s->beta1),
        .new2 = (float)(1.0 - s->beta2),
        .keep = (float)(1.0 - s->lr * s->weight_decay),
        .rate = (float)(s->lr / m_correction),
        .root = (float)(1.0 / sqrt(v_correction)),
        .eps = (float)s->eps,
    };
    adam_loop(w, m, v, g, factors, N);
    return LAB_OK;
}

// ---- 6.13  clipping -----------------------------------------------------------------------

// The sum of all g[i]^2, as eight sums side by side (fast/common/vector_math.h explains why). In
// double, the square of a float is exact and cannot overflow.
LAB_WIDE static double sum_of_squares(const float *g, size_t N)
{
    double lane[LAB_LANES] = {0}, sum = 0.0;
    size_t i = 0;
    for (; i + LAB_LANES <= N; i += LAB_LANES) {
        for (size_t j = 0; j < LAB_LANES; j++) {
            lane[j] += (double)g[i + j] * g[i + j];
        }
    }
    for (; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    for (size_t j = 0; j < LAB_LANES; j++) {
        sum += lane[j];
    }
    return sum;
}

lab_status clip_grad_norm(float *norm, float *g, float max_norm, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (!(max_norm > 0.0f)) {
        return LAB_EVALUE;
    }
    const float length = (float)sqrt(sum_of_squares(g, N));
    const float factor = max_norm / (length + 1e-6f);
    for (size_t i = 0; i < N && factor < 1.0f; i++) {
        g[i] *= factor;
    }
    *norm = length;
    return LAB_OK;
}

// ---- 6.13  the schedule -------------------------------------------------------------------

lab_status learning_rate(float *lr, size_t step, size_t warmup, size_t total, float peak,
                         float floor)
{
    if (step == 0 || total == 0 || warmup > total) {
        return LAB_EVALUE;
    }
    const double pi = 3.14159265358979323846;
    if (step <= warmup) {
        *lr = (float)(peak * ((double)step / (double)warmup));
    } else if (step <= total) {
        const double p = (double)(step - warmup) / (double)(total - warmup);
        *lr = (float)(floor + ((double)peak - floor) * 0.5 * (1.0 + cos(pi * p)));
    } else {
        *lr = floor;
    }
    return LAB_OK;
}
