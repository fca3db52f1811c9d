// test_batching.c - worked examples of lab 2.
//
//     make unit LAB=2          runs them on your batching.c, with sanitizers
//
// Every test is a claim. The tests use the handout's numbers and PyTorch's
// (datasets/goldens, made by datasets/make_goldens.py). Add tests of your own. These
// tests give no points; only make check does.
//
// Start reading at matmul, the_handouts_product.

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// Tolerances for float results against exact numbers, and against a table with four
// decimals.
static const float ATOL = 1e-5f, RTOL = 1e-5f;
static const float FOUR_DECIMALS = 0.5001e-4f;

static const size_t TOO_LARGE = (size_t)INT_MAX + 1;

// ---- PyTorch's numbers --------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    must_succeed(lab_tensor_file_open(&goldens, "datasets/goldens/lab02.safetensors"));
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

// The golden tensor of that name, which must be (B, rows, columns).
static const float *golden(const char *name, size_t B, size_t rows, size_t columns)
{
    return golden_shaped(name, 3, (size_t[]){B, rows, columns});
}

TestSuite(batched_matmul, .init = open_goldens, .fini = close_goldens);
TestSuite(batched_linear, .init = open_goldens, .fini = close_goldens);
TestSuite(batched_softmax, .init = open_goldens, .fini = close_goldens);
TestSuite(batched_attention, .init = open_goldens, .fini = close_goldens);

// ---- 2.1 ----------------------------------------------------------------------------------

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

Test(matmul, a_flag_replaces_the_copy)
{
    float out[2 * 2];
    poison(out, 4);
    must_succeed(matmul_nt(out, a_2x3, b_2x3, 2, 2, 3));
    expect_close(out, ab_2x2, 2, 2, ATOL, RTOL);
}

Test(matmul, a_row_times_a_matrix_is_a_row)
{
    float out[2];
    poison(out, 2);
    must_succeed(matmul(out, a_2x3, b_3x2, 1, 2, 3));
    expect_close(out, ab_2x2, 1, 2, ATOL, RTOL);
}

Test(matmul, both_forms_agree_on_odd_sizes)
{
    enum { M = 5, N = 7, K = 3 };
    struct lab_rng rng;
    lab_rng_seed(&rng, 2);
    float a[M * K], b[K * N], b_transposed[N * K], plain[M * N], flagged[M * N];
    lab_rng_randn(&rng, a, M * K);
    lab_rng_randn(&rng, b, K * N);
    for (size_t k = 0; k < K; k++) {
        for (size_t n = 0; n < N; n++) {
            b_transposed[n * K + k] = b[k * N + n];
        }
    }
    poison(plain, M * N);
    poison(flagged, M * N);
    must_succeed(matmul(plain, a, b, M, N, K));
    must_succeed(matmul_nt(flagged, a, b_transposed, M, N, K));
    expect_close(flagged, plain, M, N, ATOL, RTOL);
}

Test(matmul, sizes_that_do_not_fit_are_refused_and_leave_the_output)
{
    float out[4] = {1, 2, 3, 4};
    must_return(matmul(out, a_2x3, b_3x2, 2, 2, 0), LAB_ESHAPE);
    must_return(matmul_nt(out, a_2x3, b_2x3, 0, 2, 3), LAB_ESHAPE);
    must_return(matmul(out, a_2x3, b_3x2, TOO_LARGE, 2, 3), LAB_ESHAPE);
    must_return(matmul_nt(out, a_2x3, b_2x3, 2, 2, TOO_LARGE), LAB_ESHAPE);
    expect_close(out, ((float[]){1, 2, 3, 4}), 2, 2, 0, 0);
}

// ---- 2.2 ----------------------------------------------------------------------------------

// clang-format off
static const float pair_a[] = {1,  2,  // sequence 0: one row
                               3, -1}; // sequence 1
static const float pair_b[] = {1, 0,   // sequence 0: three rows
                               0, 1,
                               1, 1,
                               2, 0,   // sequence 1
                               1, 1,
                               0, 5};
static const float pair_out[] = {1, 2,  3,
                                 6, 2, -5};
// clang-format on

