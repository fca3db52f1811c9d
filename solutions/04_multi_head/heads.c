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
    // BEGIN SOLUTION 4.1 view_of: from the last axis to the first; a step along an axis
    // skips all elements of the axes after it (about 9 lines)
    struct view view = {.data = data, .axes = axes};
    size_t stride = 1;
    for (size_t a = axes; a-- > 0;) {
        view.size[a] = size[a];
        view.stride[a] = stride;
        stride *= size[a];
    }
    *out = view;
    return LAB_OK;
    // END SOLUTION 4.1
}

lab_status view_transpose(struct view *out, const struct view *in, size_t axis_a,
                          size_t axis_b)
{
    if (axis_a >= in->axes || axis_b >= in->axes || in->axes > VIEW_AXES) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.1 view_transpose: swap the sizes and strides of two axes (about 7
    // lines)
    struct view view = *in;
    view.size[axis_a] = in->size[axis_b];
    view.size[axis_b] = in->size[axis_a];
    view.stride[axis_a] = in->stride[axis_b];
    view.stride[axis_b] = in->stride[axis_a];
    *out = view;
    return LAB_OK;
    // END SOLUTION 4.1
}

lab_status view_is_contiguous(bool *answer, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.1 view_is_contiguous: are the strides those of view_of? ignore
    // axes of size 1 (about 10 lines)
    bool contiguous = true;
    size_t stride = 1;
    for (size_t a = in->axes; a-- > 0;) {
        if (in->size[a] != 1 && in->stride[a] != stride) {
            contiguous = false;
        }
        stride *= in->size[a];
    }
    *answer = contiguous;
    return LAB_OK;
    // END SOLUTION 4.1
}

lab_status view_as(struct view *out, const struct view *in, const size_t *size,
                   size_t axes)
{
    size_t count_in, count_out;
    if (!count_elements(&count_in, in->size, in->axes) ||
        !count_elements(&count_out, size, axes)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.1 view_as: LAB_ESHAPE if the number of elements differs or the
    // view is not contiguous; otherwise view_of (about 6 lines)
    bool contiguous;
    LAB_TRY(view_is_contiguous(&contiguous, in));
    if (!contiguous || count_in != count_out) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);
    // END SOLUTION 4.1
}

lab_status view_contiguous(float *out, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.1 view_contiguous: for each element in reading order: its index
    // along every axis, the last one first, then its place by the strides (about 9 lines)
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, offset = 0;
        for (size_t a = in->axes; a-- > 0;) {
            offset += rest % in->size[a] * in->stride[a];
            rest /= in->size[a];
        }
        out[i] = in->data[offset];
    }
    return LAB_OK;
    // END SOLUTION 4.1
}

// ---- 4.2  three in one --------------------------------------------------------------------

lab_status split_qkv(float *q, float *k, float *v, const float *qkv, size_t B, size_t T,
                     size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.2 split_qkv: each token holds C channels of q, then of k, then of v
    // (about 7 lines)
    for (size_t n = 0; n < B * T; n++) { // token t of sequence b: n = b * T + t
        const float *qkv_n = qkv + n * 3 * C;
        memcpy(q + n * C, qkv_n, C * sizeof *q);
        memcpy(k + n * C, qkv_n + C, C * sizeof *k);
        memcpy(v + n * C, qkv_n + 2 * C, C * sizeof *v);
    }
    return LAB_OK;
    // END SOLUTION 4.2
}

// ---- 4.3, 4.4  splitting and merging the heads --------------------------------------------

lab_status split_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.3 split_heads: rows of hs channels stay together; head h of token
    // t moves from row (t, h) to row (h, t) (about 11 lines)
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                const float *x_bth = x + ((b * T + t) * NH + h) * hs;
                float *out_bht = out + ((b * NH + h) * T + t) * hs;
                memcpy(out_bht, x_bth, hs * sizeof *out);
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 4.3
}

lab_status merge_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.4 merge_heads: the same rows, moved back (about 11 lines)
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                const float *x_bht = x + ((b * NH + h) * T + t) * hs;
                float *out_bth = out + ((b * T + t) * NH + h) * hs;
                memcpy(out_bth, x_bht, hs * sizeof *out);
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 4.4
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
    // BEGIN SOLUTION 4.5 scaled_dot_product_attention: for each sequence and head: scores
    // over sqrt(hs), softmax under that sequence's mask, weighted values; each call in a
    // LAB_TRY (about 14 lines)
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }

    if (mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
    } else {
        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                                   mask + i / NH * T * S, T, S));
        }
    }

    return batched_matmul(out, weights, v, B * NH, T, hs, S);
    // END SOLUTION 4.5
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
    // BEGIN SOLUTION 4.6 multi_head_attention: one projection to 3C, split_qkv,
    // split_heads three times, the causal mask for every sequence, attention,
    // merge_heads, output projection; each call in a LAB_TRY (about 18 lines)
    const struct attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C));
    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

    const uint8_t *mask = NULL; // every key allowed
    if (causal) {
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
        }
        mask = z->mask;
    }
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, T,
                                         C / NH));

    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
    // END SOLUTION 4.6
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
    // BEGIN SOLUTION 4.7 cross_attention: as 4.6, with q from x, k and v from memory,
    // each with its own projection; mind the difference between T and S (about 12 lines)
    const struct cross_attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
                                         C / NH));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
    // END SOLUTION 4.7
}

// ---- 4.8  the published trace -------------------------------------------------------------

lab_status published_scores(float *scores, const float *q, const float *k, size_t B,
                            size_t T, size_t C, size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.8 published_scores: the products that the notebook really computed
    // (about 20 lines)
    if (T != NH) { // the shapes of the notebook's two factors do not match
        return LAB_ESHAPE;
    }
    const size_t hs = C / NH;
    // The notebook did not transpose q: it read (B,T,NH,hs) as (B,NH,T,hs). So its
    // element (i, j) is token i, head j instead of head i, token j. k was transposed
    // correctly.
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < NH; i++) {
            for (size_t j = 0; j < T; j++) {
                const float *q_bij = q + (b * T + i) * C + j * hs;
                for (size_t s = 0; s < T; s++) {
                    const float *k_bsi = k + (b * T + s) * C + i * hs;
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q_bij[c] * k_bsi[c];
                    }
                    scores[((b * NH + i) * T + j) * T + s] = sum;
                }
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 4.8
}
