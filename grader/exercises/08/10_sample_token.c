// 10_sample_token.c - exercise 8.10, sample_token: cases, known mistakes and hints.
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

// ---- cases --------------------------------------------------------------------------------

// The wished result. Tokens are counted in the order of their logits.
struct wish {
    float temperature;
    size_t top_k;
    size_t stay; // after top-p; 0: top_p is 1
    size_t rank; // of the token drawn
    float shift; // added to all logits
};

// Distinct logits in random order: rank r has about -0.4 r times the temperature, and
// neighbours differ by at least a fourth of that.
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

// ---- mistakes -----------------------------------------------------------------------------

#define SAMPLE_ARGUMENTS                                                                 \
    size_t *token, float *probabilities, size_t *order, const float *logits,             \
        const struct sampling *sampling, float u, size_t V

#define SAMPLE(name, fault)                                                              \
    static lab_status name(SAMPLE_ARGUMENTS)                                             \
    {                                                                                    \
        return sample_with(fault, token, probabilities, order, logits, sampling, u, V);  \
    }

SAMPLE(sample_token_order, SAMPLE_TOKEN_ORDER)
SAMPLE(sample_smallest_first, SAMPLE_SMALLEST_FIRST)
SAMPLE(sample_ascending_sum, SAMPLE_ASCENDING_SUM)
SAMPLE(sample_ties_higher, SAMPLE_TIES_HIGHER)
SAMPLE(sample_temperature_multiplied, SAMPLE_TEMPERATURE_MULTIPLIED)
SAMPLE(sample_temperature_ignored, SAMPLE_TEMPERATURE_IGNORED)
SAMPLE(sample_zero_divides, SAMPLE_ZERO_DIVIDES)
SAMPLE(sample_zero_is_one, SAMPLE_ZERO_IS_ONE)
SAMPLE(sample_no_max, SAMPLE_NO_MAX)
SAMPLE(sample_softmax_twice, SAMPLE_SOFTMAX_TWICE)
SAMPLE(sample_no_top_k, SAMPLE_NO_TOP_K)
SAMPLE(sample_k_one_more, SAMPLE_K_ONE_MORE)
SAMPLE(sample_k_one_less, SAMPLE_K_ONE_LESS)
SAMPLE(sample_k_zero_is_one, SAMPLE_K_ZERO_IS_ONE)
SAMPLE(sample_k_by_value, SAMPLE_K_BY_VALUE)
SAMPLE(sample_no_top_p, SAMPLE_NO_TOP_P)
SAMPLE(sample_p_without_crossing, SAMPLE_P_WITHOUT_CROSSING)
SAMPLE(sample_p_one_more, SAMPLE_P_ONE_MORE)
SAMPLE(sample_p_strict, SAMPLE_P_STRICT)
SAMPLE(sample_p_of_all, SAMPLE_P_OF_ALL)
SAMPLE(sample_p_is_a_floor, SAMPLE_P_IS_A_FLOOR)
SAMPLE(sample_p_of_weights, SAMPLE_P_OF_WEIGHTS)
SAMPLE(sample_p_is_the_rest, SAMPLE_P_IS_THE_REST)
SAMPLE(sample_not_rescaled, SAMPLE_NOT_RESCALED)
SAMPLE(sample_others_left, SAMPLE_OTHERS_LEFT)
SAMPLE(sample_by_rank, SAMPLE_BY_RANK)
SAMPLE(sample_rank_for_token, SAMPLE_RANK_FOR_TOKEN)
SAMPLE(sample_reaches_u, SAMPLE_REACHES_U)
SAMPLE(sample_u_from_1, SAMPLE_U_FROM_1)
SAMPLE(sample_always_first, SAMPLE_ALWAYS_FIRST)
SAMPLE(sample_in_double, SAMPLE_RIGHT)

// Raising to the power 1 / temperature magnifies the rounding of the probabilities. Below 0.001 it
// decides the result, so no two programs with this mistake agree there.
static lab_status sample_temperature_last(SAMPLE_ARGUMENTS)
{
    if (0.0f < sampling->temperature && sampling->temperature < 0.001f) {
        return LEAVES_ARGUMENTS;
    }
    return sample_with(SAMPLE_TEMPERATURE_LAST, token, probabilities, order, logits,
                       sampling, u, V);
}

// AS_0(name, limit): a temperature below limit counts as 0.
#define AS_0(name, limit)                                                                \
    static lab_status name(SAMPLE_ARGUMENTS)                                             \
    {                                                                                    \
        struct sampling changed = *sampling;                                             \
        if (0.0f < changed.temperature && changed.temperature < limit) {                 \
            changed.temperature = 0.0f;                                                  \
        }                                                                                \
        return sample_with(SAMPLE_RIGHT, token, probabilities, order, logits, &changed,  \
                           u, V);                                                        \
    }

