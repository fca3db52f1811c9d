// block.h - the contract of lab 5: the transformer block.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, inputs,
// sizes. Buffers belong to the caller, never overlap, and no function allocates. Every
// function returns LAB_ESHAPE when one of its sizes is 0, and leaves its outputs as they were
// whenever it returns anything but LAB_OK (workspaces may be written all the same).
//
//   B  sequences in the batch    C   model width            NH  heads, hs = C / NH
//   T  tokens per sequence       H   width inside the MLP   L   layers
//   N  rows in general: B * T    V   vocabulary
//
// A row of x, the C numbers of one token, runs through all blocks: the residual stream.
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

#define LAYERNORM_EPS 1e-5f // keeps a row of equal numbers from being divided by 0

// 5.1  Brings every row to mean 0 and variance 1, then stretches and shifts each channel.
//
//   mean[n] = sum over c of x[n][c] / C
//   rstd[n] = 1 / sqrt(sum over c of (x[n][c] - mean[n])^2 / C + LAYERNORM_EPS)
//   y[n][c] = (x[n][c] - mean[n]) * rstd[n] * gain[c] + bias[c]
//
//   y (N, C) written    mean, rstd (N) written: lab 6 needs them on the way back
//   x (N, C) read       gain, bias (C) read
//
// The variance is the biased one, over C and not C - 1. A row of equal numbers becomes bias.
// Source: Ba, Kiros and Hinton, Layer Normalization (2016), equations 3 and 4;
// torch.nn.LayerNorm.
// Example: layernorm(y, mean, rstd, x, gain, bias, B * T, C);
LAB_CHECKED lab_status layernorm(float *y, float *mean, float *rstd, const float *x,
                                 const float *gain, const float *bias, size_t N,
                                 size_t C);

// 5.2  The Gaussian error linear unit: x times the share of a unit normal that lies below x.
//      This is the exact form; the tanh form is up to 4.7e-4 away from it.
//
//   y[i] = x[i] / 2 * (1 + erf(x[i] / sqrt(2)))
//
//   y (N) written    x (N) read
//
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2; torch.nn.GELU().
// Example: gelu(activated, hidden, B * T * H);
LAB_CHECKED lab_status gelu(float *y, const float *x, size_t N);

// The two linear layers of an MLP. Weights are (out, in), as in lab 2.
struct mlp_params {
    const float *w_fc, *b_fc;     // (H, C), (H)
    const float *w_proj, *b_proj; // (C, H), (C)
};

// 5.3  The multilayer perceptron of a block: from C up to H, the GELU, and back down to C. It
//      works on each row alone.
//
//   hidden = x w_fc^T + b_fc    activated = gelu(hidden)    y = activated w_proj^T + b_proj
//
//   y (N, C) written    hidden, activated (N, H): workspaces, written
//   x (N, C) read       params read
//
// Also returns what batched_linear of lab 2 returns when it fails.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 2, there with ReLU.
// Example: mlp(projected, hidden, activated, ln2, &params, B * T, C, 4 * C);
LAB_CHECKED lab_status mlp(float *y, float *hidden, float *activated, const float *x,
                           const struct mlp_params *params, size_t N, size_t C, size_t H);

// 5.4  Dropout: while training each number is set to 0 with probability p, and what is kept
//      grows so that the expected value stays. Otherwise nothing happens. The random numbers
//      are given: uniform in [0, 1), as lab_rng_rand draws them.
//
//   training:   y[i] = x[i] / (1 - p) where uniforms[i] < 1 - p, else 0
//   otherwise:  y[i] = x[i]
//
//   y (N) written    x, uniforms (N) read    p, a probability
//
// LAB_EVALUE unless 0 <= p < 1, training or not; a NaN is refused too.
// Source: Srivastava et al., Dropout (2014), section 10 for the scaling while training;
// torch.nn.Dropout.
// Example: dropout(y, x, uniforms, 0.1f, true, B * T * C);
LAB_CHECKED lab_status dropout(float *y, const float *x, const float *uniforms, float p,
                               bool training, size_t N);

