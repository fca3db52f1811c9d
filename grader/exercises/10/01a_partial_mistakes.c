// 01a_partial_mistakes.c - what goes wrong in 10.1's partial_attention, and other right ways.

#include "exercises/10/01_online_softmax.h"
#include "exercises/10/row.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

#define PARTIAL_ARGUMENTS                                                                \
    float *max, float *sum, float *weighted, float *scores, const float *q,              \
        const float *k, const float *v, size_t M, size_t N, size_t hs,                   \
        ptrdiff_t diagonal

// PARTIAL(name, change): right, with a change to x, query r.
#define PARTIAL(name, change)                                                            \
    static lab_status name(PARTIAL_ARGUMENTS)                                            \
    {                                                                                    \
        (void)scores;                                                                    \
        if (M == 0 || N == 0 || hs == 0) {                                               \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t r = 0; r < M; r++) {                                                 \
            struct row x =                                                               \
                right_row(q + r * hs, k, v, N, hs, keys_seen(r, N, diagonal));           \
            change;                                                                      \
            compute_row(&x, max + r, sum + r, weighted + r * hs);                        \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// The larger of r - diagonal and 0, without overflow.
static size_t behind(size_t r, ptrdiff_t diagonal)
{
    return diagonal <= 0          ? r + (size_t)(-(diagonal + 1)) + 1
           : r > (size_t)diagonal ? r - (size_t)diagonal
                                  : 0;
}

// Whether r + diagonal is below 0, which in a size_t is far above N.
static bool wraps(size_t r, ptrdiff_t diagonal)
{
    return diagonal < 0 && (ptrdiff_t)r + diagonal < 0;
}

// As if r + diagonal + 1 were stored in an int.
static size_t seen_of_32_bits(size_t r, size_t N, ptrdiff_t diagonal)
{
    const uint32_t low = (uint32_t)(r + (size_t)diagonal + 1);
    return diagonal >= (ptrdiff_t)N ? N : low > INT32_MAX ? 0 : low < N ? low : N;
}

PARTIAL(partial_no_scale, x.scale = 1)
PARTIAL(partial_over_hs, x.scale = 1 / (double)hs)
PARTIAL(partial_multiplied, x.scale = sqrt((double)hs))
PARTIAL(partial_sqrt_N, x.scale = 1 / sqrt((double)N))
PARTIAL(partial_no_maximum, x.no_maximum = true)
PARTIAL(partial_from_0, x.start = 0)
PARTIAL(partial_from_1e4, x.start = -1e4)
PARTIAL(partial_from_1e9, x.start = -1e9)
PARTIAL(partial_max_not_reset, x.start = r > 0 ? (double)max[r - 1] : -INFINITY)
PARTIAL(partial_sum_not_reset, x.sum_start = r > 0 ? (double)sum[r - 1] : 0)
PARTIAL(partial_max_of_all, x.searched = N)
PARTIAL(partial_max_unscaled, x.max_unscaled = true)
PARTIAL(partial_last_score, x.last_score = true)
PARTIAL(partial_last_term, x.last_term = true)
PARTIAL(partial_not_rescaled, x.online = NOT_RESCALED)
PARTIAL(partial_sum_rescaled, x.online = SUM_RESCALED)
PARTIAL(partial_base_2, x.base_2 = true)
PARTIAL(partial_divided, x.divided = true)
PARTIAL(partial_divided_if_any, x.divided = x.seen > 0)
PARTIAL(partial_every_key, x.seen = N)
PARTIAL(partial_from_start, x.seen = keys_seen(r, N, 0))
PARTIAL(partial_diagonal_int, x.seen = seen_of_32_bits(r, N, diagonal))
PARTIAL(partial_unsigned, x.seen = wraps(r, diagonal) ? N : x.seen)
PARTIAL(partial_count_unsigned, x.seen = wraps(r + 1, diagonal) ? N : x.seen)
PARTIAL(partial_one_fewer,
        x.seen = r == 0 && diagonal < (ptrdiff_t)N
                     ? keys_seen(0, N, diagonal) - (keys_seen(0, N, diagonal) > 0)
                 : diagonal < (ptrdiff_t)N ? keys_seen(r - 1, N, diagonal)
                                           : N)
PARTIAL(partial_one_more, x.seen = keys_seen(r + 1, N, diagonal))
PARTIAL(partial_sign, x.seen = diagonal <= 0           ? behind(r, diagonal) + 1
                               : r >= (size_t)diagonal ? behind(r, diagonal) + 1
                                                       : 0)
PARTIAL(partial_transposed, (x.first = behind(r, diagonal), x.seen = N))
PARTIAL(partial_score_0, x.unseen = SCORE_0)
PARTIAL(partial_score_low, x.unseen = SCORE_LOW)
PARTIAL(partial_minus_inf, x.unseen = MINUS_INF)
PARTIAL(partial_times_0, x.unseen = TIMES_0)
PARTIAL(partial_values_are_keys, x.values = k)
PARTIAL(partial_keys_are_values, x.keys = v)
PARTIAL(partial_not_transposed, (x.key_stride = 1, x.channel_stride = N))

#define START_WHY                                                                         \
    "A query may see no key, and then its max is -INFINITY, as the contract says. Start " \
    "the search there."
#define SCALE_WHY                                                                        \
    "A score is the dot product divided by sqrt(hs): multiply it once by "               \
    "1.0f / sqrtf((float)hs)."
#define ONLINE_WHY                                                                       \
    "Exponentials of earlier keys are relative to the old maximum. Multiply sum and "    \
    "weighted by exp(old maximum - new maximum), or find the maximum first."
#define PREFIX_WHY                                                                          \
    "Query r sees key c if c <= r + diagonal: the first r + diagonal + 1 keys, at least 0 " \
    "and at most N."
#define DIVIDED_WHY                                                                      \
    "A part stays undivided, so that another part can be added. Only flash_attention "   \
    "divides, once, at the end."
#define STOP_WHY "End the loops after the last key that the query sees."

const struct mistake partial_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = "NVIDIA/Megatron-LM#320, PAIR-code/tiny-transformers#71",
        .function = LIKE(partial_attention, partial_no_scale),
    },
    {
        .id = "max-is-last",
        .what = "max is the last score, not the largest",
        .why = "Each score takes the place of the one before. Keep the larger of the "
               "two.",
        .source = NULL,
        .function = LIKE(partial_attention, partial_last_score),
    },
    {
        .id = "sum-is-last",
        .what = "sum is the last exponential, not the sum of all",
        .why = "= replaces the sum; += adds to it.",
        .source = NULL,
        .function = LIKE(partial_attention, partial_last_term),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs: the scale is applied twice",
        .why = SCALE_WHY,
        .source = "lucidrains/x-transformers#190",
        .function = LIKE(partial_attention, partial_over_hs),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(hs)",
        .why = SCALE_WHY,
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(partial_attention, partial_multiplied),
    },
    {
        .id = "sqrt-N",
        .what = "the scores are divided by the root of the number of keys",
        .why = "A score adds up hs products: divide it by sqrt(hs).",
        .function = LIKE(partial_attention, partial_sqrt_N),
    },
    {
        .id = "no-maximum",
        .what = "the largest score is not subtracted before exp",
        .why = "exp overflows above 88. Both sum and weighted use exp(score - max).",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(partial_attention, partial_no_maximum),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest score starts at 0",
        .why = "All scores of a query may be negative, and 0 is then larger than any of "
               "them. Start with -INFINITY.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(partial_attention, partial_from_0),
    },
    {
        .id = "maximum-from-1e4",
        .what = "the search for the largest score starts at -10000",
        .why = "Scores may be below any number that you choose. Start with -INFINITY.",
        .source = "ohdearquant/lattice#361, flashinfer-ai/flashinfer#4401",
        .function = LIKE(partial_attention, partial_from_1e4),
    },
    {
        .id = "maximum-from-1e9",
        .what = "the search for the largest score starts at -1e9",
        .why = START_WHY,
        .source = "flashinfer-ai/flashinfer#4401",
        .function = LIKE(partial_attention, partial_from_1e9),
    },
    {
        .id = "online-not-rescaled",
        .what = "terms that were added before a larger score appears are not rescaled",
        .why = ONLINE_WHY,
        .source = "Dao-AILab/flash-attention#411",
        .function = LIKE(partial_attention, partial_not_rescaled),
    },
    {
        .id = "online-weighted-not-rescaled",
        .what = "where a larger score appears, sum is rescaled, but weighted is not",
        .why = ONLINE_WHY,
        .source = "Dao-AILab/flash-attention#411",
        .function = LIKE(partial_attention, partial_sum_rescaled),
    },
    {
        .id = "max-not-reset",
        .what = "the search for a query's largest score starts with that of the previous "
                "query",
        .why =
            "Every query has its own largest score. Set max[r] to -INFINITY before the "
            "loop over its keys.",
        .function = LIKE(partial_attention, partial_max_not_reset),
    },
    {
        .id = "sum-not-reset",
        .what = "a query's sum includes that of the previous query",
        .why = "Every query has its own sum. Set it to 0 before the loop over its keys.",
        .function = LIKE(partial_attention, partial_sum_not_reset),
    },
    {
        .id = "max-of-all-keys",
        .what = "the largest score is searched among all keys, even those that the "
                "query does not see",
        .why =
            "A key that the query does not see must not affect the result, and its row "
            "may hold anything. " STOP_WHY,
        .function = LIKE(partial_attention, partial_max_of_all),
    },
    {
        .id = "max-unscaled",
        .what = "max is the largest dot product, without 1/sqrt(hs)",
        .why =
            "Some implementations keep it like this and scale inside exp. Here max is the "
            "largest score, and a score is scaled.",
        .source = "flashinfer-ai/flashinfer#4401",
        .function = LIKE(partial_attention, partial_max_unscaled),
        .convention = true,
    },
    {
        .id = "base-2",
        .what = "the exponentials are powers of 2, not of e",
        .why = "exp2f(x) is expf(x) only if x is multiplied by log2(e) = 1.4427 first.",
        .source = "sgl-project/sglang#40903",
        .function = LIKE(partial_attention, partial_base_2),
    },
    {
        .id = "divided",
        .what = "weighted is divided by sum",
        .why = DIVIDED_WHY,
        .function = LIKE(partial_attention, partial_divided),
    },
    {
        .id = "divided-if-any",
        .what = "weighted is divided by sum, where the query sees a key",
        .why = DIVIDED_WHY,
        .function = LIKE(partial_attention, partial_divided_if_any),
    },
    {
        .id = "every-key",
        .what = "diagonal has no effect: every query sees every key",
        .why = PREFIX_WHY,
        .source = "triton-lang/triton#7216",
        .function = LIKE(partial_attention, partial_every_key),
    },
    {
        .id = "diagonal-is-0",
        .what = "query r sees the keys c <= r, whatever diagonal is",
        .why = PREFIX_WHY,
        .source = "gittensor-ai-lab/sparkinfer#3, NVIDIA/cutlass#2336",
        .function = LIKE(partial_attention, partial_from_start),
    },
    {
        .id = "diagonal-in-32-bits",
        .what = "r + diagonal is cut to 32 bits",
        .why =
            "diagonal is a ptrdiff_t: an int does not hold its smallest values. " PREFIX_WHY,
        .source = NULL,
        .function = LIKE(partial_attention, partial_diagonal_int),
    },
    {
        .id = "diagonal-unsigned",
        .what =
            "where r + diagonal is negative, the query sees every key instead of none",
        .why =
            "Compared with a size_t, a negative number becomes huge. Compute r + diagonal "
            "+ 1 as ptrdiff_t, and set it to 0 if it is negative.",
        .function = LIKE(partial_attention, partial_unsigned),
    },
    {
        .id = "count-unsigned",
        .what =
            "where r + diagonal + 1 is negative, the query sees every key instead of none",
        .why =
            "A size_t has no sign: a negative number of keys becomes huge. Compute it as ptrdiff_t, and set "
            "it to 0 if it is negative.",
        .function = LIKE(partial_attention, partial_count_unsigned),
    },
    {
        .id = "one-key-fewer",
        .what = "query r sees the keys c < r + diagonal",
        .why = "c <= r + diagonal includes the key on the diagonal.",
        .function = LIKE(partial_attention, partial_one_fewer),
    },
    {
        .id = "one-key-more",
        .what = "query r sees the keys c <= r + diagonal + 1",
        .why = PREFIX_WHY,
        .function = LIKE(partial_attention, partial_one_more),
    },
    {
        .id = "diagonal-subtracted",
        .what = "query r sees the keys c <= r - diagonal",
        .why = PREFIX_WHY,
        .function = LIKE(partial_attention, partial_sign),
    },
    {
        .id = "rule-transposed",
        .what = "query r sees the keys with r <= c + diagonal",
        .why = "r is the query and c the key. " PREFIX_WHY,
        .function = LIKE(partial_attention, partial_transposed),
    },
    {
        .id = "unseen-score-0",
        .what = "keys that a query does not see count with the score 0",
        .why = "exp(0 - max) is not 0, so they get weight. " STOP_WHY,
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(partial_attention, partial_score_0),
    },
    {
        .id = "unseen-score-low",
        .what = "keys that a query does not see count with the score -1e9",
        .why = "A query that sees no key then gives every key the same weight. " STOP_WHY,
        .source = "NVIDIA/apex#1390, ohdearquant/lattice#361",
        .function = LIKE(partial_attention, partial_score_low),
    },
    {
        .id = "empty-nan",
        .what = "a query that sees no key gets NaN",
        .why =
            "Its max is -INFINITY, and -INFINITY - -INFINITY is NaN. It must get sum 0 and "
            "weighted 0. " STOP_WHY,
        .source = "tracel-ai/burn#4694, flashinfer-ai/flashinfer#4401",
        .function = LIKE(partial_attention, partial_minus_inf),
    },
    {
        .id = "zero-times-nan",
        .what = "values that a query does not see are multiplied by 0 and added",
        .why = "Rows that no query sees may hold NaN, and 0 times NaN is NaN. " STOP_WHY,
        .source = "vllm-project/vllm#47305",
        .function = LIKE(partial_attention, partial_times_0),
    },
    {
        .id = "values-are-keys",
        .what = "the exponentials weight the keys, not the values",
        .why = "weighted[r] adds up rows of v.",
        .function = LIKE(partial_attention, partial_values_are_keys),
    },
    {
        .id = "keys-are-values",
        .what = "the queries are compared with the values, not with the keys",
        .why = "scores[r][c] = q[r] k[c] / sqrt(hs).",
        .function = LIKE(partial_attention, partial_keys_are_values),
    },
    {
        .id = "k-not-transposed",
        .what = "k is read as (hs,N)",
        .why = "k is (N,hs): number i of key c is k[c * hs + i].",
        .function = LIKE(partial_attention, partial_not_transposed),
    },
    {0},
};

