// 14_train.c - exercise 6.14, train: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

static void set_size(struct test_case *test, const char *name, size_t value)
{
    case_size(test, name)[0] = value;
}

// Sets PyTorch's initial weights (except that the token rows are far from constant: see
// spread_rows), a data set, and settings under which all results can be compared:
//
// Adam divides a gradient by its own magnitude. Where the true gradient is 0 (the bias of the
// keys cancels in the softmax), only rounding errors are left, and with eps = 1e-8 Adam turns
// them into a full step, which depends on the order of summation. With eps = 1e-3 such a
// parameter stays where it is and little else changes, so that parameters and moments can be
// compared.
static void prepare_train(struct test_case *test, struct lab_rng *rng,
                          enum positions positions)
{
    draw_tokens(test, rng, "data");
    set_size(test, "seed", lab_rng_next32(rng));
    set_size(test, "warmup", 0);
    set_size(test, "total", 0);
    set_size(test, "positions", positions);
    set_all(test, "dropout", 0.0f);
    set_adam(test, 0.02f, 0.0f);
    set_all(test, "eps", 1e-3f);
    set_all(test, "max_norm", 0.0f);
    set_all(test, "floor", 0.0f);

    const struct model_shape shape = {
        .B = case_dim(test, "B"),
        .T = case_dim(test, "T"),
        .T_max = case_dim(test, "T"),
        .V = case_dim(test, "V"),
        .C = case_dim(test, "C"),
        .NH = case_dim(test, "NH"),
        .H = case_dim(test, "H"),
        .L = case_dim(test, "L"),
        .causal = true,
        .positions = positions,
    };
    struct model model;
    if (model_shape_check(&shape) == LAB_OK) {
        must(model_new(&model, &shape));
        must(model_start(&model, rng));
        spread_rows(model.params.token_table, shape.V, shape.C, 1.0f);
        for (size_t i = 0; positions == POSITIONS_LEARNED && i < shape.T * shape.C; i++) {
            model.params.position_table[i] *= 0.5f;
        }
        if (model.P != case_count(test, "start")) {
            abort(); // the case gives the wrong number of parameters
        }
        memcpy(case_f32(test, "start"), model.param, model.P * sizeof(float));
        model_free(&model);
    }
}

static void fill_train_with(struct test_case *test, struct lab_rng *rng,
                            enum positions positions)
{
    prepare_train(test, rng, positions);
    case_absent(test, RETURNED_STATUS);
}

static void fill_train(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_LEARNED);
}

static void fill_train_no_positions(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_NONE);
}

static void fill_train_sinusoidal(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_SINUSOIDAL);
}

static void fill_train_dropout(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_all(test, "dropout", 0.25f);
}

static void fill_train_clipped(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_all(test, "max_norm", 0.02f);
}

static void fill_train_scheduled(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "warmup", 3);
    set_size(test, "total", 7);
    set_all(test, "floor", 0.004f);
    set_all(test, "weight_decay", 0.5f);
}

static void fill_train_falling(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "total", 7);
    set_all(test, "floor", 0.0f);
}

static void fill_train_at_the_floor(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "total", 1);
    set_all(test, "floor", 0.004f);
}

// The settings of the handout. Only the losses are compared, for the reason given above.
static void fill_train_usual(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_adam(test, 1e-3f, 0.0f);
    case_absent(test, "param");
    case_absent(test, "m");
    case_absent(test, "v");
}

// The first step is so long that the second loss is infinite or NaN. (The parameters are not
// compared: they would differ by rounding alone, see above.)
static void fill_train_diverges(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    set_all(test, "lr", 1e30f);
    case_absent(test, "param");
    case_absent(test, "m");
    case_absent(test, "v");
}

// The first loss is infinite, because an output bias is. Nothing may change.
static void fill_train_infinite(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    case_f32(test, "start")[case_count(test, "start") - 1] = INFINITY;
}

// The logit of token 0, which is never a target, is so far above the others that the loss is above the
// largest float: it is infinite, in double too, although every logit is finite.
static void fill_train_infinite_loss(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    const size_t V = case_dim(test, "V");
    float *b_out = case_f32(test, "start") + case_count(test, "start") - V;
    size_t *data = case_size(test, "data");
    for (size_t i = 0; i < case_count(test, "data"); i++) {
        data[i] = data[i] == 0 ? 1 : data[i];
    }
    for (size_t v = 0; v < V; v++) {
        b_out[v] = v == 0 ? 3e38f : -3e38f;
    }
}

