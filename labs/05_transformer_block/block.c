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
    // TODO 5.1: for each row: the mean; the mean of the squared distances from it; then
    // every channel (about 18 lines)
    return lab_todo(y, mean, rstd, x, gain, bias, N, C);
}

// ---- 5.2  GELU ----------------------------------------------------------------------------

lab_status gelu(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.2: one line per number, with erff from math.h (about 4 lines)
    return lab_todo(y, x, N);
}

// ---- 5.3  MLP -----------------------------------------------------------------------------

lab_status mlp(float *y, float *hidden, float *activated, const float *x,
               const struct mlp_params *params, size_t N, size_t C, size_t H)
{
    if (N == 0 || C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.3: up, GELU, down; each call in LAB_TRY (about 3 lines)
    return lab_todo(y, hidden, activated, x, params, N, C, H);
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
    // TODO 5.4: if not training, copy; otherwise keep and scale, or set to 0 (about 9
    // lines)
    return lab_todo(y, x, uniforms, p, training, N);
}

// ---- 5.5  residual ------------------------------------------------------------------------

lab_status residual_add(float *y, const float *x, const float *branch, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.5: one sum per number (about 4 lines)
    return lab_todo(y, x, branch, N);
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
    // TODO 5.6: twice: normalize a copy, run the branch, add its output to the stream
    // before normalizing; each call in LAB_TRY (about 11 lines)
    return lab_todo(out, weights, buffers, x, params, causal, B, T, C, NH, H);
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
    // TODO 5.7: each block reads the output of the block before it and writes its own
    // part of streams and weights (about 8 lines)
    return lab_todo(streams, weights, buffers, x, params, causal, B, T, C, NH, H, L);
}

// ---- 5.8  how many parameters -------------------------------------------------------------

lab_status block_parameter_count(size_t *count, size_t C, size_t H)
{
    if (C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.8: go through struct block_params, array by array (about 5 lines)
    return lab_todo(count, C, H);
}

lab_status stack_parameter_count(size_t *count, size_t C, size_t H, size_t L)
{
    if (C == 0 || H == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.8: L times one block (about 4 lines)
    return lab_todo(count, C, H, L);
}

lab_status gpt2_parameter_count(size_t *count, size_t V, size_t T, size_t C, size_t L)
{
    if (V == 0 || T == 0 || C == 0 || L == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.8: two embeddings, the stack, one more layer norm (about 4 lines)
    return lab_todo(count, V, T, C, L);
}
