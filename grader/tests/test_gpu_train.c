// test_gpu_train.c - lab 6's whole training step on the simulated GPU. With the same weights,
// data and seed, the losses and the final parameters equal those of train() on the CPU. The
// simulator checks every access on the way.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/expect.h"
#include "programs/train_gpu/train_gpu.h"

// Sizes that differ from each other and from the edges of warps and blocks.
static const struct model_shape odd_shape = {.B = 3,
                                             .T = 5,
                                             .T_max = 6,
                                             .V = 7,
                                             .C = 12,
                                             .NH = 3,
                                             .H = 37,
                                             .L = 2,
                                             .causal = true,
                                             .positions = POSITIONS_LEARNED,
                                             .dropout = 0.1f};

static const struct training usual = {
    .adam = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.01},
    .max_norm = 1.0f,
};

// Two models with the same weights, and ROWS training sequences.
enum { ROWS = 9, MOST_T = 8, MOST_STEPS = 20 };

struct pair {
    struct model cpu, gpu;
    size_t data[ROWS * MOST_T];
    float cpu_losses[MOST_STEPS], gpu_losses[MOST_STEPS];
};

static void start(struct model *model, struct lab_rng *rng,
                  const struct model_shape *shape)
{
    lab_rng_seed(rng, 42);
    must_succeed(model_new(model, shape));
    must_succeed(model_start(model, rng));
    for (size_t i = 0;
         shape->positions == POSITIONS_SINUSOIDAL && i < shape->T_max * shape->C; i++) {
        model->params.position_table[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;
    }
}

static void pair_new(struct pair *pair, const struct model_shape *shape)
{
    struct lab_rng rng;
    start(&pair->cpu, &rng, shape);
    start(&pair->gpu, &rng, shape);
    int64_t drawn[ROWS * MOST_T];
    must_succeed(lab_rng_randint(&rng, drawn, 0, (int64_t)shape->V, ROWS * MOST_T));
    for (size_t i = 0; i < ROWS * MOST_T; i++) {
        pair->data[i] = (size_t)drawn[i];
    }
    poison(pair->cpu_losses, MOST_STEPS);
    poison(pair->gpu_losses, MOST_STEPS);
}

static void pair_free(struct pair *pair)
{
    model_free(&pair->cpu);
    model_free(&pair->gpu);
}

// If a gradient is only rounding (like that of the key biases), Adam still takes a step of up
// to lr in its direction, so these parameters may differ by that much.
static void expect_same_parameters(struct pair *p, const struct training *settings,
                                   size_t steps)
{
    const float far = 2.0f * (float)settings->adam.lr * (float)steps;
    for (size_t i = 0; i < p->cpu.P; i++) {
        if (fabsf(p->cpu.m[i]) < 1e-6f &&
            fabsf(p->gpu.param[i] - p->cpu.param[i]) <= far) {
            p->gpu.param[i] = p->cpu.param[i];
        }
    }
    expect_close(p->gpu.param, p->cpu.param, 1, p->cpu.P, 1e-5f, 1e-4f);
}

static void expect_same_training(const struct model_shape *shape,
                                 const struct training *settings, enum task task,
                                 size_t steps)
{
    struct pair p;
    pair_new(&p, shape);
    must_succeed(train(p.cpu_losses, &p.cpu, p.data, task, ROWS, settings, steps));
    must_succeed(train_gpu(p.gpu_losses, &p.gpu, p.data, task, ROWS, settings, steps));
    expect_close(p.gpu_losses, p.cpu_losses, 1, steps, 2e-5f, 2e-5f);
    expect_same_parameters(&p, settings, steps);
    expect_close(p.gpu.m, p.cpu.m, 1, p.cpu.P, 1e-5f, 1e-3f);
    cr_expect(p.gpu.step == steps);
    pair_free(&p);
}

Test(train_gpu, every_loss_is_that_of_the_cpu)
{
    expect_same_training(&odd_shape, &usual, TASK_COPY, 6);
}

Test(train_gpu, without_mask_and_positions_too)
{
    struct model_shape shape = odd_shape;
    shape.causal = false;
    shape.positions = POSITIONS_NONE;
    shape.dropout = 0.0f;
    shape.L = 1;
    expect_same_training(&shape, &usual, TASK_REVERSE, 4);
}

Test(train_gpu, with_a_schedule_and_computed_positions)
{
    struct model_shape shape = odd_shape;
    shape.positions = POSITIONS_SINUSOIDAL;
    struct training settings = usual;
    settings.warmup = 2;
    settings.total = 5;
    settings.floor = 1e-4f;
    settings.max_norm = 0.0f;
    expect_same_training(&shape, &settings, TASK_SORT, 6);
}

Test(train_gpu, two_calls_go_on_where_one_would_have)
{
    struct pair p;
    pair_new(&p, &odd_shape);
    must_succeed(train_gpu(p.cpu_losses, &p.cpu, p.data, TASK_ADD, ROWS, &usual, 4));
    must_succeed(train_gpu(p.gpu_losses, &p.gpu, p.data, TASK_ADD, ROWS, &usual, 1));
    must_succeed(train_gpu(p.gpu_losses + 1, &p.gpu, p.data, TASK_ADD, ROWS, &usual, 3));
    cr_expect(memcmp(p.gpu_losses, p.cpu_losses, 4 * sizeof(float)) == 0);
    cr_expect(memcmp(p.gpu.param, p.cpu.param, p.cpu.P * sizeof(float)) == 0);
    pair_free(&p);
}

Test(train_gpu, a_loss_that_is_no_number_stops_before_the_parameters)
{
    struct pair p;
    pair_new(&p, &odd_shape);
    p.gpu.params.b_out[0] = INFINITY; // infinite logits: the loss is not finite
    p.cpu.params.b_out[0] = INFINITY;
    must_return(train_gpu(p.gpu_losses, &p.gpu, p.data, TASK_COPY, ROWS, &usual, 3),
                LAB_EVALUE);
    cr_expect(!isfinite(p.gpu_losses[0]));
    cr_expect(isnan(p.gpu_losses[1]));
    cr_expect(memcmp(p.gpu.param, p.cpu.param, p.cpu.P * sizeof(float)) == 0);
    cr_expect(p.gpu.step == 0);
    pair_free(&p);
}

Test(train_gpu, refuses_what_train_refuses)
{
    struct pair p;
    pair_new(&p, &odd_shape);
    must_return(train_gpu(p.gpu_losses, &p.gpu, p.data, TASK_COPY, 2, &usual, 3),
                LAB_ESHAPE);
    must_return(train_gpu(p.gpu_losses, &p.gpu, p.data, TASK_COPY, ROWS, &usual, 0),
                LAB_ESHAPE);
    p.data[7] = odd_shape.V;
    must_return(train_gpu(p.gpu_losses, &p.gpu, p.data, TASK_COPY, ROWS, &usual, 3),
                LAB_EVALUE);
    pair_free(&p);
}
