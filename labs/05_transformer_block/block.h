// block.h - the contract of lab 5: the transformer block.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, inputs,
// sizes. Buffers belong to the caller and never overlap, and no function allocates memory.
// Every function returns LAB_ESHAPE if a size is 0. A function that rejects its arguments leaves
// its outputs unchanged; if a function that it calls fails, they may be partly written.
//
//   B  sequences in the batch    C   model width            NH  heads, hs = C / NH
//   T  tokens per sequence       H   width inside the MLP   L   layers
//   N  rows in general: B * T    V   vocabulary
//
// The rows of x, C numbers for each token, run through all blocks: the residual stream.
//
//   x ──┬─────────────────────────────(+)──┬────────────────────────────(+)──> out
//       └─ layernorm 1 ─ attention ───┘    └─ layernorm 2 ─ mlp ────────┘
//
// Start reading at layernorm; block.c is the file to edit.

#ifndef LAB_05_BLOCK_H
#define LAB_05_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "04_multi_head/heads.h"
#include "common/status.h"

#define LAYERNORM_EPS 1e-5f // prevents a division by 0 in a row of equal numbers

// 5.1  Normalizes every row to mean 0 and variance 1, then scales and shifts each channel.
//
//   mean[n] = sum over c of x[n][c] / C
//   rstd[n] = 1 / sqrt(sum over c of (x[n][c] - mean[n])^2 / C + LAYERNORM_EPS)
//   y[n][c] = (x[n][c] - mean[n]) * rstd[n] * gain[c] + bias[c]
//
//   y (N, C) written    mean, rstd (N) written: the backward pass of lab 6 needs them
//   x (N, C) read       gain, bias (C) read
//
// The variance is the biased one: divide by C, not by C - 1. A row of equal numbers becomes bias.
// A NaN in a row of x makes its y, mean and rstd NaN.
// Source: Ba, Kiros and Hinton, Layer Normalization (2016), equations 3 and 4;
// torch.nn.LayerNorm.
// Example: layernorm(y, mean, rstd, x, gain, bias, B * T, C);
LAB_CHECKED lab_status layernorm(float *y, float *mean, float *rstd, const float *x,
                                 const float *gain, const float *bias, size_t N,
                                 size_t C);

// 5.2  The Gaussian error linear unit: x times the share of a standard normal that lies below
//      x. This is the exact form; the tanh form differs by up to 4.7e-4.
//
//   y[i] = x[i] / 2 * (1 + erf(x[i] / sqrt(2)))
//
//   y (N) written    x (N) read
//
// NaN stays NaN.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2; torch.nn.GELU().
// Example: gelu(activated, hidden, B * T * H);
LAB_CHECKED lab_status gelu(float *y, const float *x, size_t N);

// The two linear layers of an MLP. Weights are (out, in), as in lab 2.
struct mlp_params {
    const float *w_fc, *b_fc;     // (H, C), (H)
    const float *w_proj, *b_proj; // (C, H), (C)
};

// 5.3  The multilayer perceptron of a block: a linear layer from C to H, a GELU, and a linear
//      layer back to C. It works on each row alone.
//
//   hidden = x w_fc^T + b_fc    activated = gelu(hidden)    y = activated w_proj^T + b_proj
//
//   y (N, C) written    x (N, C) read    params read
//   hidden, activated (N, H): written with the results they are named after; not judged here,
//   but read by the backward pass of lab 6
//
// If batched_linear of lab 2 fails, returns its status.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 2, there with ReLU.
// Example: mlp(projected, hidden, activated, ln2, &params, B * T, C, 4 * C);
LAB_CHECKED lab_status mlp(float *y, float *hidden, float *activated, const float *x,
                           const struct mlp_params *params, size_t N, size_t C, size_t H);

// 5.4  Dropout: during training, sets each number to 0 with probability p and scales up the
//      others, which keeps the expected value. Otherwise copies x. The random numbers are an
//      argument: uniform in [0, 1), as lab_rng_rand draws them.
//
//   training:   y[i] = x[i] / (1 - p) where uniforms[i] < 1 - p, else 0
//   otherwise:  y[i] = x[i]
//
// An infinity or NaN that is kept stays. If one is dropped, 0 is right, and so is NaN, which
// 0 * x[i] gives.
//
//   y (N) written    x, uniforms (N) read    p, a probability
//
// LAB_EVALUE unless 0 <= p < 1, training or not; NaN is refused too.
// Source: Srivastava et al., Dropout (2014), section 10 for the scaling while training;
// torch.nn.Dropout.
// Example: dropout(y, x, uniforms, 0.1f, true, B * T * C);
LAB_CHECKED lab_status dropout(float *y, const float *x, const float *uniforms, float p,
                               bool training, size_t N);

