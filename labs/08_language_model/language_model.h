// language_model.h - the contract of lab 8: a language model in LLaMA's form.
//
// The model reads characters and predicts the next one. It differs from lab 6's in six ways:
// RMSNorm instead of layer norm, RoPE instead of a position table, SwiGLU instead of GELU, no
// biases, a norm before the output layer, and separate matrices for queries, keys and values.
//
// As in lab 6, a backward function OVERWRITES gradients of activations and ADDS to gradients of
// parameters. Every tensor is row-major, last index fastest. Arguments come in the order
// outputs, inputs, sizes. Buffers belong to the caller and never overlap, and no function
// allocates memory. Every function returns LAB_ESHAPE if a size is 0. A function that rejects
// its arguments leaves its outputs unchanged; if a function that it calls fails, they may be
// partly written.
//
//   B  sequences in the batch    T  tokens in a sequence     V  vocabulary
//   N  rows in general, or the length of a text              C  model width
//   NH, hs  heads and their width, hs = C / NH               H  width inside the MLP
//   L  blocks
//
// Files to edit, in this order: text.c, layers.c, model.c, generate.c.

#ifndef LAB_08_LANGUAGE_MODEL_H
#define LAB_08_LANGUAGE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/dimensions.h"
#include "common/language.h"
#include "common/sampling.h"
#include "common/status.h"

// ---- text.c -------------------------------------------------------------------------------

// 8.1  The vocabulary of a text: every byte that occurs in it, once, in ascending order. The
//      index of a byte is its token.
//   bytes (256) written: the first V of them; the rest are unchanged
//   V (1) written        text (N) read
//
// Example: the text "banana" gives V = 3 and bytes 'a' 'b' 'n'
LAB_CHECKED lab_status vocabulary(uint8_t *bytes, size_t *V, const uint8_t *text,
                                  size_t N);

// 8.1  Text to tokens. LAB_EVALUE if the text has a byte that is not in the vocabulary.
//
//   tokens (N) written    text (N) read    bytes (V) read, in ascending order
//
// Example: encode(tokens, "banana", bytes, 6, 3);    tokens is 1 0 2 0 2 0
LAB_CHECKED lab_status encode(size_t *tokens, const uint8_t *text, const uint8_t *bytes,
                              size_t N, size_t V);

// 8.1  Tokens to text. LAB_EVALUE if a token is not below V.
//
//   text (N) written, without a 0 at the end    tokens (N) read    bytes (V) read
//
// Example: decode(text, tokens, bytes, 6, 3);
LAB_CHECKED lab_status decode(uint8_t *text, const size_t *tokens, const uint8_t *bytes,
                              size_t N, size_t V);

// 8.2  B pieces of a text, and for each of their tokens the one that follows.
//
//   x[b][t] = stream[offsets[b] + t]    y[b][t] = stream[offsets[b] + t + 1]
//
//   x, y (B, T) written    stream (N) read    offsets (B) read
// LAB_ESHAPE also if N < T + 1. LAB_EVALUE if an offset is above N - T - 1, the largest one whose
// targets all exist.
// Example: shifted_batch(x, y, stream, offsets, N, 16, 192);
LAB_CHECKED lab_status shifted_batch(size_t *x, size_t *y, const size_t *stream,
                                     const size_t *offsets, size_t N, size_t B, size_t T);

// ---- layers.c -----------------------------------------------------------------------------

#define RMSNORM_EPS 1e-5f // prevents a division by 0 in a row of zeros

// 8.3  Root mean square norm: layer norm without the mean and without a bias.
//
//   rrms[n] = 1 / sqrt(1/C sum_c x[n][c]^2 + RMSNORM_EPS)
//   y[n][c] = x[n][c] rrms[n] gain[c]
//
//   y (N, C), rrms (N) written    x (N, C), gain (C) read
//
// Source: Zhang and Sennrich, Root Mean Square Layer Normalization (2019), equation 4;
// torch.nn.RMSNorm with eps = RMSNORM_EPS.
// Example: rmsnorm(normed, rrms, x, gain, B * T, C);
LAB_CHECKED lab_status rmsnorm(float *y, float *rrms, const float *x, const float *gain,
                               size_t N, size_t C);

// 8.3  Back through rmsnorm.
//
//   norm = x rrms    dgain[c] += sum_n dy[n][c] norm[n][c]    dnorm = dy gain
//   dx   = rrms (dnorm - norm (mean over c of dnorm norm))
//
//   dx (N, C) written    dgain (C) added to
//   dy, x (N, C), rrms (N), gain (C) read; rrms as written by rmsnorm
//
// Example: rmsnorm_backward(dx, dgain, dy, x, rrms, gain, B * T, C);
LAB_CHECKED lab_status rmsnorm_backward(float *dx, float *dgain, const float *dy,
                                        const float *x, const float *rrms,
                                        const float *gain, size_t N, size_t C);

