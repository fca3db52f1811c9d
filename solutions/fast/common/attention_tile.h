// attention_tile.h - the three products of a tile of attention: some queries and some keys.
//
//   lab_tile_scores        scores (keys, queries) = k q^T       also dweights = v dout^T
//   lab_tile_to_queries    out (queries, hs) += weights^T v     also dq += dscores^T k
//   lab_tile_to_keys       dv (keys, hs) += weights dout        also dk += dscores q
// Scores and weights are stored as (keys, LAB_QUERIES): a row for each key. So a vector holds neighboring
// queries. A softmax over the keys then works on whole vectors, and never adds up the numbers
// within one. Of all factors, only q has to be transposed, once for all tiles of keys.
//
// The products leave out pairs of a query and a key that it does not see: they take no time, and
// their weights and rows may hold anything, NaN included.

#ifndef LAB_ATTENTION_TILE_H
#define LAB_ATTENTION_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAB_QUERIES = 64,   // of a tile, at most
    LAB_KEYS = 64,      // of a tile, at most
    LAB_CHANNELS = 128, // of q that are transposed at a time
};

// Query r of the tile sees key c if c <= r + diagonal.
struct lab_tile {
    size_t queries, keys;
    ptrdiff_t diagonal;
};

// x, at least 0 and at most `most`.
static inline size_t lab_clamp(ptrdiff_t x, size_t most)
{
    return x < 0 ? 0 : (size_t)x < most ? (size_t)x : most;
}

// The tile of queries t0, ... and keys s0, ... of a head with T queries and S keys.
static inline struct lab_tile lab_tile_at(size_t t0, size_t s0, bool causal, size_t T,
                                          size_t S)
{
    const struct lab_tile tile = {T - t0 < LAB_QUERIES ? T - t0 : LAB_QUERIES,
                                  S - s0 < LAB_KEYS ? S - s0 : LAB_KEYS,
                                  causal ? (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T)
                                         : LAB_KEYS};
    return tile;
}

// Whether every query of the tile sees every key.
static inline bool lab_tile_is_full(const struct lab_tile *tile)
{
    return tile->diagonal + 1 >= (ptrdiff_t)tile->keys;
}

// How many keys the queries before t_end see. None of them sees a later key.
static inline size_t lab_keys_seen(size_t t_end, bool causal, size_t T, size_t S)
{
    return causal ? lab_clamp((ptrdiff_t)(t_end + S) - (ptrdiff_t)T, S) : S;
}

// Rows of q, transposed: at[i][r] = scale q[r][c0 + i].
struct lab_transposed {
    const float *q; // (queries, hs)
    float scale;
    size_t queries, hs;
    size_t c0;                           // SIZE_MAX: nothing is transposed yet
    float at[LAB_CHANNELS][LAB_QUERIES]; // 0 past the last query
};

// Sets what is to be transposed. The first product does it.
static inline void lab_transpose(struct lab_transposed *z, const float *q, float scale,
                                 size_t queries, size_t hs)
{
    z->q = q;
    z->scale = scale;
    z->queries = queries;
    z->hs = hs;
    z->c0 = SIZE_MAX;
}

// scores (keys, LAB_QUERIES) = scale k q^T. Scores of pairs that do not see each other may be
// anything.
void lab_tile_scores(float *scores, const struct lab_tile *tile, const float *k,
                     struct lab_transposed *q);

// out (queries, hs) += weights^T v. weights (keys, LAB_QUERIES), v (keys, hs).
void lab_tile_to_queries(float *out, const struct lab_tile *tile, const float *weights,
                         const float *v, size_t hs);

// dv (keys, hs) += weights dout. weights (keys, LAB_QUERIES), dout (queries, hs).
void lab_tile_to_keys(float *dv, const struct lab_tile *tile, const float *weights,
                      const float *dout, size_t hs);

#endif
