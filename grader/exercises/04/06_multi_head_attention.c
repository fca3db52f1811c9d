// 06_multi_head_attention.c - exercise 4.6, multi_head_attention: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/06_multi_head_attention.h"
#include "exercises/04/attention.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>

#include "04_multi_head/heads.h"

// Weights that keep q, k and v near unit scale, as in a trained model.
static void fill_unit_scale(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "w_qkv", 1 / sqrt((double)case_dim(test, "C_in")));
    scale_input(test, "w_o", 1 / sqrt((double)case_dim(test, "C")));
}

// As make_quiet.
static void fill_quiet(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    scale_input(test, "x", 0.2);
    scale_input(test, "b_qkv", 0.2);
}

static void fill_without_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    case_absent(test, "b_qkv");
    case_absent(test, "b_o");
}

// Scores of narrow heads are sums of few products, some of them large, and a softmax magnifies
// their rounding. Halving the queries and keys makes the scores a quarter as large.
static void fill_narrow_heads(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    scale_input(test, "x", 0.5);
    scale_input(test, "b_qkv", 0.5);
}

static void fill_narrow_heads_without_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_narrow_heads(test, rng);
    case_absent(test, "b_qkv");
    case_absent(test, "b_o");
}

static void fill_without_b_qkv(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    case_absent(test, "b_qkv");
}

static void fill_without_b_o(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    case_absent(test, "b_o");
}

static void fill_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C_in = case_dim(test, "C_in"), C = case_dim(test, "C");
    float *w = case_f32(test, "w_qkv");
    fill_without_b_qkv(test, rng);
    set_channel(test, "x", C_in, 0, -1.0f);
    set_channel(test, "x", C_in, 1, 1.0f);
    heads_far_from_0(w, w + C * C_in, C_in, C, C / case_dim(test, "NH"));
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    const size_t C_in = case_dim(test, "C_in"), C = case_dim(test, "C");
    float *w = case_f32(test, "w_qkv");
    fill_without_bias(test, rng);
    tokens_of_every_size(test, "x", C_in);
    heads_of_every_size(w, w + C * C_in, w + 2 * C * C_in, C_in, C);
    unit_matrix(case_f32(test, "w_o"), C);
}

