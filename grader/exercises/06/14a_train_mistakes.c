// 14a_train_mistakes.c - exercise 6.14: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/06/14_train.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"

#include <math.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

// The arguments of train, for declarations and for calls.
#define TRAIN_ARGUMENTS                                                                  \
    float *losses, struct model *model, const size_t *data, enum task task, size_t R,    \
        const struct training *settings, size_t steps
#define TRAIN_VALUES losses, model, data, task, R, settings, steps

enum train_fault {
    TRAIN_RIGHT,
    TRAIN_NOT_ZEROED,
    TRAIN_ZEROED_LATE,
    TRAIN_SAME_BATCH,
    TRAIN_BATCH_BY_ROW,
    TRAIN_NEXT_BATCH,
    TRAIN_LOCAL_STEP,
    TRAIN_NOT_COUNTED,
    TRAIN_ADAM_STEP_1,
    TRAIN_NO_CLIP,
    TRAIN_NO_SCHEDULE,
    TRAIN_SCHEDULE_LATE,
    TRAIN_NO_DECAY,
    TRAIN_NO_DROPOUT,
    TRAIN_NEW_UNIFORMS,
    TRAIN_ALWAYS_COPY,
    TRAIN_LOSS_AFTER,
    TRAIN_MEAN_LOSS,
    TRAIN_GOES_ON,
    TRAIN_STOPS_LATE,
    TRAIN_STOPS_QUIETLY,
    TRAIN_NAN_ONLY,
    TRAIN_ZEROED_ONCE,
    TRAIN_ZEROED_AFTER,
    TRAIN_LOCAL_BATCH,
    TRAIN_LOCAL_NUMBER,
    TRAIN_LOCAL_ADAM,
    TRAIN_ADAM_PLUS_1,
    TRAIN_ADAM_UNCHECKED,
    TRAIN_TOTAL_IS_STEPS,
    TRAIN_IN_DOUBLE, // right
};

// Step k of train. It is step i of this call, counted from 0.
static lab_status step_with(enum train_fault fault, float *loss, struct model *model,
                            const struct training *settings, size_t k, size_t i)
{
    const bool first = i == 0;
    const struct model_shape *s = &model->shape;
    const float *uniforms = fault == TRAIN_NO_DROPOUT ? NULL : model_draw_uniforms(model);
    const bool in_double = fault == TRAIN_IN_DOUBLE;
    must((in_double ? model_forward_in_double
                    : model_forward)(loss, &model->activations, &model->params,
                                     model->inputs, model->targets, uniforms, s));
    const bool stop = fault == TRAIN_NAN_ONLY ? isnan(*loss) : !isfinite(*loss);
    if (stop && fault != TRAIN_GOES_ON && fault != TRAIN_STOPS_LATE) {
        return LAB_EVALUE;
    }
    const bool zeroes = fault == TRAIN_ZEROED_ONCE
                            ? first
                            : fault != TRAIN_ZEROED_LATE && fault != TRAIN_ZEROED_AFTER &&
                                  fault != TRAIN_NOT_ZEROED;
    if (zeroes) {
        memset(model->grad, 0, model->P * sizeof(float));
    }
    if (fault == TRAIN_NEW_UNIFORMS) {
        uniforms = model_draw_uniforms(model);
    }
    must((in_double ? model_backward_in_double : model_backward)(
        &model->grads, &model->gradients, &model->activations, &model->params,
        model->inputs, model->targets, uniforms, s));
    if (fault == TRAIN_ZEROED_LATE) {
        memset(model->grad, 0, model->P * sizeof(float));
    }
    if (settings->max_norm > 0.0f && fault != TRAIN_NO_CLIP) {
        float norm;
        must(clip_grad_norm(&norm, model->grad, settings->max_norm, model->P));
    }
    struct adam adam = settings->adam;
    if (settings->total > 0 && fault != TRAIN_NO_SCHEDULE) {
        float lr;
        LAB_TRY(learning_rate(&lr, fault == TRAIN_SCHEDULE_LATE && k > 1 ? k - 1 : k,
                              settings->warmup, settings->total, (float)settings->adam.lr,
                              settings->floor));
        adam.lr = fault == TRAIN_SCHEDULE_LATE && k == 1 ? 0.0f : lr;
    }
    if (fault == TRAIN_NO_DECAY) {
        adam.weight_decay = 0.0;
    }
    const lab_status status =
        adam_step(model->param, model->m, model->v, model->grad, &adam,
                  fault == TRAIN_ADAM_STEP_1   ? 1
                  : fault == TRAIN_ADAM_PLUS_1 ? k + 1
                  : fault == TRAIN_LOCAL_ADAM  ? i + 1
                                               : k,
                  model->P);
    if (fault != TRAIN_ADAM_UNCHECKED) {
        LAB_TRY(status);
    }
    if (fault == TRAIN_ZEROED_AFTER) {
        memset(model->grad, 0, model->P * sizeof(float));
    }
    if (fault == TRAIN_LOSS_AFTER) {
        must(model_forward(loss, &model->activations, &model->params, model->inputs,
                           model->targets, uniforms, s));
    }
    return stop && fault == TRAIN_STOPS_LATE ? LAB_EVALUE : LAB_OK;
}

