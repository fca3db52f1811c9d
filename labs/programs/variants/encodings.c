// encodings.c - the model of lab 6 with five position encodings, on three tasks: loss and
// accuracy at the training length and at longer lengths.
//
//   none         nothing
//   learned      a table of TEST_MOST rows; training uses the first TRAINED
//   sinusoidal   a table of TEST_MOST rows, computed
//   rope         queries and keys rotated by their position
//   alibi        scores lowered with the distance
//
// Each row of the output: encoding, task, seed, length, loss, accuracy. The last two are
// measured on HELD_OUT sequences of that length that the model has not seen.

#include "programs/variants/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "05_transformer_block/block.h"
#include "07_positional_encoding/positions.h"

enum {
    TRAINED = 8,
    TEST_MOST = 32,
    BATCH = 32,
    ROWS = 10000 / BATCH * BATCH,
    HELD_OUT = 512,
    STEPS = 1500,
    SEEDS = 3,
    HEADS = 4,
    WIDTH = 32,
    TOKENS = 10,
};

enum encoding { NONE, LEARNED, SINUSOIDAL, ROPE, ALIBI, ENCODINGS };
static const char *const encoding_names[] = {"none", "learned", "sinusoidal", "RoPE",
                                             "ALiBi"};
static const char *const task_names[] = {"copy", "reverse", "sort", "add"};
static const size_t lengths[] = {TRAINED, 12, 16, 24, TEST_MOST};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

struct learner {
    enum encoding encoding;
    enum task task;
    struct model model;
    size_t places[TEST_MOST];
    float bias[HEADS * TEST_MOST * TEST_MOST];
    size_t trained[ROWS * TRAINED], held_out[HELD_OUT * TEST_MOST];
};

static struct variant variant_of(const struct learner *a)
{
    return (struct variant){.places = a->encoding == ROPE ? a->places : NULL,
                            .bias = a->encoding == ALIBI ? a->bias : NULL};
}

// one forward and one backward pass ---------------------------------------------------------

// From tokens of shape s (a batch and its length) to the loss.
static float forward(struct learner *a, const struct model_shape *s, const size_t *tokens,
                     const size_t *targets)
{
    const struct model_activations *z = &a->model.activations;
    const struct model_params *p = &a->model.params;
    const struct variant v = variant_of(a);
    const size_t N = s->B * s->T, C = s->C;
    float loss;
    if (a->encoding == ALIBI) {
        variants_need(alibi_bias(a->bias, s->NH, s->T, s->T), "7.4 alibi_bias");
    }
    variants_need(embedding(z->embedded, tokens, p->token_table, N, C, s->V),
                  "6.2 embedding");
    if (p->position_table == NULL) {
        memcpy(z->streams, z->embedded, N * C * sizeof *z->streams);
    } else {
        variants_need(add_positions(z->streams, z->embedded, p->position_table, s->B,
                                    s->T, C, s->T_max),
                      "7.2 add_positions");
    }
    const struct block_params params = model_block_params(p, s, 0);
    const struct block_buffers buffers = model_block_buffers(z, s, 0);
    variants_need(variant_block(z->streams + N * C, z->weights, &buffers, z->streams,
                                &params, &v, s),
                  "a forward function of labs 2 to 7");
    variants_need(batched_linear(z->logits, z->streams + N * C, p->w_out, p->b_out, s->B,
                                 s->T, C, s->V),
                  "2.3 batched_linear");
    variants_need(cross_entropy(&loss, z->probabilities, z->logits, targets, N, s->V),
                  "6.3 cross_entropy");
    return loss;
}

static void backward(struct learner *a, const size_t *tokens, const size_t *targets)
{
    const struct model_shape *s = &a->model.shape;
    const struct model_activations *z = &a->model.activations;
    const struct model_gradients *dz = &a->model.gradients;
    const struct model_params *p = &a->model.params, *g = &a->model.grads;
    const struct variant v = variant_of(a);
    const size_t N = BATCH * TRAINED, C = s->C;
    struct model_shape now = *s;
    now.T = TRAINED;
    memset(a->model.grad, 0, a->model.P * sizeof *a->model.grad);
    variants_need(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, s->V),
                  "6.4 cross_entropy_backward");
    variants_need(linear_backward(dz->dstreams + N * C, g->w_out, g->b_out, dz->dlogits,
                                  z->streams + N * C, p->w_out, N, C, s->V),
                  "6.5 linear_backward");
    const struct block_params params = model_block_params(p, &now, 0);
    const struct block_grads grads = model_block_grads(g, &now, 0);
    const struct block_buffers buffers = model_block_buffers(z, &now, 0);
    variants_need(variant_block_backward(dz->dstreams, &grads, dz, dz->dstreams + N * C,
                                         z->streams, &params, z->weights, &buffers, &v,
                                         &now),
                  "a backward function of lab 6");
    for (size_t i = 0; i < N * C && g->position_table != NULL; i++) {
        g->position_table[i % (TRAINED * C)] += dz->dstreams[i];
    }
    variants_need(embedding_backward(g->token_table, dz->dstreams, tokens, N, C, s->V),
                  "6.10 embedding_backward");
}

