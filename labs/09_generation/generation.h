// generation.h - the contract of lab 9: generation with a KV cache.
// Lab 8's generate computes the whole text again for each new token. But under a causal mask the
// keys and values of the old tokens never change. This lab stores them, so a new token costs one
// row of work. Then you calculate the cost of such a step, and make it read fewer bytes.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, inputs,
// sizes. Buffers belong to the caller and never overlap, and no function allocates memory. Every
// function returns LAB_ESHAPE if a size is 0. A function that rejects its arguments leaves its
// outputs unchanged; if a function that it calls fails, they may be partly written. In the caches of
// 9.3 and 9.7, only the lengths must stay unchanged: rows past a sequence's length have no meaning.
//   B  sequences      T_max  tokens that fit in a sequence's cache       V  vocabulary
//   NH, hs  heads and their width, C = NH hs         NKV  heads of keys and values
//   T  queries of a sequence     S  keys of a sequence     W  width of a window
//   O, I  outputs and inputs of a linear layer             N, n  rows
//
// Files to edit: cache.c, model.c, cost.c, int8.c. The handout gives the order of the exercises.

#ifndef LAB_09_GENERATION_H
#define LAB_09_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "08_language_model/language_model.h"
#include "common/generation.h"
#include "common/status.h"

// ---- cache.c ------------------------------------------------------------------------------

// 9.1  Stores n new rows after those of each sequence. Used for keys and for values.
//
//   cache[b][h][lengths[b] + i] = rows[b][h][i]    for i = 0 ... n - 1
//
//   cache (B, NKV, T_max, hs) written: these rows only    rows (B, NKV, n, hs) read
//   lengths (B) read: the caller adds n to them, after keys and values are both stored
//
// LAB_ESHAPE also if a sequence has no room for n rows; then nothing is written to any sequence.
// Example: cache_append(keys, k_turned, lengths, B, NH, 1, T_max, hs);
LAB_CHECKED lab_status cache_append(float *cache, const float *rows,
                                    const size_t *lengths, size_t B, size_t NKV, size_t n,
                                    size_t T_max, size_t hs);

// 9.2  Attention of one query for each sequence and head. The query is that of the newest token, which
//      sees every key in its cache, including its own. So there is nothing to mask.
//
//   weights[b][h][s] = softmax over s < lengths[b] of q[b][h] keys[b][h][s] / sqrt(hs)
//   out[b][h]        = sum over s < lengths[b] of weights[b][h][s] values[b][h][s]
//
//   out (B, NH, hs) written
//   weights (B, NH, T_max) written: 0 from lengths[b] on
//   scores (B, NH, T_max): workspace, written
//   q (B, NH, hs), keys, values (B, NH, T_max, hs), lengths (B) read
//
// Rows of keys and values from lengths[b] on may hold anything, NaN included. LAB_ESHAPE also if
// a length is 0 or above T_max.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1, for one row of Q.
// Example: attention_decode(out, weights, scores, q, keys, values, lengths, B, NH, T_max, hs);
LAB_CHECKED lab_status attention_decode(float *out, float *weights, float *scores,
                                        const float *q, const float *keys,
                                        const float *values, const size_t *lengths,
                                        size_t B, size_t NH, size_t T_max, size_t hs);

// 9.4  Grouped queries: lab 4's scaled_dot_product_attention with fewer heads of keys and values
//      than of queries. G = NH / NKV consecutive query heads read the same keys; nothing is copied.
//      NKV = NH is lab 4's function, NKV = 1 is multi-query attention.
//
//   g = h / G
//   weights[b][h] = masked softmax(q[b][h] k[b][g]^T / sqrt(hs))
//   out[b][h]     = weights[b][h] v[b][g]
//
//   out (B, NH, T, hs) written    weights (B, NH, T, S) written: row = query, column = key
//   scores (B, NH, T, S): workspace, written
//   q (B, NH, T, hs) read    k, v (B, NKV, S, hs) read
//   mask (B, T, S) read: 1 = may see, or NULL: every key allowed
//
// A query without an allowed key gets weights 0 and output 0. LAB_ESHAPE also if NKV does not
// divide NH. Also returns what the functions of labs 2 and 3 return when they fail.
// Source: Ainslie et al., GQA (2023), arXiv:2305.13245; Shazeer, Fast Transformer Decoding (2019)
// for NKV = 1.
// Example: grouped_query_attention(out, weights, scores, q, k, v, mask, B, 32, 8, T, S, 128);
LAB_CHECKED lab_status grouped_query_attention(float *out, float *weights, float *scores,
                                               const float *q, const float *k,
                                               const float *v, const uint8_t *mask,
                                               size_t B, size_t NH, size_t NKV, size_t T,
                                               size_t S, size_t hs);

