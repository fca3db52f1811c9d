// decode.c - one query against a long cache, read at the memory's speed.
//
// Read solutions/10_flash_attention/decode.c first: it is the plain form of the same mathematics. A
// decode step reads each key and each value once and does little with it, so its speed depends on how
// they are read:
//
//   1. four streams          Keys and values are read as four rows at a time, a quarter of a piece apart
//      (flash_decode)        (lab_dots of fast/common/vector_math.h): the processor can prefetch such
//                            streams. lab_exp has no call (LAB_WIDE).
//   2. pieces of a part      A part may be long. Its scores are merged after each piece, so that they
//      (flash_decode)        stay in the innermost cache, and every thread has its own.
//   3. parts in parallel     With more than one thread, each takes the next part
//                            (common/parallel.h), even for one sequence with few heads.
//
// BEGIN MEASURED: build/bench/ladder 10_flash_attention/decode.c (make bench DOCS=1)
// END MEASURED
//
// Start reading at attend_part.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

#include "common/parallel.h"
#include "fast/common/vector_math.h"

// ---- 10.5  parts into one -----------------------------------------------------------------

// Parts (P, hs) into out (hs). Returns their logsumexp.
LAB_WIDE static float combine_row(float *restrict out, const float *restrict part_out,
                                  const float *restrict part_logsumexp, size_t P,
                                  size_t hs)
{
    const float max = lab_max(part_logsumexp, P);
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
    float sum = 0.0f;
    for (size_t p = 0; p < P; p++) {
        sum += lab_exp(part_logsumexp[p] - shift);
    }
    memset(out, 0, hs * sizeof *out);
    for (size_t p = 0; p < P; p++) {
        if (part_logsumexp[p] == -INFINITY) {
            continue; // this part of part_out may hold anything
        }
        const float weight = lab_exp(part_logsumexp[p] - shift) / sum;
        for (size_t i = 0; i < hs; i++) {
            out[i] += weight * part_out[p * hs + i];
        }
    }
    return max + logf(sum); // no keys: -inf
}

lab_status combine_partials(float *out, float *logsumexp, const float *part_out,
                            const float *part_logsumexp, size_t N, size_t P, size_t hs)
{
    if (N == 0 || P == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        logsumexp[n] = combine_row(out + n * hs, part_out + n * P * hs,
                                   part_logsumexp + n * P, P, hs);
    }
    return LAB_OK;
}

// ---- 10.5  one part -----------------------------------------------------------------------

enum { PIECE = 512 }; // keys; their scores are 2 KB

// out (hs) = factor out + weights (S) values (S, hs), four rows a quarter apart at a time, as in
// lab_dots.
LAB_INLINE void merge_values(float *restrict out, float factor,
                             const float *restrict weights, const float *restrict values,
                             size_t S, size_t hs)
{
    const size_t quarter = S / 4, apart = quarter * hs;
    for (size_t i = 0; i < hs; i++) {
        out[i] *= factor;
    }
    for (size_t s = 0; s < quarter; s++) {
        const float *v0 = values + s * hs, *v1 = v0 + apart, *v2 = v1 + apart,
                    *v3 = v2 + apart;
        const float w0 = weights[s], w1 = weights[s + quarter],
                    w2 = weights[s + 2 * quarter], w3 = weights[s + 3 * quarter];
        for (size_t i = 0; i < hs; i++) {
            out[i] += (w0 * v0[i] + w1 * v1[i]) + (w2 * v2[i] + w3 * v3[i]);
        }
    }
    for (size_t s = 4 * quarter; s < S; s++) {
        for (size_t i = 0; i < hs; i++) {
            out[i] += weights[s] * values[s * hs + i];
        }
    }
}

// One query against S keys: out (hs) divided by the sum. Returns the logsumexp; -inf for no keys.
LAB_WIDE static float attend_part(float *restrict out, const float *restrict q,
                                  const float *restrict keys,
                                  const float *restrict values, size_t S, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    float scores[PIECE], max = -INFINITY, sum = 0.0f;
    memset(out, 0, hs * sizeof *out);
    for (size_t s0 = 0; s0 < S; s0 += PIECE) {
        const size_t count = S - s0 < PIECE ? S - s0 : PIECE;
        lab_dots(scores, keys + s0 * hs, q, count, hs);
        const float here = scale * lab_max(scores, count), before = max;
        max = here > max ? here : max;
        const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
        for (size_t s = 0; s < count; s++) {
            scores[s] = lab_exp(scale * scores[s] - shift);
        }
        const float factor = lab_exp(before - shift);
        sum = factor * sum + lab_sum(scores, count);
        merge_values(out, factor, scores, values + s0 * hs, count, hs);
    }
    const float share = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t i = 0; i < hs; i++) {
        out[i] *= share;
    }
    return max + logf(sum);
}

// ---- 10.5  a step -------------------------------------------------------------------------

struct parts {
    float *part_out, *part_logsumexp;
    const float *q, *keys, *values;
    const size_t *lengths;
    size_t NH, T_max, hs, chunk, P;
};

// Parts first ... first + count - 1: part p of head i is i P + p.
static void attend_parts(void *context, size_t first, size_t count)
{
    const struct parts *a = context;
    for (size_t n = first; n < first + count; n++) {
        const size_t i = n / a->P, start = n % a->P * a->chunk;
        const size_t length = a->lengths[i / a->NH];
        const size_t left = start < length ? length - start : 0;
        const size_t row = (i * a->T_max + (left > 0 ? start : 0)) * a->hs;
        a->part_logsumexp[n] =
            attend_part(a->part_out + n * a->hs, a->q + i * a->hs, a->keys + row,
                        a->values + row, left < a->chunk ? left : a->chunk, a->hs);
    }
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
    (void)scores;                             // every thread has a piece of its own
    const size_t P = (T_max - 1) / chunk + 1; // rounded up
    struct parts parts = {part_out, part_logsumexp, q,  keys,  values, lengths,
                          NH,       T_max,          hs, chunk, P};
    lab_parallel(attend_parts, &parts, B * NH * P);
    return combine_partials(out, logsumexp, part_out, part_logsumexp, B * NH, P, hs);
}
