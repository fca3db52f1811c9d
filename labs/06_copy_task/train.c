// train.c - lab 6: the training loop.
//
//   batch ─> forward ─> loss ─> backward ─> clip ─> Adam ─┐
//     ^                                                   │
//     └──────────────────── next step ────────────────────┘
//
// struct model holds everything that one step passes to the next: parameters, moments, the
// number of steps, the random generator of dropout. So training can stop and continue.

#include "06_copy_task/copy_task.h"

#include <math.h>
#include <string.h>

lab_status train(float *losses, struct model *model, const size_t *data, enum task task,
                 size_t R, const struct training *settings, size_t steps)
{
    const struct model_shape *s = &model->shape;
    LAB_TRY(model_shape_check(s));
    if (steps == 0 || R < s->B) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(data, R * s->T, s->V)) {
        return LAB_EVALUE;
    }
    // TODO 6.14: for each step make its batch; forward; stop if the loss is not finite;
    // gradients to 0; backward; clipping; the learning rate; Adam; count the step (about
    // 35 lines, a helper for one step is welcome)
    return lab_todo(losses, model, data, task, R, settings, steps);
}
