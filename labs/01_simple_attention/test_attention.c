// test_attention.c - worked examples of lab 1.
//
//     make unit LAB=1          runs them on your attention.c, with sanitizers
//
// Every test is a claim. The tests use the handout's numbers and PyTorch's
// (datasets/goldens, made by datasets/make_goldens.py). Add tests of your own. These
// tests give no points; only make check does.
//
// Start reading at matmul, the_handouts_product.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "01_simple_attention/attention.h"
#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// Tolerances for float results against exact numbers, and against a table with four
// decimals.
static const float ATOL = 1e-5f, RTOL = 1e-5f;
static const float FOUR_DECIMALS = 0.5001e-4f;

// ---- PyTorch's numbers --------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    must_succeed(lab_tensor_file_open(&goldens, "datasets/goldens/lab01.safetensors"));
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

static const float *golden_shaped(const char *name, size_t dims, const size_t *shape)
{
    const float *data = lab_tensor_f32(&goldens, name, dims, shape);
    cr_assert(data != NULL, "%s", goldens.error);
    return data;
}

// The golden matrix of that name, which must be (rows, columns).
static const float *golden(const char *name, size_t rows, size_t columns)
{
    return golden_shaped(name, 2, (size_t[]){rows, columns});
}

TestSuite(matmul, .init = open_goldens, .fini = close_goldens);
TestSuite(linear, .init = open_goldens, .fini = close_goldens);
TestSuite(attention_scores, .init = open_goldens, .fini = close_goldens);
TestSuite(softmax_rows, .init = open_goldens, .fini = close_goldens);
TestSuite(weighted_values, .init = open_goldens, .fini = close_goldens);
TestSuite(simple_attention, .init = open_goldens, .fini = close_goldens);

// ---- 1.1 ----------------------------------------------------------------------------------

// clang-format off
static const float a_2x3[] = {1, 2,  0,
                              3, 1, -1};
static const float b_3x2[] = {4,  1,
                              0,  2,
                              5, -3};
static const float b_2x3[] = {4, 0,  5, // b_3x2, stored transposed
                              1, 2, -3};
static const float ab_2x2[] = {4, 5,
                               7, 8};
// clang-format on

Test(matmul, the_handouts_product)
{
    float out[2 * 2];
    poison(out, 4);
    must_succeed(matmul(out, a_2x3, b_3x2, 2, 2, 3));
    expect_close(out, ab_2x2, 2, 2, ATOL, RTOL);
}

Test(matmul, nt_takes_the_second_factor_transposed)
{
    float out[2 * 2];
    poison(out, 4);
    must_succeed(matmul_nt(out, a_2x3, b_2x3, 2, 2, 3));
    expect_close(out, ab_2x2, 2, 2, ATOL, RTOL);
}

Test(matmul, one_row_times_one_column_is_a_dot_product)
{
    float out[1];
    poison(out, 1);
    must_succeed(matmul(out, a_2x3, b_2x3, 1, 1, 3));
    expect_close(out, ((float[]){1 * 4 + 2 * 0 + 0 * 5}), 1, 1, ATOL, RTOL);
}

Test(matmul, matches_pytorch)
{
    float out[3 * 5];
    poison(out, 15);
    must_succeed(
        matmul(out, golden("matmul.a", 3, 4), golden("matmul.b", 4, 5), 3, 5, 4));
    expect_close(out, golden("matmul.out", 3, 5), 3, 5, ATOL, RTOL);
}

Test(matmul, nt_matches_pytorch)
{
    float out[3 * 5];
    poison(out, 15);
    must_succeed(matmul_nt(out, golden("matmul_nt.a", 3, 4), golden("matmul_nt.b", 5, 4),
                           3, 5, 4));
    expect_close(out, golden("matmul_nt.out", 3, 5), 3, 5, ATOL, RTOL);
}

Test(matmul, size_zero_is_refused_and_leaves_the_output)
{
    float out[4] = {1, 2, 3, 4};
    must_return(matmul(out, a_2x3, b_3x2, 2, 2, 0), LAB_ESHAPE);
    must_return(matmul_nt(out, a_2x3, b_2x3, 0, 2, 3), LAB_ESHAPE);
    expect_close(out, ((float[]){1, 2, 3, 4}), 2, 2, 0, 0);
}

// ---- 1.2 ----------------------------------------------------------------------------------

// clang-format off
static const float layer_x[] = {1, 2,
                                3, 5};
