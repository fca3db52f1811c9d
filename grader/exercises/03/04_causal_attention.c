// 04_causal_attention.c - exercise 3.4, causal_attention: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/03/04_causal_attention.h"
#include "exercises/03/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>

#include "03_causal_mask/causal.h"

// BEGIN HANDED OUT
#define WEIGHTS_TOLERANCE 1e-6f, 1e-4f // weights of 3.4
#define OUT_TOLERANCE 1e-5f, 1e-4f     // out of 3.4
// END HANDED OUT

// Multiplies each input once: the student archive then stores one factor and not the product.
static void scale_weights(struct test_case *test, float q, float k)
{
    const float by = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_q", q * by);
    scale_input(test, "w_k", k * by);
    scale_input(test, "w_v", by);
}

// Weights that keep q, k and v at unit scale, as in a trained model.
static void fill_unit_scale(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_weights(test, 1.0f, 1.0f);
}

static void fill_large_logits(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_weights(test, 4.0f, 1.0f);
}

// For wide tokens and long sequences. Even wrongly scaled scores stay small enough to be the same in any
// order of summation.
static void fill_small_scale(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_weights(test, 0.3f, 0.3f);
}

// Each token's score with itself is far above its other scores, by 2500 where C = 16. exp
// overflows, even in double, unless the student subtracts the maximum, the last allowed
// score of every row. The first T channels of x identify the token, and w_q and w_k use
// only these. Whole numbers and C = 16 or 64 make every score exact in any order of
// summation, also if it is scaled wrongly.
static void fill_own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        size_t t = i / C % T, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        size_t o = i / C, c = i % C;
        w_v[i] = rintf(2.0f * w_v[i]);
        w_q[i] = o == c && c < T ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c && c < T ? 100.0f : 0.0f;
    }
}

// The same with scores beyond any int.
static void fill_own_score_beyond_int(struct test_case *test, struct lab_rng *rng)
{
    fill_own_score_huge(test, rng);
    scale_input(test, "w_q", 16384.0f);
    scale_input(test, "w_k", 16384.0f);
}

