// glance.h - what one query sees in a cache: attention of a single row, with one possible change, for
// the mistakes of 9.2, 9.4 and 9.5.

#ifndef GRADER_09_GLANCE_H
#define GRADER_09_GLANCE_H

#include "exercises/exercise.h"

// Threads of a block in the kernels of 9.2 and 9.4.
enum { GLANCE_LANES = 128 };

enum glance_softmax {
    RIGHT,
    IN_FLOAT,             // right, all sums in float
    NO_MAXIMUM,           // exp of the scores themselves,
    NO_MAXIMUM_IN_DOUBLE, // also of large ones: up to 709
    MAXIMUM_FROM_0,       // the search for the largest score starts at 0
    MAXIMUM_FROM_1E4,     // or at -1e4, -1e9
    MAXIMUM_FROM_1E9,
    BASE_2,      // powers of 2, not of e
    NOT_DIVIDED, // out is the sum of exp(score - largest) times the values
    MASK_AFTER,
    MASK_MULTIPLIED,
    MASK_ADDED,
    EMPTY_ROW_NAN,
    EMPTY_ROW_UNIFORM,
    FILLED_1E4, // the score of a forbidden key is -1e4
    // on a GPU, where the threads of a block do not share what they know
    OWN_MAXIMUM,
    OWN_SUM,
    OWN_ROW,
    OWN_WARP,   // within each warp only
    FIRST_WARP, // the sum of the block is that of warp 0
    HALF_WARP, // within each half of a warp only, and the first halves give theirs to the block
};

struct glance {
    float *out, *weights; // (hs), (room)
    const float *q, *keys, *values;
    size_t S, room, hs; // the weights from S up to room are 0
    // numbers between a key and the next, between its channels, between a value and the next
    size_t key_stride, channel_stride, value_stride;
    // if ring is not 0, key s is in row (key_shift + s) % ring, and so on
    size_t ring, key_shift, value_shift;
    const uint8_t *may; // allowed keys, may_stride apart; NULL: all
    size_t may_stride;
    bool may_not;      // 1 means forbidden
    bool guarded;      // a sum of 0 gives weights of 0, not NaN
    bool by_functions; // a row of NaN gives weights of 0, as in batched_softmax
    bool zeros_if_none_allowed;
    double scale; // what q . k is multiplied with
    enum glance_softmax softmax;
    size_t no_score;     // if not 0: keys from here on have the score 0
    bool scores_applied; // out is the scores times the values
    bool reversed;       // the weights are written with the last one first
    bool powers_kept;    // weights is exp(score - largest), undivided
    bool tail_left;      // the weights from S on are not written
};

// A query of hs numbers and S keys and values of as many, which are contiguous; everything is right.
struct glance right_glance(float *out, float *weights, const float *q, const float *keys,
                           const float *values, size_t S, size_t room, size_t hs);

// For hs = 16: exact scores below -2.5e30 in every third query, of at most -256 in every other third, and 25 or -400
// in the rest. No search for the largest may start at 0, at -1e4, -1e9 or -1e30, nor take it from the magnitudes.
#define LOW_NOTE "scores below -2.5e30, or near -1000, or 25 and -400"
void fill_low_scores(struct test_case *test, const char *keys, size_t keys_each);

// LAB_ESHAPE if S is 0, as batched_softmax.
lab_status glance(const struct glance *g);

// BEGIN HANDED OUT
// Those of lab 4. Together below 1e-5, to reject a weight of 1 / (1 + 1e-5) instead of 1.
#define WEIGHTS_TOLERANCE 5e-6f, 4e-6f
#define OUT_TOLERANCE 1e-5f, 1e-4f
// END HANDED OUT

#endif