static const float layer_w[] = {1,  0, // row o makes output o
                                0,  1,
                                1, -1};
static const float layer_bias[] = {10, 20, 30};
// clang-format on

Test(linear, the_handouts_layer)
{
    float y[2 * 3];
    poison(y, 6);
    must_succeed(linear(y, layer_x, layer_w, layer_bias, 2, 2, 3));
    expect_close(y, ((float[]){11, 22, 29, 13, 25, 28}), 2, 3, ATOL, RTOL);
}

Test(linear, null_means_no_bias)
{
    float y[2 * 3];
    poison(y, 6);
    must_succeed(linear(y, layer_x, layer_w, NULL, 2, 2, 3));
    expect_close(y, ((float[]){1, 2, -1, 3, 5, -2}), 2, 3, ATOL, RTOL);
}

Test(linear, matches_pytorch)
{
    const float *x = golden("linear.x", 5, 4);
    const float *w = golden("linear.w", 3, 4);
    const float *bias = golden_shaped("linear.bias", 1, (size_t[]){3});
    float y[5 * 3];

    poison(y, 15);
    must_succeed(linear(y, x, w, bias, 5, 4, 3));
    expect_close(y, golden("linear.y", 5, 3), 5, 3, ATOL, RTOL);

    poison(y, 15);
    must_succeed(linear(y, x, w, NULL, 5, 4, 3));
    expect_close(y, golden("linear.y_no_bias", 5, 3), 5, 3, ATOL, RTOL);
}

// ---- 1.3 ----------------------------------------------------------------------------------

// clang-format off
static const float q_2x4[] = {1, 0, 1, 0,
                              0, 2, 0, 2};
static const float k_3x4[] = {2, 0, 0,  0,
                              1, 1, 1,  1,
                              0, 0, 0, -3};
static const float scores_2x3[] = {1, 1,  0, // over sqrt(4) = 2
                                   0, 2, -3};
// clang-format on

Test(attention_scores, the_handouts_scores)
{
    float scores[2 * 3];
    poison(scores, 6);
    must_succeed(attention_scores(scores, q_2x4, k_3x4, 2, 3, 4));
    expect_close(scores, scores_2x3, 2, 3, ATOL, RTOL);
}

Test(attention_scores, matches_pytorch)
{
    float scores[3 * 4];
    poison(scores, 12);
    must_succeed(attention_scores(scores, golden("attention_scores.q", 3, 5),
                                  golden("attention_scores.k", 4, 5), 3, 4, 5));
    expect_close(scores, golden("attention_scores.scores", 3, 4), 3, 4, ATOL, RTOL);
}

Test(attention_scores, of_x_with_itself_are_symmetric)
{
    enum { T = 3, C = 4 };
    const float *x = golden("x", T, C);
    float scores[T * T], mirrored[T * T];
    poison(scores, T * T);
    must_succeed(attention_scores(scores, x, x, T, T, C));
    for (size_t i = 0; i < T * T; i++) {
        mirrored[i] = scores[i % T * T + i / T];
    }
    expect_close(scores, mirrored, T, T, ATOL, RTOL);
}

Test(attention_scores, of_queries_and_keys_need_not_be_symmetric)
{
    const float *q = golden("q", 3, 4), *k = golden("k", 3, 4);
    float scores[3 * 3];
    poison(scores, 9);
    must_succeed(attention_scores(scores, q, k, 3, 3, 4));
    cr_expect(fabsf(scores[0 * 3 + 1] - scores[1 * 3 + 0]) > 2.0f,
              "token 0 looks at 1 with %g, token 1 at 0 with %g", (double)scores[1],
              (double)scores[3]);
}

// Scores of unit-normal queries and keys have variance 1 for any width, thanks to
// sqrt(d).
Test(attention_scores, variance_is_one_whatever_the_width)
{
    enum { T = 64, S = 64, WIDEST = 256 };
    static float q[T * WIDEST], k[S * WIDEST], scores[T * S];
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    for (size_t d = 4; d <= WIDEST; d *= 4) {
        lab_rng_randn(&rng, q, T * d);
        lab_rng_randn(&rng, k, S * d);
        poison(scores, T * S);
        must_succeed(attention_scores(scores, q, k, T, S, d));
        double variance = 0.0;
        for (size_t i = 0; i < T * S; i++) {
            variance += (double)scores[i] * (double)scores[i] / (T * S);
        }
        cr_expect(fabs(variance - 1.0) < 0.2, "d = %zu: variance %g", d, variance);
    }
}

