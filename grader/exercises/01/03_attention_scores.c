// 03_attention_scores.c - exercise 1.3, attention_scores: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "01_simple_attention/attention.h"

static void whole_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(test, "q");
    make_whole(test, "k");
}

static void large_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "q", 5.0f);
    scale_input(test, "k", 5.0f);
}

// Whole hundreds: with d = 4 every score is exact in any order of summation.
static void hundreds(struct test_case *test, struct lab_rng *rng)
{
    whole_queries_and_keys(test, rng);
    scale_input(test, "q", 100.0f);
    scale_input(test, "k", 100.0f);
}

static void small_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_small(test, "q");
    case_small(test, "k");
}

// Rounding errors grow with the number of terms, so the terms are smaller.
static void many_terms(struct test_case *test, struct lab_rng *rng)
{
    small_queries_and_keys(test, rng);
    scale_input(test, "k", 0.5f);
}

static void tiny_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    whole_queries_and_keys(test, rng);
    scale_input(test, "q", TINY);
    scale_input(test, "k", TINY);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "q", 1);
    repeat_numbers(test, "k", 2);
}

// The last term alone is not 0: scaling each query first rounds once, not in every term of a long sum.
static void last_term(struct test_case *test, struct lab_rng *rng)
{
    repeated(test, rng);
    memset(case_f32(test, "q"), 0, (case_count(test, "q") - 1) * sizeof(float));
    case_f32(test, "q")[case_count(test, "q") - 1] = 3.0f;
    case_f32(test, "k")[case_count(test, "k") - 1] = -5.0f;
}

// d = 1 does not come first. If a student's function computed the factor once and kept
// it, the factor would be 1 in all later calls, which looks like a missing division.
static const struct case_spec scores_cases[] = {
    {"T=1 S=1 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=1 S=2 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=1 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=3 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=3 d=1", 1, "queries and keys of width 1", whole_queries_and_keys},
    {.dims = "T=3 S=2 d=5"},
    {.dims = "T=2..4 S=5..7 d=8..11", .draws = 3},
    {.dims = "T=6..8 S=2..4 d=9..13", .draws = 3},
    {.dims = "T=3 S=3 d=3", .note = "every size is the same"},
    {.dims = "T=5 S=5 d=4", .note = "as many keys as queries"},
    {.dims = "T=1 S=7 d=3", .note = "one query"},
    {.dims = "T=7 S=1 d=3", .note = "one key"},
    {.dims = "T=5 S=3 d=64", .note = "the width of a head in GPT-2"},
    {"T=3 S=5 d=8", 1, "queries and keys five times as large", large_queries_and_keys},
    {"T=3 S=4 d=4", 1, "k is square", whole_queries_and_keys},
    {"T=3 S=5 d=4", 1, "multiples of 100: scores in the tens of thousands", hundreds},
    {"T=67 S=71 d=131", 1, "all sizes past 64", small_queries_and_keys, .all_set = true},
    {"T=1031 S=67 d=3", 1, "more than 1024 queries", small_queries_and_keys,
     .all_set = true},
    {"T=67 S=1031 d=3", 1, "more than 1024 keys", small_queries_and_keys,
     .all_set = true},
    {"T=67 S=3 d=1031", 1, "sums of more than 1024 terms", many_terms},
    {.dims = "T=256 S=64 d=3",
     .fill = small_queries_and_keys,
     .note = "exactly 256 queries",
     .all_set = true},
    {.dims = "T=64 S=256 d=3",
     .fill = small_queries_and_keys,
     .note = "exactly 256 keys",
     .all_set = true},
    {.dims = "T=64 S=3 d=256",
     .fill = small_queries_and_keys,
     .note = "sums of exactly 256 terms",
     .all_set = true},
    {.dims = "T=3 S=4 d=2",
     .note = "then the width changes, T and S stay",
     .apart = true},
    {.dims = "T=3 S=4 d=9", .note = "T and S as before", .apart = true},
    {.dims = "T=0 S=3 d=2", .note = "no queries: LAB_ESHAPE"},
    {.dims = "T=2 S=0 d=3", .note = "no keys: LAB_ESHAPE"},
    {.dims = "T=2 S=3 d=0", .note = "queries of width 0: LAB_ESHAPE"},
    {"T=2055 S=3 d=2", 1, "more than 2048 queries", small_queries_and_keys,
     .gpu_only = true},
    // More than a block of threads has along both: it reads its query in several parts, for several groups
    // of keys.
    {"T=2 S=131 d=263", 1, "many keys, many terms", many_terms, .gpu_only = true},
    // 48 KiB of shared memory hold 12288 floats.
    {"T=1 S=2 d=12301", 1, "more than 12288 terms", last_term, .gpu_only = true},
    {MOST("T=2 S=1 d=1", "T")},
    {MOST("T=1 S=2 d=1", "S")},
    {MOST("T=1 S=1 d=2", "d")},
    // Width 1 and whole numbers: dividing by sqrt(1) or multiplying by its inverse,
    // before or after the sum, gives exactly the same floats.
    {.dims = "T=2 S=3 d=1",
     .note = "whole numbers, width 1: exact",
     .fill = whole_queries_and_keys,
     .exact = true},
    {.dims = "T=3 S=4 d=4",
     .note = TINY_NOTE,
     .fill = tiny_queries_and_keys,
     .unit = TINY * TINY},
    {TOO_LARGE("T=3 S=2 d=5", "T", "T")},
    {TOO_LARGE("T=3 S=2 d=5", "S", "S")},
    {TOO_LARGE("T=3 S=2 d=5", "d", "d")},
    {MORE_THAN_16_BITS("T=65543 S=1 d=1", repeated, "65543 queries")},
    {MORE_THAN_16_BITS("T=1 S=65543 d=1", repeated, "65543 keys")},
    {MORE_THAN_16_BITS("T=1 S=1 d=65543", last_term, "queries of width 65543")},
    {0},
};

