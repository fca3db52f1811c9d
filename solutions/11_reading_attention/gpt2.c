// gpt2.c - one block of GPT-2.
//
//   x ──┬──────────────────────(+)── middle ──┬────────────────(+)──> out
//       └─ norm ─ attention ────┘             └─ norm ─ mlp ────┘
// It is lab 5's block with a different GELU and with transposed matrices. Start reading at gelu_tanh.

#include "11_reading_attention/reading.h"

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"

// ---- 11.5  GELU with tanh -----------------------------------------------------------------

lab_status gelu_tanh(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.5 gelu_tanh: the formula of the contract for each number (about 6 lines)
    const float root = sqrtf(2.0f / 3.14159265358979f);
    for (size_t n = 0; n < N; n++) {
        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
    }
    return LAB_OK;
    // END SOLUTION 11.5
}

// ---- 11.5  matrices stored (in, out) ------------------------------------------------------

lab_status linear_in_out(float *y, const float *x, const float *w, const float *bias,
                         size_t N, size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.5 linear_in_out: one of lab 2's products, then the bias (about 7 lines)
    LAB_TRY(matmul(y, x, w, N, O, I));
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
    return LAB_OK;
    // END SOLUTION 11.5
}

// ---- 11.5  the block ----------------------------------------------------------------------

// BEGIN SOLUTION 11.5 helper
static lab_status attend(float *out, float *weights, const struct attention_buffers *z,
                         const float *x, const struct gpt2_params *params, size_t B,
                         size_t T, size_t C, size_t NH)
{
    LAB_TRY(linear_in_out(z->qkv, x, params->w_qkv, params->b_qkv, B * T, C, 3 * C));
    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
    }
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, z->mask, B, NH, T, T,
                                         C / NH));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return linear_in_out(out, z->merged, params->w_o, params->b_o, B * T, C, C);
}
// END SOLUTION 11.5

lab_status gpt2_block(float *out, float *weights, const struct gpt2_buffers *buffers,
                      const float *x, const struct gpt2_params *params, size_t B,
                      size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.5 gpt2_block: norm; attention as in 4.6, with linear_in_out; add; norm; MLP
    // as in 5.3; add (about 25 lines)
    const struct gpt2_buffers *z = buffers;
    const size_t N = B * T;

    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));

    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
    LAB_TRY(gelu_tanh(z->activated, z->hidden, N * H));
    LAB_TRY(linear_in_out(z->projected, z->activated, params->w_proj, params->b_proj, N,
                          H, C));
    return residual_add(out, z->middle, z->projected, N * C);
    // END SOLUTION 11.5
}