static const struct case_spec mha_cases[] = {
    {.dims = "B=1 T=1 C_in=1 C=1 NH=1 causal=1", .fill = fill_unit_scale},
    {.dims = "B=1 T=2 C_in=3 C=2 NH=1 causal=0",
     .fill = fill_without_bias,
     .note = "one head, no bias"},
    {.dims = "B=1 T=3 C_in=2 C=4 NH=2 causal=0", .fill = fill_without_bias},
    {.dims = "B=1 T=3 C_in=2 C=4 NH=2 causal=1",
     .fill = fill_without_bias,
     .note = "causal"},
    {.dims = "B=2 T=3 C_in=4 C=6 NH=3 causal=1",
     .fill = fill_without_bias,
     .note = "T = NH: the sizes of the published trace"},
    {.dims = "B=2 T=3 C_in=4 C=6 NH=3 causal=0",
     .fill = fill_without_bias,
     .note = "not causal, after a causal call of the same sizes"},
    {.dims = "B=2 T=2 C_in=4 C=4 NH=2 causal=1", .fill = fill_unit_scale},
    {.dims = "B=2 T=5 C_in=6 C=6 NH=2 causal=0", .draws = 2, .fill = fill_unit_scale},
    {.dims = "B=2 T=5 C_in=6 C=6 NH=2 causal=1", .fill = fill_unit_scale},
    {.dims = "B=2 T=5 C_in=6 C=6 NH=2 causal=0",
     .fill = fill_unit_scale,
     .note = "not causal, after a causal call of the same sizes"},
    {.dims = "B=2 T=4 C_in=5 C=9 NH=3 causal=1",
     .fill = fill_without_b_o,
     .note = "bias in the first projection only"},
    {.dims = "B=2 T=4 C_in=7 C=10 NH=5 causal=0",
     .fill = fill_without_b_qkv,
     .note = "bias in the second projection only"},
    {.dims = "B=2..3 T=5..7 C_in=8 C=12 NH=4 causal=0..1",
     .draws = 3,
     .fill = fill_unit_scale},
    {.dims = "B=2 T=6 C_in=15 C=15 NH=3 causal=1", .fill = fill_unit_scale},
    {.dims = "B=2 T=17 C_in=11 C=24 NH=4 causal=1", .fill = fill_unit_scale},
    {.dims = "B=2 T=9 C_in=17 C=5 NH=5 causal=0", .fill = fill_unit_scale},
    {.dims = "B=3 T=4 C_in=3 C=7 NH=1 causal=0..1",
     .draws = 2,
     .fill = fill_without_b_qkv,
     .note = "bias in the second projection only"},
    {.dims = "B=5 T=2 C_in=6 C=9 NH=3 causal=0",
     .fill = fill_without_b_o,
     .note = "bias in the first projection only"},
    {.dims = "B=1 T=259 C_in=3 C=10 NH=2 causal=1", .fill = fill_narrow_heads},
    {.dims = "B=1 T=261 C_in=5 C=3 NH=1 causal=0", .fill = fill_narrow_heads},
    {.dims = "B=257 T=2 C_in=3 C=4 NH=2 causal=1", .fill = fill_unit_scale},
    {.dims = "B=2 T=5 C_in=261 C=67 NH=67 causal=0",
     .fill = fill_narrow_heads_without_bias},
    {.dims = "B=2 T=5 C_in=9 C=201 NH=3 causal=1", .fill = fill_quiet},
    {.dims = "B=17 T=19 C_in=23 C=63 NH=21 causal=0",
     .fill = fill_narrow_heads,
     .cpu_only = true,
     .note = "larger, odd sizes"},
    {.dims = "B=2 T=69 C_in=67 C=133 NH=7 causal=1",
     .fill = fill_quiet,
     .note = "larger, odd sizes"},
    {.dims = "B=3 T=1 C_in=4 C=6 NH=2 causal=0",
     .fill = fill_unit_scale,
     .note = "one token in each sequence"},
    {.dims = "B=2 T=4 C_in=1 C=6 NH=2 causal=1",
     .fill = fill_unit_scale,
     .note = "an input of width 1"},
    {.dims = "B=2 T=4 C_in=3 C=1 NH=1 causal=0",
     .fill = fill_unit_scale,
     .note = "one channel"},
    {.dims = "B=256 T=2 C_in=3 C=4 NH=2 causal=1",
     .fill = fill_unit_scale,
     .note = "exactly 256 sequences"},
    {.dims = "B=1 T=256 C_in=3 C=12 NH=3 causal=1",
     .fill = fill_narrow_heads,
     .note = "exactly 256 tokens"},
    {.dims = "B=2 T=5 C_in=256 C=64 NH=64 causal=0",
     .fill = fill_narrow_heads_without_bias,
     .note = "an input of width 256, 64 heads"},
    {.dims = "B=1 T=2 C_in=3 C=256 NH=256 causal=1",
     .fill = fill_narrow_heads,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "B=2 T=64 C_in=64 C=64 NH=4 causal=1",
     .fill = fill_quiet,
     .note = "T = C_in = C = 64"},
    {.dims = "B=2 T=3 C_in=4 C=6 NH=2 causal=0",
     .fill = fill_far_heads,
     .note = FAR_HEADS_NOTE},
    {.dims = "B=1 T=4 C_in=3 C=8 NH=2 causal=1",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = HEADS_OF_EVERY_SIZE_NOTE},
    {.dims = "B=2 T=3 C_in=4 C=7 NH=2 causal=1", .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C_in=4 C=6 NH=0 causal=0", .note = "a size of 0"},
    {.dims = "B=0 T=3 C_in=4 C=6 NH=3 causal=0", .note = "a size of 0"},
    {.dims = "B=2 T=0 C_in=4 C=6 NH=3 causal=0", .note = "a size of 0"},
    {.dims = "B=2 T=3 C_in=0 C=6 NH=3 causal=0", .note = "a size of 0"},
    {.dims = "B=2 T=3 C_in=4 C=0 NH=3 causal=0", .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
// The last tokens of every sequence change; earlier outputs must not.
static size_t changed_token(const struct test_case *test)
{
    return (case_dim(test, "T") + 1) / 2;
}
// END HANDED OUT

static void change_late_tokens(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(second, "T"), C_in = case_dim(second, "C_in");
    float *x = case_f32(second, "x");
    for (size_t i = 0; i < case_count(second, "x"); i++) {
        if (i / C_in % T >= changed_token(second)) {
            x[i] = -x[i];
        }
    }
}

// BEGIN HANDED OUT
static bool future_weighs_nothing(const struct test_case *test, char *why,
                                  size_t why_size)
{
    const float *weights = case_got(test, "weights");
    const size_t T = case_dim(test, "T");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        const size_t t = i / T % T, s = i % T;
        if (s > t && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "token %zu attends to token %zu, which comes later, with weight "
                     "%.9g, not 0",
                     t, s, (double)weights[i]);
            return false;
        }
    }
    return true;
}

// Unchanged to within rounding: a quarter of the tolerance, as in lab 3. row_of is the
// token to which element i of an output belongs.
static bool earlier_stay(const struct test_case *first, const struct test_case *second,
                         const char *output, size_t width, float atol, float rtol,
                         char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t T = case_dim(first, "T");
    for (size_t i = 0; i < case_count(first, output); i++) {
        const size_t t = i / width % T;
        const float allowed = 0.25f * (atol + rtol * fabsf(before[i]));
        if (t < changed_token(first) && !(fabsf(after[i] - before[i]) <= allowed)) {
            snprintf(why, why_size,
                     "tokens from %zu on changed, and %s of token %zu went from %.9g "
                     "to %.9g",
                     changed_token(first), output, t, (double)before[i],
                     (double)after[i]);
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
           earlier_stay(first, second, "weights", case_dim(first, "T"), WEIGHTS_TOLERANCE,
                        why, why_size) &&
           earlier_stay(first, second, "out", case_dim(first, "C"), OUT_TOLERANCE, why,
                        why_size);
}
// END HANDED OUT

static const struct property mha_properties[] = {
    {
        .id = "future-is-hidden",
        .claim = "when causal, later tokens have weight exactly 0 in every head, and "
                 "changing them does not change earlier outputs or weights",
        .dims = "B=2 T=5 C_in=3 C=4 NH=2 causal=1",
        .change = change_late_tokens,
        HOLDS(future_hidden),
    },
    {0},
};

static const struct part mha_part[] = {
    {
        .function = "multi_head_attention",
        .passes_status_on = true,
        .dims = "B T C_in C NH causal",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T T", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"qkv", "B T 3C", WORKSPACE, F32, 0, 0},
                {"q", "B T C", WORKSPACE, F32, 0, 0},
                {"k", "B T C", WORKSPACE, F32, 0, 0},
                {"v", "B T C", WORKSPACE, F32, 0, 0},
                {"q_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"k_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"v_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"scores", "B NH T T", WORKSPACE, F32, 0, 0},
                {"out_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"merged", "B T C", WORKSPACE, F32, 0, 0},
                {"mask", "B T T", WORKSPACE, U8, 0, 0},
                {"x", "B T C_in", INPUT, F32, 0, 0},
                {"w_qkv", "3C C_in", INPUT, F32, 0, 0},
                {"b_qkv", "3C", INPUT, F32, 0, 0},
                {"w_o", "C C", INPUT, F32, 0, 0},
                {"b_o", "C", INPUT, F32, 0, 0},
            },
        .stages = "qkv q:qkv k:qkv v:qkv q_heads:q k_heads:k v_heads:v mask "
                  "scores:q_heads,k_heads weights:scores,mask "
                  "out_heads:weights,v_heads merged:out_heads out:merged",
        .cases = mha_cases,
        .properties = mha_properties,
        .mistakes = mha_mistakes,
        .alternatives = mha_alternatives,
    },
    {0},
};

const struct exercise exercise_4_6 = {
    .id = "4.6",
    .name = "multi_head_attention",
    .section = "4.6 Multi-head attention",
    .uses = {"2.3", "3.1", "4.2", "4.3", "4.4", "4.5"},
    .hints =
        {
            "You have already written every step. Write down the shape after each step "
            "before you write the call.",
            "batched_linear to 3C; split_qkv; split_heads three times; causal_mask for "
            "every sequence if causal; scaled_dot_product_attention; merge_heads; "
            "batched_linear with w_o.",
            "batched_linear(qkv, x, w_qkv, b_qkv, B, T, C_in, 3*C)\n"
            "split_qkv(q, k, v, qkv, B, T, C)\n"
            "split_heads(q_heads, q, B, T, C, NH), and for k and v\n"
            "if causal, for each b: causal_mask(mask + b*T*T, T, T)\n"
            "scaled_dot_product_attention(out_heads, weights, scores, q_heads,\n"
            "    k_heads, v_heads, causal ? mask : NULL, B, NH, T, T, C/NH)\n"
            "merge_heads(merged, out_heads, B, T, C, NH)\n"
            "batched_linear(out, merged, w_o, b_o, B, T, C, C)",
        },
    .gpu_hints =
        {
            "This is multi_head_attention with _gpu after every name. Each launcher only "
            "puts work into the stream, and the stream keeps the order.",
            "batched_linear_gpu to 3C; split_qkv_gpu; split_heads_gpu "
            "three times; causal_mask_gpu for every sequence if causal; "
            "scaled_dot_product_attention_gpu; merge_heads_gpu; batched_linear_gpu "
            "with w_o.",
            "batched_linear_gpu(z->qkv, x_dev, params->w_qkv, params->b_qkv, B, T, C_in, 3*C,\n"
            "                   cublas, stream)\n"
            "split_qkv_gpu(z->q, z->k, z->v, z->qkv, B, T, C, stream)\n"
            "split_heads_gpu(z->q_heads, z->q, B, T, C, NH, stream), and for k and v\n"
            "if causal, for each b: causal_mask_gpu(z->mask + b*T*T, T, T, stream)\n"
            "scaled_dot_product_attention_gpu(z->out_heads, weights_dev, z->scores, z->q_heads,\n"
            "    z->k_heads, z->v_heads, causal ? z->mask : NULL, B, NH, T, T, "
            "C/NH, cublas, stream)\n"
            "merge_heads_gpu, batched_linear_gpu with w_o and b_o, both as on the CPU",
        },
    .parts = mha_part,
};
