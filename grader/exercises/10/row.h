// row.h - one query against the keys of a part, in double, with one possible change: for the mistakes
// of 10.1 and 10.5.

#ifndef GRADER_10_ROW_H
#define GRADER_10_ROW_H

#include "exercises/exercise.h"

// What becomes of a key that the query does not see. All but the first also multiply its value by its
// exponential, and 0 times NaN is NaN.
enum unseen {
    SKIPPED,
    TIMES_0,   // right otherwise
    MINUS_INF, // score -INFINITY, with nothing done about -INFINITY - -INFINITY
    SCORE_0,   // score 0
    SCORE_LOW, // score -1e9
};

// A loop that looks at each key once. Where the largest score changes, what was added before belongs to
// a smaller one.
enum online {
    TWO_PASSES,
    NOT_RESCALED,
    SUM_RESCALED, // but not weighted
};

struct row {
    const float *q, *keys, *values; // (hs); key 0 and value 0
    size_t N, hs;
    size_t key_stride,
        channel_stride; // numbers between a key and the next, between its channels
    size_t first, seen; // the query sees keys first ... seen - 1
    enum unseen unseen;
    enum online online;
    double scale; // what q . k is multiplied with
    double start; // where the search for the largest score starts
    size_t
        searched; // the largest is searched among this many keys, seen or not; 0: among those seen
    double sum_start;  // where the sum starts
    bool no_maximum;   // exp of the scores themselves
    bool last_score;   // the last score is stored as max, and subtracted
    bool last_term;    // sum is the last exponential
    bool base_2;       // 2^x instead of e^x
    bool max_unscaled; // the largest q . k is stored
    bool divided;      // weighted is divided by sum
};

// A query of hs numbers that sees the first `seen` of N keys, which are contiguous; everything is right.
struct row right_row(const float *q, const float *keys, const float *values, size_t N,
                     size_t hs, size_t seen);

// Writes max (1), sum (1) and weighted (hs).
void compute_row(const struct row *row, float *max, float *sum, float *weighted);

// How many of N keys query r sees: c <= r + diagonal.
size_t keys_seen(size_t r, size_t N, ptrdiff_t diagonal);

#endif