// 5.5  A branch comes back to the stream.
//
//   y[i] = x[i] + branch[i]
//
//   y (N) written    x, branch (N) read
//
// Source: He et al., Deep Residual Learning for Image Recognition (2015), equation 1.
// Example: residual_add(middle, x, attended, B * T * C);
LAB_CHECKED lab_status residual_add(float *y, const float *x, const float *branch,
                                    size_t N);

// Everything one block has learned.
struct block_params {
    const float *ln1_gain, *ln1_bias;  // (C), (C)
    struct attention_params attention; // C_in = C
    const float *ln2_gain, *ln2_bias;  // (C), (C)
    struct mlp_params mlp;
};

// What lies between x and out, for the caller to keep (lab 6 needs it on the way back).
struct block_buffers {
    float *ln1, *ln1_mean, *ln1_rstd; // (B, T, C), (B, T), (B, T)
    struct attention_buffers attention;
    float *attended;                  // (B, T, C): out of the attention
    float *middle;                    // (B, T, C): x + attended
    float *ln2, *ln2_mean, *ln2_rstd; // (B, T, C), (B, T), (B, T)
    float *hidden, *activated;        // (B, T, H)
    float *projected;                 // (B, T, C): out of the MLP
};

// 5.6  One pre-norm block: each branch reads a normalised copy of the stream, and what it
//      computes is added to the stream itself. No dropout.
//
//   middle = x + attention(layernorm 1(x))    out = middle + mlp(layernorm 2(middle))
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   buffers: written, each with what it is named after: not judged here, but the way back of
//   lab 6 reads them    x (B, T, C) read    params read    causal: no token sees a later one
//
// LAB_ESHAPE when NH does not divide C. Also returns what the functions it calls return when
// they fail.
// Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019), section
// 2.3; Xiong et al., On Layer Normalization in the Transformer Architecture (2020), figure 1b.
// Example: transformer_block(out, weights, &buffers, x, &params, true, B, T, C, NH, 4 * C);
LAB_CHECKED lab_status transformer_block(float *out, float *weights,
                                         const struct block_buffers *buffers,
                                         const float *x,
                                         const struct block_params *params, bool causal,
                                         size_t B, size_t T, size_t C, size_t NH,
                                         size_t H);

// 5.7  L blocks, one after the other: block l reads what block l - 1 wrote, with parameters of
//      its own.
//
//   streams[0] = block(x, params[0])    streams[l] = block(streams[l - 1], params[l])
//
//   streams (L, B, T, C) written: the output of every block, streams[L - 1] the result
//   weights (L, B, NH, T, T) written
//   buffers: workspaces of one block, written by each in turn
//   x (B, T, C) read    params (L) read
//
// Also returns what transformer_block returns when it fails.
// Source: as for transformer_block.
// Example: transformer_stack(streams, weights, &buffers, x, params, true, B, T, C, NH, H, L);
LAB_CHECKED lab_status transformer_stack(float *streams, float *weights,
                                         const struct block_buffers *buffers,
                                         const float *x,
                                         const struct block_params *params, bool causal,
                                         size_t B, size_t T, size_t C, size_t NH,
                                         size_t H, size_t L);

// 5.8  How many numbers struct block_params holds: two layer norms, an attention with both
//      biases, an MLP with both biases. The number of heads changes nothing.
//
//   count, one number, written
//
// Example: block_parameter_count(&count, 768, 3072);    count is 7087872
LAB_CHECKED lab_status block_parameter_count(size_t *count, size_t C, size_t H);

// 5.8  The same for L blocks, and nothing else: no final layer norm.
//
//   count, one number, written
//
// Example: stack_parameter_count(&count, 768, 3072, 12);    count is 85054464
LAB_CHECKED lab_status stack_parameter_count(size_t *count, size_t C, size_t H, size_t L);

// 5.8  How many numbers a GPT-2 has learned: token embedding (V, C), position embedding (T, C),
//      L blocks with H = 4C, a final layer norm. The matrix that turns the last stream into
//      logits is the token embedding again: it is not counted twice, and has no bias.
//
//   count, one number, written    T, the longest sequence
//
// Source: Radford et al. (2019), table 2 (whose totals are too small: see the handout).
// Example: gpt2_parameter_count(&count, 50257, 1024, 768, 12);    count is 124439808
LAB_CHECKED lab_status gpt2_parameter_count(size_t *count, size_t V, size_t T, size_t C,
                                            size_t L);

#endif