static void double_the_queries(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    scale_input(second, "q", 2.0f);
}

// BEGIN HANDED OUT
static bool scores_are_doubled(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    const float *once = case_got(first, "scores");
    const float *twice = case_got(second, "scores");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "scores"); i++) {
        if (twice[i] != 2.0f * once[i]) {
            snprintf(why, why_size,
                     "scores[%zu][%zu] went from %.9g to %.9g; expected %.9g", i / S,
                     i % S, (double)once[i], (double)twice[i], (double)(2.0f * once[i]));
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property scores_properties[] = {
    {
        .id = "linear-in-q",
        .claim = "doubling the queries exactly doubles the scores",
        .dims = "T=3 S=5 d=7",
        .change = double_the_queries,
        HOLDS(scores_are_doubled),
    },
    {0},
};

#define SCORES_ARGUMENTS                                                                 \
    float *scores, const float *q, const float *k, size_t T, size_t S, size_t d

// SCORES(name, factor): q k^T times that factor.
#define SCORES(name, factor) SCORES_BY(name, product(Q_AND_K, factor))

// SCORES_BY(name, result): a function of the scores that returns result.
#define SCORES_BY(name, result)                                                          \
    static lab_status name(SCORES_ARGUMENTS)                                             \
    {                                                                                    \
        (void)q, (void)k;                                                                \
        return result;                                                                   \
    }

// What a product needs to make q k^T.
#define Q_AND_K scores, by_rows(q, d), by_columns(k, d), T, S, d
#define OVER_ROOT_D (1.0 / sqrt((double)d))

SCORES(scores_no_scale, 1.0)
SCORES(scores_over_d, 1.0 / (double)d)
SCORES(scores_times_root_d, sqrt((double)d))
SCORES(scores_over_root_T, 1.0 / sqrt((double)T))
SCORES(scores_over_root_S, 1.0 / sqrt((double)S))
SCORES(scores_over_root_d_1, 1.0 / sqrt((double)d - 1.0))
SCORES(scores_eps_under_root, 1.0 / sqrt((double)d + 1e-5))
SCORES(scores_whole_division, d == 1 ? 1.0 : 0.0)

SCORES_BY(scores_k_not_transposed,
          product(scores, by_rows(q, d), by_rows(k, S), T, S, d, OVER_ROOT_D))
SCORES_BY(scores_transposed,
          product(scores, by_rows(k, d), by_columns(q, d), S, T, d, OVER_ROOT_D))
SCORES_BY(scores_from_1, faulty_product(Q_AND_K, OVER_ROOT_D, FROM_TERM_1))
SCORES_BY(scores_whole_sum, faulty_product(Q_AND_K, OVER_ROOT_D, WHOLE_SUM))
SCORES_BY(scores_last_term, faulty_product(Q_AND_K, OVER_ROOT_D, LAST_TERM))
SCORES_BY(scores_rounded,
          round_to_places(scores, attention_scores(scores, q, k, T, S, d), T, S))
SCORES_BY(scores_unset, unset(scores, T, S, d))

// Tiles of 16 along d, without a last, partial tile.
static lab_status scores_last_step_missing(SCORES_ARGUMENTS)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    const size_t whole = d - d % 16;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 0; i < whole; i++) {
                dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot / sqrt((double)d));
        }
    }
    return LAB_OK;
}

