// 14_train.c - exercise 6.14, train: cases and hints.

#include "exercises/exercise.h"
#include "exercises/06/14_train.h"
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
