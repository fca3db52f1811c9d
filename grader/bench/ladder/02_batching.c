// 02_batching.c - the steps to solutions/fast/02_batching/batching.c.

#include <math.h>

#include "02_batching/batching.h"
#include "bench/ladder/ladder.h"
#include "fast/common/product.h"
#include "fast/common/vector_math.h"

// ---- 2.1  a large product -----------------------------------------------------------------

// Whole numbers, whose sums are exact in every order.
static void round_all(struct test_case *test, const char *input)
{
    for (size_t i = 0; i < case_count(test, input); i++) {
        case_f32(test, input)[i] = rintf(case_f32(test, input)[i]);
    }
}

static void whole_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    round_all(test, "a");
    round_all(test, "b");
}

// One output at a time: b is read down its columns, one number of each cache line.
static lab_status three_loops(float *out, const float *a, const float *b, size_t M,
                              size_t N, size_t K)
{
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;
}

// The inner loop goes along rows of b and out, so the compiler can process several columns at a
// time.
#define ROW_BY_ROW(name, wide)                                                           \
    wide static void name##_loops(float *restrict out, const float *restrict a,          \
                                  const float *restrict b, size_t M, size_t N, size_t K) \
    {                                                                                    \
        for (size_t i = 0; i < M * N; i++) {                                             \
            out[i] = 0.0f;                                                               \
        }                                                                                \
        for (size_t m = 0; m < M; m++) {                                                 \
            for (size_t k = 0; k < K; k++) {                                             \
                for (size_t n = 0; n < N; n++) {                                         \
                    out[m * N + n] += a[m * K + k] * b[k * N + n];                       \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    static lab_status name(float *out, const float *a, const float *b, size_t M,         \
                           size_t N, size_t K)                                           \
    {                                                                                    \
        name##_loops(out, a, b, M, N, K);                                                \
        return LAB_OK;                                                                   \
    }

ROW_BY_ROW(row_by_row, )
ROW_BY_ROW(row_by_row_wide, LAB_WIDE)

// Four rows and eight columns of out stay in registers, so b is read once for four rows.
LAB_WIDE static void in_registers_loops(float *out, const float *a, const float *b,
                                        size_t M, size_t N, size_t K)
{
    lab_small_product(out, 1.0f, a, K, 1, b, M, N, K);
}

static lab_status in_registers(float *out, const float *a, const float *b, size_t M,
                               size_t N, size_t K)
{
    in_registers_loops(out, a, b, M, N, K);
    return LAB_OK;
}

// ---- 2.2  many small products -------------------------------------------------------------

static lab_status many_three_loops(float *out, const float *a, const float *b, size_t B,
                                   size_t M, size_t N, size_t K)
{
    for (size_t i = 0; i < B; i++) {
        three_loops(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
    }
    return LAB_OK;
}

// ---- 2.3  a linear layer ------------------------------------------------------------------

static void turn(float *w_transposed, const float *w, size_t I, size_t O)
{
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < I; i++) {
            w_transposed[i * O + o] = w[o * I + i];
        }
    }
}

static void add_bias(float *y, const float *bias, size_t N, size_t O)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
}

enum { MOST_WEIGHTS = 4096 };

static lab_status w_turned(float *y, const float *x, const float *w, const float *bias,
                           size_t B, size_t T, size_t I, size_t O)
{
    float w_transposed[MOST_WEIGHTS];
    turn(w_transposed, w, I, O);
    LAB_TRY(matmul(y, x, w_transposed, B * T, O, I));
    add_bias(y, bias, B * T, O);
    return LAB_OK;
}

static lab_status in_blocks(float *y, const float *x, const float *w, const float *bias,
                            size_t B, size_t T, size_t I, size_t O)
{
    float w_transposed[MOST_WEIGHTS];
    turn(w_transposed, w, I, O);
    const size_t N = B * T, rows = lab_rows_of_a_block(N, I, O);
    for (size_t n = 0; n < N; n += rows) {
        const size_t count = rows < N - n ? rows : N - n;
        LAB_TRY(matmul(y + n * O, x + n * I, w_transposed, count, O, I));
    }
    add_bias(y, bias, N, O);
    return LAB_OK;
}

// ---- 2.4  softmax -------------------------------------------------------------------------

LAB_WIDE static void softmax_row(float *restrict weights, const float *restrict scores,
                                 size_t S)
{
    const float max = lab_max(scores, S);
    const float shift = max == -INFINITY ? 0.0f : max;
    for (size_t s = 0; s < S; s++) {
        weights[s] = lab_exp(scores[s] - shift);
    }
    const float sum = lab_sum(weights, S);
    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = 0; s < S; s++) {
        weights[s] *= scale;
    }
}

static lab_status softmax_one_row_at_a_time(float *weights, const float *scores, size_t B,
                                            size_t T, size_t S)
{
    for (size_t n = 0; n < B * T; n++) {
        softmax_row(weights + n * S, scores + n * S, S);
    }
    return LAB_OK;
}

// ---- the tables ---------------------------------------------------------------------------

#define PRODUCT(f) LIKE(matmul, f)
#define LINEAR(f) LIKE(batched_linear, f)
#define SOFTMAX(f) LIKE(batched_softmax, f)

#define LINEAR_STEPS                                                                     \
    {                                                                                    \
        {"plain: one product, the bias", NULL},                                          \
            {"2  w transposed once", LINEAR(w_turned)},                                  \
            {"2  and blocks of rows", LINEAR(in_blocks)},                                \
            {"3  a wide bias loop (this file)", LINEAR(batched_linear)},                 \
    }

const struct ladder ladders_batching[] = {
    {"matmul",
     2,
     {.dims = "M=256 N=256 K=256", .fill = whole_factors},
     {{"three loops, an output at a time", PRODUCT(three_loops)},
      {"the loops in another order: b row by row", PRODUCT(row_by_row)},
      {"LAB_WIDE: the widest vectors there are", PRODUCT(row_by_row_wide)},
      {"four rows and eight columns in registers", PRODUCT(in_registers)},
      {"one call of BLAS (plain, and this file)", PRODUCT(matmul)}}},
    {"batched_matmul",
     2,
     {.dims = "B=128 M=8 N=8 K=8", .fill = whole_factors},
     {{"plain: a call of BLAS for each product", NULL},
      {"   three loops for each product", LIKE(batched_matmul, many_three_loops)},
      {"1  in registers (this file)", LIKE(batched_matmul, batched_matmul)}}},
    {"batched_linear", 2, {.dims = "B=32 T=8 I=32 O=32"}, LINEAR_STEPS},
    {"batched_linear", 2, {.dims = "B=32 T=8 I=32 O=128"}, LINEAR_STEPS},
    {"batched_linear", 2, {.dims = "B=32 T=8 I=128 O=32"}, LINEAR_STEPS},
    {"batched_softmax",
     2,
     {.dims = "B=128 T=8 S=8"},
     {{"plain: expf, a call for each number", NULL},
      {"4  lab_max, lab_exp, lab_sum, one row at a time",
       SOFTMAX(softmax_one_row_at_a_time)},
      {"5  pass by pass over many rows (this file)", SOFTMAX(batched_softmax)}}},
    {0},
};
