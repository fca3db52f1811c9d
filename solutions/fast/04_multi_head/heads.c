// heads.c - lab 4 at the hardware's speed: the twin of solutions/04_multi_head/heads.c.
//
// Read the plain file first. This one computes the same, faster. The steps that led here:
//
//   1  One head at a time (4.5). The plain file computes the scores of all heads, then all
//      weights, then all outputs, and each of these tensors goes to memory and back. Here the
//      T S scores of one head are still in the cache when its softmax reads them.
//   2  Scale q, not the scores (4.5): T hs multiplications per head instead of T S. The scaled
//      queries use the buffer of the output, which is written last.
//   3  Products of tiles (4.5), for 32 to 512 tokens and hs a multiple of 16. OpenBLAS copies both
//      factors first; fast/common/tile_product.h reads q, the weights and v in place, and only k has
//      to be transposed. The heads are independent, so the threads share them.
//   4  Only the keys that are seen (4.5). A block of 48 queries needs its keys only up to the last one
//      that its rows of the mask allow. Under a causal mask that is half of all products and
//      exponentials. All blocks use the same memory for their scores, so it stays in the cache.
//   5  Copy short rows inline (4.2 to 4.4). For the 8 numbers of a narrow head, a call of memcpy
//      takes longer than the copy itself.
//
// `make bench` also compares the speed of this file with PyTorch's.
//
// BEGIN MEASURED: build/bench/ladder 04_multi_head/heads.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// scaled_dot_product_attention, B=2, NH=12, T=256, S=256, hs=64
//     plain, on the plain labs 2 and 3                          10458.4 us   1.00
//        plain, on the fast labs 2 and 3                         8714.5 us   1.20
//     1  one head at a time                                      8476.1 us   1.23
//     2  q times the scale                                       8390.7 us   1.25
//     3 4  products of tiles, keys that are seen (this file)     3920.3 us   2.67
//
// scaled_dot_product_attention, B=3, NH=4, T=150, S=123, hs=48
//     plain, on the plain labs 2 and 3                           1158.9 us   1.00
//        plain, on the fast labs 2 and 3                         1346.1 us   0.86
//     1  one head at a time                                      1330.4 us   0.87
//     2  q times the scale                                       1341.3 us   0.86
//     3 4  products of tiles, keys that are seen (this file)      408.5 us   2.84
//
// scaled_dot_product_attention, B=32, NH=4, T=8, S=8, hs=8
//     plain, on the plain labs 2 and 3                             66.6 us   1.00
//        plain, on the fast labs 2 and 3                           65.6 us   1.01
//     1  one head at a time                                        65.8 us   1.01
//     2  q times the scale                                         66.5 us   1.00
//     3 4  products of tiles, keys that are seen (this file)       66.2 us   1.01
//
// split_heads, B=32, T=8, C=32, NH=4, hs=8
//     plain: memcpy for each row of a head                          3.8 us   1.00
//     5  copied inline (this file)                                  1.7 us   2.21
// END MEASURED
//
// Each head computes attention on hs = C / NH of the C channels. One projection gives the
// queries, keys and values of all heads. The new work in this lab is to split its result,
// to move the heads in front of the tokens, and to undo both steps afterwards.
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
#include "common/parallel.h"
#include "fast/common/tile_product.h"
#include "fast/common/vector_math.h"

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
    struct view view = {.data = data, .axes = axes};
    size_t stride = 1;
    for (size_t a = axes; a-- > 0;) {
        view.size[a] = size[a];
        view.stride[a] = stride;
        stride *= size[a];
    }
    *out = view;
    return LAB_OK;
}

lab_status view_transpose(struct view *out, const struct view *in, size_t axis_a,
                          size_t axis_b)
{
    if (axis_a >= in->axes || axis_b >= in->axes || in->axes > VIEW_AXES) {
        return LAB_ESHAPE;
    }
    struct view view = *in;
    view.size[axis_a] = in->size[axis_b];
    view.size[axis_b] = in->size[axis_a];
    view.stride[axis_a] = in->stride[axis_b];
    view.stride[axis_b] = in->stride[axis_a];
    *out = view;
    return LAB_OK;
}

lab_status view_is_contiguous(bool *answer, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
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
}