// 9.5  A cache that keeps only the last W tokens. The rows form a ring: the row of position p is
//      stored at p % W and replaces the row of position p - W. lengths counts all tokens of a sequence
//      since its beginning, so positions stay absolute and may be far above W.
//
//   ring[b][h][(lengths[b] + i) % W] = rows[b][h][i]    for i = 0 ... n - 1, in this order
//
//   ring (B, NH, W, hs) written: these rows only    rows (B, NH, n, hs) read
//   lengths (B) read: tokens before these rows. n may be larger than W; lengths[b] + n is at most
//   SIZE_MAX (larger sums are not judged)
//
// Example: ring_append(keys, k_turned, lengths, B, NH, 1, W, hs);
LAB_CHECKED lab_status ring_append(float *ring, const float *rows, const size_t *lengths,
                                   size_t B, size_t NH, size_t n, size_t W, size_t hs);

// 9.5  attention_decode over such a ring: the newest token sees the last min(W, lengths[b])
//      positions, itself included.
//
//   first = max(0, lengths[b] - W), the oldest position in the ring
//   weights[b][h][i] = softmax over i of q[b][h] keys[b][h][(first + i) % W] / sqrt(hs)
//   out[b][h]        = sum over i of weights[b][h][i] values[b][h][(first + i) % W]
//
//   out (B, NH, hs) written
//   weights (B, NH, W) written: in the order of positions, oldest first; 0 from lengths[b] on
//   scores (B, NH, W): workspace, written
//   q (B, NH, hs), keys, values (B, NH, W, hs) read
//   lengths (B) read: tokens of each sequence, the newest included
//
// Rows of a ring that no position has reached may hold anything, NaN included. LAB_ESHAPE also if
// a length is 0.
// Source: Beltagy et al., Longformer (2020), arXiv:2004.05150; Jiang et al., Mistral 7B (2023)
// for the ring.
// Example: sliding_window_attention(out, weights, scores, q, keys, values, lengths, B, NH, W, hs);
LAB_CHECKED lab_status sliding_window_attention(float *out, float *weights, float *scores,
                                                const float *q, const float *keys,
                                                const float *values,
                                                const size_t *lengths, size_t B,
                                                size_t NH, size_t W, size_t hs);

// ---- model.c ------------------------------------------------------------------------------

// 9.3  Reads n tokens of sequence b at once: stores their keys and values after those of the
//      sequence, adds n to lengths[b], and writes the logits of the last token. A prompt may come
//      in one call or in several; the logits are those of lab 8's language_forward on all tokens
//      of the sequence.
//
//   logits (V) written    cache: sequence b written    z: written, as workspaces
//   params, tokens (n) read    b: which sequence of the cache, below shape->B
//   shape: B and T are those of the cache
//
// Token i has position lengths[b] + i. It sees the sequence's tokens up to itself. A matrix of params
// may be float or int8; generation_linear multiplies by both.
// If language_shape_check fails, returns its status. LAB_ESHAPE also if b is not below B or the
// cache has no room for n tokens. LAB_EVALUE if a token is not below V.
// Example: prefill(logits, &cache, &buffers, &params, tokens, 0, 12, &shape);
LAB_CHECKED lab_status prefill(float *logits, const struct kv_cache *cache,
                               const struct generation_buffers *z,
                               const struct generation_params *params,
                               const size_t *tokens, size_t b, size_t n,
                               const struct language_shape *shape);

// 9.3  One step of all B sequences: reads the next token of each, stores its keys and values, adds
//      1 to every length, and writes the logits of each. The lengths may differ. The matrices are
//      read once for all B tokens.
//
//   logits (B, V) written    cache written    z: written, as workspaces
//   params, tokens (B) read    shape: B and T are those of the cache
//
// If language_shape_check fails, returns its status. LAB_ESHAPE also if the cache of a sequence is
// full. LAB_EVALUE if a token is not below V.
// Example: decode_step(logits, &cache, &buffers, &params, tokens, &shape);
LAB_CHECKED lab_status decode_step(float *logits, const struct kv_cache *cache,
                                   const struct generation_buffers *z,
                                   const struct generation_params *params,
                                   const size_t *tokens,
                                   const struct language_shape *shape);