Test(batched_matmul, the_handouts_pair)
{
    float out[2 * 1 * 3];
    poison(out, 6);
    must_succeed(batched_matmul_nt(out, pair_a, pair_b, 2, 1, 3, 2));
    expect_close(out, pair_out, 2, 3, ATOL, RTOL);
}

// Transposing all three axes of b (B, N, K) gives (K, N, B), here read as B matrices (K,
// N).
Test(batched_matmul, transposing_all_three_axes_is_wrong)
{
    enum { B = 2, M = 1, N = 3, K = 2 };
    float all_three[B * K * N], out[B * M * N], right[B * M * N];
    for (size_t b = 0; b < B; b++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t k = 0; k < K; k++) {
                all_three[(k * N + n) * B + b] = pair_b[(b * N + n) * K + k];
            }
        }
    }
    poison(out, B * M * N);
    poison(right, B * M * N);
    must_succeed(batched_matmul(out, pair_a, all_three, B, M, N, K));
    must_succeed(batched_matmul_nt(right, pair_a, pair_b, B, M, N, K));
    expect_close(right, pair_out, B, N, ATOL, RTOL);
    expect_close(out, ((float[]){3, 4, 0, -1, -1, -2}), B, N, ATOL, RTOL);
}

Test(batched_matmul, matches_pytorch)
{
    float out[3 * 5 * 2];
    poison(out, 30);
    must_succeed(batched_matmul(out, golden("batched_matmul.a", 3, 5, 4),
                                golden("batched_matmul.b", 3, 4, 2), 3, 5, 2, 4));
    expect_close(out, golden("batched_matmul.out", 3, 5, 2), 15, 2, ATOL, RTOL);
}

Test(batched_matmul, nt_matches_pytorch)
{
    float out[3 * 5 * 2];
    poison(out, 30);
    must_succeed(batched_matmul_nt(out, golden("batched_matmul_nt.a", 3, 5, 4),
                                   golden("batched_matmul_nt.b", 3, 2, 4), 3, 5, 2, 4));
    expect_close(out, golden("batched_matmul_nt.out", 3, 5, 2), 15, 2, ATOL, RTOL);
}

Test(batched_matmul, an_empty_batch_is_refused)
{
    float out[6] = {0};
    must_return(batched_matmul(out, pair_a, pair_b, 0, 1, 3, 2), LAB_ESHAPE);
    must_return(batched_matmul_nt(out, pair_a, pair_b, 0, 1, 3, 2), LAB_ESHAPE);
    expect_close(out, (float[6]){0}, 2, 3, 0, 0);
}

// ---- 2.3 ----------------------------------------------------------------------------------

// clang-format off
static const float layer_x[] = { 1, 2,  // sequence 0: lab 1's tokens
                                 3, 5,
                                 0, 1,  // sequence 1
                                -1, 4};
static const float layer_w[] = {1,  0,  // row o makes output o
                                0,  1,
                                1, -1};
static const float layer_bias[] = {10, 20, 30};
static const float layer_y[] = {11, 22, 29,
                                13, 25, 28,
                                10, 21, 29,
                                 9, 24, 25};
// clang-format on

Test(batched_linear, the_handouts_layer)
{
    float y[2 * 2 * 3];
    poison(y, 12);
    must_succeed(batched_linear(y, layer_x, layer_w, layer_bias, 2, 2, 2, 3));
    expect_close(y, layer_y, 4, 3, ATOL, RTOL);
}

Test(batched_linear, a_batch_of_B_is_one_sequence_of_B_T_tokens)
{
    float y[4 * 3];
    poison(y, 12);
    must_succeed(batched_linear(y, layer_x, layer_w, layer_bias, 1, 4, 2, 3));
    expect_close(y, layer_y, 4, 3, ATOL, RTOL);
}

Test(batched_linear, without_bias_zero_stays_zero)
{
    float y[3] = {9, 9, 9};
    must_succeed(batched_linear(y, (float[]){0, 0}, layer_w, NULL, 1, 1, 2, 3));
    expect_close(y, ((float[]){0, 0, 0}), 1, 3, 0, 0);
}

