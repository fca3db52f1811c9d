// model.c - lab 6: the whole model, forward and backward.
//
//   tokens ─> embedded ─> + position ─> streams[0] ─ block 0 ─> streams[1] ... ─> logits ─> loss
//   dtable <─────────── dpositioned <─ dstreams[0] <─ block 0 ─ dstreams[1] ... <─ dlogits <──┘
//
// The backward pass calls the backward function of every forward function, in the opposite
// order, and passes it the values from the forward pass. Where the forward pass used a value
// several times (the residuals, the positions of every sequence), the gradients add up.
//
// Start reading at model_forward.

#include "06_copy_task/copy_task.h"

#include <limits.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"

// ---- forward ------------------------------------------------------------------------------

// BEGIN SOLUTION 6.11 helper
// positioned (B,T,C) = embedded (B,T,C) + positions (T,C), the same for every sequence; just
// embedded if there are no positions.
static void add_positions_to(float *positioned, const float *embedded,
                             const float *positions, size_t B, size_t T, size_t C)
{
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < T * C; i++) {
            positioned[b * T * C + i] =
                embedded[b * T * C + i] + (positions != NULL ? positions[i] : 0.0f);
        }
    }
}
// END SOLUTION 6.11

lab_status model_forward(float *loss, const struct model_activations *z,
                         const struct model_params *params, const size_t *tokens,
                         const size_t *targets, const float *uniforms,
                         const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(model_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || (loss == NULL) != (targets == NULL) ||
        (targets != NULL && !tokens_below(targets, B * T, V))) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.11 model_forward: embedding; positions, if there are any; dropout (training
    // if there are uniforms); transformer_block for each l, with model_block_params and
    // model_block_buffers; batched_linear to the logits; cross_entropy, if there are
    // targets; LAB_TRY around every call (about 30 lines)
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    LAB_TRY(embedding(z->embedded, tokens, params->token_table, B * T, C, V));
    add_positions_to(z->positioned, z->embedded, params->position_table, B, T, C);
    LAB_TRY(
        dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC));

    for (size_t l = 0; l < s->L; l++) {
        const struct block_params block = model_block_params(params, s, l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        LAB_TRY(transformer_block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT,
                                  &buffers, z->streams + l * BTC, &block, s->causal, B, T,
                                  C, s->NH, s->H));
    }

    LAB_TRY(batched_linear(z->logits, z->streams + s->L * BTC, params->w_out,
                           params->b_out, B, T, C, V));
    if (targets == NULL) {
        return LAB_OK;
    }
    return cross_entropy(loss, z->probabilities, z->logits, targets, B * T, V);
    // END SOLUTION 6.11
}

// ---- back through one block ---------------------------------------------------------------

// BEGIN SOLUTION 6.11 helper
// Back through middle + mlp(ln2(middle)): dmiddle is the sum of both gradients.
static lab_status mlp_branch_backward(const struct block_grads *grads,
                                      const struct model_gradients *dz, const float *dout,
                                      const struct block_params *params,
                                      const struct block_buffers *z, size_t N, size_t C,
                                      size_t H)
{
    // forward: projected = activated w_proj^T + b_proj
    LAB_TRY(linear_backward(dz->dactivated, grads->w_proj, grads->b_proj, dout,
                            z->activated, params->mlp.w_proj, N, H, C));
    // forward: activated = gelu(hidden)
    LAB_TRY(gelu_backward(dz->dhidden, dz->dactivated, z->hidden, N * H));
    // forward: hidden = ln2 w_fc^T + b_fc
    LAB_TRY(linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden, z->ln2,
                            params->mlp.w_fc, N, C, H));
    // forward: ln2 = layernorm(middle)
    LAB_TRY(layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
                               z->middle, z->ln2_mean, z->ln2_rstd, params->ln2_gain, N,
                               C));
    // forward: out = middle + projected, and middle went into ln2 as well
    return residual_add(dz->dmiddle, dout, dz->dbranch, N * C);
}