static lab_status train_with(enum train_fault fault, TRAIN_ARGUMENTS)
{
    const struct model_shape *s = &model->shape;
    lab_status status = model_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    if (steps == 0 || R < s->B) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(data, R * s->T, s->V)) {
        return LAB_EVALUE;
    }
    struct training own = *settings;
    own.total = fault == TRAIN_TOTAL_IS_STEPS && own.total > 0 ? steps : own.total;
    float sum = 0.0f, loss = 0.0f;
    for (size_t i = 0; i < steps && status == LAB_OK; i++) {
        const size_t model_step = fault == TRAIN_LOCAL_STEP ? i : model->step;
        const size_t done = fault == TRAIN_LOCAL_BATCH ? i : model_step;
        const size_t count = R / s->B;
        const size_t row = fault == TRAIN_SAME_BATCH     ? 0
                           : fault == TRAIN_BATCH_BY_ROW ? done % (R - s->B + 1)
                           : fault == TRAIN_NEXT_BATCH   ? (done + 1) % count * s->B
                                                         : done % count * s->B;
        LAB_TRY(make_copy_batch(model->inputs, model->targets, data, row,
                                fault == TRAIN_ALWAYS_COPY ? TASK_COPY : task, R, s->B,
                                s->T, s->V));
        const size_t k = fault == TRAIN_LOCAL_NUMBER ? i + 1 : model_step + 1;
        status = step_with(fault, &loss, model, &own, k, i);
        sum += loss;
        losses[i] = fault == TRAIN_MEAN_LOSS ? sum / (float)(i + 1) : loss;
        model->step += status == LAB_OK && fault != TRAIN_NOT_COUNTED;
    }
    return !isfinite(loss) && fault == TRAIN_STOPS_QUIETLY ? LAB_OK : status;
}

#define TRAIN(name, fault)                                                               \
    static lab_status name(TRAIN_ARGUMENTS)                                              \
    {                                                                                    \
        return train_with(fault, TRAIN_VALUES);                                          \
    }

TRAIN(train_not_zeroed, TRAIN_NOT_ZEROED)
TRAIN(train_zeroed_late, TRAIN_ZEROED_LATE)
TRAIN(train_same_batch, TRAIN_SAME_BATCH)
TRAIN(train_batch_by_row, TRAIN_BATCH_BY_ROW)
TRAIN(train_next_batch, TRAIN_NEXT_BATCH)
TRAIN(train_local_step, TRAIN_LOCAL_STEP)
TRAIN(train_not_counted, TRAIN_NOT_COUNTED)
TRAIN(train_adam_step_1, TRAIN_ADAM_STEP_1)
TRAIN(train_no_clip, TRAIN_NO_CLIP)
TRAIN(train_no_schedule, TRAIN_NO_SCHEDULE)
TRAIN(train_schedule_late, TRAIN_SCHEDULE_LATE)
TRAIN(train_no_decay, TRAIN_NO_DECAY)
TRAIN(train_no_dropout, TRAIN_NO_DROPOUT)
TRAIN(train_new_uniforms, TRAIN_NEW_UNIFORMS)
TRAIN(train_always_copy, TRAIN_ALWAYS_COPY)
TRAIN(train_loss_after, TRAIN_LOSS_AFTER)
TRAIN(train_mean_loss, TRAIN_MEAN_LOSS)
TRAIN(train_goes_on, TRAIN_GOES_ON)
TRAIN(train_stops_late, TRAIN_STOPS_LATE)
TRAIN(train_stops_quietly, TRAIN_STOPS_QUIETLY)
TRAIN(train_nan_only, TRAIN_NAN_ONLY)
TRAIN(train_zeroed_once, TRAIN_ZEROED_ONCE)
TRAIN(train_zeroed_after, TRAIN_ZEROED_AFTER)
TRAIN(train_local_batch, TRAIN_LOCAL_BATCH)
TRAIN(train_local_number, TRAIN_LOCAL_NUMBER)
TRAIN(train_local_adam, TRAIN_LOCAL_ADAM)
TRAIN(train_adam_plus_1, TRAIN_ADAM_PLUS_1)
TRAIN(train_adam_unchecked, TRAIN_ADAM_UNCHECKED)
TRAIN(train_total_is_steps, TRAIN_TOTAL_IS_STEPS)
TRAIN(train_by_steps, TRAIN_RIGHT)
TRAIN(train_in_double, TRAIN_IN_DOUBLE)