// 9.7  Continues B texts at once, each by count tokens. With the same uniforms, each gets the
//      tokens that lab 8's generate would give it alone.
//   tokens (B, T): row b begins with a prompt of lengths[b] tokens, which are read; the count
//   tokens after it are written
//   cache: written, its old content is ignored    z: written, as workspaces    params read
//   probabilities (V), order (V): workspaces, written, as in sample_token
//   uniforms (B, count) read: u of sample_token for each new token
//   lengths (B) read: of the prompts
//   shape: B and T are those of the cache
//
// If language_shape_check fails, returns its status. LAB_ESHAPE also if a prompt has 0 tokens or
// lengths[b] + count is above T. LAB_EVALUE if a token of a prompt is not below V, or a setting or a
// uniform is not allowed (see sample_token); then no token is written. LAB_EVALUE also if the model
// computes a logit that is not finite; the tokens already drawn stay.
// Example: generate_cached(tokens, &cache, &buffers, &params, probabilities, order, uniforms,
//                          lengths, &sampling, 200, &shape);
LAB_CHECKED lab_status generate_cached(size_t *tokens, const struct kv_cache *cache,
                                       const struct generation_buffers *z,
                                       const struct generation_params *params,
                                       float *probabilities, size_t *order,
                                       const float *uniforms, const size_t *lengths,
                                       const struct sampling *sampling, size_t count,
                                       const struct language_shape *shape);

// ---- cost.c -------------------------------------------------------------------------------

// The sizes of a decoder. hs = C / NH.
struct decoder_sizes {
    size_t L, C, NH, NKV, H, V;
    bool gated; // the MLP has three matrices (SwiGLU), otherwise two
};

// The functions of 9.6 return LAB_ESHAPE also if NH does not divide C or NKV does not divide NH,
// and are judged only with results below 2^63.

// 9.6  The number of weights that one decode step multiplies by: all matrices of the blocks, and
//      the output matrix (V, C). Embedding rows, norms and biases are left out.
//
//   in a block: w_q and w_o (C, C), w_k and w_v (NKV hs, C), and 2 or 3 matrices (H, C)
//
//   count (1) written
//
// Example: decoder_weights(&count, &sizes);
LAB_CHECKED lab_status decoder_weights(size_t *count, const struct decoder_sizes *sizes);

// 9.6  The bytes of a cache: keys and values of all layers.
//
//   bytes (1) written
//   B sequences, T tokens in each    number_bytes: of one number, 2 for bfloat16
//
// Example: cache_bytes(&bytes, &llama2_7b, 1, 4096, 2);    bytes is 2147483648: 2 GiB
LAB_CHECKED lab_status cache_bytes(size_t *bytes, const struct decoder_sizes *sizes,
                                   size_t B, size_t T, size_t number_bytes);

// 9.6  The floating-point operations of one decode step of one sequence: a multiplication and an
//      addition for each weight, and for each number in the cache.
//
//   flops (1) written    T: tokens that the new one sees, itself included
// Query heads that share a key each multiply by it: count NH heads for the attention, not NKV.
// Example: decode_flops(&flops, &gpt2, 1024);
LAB_CHECKED lab_status decode_flops(size_t *flops, const struct decoder_sizes *sizes,
                                    size_t T);

// 9.6  The bytes that one decode step of B sequences must read: each weight once, however many
//      sequences there are, and the cache of every sequence.
//   bytes (1) written    weight_bytes, number_bytes: of one weight, of one number in the cache
//
// A memory bandwidth of M bytes per second allows at most M / bytes steps per second, each with B tokens.
// Source: Pope et al., Efficiently Scaling Transformer Inference (2022), section 2.
// Example: decode_bytes(&bytes, &llama3_8b, 1, 8192, 2, 2);
LAB_CHECKED lab_status decode_bytes(size_t *bytes, const struct decoder_sizes *sizes,
                                    size_t B, size_t T, size_t weight_bytes,
                                    size_t number_bytes);

// ---- int8.c -------------------------------------------------------------------------------

// 9.8  Rounds each row of a matrix to 255 steps: the integers -127 ... 127 times one scale.
//
//   scales[o]  = (max over i of |w[o][i]|) / 127
//   rows[o][i] = w[o][i] / scales[o], rounded to the nearest integer; halves go to the even one
//
//   rows (O, I), scales (O) written    w (O, I) read
//
// A row of zeros gets scale 0 and zeros. LAB_EVALUE if a weight is not finite. (Not judged: rows
// whose scale would be subnormal, and weights so close to a half that w / scale and w (1 / scale)
// round to different integers.)
// Source: Dettmers et al., LLM.int8() (2022), section 2, absmax quantization, by rows.
// Example: quantize_rows(rows, scales, w, O, I);
LAB_CHECKED lab_status quantize_rows(int8_t *rows, float *scales, const float *w,
                                     size_t O, size_t I);

// 9.8  A linear layer without bias whose weights are int8: the product reads a quarter of the
//      bytes. x stays float.
//
//   y[n][o] = scales[o] sum_i x[n][i] rows[o][i]
//
//   y (N, O) written    x (N, I), rows (O, I), scales (O) read
//
// Example: linear_int8(y, x, rows, scales, 1, I, O);
LAB_CHECKED lab_status linear_int8(float *y, const float *x, const int8_t *rows,
                                   const float *scales, size_t N, size_t I, size_t O);

#endif