AS_0(sample_small_temperature_as_0, 1e-5f)
AS_0(sample_low_temperature_as_0, 1e-2f)

static lab_status sample_large_top_p_as_1(SAMPLE_ARGUMENTS)
{
    struct sampling changed = *sampling;
    if (0.99f <= changed.top_p && changed.top_p < 1.0f) {
        changed.top_p = 1.0f;
    }
    return sample_with(SAMPLE_RIGHT, token, probabilities, order, logits, &changed, u, V);
}

// At temperature 0, the search for the largest logit starts at 0 and finds none below.
static lab_status sample_largest_from_0(SAMPLE_ARGUMENTS)
{
    const lab_status status =
        sample_in_double(token, probabilities, order, logits, sampling, u, V);
    if (status == LAB_OK && sampling->temperature == 0.0f && logits[order[0]] <= 0.0f) {
        *token = 0;
        for (size_t i = 0; i < V; i++) {
            probabilities[i] = i == 0 ? 1.0f : 0.0f;
        }
    }
    return status;
}

// The order is that of the probabilities, as floats: equal ones may have different logits.
static lab_status sample_by_probability(SAMPLE_ARGUMENTS)
{
    lab_status status =
        sample_in_double(token, probabilities, order, logits, sampling, u, V);
    const double t = (double)sampling->temperature;
    if (status != LAB_OK || t == 0.0) {
        return status;
    }
    const double largest = (double)logits[order[0]];
    float *rounded = malloc(V * sizeof *rounded);
    if (rounded == NULL) {
        abort();
    }
    for (size_t i = 0; i < V; i++) {
        const float p = (float)exp(((double)logits[i] - largest) / t);
        rounded[i] = p > 0.0f ? (float)(largest + t * log((double)p)) : logits[i];
    }
    status = sample_in_double(token, probabilities, order, rounded, sampling, u, V);
    free(rounded);
    return status;
}

#define CUMULATIVE                                                                       \
    "Go through order from the largest probability down, and add up: the token is the "  \
    "first whose sum is above u."

#define TOP_P                                                                            \
    "top-p keeps the shortest prefix of order whose probabilities add up to at least "   \
    "top_p."

