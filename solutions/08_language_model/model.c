// model.c - the whole language model, forward and backward.
//
//   tokens ─> streams[0] ─ block 0 ─> streams[1] ... streams[L] ─ rmsnorm ─> normed ─> logits ─> loss
//   dtable <─ dstreams[0] <─ block 0 ─ dstreams[1] ... dstreams[L] <─────── dnormed <─ dlogits <──┘
//
// A block, with the names of its buffers:
//
//   x ─┬────────────────────────────────────────────(+)─ middle ─┬──────────────────────────(+)─> out
//      └ normed1 ┬ q ─ rope ─┐                       │           └ normed2 ┬ gate ┐          │
//                ├ k ─ rope ─┤ attention ─ merged ─ attended               └ up ──┴ hidden ─ projected
//                └ v ────────┘
//
// The layers of labs 1 to 7 and of layers.c do the work; this file only calls them in order. The
// backward pass calls their backward functions in the opposite order.
//
// Start reading at language_block.

#include "08_language_model/language_model.h"

#include <limits.h>
#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "common/tokens.h"

// Are the sizes of a block valid? BLAS counts the B * T rows with an int.
static bool block_fits(size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    return B > 0 && T > 0 && C > 0 && NH > 0 && H > 0 && C % NH == 0 && C / NH % 2 == 0 &&
           B <= INT_MAX / T;
}

// ---- 8.6  one block -----------------------------------------------------------------------

// BEGIN SOLUTION 8.6 helper
// attended = (attention of normed1) w_o^T, with queries and keys rotated by their position.
static lab_status attend(float *weights, const struct language_block_buffers *z,
                         const struct language_block_params *params, size_t B, size_t T,
                         size_t C, size_t NH)
{
    const size_t hs = C / NH;
    LAB_TRY(batched_linear(z->q, z->normed1, params->w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->k, z->normed1, params->w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->v, z->normed1, params->w_v, NULL, B, T, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

    for (size_t t = 0; t < T; t++) {
        z->positions[t] = t;
    }
    LAB_TRY(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));

    for (size_t b = 0; b < B; b++) {
        LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
    }
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_turned,
                                         z->k_turned, z->v_heads, z->mask, B, NH, T, T,
                                         hs));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(z->attended, z->merged, params->w_o, NULL, B, T, C, C);
}
// END SOLUTION 8.6

lab_status language_block(float *out, float *weights,
                          const struct language_block_buffers *z, const float *x,
                          const struct language_block_params *params, size_t B, size_t T,
                          size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.6 language_block: rmsnorm, q k v, heads, rope, attention, w_o and the first
    // residual; rmsnorm, w_gate and w_up, swiglu, w_down and the second residual; LAB_TRY around
    // every call (about 35 lines, a helper for the attention is welcome)
    const size_t N = B * T;
    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, params->norm1, N, C));
    LAB_TRY(attend(weights, z, params, B, T, C, NH));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));

    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, params->norm2, N, C));
    LAB_TRY(batched_linear(z->gate, z->normed2, params->w_gate, NULL, B, T, C, H));
    LAB_TRY(batched_linear(z->up, z->normed2, params->w_up, NULL, B, T, C, H));
    LAB_TRY(swiglu(z->hidden, z->gate, z->up, N * H));
    LAB_TRY(batched_linear(z->projected, z->hidden, params->w_down, NULL, B, T, H, C));
    return residual_add(out, z->middle, z->projected, N * C);
    // END SOLUTION 8.6
}

// ---- 8.7  the whole model -----------------------------------------------------------------

lab_status language_forward(float *loss, const struct language_activations *z,
                            const struct language_params *params, const size_t *tokens,
                            const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || (loss == NULL) != (targets == NULL) ||
        (targets != NULL && !tokens_below(targets, B * T, V))) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.7 language_forward: embedding; language_block for each l, with
    // language_block_params and language_block_buffers; the last rmsnorm; batched_linear to the
    // logits; cross_entropy, if there are targets (about 19 lines)
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    LAB_TRY(embedding(z->streams, tokens, params->token_table, B * T, C, V));
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        LAB_TRY(language_block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT,
                               &buffers, z->streams + l * BTC, &block, B, T, C, s->NH,
                               s->H));
    }
    LAB_TRY(rmsnorm(z->normed, z->rrms, z->streams + s->L * BTC, params->norm, B * T, C));
    LAB_TRY(batched_linear(z->logits, z->normed, params->w_out, NULL, B, T, C, V));
    if (targets == NULL) {
        return LAB_OK;
    }
    return cross_entropy(loss, z->probabilities, z->logits, targets, B * T, V);
    // END SOLUTION 8.7
}

