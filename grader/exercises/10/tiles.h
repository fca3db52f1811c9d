// tiles.h - attention tile by tile, in double, with one possible change: for the mistakes of 10.2 and
// 10.3.

#ifndef GRADER_10_TILES_H
#define GRADER_10_TILES_H

#include "exercises/exercise.h"

struct tiles;

// Whether query t sees key s, and whether the tile that begins at query t0 and key s0 is visited. What
// is visited but not seen makes no difference.
typedef bool sees_rule(const struct tiles *x, size_t t, size_t s);
typedef bool visits_rule(const struct tiles *x, size_t t0, size_t s0);

// How a tile is merged into what the query has so far.
enum merging {
    MERGED,            // right
    OLD_LEFT,          // the old sum and weighted values keep their size
    OLD_SUM_LEFT,      // only the old sum does
    OLD_WEIGHTED_LEFT, // only the old weighted values do
    TILE_LEFT,         // the tile's exponentials stay relative to its own maximum
    OLD_INVERTED,      // exp(m - max) for exp(max - m)
    LAST_MAXIMUM,      // everything is made relative to the tile's maximum
    MAXIMUM_FROM_0,    // right, but the maximum is at least 0,
    MAXIMUM_FROM_1E9,  // or -1e9
    REPLACED,          // the tile takes the place of what was there
    DIVIDED_EACH_TIME, // right, and weighted is divided by the sum so far
    SOFTMAX_OF_TILE,   // weighted adds up the softmaxes of the tiles
    NO_MAXIMUM,        // exp of the scores themselves; max is still the largest
    BASE_2,            // 2^x for e^x
};

enum ending {
    DIVIDED, // right
    NOT_DIVIDED,
    DIVIDED_BY_TILES, // by the number of tiles of keys that were visited
    DIVIDED_BY_LAST,  // by the sum of the last tile
    EMPTY_NAN,        // 0/0 where the query sees no key
};

enum logsumexp {
    MAX_AND_LOG_SUM, // right
    LOG_SUM,
    MAX_ONLY,
    MAX_AND_SUM,
    IN_BASE_2,
    LAST_MAX_AND_LOG_SUM, // the maximum of the last visited tile
    LOG_SUM_MINUS_MAX,
    MAX_MINUS_LOG_SUM,
    EMPTY_0,   // 0 where the query sees no key
    EMPTY_MAX, // max where the sum is 0
    UNSCALED,  // max without 1/sqrt(hs)
};

// When a row of a tile starts without keys.
enum start { IN_EACH_TILE, IN_EACH_HEAD, ONCE };

struct layout { // distances between sequences, heads, tokens
    size_t b, h, t;
};

struct tiles {
    float *out, *logsumexp;
    const float *q, *k, *v;
    bool causal;
    size_t B, NH, T, S, hs, Br, Bc;
    struct layout q_at, k_at, v_at, out_at;
    size_t channel_step; // from a key's channel to the next
    sees_rule *sees;
    visits_rule *visits;
    double scale;
    enum merging merging;
    enum ending ending;
    enum logsumexp log;
    bool first_tile_k, first_tile_v,
        first_tile_q; // every tile gets the rows of the first one
    enum start start;
    size_t padded;             // keys past the last one that count: score 0, value 0
    size_t keys_from, keys_to; // only these keys exist
    bool score_0;              // a key that is not seen counts, with score 0
};

struct tiles right_tiles(float *out, float *logsumexp, const float *q, const float *k,
                         const float *v, bool causal, size_t B, size_t NH, size_t T,
                         size_t S, size_t hs, size_t Br, size_t Bc);

// (B, heads, rows, hs), and (B, rows, heads, hs).
struct layout in_heads(size_t heads, size_t rows, size_t hs);
struct layout in_tokens(size_t heads, size_t rows, size_t hs);

// How many tiles are visited, over all sequences and heads.
size_t count_visited(const struct tiles *x);

// LAB_ESHAPE if a size is 0; LEAVES_ARGUMENTS for a call that is too large for this slow code.
lab_status run_tiles(const struct tiles *x);

sees_rule sees_as_asked; // s <= t + S - T if causal
visits_rule visits_every_tile;

#endif
