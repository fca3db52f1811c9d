// optimizer.c - one step of the optimizer.
//
//   grad ─> clip_grad_norm ─> adam_step ─> param
//                                 ^
//              learning_rate ─────┘
//
// All parameters are in one array (common/model.h), so this file knows nothing about layers.
//
// Start reading at adam_step.

#include "06_copy_task/copy_task.h"

#include <math.h>

// ---- 6.12  Adam ---------------------------------------------------------------------------

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
    // BEGIN SOLUTION 6.12 adam_step: both corrections once, in double; then for each parameter the
    // decay, the moments and the step (about 10 lines)
    //
    // The moments start at 0 and are too small at first: m by a factor 1 - beta1^step, v by
    // 1 - beta2^step.
    const double m_correction = 1.0 - pow(s->beta1, (double)step);
    const double v_correction = 1.0 - pow(s->beta2, (double)step);
    for (size_t i = 0; i < N; i++) {
        w[i] -= (float)(s->lr * s->weight_decay * w[i]);
        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * g[i]);
        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * g[i] * g[i]);
        const double m_hat = m[i] / m_correction, v_hat = v[i] / v_correction;
        w[i] -= (float)(s->lr * m_hat / (sqrt(v_hat) + s->eps));
    }
    return LAB_OK;
    // END SOLUTION 6.12
}

// ---- 6.13  clipping -----------------------------------------------------------------------

lab_status clip_grad_norm(float *norm, float *g, float max_norm, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (!(max_norm > 0.0f)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.13 clip_grad_norm: the norm, summed in double; then multiply every gradient
    // by a factor of at most 1 (about 10 lines)
    double squares = 0.0; // in float the square of 1e20 would be infinite
    for (size_t i = 0; i < N; i++) {
        squares += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(squares);
    const float factor = max_norm / (*norm + 1e-6f);
    for (size_t i = 0; i < N && factor < 1.0f; i++) {
        g[i] *= factor;
    }
    return LAB_OK;
    // END SOLUTION 6.13
}

// ---- 6.13  the schedule -------------------------------------------------------------------

lab_status learning_rate(float *lr, size_t step, size_t warmup, size_t total, float peak,
                         float floor)
{
    if (step == 0 || total == 0 || warmup > total) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.13 learning_rate: three ranges of step (about 10 lines)
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
    // END SOLUTION 6.13
}
