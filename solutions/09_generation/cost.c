// cost.c - what a decode step costs: bytes and operations, from the sizes of a model alone.
//
// A step of one sequence does two operations for each weight it reads. A processor could do far
// more operations in the time that it takes to read these bytes. So memory bandwidth is the limit.
//
// Start reading at decoder_weights.

#include "09_generation/generation.h"

static bool sizes_fit(const struct decoder_sizes *s)
{
    return s->L > 0 && s->C > 0 && s->NH > 0 && s->NKV > 0 && s->H > 0 && s->V > 0 &&
           s->C % s->NH == 0 && s->NH % s->NKV == 0;
}

// ---- 9.6  what serving costs --------------------------------------------------------------

lab_status decoder_weights(size_t *count, const struct decoder_sizes *sizes)
{
    const struct decoder_sizes *s = sizes;
    if (!sizes_fit(s)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.6 decoder_weights: four matrices of the attention and two or three of the
    // MLP in each block; one output matrix (about 5 lines)
    const size_t hs = s->C / s->NH;
    const size_t attention = 2 * s->C * s->C + 2 * s->NKV * hs * s->C;
    const size_t mlp = (s->gated ? 3 : 2) * s->H * s->C;
    *count = s->L * (attention + mlp) + s->V * s->C;
    return LAB_OK;
    // END SOLUTION 9.6
}

lab_status cache_bytes(size_t *bytes, const struct decoder_sizes *sizes, size_t B,
                       size_t T, size_t number_bytes)
{
    const struct decoder_sizes *s = sizes;
    if (!sizes_fit(s) || B == 0 || T == 0 || number_bytes == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.6 cache_bytes: two tensors of the shape in kv_cache, with NKV heads (about
    // 2 lines)
    const size_t hs = s->C / s->NH;
    *bytes = 2 * s->L * B * s->NKV * T * hs * number_bytes;
    return LAB_OK;
    // END SOLUTION 9.6
}

lab_status decode_flops(size_t *flops, const struct decoder_sizes *sizes, size_t T)
{
    const struct decoder_sizes *s = sizes;
    if (!sizes_fit(s) || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.6 decode_flops: two for each weight; two for each number of q k^T, and two
    // for each of weights v (about 4 lines)
    size_t weights;
    LAB_TRY(decoder_weights(&weights, sizes));
    *flops = 2 * weights + 4 * s->L * s->C * T; // NH hs is C
    return LAB_OK;
    // END SOLUTION 9.6
}

lab_status decode_bytes(size_t *bytes, const struct decoder_sizes *sizes, size_t B,
                        size_t T, size_t weight_bytes, size_t number_bytes)
{
    if (!sizes_fit(sizes) || B == 0 || T == 0 || weight_bytes == 0 || number_bytes == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.6 decode_bytes: the weights once, the cache of all sequences (about 5 lines)
    size_t weights, cache;
    LAB_TRY(decoder_weights(&weights, sizes));
    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
    *bytes = weights * weight_bytes + cache;
    return LAB_OK;
    // END SOLUTION 9.6
}
