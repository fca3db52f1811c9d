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

// Rows of the tables of 9.2, 9.4 and 9.5, whose functions are called prefix_no_scale and so on.
#define SCALE_MISTAKES(of, prefix)                                                       \
    {                                                                                    \
        .id = "no-scale",                                                                \
        .what = "the scores are not divided by sqrt(hs)",                                \
        .why = "Their standard deviation is then sqrt(hs), and the weights are too "     \
               "peaked.",                                                                \
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",                 \
        .function = LIKE(of, prefix##_no_scale),                                         \
    },                                                                                   \
        {                                                                                \
            .id = "over-hs",                                                             \
            .what = "the scores are divided by hs instead of sqrt(hs)",                  \
            .why = "The standard deviation of q . k is sqrt(hs). Divide only once.",     \
            .source = NULL,                                                              \
            .function = LIKE(of, prefix##_over_hs),                                      \
        },                                                                               \
        {                                                                                \
            .id = "multiplied",                                                          \
            .what = "the scores are multiplied by sqrt(hs)",                             \
            .why = "Divide by it: multiply by 1 / sqrt(hs).",                            \
            .source = "esceptico/perceiver-io#9",                                        \
            .function = LIKE(of, prefix##_multiplied),                                   \
        },                                                                               \
        {                                                                                \
            .id = "root-cut-off",                                                        \
            .what = "the root of hs loses its fraction: sqrt(5) becomes 2",              \
            .why = "A cast of the root to an integer cuts it off. Write 1.0f / "         \
                   "sqrtf((float)hs).",                                                  \
            .source = NULL,                                                              \
            .function = LIKE(of, prefix##_root_cut_off),                                 \
        },                                                                               \
        {                                                                                \
            .id = "integer-scale",                                                       \
            .what = "1 / sqrt(hs) is divided as integers: it is 0 from hs = 4 on",       \
            .why = "Two integers give an integer. Write 1.0f / sqrtf((float)hs).",       \
            .source = NULL,                                                              \
            .function = LIKE(of, prefix##_integer_scale),                                \
        },                                                                               \
        {                                                                                \
            .id = "base-2",                                                              \
            .what = "the softmax takes powers of 2, not of e",                           \
            .why =                                                                       \
                "exp2f(x) is 2^x. Use expf(x), or exp2f(x * log2(e)), where log2(e) is " \
                "1.44269504.",                                                           \
            .source = NULL,                                                              \
            .function = LIKE(of, prefix##_base_2),                                       \
        },                                                                               \
    {                                                                                    \
        .id = "sqrt-C",                                                                  \
        .what = "the scores are divided by sqrt(C) = sqrt(NH * hs) instead of sqrt(hs)", \
        .why = "A head multiplies vectors of hs numbers, not of C.",                     \
        .source = "Graylab/DL4Proteins-notebooks#12",                                    \
        .function = LIKE(of, prefix##_sqrt_C),                                           \
    }

#define LOW_START_WHY                                                                       \
    "If all scores of a row are far below that number, every exponential is 0. Start with " \
    "-INFINITY."

#define LOW_START_MISTAKES(of, prefix)                                                   \
    {                                                                                    \
        .id = "maximum-from-1e4",                                                        \
        .what = "the search for the largest score starts at a number such as -10000",    \
        .why = LOW_START_WHY,                                                            \
        .source = NULL,                                                                  \
        .function = LIKE(of, prefix##_maximum_from_1e4),                                 \
    },                                                                                   \
    {                                                                                    \
        .id = "maximum-from-1e9",                                                        \
        .what = "the search for the largest score starts at a number such as -1e9",      \
        .why = LOW_START_WHY, .source = NULL,                                            \
        .function = LIKE(of, prefix##_maximum_from_1e9),                                 \
    }

#define WARP_MISTAKES(of, prefix)                                                        \
    {                                                                                    \
        .id = "own-warp",                                                                \
        .what = "every warp uses the maximum and the sum of its own keys, not of all",   \
        .why = "Shuffles stay within a warp. The warps exchange their results through "  \
               "shared memory.",                                                         \
        .source = NULL,                                                                  \
        .function = LIKE(of, prefix##_own_warp),                                         \
        .gpu = true,                                                                     \
    },                                                                                   \
        {                                                                                \
            .id = "first-warp",                                                          \
            .what = "the sum is that of the first warp: 32 of every 128 keys",           \
            .why = LANES_WHY "the sum of all threads to each of them.",                  \
            .source = NULL,                                                              \
            .function = LIKE(of, prefix##_first_warp),                                   \
            .gpu = true,                                                                 \
        },                                                                               \
    {                                                                                    \
        .id = "half-warp",                                                               \
        .what = "the maximum and the sum cover only 16 lanes of each warp",              \
        .why =                                                                           \
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start " \
            "at 8, each lane gets the numbers of only 16 lanes.",                        \
        .source = NULL, .function = LIKE(of, prefix##_half_warp), .gpu = true,           \
    }

#define LANES_WHY                                                                        \
    "Each thread of a block reads only every BLOCK-th key. Shuffles within each warp, "  \
    "then shared memory between the warps, bring "

// BEGIN HANDED OUT
// Those of lab 4. Together below 1e-5, to reject a weight of 1 / (1 + 1e-5) instead of 1.
#define WEIGHTS_TOLERANCE 5e-6f, 4e-6f
#define OUT_TOLERANCE 1e-5f, 1e-4f
// END HANDED OUT

#endif
