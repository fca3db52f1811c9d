// attention_tile.c - see attention_tile.h.
//
// A tile at the diagonal is done in strips of LAB_TILE_ROWS rows: first what all rows of a strip see,
// then, row by row, the few pairs at the edge.
//
//             queries ──>                        strip of keys: the part that all rows have,
//     keys    x x x x x x x x                    and the edge: one number for the last but one
//      │      . x x x x x x x                    row, two for the row above, ...
//      v      . . x x x x x x  <── strip
//             . . . x x x x x
//
// Start reading at lab_tile_to_queries.

#include "fast/common/attention_tile.h"

#include "fast/common/tile_product.h"
#include "fast/common/vector_math.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// ---- scores -------------------------------------------------------------------------------

// Channels c0 ... c0 + n - 1: eight queries become a vector.
LAB_WIDE static void transpose(struct lab_transposed *q, size_t c0, size_t n)
{
    const size_t hs = q->hs;
    size_t r = 0;
    for (; r + LAB_LANES <= q->queries; r += LAB_LANES) {
        const float *x = q->q + r * hs + c0;
        for (size_t i = 0; i < n; i++, x++) {
            lab_lanes column = {x[0],      x[hs],     x[2 * hs], x[3 * hs],
                                x[4 * hs], x[5 * hs], x[6 * hs], x[7 * hs]};
            column *= q->scale;
            LAB_STORE(q->at[i] + r, column);
        }
    }
    for (; r < LAB_QUERIES; r++) {
        for (size_t i = 0; i < n; i++) {
            q->at[i][r] = r < q->queries ? q->scale * q->q[r * hs + c0 + i] : 0.0f;
        }
    }
    q->c0 = c0;
}

// What n channels give to the scores of all pairs that see each other, and of some more.
static void add_scores(float *scores, const struct lab_tile *tile, const float *k,
                       const struct lab_transposed *q, size_t n)
{
    const size_t whole = 16; // a product likes multiples of it
    const size_t step = lab_tile_is_full(tile) ? tile->keys : LAB_TILE_ROWS;
    for (size_t c = 0; c < tile->keys; c += step) {
        const size_t unseen = lab_clamp((ptrdiff_t)c - tile->diagonal, LAB_QUERIES);
        const size_t r = unseen / whole * whole;
        const struct lab_matrix rows = {k + c * q->hs + q->c0, q->hs, 1};
        lab_tile_product(scores + c * LAB_QUERIES + r, LAB_QUERIES, rows, q->at[0] + r,
                         LAB_QUERIES, smaller(step, tile->keys - c), LAB_QUERIES - r, n,
                         q->c0 > 0);
    }
}

void lab_tile_scores(float *scores, const struct lab_tile *tile, const float *k,
                     struct lab_transposed *q)
{
    for (size_t c0 = 0; c0 < q->hs; c0 += LAB_CHANNELS) {
        const size_t n = smaller(LAB_CHANNELS, q->hs - c0);
        if (q->c0 != c0) { // unless the head is wide, only for the first tile of keys
            transpose(q, c0, n);
        }
        add_scores(scores, tile, k, q, n);
    }
}

// ---- sums over keys, and over queries -----------------------------------------------------

void lab_tile_to_queries(float *out, const struct lab_tile *tile, const float *weights,
                         const float *v, size_t hs)
{
    const size_t step = lab_tile_is_full(tile) ? tile->queries : LAB_TILE_ROWS;
    for (size_t r = 0; r < tile->queries; r += step) {
        const size_t rows = smaller(step, tile->queries - r);
        const size_t seen = lab_clamp((ptrdiff_t)r + tile->diagonal + 1, tile->keys);
        const struct lab_matrix all = {weights + r, 1, LAB_QUERIES};
        lab_tile_product(out + r * hs, hs, all, v, hs, rows, hs, seen, true);
        for (size_t j = 1; j < rows && !lab_tile_is_full(tile); j++) {
            const size_t more =
                lab_clamp((ptrdiff_t)(r + j) + tile->diagonal + 1, tile->keys) - seen;
            const struct lab_matrix edge = {weights + seen * LAB_QUERIES + r + j, 1,
                                            LAB_QUERIES};
            lab_tile_product(out + (r + j) * hs, hs, edge, v + seen * hs, hs, 1, hs, more,
                             true);
        }
    }
}

void lab_tile_to_keys(float *dv, const struct lab_tile *tile, const float *weights,
                      const float *dout, size_t hs)
{
    const size_t step = lab_tile_is_full(tile) ? tile->keys : LAB_TILE_ROWS;
    for (size_t c = 0; c < tile->keys; c += step) {
        const size_t rows = smaller(step, tile->keys - c);
        const ptrdiff_t last = (ptrdiff_t)(c + rows) - 1 - tile->diagonal;
        const size_t first = lab_clamp(last, tile->queries); // sees all keys of the strip
        const struct lab_matrix all = {weights + c * LAB_QUERIES + first, LAB_QUERIES, 1};
        lab_tile_product(dv + c * hs, hs, all, dout + first * hs, hs, rows, hs,
                         tile->queries - first, true);
        for (size_t j = 0; j + 1 < rows && !lab_tile_is_full(tile); j++) {
            const size_t r =
                lab_clamp((ptrdiff_t)(c + j) - tile->diagonal, tile->queries);
            const struct lab_matrix edge = {weights + (c + j) * LAB_QUERIES + r,
                                            LAB_QUERIES, 1};
            lab_tile_product(dv + (c + j) * hs, hs, edge, dout + r * hs, hs, 1, hs,
                             first - r, true);
        }
    }
}