lab_status view_as(struct view *out, const struct view *in, const size_t *size,
                   size_t axes)
{
    size_t count_in, count_out;
    if (!count_elements(&count_in, in->size, in->axes) ||
        !count_elements(&count_out, size, axes)) {
        return LAB_ESHAPE;
    }
    bool contiguous;
    LAB_TRY(view_is_contiguous(&contiguous, in));
    if (!contiguous || count_in != count_out) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);
}

lab_status view_contiguous(float *out, const struct view *in)
{
    size_t count;
    if (!count_elements(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, offset = 0;
        for (size_t a = in->axes; a-- > 0;) {
            offset += rest % in->size[a] * in->stride[a];
            rest /= in->size[a];
        }
        out[i] = in->data[offset];
    }
    return LAB_OK;
}

// ---- 4.2  three in one --------------------------------------------------------------------

lab_status split_qkv(float *q, float *k, float *v, const float *qkv, size_t B, size_t T,
                     size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < B * T; n++) { // token t of sequence b: n = b * T + t
        const float *qkv_n = qkv + n * 3 * C;
        lab_copy_few(q + n * C, qkv_n, C);
        lab_copy_few(k + n * C, qkv_n + C, C);
        lab_copy_few(v + n * C, qkv_n + 2 * C, C);
    }
    return LAB_OK;
}

// ---- 4.3, 4.4  splitting and merging the heads --------------------------------------------

lab_status split_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                const float *x_bth = x + ((b * T + t) * NH + h) * hs;
                float *out_bht = out + ((b * NH + h) * T + t) * hs;
                lab_copy_few(out_bht, x_bth, hs);
            }
        }
    }
    return LAB_OK;
}

lab_status merge_heads(float *out, const float *x, size_t B, size_t T, size_t C,
                       size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                const float *x_bht = x + ((b * NH + h) * T + t) * hs;
                float *out_bth = out + ((b * T + t) * NH + h) * hs;
                lab_copy_few(out_bth, x_bht, hs);
            }
        }
    }
    return LAB_OK;
}

// ---- 4.5  every head by itself ------------------------------------------------------------

enum { QUERIES = 48 }; // products of tiles work on this many queries of a head at a time

struct heads {
    float *out, *weights, *scores;
    const float *q, *k, *v;
    const uint8_t *mask;
    size_t NH, T, S, hs;
    float scale;
};

// scaled_k (hs, S) = k^T times the scale, 16 keys at a time: their rows stay in the cache.
static void transpose_keys(float *restrict scaled_k, const float *restrict k, float scale,
                           size_t S, size_t hs)
{
    enum { KEYS = 16 };
    for (size_t s = 0; s < S; s += KEYS) {
        for (size_t c = 0; c < hs; c++) {
            for (size_t i = s; i < s + KEYS && i < S; i++) {
                scaled_k[c * S + i] = k[i * hs + c] * scale;
            }
        }
    }
}

// Is a byte set? The loop has no exit, so the compiler reads many bytes at once.
LAB_WIDE static bool any(const uint8_t *bytes, size_t count)
{
    uint8_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= bytes[i];
    }
    return all != 0;
}

// The number of keys up to the last one that a query of mask (rows, S) may see. In a causal mask the last
// row has it.
static size_t count_seen(const uint8_t *mask, size_t rows, size_t S)
{
    size_t seen = 0;
    for (size_t t = rows; t-- > 0;) {
        const uint8_t *mask_t = mask + t * S;
        if (any(mask_t + seen, S - seen)) {
            for (seen = S; mask_t[seen - 1] == 0;) {
                seen--;
            }
        }
    }
    return seen;
}

// weights (rows, S) = masked softmax of the first keys of scores (rows, S), and 0 behind them.
LAB_WIDE static void softmax_block(float *restrict weights, const float *restrict scores,
                                   const uint8_t *restrict mask, size_t rows, size_t keys,
                                   size_t S)
{
    for (size_t t = 0; t < rows; t++) {
        float *weights_t = weights + t * S;
        const float *scores_t = scores + t * S;
        const uint8_t *mask_t = mask + t * S;
        for (size_t s = 0; s < keys; s++) {
            weights_t[s] = mask_t[s] != 0 ? scores_t[s] : -INFINITY;
        }
        const float max = lab_max(weights_t, keys);
        // no allowed key: avoid -inf - -inf
        const float shift = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < keys; s++) {
            weights_t[s] = lab_exp(weights_t[s] - shift);
        }
        const float sum = lab_sum(weights_t, keys);
        const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (size_t s = 0; s < keys; s++) {
            weights_t[s] *= scale;
        }
        memset(weights_t + keys, 0, (S - keys) * sizeof *weights_t);
    }
}

