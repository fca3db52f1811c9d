// heads.h - the contract of lab 4: views, splitting and merging heads, multi-head
// attention.
//
// Every tensor is row-major, last index fastest: element (b, h, t, c) of a (B, NH, T, hs)
// tensor is x[((b * NH + h) * T + t) * hs + c]. Arguments come in the order outputs,
// inputs, sizes. Buffers belong to the caller and never overlap, and no function
// allocates memory. Every function that takes sizes returns LAB_ESHAPE if one is 0. A
// function that rejects its arguments leaves its outputs unchanged; if a function that it
// calls fails, they may be partly written.
//
//   B  sequences in the batch    T  query length    C  model width    NH  heads
//   S  key length                hs = C / NH, the width of one head
//
// A mask is uint8_t, 1 = may attend, as in lab 3.
//
// Start reading at struct view; heads.c is the file to edit.

#ifndef LAB_04_HEADS_H
#define LAB_04_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

// ---- 4.1  views ---------------------------------------------------------------------------

enum { VIEW_AXES = 6 }; // a view has 1 to 6 axes

// A way to read numbers in a buffer: element (i, j, ...) is
// data[i * stride[0] + j * stride[1] + ...]. Making another view does not move any
// number. Only the first `axes` elements of size and stride count.
struct view {
    const float *data;
    size_t axes;
    size_t size[VIEW_AXES];
    size_t stride[VIEW_AXES]; // in elements, not bytes
};

// 4.1  The view of a buffer that holds the elements in row-major order. Also returns
//      LAB_ESHAPE if there are more than VIEW_AXES axes, or more elements than a size_t can
//      count.
//
//   stride[last] = 1    stride[a] = stride[a + 1] * size[a + 1]
//
//   out written    data: kept, not read    size (axes) read
//
// Source: torch.Tensor.stride of a fresh tensor.
// Example: view_of(&view, x, (size_t[]){B, T, NH, hs}, 4);
LAB_CHECKED lab_status view_of(struct view *out, const float *data, const size_t *size,
                               size_t axes);

// 4.1  The same numbers with two axes swapped; nothing moves in memory. The same axis twice
//      changes nothing. Returns LAB_ESHAPE if an axis does not exist. out may be the same view
//      as in.
//
//   out written    in read    axis_a, axis_b: counted from 0
//
// Source: torch.Tensor.transpose.
// Example: view_transpose(&view, &view, 1, 2);    (B,T,NH,hs) read as (B,NH,T,hs)
LAB_CHECKED lab_status view_transpose(struct view *out, const struct view *in,
                                      size_t axis_a, size_t axis_b);

// 4.1  Is the reading order the memory order: row-major and without gaps? Axes of size 1 may
//      have any stride, because you never step along them.
//
//   answer written    in read
//
// Source: torch.Tensor.is_contiguous.
// Example: view_is_contiguous(&yes, &view);
LAB_CHECKED lab_status view_is_contiguous(bool *answer, const struct view *in);

// 4.1  The same numbers in a new shape; nothing moves in memory. Returns LAB_ESHAPE if the
//      number of elements differs or `in` is not contiguous. (PyTorch accepts more: it splits
//      any axis, and joins axes a and a + 1 if stride[a] = stride[a + 1] * size[a + 1].) out
//      may be the same view as in.
//
//   out written    in read    size (axes) read
//
// Source: torch.Tensor.view.
// Example: view_as(&view, &view, (size_t[]){B, T, C}, 3);
LAB_CHECKED lab_status view_as(struct view *out, const struct view *in,
                               const size_t *size, size_t axes);

// 4.1  Copies the elements to out in reading order, row-major.
//
//   out (as many floats as in has elements) written    in read
//
// Source: torch.Tensor.contiguous.
// Example: view_contiguous(q_heads, &view);
LAB_CHECKED lab_status view_contiguous(float *out, const struct view *in);

// ---- 4.2 to 4.4  cutting and joining ------------------------------------------------------

// 4.2  The first, second and third C channels of each token.
//
//   q[b][t][c] = qkv[b][t][c]
//   k[b][t][c] = qkv[b][t][C + c]
//   v[b][t][c] = qkv[b][t][2 * C + c]
//
//   q, k, v (B, T, C) written    qkv (B, T, 3C) read
//
// Source: torch.chunk(qkv, 3, dim=-1).
// Example: split_qkv(q, k, v, qkv, B, T, C);
LAB_CHECKED lab_status split_qkv(float *q, float *k, float *v, const float *qkv, size_t B,
                                 size_t T, size_t C);

// 4.3  Moves the heads in front of the tokens. Also returns LAB_ESHAPE if NH does not divide
//      C.
//
//   out[b][h][t][c] = x[b][t][h * hs + c]
//
//   out (B, NH, T, hs) written    x (B, T, C) read
//
// Source: x.view(B, T, NH, hs).transpose(1, 2).contiguous() in PyTorch.
// Example: split_heads(q_heads, q, B, T, C, NH);
LAB_CHECKED lab_status split_heads(float *out, const float *x, size_t B, size_t T,
                                   size_t C, size_t NH);

// 4.4  The inverse of split_heads. Also returns LAB_ESHAPE if NH does not divide C.
//
//   out[b][t][h * hs + c] = x[b][h][t][c]
//
//   out (B, T, C) written    x (B, NH, T, hs) read
//
// Source: x.transpose(1, 2).contiguous().view(B, T, C) in PyTorch.
// Example: merge_heads(merged, out_heads, B, T, C, NH);
LAB_CHECKED lab_status merge_heads(float *out, const float *x, size_t B, size_t T,
                                   size_t C, size_t NH);

