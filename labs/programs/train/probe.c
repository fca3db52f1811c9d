// probe.c - finds the exercise that is missing.
//
// One training step of the smallest possible model shows whether an exercise is missing,
// but not which one. If one is missing, every function that a step uses is called once,
// simple functions first. The first that returns LAB_TODO is the one to write next. Whether
// results are right is not checked here; make check does that.

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

static void need(lab_status status, const char *exercise)
{
    if (status == LAB_TODO) {
        train_fail(TRAIN_FAILED, "%s: %s; see make check LAB=%.1s", exercise,
                   lab_status_message(status), exercise);
    }
}

static void probe_earlier_labs(struct model *m, const struct settings *asked)
{
    const struct block_params params = model_block_params(&m->params, &tiny, 0);
    const struct block_buffers z = model_block_buffers(&m->activations, &tiny, 0);
    const struct attention_buffers *a = &z.attention;
    float *x = m->activations.streams, *weights = m->activations.weights;

    need(matmul(a->out_heads, weights, a->v_heads, 1, 1, 1), "2.1 matmul");
    need(matmul_nt(a->scores, a->q_heads, a->k_heads, 1, 1, 1), "2.1 matmul_nt");
    need(batched_matmul(a->out_heads, weights, a->v_heads, 1, 1, 1, 1),
         "2.2 batched_matmul");
    need(batched_matmul_nt(a->scores, a->q_heads, a->k_heads, 1, 1, 1, 1),
         "2.2 batched_matmul_nt");
    need(batched_linear(z.attended, x, params.attention.w_o, params.attention.b_o, 1, 1,
                        1, 1),
         "2.3 batched_linear");
    if (!asked->shape.causal) {
        need(batched_softmax(weights, a->scores, 1, 1, 1), "2.4 batched_softmax");
    } else {
        need(causal_mask(a->mask, 1, 1), "3.1 causal_mask");
        need(masked_softmax(weights, a->scores, a->mask, 1, 1), "3.3 masked_softmax");
    }
    need(split_qkv(a->q, a->k, a->v, a->qkv, 1, 1, 1), "4.2 split_qkv");
    need(split_heads(a->q_heads, a->q, 1, 1, 1, 1), "4.3 split_heads");
    need(merge_heads(a->merged, a->out_heads, 1, 1, 1, 1), "4.4 merge_heads");
    need(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads,
                                      a->k_heads, a->v_heads, a->mask, 1, 1, 1, 1, 1),
         "4.5 scaled_dot_product_attention");
    need(multi_head_attention(z.attended, weights, a, x, &params.attention, true, 1, 1, 1,
                              1, 1),
         "4.6 multi_head_attention");
    need(layernorm(z.ln1, z.ln1_mean, z.ln1_rstd, x, params.ln1_gain, params.ln1_bias, 1,
                   1),
         "5.1 layernorm");
    need(gelu(z.activated, z.hidden, 1), "5.2 gelu");
    need(mlp(z.projected, z.hidden, z.activated, x, &params.mlp, 1, 1, 1), "5.3 mlp");
    need(dropout(x, m->activations.positioned, (float[]){0}, 0.5f, true, 1),
         "5.4 dropout");
    need(residual_add(z.middle, x, z.attended, 1), "5.5 residual_add");
    need(transformer_block(z.attended, weights, &z, x, &params, true, 1, 1, 1, 1, 1),
         "5.6 transformer_block");
}

static void probe_loss_and_gradients(struct model *m)
{
    const struct model_activations *z = &m->activations;
    const struct model_gradients *dz = &m->gradients;
    const struct model_params *p = &m->params, *g = &m->grads;
    const size_t *tokens = m->inputs;
    float loss;

    need(make_targets(m->targets, tokens, TASK_COPY, 1, 1, 2), "6.1 make_targets");
    need(make_copy_batch(m->inputs, m->targets, (size_t[]){1}, 0, TASK_COPY, 1, 1, 1, 2),
         "6.1 make_copy_batch");
    need(embedding(z->embedded, tokens, p->token_table, 1, 1, 2), "6.2 embedding");
    need(cross_entropy(&loss, z->probabilities, z->logits, tokens, 1, 2),
         "6.3 cross_entropy");
    need(cross_entropy_backward(dz->dlogits, z->probabilities, tokens, 1, 2),
         "6.4 cross_entropy_backward");
    need(linear_backward(dz->dln1, g->w_qkv, g->b_qkv, dz->dqkv, z->ln1, p->w_qkv, 1, 1,
                         3),
         "6.5 linear_backward");
    need(softmax_backward(dz->dscores, dz->dweights, z->weights, 1, 1),
         "6.6 softmax_backward");
    need(attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                            dz->dscores, dz->dout_heads, z->q_heads, z->k_heads,
                            z->v_heads, z->weights, 1, 1, 1, 1, 1),
         "6.7 attention_backward");
    need(layernorm_backward(dz->dbranch, g->ln1_gain, g->ln1_bias, dz->dln1, z->ln1,
                            z->ln1_mean, z->ln1_rstd, p->ln1_gain, 1, 1),
         "6.8 layernorm_backward");
    need(gelu_backward(dz->dhidden, dz->dactivated, z->hidden, 1), "6.9 gelu_backward");
    need(embedding_backward(g->token_table, dz->dpositioned, tokens, 1, 1, 2),
         "6.10 embedding_backward");
}

static void probe_model_and_steps(struct model *m, const struct settings *asked)
{
    const struct block_params params = model_block_params(&m->params, &tiny, 0);
    const struct block_grads grads = model_block_grads(&m->grads, &tiny, 0);
    const struct block_buffers z = model_block_buffers(&m->activations, &tiny, 0);
    float loss, norm;

    need(model_forward(&loss, &m->activations, &m->params, m->inputs, m->targets, NULL,
                       &tiny),
         "6.11 model_forward");
    need(block_backward(m->gradients.dstreams, &grads, &m->gradients,
                        m->gradients.dpositioned, m->activations.streams, &params,
                        m->activations.weights, &z, 1, 1, 1, 1, 1),
         "6.11 block_backward");
    need(model_backward(&m->grads, &m->gradients, &m->activations, &m->params, m->inputs,
                        m->targets, NULL, &tiny),
         "6.11 model_backward");
    need(adam_step(m->param, m->m, m->v, m->grad, &asked->training.adam, 1, m->P),
         "6.12 adam_step");
    if (asked->training.max_norm > 0) {
        need(clip_grad_norm(&norm, m->grad, 1, m->P), "6.13 clip_grad_norm");
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
        model.inputs[0] = model.targets[0] = 1;
        probe_earlier_labs(&model, asked);
        probe_loss_and_gradients(&model);
        probe_model_and_steps(&model, asked);
        need(status, "6.14 train");
    }
    model_free(&model);
}
