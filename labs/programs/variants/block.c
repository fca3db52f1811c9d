// block.c - variants of a block, forward and backward.
//
//   pre-norm    middle = x + attention(ln1(x))     out = middle + mlp(ln2(middle))
//   post-norm   ln1 = layernorm(x + attention(x))  out = layernorm(ln1 + mlp(ln1))
//
// Rotary positions rotate q_heads and k_heads; the backward pass rotates their gradients
// back. A bias of the scores needs no backward code: it changes the weights, which
// attention_backward uses.

#include "programs/variants/variants.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "07_positional_encoding/positions.h"

// ---- attention ----------------------------------------------------------------------------

// Rotates x (B,NH,T,hs) by its positions, or back. room (B,NH,T,hs) is a workspace. To
// rotate by -angle, flip the sign of the second channel of each pair, rotate by angle, and
// flip again.
static lab_status turn(float *x, float *room, bool back, const size_t *places,
                       const struct model_shape *s)
{
    const size_t count = s->B * s->T * s->C;
    for (size_t i = 1; i < count && back; i += 2) {
        x[i] = -x[i];
    }
    const lab_status status = rope(room, x, places, s->B, s->NH, s->T, s->C / s->NH);
    if (status == LAB_OK) {
        memcpy(x, room, count * sizeof *x);
    }
    for (size_t i = 1; i < count && back; i += 2) {
        x[i] = -x[i];
    }
    return status;
}

// scaled_dot_product_attention of lab 4, with a bias between the scores and the softmax.
static lab_status attention_with_bias(const struct attention_buffers *a, float *weights,
                                      const float *bias, const struct model_shape *s)
{
    const size_t T = s->T, hs = s->C / s->NH, heads = s->B * s->NH;
    LAB_TRY(batched_matmul_nt(a->scores, a->q_heads, a->k_heads, heads, T, T, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < heads * T * T; i++) {
        a->scores[i] = a->scores[i] * scale + bias[i % (s->NH * T * T)];
    }
    for (size_t i = 0; i < heads; i++) {
        LAB_TRY(
            masked_softmax(weights + i * T * T, a->scores + i * T * T, a->mask, T, T));
    }
    return batched_matmul(a->out_heads, weights, a->v_heads, heads, T, hs, T);
}

// attended = attention(in)
static lab_status attend(float *attended, float *weights,
                         const struct attention_buffers *a, const float *in,
                         const struct attention_params *p, const struct variant *v,
                         const struct model_shape *s)
{
    const size_t B = s->B, T = s->T, C = s->C, NH = s->NH;
    LAB_TRY(batched_linear(a->qkv, in, p->w_qkv, p->b_qkv, B, T, C, 3 * C));
    LAB_TRY(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
    float *const heads[] = {a->q_heads, a->k_heads, a->v_heads};
    const float *const whole[] = {a->q, a->k, a->v};
    for (size_t i = 0; i < 3; i++) {
        LAB_TRY(split_heads(heads[i], whole[i], B, T, C, NH));
    }
    for (size_t i = 0; i < 2 && v->places != NULL; i++) {
        LAB_TRY(turn(heads[i], a->out_heads, false, v->places, s));
    }
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(causal_mask(a->mask + b * T * T, T, T));
    }
    if (v->bias != NULL) {
        LAB_TRY(attention_with_bias(a, weights, v->bias, s));
    } else {
        LAB_TRY(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads,
                                             a->k_heads, a->v_heads, a->mask, B, NH, T, T,
                                             C / NH));
    }
    LAB_TRY(merge_heads(a->merged, a->out_heads, B, T, C, NH));
    return batched_linear(attended, a->merged, p->w_o, p->b_o, B, T, C, C);
}

// Back through attended = attention(in), from dattended to din.
static lab_status attend_backward(float *din, const struct block_grads *grads,
                                  const struct model_gradients *dz,
                                  const float *dattended, const float *in,
                                  const struct attention_params *p, const float *weights,
                                  const struct attention_buffers *a,
                                  const struct variant *v, const struct model_shape *s)
{
    const size_t B = s->B, T = s->T, C = s->C, NH = s->NH;
    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, grads->b_o, dattended, a->merged,
                            p->w_o, B * T, C, C));
    LAB_TRY(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    LAB_TRY(attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                               dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                               a->v_heads, weights, B, NH, T, T, C / NH));
    float *const heads[] = {dz->dq_heads, dz->dk_heads, dz->dv_heads};
    float *const whole[] = {dz->dq, dz->dk, dz->dv};
    for (size_t i = 0; i < 2 && v->places != NULL; i++) {
        LAB_TRY(turn(heads[i], dz->dout_heads, true, v->places, s));
    }
    for (size_t i = 0; i < 3; i++) {
        LAB_TRY(merge_heads(whole[i], heads[i], B, T, C, NH));
    }
    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, B * T, C);
    return linear_backward(din, grads->w_qkv, grads->b_qkv, dz->dqkv, in, p->w_qkv, B * T,
                           C, 3 * C);
}

// ---- MLP ----------------------------------------------------------------------------------