// Back through attended = multi_head_attention(ln1), from dmiddle to dln1.
static lab_status attention_branch_backward(const struct block_grads *grads,
                                            const struct model_gradients *dz,
                                            const struct block_params *params,
                                            const float *weights,
                                            const struct block_buffers *z, size_t B,
                                            size_t T, size_t C, size_t NH)
{
    const struct attention_buffers *a = &z->attention;
    // forward: attended = merged w_o^T + b_o
    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, grads->b_o, dz->dmiddle, a->merged,
                            params->attention.w_o, B * T, C, C));
    // forward: merged = merge_heads(out_heads), a permutation, so its backward is its inverse
    LAB_TRY(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    // forward: out_heads = softmax(mask(q_heads k_heads^T / sqrt(hs))) v_heads
    LAB_TRY(attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                               dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                               a->v_heads, weights, B, NH, T, T, C / NH));
    // forward: q_heads, k_heads, v_heads = split_heads(q), split_heads(k), split_heads(v)
    LAB_TRY(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
    LAB_TRY(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
    LAB_TRY(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    // forward: q, k, v = split_qkv(qkv)
    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, B * T, C);
    // forward: qkv = ln1 w_qkv^T + b_qkv
    return linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv, z->ln1,
                           params->attention.w_qkv, B * T, C, 3 * C);
}
// END SOLUTION 6.11

lab_status block_backward(float *dx, const struct block_grads *grads,
                          const struct model_gradients *dz, const float *dout,
                          const float *x, const struct block_params *params,
                          const float *weights, const struct block_buffers *z, size_t B,
                          size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0 ||
        B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.11 block_backward: follow transformer_block from its last line to its first:
    // w_proj, gelu, w_fc, ln2 and the second residual; w_o, heads, attention, heads, qkv,
    // ln1 and the first residual; LAB_TRY around every call (about 45 lines, two helpers are
    // welcome)
    const size_t N = B * T;
    LAB_TRY(mlp_branch_backward(grads, dz, dout, params, z, N, C, H));
    LAB_TRY(attention_branch_backward(grads, dz, params, weights, z, B, T, C, NH));
    // forward: ln1 = layernorm(x)
    LAB_TRY(layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1, x,
                               z->ln1_mean, z->ln1_rstd, params->ln1_gain, N, C));
    // forward: middle = x + attended, and x went into ln1 as well
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
    // END SOLUTION 6.11
}

// ---- the whole backward pass --------------------------------------------------------------

lab_status model_backward(const struct model_params *grads,
                          const struct model_gradients *dz,
                          const struct model_activations *z,
                          const struct model_params *params, const size_t *tokens,
                          const size_t *targets, const float *uniforms,
                          const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(model_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || !tokens_below(targets, B * T, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.11 model_backward: follow model_forward from its last line to its first;
    // apply dropout to the gradient with the same uniforms; every sequence adds to the
    // gradient of the positions (about 20 lines)
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    // forward: loss = cross_entropy(logits, targets)
    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, V));
    // forward: logits = streams[L] w_out^T + b_out
    LAB_TRY(linear_backward(dz->dstreams + s->L * BTC, grads->w_out, grads->b_out,
                            dz->dlogits, z->streams + s->L * BTC, params->w_out, B * T, C,
                            V));
    // forward: streams[l + 1] = transformer_block(streams[l])
    for (size_t l = s->L; l-- > 0;) {
        const struct block_params block = model_block_params(params, s, l);
        const struct block_grads block_grads = model_block_grads(grads, s, l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        LAB_TRY(block_backward(dz->dstreams + l * BTC, &block_grads, dz,
                               dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block,
                               z->weights + l * BNHTT, &buffers, B, T, C, s->NH, s->H));
    }
    // forward: streams[0] = dropout(positioned), each element times 1 / (1 - p) or times 0
    LAB_TRY(dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
                    BTC));
    // forward: positioned[b] = embedded[b] + position_table, for every b
    for (size_t b = 0; b < B && grads->position_table != NULL; b++) {
        for (size_t i = 0; i < T * C; i++) {
            grads->position_table[i] += dz->dpositioned[b * T * C + i];
        }
    }
    // forward: embedded = embedding(tokens)
    return embedding_backward(grads->token_table, dz->dpositioned, tokens, B * T, C, V);
    // END SOLUTION 6.11
}
