// heads.c - lab 4: views, splitting and merging heads, multi-head attention.
//
// Each head computes attention on hs = C / NH of the C channels. One projection gives the
// queries, keys and values of all heads. The new work in this lab is to split its result,
// to bring the heads in front of the tokens, and to undo both steps afterwards.
//
//   x (B,T,C_in) ─> qkv (B,T,3C) ─> q, k, v (B,T,C) ─> q, k, v (B,NH,T,hs)
//                                                              │
//        out (B,T,C) <─ merged (B,T,C) <─ out_heads (B,NH,T,hs) <─ weights (B,NH,T,T)
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2. Start reading
// at split_heads, or at multi_head_attention for the overview.

#include "04_multi_head/heads.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"

// ---- 4.1  views ---------------------------------------------------------------------------

// Counts the elements of a shape. Returns false if the shape is not valid: no axes or too
// many, a size of 0, or more elements than a size_t can count.
static bool count_elements(size_t *count, const size_t *size, size_t axes)
{
    if (axes == 0 || axes > VIEW_AXES) {
        return false;
    }
    size_t product = 1;
    for (size_t a = 0; a < axes; a++) {
        if (size[a] == 0 || product > SIZE_MAX / size[a]) {
            return false;
        }
        product *= size[a];
    }
    *count = product;
    return true;
}

lab_status view_of(struct view *out, const float *data, const size_t *size, size_t axes)
{
    size_t count;
    if (!count_elements(&count, size, axes)) {
        return LAB_ESHAPE;
    }
    // TODO 4.1: from the last axis to the first; a step along an axis skips all elements
    // of the axes after it (about 9 lines)
    return lab_todo(out, data, size, axes);
}

lab_status view_transpose(struct view *out, const struct view *in, size_t axis_a,
                          size_t axis_b)
{
    if (axis_a >= in->axes || axis_b >= in->axes || in->axes > VIEW_AXES) {
        return LAB_ESHAPE;
    }
    // TODO 4.1: swap the sizes and strides of two axes (about 7 lines)
    return lab_todo(out, in, axis_a, axis_b);
}

lab_status view_is_contiguous(bool *answer, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    // TODO 4.1: are the strides those of view_of? ignore axes of size 1 (about 10 lines)
    return lab_todo(answer, in);
}

lab_status view_as(struct view *out, const struct view *in, const size_t *size,
                   size_t axes)
{
    size_t count_in, count_out;
    if (!count_elements(&count_in, in->size, in->axes) ||
        !count_elements(&count_out, size, axes)) {
        return LAB_ESHAPE;
    }
    // TODO 4.1: LAB_ESHAPE if the number of elements differs or the view is not
    // contiguous; otherwise view_of (about 6 lines)
    return lab_todo(out, in, size, axes);
}

lab_status view_contiguous(float *out, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    // TODO 4.1: for each element in reading order: its index along every axis, the last
    // one first, then its place by the strides (about 9 lines)
    return lab_todo(out, in);
}

// ---- 4.2  three in one --------------------------------------------------------------------

lab_status split_qkv(float *q, float *k, float *v, const float *qkv, size_t B, size_t T,
                     size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.2: each token holds C channels of q, then of k, then of v (about 7 lines)
    return lab_todo(q, k, v, qkv, B, T, C);
}

// ---- 4.3, 4.4  splitting and merging the heads --------------------------------------------

lab_status split_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.3: rows of hs channels stay together; head h of token t moves from row (t,
    // h) to row (h, t) (about 11 lines)
    return lab_todo(out, x, B, T, C, NH);
}

lab_status merge_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.4: the same rows, moved back (about 11 lines)
    return lab_todo(out, x, B, T, C, NH);
}

// ---- 4.5  every head by itself ------------------------------------------------------------

lab_status scaled_dot_product_attention(float *out, float *weights, float *scores,
                                        const float *q, const float *k, const float *v,
                                        const uint8_t *mask, size_t B, size_t NH,
                                        size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.5: for each sequence and head: scores over sqrt(hs), softmax under that
    // sequence's mask, weighted values; each call in a LAB_TRY (about 14 lines)
    return lab_todo(out, weights, scores, q, k, v, mask, B, NH, T, S, hs);
}

// ---- 4.6  multi-head attention ------------------------------------------------------------

lab_status multi_head_attention(float *out, float *weights,
                                const struct attention_buffers *buffers, const float *x,
                                const struct attention_params *params, bool causal,
                                size_t B, size_t T, size_t C_in, size_t C, size_t NH)
{
    if (B == 0 || T == 0 || C_in == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.6: one projection to 3C, split_qkv, split_heads three times, the causal mask
    // for every sequence, attention, merge_heads, output projection; each call in a
    // LAB_TRY (about 18 lines)
    return lab_todo(out, weights, buffers, x, params, causal, B, T, C_in, C, NH);
}

// ---- 4.7  cross attention -----------------------------------------------------------------

lab_status cross_attention(float *out, float *weights,
                           const struct cross_attention_buffers *buffers, const float *x,
                           const float *memory,
                           const struct cross_attention_params *params,
                           const uint8_t *mask, size_t B, size_t T, size_t S, size_t C,
                           size_t NH)
{
    if (B == 0 || T == 0 || S == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.7: as 4.6, with q from x, k and v from memory, each with its own projection;
    // mind the difference between T and S (about 12 lines)
    return lab_todo(out, weights, buffers, x, memory, params, mask, B, T, S, C, NH);
}

// ---- 4.8  the published trace -------------------------------------------------------------

lab_status published_scores(float *scores, const float *q, const float *k, size_t B,
                            size_t T, size_t C, size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.8: the products that the notebook really computed (about 20 lines)
    return lab_todo(scores, q, k, B, T, C, NH);
}