// For queries t to t + rows - 1 of a head. Its scores (rows, S) stay in the cache.
static lab_status some_queries(const struct heads *z, size_t i, size_t t, size_t rows,
                               float *scores, const float *scaled_k)
{
    const size_t T = z->T, S = z->S, hs = z->hs, LINE = 16;
    float *weights = z->weights + (i * T + t) * S;
    const struct lab_matrix q = {z->q + (i * T + t) * hs, hs, 1}, w = {weights, S, 1};
    size_t keys = S;

    if (z->mask == NULL) {
        lab_tile_product(scores, S, q, scaled_k, S, rows, S, hs, false);
        LAB_TRY(batched_softmax(weights, scores, 1, rows, S));
    } else {
        const uint8_t *mask = z->mask + (i / z->NH * T + t) * S;
        keys = (count_seen(mask, rows, S) + LINE - 1) / LINE * LINE;
        keys = keys < S ? keys : S;
        lab_tile_product(scores, S, q, scaled_k, S, rows, keys, hs, false);
        softmax_block(weights, scores, mask, rows, keys, S);
    }
    lab_tile_product(z->out + (i * T + t) * hs, hs, w, z->v + i * S * hs, hs, rows, hs,
                     keys, false);
    return LAB_OK;
}

// One head, i = b NH + h, with products for tiles, QUERIES at a time. The scaled keys lie behind the
// block's scores, in scores (T, S). If there is no room, the head is one block, and they lie in its output,
// which is free until the end.
static lab_status tiled_head(const struct heads *z, size_t i, float *scores)
{
    const size_t T = z->T, S = z->S, hs = z->hs;
    const bool room = T >= QUERIES + hs;
    const size_t step = room ? QUERIES : T;
    float *scaled_k = room ? scores + QUERIES * S : z->out + i * T * hs;

    transpose_keys(scaled_k, z->k + i * S * hs, z->scale, S, hs);
    for (size_t t = 0; t < T; t += step) {
        LAB_TRY(some_queries(z, i, t, step < T - t ? step : T - t, scores, scaled_k));
    }
    return LAB_OK;
}

// The same by BLAS.
static lab_status head(const struct heads *z, size_t i)
{
    const size_t T = z->T, S = z->S, hs = z->hs;
    const float *q = z->q + i * T * hs;
    float *scores = z->scores + i * T * S, *weights = z->weights + i * T * S;
    float *out = z->out + i * T * hs, *scaled_q = out;

    for (size_t j = 0; j < T * hs; j++) {
        scaled_q[j] = q[j] * z->scale;
    }
    LAB_TRY(batched_matmul_nt(scores, scaled_q, z->k + i * S * hs, 1, T, S, hs));
    if (z->mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, 1, T, S));
    } else {
        LAB_TRY(masked_softmax(weights, scores, z->mask + i / z->NH * T * S, T, S));
    }
    return batched_matmul(out, weights, z->v + i * S * hs, 1, T, hs, S);
}

static void some_heads(void *context, size_t first, size_t count)
{
    const struct heads *z = context;
    float *scores =
        z->scores + first * z->T * z->S; // for all of them: so it stays in the cache
    for (size_t i = first; i < first + count; i++) {
        if (tiled_head(z, i, scores) != LAB_OK) {
            return; // not possible: no size is 0
        }
    }
}

lab_status scaled_dot_product_attention(float *out, float *weights, float *scores,
                                        const float *q, const float *k, const float *v,
                                        const uint8_t *mask, size_t B, size_t NH,
                                        size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    struct heads z = {out, weights, scores, q, k, v, mask, NH, T, S, hs, 0.0f};
    z.scale = 1.0f / sqrtf((float)hs);
    const bool tiles = 32 <= S && S <= T && T <= 512 && hs % 16 == 0 && hs <= 128;
    if (tiles) {
        lab_parallel(some_heads, &z, B * NH);
        return LAB_OK;
    }
    for (size_t i = 0; i < B * NH; i++) {
        LAB_TRY(head(&z, i));
    }
    return LAB_OK;
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
}

// ---- 4.8  the published trace -------------------------------------------------------------

lab_status published_scores(float *scores, const float *q, const float *k, size_t B,
                            size_t T, size_t C, size_t NH)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
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
}
