// 10_sample_token.c - exercise 8.10, sample_token: cases and hints.
//
// A token is drawn where a cumulative sum exceeds u, and that must not depend on rounding. So
// the cases are made from the wished result: the number of tokens that stay (top_p is in the
// middle of the last one's probability) and the rank of the drawn token (u is in the middle of
// its probability). In cases that test equality, all probabilities are powers of two.

#include "exercises/exercise.h"
#include "exercises/08/10_sampling.h"
#include "exercises/08/shared.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// The wished result. Tokens are counted in the order of their logits.
struct wish {
    float temperature;
    size_t top_k;
    size_t stay; // after top-p; 0: top_p is 1
    size_t rank; // of the token drawn
    float shift; // added to all logits
};

// Distinct logits in random order: rank r has about -0.4 r times the temperature, and
// neighbors differ by at least a fourth of that.
static void draw_logits(struct test_case *test, struct lab_rng *rng, float temperature,
                        float shift)
{
    float *logits = case_f32(test, "logits");
    const size_t V = case_count(test, "logits");
    const double step = V > 12 ? 4.8 / (double)V : 0.4;
    for (size_t i = 0; i < V; i++) {
        const double away = step * (0.75 * uniform(rng) + (double)i);
        const size_t other = lab_rng_next32(rng) % (i + 1);
        logits[i] = logits[other];
        logits[other] = shift - (float)(away * (double)temperature);
    }
}

static void fill_wish(struct test_case *test, struct lab_rng *rng,
                      const struct wish *wish)
{
    const size_t V = case_count(test, "logits");
    *case_f32(test, "temperature") = wish->temperature;
    *case_size(test, "top_k") = wish->top_k;
    *case_f32(test, "top_p") = 1.0f;
    *case_f32(test, "u") = 0.5f;
    if (V == 0) {
        return;
    }
    draw_logits(test, rng, wish->temperature > 0.0f ? wish->temperature : 1.0f,
                wish->shift);
    if (wish->temperature <= 0.0f) {
        return;
    }
    double *p = sorted_softmax(case_f32(test, "logits"), (double)wish->temperature, V);
    size_t stays = wish->top_k > 0 && wish->top_k < V ? wish->top_k : V;
    if (wish->stay > 0) {
        *case_f32(test, "top_p") = (float)inside(p, wish->stay - 1, stays, rng);
        stays = wish->stay;
    }
    *case_f32(test, "u") = (float)inside(p, wish->rank, stays, rng);
    free(p);
}

// WISH(name, temperature, top_k, stay, rank, shift): a fill.
#define WISH(name, ...)                                                                  \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill_wish(test, rng, &(struct wish){__VA_ARGS__});                               \
    }

WISH(fill_plain, 1.0f, 0, 0, 1, 0.0f)
WISH(fill_first, 1.0f, 0, 0, 0, 0.0f)
WISH(fill_third, 1.0f, 0, 0, 2, 0.0f)
WISH(fill_cold, 0.25f, 0, 0, 1, 0.0f)
WISH(fill_hot, 3.0f, 0, 0, 3, 0.0f)
WISH(fill_very_cold, 1e-3f, 0, 0, 1, 0.0f)
WISH(fill_coldest, 1e-6f, 0, 0, 1, 0.0f)
WISH(fill_near_0, 1e-20f, 0, 0, 1, 0.0f)
WISH(fill_top_k, 1.0f, 3, 0, 2, 0.0f)
WISH(fill_top_k_hot, 2.0f, 4, 0, 1, 0.0f)
WISH(fill_top_1, 1.0f, 1, 0, 0, 0.0f)
WISH(fill_top_p, 1.0f, 0, 3, 1, 0.0f)
WISH(fill_top_p_last, 1.0f, 0, 3, 2, 0.0f)
WISH(fill_top_p_one, 1.0f, 0, 1, 0, 0.0f)
WISH(fill_top_p_cold, 0.5f, 0, 2, 1, 0.0f)
WISH(fill_top_p_hot, 2.0f, 0, 4, 2, 0.0f)
WISH(fill_both, 0.8f, 4, 3, 1, 0.0f)
WISH(fill_both_last, 1.5f, 5, 2, 1, 0.0f)
WISH(fill_both_all, 1.0f, 3, 3, 2, 0.0f)
WISH(fill_large, 1.0f, 0, 0, 2, 10000.0f)
WISH(fill_low, 1.0f, 0, 0, 2, -10000.0f)
WISH(fill_top_600, 1.0f, 600, 0, 590, 0.0f)
WISH(fill_top_p_550, 1.0f, 0, 550, 540, 0.0f)
WISH(fill_zero_temperature, 0.0f, 0, 0, 0, 0.0f)