// 8.4  The gate of the MLP: a decides how much of b passes.
//
//   y[n] = a[n] sigmoid(a[n]) b[n]    sigmoid(a) = 1 / (1 + exp(-a))
//
//   y (N) written    a, b (N) read
// A large negative a gives 0, and a large positive a gives a b; neither gives NaN.
// Source: Shazeer, GLU Variants Improve Transformer (2020), equation 5, without its products.
// Example: swiglu(hidden, gate, up, B * T * H);
LAB_CHECKED lab_status swiglu(float *y, const float *a, const float *b, size_t N);

// 8.4  Back through swiglu.
//
//   s = sigmoid(a)    da = dy b s (1 + a (1 - s))    db = dy a s
//
//   da, db (N) written    dy, a, b (N) read
//
// Example: swiglu_backward(dgate, dup, dhidden, gate, up, B * T * H);
LAB_CHECKED lab_status swiglu_backward(float *da, float *db, const float *dy,
                                       const float *a, const float *b, size_t N);

// 8.5  Back through lab 7's rope: rotates by the opposite angle.
//
//   angle       = positions[t] * 10000^(-2i/hs)
//   dx[2i]      =  dy[2i] cos(angle) + dy[2i + 1] sin(angle)
//   dx[2i + 1]  = -dy[2i] sin(angle) + dy[2i + 1] cos(angle)
//
//   dx (B, NH, T, hs) written    dy (B, NH, T, hs) read    positions (T) read
//
// LAB_ESHAPE also if hs is odd.
// Source: the transpose of Su et al., RoFormer (2021), equation 15.
// Example: rope_backward(dq, dq_turned, positions, B, NH, T, hs);
LAB_CHECKED lab_status rope_backward(float *dx, const float *dy, const size_t *positions,
                                     size_t B, size_t NH, size_t T, size_t hs);

// ---- model.c ------------------------------------------------------------------------------

// 8.6  One block. No token sees a later one; token t has position t.
//
//   normed1 = rmsnorm(x)                    q, k, v = normed1 w_q^T, w_k^T, w_v^T, cut into heads
//   attended = (attention of rope(q), rope(k), v, merged) w_o^T
//   middle  = x + attended                  normed2 = rmsnorm(middle)
//   projected = swiglu(normed2 w_gate^T, normed2 w_up^T) w_down^T
//   out     = middle + projected
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   z: written, each buffer with the result it is named after. The judge checks only the buffers that
//   the backward pass reads, so q, k, v, q_heads, k_heads, scores, out_heads, attended, projected and
//   mask may also be used as workspaces
//   x (B, T, C) read         params read
//
// LAB_ESHAPE also if NH does not divide C, or C / NH is odd. If a function of an earlier lab
// fails, returns its status.
// Source: Touvron et al., LLaMA (2023), section 2.2.
// Example: language_block(out, weights, &buffers, x, &params, B, T, C, NH, H);
LAB_CHECKED lab_status language_block(float *out, float *weights,
                                      const struct language_block_buffers *z,
                                      const float *x,
                                      const struct language_block_params *params,
                                      size_t B, size_t T, size_t C, size_t NH, size_t H);

// 8.7  The whole model, from tokens to loss.
//
//   streams[0]     = token_table[tokens]
//   streams[l + 1] = language_block(streams[l]), for l = 0 ... L - 1
//   normed         = rmsnorm(streams[L])
//   logits         = normed w_out^T
//   loss           = cross_entropy(logits, targets)
//
//   loss (1) written; if loss and targets are both NULL, stop at the logits
//   z: every buffer written; probabilities only with targets    params read
//   tokens, targets (B, T) read
//   shape: the sizes of this call; B and T may be smaller than those of the model
//
// If language_shape_check fails, returns its status. LAB_EVALUE if a token or a target is not
// below V, or if only one of loss and targets is NULL.
// Example: language_forward(&loss, &model.activations, &model.params, x, y, &model.shape);
LAB_CHECKED lab_status language_forward(float *loss, const struct language_activations *z,
                                        const struct language_params *params,
                                        const size_t *tokens, const size_t *targets,
                                        const struct language_shape *shape);

// 8.8  Back through one block. At each residual connection, the gradient flows along both paths.
//
//   dx (B, T, C) written    grads added to    dz: workspaces, written
//   dout, x (B, T, C), params read    weights (B, NH, T, T), z read: from language_block
//
// Example: language_block_backward(dx, &grads, &model.gradients, dout, x, &params, weights,
//                                  &buffers, B, T, C, NH, H);
LAB_CHECKED lab_status
language_block_backward(float *dx, const struct language_block_grads *grads,
                        const struct language_gradients *dz, const float *dout,
                        const float *x, const struct language_block_params *params,
                        const float *weights, const struct language_block_buffers *z,
                        size_t B, size_t T, size_t C, size_t NH, size_t H);