// On a GPU, with tiles of TILE by TILE: only the first tile of d is used, or k_tile[i][x] stands for k_tile[x][i].
enum { TILE = 16 };

static lab_status scores_of_first_tile(float *scores, const float *q, const float *k,
                                       size_t T, size_t S, size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < T * S; n++) {
        double dot = 0.0;
        for (size_t i = 0; i < d && i < TILE; i++) {
            dot += (double)q[n / S * d + i] * (double)k[n % S * d + i];
        }
        scores[n] = (float)(dot / sqrt((double)d));
    }
    return LAB_OK;
}

static lab_status scores_of_transposed_tiles(float *scores, const float *q,
                                             const float *k, size_t T, size_t S, size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < T * S; n++) {
        const size_t t = n / S, s = n % S, s0 = s / TILE * TILE;
        double dot = 0.0;
        for (size_t i = 0; i < d;
             i++) { // its key and channel are exchanged within the tile
            const size_t key = s0 + i % TILE, channel = i / TILE * TILE + s % TILE;
            dot += key < S && channel < d
                       ? (double)q[t * d + i] * (double)k[key * d + channel]
                       : 0.0;
        }
        scores[n] = (float)(dot / sqrt((double)d));
    }
    return LAB_OK;
}

static const struct mistake scores_mistakes[] = {
    {
        .id = "eps-under-root",
        .what = "the scores are divided by sqrt(d + 1e-5), not by sqrt(d)",
        .why = "d is at least 1, so the divisor cannot be 0. With d = 1 and whole "
               "numbers, every score must be exact.",
        .function = LIKE(attention_scores, scores_eps_under_root),
    },
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(attention_scores, scores_rounded),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(d)",
        .why = "A dot product of d unit-normal pairs has variance d. Dividing by sqrt(d) "
               "brings it back to 1. Without the division, the softmax of wide queries "
               "is far too peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(attention_scores, scores_no_scale),
    },
    {
        .id = "divided-by-d",
        .what = "the scores are divided by d, not by sqrt(d)",
        .why = "The variance is d, so the typical size is sqrt(d). Divide by sqrt(d). "
               "After a division by d, the scores of wide queries are close to 0.",
        .function = LIKE(attention_scores, scores_over_d),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(d), not divided",
        .why =
            "Divide by sqrt(d), or multiply by 1 / sqrt(d), which is d to the power -1/2.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_scores, scores_times_root_d),
    },
    {
        .id = "root-of-T",
        .what = "the scores are divided by sqrt(T), not by sqrt(d)",
        .why = "The sum runs over the width d of a query, so dividing by sqrt(d) keeps "
               "the variance at 1. The number of queries doesn't matter.",
        .function = LIKE(attention_scores, scores_over_root_T),
    },
    {
        .id = "root-of-S",
        .what = "the scores are divided by sqrt(S), not by sqrt(d)",
        .why = "The sum runs over the width d of a key, so dividing by sqrt(d) keeps the "
               "variance at 1. The number of keys doesn't matter.",
        .function = LIKE(attention_scores, scores_over_root_S),
    },
    {
        .id = "root-of-d-1",
        .what = "the scores are divided by sqrt(d - 1), not by sqrt(d)",
        .why = "A sum of d products has variance d, so divide by sqrt(d). With d = 1, "
               "sqrt(d - 1) is 0.",
        .function = LIKE(attention_scores, scores_over_root_d_1),
    },
    {
        .id = "whole-number-division",
        .what = "all scores are 0: 1 / d was computed in integers",
        .why = "d is a size_t, and in C 1 / d is 0 for every d above 1. "
               "Write 1.0f / sqrtf(d).",
        .function = LIKE(attention_scores, scores_whole_division),
    },
    {
        .id = "k-not-transposed",
        .what = "k is read as if it were stored (d,S)",
        .why = "k is (S,d), one key per row, so element (s, i) is k[s * d + i]. "
               "The transpose in q k^T means that rows of q meet rows of k. "
               "Nothing moves in memory.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(attention_scores, scores_k_not_transposed),
    },
    {
        .id = "transposed",
        .what = "the scores are written transposed, as (S,T): keys down, queries across",
        .why = "Each row belongs to a query, so element (t, s) is scores[t * S + s]. k "
               "q^T is the transpose of q k^T.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(attention_scores, scores_transposed),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(attention_scores, scores_unset),
    },
    {
        .id = "last-step-missing",
        .what = "only whole tiles of 16 along d are summed; the rest is left out",
        .why = "d is rarely a multiple of the tile. Add one more step, with zeros in the "
               "tiles past the end of q and k: for (i0 = 0; i0 < d; i0 += TILE).",
        .source = "xlite-dev/LeetCUDA#419",
        .function = LIKE(attention_scores, scores_last_step_missing),
    },
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY("for (size_t i = 0; i < d; i++)"),
        .function = LIKE(attention_scores, scores_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(attention_scores, scores_whole_sum),
    },
    {
        .id = "last-term",
        .what = LAST_TERM_WHAT,
        .why = LAST_TERM_WHY("dot += q[t * d + i] * k[s * d + i]"),
        .function = LIKE(attention_scores, scores_last_term),
    },
    {
        .id = "first-tile-only",
        .what = "only the first tile of d is added up: 16 channels",
        .why =
            "A loop over all tiles, i0 = 0, TILE, ... below d, adds TILE products each time.",
        .function = LIKE(attention_scores, scores_of_first_tile),
        .gpu = true,
    },
    {
        .id = "k-tile-transposed",
        .what = "the tile of k is read or stored with its two indices exchanged",
        .why = "If k_tile[y][x] holds channel x of key y, then k_tile[x][i] is channel i "
               "of this thread's key x.",
        .function = LIKE(attention_scores, scores_of_transposed_tiles),
        .gpu = true,
    },
    {0},
};