static void fill_k_is_V(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_count(test, "logits");
    fill_wish(test, rng, &(struct wish){.temperature = 1.0f, .top_k = V, .rank = V - 1});
}

static void fill_k_above_V(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_count(test, "logits");
    fill_wish(test, rng,
              &(struct wish){.temperature = 1.0f, .top_k = V + 5, .rank = V - 2});
}

static void fill_k_huge(struct test_case *test, struct lab_rng *rng)
{
    fill_wish(test, rng,
              &(struct wish){.temperature = 1.0f, .top_k = SIZE_MAX, .rank = 1});
}

static void fill_k_one_below_V(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_count(test, "logits");
    fill_wish(test, rng,
              &(struct wish){.temperature = 1.0f, .top_k = V - 1, .rank = V - 2});
}

// So hot that all probabilities are equal in float, although the logits are not: the largest are
// those of the last tokens.
static void fill_equally_hot(struct test_case *test, struct lab_rng *rng)
{
    fill_plain(test, rng);
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        case_f32(test, "logits")[i] = 0.5f * (float)i;
    }
    *case_f32(test, "temperature") = 1e9f;
    *case_size(test, "top_k") = 3;
    *case_f32(test, "u") = 0.55f;
}

// Logits below any number that a search for the largest may start from, except -INFINITY and
// -FLT_MAX. Numbers of this size differ by more than exp can take, or not at all.
static void fill_lowest(struct test_case *test, struct lab_rng *rng)
{
    fill_plain(test, rng);
    set_all(test, "logits", -2e31f);
    *case_f32(test, "u") = 0.3f;
}

// The largest is token 1.
static void fill_lowest_at_0(struct test_case *test, struct lab_rng *rng)
{
    fill_zero_temperature(test, rng);
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        case_f32(test, "logits")[i] = -2e31f - 1e30f * (float)((3 * i + 2) % 5);
    }
}

// top_p is above 0.99 but still leaves a token out.
static void fill_top_p_all_but_one(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_count(test, "logits");
    fill_wish(test, rng,
              &(struct wish){.temperature = 1.0f, .stay = V - 1, .rank = V - 3});
}

// So small that one token exceeds it.
static void fill_tiny_p(struct test_case *test, struct lab_rng *rng)
{
    fill_plain(test, rng);
    *case_f32(test, "top_p") = 1e-6f;
}

// The largest float below 1: it draws the last token that stays, whose probability is far above
// any rounding error.
static void fill_last_of_all(struct test_case *test, struct lab_rng *rng)
{
    fill_plain(test, rng);
    *case_f32(test, "u") = 1.0f - FLT_EPSILON / 2.0f;
}

static void fill_last_of_stay(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    *case_f32(test, "u") = 1.0f - FLT_EPSILON / 2.0f;
}

static void fill_u_zero(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    *case_f32(test, "u") = 0.0f;
}

// Only the largest logit counts at temperature 0; u would otherwise draw another token.
static void fill_zero_temperature_with_all(struct test_case *test, struct lab_rng *rng)
{
    fill_zero_temperature(test, rng);
    *case_size(test, "top_k") = 3;
    *case_f32(test, "top_p") = 0.9f;
    *case_f32(test, "u") = 0.99f;
}

static void fill_zero_temperature_last(struct test_case *test, struct lab_rng *rng)
{
    fill_zero_temperature(test, rng);
    case_f32(test, "logits")[case_dim(test, "V") - 1] = 9.0f;
}

// Two tokens have the largest logit; the first of them is not token 0.
static void fill_zero_temperature_tie(struct test_case *test, struct lab_rng *rng)
{
    fill_zero_temperature(test, rng);
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = i == 2 || i == 4 ? 3.0f : -(float)(i % 3);
    }
}