// ---- a run --------------------------------------------------------------------------------

static void draw(size_t *tokens, size_t count, struct lab_rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (size_t)lab_rng_int(rng, 0, TOKENS);
    }
}

static void learn(struct learner *a)
{
    const struct adam adam = {1e-3, 0.9, 0.999, 1e-8, 0};
    struct model *m = &a->model;
    struct model_shape now = m->shape;
    now.T = TRAINED;
    for (size_t k = 1; k <= STEPS; k++) {
        const size_t first = (k - 1) % (ROWS / BATCH) * BATCH;
        variants_need(make_copy_batch(m->inputs, m->targets, a->trained, first, a->task,
                                      ROWS, BATCH, TRAINED, TOKENS),
                      "6.1 make_copy_batch");
        (void)forward(a, &now, m->inputs, m->targets);
        backward(a, m->inputs, m->targets);
        variants_need(adam_step(m->param, m->m, m->v, m->grad, &adam, k, m->P),
                      "6.12 adam_step");
    }
}

static void examine(struct learner *a, FILE *file, size_t seed, size_t length)
{
    struct model *m = &a->model;
    struct model_shape now = m->shape;
    now.T = length;
    double loss = 0;
    size_t right = 0;
    for (size_t first = 0; first < HELD_OUT; first += BATCH) {
        variants_need(make_copy_batch(m->inputs, m->targets, a->held_out, first, a->task,
                                      HELD_OUT, BATCH, length, TOKENS),
                      "6.1 make_copy_batch");
        loss += (double)forward(a, &now, m->inputs, m->targets) * BATCH / HELD_OUT;
        right += count_right(m->activations.logits, m->targets, BATCH * length, TOKENS);
    }
    fprintf(file, "%s\t%s\t%zu\t%zu\t%.6g\t%.6g\n", encoding_names[a->encoding],
            task_names[a->task], seed, length, loss,
            (double)right / (double)(HELD_OUT * length));
}

static void run(struct learner *a, FILE *file, size_t seed)
{
    const struct model_shape shape = {
        .B = BATCH,
        .T = TEST_MOST,
        .T_max = TEST_MOST,
        .V = TOKENS,
        .C = WIDTH,
        .NH = HEADS,
        .H = 4 * WIDTH,
        .L = 1,
        .causal = true,
        .positions = a->encoding == LEARNED      ? POSITIONS_LEARNED
                     : a->encoding == SINUSOIDAL ? POSITIONS_SINUSOIDAL
                                                 : POSITIONS_NONE};
    struct lab_rng rng;
    lab_rng_seed(&rng, seed);
    variants_need(model_new(&a->model, &shape), "model_new");
    variants_need(model_start(&a->model, &rng), "model_start");
    if (a->encoding == SINUSOIDAL) {
        variants_need(
            sinusoidal_encoding(a->model.params.position_table, TEST_MOST, WIDTH),
            "7.1 sinusoidal_encoding");
    }
    lab_rng_seed(&rng, 1000 + seed); // the same sequences for every encoding
    draw(a->trained, ROWS * TRAINED, &rng);
    draw(a->held_out, HELD_OUT * TEST_MOST, &rng);
    learn(a);
    for (size_t i = 0; i < (a->task == TASK_REVERSE ? 1 : LENGTHS); i++) {
        examine(a, file, seed, lengths[i]);
    }
    model_free(&a->model);
}

void encodings(FILE *file)
{
    static struct learner a;
    static const enum task tasks[] = {TASK_REVERSE, TASK_SORT, TASK_ADD};
    for (size_t t = 0; t < TEST_MOST; t++) {
        a.places[t] = t;
    }
    fprintf(file, "encoding\ttask\tseed\tlength\tloss\taccuracy\n");
    for (size_t i = 0; i < 3; i++) {
        for (enum encoding encoding = NONE; encoding < ENCODINGS; encoding++) {
            for (size_t seed = 1; seed <= SEEDS; seed++) {
                a.encoding = encoding;
                a.task = tasks[i];
                run(&a, file, seed);
            }
        }
    }
}