Test(batched_linear, matches_pytorch)
{
    const float *x = golden("batched_linear.x", 3, 5, 4);
    const float *w = golden_shaped("batched_linear.w", 2, (size_t[]){7, 4});
    const float *bias = golden_shaped("batched_linear.bias", 1, (size_t[]){7});
    float y[3 * 5 * 7];
    poison(y, 105);
    must_succeed(batched_linear(y, x, w, bias, 3, 5, 4, 7));
    expect_close(y, golden("batched_linear.y", 3, 5, 7), 15, 7, ATOL, RTOL);
    poison(y, 105);
    must_succeed(batched_linear(y, x, w, NULL, 3, 5, 4, 7));
    expect_close(y, golden("batched_linear.y_no_bias", 3, 5, 7), 15, 7, ATOL, RTOL);
}

Test(batched_linear, more_rows_than_an_int_can_count_are_refused)
{
    float y[1] = {7};
    must_return(batched_linear(y, layer_x, layer_w, NULL, 65536, 65536, 1, 1),
                LAB_ESHAPE);
    must_return(batched_linear(y, layer_x, layer_w, NULL, 1, 0, 1, 1), LAB_ESHAPE);
    expect_close(y, ((float[]){7}), 1, 1, 0, 0);
}

// ---- 2.4 ----------------------------------------------------------------------------------

// clang-format off
static const float rows_scores[] = {1,    2,    3,    // sequence 0
                                    0,    0,    0,
                                    1001, 1002, 1003, // sequence 1
                                    -INFINITY, -INFINITY, -INFINITY};
static const float rows_weights[] = {0.0900f, 0.2447f, 0.6652f,
                                     0.3333f, 0.3333f, 0.3333f,
                                     0.0900f, 0.2447f, 0.6652f,
                                     0,       0,       0};
// clang-format on

Test(batched_softmax, the_handouts_rows)
{
    float weights[2 * 2 * 3];
    poison(weights, 12);
    must_succeed(batched_softmax(weights, rows_scores, 2, 2, 3));
    expect_close(weights, rows_weights, 4, 3, FOUR_DECIMALS, 0);
}

Test(batched_softmax, rows_sum_to_one)
{
    enum { B = 3, T = 5, S = 7 };
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    float scores[B * T * S], weights[B * T * S];
    lab_rng_randn(&rng, scores, B * T * S);
    poison(weights, B * T * S);
    must_succeed(batched_softmax(weights, scores, B, T, S));
    for (size_t n = 0; n < B * T; n++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += weights[n * S + s];
        }
        cr_expect(is_close(sum, 1.0f, 1e-6f, 0), "row %zu sums to %.9g", n,
                  shown((double)sum));
    }
}

// Some rows contain scores of 1e4 and of -INFINITY. No row has only -INFINITY, because
// there PyTorch gives NaN and this lab gives zeros.
Test(batched_softmax, matches_pytorch)
{
    float weights[3 * 6 * 4];
    poison(weights, 72);
    must_succeed(
        batched_softmax(weights, golden("batched_softmax.scores", 3, 6, 4), 3, 6, 4));
    expect_close(weights, golden("batched_softmax.weights", 3, 6, 4), 18, 4, 1e-6f, RTOL);
}

// ---- 2.5 ----------------------------------------------------------------------------------

enum { B = 3, T = 5, C = 7 }; // the batch of the properties below

struct attention {
    float out[B * T * C], weights[B * T * T];
    float q[B * T * C], k[B * T * C], v[B * T * C], scores[B * T * T];
};

struct inputs {
    float x[B * T * C], w_q[C * C], w_k[C * C], w_v[C * C];
};

static struct inputs draw_inputs(void)
{
    struct inputs in;
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, in.x, B * T * C);
    must_succeed(lab_rng_linear(&rng, in.w_q, NULL, C, C));
    must_succeed(lab_rng_linear(&rng, in.w_k, NULL, C, C));
    must_succeed(lab_rng_linear(&rng, in.w_v, NULL, C, C));
    return in;
}