// ---- 1.4 ----------------------------------------------------------------------------------

static void expect_rows_sum_to_one(const float *weights, size_t T, size_t S)
{
    for (size_t t = 0; t < T; t++) {
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            sum += (double)weights[t * S + s];
        }
        cr_expect(fabs(sum - 1.0) <= 1e-6, "row %zu sums to %.9g", t, shown(sum));
    }
}

Test(softmax_rows, the_handouts_weights)
{
    const float expected[] = {0.4223f, 0.4223f, 0.1554f, 0.1185f, 0.8756f, 0.0059f};
    float weights[2 * 3];
    poison(weights, 6);
    must_succeed(softmax_rows(weights, scores_2x3, 2, 3));
    expect_close(weights, expected, 2, 3, FOUR_DECIMALS, 0);
}

Test(softmax_rows, sum_to_one)
{
    enum { T = 5, S = 7 };
    float scores[T * S], weights[T * S];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    lab_rng_randn(&rng, scores, T * S);
    poison(weights, T * S);
    must_succeed(softmax_rows(weights, scores, T, S));
    expect_rows_sum_to_one(weights, T, S);
}

Test(softmax_rows, a_shift_of_a_whole_row_changes_nothing)
{
    const float scores[] = {1, 2, 3, 10001, 10002, 10003, -9999, -9998, -9997};
    const float row[] = {0.0900f, 0.2447f, 0.6652f};
    float weights[3 * 3];
    poison(weights, 9);
    must_succeed(softmax_rows(weights, scores, 3, 3));
    for (size_t t = 0; t < 3; t++) {
        const float *weights_t = weights + t * 3;
        expect_close(weights_t, row, 1, 3, FOUR_DECIMALS, 0);
    }
}

Test(softmax_rows, minus_infinity_gets_weight_0)
{
    const float scores[] = {-INFINITY, 0, 0, 5, -INFINITY, -INFINITY};
    float weights[2 * 3];
    poison(weights, 6);
    must_succeed(softmax_rows(weights, scores, 2, 3));
    expect_close(weights, ((float[]){0, 0.5f, 0.5f, 1, 0, 0}), 2, 3, ATOL, RTOL);
}

Test(softmax_rows, a_row_without_keys_becomes_zeros)
{
    const float scores[] = {1, 1, -INFINITY, -INFINITY, 2, 2};
    float weights[3 * 2];
    poison(weights, 6);
    must_succeed(softmax_rows(weights, scores, 3, 2));
    expect_close(weights, ((float[]){0.5f, 0.5f, 0, 0, 0.5f, 0.5f}), 3, 2, ATOL, RTOL);
}

Test(softmax_rows, matches_pytorch)
{
    float weights[6 * 7];
    poison(weights, 42);
    must_succeed(softmax_rows(weights, golden("softmax_rows.scores", 6, 7), 6, 7));
    expect_close(weights, golden("softmax_rows.weights", 6, 7), 6, 7, ATOL, RTOL);
    expect_rows_sum_to_one(weights, 6, 7);
}

// ---- 1.5 ----------------------------------------------------------------------------------

Test(weighted_values, the_handouts_mixture)
{
    const float v[] = {1, 0, 0, 1, 10, 20};
    float weights[2 * 3], out[2 * 2];
    must_succeed(softmax_rows(weights, scores_2x3, 2, 3));
    poison(out, 4);
    must_succeed(weighted_values(out, weights, v, 2, 3, 2));
    expect_close(out, ((float[]){1.9759f, 3.5296f, 0.1775f, 0.9936f}), 2, 2,
                 FOUR_DECIMALS, 0);
}

Test(weighted_values, weight_one_picks_a_row)
{
    const float weights[] = {0, 0, 1, 1, 0, 0};
    const float v[] = {1, 2, 3, 4, 5, 6};
    float out[2 * 2];
    poison(out, 4);
    must_succeed(weighted_values(out, weights, v, 2, 3, 2));
    expect_close(out, ((float[]){5, 6, 1, 2}), 2, 2, 0, 0);
}