// 5.5  Adds the output of a branch to the stream.
//
//   y[i] = x[i] + branch[i], even if a number is infinite or NaN
//
//   y (N) written    x, branch (N) read
//
// Source: He et al., Deep Residual Learning for Image Recognition (2015), equation 1.
// Example: residual_add(middle, x, attended, B * T * C);
LAB_CHECKED lab_status residual_add(float *y, const float *x, const float *branch,
                                    size_t N);

// All parameters of one block.
struct block_params {
    const float *ln1_gain, *ln1_bias;  // (C), (C)
    struct attention_params attention; // C_in = C
    const float *ln2_gain, *ln2_bias;  // (C), (C)
    struct mlp_params mlp;
};

// The intermediate results between x and out. The caller keeps them for lab 6's backward pass.
struct block_buffers {
    float *ln1, *ln1_mean, *ln1_rstd; // (B, T, C), (B, T), (B, T)
    struct attention_buffers attention;
    float *attended;                  // (B, T, C): output of the attention
    float *middle;                    // (B, T, C): x + attended
    float *ln2, *ln2_mean, *ln2_rstd; // (B, T, C), (B, T), (B, T)
    float *hidden, *activated;        // (B, T, H)
    float *projected;                 // (B, T, C): output of the MLP
};

// 5.6  One pre-norm block: each branch reads a normalized copy of the stream, and its output is
//      added to the stream itself. No dropout.
//
//   middle = x + attention(layernorm 1(x))    out = middle + mlp(layernorm 2(middle))
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   buffers: each is written with the result it is named after; not judged here, but the
//   backward pass of lab 6 reads them
//   x (B, T, C) read    params read    causal: no token sees a later one
//
// LAB_ESHAPE if NH does not divide C. If a function it calls fails, returns that function's
// status.
// Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019), section
// 2.3; Xiong et al., On Layer Normalization in the Transformer Architecture (2020), figure 1b.
// Example: transformer_block(out, weights, &buffers, x, &params, true, B, T, C, NH, 4 * C);
LAB_CHECKED lab_status transformer_block(float *out, float *weights,
                                         const struct block_buffers *buffers,
                                         const float *x,
                                         const struct block_params *params, bool causal,
                                         size_t B, size_t T, size_t C, size_t NH,
                                         size_t H);

// 5.7  L blocks, one after the other: block l reads the output of block l - 1 and has separate
//      parameters.
//
//   streams[0] = block(x, params[0])    streams[l] = block(streams[l - 1], params[l])
//
//   streams (L, B, T, C) written: the output of every block, streams[L - 1] the result
//   weights (L, B, NH, T, T) written
//   buffers: the workspaces of one block, overwritten by each block
//   x (B, T, C) read    params (L) read
//
// If transformer_block fails, returns its status.
// Source: as for transformer_block.
// Example: transformer_stack(streams, weights, &buffers, x, params, true, B, T, C, NH, H, L);
LAB_CHECKED lab_status transformer_stack(float *streams, float *weights,
                                         const struct block_buffers *buffers,
                                         const float *x,
                                         const struct block_params *params, bool causal,
                                         size_t B, size_t T, size_t C, size_t NH,
                                         size_t H, size_t L);

// 5.8  The number of parameters in struct block_params: two layer norms, an attention with both
//      biases, an MLP with both biases. The number of heads does not matter.
//
//   count, one number, written
//
// Example: block_parameter_count(&count, 768, 3072);    count is 7087872
LAB_CHECKED lab_status block_parameter_count(size_t *count, size_t C, size_t H);

// 5.8  The same for L blocks, without a final layer norm.
//
//   count, one number, written
//
// Example: stack_parameter_count(&count, 768, 3072, 12);    count is 85054464
LAB_CHECKED lab_status stack_parameter_count(size_t *count, size_t C, size_t H, size_t L);

// 5.8  The number of parameters of GPT-2: token embedding (V, C), position embedding (T, C),
//      L blocks with H = 4C, a final layer norm. The output matrix is the token embedding
//      again, so it is not counted a second time. It has no bias.
//
//   count, one number, written    T, the longest sequence
//
// Source: Radford et al. (2019), table 2. (Its totals are too small; the handout explains why.)
// Example: gpt2_parameter_count(&count, 50257, 1024, 768, 12);    count is 124439808
LAB_CHECKED lab_status gpt2_parameter_count(size_t *count, size_t V, size_t T, size_t C,
                                            size_t L);

#endif
