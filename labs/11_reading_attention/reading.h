// reading.h - the contract of lab 11: running published models, and reading their attention.
//
// The functions of labs 2 to 5 run BERT and GPT-2 with the weights that their authors published. This
// lab adds what these models do differently: how their files store numbers, how they cut text
// into tokens, where BERT normalizes, and how GPT-2 stores matrices. The last functions measure
// what the heads attend to.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, workspaces,
// inputs, sizes. Buffers belong to the caller and never overlap, and no function allocates memory.
// Every function returns LAB_ESHAPE if a size is 0. A function that rejects its arguments leaves
// its outputs unchanged; if a function that it calls fails, they may be partly written.
//
//   B  sequences in the batch    T  tokens in a sequence     C  model width
//   NH, hs  heads and their width, hs = C / NH               H  width inside the MLP
//   L  layers                    V  vocabulary               N  rows or items in general
//
// Files to edit, in this order: numbers.c, pieces.c, bert.c, gpt2.c, measures.c, findings.c.

#ifndef LAB_11_READING_H
#define LAB_11_READING_H

#include <stddef.h>
#include <stdint.h>

#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "common/dimensions.h"
#include "common/pieces.h"
#include "common/status.h"

// ---- numbers.c ----------------------------------------------------------------------------

// 11.1  Numbers of two bytes, as files store them: the lower byte first. A bfloat16 is the upper
//       half of a float: 1 sign bit, 8 bits of exponent, 7 of fraction.
//
//   y[n] = the float whose upper two bytes are bytes[2n + 1] and bytes[2n], and whose others are 0
//
//   y (N) written    bytes (N, 2) read
//
// Every pattern is valid: a NaN gives a NaN, -0 gives -0.
// Example: the bytes 80 3f give 1, the bytes 49 c0 give -3.140625
LAB_CHECKED lab_status bfloat16_to_float(float *y, const uint8_t *bytes, size_t N);

// 11.1  The same for a half: 1 sign bit, 5 bits of exponent e, 10 of fraction f.
//
//   e = 0         f / 1024 * 2^-14             zero and the subnormal numbers
//   0 < e < 31    (1 + f / 1024) * 2^(e - 15)
//   e = 31        infinity if f is 0, else NaN
//
//   y (N) written    bytes (N, 2) read
//
// A float can hold every half, so nothing is rounded.
// Source: IEEE 754-2019, binary16.
// Example: the bytes 00 3c give 1, the bytes 01 00 give 5.9604645e-08
LAB_CHECKED lab_status float16_to_float(float *y, const uint8_t *bytes, size_t N);

// ---- pieces.c -----------------------------------------------------------------------------

enum { WORDPIECE_LONGEST = 100 }; // characters

// 11.2  Cuts a word into pieces of BERT's vocabulary: from the left, always the longest piece that
//       fits. After the first, only pieces that begin with "##" fit; these two bytes are not part
//       of the word.
//   ids (N) written: the first count of them; the others may also be written
//   count (1) written
//   word (N) read: valid UTF-8, without "##"    pieces read (see lab_piece_find)
//   unknown: the token of [UNK]
//
// A piece takes at least one byte of the word, so the pieces "" and "##" never fit. If no piece fits
// at some place, the whole word becomes one token, unknown. The same holds for a word of more than
// WORDPIECE_LONGEST characters. A character of UTF-8 is a byte that is not of the form 10xxxxxx,
// and the bytes of that form that follow it. The vocabulary may be empty.
// Source: Devlin et al., BERT (2019), section 3; Wu et al., Google's Neural Machine Translation
// System (2016), section 4.1.
// Example: "tiredness" with the pieces "tire", "tired" and "##ness" gives "tired" "##ness"
LAB_CHECKED lab_status wordpiece(size_t *ids, size_t *count, const uint8_t *word,
                                 const struct lab_pieces *pieces, size_t unknown,
                                 size_t N);

// 11.3  Merges the tokens of a word, as GPT-2 does. Each round finds the pair of neighbors with the
//       lowest rank, and merges it everywhere in the word, from the left. Ends when no pair of
//       neighbors is in the table, which may be empty.
//   tokens (N) read and written: the first count of them; the others may also be written
//   count (1) written    merges read (see lab_merge_rank)
// A new token may be part of a pair with a lower rank; the next round merges that pair. (This never
// happens with a table from training.)
// Source: Sennrich, Haddow and Birch, Neural Machine Translation of Rare Words with Subword Units
// (2016), algorithm 1; Radford et al. (2019), section 2.2.
// Example: ranks 0 "l o", 1 "lo w", 2 "e r": the tokens l o w e r become low er
LAB_CHECKED lab_status byte_pair_merge(size_t *tokens, size_t *count,
                                       const struct lab_merges *merges, size_t N);

// ---- bert.c -------------------------------------------------------------------------------

#define BERT_EPS 1e-12f

