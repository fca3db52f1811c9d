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

// BEGIN SOLUTION 6.14 helper
// Step number k, on the batch in model->inputs and model->targets.
static lab_status train_step(float *loss, struct model *model,
                             const struct training *settings, size_t k)
{
    // forward; a loss that is not finite stops training before it can reach the parameters
    const float *uniforms = model_draw_uniforms(model);
    LAB_TRY(model_forward(loss, &model->activations, &model->params, model->inputs,
                          model->targets, uniforms, &model->shape));
    if (!isfinite(*loss)) {
        return LAB_EVALUE;
    }

    // backward; its functions add to the gradients, so start from 0
    memset(model->grad, 0, model->P * sizeof *model->grad);
    LAB_TRY(model_backward(&model->grads, &model->gradients, &model->activations,
                           &model->params, model->inputs, model->targets, uniforms,
                           &model->shape));
    if (settings->max_norm > 0.0f) {
        float norm;
        LAB_TRY(clip_grad_norm(&norm, model->grad, settings->max_norm, model->P));
    }

    // the step
    struct adam adam = settings->adam;
    if (settings->total > 0) {
        float lr;
        LAB_TRY(learning_rate(&lr, k, settings->warmup, settings->total,
                              (float)settings->adam.lr, settings->floor));
        adam.lr = lr;
    }
    return adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
}
// END SOLUTION 6.14

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
    // BEGIN SOLUTION 6.14 train: for each step make its batch; forward; stop if the loss is not
    // finite; gradients to 0; backward; clipping; the learning rate; Adam; count the step
    // (about 35 lines, a helper for one step is welcome)
    for (size_t i = 0; i < steps; i++) {
        const size_t batch = model->step % (R / s->B);
        LAB_TRY(make_copy_batch(model->inputs, model->targets, data, batch * s->B, task,
                                R, s->B, s->T, s->V));
        LAB_TRY(train_step(&losses[i], model, settings, model->step + 1));
        model->step++;
    }
    return LAB_OK;
    // END SOLUTION 6.14
}