const struct mistake train_mistakes[] = {
    {
        .id = "not-zeroed",
        .what = "the gradients are never set to 0",
        .why =
            "model_backward adds. Without zeroing, each step also uses the gradients of "
            "all earlier steps: memset(model->grad, 0, ...) before model_backward.",
        .source =
            "karpathy/llm.c#548, tenstorrent/tt-blacksmith#711, pytorch/pytorch#47175",
        .function = LIKE(train, train_not_zeroed),
    },
    {
        .id = "zeroed-once",
        .what = "the gradients are set to 0 once in a call, not at every step",
        .why = "model_backward adds. Each step also uses the gradients of earlier steps: "
               "memset(model->grad, 0, ...) inside the loop, before model_backward.",
        .source =
            "karpathy/llm.c#548, tenstorrent/tt-blacksmith#711, pytorch/pytorch#47175",
        .function = LIKE(train, train_zeroed_once),
    },
    {
        .id = "zeroed-after-the-step",
        .what = "the gradients are set to 0 after each step, not before it",
        .why = "The first step then adds to the gradients that the model had when train "
               "was called, for example after a gradient check. Set them to 0 before "
               "model_backward.",
        .function = LIKE(train, train_zeroed_after),
    },
    {
        .id = "zeroed-before-the-step",
        .what = "the gradients are set to 0 between model_backward and adam_step",
        .why = "Adam then sees only zeros and no parameter moves. Set the gradients to 0 "
               "before model_backward.",
        .source = "lucidrains/byol-pytorch#93",
        .function = LIKE(train, train_zeroed_late),
    },
    {
        .id = "same-batch",
        .what = "every step trains on the first batch",
        .why = "Step k takes batch (k - 1) mod (R / B), rows from (k - 1) mod (R / B) * "
               "B on.",
        .function = LIKE(train, train_same_batch),
    },
    {
        .id = "batch-by-row",
        .what = "the batch advances by one row at a time",
        .why = "Batches do not overlap: batch i begins at row i * B.",
        .function = LIKE(train, train_batch_by_row),
    },
    {
        .id = "next-batch",
        .what = "the batches are one step ahead: step 1 takes batch 1",
        .why = "Steps count from 1 and batches from 0: step k takes batch (k - 1) mod "
               "(R / B).",
        .function = LIKE(train, train_next_batch),
    },
    {
        .id = "starts-anew",
        .what = "a second call counts from step 1 again",
        .why =
            "model->step is the number of steps so far: the batch, Adam's correction and "
            "the schedule continue from there.",
        .function = LIKE(train, train_local_step),
    },
    {
        .id = "batch-starts-anew",
        .what = "a second call starts with batch 0 again",
        .why =
            "The batch is (k - 1) mod (R / B), and k continues from the last call: k - 1 "
            "is model->step, not the loop's i.",
        .function = LIKE(train, train_local_batch),
    },
    {
        .id = "number-starts-anew",
        .what = "in a second call Adam and the schedule start at step 1 again",
        .why = "k is model->step + 1, not the loop's i + 1: adam_step and learning_rate "
               "continue from the last call.",
        .function = LIKE(train, train_local_number),
    },
    {
        .id = "adam-starts-anew",
        .what = "in a second call adam_step gets 1 again",
        .why =
            "The bias correction continues: pass model->step + 1, not the loop's i + 1.",
        .function = LIKE(train, train_local_adam),
    },
    {
        .id = "adam-one-ahead",
        .what = "adam_step gets k + 1",
        .why = "Step k has number k for Adam, and the first step is 1. Did you increment "
               "model->step too early?",
        .function = LIKE(train, train_adam_plus_1),
    },
    {
        .id = "adam-not-checked",
        .what = "the status of adam_step is ignored",
        .why =
            "If adam_step rejects its settings, no parameter changes. Return its status: "
            "LAB_TRY(adam_step(...)).",
        .function = LIKE(train, train_adam_unchecked),
    },
    {
        .id = "step-not-counted",
        .what = "model->step does not change",
        .why =
            "After step k, model->step is k; the next step's batch, correction and rate "
            "depend on it.",
        .function = LIKE(train, train_not_counted),
    },
    {
        .id = "adam-always-step-1",
        .what = "adam_step always gets step 1",
        .why = "The bias correction must fade: pass the number of the step.",
        .function = LIKE(train, train_adam_step_1),
    },
    {
        .id = "no-clipping",
        .what = "the gradient is not clipped",
        .why =
            "When settings->max_norm is above 0: clip_grad_norm between model_backward "
            "and adam_step.",
        .source = "NVIDIA/OpenSeq2Seq#192",
        .function = LIKE(train, train_no_clip),
    },
    {
        .id = "no-schedule",
        .what = "the learning rate is always that of settings->adam",
        .why = "When settings->total is above 0 the rate of step k is learning_rate(k), "
               "with adam.lr as the peak: store this rate in a copy of settings->adam.",
        .function = LIKE(train, train_no_schedule),
    },
    {
        .id = "schedule-one-late",
        .what = "the schedule is one step late: step k gets the rate of step k - 1",
        .why = "Steps count from 1, also in learning_rate.",
        .source = "meta-pytorch/torchtune#2010",
        .function = LIKE(train, train_schedule_late),
    },
    {
        .id = "no-decay",
        .what = "there is no weight decay",
        .why = "Pass all of settings->adam to adam_step, not only its learning rate.",
        .function = LIKE(train, train_no_decay),
    },
    {
        .id = "no-dropout",
        .what = "there is no dropout",
        .why = "Pass the pointer that model_draw_uniforms returns to model_forward and "
               "to model_backward.",
        .function = LIKE(train, train_no_dropout),
    },
    {
        .id = "uniforms-drawn-twice",
        .what = "forward and backward use different uniforms",
        .why =
            "The backward pass must drop the same numbers as the forward pass: draw once "
            "in each step and use the pointer twice.",
        .function = LIKE(train, train_new_uniforms),
    },
    {
        .id = "always-copy",
        .what = "the model is trained to copy, whatever the task",
        .why = "Pass task on to make_copy_batch.",
        .function = LIKE(train, train_always_copy),
    },
    {
        .id = "loss-after-update",
        .what = "the losses are computed after each update",
        .why = "losses[i] is the loss before the update.",
        .function = LIKE(train, train_loss_after),
    },
    {
        .id = "mean-loss",
        .what = "losses contains the mean of all losses so far",
        .why = "losses[i] is only the loss of step i.",
        .function = LIKE(train, train_mean_loss),
    },
    {
        .id = "goes-on",
        .what = "training goes on after a loss that is not finite",
        .why =
            "A NaN in the loss makes every parameter NaN after the update, and the model "
            "is lost. Test with isfinite before model_backward.",
        .function = LIKE(train, train_goes_on),
    },
    {
        .id = "nan-only",
        .what = "training stops at a loss that is NaN, but not at an infinite one",
        .why = "An infinite loss makes infinite or NaN gradients. "
               "isfinite(loss) is false for both.",
        .function = LIKE(train, train_nan_only),
    },
    {
        .id = "stops-too-late",
        .what = "training stops after a loss that is not finite, but the update was made",
        .why = "Parameters, moments and step must stay as before that step: "
               "test before model_backward.",
        .function = LIKE(train, train_stops_late),
    },
    {
        .id = "stops-quietly",
        .what = "training stops after a loss that is not finite and returns LAB_OK",
        .why = "The caller must know: return LAB_EVALUE.",
        .function = LIKE(train, train_stops_quietly),
    },
    {
        .id = "total-is-steps",
        .what = "learning_rate gets the number of steps of this call as its total",
        .why = "The schedule may end in a later call: its length is settings->total.",
        .function = LIKE(train, train_total_is_steps),
    },
    {0},
};

const struct mistake train_alternatives[] = {
    {.id = "by-steps", .function = LIKE(train, train_by_steps)},
    {.id = "in-double", .function = LIKE(train, train_in_double)},
    {0},
};