// Back through projected = mlp(in), from dprojected to din.
static lab_status mlp_backward(float *din, const struct block_grads *grads,
                               const struct model_gradients *dz, const float *dprojected,
                               const float *in, const struct mlp_params *p,
                               const struct block_buffers *z, const struct model_shape *s)
{
    const size_t N = s->B * s->T;
    LAB_TRY(linear_backward(dz->dactivated, grads->w_proj, grads->b_proj, dprojected,
                            z->activated, p->w_proj, N, s->H, s->C));
    LAB_TRY(gelu_backward(dz->dhidden, dz->dactivated, z->hidden, N * s->H));
    return linear_backward(din, grads->w_fc, grads->b_fc, dz->dhidden, in, p->w_fc, N,
                           s->C, s->H);
}

// ---- pre-norm -----------------------------------------------------------------------------

static lab_status pre_norm(float *out, float *weights, const struct block_buffers *z,
                           const float *x, const struct block_params *p,
                           const struct variant *v, const struct model_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    LAB_TRY(
        layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, p->ln1_gain, p->ln1_bias, N, C));
    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, &p->attention, v, s));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));
    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, p->ln2_gain,
                      p->ln2_bias, N, C));
    LAB_TRY(mlp(z->projected, z->hidden, z->activated, z->ln2, &p->mlp, N, C, s->H));
    return residual_add(out, z->middle, z->projected, N * C);
}

static lab_status pre_norm_backward(float *dx, const struct block_grads *grads,
                                    const struct model_gradients *dz, const float *dout,
                                    const float *x, const struct block_params *p,
                                    const float *weights, const struct block_buffers *z,
                                    const struct variant *v, const struct model_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    LAB_TRY(mlp_backward(dz->dln2, grads, dz, dout, z->ln2, &p->mlp, z, s));
    LAB_TRY(layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
                               z->middle, z->ln2_mean, z->ln2_rstd, p->ln2_gain, N, C));
    LAB_TRY(residual_add(dz->dmiddle, dout, dz->dbranch, N * C));
    LAB_TRY(attend_backward(dz->dln1, grads, dz, dz->dmiddle, z->ln1, &p->attention,
                            weights, &z->attention, v, s));
    LAB_TRY(layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1, x,
                               z->ln1_mean, z->ln1_rstd, p->ln1_gain, N, C));
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
}

// ---- post-norm ----------------------------------------------------------------------------

static lab_status post_norm(float *out, float *weights, const struct block_buffers *z,
                            const float *x, const struct block_params *p,
                            const struct variant *v, const struct model_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    LAB_TRY(attend(z->attended, weights, &z->attention, x, &p->attention, v, s));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));
    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, z->middle, p->ln1_gain,
                      p->ln1_bias, N, C));
    LAB_TRY(mlp(z->projected, z->hidden, z->activated, z->ln1, &p->mlp, N, C, s->H));
    LAB_TRY(residual_add(z->ln2, z->ln1, z->projected, N * C));
    return layernorm(out, z->ln2_mean, z->ln2_rstd, z->ln2, p->ln2_gain, p->ln2_bias, N,
                     C);
}

static lab_status post_norm_backward(float *dx, const struct block_grads *grads,
                                     const struct model_gradients *dz, const float *dout,
                                     const float *x, const struct block_params *p,
                                     const float *weights, const struct block_buffers *z,
                                     const struct variant *v, const struct model_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    // forward: out = layernorm(ln1 + mlp(ln1))
    LAB_TRY(layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dout,
                               z->ln2, z->ln2_mean, z->ln2_rstd, p->ln2_gain, N, C));
    LAB_TRY(mlp_backward(dz->dln2, grads, dz, dz->dbranch, z->ln1, &p->mlp, z, s));
    LAB_TRY(residual_add(dz->dln1, dz->dbranch, dz->dln2, N * C));
    // forward: ln1 = layernorm(x + attention(x))
    LAB_TRY(layernorm_backward(dz->dmiddle, grads->ln1_gain, grads->ln1_bias, dz->dln1,
                               z->middle, z->ln1_mean, z->ln1_rstd, p->ln1_gain, N, C));
    LAB_TRY(attend_backward(dz->dbranch, grads, dz, dz->dmiddle, x, &p->attention,
                            weights, &z->attention, v, s));
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
}

// ---- either -------------------------------------------------------------------------------

lab_status variant_block(float *out, float *weights, const struct block_buffers *z,
                         const float *x, const struct block_params *params,
                         const struct variant *v, const struct model_shape *s)
{
    return (v->post_norm ? post_norm : pre_norm)(out, weights, z, x, params, v, s);
}

lab_status variant_block_backward(float *dx, const struct block_grads *grads,
                                  const struct model_gradients *dz, const float *dout,
                                  const float *x, const struct block_params *params,
                                  const float *weights, const struct block_buffers *z,
                                  const struct variant *v, const struct model_shape *s)
{
    return (v->post_norm ? post_norm_backward : pre_norm_backward)(
        dx, grads, dz, dout, x, params, weights, z, v, s);
}