static lab_status scores_scaled_in_float(SCORES_ARGUMENTS)
{
    LAB_TRY(float_product(scores, by_rows(q, d), by_columns(k, d), T, S, d));
    scale(scores, T * S, powf((float)d, -0.5f));
    return LAB_OK;
}

static lab_status scores_query_scaled_first(SCORES_ARGUMENTS)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] / sqrtf((float)d) * k[s * d + i];
            }
            scores[t * S + s] = dot;
        }
    }
    return LAB_OK;
}

static const struct mistake scores_alternatives[] = {
    {.id = "float-sums", .function = LIKE(attention_scores, scores_scaled_in_float)},
    {.id = "query-scaled-first",
     .function = LIKE(attention_scores, scores_query_scaled_first)},
    {0},
};

static const struct part scores_parts[] = {
    {
        .function = "attention_scores",
        .dims = "T S d",
        .tensors = {{"scores", "T S", OUTPUT, F32, 5e-5f, 2e-6f},
                    {.name = "q", .shape = "T d"},
                    {.name = "k", .shape = "S d"}},
        .cases = scores_cases,
        .properties = scores_properties,
        .mistakes = scores_mistakes,
        .alternatives = scores_alternatives,
    },
    {0},
};

const struct exercise exercise_1_3 = {
    .id = "1.3",
    .name = "attention_scores",
    .section = "1.3 Scores",
    .gpu_section = "1.3 Tiles in shared memory",
    .uses = {"1.1"},
    .hints =
        {
            "A score is the dot product of a query row and a key row. How do you keep "
            "its size from growing with d?",
            "scores[t,s] = (sum over i of q[t,i] * k[s,i]) / sqrt(d). Rows of q and of k "
            "have d numbers, rows of scores have S.",
            "In pseudocode:\n"
            "    for t below T, for s below S:\n"
            "        dot = 0\n"
            "        for i below d: dot += q[t * d + i] * k[s * d + i]\n"
            "        scores[t * S + s] = dot / sqrtf((float)d)\n"
            "    return LAB_OK",
        },
    .gpu_hints =
        {
            "16 x 16 scores need 16 rows of q and 16 rows of k. In each step, each of "
            "the 256 threads can fetch one number of q and one of k for all the others. "
            "When may a thread read a number that another one fetched? And when may it "
            "overwrite it?",
            "Per step of 16 along d: q_tile[y][x] = q[t0 + y][i0 + x], k_tile[y][x] = "
            "k[s0 + y][i0 + x] (0 outside), __syncthreads(), sum += q_tile[y][i] * "
            "k_tile[x][i] for 16 i, __syncthreads(). No thread may return early: all "
            "must reach every barrier.",
            "In pseudocode:\n"
            "    __shared__ float q_tile[TILE][TILE], k_tile[TILE][TILE + 1]\n"
            "    for t0 = blockIdx.y * TILE; t0 < T; t0 += gridDim.y * TILE:\n"
            "        sum = 0\n"
            "        for i0 = 0; i0 < d; i0 += TILE:\n"
            "            q_tile[y][x] = inside ? q[(t0 + y) * d + i0 + x] : 0\n"
            "            k_tile[y][x] = inside ? k[(s0 + y) * d + i0 + x] : 0\n"
            "            __syncthreads()\n"
            "            for i below TILE: sum += q_tile[y][i] * k_tile[x][i]\n"
            "            __syncthreads()\n"
            "        if t0 + y < T and s0 + x < S: scores[...] = sum * scale",
        },
    .parts = scores_parts,
};