static const struct mistake sample_token_mistakes[] = {
    {
        .id = "sum-by-token",
        .what = "the cumulative sum starts at token 0, not at the most likely token",
        .why = CUMULATIVE
        " Any order gives the right probabilities, but different tokens for the same u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_token_order),
        .convention = true,
    },
    {
        .id = "sum-from-the-least-likely",
        .what = "the cumulative sum starts at the least likely token kept",
        .why = CUMULATIVE
        " Any order gives the right probabilities, but different tokens for the same u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_ascending_sum),
        .convention = true,
    },
    {
        .id = "smallest-first",
        .what = "the tokens are sorted from the smallest logit to the largest",
        .why =
            "top-k and top-p keep the most likely tokens, which come first: the largest "
            "logit is order[0].",
        .source = NULL,
        .function = LIKE(sample_token, sample_smallest_first),
    },
    {
        .id = "ties-higher",
        .what = "the higher of two tokens with equal logits comes first",
        .why = "If logits are equal, the lower token comes first. qsort may put equal "
               "elements in any order, so compare the tokens, too.",
        .source = NULL,
        .function = LIKE(sample_token, sample_ties_higher),
    },
    {
        .id = "sorted-by-probability",
        .what = "the tokens are sorted by their probabilities, not by their logits",
        .why = "A probability is rounded: at a high temperature, different logits give "
               "the same one, and top-k then keeps the wrong tokens. Sort by the logits.",
        .source = NULL,
        .function = LIKE(sample_token, sample_by_probability),
    },
    {
        .id = "largest-from-0",
        .what = "at temperature 0, the search for the largest logit starts at 0",
        .why = "All logits may be negative. Start at logits[0], or at -INFINITY.",
        .source = NULL,
        .function = LIKE(sample_token, sample_largest_from_0),
    },
    {
        .id = "temperature-multiplied",
        .what = "the logits are multiplied by the temperature",
        .why = "Divide by it: a low temperature makes the largest logit stand out.",
        .source = NULL,
        .function = LIKE(sample_token, sample_temperature_multiplied),
    },
    {
        .id = "no-temperature",
        .what = "the temperature is ignored unless it is 0",
        .why = "The probabilities are softmax(logits / temperature).",
        .source = "vllm-project/tpu-inference#1386",
        .function = LIKE(sample_token, sample_temperature_ignored),
    },
    {
        .id = "temperature-after-top-p",
        .what = "the temperature comes after top-k and top-p",
        .why = "It changes the probabilities that top-p adds up, so the order matters: "
               "temperature, top-k, top-p.",
        .source = "fishaudio/fish-speech#1150, mlc-ai/mlc-llm#951, "
                  "huggingface/transformers#8686",
        .function = LIKE(sample_token, sample_temperature_last),
    },
    {
        .id = "small-temperature-is-0",
        .what = "a very low temperature, such as one below 0.00001, is taken as 0",
        .why = "Only 0 itself is a special case. At temperature 0.000001, logits that "
               "differ by 0.000001 still share the probability.",
        .source = NULL,
        .function = LIKE(sample_token, sample_small_temperature_as_0),
    },
    {
        .id = "low-temperature-is-0",
        .what = "a low temperature, such as one below 0.01, is taken as 0",
        .why =
            "Only 0 itself is a special case. At temperature 0.001, logits that differ "
            "by 0.001 still share the probability.",
        .source = NULL,
        .function = LIKE(sample_token, sample_low_temperature_as_0),
    },
    {
        .id = "top-p-nearly-1-is-1",
        .what = "top-p has no effect where it is close to 1",
        .why = TOP_P " Only from 1 on does it keep every token.",
        .source = NULL,
        .function = LIKE(sample_token, sample_large_top_p_as_1),
    },
    {
        .id = "temperature-0-divides",
        .what = "temperature 0 gives NaN",
        .why = "0 / 0 is NaN. Treat temperature 0 separately: the largest logit gets "
               "probability 1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_zero_divides),
    },
    {
        .id = "temperature-0-is-1",
        .what = "temperature 0 is treated like temperature 1",
        .why = "At temperature 0 the largest logit gets probability 1, whatever u is.",
        .source = NULL,
        .function = LIKE(sample_token, sample_zero_is_one),
    },
    {
        .id = "no-max",
        .what = "large logits overflow",
        .why =
            "exp(10000) is infinite, and exp(-10000) is 0 for every token. Subtract the "
            "largest logit first, as in 1.4.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(sample_token, sample_no_max),
    },
    {
        .id = "softmax-twice",
        .what = "the probabilities go through a second softmax",
        .why = "The softmax of the logits gives probabilities. Cut and rescale them, and "
               "take no exponential of them.",
        .source = NULL,
        .function = LIKE(sample_token, sample_softmax_twice),
    },
    {
        .id = "no-top-k",
        .what = "top_k is not used",
        .why = "If top_k is not 0, only the first top_k tokens of order stay.",
        .source = NULL,
        .function = LIKE(sample_token, sample_no_top_k),
    },
    {
        .id = "top-k-one-more",
        .what = "one token too many stays after top-k",
        .why = "The tokens order[0] to order[top_k - 1] stay.",
        .source = "kingoflolz/mesh-transformer-jax#164",
        .function = LIKE(sample_token, sample_k_one_more),
    },
    {
        .id = "top-k-one-less",
        .what = "one token too few stays after top-k",
        .why = "The first top_k tokens of order stay: ranks 0 to top_k - 1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_one_less),
    },
    {
        .id = "top-k-0-is-1",
        .what = "top_k 0 leaves only the most likely token",
        .why = "0 means: no limit.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_zero_is_one),
    },
    {
        .id = "top-k-by-value",
        .what = "more than top_k tokens stay where logits are equal",
        .why = "Exactly the first top_k tokens of order stay. If you compare with the "
               "top_k-th logit, you keep all tokens whose logits equal it.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_by_value),
    },
    {
        .id = "no-top-p",
        .what = "top_p is not used",
        .why = TOP_P,
        .source = NULL,
        .function = LIKE(sample_token, sample_no_top_p),
    },
    {
        .id = "top-p-without-crossing",
        .what = "the token that reaches top_p does not stay",
        .why = TOP_P
        " Keep the token with which the sum reaches top_p: without it, the sum is "
        "below top_p.",
        .source = "Biohub/esm#360, rasbt/reasoning-from-scratch#164, "
                  "fishaudio/fish-speech#1171",
        .function = LIKE(sample_token, sample_p_without_crossing),
    },
    {
        .id = "top-p-one-more",
        .what = "one token too many stays after top-p",
        .why = TOP_P " Stop as soon as the sum has reached it.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_one_more),
    },
    {
        .id = "top-p-above",
        .what = "a sum that equals top_p is not enough",
        .why = TOP_P
        " An equal sum has reached top_p: continue while the sum is < top_p, not <=.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_strict),
    },
    {
        .id = "top-p-of-all",
        .what =
            "top-p adds up the probabilities of all tokens, not only of those that top-k "
            "keeps",
        .why = "top-k comes first, and its tokens are rescaled to sum 1. Then top-p adds "
               "them up.",
        .source = "openai/gpt-2#187",
        .function = LIKE(sample_token, sample_p_of_all),
    },
    {
        .id = "top-p-of-exponentials",
        .what = "one token stays after top-p, whatever top_p is",
        .why =
            "The exponential of the largest logit minus itself is 1, so the sum reaches "
            "top_p at once: divide the exponentials by their sum before you compare, or "
            "compare with top_p times that sum.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_of_weights),
    },
    {
        .id = "top-p-is-the-rest",
        .what = "the sum of top-p stops at 1 - top_p",
        .why = TOP_P " With top_p 0.9, tokens that together have 0.9 stay, not 0.1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_is_the_rest),
    },
    {
        .id = "top-p-is-a-floor",
        .what = "every token whose probability is at least top_p stays",
        .why = "top-p limits the sum of the probabilities, not each one. " TOP_P,
        .source = NULL,
        .function = LIKE(sample_token, sample_p_is_a_floor),
    },
    {
        .id = "not-rescaled",
        .what = "the remaining probabilities are not rescaled",
        .why =
            "Divide them by their sum, so that they add up to 1 again. Otherwise a large "
            "u finds no token.",
        .source = NULL,
        .function = LIKE(sample_token, sample_not_rescaled),
    },
    {
        .id = "others-not-0",
        .what = "the tokens that do not stay keep a probability",
        .why = "Set the probability of every token that does not stay to 0.",
        .source = NULL,
        .function = LIKE(sample_token, sample_others_left),
    },
    {
        .id = "probabilities-by-rank",
        .what = "the probabilities are written in order of size",
        .why = "probabilities[i] belongs to token i. The probability of rank r goes to "
               "probabilities[order[r]].",
        .source = NULL,
        .function = LIKE(sample_token, sample_by_rank),
    },
    {
        .id = "rank-for-token",
        .what = "the token is the rank, not order[rank]",
        .why = "The cumulative sum finds a rank r. The token is order[r].",
        .source = NULL,
        .function = LIKE(sample_token, sample_rank_for_token),
    },
    {
        .id = "u-reached",
        .what = "a cumulative sum that equals u is enough",
        .why =
            "u is in [0, 1). A token whose piece runs from a to b is drawn if a <= u < "
            "b: stop when the sum is above u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_reaches_u),
    },
    {
        .id = "u-from-1",
        .what = "1 - u is used in place of u",
        .why =
            CUMULATIVE " Another program draws the same token only with the same rule.",
        .source = NULL,
        .function = LIKE(sample_token, sample_u_from_1),
        .convention = true,
    },
    {
        .id = "always-the-most-likely",
        .what = "the token is always the most likely one, whatever u is",
        .why = CUMULATIVE,
        .source = NULL,
        .function = LIKE(sample_token, sample_always_first),
    },
    {0},
};

