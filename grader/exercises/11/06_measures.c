// 06_measures.c - exercise 11.6, measures of a head: cases and hints.

#include "exercises/exercise.h"
#include "exercises/11/06_measures.h"
#include "exercises/11/maps.h"

#include <math.h>

#include "common/rng.h"

// Each query has one key, before it by 3 or after it by T - 3.
static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    float *weights = case_f32(test, "weights");
    (void)rng;
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i % T == (i / T + T - 3) % T ? 1.0f : 0.0f;
    }
}

// Each query attends to itself. All other weights are 3e-10, and only they count in most measures. An eps of 1e-12 in the
// logarithm does no harm, one of 1e-10 does.
static void fill_itself(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    float *weights = case_f32(test, "weights");
    (void)rng;
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i % T == i / T % T ? 1.0f : 3e-10f;
    }
}

#define MEASURE_CASES(name, smallest, last)                                              \
    static const struct case_spec name[] = {                                             \
        smallest,                                                                        \
        {.dims = "N=1 T=3", .fill = fill_weights},                                       \
        {.dims = "N=2 T=5", .draws = 2, .fill = fill_weights},                           \
        {.dims = "N=3 T=3", .fill = fill_weights, .note = "as many heads as tokens"},    \
        {.dims = "N=5 T=4", .fill = fill_causal, .note = "no token sees a later one"},   \
        {.dims = "N=4 T=6", .fill = fill_one_key, .note = "each query has one key"},     \
        {.dims = "N=2 T=7", .fill = fill_alike, .note = "all weights are equal"},        \
        {.dims = "N=3..9 T=8..19", .draws = 3, .fill = fill_weights},                    \
        {.dims = "N=13 T=2", .fill = fill_weights, .note = "two tokens"},                \
        {.dims = "N=2 T=131", .fill = fill_weights, .note = "many tokens"},              \
        {.dims = "N=67 T=5", .fill = fill_causal, .note = "many heads"},                 \
        {.dims = "N=256 T=2", .fill = fill_causal, .note = "256 heads"},                 \
        {.dims = "N=1 T=256", .fill = fill_one_key, .note = "256 tokens"},               \
        {.dims = "N=3 T=64", .fill = fill_weights, .note = "exactly 64 tokens"},         \
        {.dims = "N=64 T=3", .fill = fill_weights, .note = "exactly 64 heads"},          \
        {.dims = "N=0 T=3", .fill = fill_weights, .note = "a size of 0"},                \
        {.dims = "N=3 T=0", .note = "a size of 0"},                                      \
        {.dims = "N=2 T=5",                                                              \
         .fill = fill_itself,                                                            \
         .unit = 6e-6f,                                                                  \
         .note = "weights of 3e-10 beside 1"},                                           \
        last,                                                                            \
        {0},                                                                             \
    }

#define ONE_TOKEN                                                                        \
    {                                                                                    \
        .dims = "N=2 T=1", .fill = fill_alike, .note = "one token"                       \
    }
#define ONE_TOKEN_ALONE                                                                  \
    {                                                                                    \
        .dims = "N=2 T=1", .fill = fill_alike,                                           \
        .note = "one token: LAB_ESHAPE, because it has no neighbor"                      \
    }

#define ONE_TOKEN_AND_TINY                                                               \
    ONE_TOKEN,                                                                           \
    {                                                                                    \
        .dims = "N=2 T=67", .fill = fill_tiny, .note = "many weights of 9e-7"            \
    }
#define GAPS                                                                             \
    {                                                                                    \
        .dims = "N=2 T=6", .fill = fill_gaps, .note = "zeros before and between weights" \
    }

#define NO_MORE                                                                          \
    {                                                                                    \
        0                                                                                \
    }
#define KEYS_257_AWAY                                                                    \
    {                                                                                    \
        .dims = "N=1 T=260", .fill = fill_far, .note = "keys up to 257 tokens away"      \
    }

MEASURE_CASES(neighbor_cases, ONE_TOKEN_ALONE, NO_MORE);
MEASURE_CASES(measure_cases, ONE_TOKEN, NO_MORE);
MEASURE_CASES(entropy_cases, ONE_TOKEN_AND_TINY, GAPS);
MEASURE_CASES(distance_cases, ONE_TOKEN, KEYS_257_AWAY);

// ---- the exercise ---------------------------------------------------------------------------

#define MEASURE_PART(name, output, part_cases, part_mistakes, part_alternatives)         \
    {                                                                                    \
        .function = name, .dims = "N T",                                                 \
        .tensors = {{output, "N", OUTPUT, F32, 4e-6f, 5e-5f},                            \
                    {"weights", "N T T", INPUT, F32, 0, 0}},                             \
        .cases = part_cases, .mistakes = part_mistakes,                                  \
        .alternatives = part_alternatives,                                               \
    }

static const struct part measures_parts[] = {
    MEASURE_PART("previous_token_share", "share", neighbor_cases, previous_mistakes,
                 previous_alternatives),
    MEASURE_PART("next_token_share", "share", neighbor_cases, next_mistakes,
                 next_alternatives),
    MEASURE_PART("first_token_share", "share", measure_cases, first_mistakes,
                 first_alternatives),
    MEASURE_PART("attention_entropy", "entropy", entropy_cases, entropy_mistakes,
                 entropy_alternatives),
    MEASURE_PART("attention_distance", "distance", distance_cases, distance_mistakes,
                 distance_alternatives),
    {
        .function = "induction_share",
        .dims = "N T",
        .tensors = {{"share", "N", OUTPUT, F32, 4e-6f, 5e-5f},
                    {"weights", "N T T", INPUT, F32, 0, 0},
                    {"tokens", "T", INPUT, SIZE, 0, 0}},
        .cases = induction_cases,
        .mistakes = induction_mistakes,
        .alternatives = induction_alternatives,
    },
    {0},
};

const struct exercise exercise_11_6 = {
    .id = "11.6",
    .name = "measures of a head",
    .section = "11.6 Measures of a head",
    .hints =
        {
            "Draw a map of five tokens, a row for each query, and mark the cells that a "
            "measure looks at. Which queries have such a cell?",
            "previous: cells (t, t - 1) for t = 1 ... T - 1, divided by T - 1. next: (t, "
            "t + 1) for t = 0 ... T - 2. first: (t, 0) for all t. Entropy: -w ln w over "
            "all cells, divided by T. Distance: w |t - s|, divided by T. Induction: (t, s "
            "+ 1), where s is the last place before t with the same token.",
            "for each head n, with map = weights + n * T * T:\n"
            "    sum = 0 (double)\n"
            "    previous: for t = 1 ... T - 1: sum += map[t * T + t - 1];  / (T - 1)\n"
            "    entropy:  for each cell with w > 0: sum -= w * log(w);     / T\n"
            "    distance: sum += w * (s < t ? t - s : s - t);              / T\n"
            "    induction: for each t: for s = t - 1 down to 0:\n"
            "        if tokens[s] == tokens[t]: sum += map[t * T + s + 1], count++, stop\n"
            "        / count, or 0",
        },
    .parts = measures_parts,
};