// Only the second batch has the last token, whose row is NaN: the model and the moments must stay as the
// first step left them.
static void fill_train_stops_later(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    const size_t V = case_dim(test, "V"), C = case_dim(test, "C");
    size_t *data = case_size(test, "data");
    for (size_t i = 0; i < case_count(test, "data"); i++) {
        data[i] = data[i] == V - 1 ? 0 : data[i];
    }
    data[case_dim(test, "B") * case_dim(test, "T")] = V - 1;
    for (size_t c = 0; c < C; c++) {
        case_f32(test, "start")[(V - 1) * C + c] =
            NAN; // start begins with the token table
    }
}

// The first targets' logits are so far below the others that some losses are above 1e35: a bad model,
// but every number is finite, and training goes on.
static void fill_train_large_loss(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    const size_t V = case_dim(test, "V"), target = case_size(test, "data")[0];
    case_f32(test, "start")[case_count(test, "start") - V + target] = -1e36f;
}

// Neither a schedule nor clipping is asked for.
static void fill_train_plain(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "warmup", 3);
    set_all(test, "floor", 0.004f);
    set_all(test, "max_norm", -1.0f);
}

// adam_step and learning_rate refuse these settings.
static void fill_train_beta1_of_1(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_all(test, "beta1", 1.0f);
}

static void fill_train_long_warmup(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "warmup", 9);
    set_size(test, "total", 5);
}

static void fill_train_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    last_token_too_large(test, "data");
}

// clang-format off
#define SMALLEST  "B=1 T=2 V=3 C=4 NH=1 H=3 L=1 P=162"
#define SMALL "B=2 T=3 V=5 C=4 NH=2 H=6 L=1 P=211"
#define SMALL_WITHOUT "B=2 T=3 V=5 C=4 NH=2 H=6 L=1 P=199" // a position table
#define DEEP  "B=3 T=4 V=7 C=6 NH=3 H=8 L=2 P=719"
#define DEEP_WITHOUT "B=3 T=4 V=7 C=6 NH=3 H=8 L=2 P=695"
// clang-format on

