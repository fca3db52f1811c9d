// probe.c - finds the exercises that are missing.
//
// One training step of the smallest possible model shows whether an exercise is missing,
// but not which one. If one is missing, every function that a step uses is called once,
// simple functions first. The first that returns LAB_TODO is the one to write next. Whether
// results are right is not checked here; make check does that.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/train/train.h"

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"

// One sequence of one token, a vocabulary of two; all other sizes are 1.
static const struct model_shape tiny = {.B = 1,
                                        .T = 1,
                                        .T_max = 1,
                                        .V = 2,
                                        .C = 1,
                                        .NH = 1,
                                        .H = 1,
                                        .L = 1,
                                        .causal = true,
                                        .positions = POSITIONS_LEARNED,
                                        .dropout = 0.5f};

// The functions that returned LAB_TODO, "2.1 matmul", in the order of the calls.
enum { MOST_MISSING = 64, MOST_NAMED = 6 };
struct missing {
    const char *names[MOST_MISSING];
    size_t count;
};

static void need(struct missing *missing, lab_status status, const char *exercise)
{
    if (status == LAB_TODO && missing->count < MOST_MISSING) {
        missing->names[missing->count++] = exercise;
    }
}

// A written function also returns LAB_TODO if it calls one that is not written. Which ones are not is
// in the variable LAB_STUBS, a line each (grader/tools/run_program.sh); without it, only the first
// function of the list is known to be one of them.
static void keep_stubs(struct missing *missing)
{
    const char *stubs = getenv("LAB_STUBS");
    size_t kept = 0;
    for (size_t i = 0; stubs != NULL && i < missing->count; i++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s\n", missing->names[i]);
        if (strstr(stubs, line) != NULL) {
            missing->names[kept++] = missing->names[i];
        }
    }
    missing->count = kept > 0 ? kept : 1;
}

// Exits with all their names in one line; of many, with the numbers of their exercises.
static _Noreturn void refuse_missing(struct missing *missing)
{
    char list[1024] = "", *end = list;
    keep_stubs(missing);
    for (size_t i = 0; i < missing->count; i++) {
        const char *name = missing->names[i];
        const size_t number = strcspn(name, " ");
        const bool named = missing->count <= MOST_NAMED;
        if (named || i == 0 || strncmp(name, missing->names[i - 1], number + 1) != 0) {
            end += snprintf(end, (size_t)(list + sizeof list - end), "%s%.*s",
                            i > 0 ? ", " : "", named ? (int)strlen(name) : (int)number,
                            name);
        }
    }
    train_fail(TRAIN_FAILED, "%s: %s; see make check LAB=%.*s", list,
               lab_status_message(LAB_TODO), (int)strcspn(list, "."), list);
}

static void probe_earlier_labs(struct missing *missing, struct model *m,
                               const struct settings *asked)
{
    const struct block_params params = model_block_params(&m->params, &tiny, 0);
    const struct block_buffers z = model_block_buffers(&m->activations, &tiny, 0);
    const struct attention_buffers *a = &z.attention;
    float *x = m->activations.streams, *weights = m->activations.weights;

    need(missing, matmul(a->out_heads, weights, a->v_heads, 1, 1, 1), "2.1 matmul");
    need(missing, matmul_nt(a->scores, a->q_heads, a->k_heads, 1, 1, 1), "2.1 matmul_nt");
    need(missing, batched_matmul(a->out_heads, weights, a->v_heads, 1, 1, 1, 1),
         "2.2 batched_matmul");
    need(missing, batched_matmul_nt(a->scores, a->q_heads, a->k_heads, 1, 1, 1, 1),
         "2.2 batched_matmul_nt");
    need(missing,
         batched_linear(z.attended, x, params.attention.w_o, params.attention.b_o, 1, 1,
                        1, 1),
         "2.3 batched_linear");
    if (!asked->shape.causal) {
        need(missing, batched_softmax(weights, a->scores, 1, 1, 1),
             "2.4 batched_softmax");
    } else {
        need(missing, causal_mask(a->mask, 1, 1), "3.1 causal_mask");
        need(missing, masked_softmax(weights, a->scores, a->mask, 1, 1),
             "3.3 masked_softmax");
    }
    need(missing, split_qkv(a->q, a->k, a->v, a->qkv, 1, 1, 1), "4.2 split_qkv");
    need(missing, split_heads(a->q_heads, a->q, 1, 1, 1, 1), "4.3 split_heads");
    need(missing, merge_heads(a->merged, a->out_heads, 1, 1, 1, 1), "4.4 merge_heads");
    need(missing,
         scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads,
                                      a->k_heads, a->v_heads, a->mask, 1, 1, 1, 1, 1),
         "4.5 scaled_dot_product_attention");
    need(missing,
         multi_head_attention(z.attended, weights, a, x, &params.attention, true, 1, 1, 1,
                              1, 1),
         "4.6 multi_head_attention");
    need(missing,
         layernorm(z.ln1, z.ln1_mean, z.ln1_rstd, x, params.ln1_gain, params.ln1_bias, 1,
                   1),
         "5.1 layernorm");
    need(missing, gelu(z.activated, z.hidden, 1), "5.2 gelu");
    need(missing, mlp(z.projected, z.hidden, z.activated, x, &params.mlp, 1, 1, 1),
         "5.3 mlp");
    need(missing, dropout(x, m->activations.positioned, (float[]){0}, 0.5f, true, 1),
         "5.4 dropout");
    need(missing, residual_add(z.middle, x, z.attended, 1), "5.5 residual_add");
    need(missing,
         transformer_block(z.attended, weights, &z, x, &params, true, 1, 1, 1, 1, 1),
         "5.6 transformer_block");
}

