// decode.c - one query against a long cache, in chunks that could run at the same time.
//
//   cache   | chunk 0 | chunk 1 | chunk 2 |   each: out and logsumexp of its own keys
//                └─────────┼─────────┘
//                     combine_partials ──> out, logsumexp of all keys
//
// Start reading at combine_partials.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

lab_status combine_partials(float *out, float *logsumexp, const float *part_out,
                            const float *part_logsumexp, size_t N, size_t P, size_t hs)
{
    if (N == 0 || P == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.5: for each query a softmax over the logsumexps of its parts, stable; its
    // weights multiply the parts' outputs. Skip parts without keys (about 21 lines)
    return lab_todo(out, logsumexp, part_out, part_logsumexp, N, P, hs);
}

lab_status flash_decode(float *out, float *logsumexp, float *part_out,
                        float *part_logsumexp, float *scores, const float *q,
                        const float *keys, const float *values, const size_t *lengths,
                        size_t B, size_t NH, size_t T_max, size_t hs, size_t chunk)
{
    if (B == 0 || NH == 0 || T_max == 0 || hs == 0 || chunk == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] == 0 || lengths[b] > T_max) {
            return LAB_ESHAPE;
        }
    }
    // TODO 10.5: 10.1's partial_attention with one query for each chunk that has keys,
    // divided by its sum; then combine_partials (about 19 lines)
    return lab_todo(out, logsumexp, part_out, part_logsumexp, scores, q, keys, values,
                    lengths, B, NH, T_max, hs, chunk);
}
