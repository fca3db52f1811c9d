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
    // TODO 6.12: both corrections once, in double; then for each parameter the decay, the
    // moments and the step (about 10 lines)
    return lab_todo(w, m, v, g, settings, step, N);
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
    // TODO 6.13: the norm, summed in double; then multiply every gradient by a factor of
    // at most 1 (about 10 lines)
    return lab_todo(norm, g, max_norm, N);
}

// ---- 6.13  the schedule -------------------------------------------------------------------

lab_status learning_rate(float *lr, size_t step, size_t warmup, size_t total, float peak,
                         float floor)
{
    if (step == 0 || total == 0 || warmup > total) {
        return LAB_EVALUE;
    }
    // TODO 6.13: three ranges of step (about 10 lines)
    return lab_todo(lr, step, warmup, total, peak, floor);
}