// ---- 8.8  backward ------------------------------------------------------------------------

// BEGIN SOLUTION 8.8 helper
// sum (n) += summand (n), for a value that was used several times
static void add_to(float *sum, const float *summand, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += summand[i];
    }
}

// Back through middle + swiglu(...) w_down^T: dmiddle is the sum of both gradients.
static lab_status mlp_branch_backward(const struct language_block_grads *grads,
                                      const struct language_gradients *dz,
                                      const float *dout,
                                      const struct language_block_params *params,
                                      const struct language_block_buffers *z, size_t N,
                                      size_t C, size_t H)
{
    // forward: projected = hidden w_down^T
    LAB_TRY(linear_backward(dz->dhidden, grads->w_down, NULL, dout, z->hidden,
                            params->w_down, N, H, C));
    // forward: hidden = swiglu(gate, up)
    LAB_TRY(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, z->gate, z->up, N * H));
    // forward: gate = normed2 w_gate^T, up = normed2 w_up^T
    LAB_TRY(linear_backward(dz->dnormed2, grads->w_gate, NULL, dz->dgate, z->normed2,
                            params->w_gate, N, C, H));
    LAB_TRY(linear_backward(dz->dbranch, grads->w_up, NULL, dz->dup, z->normed2,
                            params->w_up, N, C, H));
    add_to(dz->dnormed2, dz->dbranch, N * C);
    // forward: normed2 = rmsnorm(middle)
    LAB_TRY(rmsnorm_backward(dz->dbranch, grads->norm2, dz->dnormed2, z->middle, z->rrms2,
                             params->norm2, N, C));
    // forward: out = middle + projected, and middle went into normed2 as well
    return residual_add(dz->dmiddle, dout, dz->dbranch, N * C);
}

// Back through the heads, from dmiddle to dq, dk and dv.
static lab_status heads_backward(const struct language_block_grads *grads,
                                 const struct language_gradients *dz,
                                 const struct language_block_params *params,
                                 const float *weights,
                                 const struct language_block_buffers *z, size_t B,
                                 size_t T, size_t C, size_t NH)
{
    const size_t hs = C / NH;
    // forward: attended = merged w_o^T
    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->merged,
                            params->w_o, B * T, C, C));
    // forward: merged = merge_heads(out_heads), a permutation, so its backward is its inverse
    LAB_TRY(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    // forward: out_heads = softmax(mask(q_turned k_turned^T / sqrt(hs))) v_heads
    LAB_TRY(attention_backward(dz->dq_turned, dz->dk_turned, dz->dv_heads, dz->dweights,
                               dz->dscores, dz->dout_heads, z->q_turned, z->k_turned,
                               z->v_heads, weights, B, NH, T, T, hs));
    // forward: q_turned, k_turned = rope(q_heads), rope(k_heads)
    LAB_TRY(rope_backward(dz->dq_heads, dz->dq_turned, z->positions, B, NH, T, hs));
    LAB_TRY(rope_backward(dz->dk_heads, dz->dk_turned, z->positions, B, NH, T, hs));
    // forward: q_heads, k_heads, v_heads = split_heads(q), split_heads(k), split_heads(v)
    LAB_TRY(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
    LAB_TRY(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
    return merge_heads(dz->dv, dz->dv_heads, B, T, C, NH);
}

// Back through q, k, v = normed1 w_q^T, w_k^T, w_v^T: three gradients add up in dnormed1.
static lab_status qkv_backward(const struct language_block_grads *grads,
                               const struct language_gradients *dz,
                               const struct language_block_params *params,
                               const float *normed1, size_t N, size_t C)
{
    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, normed1, params->w_q,
                            N, C, C));
    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dk, normed1, params->w_k,
                            N, C, C));
    add_to(dz->dnormed1, dz->dbranch, N * C);
    LAB_TRY(linear_backward(dz->dbranch, grads->w_v, NULL, dz->dv, normed1, params->w_v,
                            N, C, C));
    add_to(dz->dnormed1, dz->dbranch, N * C);
    return LAB_OK;
}
// END SOLUTION 8.8