// 11.4  Adds the output of a branch to the stream, then normalizes the sum. Lab 5's layernorm has
//       a different eps, which matters for rows of small numbers.
//
//   s       = x + branch
//   y[n][c] = (s[n][c] - mean[n]) / sqrt(variance[n] + BERT_EPS) * gain[c] + bias[c]
//
//   y (N, C) written    x, branch (N, C), gain, bias (C) read
//
// mean and variance are those of row n of s; the variance is the biased one, as in 5.1. A row of
// equal numbers becomes bias.
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.1; Devlin et al., BERT (2019).
// Example: post_norm(attended, x, branch, gain, bias, B * T, C);
LAB_CHECKED lab_status post_norm(float *y, const float *x, const float *branch,
                                 const float *gain, const float *bias, size_t N,
                                 size_t C);

// All parameters of one layer of BERT. Queries, keys and values each have their own matrix.
struct bert_params {
    struct cross_attention_params attention;
    const float *ln1_gain, *ln1_bias; // (C), (C)
    struct mlp_params mlp;
    const float *ln2_gain, *ln2_bias; // (C), (C)
};

struct bert_buffers {
    struct cross_attention_buffers attention; // S = T
    float *attended;                          // (B, T, C): output of the attention
    float *middle;                            // (B, T, C): after the first norm
    float *hidden, *activated;                // (B, T, H)
    float *projected;                         // (B, T, C): output of the MLP
};

// 11.4  One layer of BERT: attention and MLP as in labs 4 and 5, but each norm comes after the
//       addition.
//
//   middle = post_norm(x, attention(x))    out = post_norm(middle, mlp(middle))
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   buffers: workspaces, written    x (B, T, C) read    params read
//   mask (B, T, T) read, or NULL: every key allowed
//
// LAB_ESHAPE also if NH does not divide C. If a function it calls fails, returns that function's
// status.
// Source: Devlin et al., BERT (2019), section 3.
// Example: bert_layer(out, weights, &buffers, x, &params, NULL, B, T, C, NH, 4 * C);
LAB_CHECKED lab_status bert_layer(float *out, float *weights,
                                  const struct bert_buffers *buffers, const float *x,
                                  const struct bert_params *params, const uint8_t *mask,
                                  size_t B, size_t T, size_t C, size_t NH, size_t H);

// ---- gpt2.c -------------------------------------------------------------------------------

// 11.5  The GELU of GPT-2: the formula with tanh, which differs from lab 5's by up to 4.7e-4.
//
//   y[i] = x[i] / 2 * (1 + tanh(sqrt(2 / pi) * (x[i] + 0.044715 * x[i]^3)))
//
//   y (N) written    x (N) read
//
// NaN stays NaN.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2;
// torch.nn.GELU(approximate="tanh").
// Example: gelu_tanh(activated, hidden, B * T * H);
LAB_CHECKED lab_status gelu_tanh(float *y, const float *x, size_t N);

// 11.5  A linear layer whose matrix is stored (in, out), as GPT-2's are; lab 2's are (out, in).
//
//   y[n][o] = sum over i of x[n][i] * w[i][o] + bias[o]
//
//   y (N, O) written    x (N, I), w (I, O), bias (O) read
//
// Source: Conv1D of the transformers library.
// Example: linear_in_out(qkv, ln1, w_qkv, b_qkv, B * T, C, 3 * C);
LAB_CHECKED lab_status linear_in_out(float *y, const float *x, const float *w,
                                     const float *bias, size_t N, size_t I, size_t O);

// All parameters of one block of GPT-2; every matrix is (in, out).
struct gpt2_params {
    const float *ln1_gain, *ln1_bias; // (C), (C)
    const float *w_qkv, *b_qkv;       // (C, 3C), (3C): columns of q, then of k, then of v
    const float *w_o, *b_o;           // (C, C), (C)
    const float *ln2_gain, *ln2_bias; // (C), (C)
    const float *w_fc, *b_fc;         // (C, H), (H)
    const float *w_proj, *b_proj;     // (H, C), (C)
};

struct gpt2_buffers {
    float *ln1, *ln1_mean, *ln1_rstd; // (B, T, C), (B, T), (B, T)
    struct attention_buffers attention;
    float *attended;                  // (B, T, C): output of the attention
    float *middle;                    // (B, T, C): x + attended
    float *ln2, *ln2_mean, *ln2_rstd; // (B, T, C), (B, T), (B, T)
    float *hidden, *activated;        // (B, T, H)
    float *projected;                 // (B, T, C): output of the MLP
};

// 11.5  One block of GPT-2: lab 5's block, causal, with gelu_tanh and matrices stored (in, out).
//
//   middle = x + attention(layernorm 1(x))    out = middle + mlp(layernorm 2(middle))
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   buffers: workspaces, written    x (B, T, C) read    params read
//
// LAB_ESHAPE also if NH does not divide C. If a function it calls fails, returns that function's
// status.
// Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019), section 2.3.
// Example: gpt2_block(out, weights, &buffers, x, &params, B, T, C, NH, 4 * C);
LAB_CHECKED lab_status gpt2_block(float *out, float *weights,
                                  const struct gpt2_buffers *buffers, const float *x,
                                  const struct gpt2_params *params, size_t B, size_t T,
                                  size_t C, size_t NH, size_t H);