static void attend(struct attention *a, const struct inputs *in)
{
    poison(a->out, B * T * C);
    poison(a->weights, B * T * T);
    must_succeed(batched_attention(a->out, a->weights, a->q, a->k, a->v, a->scores, in->x,
                                   in->w_q, in->w_k, in->w_v, B, T, C));
}

Test(batched_attention, the_handouts_two_sequences)
{
    const float x[] = {1, 0, 0, 1, /* sequence 1 */ 2, 0, 0, 1};
    const float one[] = {1, 0, 0, 1};
    float out[8], weights[8], q[8], k[8], v[8], scores[8];
    poison(out, 8);
    poison(weights, 8);
    must_succeed(
        batched_attention(out, weights, q, k, v, scores, x, one, one, one, 2, 2, 2));
    expect_close(weights,
                 ((float[]){0.6698f, 0.3302f, 0.3302f, 0.6698f, //
                            0.9442f, 0.0558f, 0.3302f, 0.6698f}),
                 4, 2, FOUR_DECIMALS, 0);
    expect_close(out,
                 ((float[]){0.6698f, 0.3302f, 0.3302f, 0.6698f, //
                            1.8884f, 0.0558f, 0.6605f, 0.6698f}),
                 4, 2, FOUR_DECIMALS, 0);
}

Test(batched_attention, sequences_do_not_talk_to_each_other)
{
    struct inputs in = draw_inputs();
    struct attention before, after;
    attend(&before, &in);
    for (size_t changed = 0; changed < B; changed++) {
        struct inputs other = in;
        other.x[changed * T * C] += 1.0f;
        attend(&after, &other);
        for (size_t b = 0; b < B; b++) {
            bool same = memcmp(before.out + b * T * C, after.out + b * T * C,
                               T * C * sizeof(float)) == 0 &&
                        memcmp(before.weights + b * T * T, after.weights + b * T * T,
                               T * T * sizeof(float)) == 0;
            cr_expect(same == (b != changed),
                      "sequence %zu was changed, and sequence %zu %s", changed, b,
                      same ? "stayed the same" : "changed");
        }
    }
}

// The same rows, but not the same bits, because BLAS may add in another order for another
// shape.
Test(batched_attention, batched_equals_one_at_a_time)
{
    struct inputs in = draw_inputs();
    struct attention all, one;
    attend(&all, &in);
    for (size_t b = 0; b < B; b++) {
        poison(one.out, T * C);
        poison(one.weights, T * T);
        must_succeed(batched_attention(one.out, one.weights, one.q, one.k, one.v,
                                       one.scores, in.x + b * T * C, in.w_q, in.w_k,
                                       in.w_v, 1, T, C));
        expect_close(one.out, all.out + b * T * C, T, C, ATOL, RTOL);
        expect_close(one.weights, all.weights + b * T * T, T, T, ATOL, RTOL);
    }
}

Test(batched_attention, rows_of_weights_sum_to_one)
{
    struct inputs in = draw_inputs();
    struct attention a;
    attend(&a, &in);
    for (size_t n = 0; n < B * T; n++) {
        float sum = 0.0f;
        for (size_t s = 0; s < T; s++) {
            sum += a.weights[n * T + s];
        }
        cr_expect(is_close(sum, 1.0f, 1e-6f, 0), "row %zu sums to %.9g", n,
                  shown((double)sum));
    }
}

Test(batched_attention, matches_pytorch)
{
    float out[2 * 5 * 6], weights[2 * 5 * 5];
    float q[2 * 5 * 6], k[2 * 5 * 6], v[2 * 5 * 6], scores[2 * 5 * 5];
    const size_t square[] = {6, 6};
    poison(out, 60);
    poison(weights, 50);
    must_succeed(batched_attention(
        out, weights, q, k, v, scores, golden("batched_attention.x", 2, 5, 6),
        golden_shaped("batched_attention.w_q", 2, square),
        golden_shaped("batched_attention.w_k", 2, square),
        golden_shaped("batched_attention.w_v", 2, square), 2, 5, 6));
    expect_close(weights, golden("batched_attention.weights", 2, 5, 5), 10, 5, ATOL,
                 RTOL);
    expect_close(out, golden("batched_attention.out", 2, 5, 6), 10, 6, ATOL, RTOL);
}