// Equal logits, V a power of two: every probability is 1/V, every sum exact.
static void fill_equal(struct test_case *test, size_t top_k, float top_p, float u)
{
    set_all(test, "logits", 1.5f);
    *case_f32(test, "temperature") = 1.0f;
    *case_size(test, "top_k") = top_k;
    *case_f32(test, "top_p") = top_p;
    *case_f32(test, "u") = u;
}

#define EQUAL(name, top_k, top_p, u)                                                     \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        (void)rng;                                                                       \
        fill_equal(test, top_k, top_p, u);                                               \
    }

EQUAL(fill_at_boundary, 0, 1.0f, 0.5f)
EQUAL(fill_at_other_boundary, 0, 1.0f, 0.25f)
EQUAL(fill_equal_middle, 0, 1.0f, 0.4f)
EQUAL(fill_p_reached, 0, 0.5f, 0.3f)
EQUAL(fill_p_reached_by_one, 0, 0.25f, 0.9f)
EQUAL(fill_1_in_tie, 1, 1.0f, 0.7f)
EQUAL(fill_k_in_tie, 2, 1.0f, 0.7f)
EQUAL(fill_k_and_p_in_tie, 4, 0.5f, 0.6f)

// The largest float below 1. In float, 31 numbers of 1/31 add up to less, so no sum is above u: the token
// is the last that stays, not the last of the vocabulary.
EQUAL(fill_last_of_31, 31, 1.0f, 1.0f - FLT_EPSILON / 2.0f)
// The same, cut by top_p: 30 of 40 numbers add up to 0.75, 31 to 0.775.
EQUAL(fill_last_of_top_p, 0, 0.7625f, 1.0f - FLT_EPSILON / 2.0f)

// Ties below the top: three tokens share the second rank, and k cuts between them.
static void fill_tie_cut(struct test_case *test, struct lab_rng *rng)
{
    static const float level[] = {0, 1, 2, 1, -1, 1};
    (void)rng;
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = level[i % 6];
    }
    *case_f32(test, "temperature") = 1.0f;
    *case_size(test, "top_k") = 3;
    *case_f32(test, "top_p") = 1.0f;
    *case_f32(test, "u") = 0.95f;
}

// BAD(name, tensor, value): all settings are valid except one number.
#define BAD(name, tensor, value)                                                         \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill_both(test, rng);                                                            \
        *case_f32(test, tensor) = value;                                                 \
    }

BAD(bad_temperature, "temperature", -0.5f)
BAD(nan_temperature, "temperature", NAN)
BAD(infinite_temperature, "temperature", INFINITY)
BAD(zero_p, "top_p", 0.0f)
BAD(negative_p, "top_p", -0.1f)
BAD(large_p, "top_p", 1.0f + FLT_EPSILON)
BAD(nan_p, "top_p", NAN)
BAD(large_u, "u", 1.0f)
BAD(negative_u, "u", -0.25f)
BAD(nan_u, "u", NAN)
BAD(nan_logit, "logits", NAN)

static void infinite_last_logit(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    case_f32(test, "logits")[case_count(test, "logits") - 1] = INFINITY;
}

static void infinite_middle_logit(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    case_f32(test, "logits")[case_count(test, "logits") / 2] = -INFINITY;
}

