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
    // BEGIN SOLUTION 10.5 combine_partials: for each query a softmax over the logsumexps of its
    // parts, stable; its weights multiply the parts' outputs. Skip parts without keys (about 21
    // lines)
    memset(out, 0, N * hs * sizeof *out);
    for (size_t n = 0; n < N; n++) {
        const float *part = part_logsumexp + n * P;
        float max = -INFINITY, sum = 0.0f;
        for (size_t p = 0; p < P; p++) {
            max = fmaxf(max, part[p]);
        }
        for (size_t p = 0; p < P; p++) {
            sum += part[p] == -INFINITY ? 0.0f : expf(part[p] - max);
        }
        logsumexp[n] = max + logf(sum); // -INFINITY if no part has keys
        for (size_t p = 0; p < P; p++) {
            if (part[p] == -INFINITY) {
                continue;
            }
            const float weight = expf(part[p] - max) / sum;
            for (size_t i = 0; i < hs; i++) {
                out[n * hs + i] += weight * part_out[(n * P + p) * hs + i];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 10.5
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
    // BEGIN SOLUTION 10.5 flash_decode: 10.1's partial_attention with one query for each chunk that
    // has keys, divided by its sum; then combine_partials (about 19 lines)
    const size_t P = (T_max - 1) / chunk + 1; // rounded up
    memset(part_out, 0, B * NH * P * hs * sizeof *part_out);
    for (size_t n = 0; n < B * NH * P; n++) { // chunk p of head h of sequence b
        const size_t i = n / P, first = n % P * chunk, length = lengths[i / NH];
        part_logsumexp[n] = -INFINITY;
        if (first >= length) {
            continue; // no keys
        }
        float max, sum, *part = part_out + n * hs;
        const size_t count = length - first < chunk ? length - first : chunk;
        const size_t place = (i * T_max + first) * hs;
        LAB_TRY(partial_attention(&max, &sum, part, scores, q + i * hs, keys + place,
                                  values + place, 1, count, hs, (ptrdiff_t)count));
        for (size_t c = 0; c < hs; c++) {
            part[c] /= sum;
        }
        part_logsumexp[n] = max + logf(sum);
    }
    return combine_partials(out, logsumexp, part_out, part_logsumexp, B * NH, P, hs);
    // END SOLUTION 10.5
}