// A lower triangle of ones whose rows are divided by their sums: row t averages rows 0 to t.
Test(weighted_values, averaging_is_attention)
{
    const float b[] = {2, 7, 6, 4, 6, 5};
    const float weights[] = {1, 0, 0, 1 / 2.f, 1 / 2.f, 0, 1 / 3.f, 1 / 3.f, 1 / 3.f};
    float out[3 * 2];
    poison(out, 6);
    must_succeed(weighted_values(out, weights, b, 3, 3, 2));
    expect_close(out, ((float[]){2, 7, 4, 5.5f, 14 / 3.f, 16 / 3.f}), 3, 2, ATOL, RTOL);
    expect_close(b, golden("averaging.b", 3, 2), 3, 2, 0, 0);
    expect_close(out, golden("averaging.out", 3, 2), 3, 2, ATOL, RTOL);
}

// The same weights come out of a softmax: equal scores for the past, -INFINITY for the future.
Test(weighted_values, averaging_comes_from_equal_scores)
{
    const float no = -INFINITY;
    const float scores[] = {7, no, no, 7, 7, no, 7, 7, 7};
    float weights[3 * 3];
    poison(weights, 9);
    must_succeed(softmax_rows(weights, scores, 3, 3));
    expect_close(weights, golden("averaging.a", 3, 3), 3, 3, ATOL, RTOL);
}

Test(weighted_values, matches_pytorch)
{
    float out[3 * 6];
    poison(out, 18);
    must_succeed(weighted_values(out, golden("weighted_values.weights", 3, 4),
                                 golden("weighted_values.v", 4, 6), 3, 4, 6));
    expect_close(out, golden("weighted_values.out", 3, 6), 3, 6, ATOL, RTOL);
}

// Four keys, one along each axis; the query points along key 2 and grows. The answer goes from
// nearly the mean of all values (25) to the value of key 2 (30).
Test(weighted_values, attention_is_a_dictionary)
{
    const float keys[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const float values[] = {10, 20, 30, 40};
    const float lengths[] = {1, 2, 4, 8, 16, 32};
    const float answers[] = {25.6977f, 26.5024f, 28.0749f, 29.6528f, 29.9933f, 30.0000f};
    float answer[6];
    poison(answer, 6);
    for (size_t i = 0; i < 6; i++) {
        const float query[] = {0, 0, lengths[i], 0};
        float scores[4], weights[4];
        must_succeed(attention_scores(scores, query, keys, 1, 4, 4));
        must_succeed(softmax_rows(weights, scores, 1, 4));
        must_succeed(weighted_values(&answer[i], weights, values, 1, 4, 1));
    }
    expect_close(answer, answers, 6, 1, FOUR_DECIMALS, 0);
}

// ---- 1.6 ----------------------------------------------------------------------------------

// Three tokens, from the seed: torch.manual_seed(42), then randn for x, w_q, w_k, w_v.
enum { T = 3, C = 4, D = 4 };

struct story {
    float x[T * C], w_q[D * C], w_k[D * C], w_v[D * C];
    float out[T * D], weights[T * T];
    float q[T * D], k[T * D], v[T * D], scores[T * T];
};

static struct story tell(void)
{
    struct story story;
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, story.x, T * C);
    lab_rng_randn(&rng, story.w_q, D * C);
    lab_rng_randn(&rng, story.w_k, D * C);
    lab_rng_randn(&rng, story.w_v, D * C);
    poison(story.out, T * D);
    poison(story.weights, T * T);
    poison(story.q, T * D);
    poison(story.k, T * D);
    poison(story.v, T * D);
    poison(story.scores, T * T);
    must_succeed(simple_attention(story.out, story.weights, story.q, story.k, story.v,
                                  story.scores, story.x, story.w_q, story.w_k, story.w_v,
                                  T, C, D));
    return story;
}

// clang-format off
static const float story_x[] = {
     0.3367f,  0.1288f,  0.2345f,  0.2303f,
    -1.1229f, -0.1863f,  2.2082f, -0.6380f,
     0.4617f,  0.2674f,  0.5349f,  0.8094f};
static const float story_q[] = {
    -0.0287f, -0.9554f, -0.1101f, -0.3255f,
    -1.5151f, -3.7476f,  2.5922f, -1.3642f,
    -0.0877f, -1.9032f, -0.3221f, -0.4655f};
static const float story_k[] = {
     0.2273f,  0.1931f,  0.1718f, -0.2803f,
     3.9152f, -3.7800f,  0.0893f, -3.4836f,
     0.2594f, -0.0806f,  1.4462f, -1.3545f};