static const struct case_spec sample_token_cases[] = {
    {.dims = "V=1", .fill = fill_first, .note = "one token"},
    {.dims = "V=1", .fill = fill_zero_temperature, .note = "one token, temperature 0"},
    {.dims = "V=3", .fill = fill_plain},
    {.dims = "V=4", .fill = fill_third},
    {.dims = "V=5", .draws = 2, .fill = fill_plain},
    {.dims = "V=5", .fill = fill_cold, .note = "temperature 0.25"},
    {.dims = "V=6", .fill = fill_hot, .note = "temperature 3"},
    {.dims = "V=6", .fill = fill_very_cold, .note = "temperature 0.001"},
    {.dims = "V=6", .fill = fill_coldest, .note = "temperature 0.000001"},
    {.dims = "V=7", .draws = 2, .fill = fill_top_k, .note = "top_k 3"},
    {.dims = "V=8", .fill = fill_top_k_hot, .note = "top_k 4 and temperature 2"},
    {.dims = "V=6", .fill = fill_top_1, .note = "top_k 1"},
    {.dims = "V=5", .fill = fill_k_is_V, .note = "top_k is V"},
    {.dims = "V=7", .draws = 2, .fill = fill_top_p, .note = "top_p leaves three tokens"},
    {.dims = "V=7", .fill = fill_top_p_last, .note = "top_p leaves three tokens"},
    {.dims = "V=7", .fill = fill_top_p_one, .note = "top_p leaves one token"},
    {.dims = "V=7", .fill = fill_tiny_p, .note = "top_p 0.000001: one token stays"},
    {.dims = "V=8", .fill = fill_top_p_cold, .note = "temperature 0.5, then top_p"},
    {.dims = "V=9", .fill = fill_top_p_hot, .note = "temperature 2, then top_p"},
    {.dims = "V=9", .draws = 2, .fill = fill_both, .note = "top_k 4, then top_p"},
    {.dims = "V=10", .fill = fill_both_last, .note = "top_k 5, then top_p"},
    {.dims = "V=9", .fill = fill_both_all, .note = "top_p leaves all of top_k"},
    {.dims = "V=7", .fill = fill_large, .note = "logits near 10000"},
    {.dims = "V=7", .fill = fill_low, .note = "logits near -10000"},
    {.dims = "V=6", .fill = fill_last_of_all, .note = "u is the last float below 1"},
    {.dims = "V=9", .fill = fill_last_of_stay, .note = "u is the last float below 1"},
    {.dims = "V=7", .fill = fill_u_zero, .note = "u is 0"},
    {.dims = "V=6", .fill = fill_zero_temperature, .note = "temperature 0"},
    {.dims = "V=7",
     .fill = fill_zero_temperature_with_all,
     .note = "temperature 0, with a top_k, a top_p and a large u"},
    {.dims = "V=6",
     .fill = fill_zero_temperature_tie,
     .note = "temperature 0, two largest logits: the lower token"},
    {.dims = "V=4", .fill = fill_at_boundary, .note = "u equals a cumulative sum"},
    {.dims = "V=8", .fill = fill_at_other_boundary, .note = "u equals a cumulative sum"},
    {.dims = "V=8", .fill = fill_equal_middle, .note = "equal logits"},
    {.dims = "V=4", .fill = fill_p_reached, .note = "two tokens reach top_p exactly"},
    {.dims = "V=4",
     .fill = fill_p_reached_by_one,
     .note = "one token reaches top_p exactly"},
    {.dims = "V=8", .fill = fill_k_in_tie, .note = "top_k cuts between equal logits"},
    {.dims = "V=8", .fill = fill_k_and_p_in_tie, .note = "equal logits, top_k, top_p"},
    {.dims = "V=6", .fill = fill_tie_cut, .note = "top_k cuts between equal logits"},
    {.dims = "V=40",
     .fill = fill_last_of_31,
     .note = "equal logits, top_k 31, and u is the last float below 1"},
    {.dims = "V=40",
     .fill = fill_last_of_top_p,
     .note = "equal logits, top_p 0.7625, and u is the last float below 1"},
    {.dims = "V=70..90", .draws = 2, .fill = fill_both, .note = "top_k 4, then top_p"},
    {.dims = "V=97",
     .fill = fill_top_p_all_but_one,
     .note = "top_p leaves all but one token"},
    {.dims = "V=257", .fill = fill_third, .note = "larger"},
    {.dims = "V=1031", .fill = fill_top_600, .note = "top_k 600 of 1031 tokens"},
    {.dims = "V=1031", .fill = fill_top_p_550, .note = "top_p leaves 550 of 1031 tokens"},
    {.dims = "V=6", .fill = bad_temperature, .note = "a negative temperature"},
    {.dims = "V=256", .fill = fill_third, .note = "V is 256"},
    {.dims = "V=64", .fill = fill_both, .note = "V is 64; top_k 4, then top_p"},
    {.dims = "V=64",
     .fill = fill_zero_temperature_last,
     .note = "temperature 0, V is 64, and the last logit is the largest"},
    {.dims = "V=6", .fill = nan_temperature, .note = "temperature NaN"},
    {.dims = "V=6", .fill = infinite_temperature, .note = "an infinite temperature"},
    {.dims = "V=6", .fill = zero_p, .note = "top_p 0"},
    {.dims = "V=6", .fill = negative_p, .note = "a negative top_p"},
    {.dims = "V=6", .fill = large_p, .note = "top_p just above 1"},
    {.dims = "V=6", .fill = nan_p, .note = "top_p NaN"},
    {.dims = "V=6", .fill = large_u, .note = "u is 1"},
    {.dims = "V=6", .fill = negative_u, .note = "a negative u"},
    {.dims = "V=6", .fill = nan_u, .note = "u is NaN"},
    {.dims = "V=6", .fill = nan_logit, .note = "the first logit is NaN"},
    {.dims = "V=6", .fill = infinite_last_logit, .note = "the last logit is infinite"},
    {.dims = "V=6", .fill = infinite_middle_logit, .note = "a logit is minus infinite"},
    {.dims = "V=0", .fill = fill_plain, .note = "a size of 0"},
    {.dims = "V=7", .fill = fill_k_above_V, .note = "top_k is larger than V"},
    {.dims = "V=7", .fill = fill_k_huge, .note = "top_k is the largest size_t"},
    {.dims = "V=6", .fill = fill_k_one_below_V, .note = "top_k is V - 1"},
    {.dims = "V=8", .fill = fill_1_in_tie, .note = "equal logits, top_k 1"},
    {.dims = "V=6", .fill = fill_near_0, .note = "temperature 1e-20, and logits near it"},
    {.dims = "V=7",
     .fill = fill_equally_hot,
     .note = "temperature 1e9, top_k 3: the order is that of the logits"},
    {.dims = "V=5", .fill = fill_lowest, .note = "equal logits below -1e31"},
    {.dims = "V=5",
     .fill = fill_lowest_at_0,
     .note = "temperature 0, logits below -1e31"},
    {0},
};