// qsort, sums in float, and u times the sum instead of rescaled probabilities.
static const float *sorted_logits;

static int by_logit(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (sorted_logits[i] != sorted_logits[j]) {
        return sorted_logits[i] > sorted_logits[j] ? -1 : 1;
    }
    return i < j ? -1 : i > j;
}

static lab_status sample_by_qsort(SAMPLE_ARGUMENTS)
{
    const lab_status status =
        sample_token(token, probabilities, order, logits, sampling, u, V); // its checks
    if (status != LAB_OK || sampling->temperature == 0.0f) {
        return status;
    }
    for (size_t i = 0; i < V; i++) {
        order[i] = i;
    }
    sorted_logits = logits;
    qsort(order, V, sizeof *order, by_logit);
    size_t keep = sampling->top_k > 0 && sampling->top_k < V ? sampling->top_k : V;
    float total = 0.0f;
    for (size_t i = 0; i < V; i++) {
        probabilities[order[i]] = expf(logits[order[i]] / sampling->temperature -
                                       logits[order[0]] / sampling->temperature);
        total += i < keep ? probabilities[order[i]] : 0.0f;
    }
    float sum = 0.0f;
    for (size_t i = 0; i < keep && sampling->top_p < 1.0f; i++) {
        sum += probabilities[order[i]];
        if (sum >= sampling->top_p * total) {
            keep = i + 1;
            total = sum;
        }
    }
    sum = 0.0f;
    size_t at = 0;
    while (at + 1 < keep && (sum += probabilities[order[at]]) <= u * total) {
        at++;
    }
    *token = order[at];
    for (size_t i = 0; i < V; i++) {
        probabilities[order[i]] = i < keep ? probabilities[order[i]] / total : 0.0f;
    }
    return LAB_OK;
}

static const struct mistake sample_token_alternatives[] = {
    {.id = "in-double", .function = LIKE(sample_token, sample_in_double)},
    {.id = "by-qsort", .function = LIKE(sample_token, sample_by_qsort)},
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