// ---- 4.5 to 4.7  attention ----------------------------------------------------------------

// 4.5  Attention of every head by itself. All heads of a sequence share its mask. A query
//      without an allowed key gets weights 0 and output 0 (PyTorch gives NaN).
//
//   weights[b][h] = masked softmax(q[b][h] k[b][h]^T / sqrt(hs))
//   out[b][h]     = weights[b][h] v[b][h]
//
//   out (B, NH, T, hs) written    weights (B, NH, T, S) written: row = query, column = key
//   scores (B, NH, T, S): workspace, written
//   q (B, NH, T, hs) read    k, v (B, NH, S, hs) read
//   mask (B, T, S) read, or NULL: every key allowed
//
// Also returns what the functions of labs 2 and 3 return when they fail.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Example: scaled_dot_product_attention(out, weights, scores, q, k, v, NULL, B, NH, T, T, hs);
LAB_CHECKED lab_status scaled_dot_product_attention(float *out, float *weights,
                                                    float *scores, const float *q,
                                                    const float *k, const float *v,
                                                    const uint8_t *mask, size_t B,
                                                    size_t NH, size_t T, size_t S,
                                                    size_t hs);

struct attention_params {
    const float *w_qkv; // (3C, C_in): rows of q, then of k, then of v
    const float *b_qkv; // (3C), or NULL: no bias
    const float *w_o;   // (C, C)
    const float *b_o;   // (C), or NULL: no bias
};

// The results between input and output. The caller keeps them, because lab 6 needs them in the
// backward pass.
struct attention_buffers {
    float *qkv;                         // (B, T, 3C)
    float *q, *k, *v;                   // (B, T, C)
    float *q_heads, *k_heads, *v_heads; // (B, NH, T, hs)
    float *scores;                      // (B, NH, T, T)
    float *out_heads;                   // (B, NH, T, hs)
    float *merged;                      // (B, T, C)
    uint8_t *mask;                      // (B, T, T), used when causal
};

// 4.6  Self-attention with NH heads. Also returns LAB_ESHAPE if NH does not divide C. The width
//      of the input, C_in, may differ from C.
//
//   q, k, v = the thirds of x w_qkv^T + b_qkv, cut into heads
//   out     = (the heads' attention, merged) w_o^T + b_o
//
//   out (B, T, C) written    weights (B, NH, T, T) written: row = query, column = key
//   buffers: written, each with the values it is named after; not judged here, but read by the
//   backward pass of lab 6
//   x (B, T, C_in) read    params read    causal: if true, no token sees a later one
//
// Also returns what the functions of labs 2 and 3 return when they fail.
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2;
// torch.nn.MultiheadAttention with its in_proj_weight.
// Example: multi_head_attention(out, weights, &buffers, x, &params, true, B, T, C, C, NH);
LAB_CHECKED lab_status multi_head_attention(float *out, float *weights,
                                            const struct attention_buffers *buffers,
                                            const float *x,
                                            const struct attention_params *params,
                                            bool causal, size_t B, size_t T, size_t C_in,
                                            size_t C, size_t NH);

struct cross_attention_params {
    const float *w_q, *b_q; // (C, C), (C) or NULL
    const float *w_k, *b_k; // (C, C), (C) or NULL
    const float *w_v, *b_v; // (C, C), (C) or NULL
    const float *w_o, *b_o; // (C, C), (C) or NULL
};

struct cross_attention_buffers {
    float *q;                 // (B, T, C)
    float *k, *v;             // (B, S, C)
    float *q_heads;           // (B, NH, T, hs)
    float *k_heads, *v_heads; // (B, NH, S, hs)
    float *scores;            // (B, NH, T, S)
    float *out_heads;         // (B, NH, T, hs)
    float *merged;            // (B, T, C)
};

// 4.7  Attention with queries from x, and keys and values from memory. Also returns LAB_ESHAPE
//      if NH does not divide C. A query without an allowed key gets weights 0, and b_o as its
//      output.
//
//   q = x w_q^T + b_q    k = memory w_k^T + b_k    v = memory w_v^T + b_v, cut into heads
//   out = (the heads' attention, merged) w_o^T + b_o
//
//   out (B, T, C) written    weights (B, NH, T, S) written: row = query, column = key
//   buffers: workspaces, written    x (B, T, C) read    memory (B, S, C) read    params read
//   mask (B, T, S) read, or NULL: every key allowed
//
// Also returns what the functions of labs 2 and 3 return when they fail.
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3, first point.
// Example: cross_attention(out, weights, &buffers, x, memory, &params, NULL, B, T, S, C, NH);
LAB_CHECKED lab_status cross_attention(float *out, float *weights,
                                       const struct cross_attention_buffers *buffers,
                                       const float *x, const float *memory,
                                       const struct cross_attention_params *params,
                                       const uint8_t *mask, size_t B, size_t T, size_t S,
                                       size_t C, size_t NH);

// ---- 4.8  a bug in a published trace ------------------------------------------------------

// 4.8  The scores of datasets/published_trace.txt as its notebook computed them, bug included,
//      before the division. Also returns LAB_ESHAPE if NH does not divide C, and for sizes with
//      which the notebook's own products fail. Finding those is part of the exercise.
//
//   scores (B, NH, T, T) written    q, k (B, T, C) read, as they come out of their projections
//
// Example: published_scores(scores, q, k, 2, 3, 6, 3);
LAB_CHECKED lab_status published_scores(float *scores, const float *q, const float *k,
                                        size_t B, size_t T, size_t C, size_t NH);

#endif