static const struct part sample_token_part[] = {
    {
        .function = "sample_token",
        .dims = "V",
        .tensors =
            {
                {"token", "1", OUTPUT, SIZE, 0, 0},
                {"probabilities", "V", OUTPUT, F32, 1e-6f, 4e-5f},
                {"order", "V", WORKSPACE, SIZE, 0, 0},
                {"logits", "V", INPUT, F32, 0, 0},
                {"temperature", "1", INPUT, F32, 0, 0},
                {"top_k", "1", INPUT, SIZE, 0, 0},
                {"top_p", "1", INPUT, F32, 0, 0},
                {"u", "1", INPUT, F32, 0, 0},
            },
        .cases = sample_token_cases,
        .mistakes = sample_token_mistakes,
        .alternatives = sample_token_alternatives,
    },
    {0},
};

const struct exercise exercise_8_10 = {
    .id = "8.10",
    .name = "sample_token",
    .section = "8.10 Sampling a token",
    .hints =
        {
            "First sort the tokens, the most likely one first. Then top-k and top-p only "
            "decide how many of the first tokens stay.",
            "weights = exp((logit - largest) / temperature). top-k: keep = min(top_k, "
            "V). top-p: total = sum of the first keep weights; add up again until the "
            "sum is at least top_p total. Then rescale these probabilities, and add them "
            "up until the sum is above u. Temperature 0: only the first stays.",
            "order = 0 ... V - 1, sorted by logit, descending, lower token first\n"
            "w = expf((logits[order[r]] - logits[order[0]]) / temperature) for each"
            " rank r\n"
            "keep = temperature == 0 ? 1 : top_k == 0 or top_k > V ? V : top_k\n"
            "total = sum of the first keep w; sum = 0\n"
            "if top_p < 1: for r below keep: sum += w[r]; if sum >= top_p * total: keep"
            " = r + 1\n"
            "total = sum of the first keep w\n"
            "probabilities[order[r]] = r < keep ? w[r] / total : 0\n"
            "r = 0, sum = 0; while (r < keep - 1 and (sum += w[r]) <= u * total): r++\n"
            "*token = order[r]",
        },
    .parts = sample_token_part,
};