// ---- other right ones ---------------------------------------------------------------------

PARTIAL(partial_in_double, (void)0)

// One key after another. When a larger score comes, it rescales the sums.
static lab_status partial_online(PARTIAL_ARGUMENTS)
{
    if (M == 0 || N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)hs);
    memset(weighted, 0, M * hs * sizeof *weighted);
    for (size_t r = 0; r < M; r++) {
        max[r] = -INFINITY;
        sum[r] = 0.0f;
        for (size_t c = 0; c < keys_seen(r, N, diagonal); c++) {
            float *score = scores + r * N + c;
            *score = 0.0f;
            for (size_t i = 0; i < hs; i++) {
                *score += scale * q[r * hs + i] * k[c * hs + i];
            }
            const float m = fmaxf(max[r], *score), old = expf(max[r] - m);
            const float new = expf(*score - m);
            max[r] = m;
            sum[r] = sum[r] * old + new;
            for (size_t i = 0; i < hs; i++) {
                weighted[r * hs + i] = weighted[r * hs + i] * old + new *v[c * hs + i];
            }
        }
    }
    return LAB_OK;
}

// With 2^x, as on a GPU: the scores are multiplied by log2(e), and max is brought back at the end.
// From the last key to the first.
static lab_status partial_with_exp2(PARTIAL_ARGUMENTS)
{
    if (M == 0 || N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    const float log2e = 1.44269504f;
    for (size_t r = 0; r < M; r++) {
        const size_t seen = keys_seen(r, N, diagonal);
        max[r] = -INFINITY;
        sum[r] = 0.0f;
        for (size_t c = seen; c-- > 0;) {
            float dot = 0.0f;
            for (size_t i = hs; i-- > 0;) {
                dot += q[r * hs + i] * k[c * hs + i];
            }
            scores[r * N + c] = dot / sqrtf((float)hs);
            max[r] = fmaxf(max[r], scores[r * N + c]);
        }
        memset(weighted + r * hs, 0, hs * sizeof *weighted);
        for (size_t c = seen; c-- > 0;) {
            const float e = exp2f((scores[r * N + c] - max[r]) * log2e);
            sum[r] += e;
            for (size_t i = 0; i < hs; i++) {
                weighted[r * hs + i] += e * v[c * hs + i];
            }
        }
    }
    return LAB_OK;
}

const struct mistake partial_alternatives[] = {
    {.id = "in-double", .function = LIKE(partial_attention, partial_in_double)},
    {.id = "online", .function = LIKE(partial_attention, partial_online)},
    {.id = "with-exp2", .function = LIKE(partial_attention, partial_with_exp2)},
    {0},
};