static const float story_v[] = {
     0.0610f,  0.3683f, -0.4426f,  0.1841f,
     5.0092f,  2.8981f, -1.4992f, -1.9317f,
     0.4658f,  0.5965f, -0.5078f, -0.1742f};
static const float story_scores[] = {
    -0.0594f, 2.3116f, 0.1756f,
    -0.1202f, 6.6089f, 2.7529f,
    -0.1562f, 4.2218f, 0.1477f};
static const float story_weights[] = {
    0.0771f, 0.8254f, 0.0975f,
    0.0012f, 0.9781f, 0.0207f,
    0.0122f, 0.9713f, 0.0165f};
static const float story_out[] = {
    4.1847f, 2.4787f, -1.3211f, -1.5972f,
    4.9094f, 2.8475f, -1.4775f, -1.8929f,
    4.8738f, 2.8293f, -1.4700f, -1.8769f};
// clang-format on

Test(simple_attention, the_handouts_example)
{
    struct story story = tell();
    expect_close(story.x, story_x, T, C, FOUR_DECIMALS, 0);
    expect_close(story.weights, story_weights, T, T, FOUR_DECIMALS, 0);
    expect_close(story.out, story_out, T, D, FOUR_DECIMALS, 0);
}

// You may use the workspaces for anything. If this test fails and the one above passes,
// your code computes the result in another way and is still right.
Test(simple_attention, the_handouts_steps)
{
    struct story story = tell();
    expect_close(story.q, story_q, T, D, FOUR_DECIMALS, 0);
    expect_close(story.k, story_k, T, D, FOUR_DECIMALS, 0);
    expect_close(story.v, story_v, T, D, FOUR_DECIMALS, 0);
    expect_close(story.scores, story_scores, T, T, FOUR_DECIMALS, 0);
}

Test(simple_attention, example_matches_pytorch)
{
    struct story story = tell();
    expect_close(story.x, golden("x", T, C), T, C, 0, 0);
    expect_close(story.w_v, golden("w_v", D, C), D, C, 1e-6f, 0);
    expect_close(story.weights, golden("weights", T, T), T, T, ATOL, RTOL);
    expect_close(story.out, golden("out", T, D), T, D, ATOL, RTOL);
}

Test(simple_attention, rows_sum_to_one)
{
    struct story story = tell();
    expect_rows_sum_to_one(story.weights, T, T);
}

Test(simple_attention, output_row_0_is_a_weighted_sum_of_value_rows)
{
    struct story story = tell();
    float row_0[D];
    for (size_t i = 0; i < D; i++) {
        row_0[i] = 0.0771f * story_v[0 * D + i] + 0.8254f * story_v[1 * D + i] +
                   0.0975f * story_v[2 * D + i];
    }
    expect_close(story.out, row_0, 1, D, 1e-3f, 0);
}

Test(simple_attention, odd_sizes_match_pytorch)
{
    enum { ODD_T = 5, ODD_C = 7, ODD_D = 3 };
    float out[ODD_T * ODD_D], weights[ODD_T * ODD_T], scores[ODD_T * ODD_T];
    float q[ODD_T * ODD_D], k[ODD_T * ODD_D], v[ODD_T * ODD_D];
    poison(out, ODD_T * ODD_D);
    poison(weights, ODD_T * ODD_T);
    must_succeed(
        simple_attention(out, weights, q, k, v, scores, golden("odd.x", ODD_T, ODD_C),
                         golden("odd.w_q", ODD_D, ODD_C), golden("odd.w_k", ODD_D, ODD_C),
                         golden("odd.w_v", ODD_D, ODD_C), ODD_T, ODD_C, ODD_D));
    expect_close(weights, golden("odd.weights", ODD_T, ODD_T), ODD_T, ODD_T, ATOL, RTOL);
    expect_close(out, golden("odd.out", ODD_T, ODD_D), ODD_T, ODD_D, ATOL, RTOL);
}

Test(simple_attention, one_token_attends_to_itself)
{
    const float x[] = {3, -1}, w_q[] = {1, 2}, w_k[] = {5, 1}, w_v[] = {2, 4};
    float out[1], weights[1], q[1], k[1], v[1], scores[1];
    poison(out, 1);
    poison(weights, 1);
    must_succeed(
        simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_v, 1, 2, 1));
    expect_close(weights, ((float[]){1}), 1, 1, 0, 0);
    expect_close(out, ((float[]){3 * 2 - 1 * 4}), 1, 1, ATOL, RTOL);
}