lab_status language_block_backward(float *dx, const struct language_block_grads *grads,
                                   const struct language_gradients *dz, const float *dout,
                                   const float *x,
                                   const struct language_block_params *params,
                                   const float *weights,
                                   const struct language_block_buffers *z, size_t B,
                                   size_t T, size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.8 language_block_backward: follow language_block from its last line to its
    // first; normed1 and normed2 were used several times, so their gradients are sums; LAB_TRY
    // around every call (about 50 lines, helpers are welcome)
    const size_t N = B * T;
    LAB_TRY(mlp_branch_backward(grads, dz, dout, params, z, N, C, H));
    LAB_TRY(heads_backward(grads, dz, params, weights, z, B, T, C, NH));
    LAB_TRY(qkv_backward(grads, dz, params, z->normed1, N, C));
    // forward: normed1 = rmsnorm(x)
    LAB_TRY(rmsnorm_backward(dz->dbranch, grads->norm1, dz->dnormed1, x, z->rrms1,
                             params->norm1, N, C));
    // forward: middle = x + attended, and x went into normed1 as well
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
    // END SOLUTION 8.8
}

lab_status language_backward(const struct language_params *grads,
                             const struct language_gradients *dz,
                             const struct language_activations *z,
                             const struct language_params *params, const size_t *tokens,
                             const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || !tokens_below(targets, B * T, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.8 language_backward: follow language_forward from its last line to its first
    // (about 19 lines)
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    const float *last = z->streams + s->L * BTC;
    // forward: loss = cross_entropy(logits, targets)
    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, V));
    // forward: logits = normed w_out^T
    LAB_TRY(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits, z->normed,
                            params->w_out, B * T, C, V));
    // forward: normed = rmsnorm(streams[L])
    LAB_TRY(rmsnorm_backward(dz->dstreams + s->L * BTC, grads->norm, dz->dnormed, last,
                             z->rrms, params->norm, B * T, C));
    // forward: streams[l + 1] = language_block(streams[l])
    for (size_t l = s->L; l-- > 0;) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_grads block_grads = language_block_grads(grads, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        LAB_TRY(language_block_backward(
            dz->dstreams + l * BTC, &block_grads, dz, dz->dstreams + (l + 1) * BTC,
            z->streams + l * BTC, &block, z->weights + l * BNHTT, &buffers, B, T, C,
            s->NH, s->H));
    }
    // forward: streams[0] = embedding(tokens)
    return embedding_backward(grads->token_table, dz->dstreams, tokens, B * T, C, V);
    // END SOLUTION 8.8
}

// ---- 8.9  how good the model is -----------------------------------------------------------

lab_status held_out_loss(double *loss, const struct language_activations *z,
                         const struct language_params *params, const size_t *stream,
                         size_t N, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (N < 2) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(stream, N, shape->V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.9 held_out_loss: language_forward on one window after the other, the last
    // perhaps shorter; add up each window's mean times its tokens, in double (about 12 lines)
    struct language_shape window = *shape;
    window.B = 1;
    double total = 0.0;
    for (size_t first = 0; first + 1 < N; first += shape->T) {
        const size_t left = N - 1 - first; // remaining targets
        window.T = left < shape->T ? left : shape->T;
        float mean;
        LAB_TRY(language_forward(&mean, z, params, stream + first, stream + first + 1,
                                 &window));
        total += (double)mean * (double)window.T;
    }
    *loss = total / (double)(N - 1);
    return LAB_OK;
    // END SOLUTION 8.9
}

lab_status perplexity(double *perplexity, double loss)
{
    if (!(loss >= 0.0)) { // written this way, it refuses NaN too
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.9 perplexity: exp (1 line)
    *perplexity = exp(loss);
    return LAB_OK;
    // END SOLUTION 8.9
}

lab_status bits_per_character(double *bits, double loss)
{
    if (!(loss >= 0.0)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.9 bits_per_character: divide by the natural logarithm of 2 (1 line)
    *bits = loss / log(2.0);
    return LAB_OK;
    // END SOLUTION 8.9
}
