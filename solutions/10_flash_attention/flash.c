// flash.c - attention tile by tile.
//
//                 keys ──>
//               tile 0   tile 1   tile 2
//   queries   ┌────────┬────────┬────────┐
//     tile 0  │ part ──┼─> merge┼─> merge┼──> divide: out, logsumexp of tile 0's queries
//             ├────────┼────────┼────────┤
//     tile 1  │        │        │        │    ... then tile 1's
//             └────────┴────────┴────────┘
//
// Only one tile of scores exists at a time. Start reading at flash_attention.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

// ---- 10.2  every tile ---------------------------------------------------------------------

// BEGIN SOLUTION 10.2 helper
static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// No keys so far.
static void begin_rows(const struct flash_buffers *z, size_t rows, size_t hs)
{
    for (size_t r = 0; r < rows; r++) {
        z->max[r] = -INFINITY;
        z->sum[r] = 0.0f;
    }
    memset(z->weighted, 0, rows * hs * sizeof *z->weighted);
}

static lab_status add_tile(const struct flash_buffers *z, const float *q, const float *k,
                           const float *v, size_t rows, size_t keys, size_t hs,
                           ptrdiff_t diagonal)
{
    LAB_TRY(partial_attention(z->tile_max, z->tile_sum, z->tile_weighted, z->scores, q, k,
                              v, rows, keys, hs, diagonal));
    return online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max, z->tile_sum,
                                z->tile_weighted, rows, hs);
}

// The division that was left out of all parts.
static void end_rows(float *out, float *logsumexp, const struct flash_buffers *z,
                     size_t rows, size_t hs)
{
    for (size_t r = 0; r < rows; r++) {
        const float divide_by = z->sum[r] == 0.0f ? 1.0f : z->sum[r]; // 0: no keys
        for (size_t i = 0; i < hs; i++) {
            out[r * hs + i] = z->weighted[r * hs + i] / divide_by;
        }
        logsumexp[r] = z->max[r] + logf(z->sum[r]);
    }
}
// END SOLUTION 10.2

lab_status flash_attention(float *out, float *logsumexp, const struct flash_buffers *z,
                           const float *q, const float *k, const float *v, bool causal,
                           size_t B, size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                           size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.2 flash_attention: for each head and each tile of queries, start without
    // keys, merge 10.1's part of each tile of keys, then divide. Query t0 + r sees key s0 + c if
    // c <= r + diagonal: what is diagonal? (about 15 lines, with helpers 50)
    for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
        const float *k_i = k + i * S * hs, *v_i = v + i * S * hs;
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            const size_t rows = smaller(Br, T - t0);
            begin_rows(z, rows, hs);
            for (size_t s0 = 0; s0 < S; s0 += Bc) {
                const size_t keys = smaller(Bc, S - s0);
                const ptrdiff_t diagonal = (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T);
                LAB_TRY(add_tile(z, q + (i * T + t0) * hs, k_i + s0 * hs, v_i + s0 * hs,
                                 rows, keys, hs, causal ? diagonal : (ptrdiff_t)keys));
            }
            end_rows(out + (i * T + t0) * hs, logsumexp + i * T + t0, z, rows, hs);
        }
    }
    return LAB_OK;
    // END SOLUTION 10.2
}

// ---- 10.3  only the tiles that are needed -------------------------------------------------

lab_status flash_attention_causal(float *out, float *logsumexp, size_t *visited,
                                  const struct flash_buffers *z, const float *q,
                                  const float *k, const float *v, size_t B, size_t NH,
                                  size_t T, size_t S, size_t hs, size_t Br, size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.3 flash_attention_causal: as 10.2, but the loop over the keys ends at the
    // last key that the tile's last query sees; count the tiles (about 18 lines)
    *visited = 0;
    for (size_t i = 0; i < B * NH; i++) {
        const float *k_i = k + i * S * hs, *v_i = v + i * S * hs;
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            const size_t rows = smaller(Br, T - t0);
            const size_t end = t0 + rows + S; // the last query sees s if s + T < end
            begin_rows(z, rows, hs);
            for (size_t s0 = 0; s0 < S && s0 + T < end; s0 += Bc) {
                const ptrdiff_t diagonal = (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T);
                LAB_TRY(add_tile(z, q + (i * T + t0) * hs, k_i + s0 * hs, v_i + s0 * hs,
                                 rows, smaller(Bc, S - s0), hs, diagonal));
                ++*visited;
            }
            end_rows(out + (i * T + t0) * hs, logsumexp + i * T + t0, z, rows, hs);
        }
    }
    return LAB_OK;
    // END SOLUTION 10.3
}