// ---- measures.c ---------------------------------------------------------------------------

// Each measure of 11.6 computes one number for each of N heads from the head's weights, which have a row
// for each query and a column for each key.

// 11.6  How much a query attends to the token before it.
//
//   share[n] = mean over t >= 1 of weights[n][t][t - 1]
//
//   share (N) written    weights (N, T, T) read
// LAB_ESHAPE also if T is 1, because no token has a previous one.
// Example: previous_token_share(share, weights, L * NH, T);
LAB_CHECKED lab_status previous_token_share(float *share, const float *weights, size_t N,
                                            size_t T);

// 11.6  How much a query attends to the token after it.
//
//   share[n] = mean over t < T - 1 of weights[n][t][t + 1]
//
//   share (N) written    weights (N, T, T) read
//
// LAB_ESHAPE also if T is 1.
// Example: next_token_share(share, weights, L * NH, T);
LAB_CHECKED lab_status next_token_share(float *share, const float *weights, size_t N,
                                        size_t T);

// 11.6  How much a query attends to the first token: [CLS] in BERT. Many heads put their weight there
//       when they find nothing relevant.
//
//   share[n] = mean over all t of weights[n][t][0]
//
//   share (N) written    weights (N, T, T) read
//
// Source: Clark et al., What Does BERT Look At? (2019), section 3.2; Xiao et al., Efficient
// Streaming Language Models with Attention Sinks (2023).
// Example: first_token_share(share, weights, L * NH, T);
LAB_CHECKED lab_status first_token_share(float *share, const float *weights, size_t N,
                                         size_t T);

// 11.6  How widely a query spreads its attention, in nats: 0 for one key, ln T for T equal weights.
//
//   entropy[n] = mean over t of -(sum over s of weights[n][t][s] * ln weights[n][t][s])
//
//   entropy (N) written    weights (N, T, T) read
//
// A weight of 0 adds 0.
// Source: Clark et al. (2019), section 3.3.
// Example: attention_entropy(entropy, weights, L * NH, T);
LAB_CHECKED lab_status attention_entropy(float *entropy, const float *weights, size_t N,
                                         size_t T);

// 11.6  How far a query looks, in tokens, in either direction.
//
//   distance[n] = mean over t of the sum over s of weights[n][t][s] * |t - s|
//
//   distance (N) written    weights (N, T, T) read
//
// Source: Vig and Belinkov, Analyzing the Structure of Attention in a Transformer Language Model
// (2019), section 4.3.
// Example: attention_distance(distance, weights, L * NH, T);
LAB_CHECKED lab_status attention_distance(float *distance, const float *weights, size_t N,
                                          size_t T);

// 11.6  How much a query attends to the token that followed the last occurrence of its own token. If
//       the text reads ... A B ... A, an induction head looks from the second A at B.
//
//   share[n] = mean of weights[n][t][s + 1] over all t with tokens[s] = tokens[t] for some s < t,
//              where s is the last such token
//
//   share (N) written    weights (N, T, T) read    tokens (T) read
// If no token occurs twice, the share is 0.
// Source: Olsson et al., In-context Learning and Induction Heads (2022).
// Example: induction_share(share, weights, tokens, L * NH, T);
LAB_CHECKED lab_status induction_share(float *share, const float *weights,
                                       const size_t *tokens, size_t N, size_t T);

// 11.7  How much of each input token reaches each token after L layers, assuming that attention and
//       the residual stream each carry half.
//
//   A_l     = (mean over h of weights[l][h] + identity) / 2
//   rollout = A_(L-1) ... A_1 A_0
//
//   rollout (T, T) written: row = token after the last layer, column = token of the input
//   z (2, T, T): workspace, written    weights (L, NH, T, T) read
//
// Source: Abnar and Zuidema, Quantifying Attention Flow in Transformers (2020), section 3.
// Example: attention_rollout(rollout, z, weights, L, NH, T);
LAB_CHECKED lab_status attention_rollout(float *rollout, float *z, const float *weights,
                                         size_t L, size_t NH, size_t T);

// ---- findings.c ---------------------------------------------------------------------------

// A head of a model, both counted from 0.
struct head {
    size_t layer, head;
};

// What you found in the model of make pretrained.
struct findings {
    struct head next;      // the head with the largest next_token_share
    struct head it_to_cat; // the head in which "it" attends most to "cat"
    size_t cls_layer;      // the layer with the largest mean attention to [CLS]
};

// 11.8  Your findings in "The cat sat on the mat because it was tired." The handout says how to
//       find them; this function returns the five numbers. Without an internet connection, use
//       the weights of this sentence in datasets/the_cat.safetensors.
//
//   found written
//
// Example: attention_findings(&found);
LAB_CHECKED lab_status attention_findings(struct findings *found);

#endif