// 8.8  The whole backward pass. Call it after language_forward with the same tokens, targets
//      (not NULL), parameters and shape.
//
//   grads: every parameter's gradient, added to
//   dz: workspaces, written; dstreams[l] is d(loss) / d(streams[l])
//   z, params, tokens, targets read
//
// If language_shape_check fails, returns its status. LAB_EVALUE if a token or a target is not
// below V.
// Example: language_backward(&model.grads, &model.gradients, &model.activations, &model.params,
//                            x, y, &model.shape);
LAB_CHECKED lab_status language_backward(const struct language_params *grads,
                                         const struct language_gradients *dz,
                                         const struct language_activations *z,
                                         const struct language_params *params,
                                         const size_t *tokens, const size_t *targets,
                                         const struct language_shape *shape);

// 8.9  The mean loss of the model on a text that it was not trained on. The text is cut
//      into windows of shape->T tokens; the last may be shorter. Inside a window each token is
//      predicted from those before it, and the first token of the next window is the last
//      target of this one. So every token of the text except the first is a target once, and all
//      targets have equal weight.
//
//   loss (1) written: the mean over N - 1 targets, in natural-log units
//   z: overwritten    params read    stream (N) read
//   shape: T is the length of a window; B is not used, because windows are computed one at a time
//
// LAB_ESHAPE also if N < 2. LAB_EVALUE if a token is not below V.
// Example: held_out_loss(&loss, &model.activations, &model.params, stream, N, &model.shape);
LAB_CHECKED lab_status held_out_loss(double *loss, const struct language_activations *z,
                                     const struct language_params *params,
                                     const size_t *stream, size_t N,
                                     const struct language_shape *shape);

// 8.9  The same loss as a number of equally likely choices, and in bits.
//
//   perplexity = exp(loss)    bits = loss / log 2
//
//   perplexity (1), bits (1) written    loss in natural-log units
//
// LAB_EVALUE if loss is negative or NaN.
// Example: perplexity(&choices, 1.0);          choices is 2.71828...
//          bits_per_character(&bits, 1.0);     bits is 1.44269...
LAB_CHECKED lab_status perplexity(double *perplexity, double loss);
LAB_CHECKED lab_status bits_per_character(double *bits, double loss);

// ---- generate.c ---------------------------------------------------------------------------

// 8.10  Draws the next token. The order of the steps matters: temperature, top-k, top-p. The settings
//       are in struct sampling, in common/sampling.h.
//
//   order          tokens by falling logit; of equal logits, the lower token first
//   p              softmax(logits / temperature)
//   top-k          only the first k of order stay
//   top-p          of those, rescaled to sum 1: the shortest prefix of order whose sum is at least
//                  top_p stays; it has at least one token
//   probabilities  the tokens that stay, rescaled to sum 1; all others 0
//   token          the first of order whose cumulative sum is above u
//
//   token (1) written    probabilities (V) written    order (V): workspace, written
//   logits (V) read      u: a number in [0, 1), from the caller's generator
//
// temperature 0: probability 1 for the largest logit, whatever top_k and top_p are.
// LAB_EVALUE if temperature is negative or not finite, top_p is not in (0, 1], u is not in
// [0, 1), or a logit is not finite.
// Source: Holtzman et al., The Curious Case of Neural Text Degeneration (2020), section 3.1 for
// top-p; Fan et al., Hierarchical Neural Story Generation (2018) for top-k.
// Example: sample_token(&token, probabilities, order, logits, &sampling, 0.25f, V);
LAB_CHECKED lab_status sample_token(size_t *token, float *probabilities, size_t *order,
                                    const float *logits, const struct sampling *sampling,
                                    float u, size_t V);

// 8.11  Continues a text. Each new token is drawn from the logits of the last token; the model
//       reads at most the last shape->T tokens.
//
//   tokens (N + count): the first N are the prompt and are read, the others written
//   z, probabilities (V), order (V): workspaces, written    params read
//   uniforms (count) read: u of sample_token for each new token
//   shape: T is the longest context; B is not used, because there is one sequence
// LAB_EVALUE if a setting or a uniform is not allowed (see sample_token), or a token of the prompt
// is not below V; then no token is written. LAB_EVALUE also if the model computes a logit that is
// not finite; the tokens already drawn stay. If language_shape_check fails, returns its status.
// Example: generate(tokens, &model.activations, &model.params, probabilities, order, uniforms,
//                   &sampling, 4, 200, &model.shape);
LAB_CHECKED lab_status generate(size_t *tokens, const struct language_activations *z,
                                const struct language_params *params,
                                float *probabilities, size_t *order,
                                const float *uniforms, const struct sampling *sampling,
                                size_t N, size_t count,
                                const struct language_shape *shape);

#endif