static void probe_loss_and_gradients(struct missing *missing, struct model *m)
{
    const struct model_activations *z = &m->activations;
    const struct model_gradients *dz = &m->gradients;
    const struct model_params *p = &m->params, *g = &m->grads;
    const size_t *tokens = m->inputs;
    float loss;

    need(missing, make_targets(m->targets, tokens, TASK_COPY, 1, 1, 2),
         "6.1 make_targets");
    need(missing,
         make_copy_batch(m->inputs, m->targets, (size_t[]){1}, 0, TASK_COPY, 1, 1, 1, 2),
         "6.1 make_copy_batch");
    need(missing, embedding(z->embedded, tokens, p->token_table, 1, 1, 2),
         "6.2 embedding");
    need(missing, cross_entropy(&loss, z->probabilities, z->logits, tokens, 1, 2),
         "6.3 cross_entropy");
    need(missing, cross_entropy_backward(dz->dlogits, z->probabilities, tokens, 1, 2),
         "6.4 cross_entropy_backward");
    need(missing,
         linear_backward(dz->dln1, g->w_qkv, g->b_qkv, dz->dqkv, z->ln1, p->w_qkv, 1, 1,
                         3),
         "6.5 linear_backward");
    need(missing, softmax_backward(dz->dscores, dz->dweights, z->weights, 1, 1),
         "6.6 softmax_backward");
    need(missing,
         attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                            dz->dscores, dz->dout_heads, z->q_heads, z->k_heads,
                            z->v_heads, z->weights, 1, 1, 1, 1, 1),
         "6.7 attention_backward");
    need(missing,
         layernorm_backward(dz->dbranch, g->ln1_gain, g->ln1_bias, dz->dln1, z->ln1,
                            z->ln1_mean, z->ln1_rstd, p->ln1_gain, 1, 1),
         "6.8 layernorm_backward");
    need(missing, gelu_backward(dz->dhidden, dz->dactivated, z->hidden, 1),
         "6.9 gelu_backward");
    need(missing, embedding_backward(g->token_table, dz->dpositioned, tokens, 1, 1, 2),
         "6.10 embedding_backward");
}

static void probe_model_and_steps(struct missing *missing, struct model *m,
                                  const struct settings *asked)
{
    const struct block_params params = model_block_params(&m->params, &tiny, 0);
    const struct block_grads grads = model_block_grads(&m->grads, &tiny, 0);
    const struct block_buffers z = model_block_buffers(&m->activations, &tiny, 0);
    float loss, norm;

    need(missing,
         model_forward(&loss, &m->activations, &m->params, m->inputs, m->targets, NULL,
                       &tiny),
         "6.11 model_forward");
    need(missing,
         block_backward(m->gradients.dstreams, &grads, &m->gradients,
                        m->gradients.dpositioned, m->activations.streams, &params,
                        m->activations.weights, &z, 1, 1, 1, 1, 1),
         "6.11 block_backward");
    need(missing,
         model_backward(&m->grads, &m->gradients, &m->activations, &m->params, m->inputs,
                        m->targets, NULL, &tiny),
         "6.11 model_backward");
    need(missing,
         adam_step(m->param, m->m, m->v, m->grad, &asked->training.adam, 1, m->P),
         "6.12 adam_step");
    if (asked->training.max_norm > 0) {
        need(missing, clip_grad_norm(&norm, m->grad, 1, m->P), "6.13 clip_grad_norm");
    }
}

void probe_exercises(const struct settings *asked)
{
    struct model_shape shape = tiny;
    shape.causal = asked->shape.causal;
    shape.dropout = asked->shape.dropout > 0 ? tiny.dropout : 0;
    struct model model;
    struct lab_rng rng;
    lab_rng_seed(&rng, 0);
    lab_status status = model_new(&model, &shape);
    if (status == LAB_OK) {
        status = model_start(&model, &rng);
    }
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s", lab_status_message(status));
    }

    const size_t data[1] = {1};
    float loss;
    status = train(&loss, &model, data, TASK_COPY, 1, &asked->training, 1);
    if (status == LAB_TODO) {
        struct missing missing = {.count = 0};
        model.inputs[0] = model.targets[0] = 1;
        probe_earlier_labs(&missing, &model, asked);
        probe_loss_and_gradients(&missing, &model);
        probe_model_and_steps(&missing, &model, asked);
        need(&missing, status, "6.14 train");
        refuse_missing(&missing);
    }
    model_free(&model);
}
