// block.c - the transformer block of lab 5, made fast.
//
// The plain form is solutions/05_transformer_block/block.c. Two loops differ. (A block's matrix
// products are in labs 2 and 4.)
//
//   1  Layer norm (5.1). In the plain sum each addition waits for the one before it. lab_sum and
//      lab_dot keep eight sums side by side. Each of these sums is short and rounds little, so
//      float is enough. The distances from the mean are computed once and kept in y.
//   2  GELU (5.2). erff is a function call per number. lab_normal has no call and no branch, so
//      the compiler computes 4, 8 or 16 numbers at once.
//   3  Both: LAB_WIDE compiles the loop for each vector width; the program runs the widest
//      version that the machine supports.
//
// BEGIN MEASURED: build/bench/ladder 05_transformer_block/block.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// layernorm, N=256, C=32
//     plain: sums in double, one after another                     14.4 us   1.00
//     1  eight sums in float                                       12.9 us   1.12
//     3  LAB_WIDE (this file)                                       4.5 us   3.18
//
// layernorm, N=256, C=768
//     plain: sums in double, one after another                    302.0 us   1.00
//     1  eight sums in float                                      199.4 us   1.51
//     3  LAB_WIDE (this file)                                      82.1 us   3.68
//
// gelu, N=32768
//     plain: erff, a call for each number                         306.3 us   1.00
//     2  lab_normal: no call, no branch                           340.0 us   0.90
//     3  LAB_WIDE (this file)                                      16.2 us  18.95
// END MEASURED
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
#include "fast/common/vector_math.h"

// ---- 5.1  layer norm ----------------------------------------------------------------------

LAB_WIDE static void layernorm_rows(float *restrict y, float *restrict mean,
                                    float *restrict rstd, const float *restrict x,
                                    const float *restrict gain,
                                    const float *restrict bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        float *y_n = y + n * C;

        // pass 1: the mean
        const float m = lab_sum(x_n, C) / (float)C;

        // pass 2: the distances from the mean, and the variance, divided by C
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x_n[c] - m;
        }
        const float variance = lab_dot(y_n, y_n, C) / (float)C;
        const float r = 1.0f / sqrtf(variance + LAYERNORM_EPS);

        // pass 3: normalize, scale, shift
        for (size_t c = 0; c < C; c++) {
            y_n[c] = y_n[c] * r * gain[c] + bias[c];
        }
        mean[n] = m;
        rstd[n] = r;
    }
}

lab_status layernorm(float *y, float *mean, float *rstd, const float *x,
                     const float *gain, const float *bias, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    layernorm_rows(y, mean, rstd, x, gain, bias, N, C);
    return LAB_OK;
}

// ---- 5.2  GELU ----------------------------------------------------------------------------

// (1 + erf(x / sqrt 2)) / 2 is the share of the normal distribution below x
LAB_WIDE static void gelu_all(float *restrict y, const float *restrict x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] * lab_normal(x[i]).cdf;
    }
}

lab_status gelu(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    gelu_all(y, x, N);
    return LAB_OK;
}

// ---- 5.3  MLP -----------------------------------------------------------------------------

lab_status mlp(float *y, float *hidden, float *activated, const float *x,
               const struct mlp_params *params, size_t N, size_t C, size_t H)
{
    if (N == 0 || C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H));
    LAB_TRY(gelu(activated, hidden, N * H));
    return batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, C);
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
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < keep ? x[i] / keep : 0.0f;
    }
    return LAB_OK;
}

// ---- 5.5  residual ------------------------------------------------------------------------

lab_status residual_add(float *y, const float *x, const float *branch, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + branch[i];
    }
    return LAB_OK;
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
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * B * T * C;
        LAB_TRY(transformer_block(output, weights + l * B * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;
}

// ---- 5.8  how many parameters -------------------------------------------------------------

lab_status block_parameter_count(size_t *count, size_t C, size_t H)
{
    if (C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    const size_t in_norms = 2 * (C + C);                           // gain and bias, twice
    const size_t in_attention = (3 * C * C + 3 * C) + (C * C + C); // qkv, output
    const size_t in_mlp = (H * C + H) + (C * H + C);               // up, down
    *count = in_norms + in_attention + in_mlp;
    return LAB_OK;
}

lab_status stack_parameter_count(size_t *count, size_t C, size_t H, size_t L)
{
    if (C == 0 || H == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    size_t block;
    LAB_TRY(block_parameter_count(&block, C, H));
    *count = L * block;
    return LAB_OK;
}

lab_status gpt2_parameter_count(size_t *count, size_t V, size_t T, size_t C, size_t L)
{
    if (V == 0 || T == 0 || C == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    size_t stack;
    LAB_TRY(stack_parameter_count(&stack, C, 4 * C, L));
    *count = V * C + T * C + stack + (C + C);
    return LAB_OK;
}
