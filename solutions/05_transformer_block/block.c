// block.c - the transformer block: one stream with two branches, and many blocks in a row.
//
//   x ──┬──────────────────────────────────(+)── middle ──┬─────────────────────────(+)──> out
//       └─ layernorm ─> ln1 ─ attention ─> attended       └─ layernorm ─> ln2 ─ mlp ─> projected
//
// Attention moves numbers between tokens; everything else in this file works on each token
// alone. The first functions are plain loops; the last ones combine them.
//
// Start reading at layernorm.

#include "05_transformer_block/block.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"

// ---- 5.1  layer norm ----------------------------------------------------------------------

lab_status layernorm(float *y, float *mean, float *rstd, const float *x,
                     const float *gain, const float *bias, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.1 layernorm: for each row: the mean; the mean of the squared distances
    // from it; then every channel (about 18 lines)
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;

        // pass 1: the mean; a sum in double takes no longer and rounds less
        double sum = 0.0;
        for (size_t c = 0; c < C; c++) {
            sum += x_n[c];
        }
        mean[n] = (float)(sum / (double)C);

        // pass 2: the variance, divided by C and not by C - 1
        double squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double distance = x_n[c] - mean[n];
            squares += distance * distance;
        }
        rstd[n] = (float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));

        // pass 3: normalize, scale, shift
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
    // END SOLUTION 5.1
}

// ---- 5.2  GELU ----------------------------------------------------------------------------

lab_status gelu(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.2 gelu: one line per number, with erff from math.h (about 4 lines)
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
    }
    return LAB_OK;
    // END SOLUTION 5.2
}

// ---- 5.3  MLP -----------------------------------------------------------------------------

lab_status mlp(float *y, float *hidden, float *activated, const float *x,
               const struct mlp_params *params, size_t N, size_t C, size_t H)
{
    if (N == 0 || C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.3 mlp: up, GELU, down; each call in LAB_TRY (about 3 lines)
    LAB_TRY(batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H));
    LAB_TRY(gelu(activated, hidden, N * H));
    return batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, C);
    // END SOLUTION 5.3
}

// ---- 5.4  dropout -------------------------------------------------------------------------

lab_status dropout(float *y, const float *x, const float *uniforms, float p,
                   bool training, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (!(0.0f <= p && p < 1.0f)) { // written this way, it refuses NaN too
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 5.4 dropout: if not training, copy; otherwise keep and scale, or set to 0
    // (about 9 lines)
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < keep ? x[i] / keep : 0.0f;
    }
    return LAB_OK;
    // END SOLUTION 5.4
}

// ---- 5.5  residual ------------------------------------------------------------------------

lab_status residual_add(float *y, const float *x, const float *branch, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.5 residual_add: one sum per number (about 4 lines)
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + branch[i];
    }
    return LAB_OK;
    // END SOLUTION 5.5
}

// ---- 5.6  one block -----------------------------------------------------------------------

lab_status transformer_block(float *out, float *weights,
                             const struct block_buffers *buffers, const float *x,
                             const struct block_params *params, bool causal, size_t B,
                             size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.6 transformer_block: twice: normalize a copy, run the branch, add its
    // output to the stream before normalizing; each call in LAB_TRY (about 11 lines)
    const struct block_buffers *z = buffers;
    const size_t N = B * T;

    // middle = x + attention(layernorm 1(x))
    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(multi_head_attention(z->attended, weights, &z->attention, z->ln1,
                                 &params->attention, causal, B, T, C, C, NH));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));

    // out = middle + mlp(layernorm 2(middle))
    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(mlp(z->projected, z->hidden, z->activated, z->ln2, &params->mlp, N, C, H));
    return residual_add(out, z->middle, z->projected, N * C);
    // END SOLUTION 5.6
}

// ---- 5.7  many blocks ---------------------------------------------------------------------

lab_status transformer_stack(float *streams, float *weights,
                             const struct block_buffers *buffers, const float *x,
                             const struct block_params *params, bool causal, size_t B,
                             size_t T, size_t C, size_t NH, size_t H, size_t L)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || L == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.7 transformer_stack: each block reads the output of the block before it
    // and writes its own part of streams and weights (about 8 lines)
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * B * T * C;
        LAB_TRY(transformer_block(output, weights + l * B * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;
    // END SOLUTION 5.7
}

// ---- 5.8  how many parameters -------------------------------------------------------------

lab_status block_parameter_count(size_t *count, size_t C, size_t H)
{
    if (C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.8 block_parameter_count: go through struct block_params, array by array
    // (about 5 lines)
    const size_t in_norms = 2 * (C + C);                           // gain and bias, twice
    const size_t in_attention = (3 * C * C + 3 * C) + (C * C + C); // qkv, output
    const size_t in_mlp = (H * C + H) + (C * H + C);               // up, down
    *count = in_norms + in_attention + in_mlp;
    return LAB_OK;
    // END SOLUTION 5.8
}

lab_status stack_parameter_count(size_t *count, size_t C, size_t H, size_t L)
{
    if (C == 0 || H == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.8 stack_parameter_count: L times one block (about 4 lines)
    size_t block;
    LAB_TRY(block_parameter_count(&block, C, H));
    *count = L * block;
    return LAB_OK;
    // END SOLUTION 5.8
}

lab_status gpt2_parameter_count(size_t *count, size_t V, size_t T, size_t C, size_t L)
{
    if (V == 0 || T == 0 || C == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.8 gpt2_parameter_count: two embeddings, the stack, one more layer norm
    // (about 4 lines)
    size_t stack;
    LAB_TRY(stack_parameter_count(&stack, C, 4 * C, L));
    *count = V * C + T * C + stack + (C + C);
    return LAB_OK;
    // END SOLUTION 5.8
}