// All scores of a sequence are near 16384, or near -16384 in every other sequence. Channel
// 0 of x is 1 and channel 1 is the sign. Component 0 of the queries uses channel 0, and
// that of the keys uses channel 1. Component 1 gives the differences, whole numbers. The
// scores are exact for the same reasons.
static void fill_far_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        float sign = i / (T * C) % 2 == 0 ? 1.0f : -1.0f;
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 256.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 256.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// C = 1 does not come first. If a student's function computed the factor once and kept
// it, the factor would be 1 in all later calls, which looks like a missing division.
static const struct case_spec causal_attention_cases[] = {
    {.dims = "B=1 T=1 C=2",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=1 T=2 C=3", .fill = fill_unit_scale},
    {.dims = "B=1 T=3 C=2", .fill = fill_unit_scale},
    {.dims = "B=2 T=3 C=4", .fill = fill_unit_scale},
    {.dims = "B=3 T=1 C=5",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=2 T=7 C=5", .fill = fill_unit_scale},
    {.dims = "B=3 T=3 C=3", .fill = fill_unit_scale, .note = "every size is the same"},
    {.dims = "B=2..3 T=4..7 C=8..13", .draws = 3, .fill = fill_unit_scale},
    {.dims = "B=2 T=9 C=6", .fill = fill_large_logits, .note = "large logits"},
    {.dims = "B=3 T=17 C=24", .fill = fill_unit_scale},
    {.dims = "B=2 T=3 C=1", .fill = fill_unit_scale, .note = "width 1"},
    {.dims = "B=2 T=5 C=16",
     .fill = fill_own_score_huge,
     .note = "each token's own score far above the rest"},
    {.dims = "B=1 T=37 C=64",
     .fill = fill_own_score_beyond_int,
     .note = "each token's own score near 3e11, far above the rest"},
    {.dims = "B=4 T=4 C=16",
     .fill = fill_far_scores,
     .note = "all scores near 16384 or -16384"},
    {.dims = "B=2 T=5 C=4", .fill = tokens_far_from_0, .note = FAR_FROM_0_NOTE},
    {.dims = "B=3 T=67 C=71", .fill = fill_small_scale, .note = "larger than 64"},
    {.dims = "B=2 T=131 C=67",
     .fill = fill_small_scale,
     .note = "larger than 64",
     .cpu_only = true},
    {.dims = "B=521 T=3 C=2", .fill = fill_unit_scale, .note = "more than 512 sequences"},
    {.dims = "B=67 T=1 C=7",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=1 T=263 C=3", .fill = fill_unit_scale, .note = "more than 256 tokens"},
    {.dims = "B=1 T=1031 C=2",
     .fill = fill_small_scale,
     .note = "more than 1024 tokens",
     .cpu_only = true},
    {.dims = "B=2 T=3 C=257", .fill = fill_small_scale, .note = "wider than 256"},
    {.dims = "B=256 T=3 C=2", .fill = fill_unit_scale, .note = "exactly 256 sequences"},
    {.dims = "B=1 T=256 C=3", .fill = fill_unit_scale, .note = "exactly 256 tokens"},
    {.dims = "B=2 T=3 C=256", .fill = fill_small_scale, .note = "exactly 256 wide"},
    {.dims = "B=2 T=64 C=64", .fill = fill_small_scale, .note = "T = C = 64"},
    {.dims = "B=0 T=3 C=2", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=2", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0", .note = "a size of 0"},
    {MOST_CALLS("B=2 T=1 C=1", "B")},
    {TOO_LARGE("B=2 T=4 C=3", "B", "B")},
    {TOO_LARGE("B=2 T=3 C=4", "T", "T")},
    {TOO_LARGE("B=2 T=3 C=4", "C", "C")},
    {TOO_LARGE("B=2 T=3 C=4", "B T", "B * T")},
    // A weight of 1e-13 where it must be 0 is left to the property.
    {.dims = "B=1 T=3 C=4",
     .fill = tokens_20_below,
     .note = BELOW_20_NOTE,
     .unit = 10.0f * BELOW_20_UNIT},
    {0},
};

// BEGIN HANDED OUT
// In every sequence this token changes; earlier outputs must not.
static size_t changed_token(const struct test_case *test)
{
    return (case_dim(test, "T") + 1) / 2;
}
// END HANDED OUT

static void change_one_token(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t B = case_dim(second, "B"), T = case_dim(second, "T"),
           C = case_dim(second, "C");
    float *x = case_f32(second, "x");
    for (size_t b = 0; b < B; b++) {
        float *x_bt = x + (b * T + changed_token(second)) * C;
        for (size_t c = 0; c < C; c++) {
            x_bt[c] = -x_bt[c];
        }
    }
}

// BEGIN HANDED OUT
// A weight of 1e-13 on the future would pass every tolerance, but the
// future leaks through it.
static bool future_weighs_nothing(const struct test_case *test, char *why,
                                  size_t why_size)
{
    const float *weights = case_got(test, "weights");
    size_t T = case_dim(test, "T");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        size_t b = i / (T * T), t = i / T % T, s = i % T;
        if (s > t && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "token %zu attends to token %zu, which comes later: "
                     "weights[%zu][%zu][%zu] is %.9g, not 0",
                     t, s, b, t, s, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static bool earlier_stay(const struct test_case *first, const struct test_case *second,
                         const char *output, float atol, float rtol, char *why,
                         size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    size_t T = case_dim(first, "T");
    size_t width = case_count(first, output) / (case_dim(first, "B") * T);
    for (size_t i = 0; i < case_count(first, output); i++) {
        size_t row = i / width;
        if (row % T < changed_token(first) && !stays(before[i], after[i], atol, rtol)) {
            snprintf(why, why_size,
                     "token %zu changed, and %s[%zu][%zu][%zu] went from %.9g to %.9g",
                     changed_token(first), output, row / T, row % T, i % width,
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool future_hidden(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    return future_weighs_nothing(first, why, why_size) &&
           future_weighs_nothing(second, why, why_size) &&
           earlier_stay(first, second, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           earlier_stay(first, second, "out", OUT_TOLERANCE, why, why_size);
}
// END HANDED OUT

// The scores do not use channel 0 of x; the values do.
static void fill_silent_channel(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    size_t C = case_dim(test, "C");
    for (size_t o = 0; o < C; o++) {
        case_f32(test, "w_q")[o * C] = 0.0f;
        case_f32(test, "w_k")[o * C] = 0.0f;
    }
}

// The values from one token on become a million times as large, and no score changes. If
// the future leaks through a weight of 1e-9, or directly into out, the leak is no longer
// small.
static void raise_later_tokens(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t B = case_dim(second, "B"), T = case_dim(second, "T"),
           C = case_dim(second, "C");
    for (size_t i = 0; i < B * T; i++) {
        if (i % T >= changed_token(second)) {
            case_f32(second, "x")[i * C] = 1e6f;
        }
    }
}

// BEGIN HANDED OUT
static bool first_token_takes_all(const struct test_case *first,
                                  const struct test_case *second, char *why,
                                  size_t why_size)
{
    (void)first;
    const float *weights = case_got(second, "weights");
    size_t T = case_dim(second, "T");
    for (size_t b = 0; b < case_dim(second, "B"); b++) {
        float weight = weights[b * T * T];
        if (!(fabsf(weight - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][0][0] is %.9g: is something added to the sum, "
                     "such as 1e-6?",
                     b, (double)weight);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

#define FUTURE_IS_HIDDEN                                                                 \
    "later tokens have weight exactly 0, and changing token t+1 does not change "        \
    "outputs or weights up to t"

static const struct property causal_attention_properties[] = {
    {
        .id = "future-is-hidden",
        .claim = FUTURE_IS_HIDDEN,
        .dims = "B=2 T=5 C=3",
        .change = change_one_token,
        HOLDS(future_hidden),
    },
    {
        .id = "future-is-hidden-wide",
        .claim = FUTURE_IS_HIDDEN,
        .dims = "B=3 T=12 C=2",
        .change = change_one_token,
        HOLDS(future_hidden),
    },
    {
        .id = "future-is-hidden-loud",
        .claim = "values a million times as large in later tokens do not change earlier "
                 "outputs or weights",
        .dims = "B=2 T=6 C=5",
        .change = raise_later_tokens,
        HOLDS(future_hidden),
        .fill = fill_silent_channel,
    },
    {
        .id = "single-key",
        .claim = "the first token, which sees only itself, gives itself weight 1",
        .dims = "B=2 T=3 C=4",
        .change = change_one_token,
        HOLDS(first_token_takes_all),
    },
    {0},
};

static const struct part causal_attention_part[] = {
    {
        .function = "causal_attention",
        .passes_status_on = true,
        .dims = "B T C",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B T T", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"q", "B T C", WORKSPACE, F32, 0, 0},
                {"k", "B T C", WORKSPACE, F32, 0, 0},
                {"v", "B T C", WORKSPACE, F32, 0, 0},
                {"scores", "B T T", WORKSPACE, F32, 0, 0},
                {"mask", "T T", WORKSPACE, U8, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                {"w_q", "C C", INPUT, F32, 0, 0},
                {"w_k", "C C", INPUT, F32, 0, 0},
                {"w_v", "C C", INPUT, F32, 0, 0},
            },
        .stages = "q k v scores:q,k weights:scores out:weights,v",
        .cases = causal_attention_cases,
        .properties = causal_attention_properties,
        .mistakes = causal_attention_mistakes,
        .alternatives = causal_attention_alternatives,
    },
    {0},
};

const struct exercise exercise_3_4 = {
    .id = "3.4",
    .name = "causal_attention",
    .section = "3.4 Causal attention",
    .gpu_section = "3.4 Masking without a mask in memory",
    .uses = {"3.1", "3.3", "2.2", "2.3"},
    .hints =
        {
            "Start from exercise 2.5. Compute the mask first, and use another softmax.",
            "causal_mask(mask, T, T) once; q, k, v by batched_linear; scores by "
            "batched_matmul_nt, times 1/sqrt(C); masked_softmax for each sequence b "
            "with the same mask; out by batched_matmul.",
            "causal_mask(mask, T, T)\n"
            "q, k, v = batched_linear(x, w_q), (x, w_k), (x, w_v)     no bias\n"
            "scores = batched_matmul_nt(q, k); each of the B*T*T times 1/sqrtf(C)\n"
            "for each b, from b*T*T on: masked_softmax(weights, scores, mask, T, T)\n"
            "out = batched_matmul(weights, v)\n"
            "each call in a LAB_TRY",
        },
    .gpu_hints =
        {
            "Two indices determine the mask of a causal row. Can the softmax compare "
            "them instead of reading a (T,T) array? What is the query of row n of the B "
            "* T rows?",
            "Query t = n % T sees keys 0 ... t: the maximum and the sum run over these, "
            "with scores * scale. After t, the weights are 0, and you must write them. "
            "The rest is lab 2's: batched_linear_gpu three times, batched_matmul_nt_gpu, "
            "this kernel, batched_matmul_gpu.",
            "kernel: 3.3 with seen = n % T + 1\n"
            "    for s = lane; s < seen; s += 32: max, then w = expf(scores[s] * scale "
            "- max), sum\n"
            "    for s = lane; s < T; s += 32: weights[s] = s < seen ? weights[s] / sum : 0\n"
            "launcher: q, k, v by batched_linear_gpu;\n"
            "    batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream);\n"
            "    the kernel over B * T rows, scale 1 / sqrtf(C); lab_cuda(...);\n"
            "    batched_matmul_gpu(out_dev, weights_dev, v_dev, B, T, C, T, stream)",
        },
    .parts = causal_attention_part,
};