static const struct case_spec train_cases[] = {
    {.dims = SMALLEST " R=1 steps=1 first=0 task=0",
     .fill = fill_train,
     .note = "one step"},
    {.dims = SMALLEST " R=1 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "three steps on one batch"},
    {.dims = SMALL " R=7 steps=5 first=0 task=0",
     .fill = fill_train,
     .note = "three batches, then the first again; one row unused"},
    {.dims = SMALL " R=7 steps=6 first=2 task=0",
     .fill = fill_train,
     .note = "two steps, then four more in another call"},
    {.dims = SMALL_WITHOUT " R=4 steps=4 first=0 task=1",
     .fill = fill_train_no_positions,
     .note = "reverse, no positions"},
    {.dims = DEEP_WITHOUT " R=6 steps=4 first=0 task=2",
     .fill = fill_train_sinusoidal,
     .note = "sort, positions that are not trained, two blocks"},
    {.dims = DEEP " R=9 steps=5 first=2 task=3",
     .fill = fill_train_dropout,
     .note = "add, dropout 0.25, in two calls"},
    {.dims = SMALL " R=6 steps=5 first=0 task=0",
     .fill = fill_train_clipped,
     .note = "clipped at a norm of 0.02"},
    {.dims = SMALL " R=6 steps=9 first=4 task=0",
     .fill = fill_train_scheduled,
     .note = "warm-up 3, total 7, floor 0.004, weight decay 0.5, in two calls"},
    {.dims = SMALL " R=6 steps=4 first=0 task=0",
     .fill = fill_train_falling,
     .note = "no warm-up, total 7, floor 0"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_at_the_floor,
     .note = "no warm-up, total 1, floor 0.004"},
    {.dims = SMALL " R=6 steps=5 first=0 task=0",
     .fill = fill_train_plain,
     .note = "total 0 and max_norm -1: no schedule, no clipping"},
    {.dims = DEEP " R=9 steps=8 first=0 task=0",
     .fill = fill_train_usual,
     .note = "the usual settings; losses only"},
    {.dims = SMALL " R=6 steps=4 first=0 task=0",
     .fill = fill_train_diverges,
     .note = "a rate of 1e30: the second loss is not finite, LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_infinite,
     .note = "an infinite output bias: no loss is finite, LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_infinite_loss,
     .note = "finite logits, 6e38 apart: the loss is infinite, LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=4 first=0 task=0",
     .fill = fill_train_stops_later,
     .nan = true,
     .note =
         "the token of the second batch is NaN: one step is made, then LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_large_loss,
     .note = "a loss above 1e35: finite, so training goes on"},
    {.dims = SMALL " R=6 steps=3 first=0 task=4",
     .fill = fill_train,
     .note = "task 4, which make_copy_batch rejects"},
    {.dims = "B=3 T=1 V=5 C=4 NH=2 H=6 L=2 P=357 R=7 steps=3 first=2 task=1",
     .fill = fill_train,
     .note = "one token in each sequence"},
    {.dims = "B=1 T=3 V=5 C=8 NH=2 H=6 L=2 P=969 R=4 steps=5 first=2 task=3",
     .fill = fill_train,
     .note = "one sequence in each batch, two blocks"},
    {.dims = SMALL " R=7 steps=2 first=0 task=0",
     .fill = fill_train_bad_token,
     .note = "a token that is not below V, in a row that no batch has"},
    {.dims = SMALL " R=6 steps=2 first=0 task=0",
     .fill = fill_train_beta1_of_1,
     .note = "beta1 is 1, which adam_step rejects"},
    {.dims = SMALL " R=6 steps=2 first=0 task=0",
     .fill = fill_train_long_warmup,
     .note = "more warm-up than steps, which learning_rate rejects"},
    {.dims = SMALL " R=1 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "fewer rows than a batch"},
    {.dims = "B=2 T=3 V=5 C=5 NH=2 H=6 L=1 P=9 R=6 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "NH does not divide C"},
    {.dims = SMALL " R=6 steps=0 first=0 task=0", .fill = fill_train, .note = "no steps"},
    {0},
};

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

static const struct mistake train_mistakes[] = {
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

static const struct mistake train_alternatives[] = {
    {.id = "by-steps", .function = LIKE(train, train_by_steps)},
    {.id = "in-double", .function = LIKE(train, train_in_double)},
    {0},
};

static const struct part train_part[] = {
    {
        .function = "train",
        .dims = "B T V C NH H L P R steps first task",
        .tensors =
            {
                {"losses", "steps", OUTPUT, F32, 1e-5f, 1e-5f},
                {"param", "P", OUTPUT, F32, 1e-5f, 5e-5f},
                {"m", "P", OUTPUT, F32, 1e-6f, 5e-5f},
                {"v", "P", OUTPUT, F32, 1e-8f, 1e-4f},
                {"model.step", "1", OUTPUT, SIZE, 0, 0},
                {RETURNED_STATUS, "1", OUTPUT, SIZE, 0, 0},
                {"model.inputs", "B T", OUTPUT, SIZE, 0, 0},
                {"model.targets", "B T", OUTPUT, SIZE, 0, 0},
                {"start", "P", INPUT, F32, 0, 0},
                {"data", "R T", INPUT, SIZE, 0, 0},
                {"seed", "1", INPUT, SIZE, 0, 0},
                {"dropout", "1", INPUT, F32, 0, 0},
                {"lr", "1", INPUT, F32, 0, 0},
                {"beta1", "1", INPUT, F32, 0, 0},
                {"beta2", "1", INPUT, F32, 0, 0},
                {"eps", "1", INPUT, F32, 0, 0},
                {"weight_decay", "1", INPUT, F32, 0, 0},
                {"max_norm", "1", INPUT, F32, 0, 0},
                {"floor", "1", INPUT, F32, 0, 0},
                {"warmup", "1", INPUT, SIZE, 0, 0},
                {"total", "1", INPUT, SIZE, 0, 0},
                {"positions", "1", INPUT, SIZE, 0, 0},
            },
        .cases = train_cases,
        .mistakes = train_mistakes,
        .alternatives = train_alternatives,
    },
    {0},
};

const struct exercise exercise_6_14 = {
    .id = "6.14",
    .name = "train",
    .section = "6.14 Training",
    .uses = {"6.1", "6.11", "6.12", "6.13"},
    .hints =
        {
            "You have all the functions. Which of them does every step call, "
            "and in which order? What must be 0 first, and what must you check before "
            "anything changes?",
            "batch, uniforms, forward, isfinite?, zero the gradients, backward, clip, "
            "rate, adam_step with k = model->step + 1, model->step = k.",
            "for each i: k = model->step + 1, batch = (k - 1) % (R / B)\n"
            "    make_copy_batch(model->inputs, model->targets, data, batch * B, ...)\n"
            "    u = model_draw_uniforms(model)\n"
            "    model_forward(&losses[i], ..., u, ...); not finite: return LAB_EVALUE\n"
            "    memset(model->grad, 0, P floats); model_backward(..., u, ...)\n"
            "    max_norm > 0: clip_grad_norm; adam = settings->adam; total > 0: "
            "adam.lr by learning_rate\n"
            "    adam_step(param, m, v, grad, &adam, k, P); model->step = k",
        },
    .parts = train_part,
};
