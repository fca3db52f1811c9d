// lab01.c - everything the grader knows of lab 1, and the model for every other lab.
//
// The top of the file is compiled for both sides: how to call each function. The rest is the
// judge's: for every exercise the cases to draw, the tolerance, the hints, and the known
// mistakes as functions that make them. Inside an exercise the order is always
//
//     fills and properties    what the cases need beyond unit normals
//     mistakes                wrong on purpose; each must differ from every other
//     alternatives            other right ways, which must pass with ease
//     part, hints, exercise   the tables the judge reads
//
// Cases are ordered from shapes a person can check by hand to shapes that tell all sizes
// apart, and on to sizes past 64, 256 and 512 (an output of more than 65536 numbers among
// them), where fixed buffers, narrow counters and the main loop of an unrolled one come to
// light. A mistake never touches memory outside its arguments, so the sizes of some cases are
// chosen such that the wrong reading stays inside; a comment says where.
//
// Tolerances: the references round once, so what is allowed covers a sum of floats in any
// order over the longest K here, and is far below half precision (rtol 5e-4).
//
// Start reading at exercise 1.1.

#include "exercises/exercise.h"

#include "01_simple_attention/attention.h"
#include "common/rng.h"
#ifdef GPU
#include "01_simple_attention/attention_gpu.h"
#endif

GPU_ADAPTOR(matmul, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(linear, t[0], t[1], t[2], t[3], n[0], n[1], n[2])
GPU_ADAPTOR(attention_scores, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(softmax_rows, t[0], t[1], n[0], n[1])
GPU_ADAPTOR(weighted_values, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(simple_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9],
        n[0], n[1], n[2])

const struct entry lab_entries[] = {
    GPU_ENTRY(matmul),       GPU_ENTRY(matmul_nt),
    ENTRY(linear),           GPU_ENTRY(attention_scores),
    GPU_ENTRY(softmax_rows), GPU_ENTRY(weighted_values),
    ENTRY(simple_attention), {0},
};

#ifndef WORKER

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what several exercises share ---------------------------------------------------------

static void scale(float *x, size_t count, float factor)
{
    for (size_t i = 0; i < count; i++) {
        x[i] *= factor;
    }
}

// Whole numbers but 0, for cases to check by hand: 1, -2, 3 ...
static void make_whole(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = copysignf(1.0f + floorf(2.0f * fabsf(x[i])), x[i]);
    }
}

// -2, -1, 1 or 2, for large sizes: every sum is exact in whatever order it is formed, so that
// a wrong one is told from its numbers there as well.
static void make_small(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = copysignf(fabsf(x[i]) < 0.7f ? 1.0f : 2.0f, x[i]);
    }
}

#define TINY 0x1p-20f
#define TINY_NOTE "numbers near 1e-6"

// Six places are kept, the rest is cut off.
static lab_status round_to_places(float *out, lab_status status, size_t count)
{
    for (size_t i = 0; status == LAB_OK && i < count; i++) {
        out[i] = truncf(out[i] * 1e6f) / 1e6f;
    }
    return status;
}

#define ROUNDED_WHAT "the results are cut off after six decimal places"
#define ROUNDED_WHY                                                                      \
    "A float keeps seven digits of a number of any size: 1e-12 is as good a number as "  \
    "1. "                                                                                \
    "Leave the results as they come out; rounding is for printing."

// A matrix in memory, and how its element (row, column) is found there. Most mistakes of this
// lab are a right product of wrongly read matrices.
struct matrix {
    const float *data;
    size_t row, column; // steps from one row, one column, to the next
};

// Stored row after row, as this lab does it: element (r, c) is data[r * width + c].
static struct matrix by_rows(const float *data, size_t width)
{
    return (struct matrix){data, width, 1};
}

// Stored column after column: element (r, c) is data[c * height + r].
static struct matrix by_columns(const float *data, size_t height)
{
    return (struct matrix){data, 1, height};
}

// out(M,N) = factor * a(M,K) b(K,N)
static lab_status product(float *out, struct matrix a, struct matrix b, size_t M,
                          size_t N, size_t K, double factor)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a.data[m * a.row + k * a.column] *
                       b.data[k * b.row + n * b.column];
            }
            out[m * N + n] = (float)(sum * factor);
        }
    }
    return LAB_OK;
}

// The same with sums in float, last term first: the roundings another right program makes.
static lab_status float_product(float *out, struct matrix a, struct matrix b, size_t M,
                                size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = K; k-- > 0;) {
                sum +=
                    a.data[m * a.row + k * a.column] * b.data[k * b.row + n * b.column];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;
}

// The sum is set to 0 once, not once for every element: each element contains all before it.
static lab_status running_product(float *out, struct matrix a, struct matrix b, size_t M,
                                  size_t N, size_t K)
{
    lab_status status = product(out, a, b, M, N, K, 1.0);
    double sum = 0.0;
    for (size_t i = 0; status == LAB_OK && i < M * N; i++) {
        sum += out[i];
        out[i] = (float)sum;
    }
    return status;
}

// What is added to an output that nobody set to 0 is added to poison.
static lab_status unset(float *out, size_t rows, size_t columns, size_t depth)
{
    if (rows == 0 || columns == 0 || depth == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < rows * columns; i++) {
        out[i] = NAN;
    }
    return LAB_OK;
}

#define UNSET_WHAT "the output is added to before it was ever set"
#define UNSET_WHY                                                                        \
    "The caller's buffer holds anything at all (here: NaN). Sum into a local variable "  \
    "that "                                                                              \
    "starts at 0 and assign it, or set the output to 0 first."
#define RUNNING_WHAT "the sum is not set back to 0 for each element"
#define RUNNING_WHY                                                                      \
    "Every element then contains all elements before it. Declare the sum inside the "    \
    "second "                                                                            \
    "loop, not in front of the loops."

// ---- 1.1 matmul ---------------------------------------------------------------------------

static void whole_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(case_f32(test, "a"), case_count(test, "a"));
    make_whole(case_f32(test, "b"), case_count(test, "b"));
}

static void small_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(case_f32(test, "a"), case_count(test, "a"));
    make_small(case_f32(test, "b"), case_count(test, "b"));
}

static void hundreds_of_factors(struct test_case *test, struct lab_rng *rng)
{
    whole_factors(test, rng);
    scale(case_f32(test, "a"), case_count(test, "a"), 100.0f);
    scale(case_f32(test, "b"), case_count(test, "b"), 100.0f);
}

static const struct case_spec product_cases[] = {
    {"M=1 N=1 K=1", 1, "whole numbers, to check by hand", whole_factors},
    {"M=1 N=1 K=2", 1, "whole numbers, to check by hand", whole_factors},
    {"M=1 N=2 K=1", 1, "whole numbers, to check by hand", whole_factors},
    {"M=2 N=1 K=1", 1, "whole numbers, to check by hand", whole_factors},
    {"M=2 N=1 K=3", 1, "whole numbers, to check by hand", whole_factors},
    {"M=2 N=3 K=2", 1, "whole numbers, to check by hand", whole_factors},
    {.dims = "M=2 N=3 K=4"},
    {.dims = "M=2..4 N=5..7 K=8..10", .draws = 3},
    {.dims = "M=8..10 N=2..4 K=5..7", .draws = 3},
    {.dims = "M=1 N=7 K=5", .note = "one row"},
    {.dims = "M=7 N=1 K=5", .note = "one column"},
    {.dims = "M=5 N=3 K=64", .note = "long sums"},
    {.dims = "M=7 N=13 K=9", .note = "larger"},
    {"M=3 N=3 K=3", 1, "square", whole_factors},
    {"M=2 N=4 K=4", 1, "b is square", whole_factors},
    {"M=4 N=2 K=4", 1, "a is square", whole_factors},
    {"M=3 N=4 K=5", 1, "whole hundreds", hundreds_of_factors},
    {"M=67 N=71 K=131", 1, "all sizes past 64", small_factors},
    {"M=521 N=131 K=3", 1, "more than 512 rows", small_factors},
    {"M=131 N=521 K=3", 1, "more than 512 columns", small_factors},
    {"M=131 N=3 K=521", 1, "sums of more than 512 terms", small_factors},
    {"M=3 N=131 K=521", 1, "sums of more than 512 terms", small_factors},
    {.dims = "M=0 N=2 K=3", .note = "no rows: LAB_ESHAPE"},
    {.dims = "M=2 N=0 K=3", .note = "no columns: LAB_ESHAPE"},
    {.dims = "M=2 N=3 K=0", .note = "nothing to sum: LAB_ESHAPE"},
    {0},
};

// Whole numbers times 2^-20: sums near 1e-12, and as exact as those of whole numbers. Where
// results are rounded to six places, nothing is left.
static void tiny_factors(struct test_case *test, struct lab_rng *rng)
{
    whole_factors(test, rng);
    scale(case_f32(test, "a"), case_count(test, "a"), TINY);
    scale(case_f32(test, "b"), case_count(test, "b"), TINY);
}

static const struct special_case product_special[] = {
    {.dims = "M=3 N=2 K=5", .note = TINY_NOTE, .fill = tiny_factors, .unit = TINY * TINY},
    {0},
};

static lab_status matmul_rounded(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K)
{
    return round_to_places(out, product(out, by_rows(a, K), by_rows(b, N), M, N, K, 1.0),
                           M * N);
}

static lab_status matmul_b_transposed(float *out, const float *a, const float *b,
                                      size_t M, size_t N, size_t K)
{
    return product(out, by_rows(a, K), by_columns(b, K), M, N, K, 1.0);
}

static lab_status matmul_a_transposed(float *out, const float *a, const float *b,
                                      size_t M, size_t N, size_t K)
{
    return product(out, by_columns(a, M), by_rows(b, N), M, N, K, 1.0);
}

static lab_status matmul_out_transposed(float *out, const float *a, const float *b,
                                        size_t M, size_t N, size_t K)
{
    return product(out, by_columns(b, N), by_columns(a, K), N, M, K,
                   1.0); // (ab)^T = b^T a^T
}

static lab_status matmul_unset(float *out, const float *a, const float *b, size_t M,
                               size_t N, size_t K)
{
    (void)a, (void)b;
    return unset(out, M, N, K);
}

static lab_status matmul_running(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K)
{
    return running_product(out, by_rows(a, K), by_rows(b, N), M, N, K);
}

static const struct mistake matmul_mistakes[] = {
    {
        .id = "b-transposed",
        .what = "b is read as if it were stored (N,K)",
        .why = "b[n * K + k] walks along a row of b. In a plain product b is (K,N), so "
               "element (k, n) is b[k * N + n]: the row length is the second size.",
        .function = LIKE(matmul, matmul_b_transposed),
    },
    {
        .id = "a-transposed",
        .what = "a is read as if it were stored (K,M)",
        .why = "a is (M,K), so its rows are K long and element (m, k) is a[m * K + k].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_a_transposed),
    },
    {
        .id = "out-transposed",
        .what = "the result is written transposed, as (N,M)",
        .why = "out is (M,N), so its rows are N long and element (m, n) is out[m * N + "
               "n].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_out_transposed),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(matmul, matmul_unset),
    },
    {
        .id = "running-sum",
        .what = RUNNING_WHAT,
        .why = RUNNING_WHY,
        .function = LIKE(matmul, matmul_running),
    },
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(matmul, matmul_rounded),
    },
    {0},
};

static lab_status matmul_in_float(float *out, const float *a, const float *b, size_t M,
                                  size_t N, size_t K)
{
    return float_product(out, by_rows(a, K), by_rows(b, N), M, N, K);
}

// The loops in the order k, m, n: one column of a times one row of b at a time.
static lab_status matmul_by_outer_products(float *out, const float *a, const float *b,
                                           size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M * N; i++) {
        out[i] = 0.0f;
    }
    for (size_t k = 0; k < K; k++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                out[m * N + n] += a[m * K + k] * b[k * N + n];
            }
        }
    }
    return LAB_OK;
}

static const struct mistake matmul_alternatives[] = {
    {.id = "float-sums", .function = LIKE(matmul, matmul_in_float)},
    {.id = "outer-products", .function = LIKE(matmul, matmul_by_outer_products)},
    {0},
};

static lab_status matmul_nt_b_plain(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K)
{
    return product(out, by_rows(a, K), by_rows(b, N), M, N, K, 1.0);
}

static lab_status matmul_nt_a_transposed(float *out, const float *a, const float *b,
                                         size_t M, size_t N, size_t K)
{
    return product(out, by_columns(a, M), by_columns(b, K), M, N, K, 1.0);
}

static lab_status matmul_nt_out_transposed(float *out, const float *a, const float *b,
                                           size_t M, size_t N, size_t K)
{
    return product(out, by_rows(b, K), by_columns(a, K), N, M, K,
                   1.0); // (ab^T)^T = b a^T
}

static lab_status matmul_nt_running(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K)
{
    return running_product(out, by_rows(a, K), by_columns(b, K), M, N, K);
}

static lab_status matmul_nt_rounded(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K)
{
    return round_to_places(
        out, product(out, by_rows(a, K), by_columns(b, K), M, N, K, 1.0), M * N);
}

static const struct mistake matmul_nt_mistakes[] = {
    {
        .id = "b-not-transposed",
        .what = "b is read as if it were stored (K,N): that is the plain product",
        .why = "Here b is (N,K), with rows of K numbers; element (n, k) is b[n * K + "
               "k]. Both factors are read along their rows.",
        .function = LIKE(matmul_nt, matmul_nt_b_plain),
    },
    {
        .id = "a-transposed",
        .what = "a is read as if it were stored (K,M)",
        .why = "Only b is transposed. a is (M,K), so element (m, k) is a[m * K + k].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_a_transposed),
    },
    {
        .id = "out-transposed",
        .what = "the result is written transposed, as (N,M)",
        .why = "out is (M,N), so its rows are N long and element (m, n) is out[m * N + "
               "n].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_out_transposed),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(matmul_nt, matmul_unset),
    },
    {
        .id = "running-sum",
        .what = RUNNING_WHAT,
        .why = RUNNING_WHY,
        .function = LIKE(matmul_nt, matmul_nt_running),
    },
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(matmul_nt, matmul_nt_rounded),
    },
    {0},
};

static lab_status matmul_nt_in_float(float *out, const float *a, const float *b, size_t M,
                                     size_t N, size_t K)
{
    return float_product(out, by_rows(a, K), by_columns(b, K), M, N, K);
}

static const struct mistake matmul_nt_alternatives[] = {
    {.id = "float-sums", .function = LIKE(matmul_nt, matmul_nt_in_float)},
    {0},
};

static const struct part matmul_parts[] = {
    {
        .function = "matmul",
        .dims = "M N K",
        .tensors = {{"out", "M N", OUTPUT, F32, 5e-5f, 1e-5f},
                    {.name = "a", .shape = "M K"},
                    {.name = "b", .shape = "K N"}},
        .cases = product_cases,
        .special = product_special,
        .mistakes = matmul_mistakes,
        .alternatives = matmul_alternatives,
    },
    {
        .function = "matmul_nt",
        .dims = "M N K",
        .tensors = {{"out", "M N", OUTPUT, F32, 5e-5f, 1e-5f},
                    {.name = "a", .shape = "M K"},
                    {.name = "b", .shape = "N K"}},
        .cases = product_cases,
        .special = product_special,
        .mistakes = matmul_nt_mistakes,
        .alternatives = matmul_nt_alternatives,
    },
    {0},
};

// ---- 1.2 linear ---------------------------------------------------------------------------

static void whole_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(case_f32(test, "x"), case_count(test, "x"));
    make_whole(case_f32(test, "w"), case_count(test, "w"));
    make_whole(case_f32(test, "bias"), case_count(test, "bias"));
}

static void no_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
}

static void small_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(case_f32(test, "x"), case_count(test, "x"));
    make_small(case_f32(test, "w"), case_count(test, "w"));
    make_small(case_f32(test, "bias"), case_count(test, "bias"));
}

static void small_layer_no_bias(struct test_case *test, struct lab_rng *rng)
{
    small_layer(test, rng);
    no_bias(test, rng);
}

static void hundreds_of_inputs(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale(case_f32(test, "x"), case_count(test, "x"), 100.0f);
    scale(case_f32(test, "w"), case_count(test, "w"), 100.0f);
    scale(case_f32(test, "bias"), case_count(test, "bias"), 1000.0f);
}

// T <= O wherever there is a bias, but for the special cases: a student who writes bias[t] then
// stays inside bias. With T > O the call ends there, in a crash.
static const struct case_spec linear_cases[] = {
    {"T=1 I=1 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=2 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=1 O=2", 1, "whole numbers, to check by hand", whole_layer},
    {"T=2 I=2 O=3", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=2 O=2", 1, "no bias", no_bias},
    {"T=2 I=3 O=4", 1, "no bias", no_bias},
    {.dims = "T=2 I=3 O=4"},
    {.dims = "T=2..4 I=8..11 O=5..7", .draws = 3},
    {.dims = "T=5..6 I=2..4 O=7..9", .draws = 3},
    {"T=5 I=2..4 O=7..9", 2, "no bias", no_bias},
    {.dims = "T=3 I=64 O=5", .note = "long sums"},
    {"T=7 I=5 O=3", 1, "no bias", no_bias},
    {"T=5 I=7 O=2", 1, "no bias", no_bias},
    {"T=3 I=5 O=4", 1, "whole hundreds", hundreds_of_inputs},
    {"T=67 I=131 O=71", 1, "all sizes past 64", small_layer},
    {"T=257 I=2 O=263", 1, "more than 256 rows and outputs", small_layer},
    {"T=3 I=5 O=521", 1, "more than 512 outputs", small_layer},
    {"T=5 I=521 O=131", 1, "sums of more than 512 terms", small_layer},
    {"T=521 I=3 O=131", 1, "no bias, more than 512 rows", small_layer_no_bias},
    {.dims = "T=0 I=3 O=2", .note = "no rows: LAB_ESHAPE"},
    {.dims = "T=2 I=0 O=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 I=3 O=0", .note = "no output: LAB_ESHAPE"},
    {0},
};

static void tiny_layer(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale(case_f32(test, "x"), case_count(test, "x"), TINY);
    scale(case_f32(test, "w"), case_count(test, "w"), TINY);
    scale(case_f32(test, "bias"), case_count(test, "bias"), TINY * TINY);
}

static const struct special_case linear_special[] = {
    {.dims = "T=3 I=5 O=4", .note = TINY_NOTE, .fill = tiny_layer, .unit = TINY * TINY},
    {.dims = "T=7 I=4 O=3", .note = "more rows than outputs", .apart = true},
    {.dims = "T=521 I=3 O=131",
     .note = "more than 512 rows",
     .fill = small_layer,
     .apart = true,
     .cpu_only = true},
    {0},
};

// y(T,O) += factor * bias, where y[t,o] gets bias[t * by_row + o * by_column].
static void add_bias(float *y, const float *bias, size_t rows, size_t O, size_t by_row,
                     size_t by_column, float factor)
{
    for (size_t t = 0; bias != NULL && t < rows; t++) {
        for (size_t o = 0; o < O; o++) {
            y[t * O + o] += factor * bias[t * by_row + o * by_column];
        }
    }
}

static lab_status linear_weight_transposed(float *y, const float *x, const float *w,
                                           const float *bias, size_t T, size_t I,
                                           size_t O)
{
    lab_status status = product(y, by_rows(x, I), by_rows(w, O), T, O, I, 1.0);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_no_bias(float *y, const float *x, const float *w,
                                 const float *bias, size_t T, size_t I, size_t O)
{
    (void)bias;
    return product(y, by_rows(x, I), by_columns(w, I), T, O, I, 1.0);
}

static lab_status linear_bias_by_row(float *y, const float *x, const float *w,
                                     const float *bias, size_t T, size_t I, size_t O)
{
    if (bias != NULL && T > O) {
        return LEAVES_ARGUMENTS;
    }
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 1, 0, 1.0f);
    }
    return status;
}

static lab_status linear_bias_first_row(float *y, const float *x, const float *w,
                                        const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, 1, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_bias_square(float *y, const float *x, const float *w,
                                     const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T < O ? T : O, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_rounded(float *y, const float *x, const float *w,
                                 const float *bias, size_t T, size_t I, size_t O)
{
    return round_to_places(y, linear(y, x, w, bias, T, I, O), T * O);
}

static lab_status linear_bias_every_term(float *y, const float *x, const float *w,
                                         const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, (float)I);
    }
    return status;
}

static lab_status linear_unset(float *y, const float *x, const float *w,
                               const float *bias, size_t T, size_t I, size_t O)
{
    (void)x, (void)w, (void)bias;
    return unset(y, T, O, I);
}

static const struct mistake linear_mistakes[] = {
    {
        .id = "weight-transposed",
        .what = "the weight is read as if it were stored (I,O)",
        .why = "PyTorch stores a linear weight as (out, in), one row for each output: "
               "element (o, i) is w[o * I + i]. With a square weight the two only "
               "differ in the numbers.",
        .source = "nntile/nntile#370",
        .function = LIKE(linear, linear_weight_transposed),
    },
    {
        .id = "no-bias",
        .what = "the bias is never added",
        .why = "y = x w^T + bias: when bias is not NULL, bias[o] belongs to every "
               "y[t,o].",
        .function = LIKE(linear, linear_no_bias),
    },
    {
        .id = "bias-by-row",
        .what = "the bias is taken by row: bias[t] instead of bias[o]",
        .why = "There is one bias for each output o, and every row t gets the same ones.",
        .function = LIKE(linear, linear_bias_by_row),
    },
    {
        .id = "bias-first-row",
        .what = "the bias reaches the first row only, not every row",
        .why = "Every row t gets bias[o]. Add it inside the loop over t.",
        .function = LIKE(linear, linear_bias_first_row),
    },
    {
        .id = "bias-square",
        .what = "the bias reaches the first O rows only, not all T",
        .why = "The loop over the rows ends at O. Every one of the T rows gets bias[o].",
        .function = LIKE(linear, linear_bias_square),
    },
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(linear, linear_rounded),
    },
    {
        .id = "bias-every-term",
        .what = "the bias is added I times instead of once, with every term of the sum",
        .why = "bias[o] is added once to each output. Move it out of the innermost loop.",
        .function = LIKE(linear, linear_bias_every_term),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(linear, linear_unset),
    },
    {0},
};

static lab_status linear_in_float(float *y, const float *x, const float *w,
                                  const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = float_product(y, by_rows(x, I), by_columns(w, I), T, O, I);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, 1.0f);
    }
    return status;
}

static const struct mistake linear_alternatives[] = {
    {.id = "float-sums-then-bias", .function = LIKE(linear, linear_in_float)},
    {0},
};

static const struct part linear_parts[] = {
    {
        .function = "linear",
        .dims = "T I O",
        .tensors = {{"y", "T O", OUTPUT, F32, 5e-5f, 1e-5f},
                    {.name = "x", .shape = "T I"},
                    {.name = "w", .shape = "O I"},
                    {.name = "bias", .shape = "O"}},
        .cases = linear_cases,
        .special = linear_special,
        .mistakes = linear_mistakes,
        .alternatives = linear_alternatives,
    },
    {0},
};

// ---- 1.3 attention_scores -----------------------------------------------------------------

static void whole_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(case_f32(test, "q"), case_count(test, "q"));
    make_whole(case_f32(test, "k"), case_count(test, "k"));
}

static void large_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(case_f32(test, "q"), case_count(test, "q"), 5.0f);
    scale(case_f32(test, "k"), case_count(test, "k"), 5.0f);
}

// Whole hundreds: with d = 4 every score is exact, in whatever order it is summed.
static void hundreds(struct test_case *test, struct lab_rng *rng)
{
    whole_queries_and_keys(test, rng);
    scale(case_f32(test, "q"), case_count(test, "q"), 100.0f);
    scale(case_f32(test, "k"), case_count(test, "k"), 100.0f);
}

static void small_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(case_f32(test, "q"), case_count(test, "q"));
    make_small(case_f32(test, "k"), case_count(test, "k"));
}

// d = 1 does not come first: a factor that is computed in the first call and kept would be 1
// for all that follow, and look as if the division were missing.
static const struct case_spec scores_cases[] = {
    {"T=1 S=1 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=1 S=2 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=1 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=3 d=4", 1, "whole numbers, to check by hand", whole_queries_and_keys},
    {"T=2 S=3 d=1", 1, "queries and keys of width 1", whole_queries_and_keys},
    {.dims = "T=3 S=2 d=5"},
    {.dims = "T=2..4 S=5..7 d=8..11", .draws = 3},
    {.dims = "T=6..8 S=2..4 d=9..13", .draws = 3},
    {.dims = "T=1 S=7 d=3", .note = "one query"},
    {.dims = "T=7 S=1 d=3", .note = "one key"},
    {.dims = "T=5 S=3 d=64", .note = "the width of a head in GPT-2"},
    {"T=3 S=5 d=8", 1, "queries and keys five times as large", large_queries_and_keys},
    {"T=3 S=4 d=4", 1, "k is square", whole_queries_and_keys},
    {"T=3 S=5 d=4", 1, "whole hundreds: scores of some ten thousands", hundreds},
    {"T=67 S=71 d=131", 1, "all sizes past 64", small_queries_and_keys},
    {"T=521 S=131 d=3", 1, "more than 512 queries", small_queries_and_keys},
    {"T=131 S=521 d=3", 1, "more than 512 keys", small_queries_and_keys},
    {"T=131 S=3 d=521", 1, "sums of more than 512 terms", small_queries_and_keys},
    {.dims = "T=0 S=3 d=2", .note = "no queries: LAB_ESHAPE"},
    {.dims = "T=2 S=0 d=3", .note = "no keys: LAB_ESHAPE"},
    {.dims = "T=2 S=3 d=0", .note = "queries of width 0: LAB_ESHAPE"},
    {0},
};

static void double_the_queries(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    scale(case_f32(second, "q"), case_count(second, "q"), 2.0f);
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
            snprintf(why, why_size, "scores[%zu][%zu] went from %g to %g", i / S, i % S,
                     (double)once[i], (double)twice[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property scores_properties[] = {
    {
        .id = "linear-in-q",
        .claim = "twice the queries give exactly twice the scores",
        .dims = "T=3 S=5 d=7",
        .change = double_the_queries,
        HOLDS(scores_are_doubled),
    },
    {0},
};

// q(T,d) k(S,d)^T times any factor.
static lab_status scaled(float *scores, const float *q, const float *k, size_t T,
                         size_t S, size_t d, double factor)
{
    return product(scores, by_rows(q, d), by_columns(k, d), T, S, d, factor);
}

static lab_status scores_no_scale(float *scores, const float *q, const float *k, size_t T,
                                  size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, 1.0);
}

static lab_status scores_over_d(float *scores, const float *q, const float *k, size_t T,
                                size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, 1.0 / (double)d);
}

static lab_status scores_times_root_d(float *scores, const float *q, const float *k,
                                      size_t T, size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, sqrt((double)d));
}

static lab_status scores_over_root_T(float *scores, const float *q, const float *k,
                                     size_t T, size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, 1.0 / sqrt((double)T));
}

static lab_status scores_over_root_S(float *scores, const float *q, const float *k,
                                     size_t T, size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, 1.0 / sqrt((double)S));
}

static lab_status scores_whole_division(float *scores, const float *q, const float *k,
                                        size_t T, size_t S, size_t d)
{
    return scaled(scores, q, k, T, S, d, d == 1 ? 1.0 : 0.0);
}

static lab_status scores_k_not_transposed(float *scores, const float *q, const float *k,
                                          size_t T, size_t S, size_t d)
{
    return product(scores, by_rows(q, d), by_rows(k, S), T, S, d, 1.0 / sqrt((double)d));
}

static lab_status scores_transposed(float *scores, const float *q, const float *k,
                                    size_t T, size_t S, size_t d)
{
    return scaled(scores, k, q, S, T, d, 1.0 / sqrt((double)d));
}

static void tiny_queries_and_keys(struct test_case *test, struct lab_rng *rng)
{
    whole_queries_and_keys(test, rng);
    scale(case_f32(test, "q"), case_count(test, "q"), TINY);
    scale(case_f32(test, "k"), case_count(test, "k"), TINY);
}

// Width 1 and whole numbers: whoever divides by sqrt(1), or multiplies by its inverse, before or
// after the sum, gets the very same floats.
static const struct special_case scores_special[] = {
    {.dims = "T=2 S=3 d=1",
     .note = "whole numbers, width 1: exact",
     .fill = whole_queries_and_keys,
     .exact = true},
    {.dims = "T=3 S=4 d=4",
     .note = TINY_NOTE,
     .fill = tiny_queries_and_keys,
     .unit = TINY * TINY},
    {0},
};

static lab_status scores_eps_under_root(float *scores, const float *q, const float *k,
                                        size_t T, size_t S, size_t d)
{
    return product(scores, by_rows(q, d), by_columns(k, d), T, S, d,
                   1.0 / sqrt((double)d + 1e-5));
}

static lab_status scores_rounded(float *scores, const float *q, const float *k, size_t T,
                                 size_t S, size_t d)
{
    return round_to_places(scores, attention_scores(scores, q, k, T, S, d), T * S);
}

static lab_status scores_unset(float *scores, const float *q, const float *k, size_t T,
                               size_t S, size_t d)
{
    (void)q, (void)k;
    return unset(scores, T, S, d);
}

// Tiles of 16 along d, and no last one that is not full.
static lab_status scores_last_step_missing(float *scores, const float *q, const float *k,
                                           size_t T, size_t S, size_t d)
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

static const struct mistake scores_mistakes[] = {
    {
        .id = "eps-under-root",
        .what = "the scores are divided by sqrt(d + 1e-5), not by sqrt(d)",
        .why = "d is at least 1, so nothing has to be kept from being 0. With d = 1 and "
               "whole numbers every score is exact.",
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
        .why = "A dot product of d unit-normal pairs has variance d. Dividing by "
               "sqrt(d) brings it back to 1; without that the softmax is far too peaked "
               "for wide queries.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(attention_scores, scores_no_scale),
    },
    {
        .id = "divided-by-d",
        .what = "the scores are divided by d, not by sqrt(d)",
        .why = "Variance d means a typical size of sqrt(d), so sqrt(d) is what to "
               "divide by. After dividing by d the scores of wide queries all but "
               "vanish.",
        .function = LIKE(attention_scores, scores_over_d),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(d) where they should be divided",
        .why = "d to the power -1/2 is already one over the root: multiply by it, or "
               "divide by sqrt(d), but not both.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_scores, scores_times_root_d),
    },
    {
        .id = "root-of-T",
        .what = "the scores are divided by sqrt(T), not by sqrt(d)",
        .why = "What is summed over is the width d of a query, so the root of d keeps "
               "the variance at 1. The number of queries has no part in it.",
        .function = LIKE(attention_scores, scores_over_root_T),
    },
    {
        .id = "root-of-S",
        .what = "the scores are divided by sqrt(S), not by sqrt(d)",
        .why = "What is summed over is the width d of a key, so the root of d keeps the "
               "variance at 1. The number of keys has no part in it.",
        .function = LIKE(attention_scores, scores_over_root_S),
    },
    {
        .id = "whole-number-division",
        .what = "all scores are 0: 1 / d was computed in whole numbers",
        .why = "d is a size_t, and in C 1 / d is 0 for every d above 1. Write 1.0f / "
               "sqrtf(d).",
        .function = LIKE(attention_scores, scores_whole_division),
    },
    {
        .id = "k-not-transposed",
        .what = "k is read as if it were stored (d,S)",
        .why = "k is (S,d), one key for each row: element (s, i) is k[s * d + i]. The "
               "transpose in q k^T only says that rows meet rows; nothing in memory "
               "moves.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(attention_scores, scores_k_not_transposed),
    },
    {
        .id = "transposed",
        .what = "the scores are written transposed, as (S,T): keys down, queries across",
        .why = "A row belongs to a query: element (t, s) is scores[t * S + s]. k q^T is "
               "the transpose of q k^T.",
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
        .what = "only whole tiles of 16 along d are summed, the rest is left out",
        .why =
            "d is seldom a multiple of the tile. Take one more step, with zeros in the "
            "tiles where q and k have ended: for (i0 = 0; i0 < d; i0 += TILE).",
        .source = "xlite-dev/LeetCUDA#419",
        .function = LIKE(attention_scores, scores_last_step_missing),
    },
    {0},
};

static lab_status scores_scaled_in_float(float *scores, const float *q, const float *k,
                                         size_t T, size_t S, size_t d)
{
    lab_status status = float_product(scores, by_rows(q, d), by_columns(k, d), T, S, d);
    if (status == LAB_OK) {
        scale(scores, T * S, powf((float)d, -0.5f));
    }
    return status;
}

static lab_status scores_query_scaled_first(float *scores, const float *q, const float *k,
                                            size_t T, size_t S, size_t d)
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
        .special = scores_special,
        .properties = scores_properties,
        .mistakes = scores_mistakes,
        .alternatives = scores_alternatives,
    },
    {0},
};

// ---- 1.4 softmax_rows ---------------------------------------------------------------------

static void move_scores(struct test_case *test, float even_rows, float odd_rows)
{
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += i / S % 2 == 0 ? even_rows : odd_rows;
    }
}

static void wide_spread(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(case_f32(test, "scores"), case_count(test, "scores"), 5.0f);
}

static void ten_thousands(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(case_f32(test, "scores"), case_count(test, "scores"), 1e4f);
}

static void far_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, 1e4f, 1e4f);
}

static void far_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -1e4f, -1e4f);
}

static void farther_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -3e4f, -3e4f);
}

// Whole numbers: at 1e7 floats are exactly those.
static void whole_steps_from(struct test_case *test, float base)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = base + rintf(2.0f * scores[i]);
    }
}

static void millions_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, -1e7f);
}

static void millions_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, 1e7f);
}

// One score of each row is 2000 above the rest: the first, the last or the middle one. A
// maximum that misses it makes exp overflow, in double as well.
static void one_far_above(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    const size_t place[] = {0, S - 1, S / 2};
    for (size_t t = 0; t < T; t++) {
        case_f32(test, "scores")[t * S + place[t % 3]] += 2000.0f;
    }
}

// One score above many, by 11 in row 0 and by 1.5 more in each later row: the many are next to
// nothing one by one, and take a visible share together.
static void many_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t i = 0; i < T * S; i++) {
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)(i / S);
    }
    for (size_t t = 0; t < T; t++) {
        scores[t * S + 37 * t % S] = 0.0f;
    }
}

static void down_and_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -1e4f, 1e4f);
}

// Every third key is hidden, one place further on in each row: no row or column is empty.
static void some_keys_hidden(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if ((i / S + i % S) % 3 == 0) {
            scores[i] = -INFINITY;
        }
    }
}

// Row 1, 4, 7 ... have no key at all.
static void some_rows_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i / S % 3 == 1) {
            scores[i] = -INFINITY;
        }
    }
}

// Whole numbers from -12 to 0: the smallest share is e^-12 = 6e-6, and right to its own five
// digits.
static void small_shares(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = -(float)(i * 5 % 13);
    }
}

static const struct special_case softmax_special[] = {
    {.dims = "T=3 S=13", .note = "small shares", .fill = small_shares, .unit = 1e-6f},
    {0},
};

static const struct case_spec softmax_cases[] = {
    {.dims = "T=1 S=1", .note = "one key gets everything"},
    {.dims = "T=1 S=2"},
    {.dims = "T=2 S=3"},
    {.dims = "T=7 S=2"},
    {.dims = "T=4..6 S=1", .note = "one key gets everything"},
    {.dims = "T=2..4 S=5..9", .draws = 3},
    {.dims = "T=3 S=65", .note = "long rows"},
    {"T=4 S=6", 1, "scores five times as far apart", wide_spread},
    {"T=3 S=4", 1, "scores of some ten thousands", ten_thousands},
    {"T=1 S=2", 1, "scores near 1e4", far_up},
    {"T=3 S=4", 1, "scores near 1e4", far_up},
    {"T=1 S=2", 1, "scores near -1e4", far_down},
    {"T=3 S=4", 1, "scores near -1e4", far_down},
    {"T=3 S=4", 1, "scores near -3e4", farther_down},
    {"T=4 S=3", 1, "rows near -1e4 and rows near 1e4", down_and_up},
    {"T=6 S=5", 1, "one score of each row far above the rest", one_far_above},
    {"T=3 S=2", 1, "one score of each row far above the rest", one_far_above},
    {"T=3 S=521", 1, "one score of each row far above the rest", one_far_above},
    {"T=4 S=129", 1, "many small terms", many_small_terms},
    {"T=3 S=5", 1, "whole numbers near -1e7", millions_down},
    {"T=3 S=5", 1, "whole numbers near 1e7", millions_up},
    {.dims = "T=67 S=71", .note = "all sizes past 64"},
    {.dims = "T=521 S=131", .note = "more than 512 rows"},
    {.dims = "T=131 S=521", .note = "more than 512 keys"},
    {"T=3 S=4", 1, "some scores are -inf", some_keys_hidden},
    {"T=2..6 S=7", 2, "some scores are -inf", some_keys_hidden},
    {"T=2 S=1", 1, "a row of -inf throughout becomes zeros", some_rows_empty},
    {"T=5..6 S=3", 2, "a row of -inf throughout becomes zeros", some_rows_empty},
    {.dims = "T=0 S=3", .note = "no rows: LAB_ESHAPE"},
    {.dims = "T=3 S=0", .note = "no keys: LAB_ESHAPE"},
    {0},
};

static void change_last_row(struct test_case *second, struct lab_rng *rng)
{
    size_t S = case_dim(second, "S");
    lab_rng_randn(rng, case_f32(second, "scores") + case_count(second, "scores") - S, S);
}

// BEGIN HANDED OUT
static bool other_rows_stay(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights") - S; i++) {
        if (before[i] != after[i]) {
            snprintf(why, why_size, "weights[%zu][%zu] went from %g to %g", i / S, i % S,
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static void lift_every_row(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    move_scores(second, 3.0f, -5.0f);
}

// BEGIN HANDED OUT
static bool weights_stay(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights"); i++) {
        if (!(fabsf(before[i] - after[i]) <=
              1e-5f)) { // the scores themselves are rounded
            snprintf(why, why_size, "weights[%zu][%zu] went from %g to %g", i / S, i % S,
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool hidden_weigh_nothing(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    (void)first;
    const float *scores = case_input(second, "scores");
    const float *weights = case_got(second, "weights");
    size_t S = case_dim(second, "S");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (scores[i] == -INFINITY && weights[i] != 0.0f) {
            snprintf(why, why_size, "scores[%zu][%zu] is -inf, and its weight is %.9g",
                     i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static bool single_keys_take_all(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    (void)first;
    const float *weights = case_got(second, "weights");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (!(fabsf(weights[i] - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][0] is %.9g: is something added to the sum, such as "
                     "1e-6?",
                     i, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property softmax_properties[] = {
    {
        .id = "single-key",
        .claim = "the only key of a row gets weight 1, whatever its score",
        .dims = "T=5 S=1",
        .change = lift_every_row,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "hidden-keys",
        .claim = "a score of -inf gets weight exactly 0",
        .dims = "T=4 S=5",
        .change = lift_every_row,
        HOLDS(hidden_weigh_nothing),
        .fill = some_keys_hidden,
    },
    {
        .id = "rows-alone",
        .claim = "other scores in the last row leave the weights of all other rows as "
                 "they were",
        .dims = "T=4 S=5",
        .change = change_last_row,
        HOLDS(other_rows_stay),
    },
    {
        .id = "shift",
        .claim = "the same number added to all scores of a row leaves its weights as "
                 "they were",
        .dims = "T=4 S=5",
        .change = lift_every_row,
        HOLDS(weights_stay),
    },
    {0},
};

// What can go wrong in a softmax over rows. With a start of -INFINITY and zeros_if_empty the
// rest being 0 is the right one.
struct softmax_faults {
    enum { OF_THE_ROW, OF_ROWS_SO_FAR, OF_ALL_ROWS, NO_MAXIMUM } maximum;
    float start;            // of the search for the maximum
    bool sum_goes_on;       // from row to row
    bool zeros_if_empty;    // tests the maximum
    bool zeros_if_sum_is_0; // tests the sum
};

static float maximum(const float *x, size_t count, float start)
{
    for (size_t i = 0; i < count; i++) {
        start = x[i] > start ? x[i] : start;
    }
    return start;
}

static void zero_row(float *weights_t, size_t S)
{
    for (size_t s = 0; s < S; s++) {
        weights_t[s] = 0.0f;
    }
}

static lab_status faulty_softmax(float *weights, const float *scores, size_t T, size_t S,
                                 struct softmax_faults fault)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    float max =
        fault.maximum == OF_ALL_ROWS ? maximum(scores, T * S, fault.start) : fault.start;
    double sum = 0.0;
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float *weights_t = weights + t * S;
        if (fault.maximum == OF_THE_ROW) {
            max = maximum(scores_t, S, fault.start);
        } else if (fault.maximum == OF_ROWS_SO_FAR) {
            max = maximum(scores_t, S, max);
        }
        if (fault.zeros_if_empty && max == -INFINITY) {
            zero_row(weights_t, S);
            continue;
        }
        sum = fault.sum_goes_on ? sum : 0.0;
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = expf(scores_t[s] - max);
            sum += weights_t[s];
        }
        for (size_t s = 0; s < S; s++) {
            bool empty = fault.zeros_if_sum_is_0 && sum == 0.0;
            weights_t[s] = empty ? 0.0f : (float)(weights_t[s] / sum);
        }
    }
    return LAB_OK;
}

static lab_status softmax_no_max(float *weights, const float *scores, size_t T, size_t S)
{
    return faulty_softmax(weights, scores, T, S,
                          (struct softmax_faults){.maximum = NO_MAXIMUM});
}

static lab_status softmax_no_max_guarded(float *weights, const float *scores, size_t T,
                                         size_t S)
{
    struct softmax_faults fault = {.maximum = NO_MAXIMUM, .zeros_if_sum_is_0 = true};
    return faulty_softmax(weights, scores, T, S, fault);
}

// The maximum is looked for, tested for -infinity, and not subtracted.
static lab_status softmax_max_not_subtracted(float *weights, const float *scores,
                                             size_t T, size_t S)
{
    lab_status status = T == 0 || S == 0 ? LAB_ESHAPE : LAB_OK;
    for (size_t t = 0; t < T && status == LAB_OK; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        if (max == -INFINITY) {
            memset(weights + t * S, 0, S * sizeof *weights);
        } else {
            status = softmax_no_max(weights + t * S, scores + t * S, 1, S);
        }
    }
    return status;
}

static lab_status softmax_max_from_zero(float *weights, const float *scores, size_t T,
                                        size_t S)
{
    return faulty_softmax(weights, scores, T, S, (struct softmax_faults){.start = 0.0f});
}

static lab_status softmax_max_from_zero_guarded(float *weights, const float *scores,
                                                size_t T, size_t S)
{
    return faulty_softmax(weights, scores, T, S,
                          (struct softmax_faults){.zeros_if_sum_is_0 = true});
}

static lab_status softmax_max_from_minus_10000(float *weights, const float *scores,
                                               size_t T, size_t S)
{
    return faulty_softmax(weights, scores, T, S, (struct softmax_faults){.start = -1e4f});
}

static lab_status softmax_max_of_all(float *weights, const float *scores, size_t T,
                                     size_t S)
{
    struct softmax_faults fault = {.maximum = OF_ALL_ROWS, .start = -INFINITY};
    return faulty_softmax(weights, scores, T, S, fault);
}

static lab_status softmax_max_of_all_guarded(float *weights, const float *scores,
                                             size_t T, size_t S)
{
    struct softmax_faults fault = {OF_ALL_ROWS, -INFINITY, .zeros_if_sum_is_0 = true};
    return faulty_softmax(weights, scores, T, S, fault);
}

static lab_status softmax_max_so_far(float *weights, const float *scores, size_t T,
                                     size_t S)
{
    struct softmax_faults fault = {.maximum = OF_ROWS_SO_FAR, .start = -INFINITY};
    return faulty_softmax(weights, scores, T, S, fault);
}

static lab_status softmax_sum_goes_on(float *weights, const float *scores, size_t T,
                                      size_t S)
{
    struct softmax_faults fault = {
        .start = -INFINITY, .sum_goes_on = true, .zeros_if_empty = true};
    return faulty_softmax(weights, scores, T, S, fault);
}

static lab_status softmax_empty_is_nan(float *weights, const float *scores, size_t T,
                                       size_t S)
{
    return faulty_softmax(weights, scores, T, S,
                          (struct softmax_faults){.start = -INFINITY});
}

static bool is_empty(const float *scores_t, size_t S)
{
    return maximum(scores_t, S, -INFINITY) == -INFINITY;
}

static lab_status softmax_empty_is_uniform(float *weights, const float *scores, size_t T,
                                           size_t S)
{
    lab_status status = softmax_rows(weights, scores, T, S);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        if (is_empty(scores + i / S * S, S)) {
            weights[i] = 1.0f / (float)S;
        }
    }
    return status;
}

static lab_status softmax_not_normalised(float *weights, const float *scores, size_t T,
                                         size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T * S; i++) {
        const float *scores_t = scores + i / S * S;
        float max = maximum(scores_t, S, -INFINITY);
        weights[i] = is_empty(scores_t, S) ? 0.0f : expf(scores[i] - max);
    }
    return LAB_OK;
}

static lab_status softmax_logarithm(float *weights, const float *scores, size_t T,
                                    size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float max = maximum(scores_t, S, -INFINITY);
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            sum += exp((double)scores_t[s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            double log_weight = (double)scores_t[s] - max - log(sum);
            weights[t * S + s] = is_empty(scores_t, S) ? 0.0f : (float)log_weight;
        }
    }
    return LAB_OK;
}

static lab_status softmax_columns(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        float max = -INFINITY;
        for (size_t t = 0; t < T; t++) {
            max = scores[t * S + s] > max ? scores[t * S + s] : max;
        }
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            sum += exp((double)scores[t * S + s] - max);
        }
        for (size_t t = 0; t < T; t++) {
            weights[t * S + s] = (float)(exp((double)scores[t * S + s] - max) / sum);
        }
    }
    return LAB_OK;
}

#define NO_MAX_WHY                                                                       \
    "expf is infinite above 88.72 and 0 below -103.97, and inf/inf and 0/0 are NaN. "    \
    "Subtract "                                                                          \
    "the row's maximum from its scores first; it cancels in the fraction."
// What a block of 128 threads computes whose threads never bring their parts together: thread
// s % 128 takes key s, and `width` threads in a row share a maximum, and a sum when own_sum. A
// part of -inf throughout counts as one from 0 when guarded, and is NaN otherwise.
enum { BLOCK = 128, ONE_THREAD = 1, ONE_WARP = 32 };

static lab_status softmax_in_parts(float *weights, const float *scores, size_t T,
                                   size_t S, size_t width, bool own_sum, bool guarded)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max[BLOCK];
        double sum[BLOCK] = {0.0};
        for (size_t i = 0; i < BLOCK; i++) {
            max[i] = -INFINITY;
        }
        for (size_t s = 0; s < S; s++) {
            float *mine = &max[s % BLOCK / width];
            *mine = fmaxf(*mine, scores[t * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            const size_t part = s % BLOCK / width;
            const float shift = guarded && max[part] == -INFINITY ? 0.0f : max[part];
            weights[t * S + s] = expf(scores[t * S + s] - shift);
            sum[own_sum ? part : 0] += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            const double total = sum[own_sum ? s % BLOCK / width : 0];
            const bool empty = guarded && total == 0.0;
            weights[t * S + s] = empty ? 0.0f : (float)(weights[t * S + s] / total);
        }
    }
    return LAB_OK;
}

static lab_status softmax_thread_maximum(float *weights, const float *scores, size_t T,
                                         size_t S)
{
    return softmax_in_parts(weights, scores, T, S, ONE_THREAD, false, true);
}

static lab_status softmax_thread_maximum_no_guard(float *weights, const float *scores,
                                                  size_t T, size_t S)
{
    return softmax_in_parts(weights, scores, T, S, ONE_THREAD, false, false);
}

static lab_status softmax_warp_only(float *weights, const float *scores, size_t T,
                                    size_t S)
{
    return softmax_in_parts(weights, scores, T, S, ONE_WARP, true, true);
}

// One key for each thread of a block: the keys behind the 128th are never looked at.
static lab_status softmax_first_keys_only(float *weights, const float *scores, size_t T,
                                          size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    lab_status status = LAB_OK;
    const size_t keys = S < BLOCK ? S : BLOCK;
    for (size_t t = 0; t < T && status == LAB_OK; t++) {
        status =
            softmax_in_parts(weights + t * S, scores + t * S, 1, keys, BLOCK, true, true);
    }
    return status;
}

#define THREAD_MAXIMUM_WHY                                                               \
    "Every exponential of a row must be taken with the same maximum. Each thread finds " \
    "the largest of its own keys; bring these together (shuffles over the warp, shared " \
    "memory over the warps) before the first expf."

#define MAX_FROM_ZERO_WHY                                                                \
    "When all scores of a row are far below 0 the maximum found is 0, every "            \
    "exponential "                                                                       \
    "underflows and 0/0 remains. Start from the row's first score or from -INFINITY "    \
    "(FLT_MIN is no help: it is the smallest POSITIVE float)."
#define MAX_OF_ALL_WHY                                                                   \
    "A row far below the largest score of the matrix underflows to 0 everywhere, and "   \
    "0/0 "                                                                               \
    "remains. Each row needs its own maximum."

static lab_status softmax_rounded(float *weights, const float *scores, size_t T, size_t S)
{
    return round_to_places(weights, softmax_rows(weights, scores, T, S), T * S);
}

static const struct mistake softmax_mistakes[] = {
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(softmax_rows, softmax_rounded),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Columns sum to 1 here, rows should. A row belongs to a query, which "
               "shares out its attention among the keys: sum over s, for each t.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(softmax_rows, softmax_columns),
    },
    {
        .id = "no-max",
        .what = "the row's maximum is not subtracted before expf",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_no_max),
    },
    {
        .id = "no-max-guarded",
        .what = "the row's maximum is not subtracted before expf (and a sum of 0 gives "
                "zeros)",
        .why =
            NO_MAX_WHY " Weights of 0 for a row of scores near -10000 are wrong as well.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_no_max_guarded),
    },
    {
        .id = "max-not-subtracted",
        .what = "the row's maximum is found, and then not subtracted before expf",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_max_not_subtracted),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0 and misses rows of negative scores",
        .why = MAX_FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(softmax_rows, softmax_max_from_zero),
    },
    {
        .id = "max-from-zero-guarded",
        .what = "the search for the maximum starts at 0 and misses rows of negative "
                "scores (and a sum of 0 gives zeros)",
        .why = MAX_FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(softmax_rows, softmax_max_from_zero_guarded),
    },
    {
        .id = "max-from-minus-10000",
        .what =
            "the search for the maximum starts at -10000 and misses rows that lie below",
        .why = "-10000 is no minus infinity: a row whose scores all lie below it "
               "underflows, and 0/0 remains. Start from the row's first score or from "
               "-INFINITY.",
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(softmax_rows, softmax_max_from_minus_10000),
    },
    {
        .id = "max-of-all",
        .what = "the maximum of the whole matrix is subtracted, not each row's own",
        .why = MAX_OF_ALL_WHY,
        .function = LIKE(softmax_rows, softmax_max_of_all),
    },
    {
        .id = "max-of-all-guarded",
        .what = "the maximum of the whole matrix is subtracted (and a sum of 0 gives "
                "zeros)",
        .why = MAX_OF_ALL_WHY,
        .function = LIKE(softmax_rows, softmax_max_of_all_guarded),
    },
    {
        .id = "max-not-reset",
        .what =
            "the maximum of the rows before is kept: it is not searched anew in each row",
        .why = "A row after one with larger scores underflows. Start the search anew in "
               "every row: declare the maximum inside the loop over t.",
        .function = LIKE(softmax_rows, softmax_max_so_far),
    },
    {
        .id = "sum-not-reset",
        .what = "the sum of exponentials is carried over from the rows before",
        .why = "The first row sums to 1, and each later one to less. Set the sum to 0 "
               "inside the loop over t.",
        .function = LIKE(softmax_rows, softmax_sum_goes_on),
    },
    {
        .id = "not-normalised",
        .what = "the exponentials are not divided by their sum",
        .why = "The largest weight of each row is 1 and the row sums to more. Divide "
               "every exponential by the sum of its row, in a pass of its own.",
        .function = LIKE(softmax_rows, softmax_not_normalised),
    },
    {
        .id = "logarithm",
        .what =
            "the result is the logarithm of the weights (log-softmax), not the weights",
        .why = "All numbers are 0 or below. Weights are what expf gives: positive "
               "shares of 1.",
        .function = LIKE(softmax_rows, softmax_logarithm),
    },
    {
        .id = "empty-row-nan",
        .what = "a row that is -inf throughout gives NaN instead of zeros",
        .why = "Its maximum is -inf, and -inf - -inf is NaN. A query that may look at "
               "nothing gets zeros here: test for max == -INFINITY first. (PyTorch "
               "gives NaN.)",
        .source = "pytorch/pytorch#131060, NVIDIA/apex#1390",
        .function = LIKE(softmax_rows, softmax_empty_is_nan),
    },
    {
        .id = "empty-row-uniform",
        .what = "a row that is -inf throughout gives equal weights instead of zeros",
        .why = "A query that may look at nothing gets zeros here. Equal weights come "
               "from putting a finite number such as -1e9 in the place of -inf.",
        .source = "tracel-ai/burn#4694, pytorch/pytorch#131060",
        .function = LIKE(softmax_rows, softmax_empty_is_uniform),
    },
    {
        .id = "thread-maximum",
        .what =
            "each of 128 threads subtracts the maximum of its own keys, not of the row",
        .why = THREAD_MAXIMUM_WHY,
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(softmax_rows, softmax_thread_maximum),
    },
    {
        .id = "thread-maximum-no-guard",
        .what = "each of 128 threads subtracts the maximum of its own keys, not of the "
                "row, and -inf where it has no other",
        .why = THREAD_MAXIMUM_WHY,
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(softmax_rows, softmax_thread_maximum_no_guard),
    },
    {
        .id = "warp-only",
        .what =
            "each warp makes a softmax of its own keys: rows of more than 32 keys sum "
            "to more than 1",
        .why =
            "__shfl_xor_sync reaches the 32 lanes of a warp. The warps of a block meet "
            "in shared memory: one number from each, __syncthreads(), then all of them.",
        .source = "karpathy/llm.c#847",
        .function = LIKE(softmax_rows, softmax_warp_only),
    },
    {
        .id = "first-keys-only",
        .what =
            "only the first 128 keys of a row are looked at; the rest is never written",
        .why = "A row may be longer than a block. Let each thread go on in steps of the "
               "block: for (s = threadIdx.x; s < S; s += blockDim.x).",
        .function = LIKE(softmax_rows, softmax_first_keys_only),
    },
    {0},
};

// One pass over the row: whenever the maximum grows, the sum so far is scaled down.
static lab_status softmax_online(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float max = -INFINITY;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (scores_t[s] > max) {
                sum = sum * expf(max - scores_t[s]);
                max = scores_t[s];
            }
            sum += scores_t[s] == -INFINITY ? 0.0f : expf(scores_t[s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum == 0.0f ? 0.0f : expf(scores_t[s] - max) / sum;
        }
    }
    return LAB_OK;
}

// Powers of two, sums in float, and one reciprocal instead of S divisions.
static lab_status softmax_by_exp2(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float max = maximum(scores_t, S, -INFINITY);
        if (is_empty(scores_t, S)) {
            zero_row(weights + t * S, S);
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = exp2f((scores_t[s] - max) * 1.44269504f);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, 1.0f / sum);
    }
    return LAB_OK;
}

static lab_status softmax_in_double(float *weights, const float *scores, size_t T,
                                    size_t S)
{
    lab_status status = softmax_logarithm(weights, scores, T, S);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        weights[i] = is_empty(scores + i / S * S, S) ? 0.0f : expf(weights[i]);
    }
    return status;
}

// Legitimate: within the range of scores that the lab speaks of nothing lies below -1e9, and
// an empty row has the sum 0.
static lab_status softmax_from_minus_1e9(float *weights, const float *scores, size_t T,
                                         size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max = maximum(scores + t * S, S, -1e9f), sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, sum > 0.0f ? 1.0f / sum : 0.0f);
    }
    return LAB_OK;
}

static const struct mistake softmax_alternatives[] = {
    {.id = "max-from-minus-1e9", .function = LIKE(softmax_rows, softmax_from_minus_1e9)},
    {.id = "online", .function = LIKE(softmax_rows, softmax_online)},
    {.id = "exp2-and-reciprocal", .function = LIKE(softmax_rows, softmax_by_exp2)},
    {.id = "exp-of-log-softmax", .function = LIKE(softmax_rows, softmax_in_double)},
    {0},
};

static const struct part softmax_parts[] = {
    {
        .function = "softmax_rows",
        .dims = "T S",
        .tensors = {{"weights", "T S", OUTPUT, F32, 1e-6f, 5e-6f},
                    {.name = "scores", .shape = "T S"}},
        .cases = softmax_cases,
        .special = softmax_special,
        .properties = softmax_properties,
        .mistakes = softmax_mistakes,
        .alternatives = softmax_alternatives,
    },
    {0},
};

// ---- 1.5 weighted_values ------------------------------------------------------------------

// Positive shares of 1 in every row, as a softmax makes them.
static void shares(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t t = 0; t < case_dim(test, "T"); t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = fabsf(weights[t * S + s]);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, 1.0f / sum);
    }
}

// Row t attends to key t % S and to nothing else: its output is that value row.
static void one_key_each(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i / S % S == i % S ? 1.0f : 0.0f;
    }
}

static const struct case_spec values_cases[] = {
    {"T=1 S=1 dv=1", 1, "one key", one_key_each},
    {"T=1 S=2 dv=1", 1, "all attention on one key", one_key_each},
    {"T=3 S=2 dv=2", 1, "all attention on one key", one_key_each},
    {"T=1 S=2 dv=3", 1, NULL, shares},
    {"T=2 S=3 dv=1", 1, "values of width 1", shares},
    {"T=2..4 S=5..7 dv=8..10", 3, NULL, shares},
    {"T=8..10 S=2..4 dv=5..7", 3, NULL, shares},
    {"T=3 S=65 dv=4", 1, "many keys", shares},
    {.dims = "T=4 S=5 dv=3", .note = "any weights, negative ones too"},
    {"T=7 S=5 dv=3", 1, NULL, shares},
    {"T=3 S=4 dv=4", 1, "v is square", shares},
    {"T=67 S=131 dv=71", 1, "all sizes past 64", shares},
    {"T=521 S=3 dv=131", 1, "more than 512 queries", shares},
    {"T=131 S=521 dv=3", 1, "more than 512 keys", shares},
    {"T=131 S=3 dv=521", 1, "values wider than 512", shares},
    {.dims = "T=0 S=3 dv=2", .note = "no queries: LAB_ESHAPE"},
    {.dims = "T=2 S=0 dv=3", .note = "no keys: LAB_ESHAPE"},
    {.dims = "T=2 S=3 dv=0", .note = "values of width 0: LAB_ESHAPE"},
    {0},
};

static lab_status values_weights_transposed(float *out, const float *weights,
                                            const float *v, size_t T, size_t S, size_t dv)
{
    return product(out, by_columns(weights, T), by_rows(v, dv), T, dv, S, 1.0);
}

static lab_status values_v_transposed(float *out, const float *weights, const float *v,
                                      size_t T, size_t S, size_t dv)
{
    return product(out, by_rows(weights, S), by_columns(v, S), T, dv, S, 1.0);
}

static lab_status values_out_transposed(float *out, const float *weights, const float *v,
                                        size_t T, size_t S, size_t dv)
{
    return product(out, by_columns(v, dv), by_columns(weights, S), dv, T, S, 1.0);
}

static lab_status values_mean(float *out, const float *weights, const float *v, size_t T,
                              size_t S, size_t dv)
{
    return product(out, by_rows(weights, S), by_rows(v, dv), T, dv, S, 1.0 / (double)S);
}

static lab_status values_unweighted(float *out, const float *weights, const float *v,
                                    size_t T, size_t S, size_t dv)
{
    (void)weights;
    static const float one = 1.0f;
    struct matrix ones = {&one, 0, 0};
    return product(out, ones, by_rows(v, dv), T, dv, S, 1.0 / (double)S);
}

static lab_status values_last_key(float *out, const float *weights, const float *v,
                                  size_t T, size_t S, size_t dv)
{
    if (T == 0 || S == 0 || dv == 0) {
        return LAB_ESHAPE;
    }
    return product(out, by_rows(weights + S - 1, S), by_rows(v + (S - 1) * dv, dv), T, dv,
                   1, 1.0);
}

static lab_status values_unset(float *out, const float *weights, const float *v, size_t T,
                               size_t S, size_t dv)
{
    (void)weights, (void)v;
    return unset(out, T, dv, S);
}

static void tiny_values(struct test_case *test, struct lab_rng *rng)
{
    shares(test, rng);
    make_whole(case_f32(test, "v"), case_count(test, "v"));
    scale(case_f32(test, "v"), case_count(test, "v"), TINY * TINY);
}

static const struct special_case values_special[] = {
    {.dims = "T=3 S=4 dv=2",
     .note = "values near 1e-12",
     .fill = tiny_values,
     .unit = TINY * TINY},
    {0},
};

static lab_status values_rounded(float *out, const float *weights, const float *v,
                                 size_t T, size_t S, size_t dv)
{
    return round_to_places(out, weighted_values(out, weights, v, T, S, dv), T * dv);
}

static const struct mistake values_mistakes[] = {
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(weighted_values, values_rounded),
    },
    {
        .id = "weights-transposed",
        .what = "the weights are read as if they were stored (S,T): columns where rows "
                "belong",
        .why = "Output row t uses row t of the weights, whose elements are weights[t * "
               "S + s].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_weights_transposed),
    },
    {
        .id = "v-transposed",
        .what = "v is read as if it were stored (dv,S)",
        .why = "v is (S,dv), one value row for each key: element (s, i) is v[s * dv + "
               "i]. This is a plain product, unlike the scores.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_v_transposed),
    },
    {
        .id = "out-transposed",
        .what = "the output is written transposed, as (dv,T)",
        .why = "out is (T,dv), one row for each query: element (t, i) is out[t * dv + "
               "i].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_out_transposed),
    },
    {
        .id = "mean",
        .what = "the weighted sum is divided by S on top of being weighted",
        .why = "The weights of a row already sum to 1, so their sum with the values is "
               "an average as it stands.",
        .function = LIKE(weighted_values, values_mean),
    },
    {
        .id = "unweighted",
        .what = "every output row is the plain mean of the values, whatever the weights",
        .why = "Multiply each value row by its weight, weights[t * S + s], before "
               "adding it.",
        .function = LIKE(weighted_values, values_unweighted),
    },
    {
        .id = "last-key-only",
        .what = "each key's share overwrites the one before: only the last key is left",
        .why = "out[t,i] is a sum over s. Set it to 0 first, then add (+=) every key's "
               "share.",
        .function = LIKE(weighted_values, values_last_key),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(weighted_values, values_unset),
    },
    {0},
};

static lab_status values_in_float(float *out, const float *weights, const float *v,
                                  size_t T, size_t S, size_t dv)
{
    return float_product(out, by_rows(weights, S), by_rows(v, dv), T, dv, S);
}

// Row by row: add each value row, times its weight, to the output row.
static lab_status values_row_by_row(float *out, const float *weights, const float *v,
                                    size_t T, size_t S, size_t dv)
{
    return matmul_by_outer_products(out, weights, v, T, dv, S);
}

static const struct mistake values_alternatives[] = {
    {.id = "float-sums", .function = LIKE(weighted_values, values_in_float)},
    {.id = "row-by-row", .function = LIKE(weighted_values, values_row_by_row)},
    {0},
};

static const struct part values_parts[] = {
    {
        .function = "weighted_values",
        .dims = "T S dv",
        .tensors = {{"out", "T dv", OUTPUT, F32, 2e-5f, 1e-5f},
                    {.name = "weights", .shape = "T S"},
                    {.name = "v", .shape = "S dv"}},
        .cases = values_cases,
        .special = values_special,
        .mistakes = values_mistakes,
        .alternatives = values_alternatives,
    },
    {0},
};

// ---- 1.6 simple_attention -----------------------------------------------------------------

// Divides the three weights by sqrt(C), about what nn.Linear starts with, so that queries and
// keys have unit scale and no weight is close to 0 or 1.
static void unit_projections(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float factor = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale(case_f32(test, "w_q"), case_count(test, "w_q"), factor);
    scale(case_f32(test, "w_k"), case_count(test, "w_k"), factor);
    scale(case_f32(test, "w_v"), case_count(test, "w_v"), factor);
}

// Each token's own score lies 5000 above those of the others: exp overflows, in double too,
// unless the maximum, in turn the first, a middle and the last of its row, is found and
// subtracted. The first T channels of x say which token it is, and w_q and w_k look at nothing
// else. Whole numbers with C = 16 and d = 4 make every score exact, right or wrongly scaled, in
// whatever order it is summed.
static void own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C"), d = case_dim(test, "d");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < T * C; i++) {
        size_t t = i / C, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < d * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o == c ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c ? 100.0f : 0.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// All scores of the call near 5000, or near -5000: channel 0 of x is 1 and channel 1 the sign,
// component 0 of the queries looks at the one and of the keys at the other, and component 1
// makes the differences, small whole numbers. Exact for the same reasons.
static void far_scores(struct test_case *test, float sign)
{
    size_t C = case_dim(test, "C"), d = case_dim(test, "d");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < d * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

static void far_up_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    far_scores(test, 1.0f);
}

static void far_down_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    far_scores(test, -1.0f);
}

// d <= C but for the special cases: a student who mixes x in the place of v then stays inside
// x, where d > C is a crash. d = 1 does not come first, as in 1.3.
static const struct case_spec attention_cases[] = {
    {.dims = "T=1 C=2 d=2", .note = "one token attends to itself"},
    {.dims = "T=1 C=3 d=2", .note = "one token attends to itself"},
    {"T=3 C=1 d=1", 1, "width 1", unit_projections},
    {"T=2 C=3 d=2", 1, "two tokens", unit_projections},
    {.dims = "T=3 C=4 d=4", .note = "the shape of the handout, with its peaked weights"},
    {"T=3 C=5 d=4", 1, NULL, unit_projections},
    {"T=2..4 C=8..11 d=5..7", 3, NULL, unit_projections},
    {"T=12..14 C=9..11 d=5..8", 2, NULL, unit_projections},
    {"T=5 C=32 d=16", 1, "wider", unit_projections},
    {"T=4 C=16 d=4", 1, "each token's own score far above the rest", own_score_huge},
    {"T=5 C=16 d=4", 1, "all scores near 5000", far_up_scores},
    {"T=5 C=16 d=4", 1, "all scores near -5000", far_down_scores},
    {"T=71 C=73 d=67", 1, "all sizes past 64", unit_projections},
    {"T=263 C=3 d=2", 1, "more than 256 tokens", unit_projections},
    {"T=3 C=521 d=5", 1, "input wider than 512", unit_projections},
    {"T=2 C=263 d=257", 1, "queries wider than 256", unit_projections},
    {.dims = "T=0 C=3 d=2", .note = "no tokens: LAB_ESHAPE"},
    {.dims = "T=2 C=0 d=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 C=3 d=0", .note = "queries of width 0: LAB_ESHAPE"},
    {0},
};

static const struct special_case attention_special[] = {
    {.dims = "T=4 C=3 d=5",
     .note = "queries wider than the input",
     .fill = unit_projections,
     .apart = true},
    {.dims = "T=3 C=2 d=131",
     .note = "queries much wider than the input",
     .fill = unit_projections,
     .apart = true,
     .cpu_only = true},
    {0},
};

static void swap_first_and_last_token(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(second, "x");
    size_t C = case_dim(second, "C"), last = (case_dim(second, "T") - 1) * C;
    for (size_t c = 0; c < C; c++) {
        float first = x[c];
        x[c] = x[last + c];
        x[last + c] = first;
    }
}

// BEGIN HANDED OUT
static bool outputs_are_swapped(const struct test_case *first,
                                const struct test_case *second, char *why,
                                size_t why_size)
{
    const float *before = case_got(first, "out");
    const float *after = case_got(second, "out");
    size_t T = case_dim(first, "T"), d = case_dim(first, "d");
    for (size_t t = 0; t < T; t++) {
        size_t moved = t == 0 ? T - 1 : t == T - 1 ? 0 : t;
        for (size_t i = 0; i < d; i++) {
            float was = before[t * d + i], is = after[moved * d + i];
            if (!(fabsf(was - is) <=
                  1e-4f + 1e-4f * fabsf(was))) { // sums in another order
                snprintf(why, why_size, "out[%zu][%zu] was %g, out[%zu][%zu] became %g",
                         t, i, (double)was, moved, i, (double)is);
                return false;
            }
        }
    }
    return true;
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "single-key",
        .claim = "a token that is alone gives itself weight 1",
        .dims = "T=1 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "order",
        .claim = "swapping two tokens swaps their outputs and changes no other: "
                 "attention has no idea of order",
        .dims = "T=5 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(outputs_are_swapped),
    },
    {0},
};

// The names of simple_attention's arguments in one place, for functions that share them all.
#define ATTENTION_ARGUMENTS                                                              \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        const float *x, const float *w_q, const float *w_k, const float *w_v, size_t T,  \
        size_t C, size_t d

static lab_status attention_plain(ATTENTION_ARGUMENTS)
{
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
}

// The second half again, from the scores on, after something changed in them.
static lab_status finish(float *out, float *weights, const float *scores, const float *v,
                         size_t T, size_t d)
{
    lab_status status = softmax_rows(weights, scores, T, T);
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
}

static lab_status attention_swapped(ATTENTION_ARGUMENTS)
{
    return simple_attention(out, weights, q, k, v, scores, x, w_k, w_q, w_v, T, C, d);
}

static lab_status attention_same_projection(ATTENTION_ARGUMENTS)
{
    (void)w_k;
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_q, w_v, T, C, d);
}

static lab_status attention_values_are_keys(ATTENTION_ARGUMENTS)
{
    (void)w_v;
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_k, T, C, d);
}

static lab_status attention_values_are_input(ATTENTION_ARGUMENTS)
{
    if (d > C) {
        return LEAVES_ARGUMENTS;
    }
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    return status == LAB_OK ? weighted_values(out, weights, x, T, T, d) : status;
}

static lab_status attention_weights_read_in_out(ATTENTION_ARGUMENTS)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    lab_status status = matmul(q, x, w_q, T, d, C);
    status = status == LAB_OK ? matmul(k, x, w_k, T, d, C) : status;
    status = status == LAB_OK ? matmul(v, x, w_v, T, d, C) : status;
    status = status == LAB_OK ? attention_scores(scores, q, k, T, T, d) : status;
    return status == LAB_OK ? finish(out, weights, scores, v, T, d) : status;
}

static lab_status attention_no_scale(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, sqrtf((float)d));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_root_of_C(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, sqrtf((float)d / (float)C));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_scaled_twice(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, 1.0f / sqrtf((float)d));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

// a(T,d) = 0 from column C on
static void keep_columns(float *a, size_t T, size_t C, size_t d)
{
    for (size_t i = 0; i < T * d; i++) {
        a[i] = i % d < C ? a[i] : 0.0f;
    }
}

static lab_status attention_only_C_wide(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        keep_columns(q, T, C, d);
        keep_columns(v, T, C, d);
        status = attention_scores(scores, q, k, T, T, d);
    }
    return status == LAB_OK ? finish(out, weights, scores, v, T, d) : status;
}

static lab_status attention_columns(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        status = softmax_columns(weights, scores, T, T);
    }
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
}

static lab_status attention_softmax_twice(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        memcpy(scores, weights, T * T * sizeof *scores);
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_no_softmax(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        memcpy(weights, scores, T * T * sizeof *weights);
        status = weighted_values(out, weights, v, T, T, d);
    }
    return status;
}

static lab_status attention_scores_applied(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    return status == LAB_OK ? weighted_values(out, scores, v, T, T, d) : status;
}

static const struct mistake attention_mistakes[] = {
    {
        .id = "q-k-swapped",
        .what = "queries and keys are swapped: the scores are k q^T",
        .why = "Row t of the scores belongs to the query of token t, so q comes first: "
               "q = x w_q^T, k = x w_k^T, attention_scores(scores, q, k, ...).",
        .function = LIKE(simple_attention, attention_swapped),
    },
    {
        .id = "k-is-q",
        .what = "the keys are made with w_q: queries and keys are the same",
        .why = "Each of q, k and v has a projection of its own. With q for both, the "
               "scores are symmetric: \"a fits b\" would always mean \"b fits a\".",
        .function = LIKE(simple_attention, attention_same_projection),
    },
    {
        .id = "values-are-keys",
        .what = "the weighted sum mixes the keys, not the values",
        .why = "Keys only decide who is looked at. What is handed over is v = x w_v^T.",
        .function = LIKE(simple_attention, attention_values_are_keys),
    },
    {
        .id = "values-are-input",
        .what = "the weighted sum mixes the rows of x: w_v is never used",
        .why = "The values are a projection of their own, v = x w_v^T, and they are d "
               "wide.",
        .function = LIKE(simple_attention, attention_values_are_input),
    },
    {
        .id = "weights-read-in-out",
        .what = "the projections are x w, not x w^T: w is read as (C,d)",
        .why = "Linear weights are (out, in), here (d,C). Use linear, or matmul_nt.",
        .source = "nntile/nntile#370",
        .function = LIKE(simple_attention, attention_weights_read_in_out),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(d)",
        .why = "A dot product of d terms has variance d; dividing by sqrt(d) brings it "
               "back to 1. Call attention_scores, which does it.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(simple_attention, attention_no_scale),
    },
    {
        .id = "root-of-C",
        .what = "the scores are divided by sqrt(C), not by sqrt(d)",
        .why = "What the dot product sums over is the width d of a query, not the width "
               "C of x.",
        .source = "Graylab/DL4Proteins-notebooks#12, "
                  "FareedKhan-dev/train-llm-from-scratch#3",
        .function = LIKE(simple_attention, attention_root_of_C),
    },
    {
        .id = "only-C-wide",
        .what = "only the first C components of queries, keys and values are used",
        .why = "x is C wide; queries, keys and values are d wide, and d may be larger.",
        .function = LIKE(simple_attention, attention_only_C_wide),
    },
    {
        .id = "scaled-twice",
        .what = "the scores are divided by sqrt(d) twice instead of once",
        .why = "attention_scores has divided already.",
        .function = LIKE(simple_attention, attention_scaled_twice),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Columns sum to 1 here, rows should: each query shares out its attention.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(simple_attention, attention_columns),
    },
    {
        .id = "softmax-twice",
        .what = "the softmax is applied twice instead of once",
        .why = "A second softmax of numbers between 0 and 1 makes all weights nearly "
               "equal.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(simple_attention, attention_softmax_twice),
    },
    {
        .id = "no-softmax",
        .what = "there is no softmax: the weights are the scores",
        .why = "Scores can be negative and of any size. softmax_rows turns them into "
               "shares of 1.",
        .function = LIKE(simple_attention, attention_no_softmax),
    },
    {
        .id = "scores-applied",
        .what = "the weights are right, but the values are mixed by the scores",
        .why = "weighted_values takes the weights, after the softmax: out = weights v.",
        .function = LIKE(simple_attention, attention_scores_applied),
    },
    {0},
};

// Sums in float, the query scaled first.
static lab_status attention_in_float(ATTENTION_ARGUMENTS)
{
    lab_status status = float_product(q, by_rows(x, C), by_columns(w_q, C), T, d, C);
    if (status != LAB_OK) {
        return status;
    }
    scale(q, T * d, 1.0f / sqrtf((float)d));
    status = float_product(k, by_rows(x, C), by_columns(w_k, C), T, d, C);
    status = status == LAB_OK
                 ? float_product(v, by_rows(x, C), by_columns(w_v, C), T, d, C)
                 : status;
    status = status == LAB_OK
                 ? float_product(scores, by_rows(q, d), by_columns(k, d), T, T, d)
                 : status;
    status = status == LAB_OK ? softmax_by_exp2(weights, scores, T, T) : status;
    return status == LAB_OK
               ? float_product(out, by_rows(weights, T), by_rows(v, d), T, d, T)
               : status;
}

static const struct mistake attention_alternatives[] = {
    {.id = "float-sums", .function = LIKE(simple_attention, attention_in_float)},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "simple_attention",
        .dims = "T C d",
        .tensors = {{"out", "T d", OUTPUT, F32, 1e-4f, 1e-5f},
                    {"weights", "T T", OUTPUT, F32, 2e-5f, 1e-5f},
                    {.name = "q", .shape = "T d", .role = WORKSPACE},
                    {.name = "k", .shape = "T d", .role = WORKSPACE},
                    {.name = "v", .shape = "T d", .role = WORKSPACE},
                    {.name = "scores", .shape = "T T", .role = WORKSPACE},
                    {.name = "x", .shape = "T C"},
                    {.name = "w_q", .shape = "d C"},
                    {.name = "w_k", .shape = "d C"},
                    {.name = "w_v", .shape = "d C"}},
        .cases = attention_cases,
        .special = attention_special,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "1.1",
        .name = "matmul",
        .section = "1.1 Matrix product",
        .hints =
            {
                "Two outer loops choose one element of out, the inner one walks along "
                "K. In matmul, a is walked along a row and b down a column; in "
                "matmul_nt both are walked along a row.",
                "out[m,n] = sum over k of a[m,k] * b[k,n]. A row of a is K long and a "
                "row of b is N long, so these are a[m * K + k] and b[k * N + n]. In "
                "matmul_nt b is (N,K): b[n * K + k].",
                "In almost code:\n"
                "      for m below M, for n below N:\n"
                "          sum = 0\n"
                "          for k below K: sum += a[m * K + k] * b[k * N + n]\n"
                "          out[m * N + n] = sum\n"
                "      return LAB_OK\n"
                "      and b[n * K + k] in matmul_nt.",
            },
        .gpu_hints =
            {
                "The two outer loops are gone: the grid is them. Which n, and which m, "
                "belongs to thread (threadIdx.x, threadIdx.y) of block (blockIdx.x, "
                "blockIdx.y)? And what do the threads do that fall outside of out?",
                "n = blockIdx.x * blockDim.x + threadIdx.x, and m the same with y. "
                "Nothing "
                "is computed where n >= N or m >= M. The grid has N / 32 rounded UP "
                "blocks "
                "along x, (N + 31) / 32, and (M + 7) / 8 along y, but at most 65535.",
                "In almost code:\n"
                "      kernel:   n = blockIdx.x * blockDim.x + threadIdx.x; leave if n "
                ">= N\n"
                "                for m = blockIdx.y * blockDim.y + threadIdx.y; m < M;\n"
                "                        m += gridDim.y * blockDim.y:\n"
                "                    sum over k as on the CPU; out[m * N + n] = sum\n"
                "      launcher: dim3 block(32, 8), grid((N + 31) / 32, min((M + 7) / "
                "8, 65535))\n"
                "                kernel<<<grid, block, 0, stream>>>(...)\n"
                "                return lab_cuda(cudaGetLastError())",
            },
        .parts = matmul_parts,
    },
    {
        .id = "1.2",
        .name = "linear",
        .section = "1.2 Linear layer",
        .uses = {"1.1"},
        .hints =
            {
                "w has one row for each output, so both x and w are read along their "
                "rows: you have that product already. The bias comes afterwards, or "
                "before, once.",
                "y[t,o] = bias[o] + sum over i of x[t,i] * w[o,i], with bias[o] = 0 "
                "when bias is NULL. The product is matmul_nt(y, x, w, T, O, I).",
                "In almost code:\n"
                "      status = matmul_nt(y, x, w, T, O, I)\n"
                "      return status unless it is LAB_OK\n"
                "      if bias is not NULL:\n"
                "          for t below T, for o below O: y[t * O + o] += bias[o]\n"
                "      return LAB_OK",
            },
        .parts = linear_parts,
    },
    {
        .id = "1.3",
        .name = "attention_scores",
        .section = "1.3 Scores",
        .uses = {"1.1"},
        .hints =
            {
                "A score is the dot product of a query row and a key row. What has to "
                "happen to it so that its size does not grow with d?",
                "scores[t,s] = (sum over i of q[t,i] * k[s,i]) / sqrt(d). The rows of q "
                "and of k are d long, those of scores S.",
                "In almost code:\n"
                "      for t below T, for s below S:\n"
                "          dot = 0\n"
                "          for i below d: dot += q[t * d + i] * k[s * d + i]\n"
                "          scores[t * S + s] = dot / sqrtf((float)d)\n"
                "      return LAB_OK",
            },
        .gpu_hints =
            {
                "16 x 16 scores need 16 rows of q and 16 rows of k. Each of the 256 "
                "threads "
                "can fetch one number of each for all the others: 16 numbers of width at "
                "a "
                "time. When may a thread read what another has fetched? And when may it "
                "overwrite it?",
                "Per step of 16 along d: q_tile[y][x] = q[t0 + y][i0 + x], k_tile[y][x] "
                "= "
                "k[s0 + y][i0 + x] (0 outside), __syncthreads(), sum += q_tile[y][i] * "
                "k_tile[x][i] for 16 i, __syncthreads(). No thread may leave early: all "
                "must "
                "reach every barrier.",
                "In almost code:\n"
                "      __shared__ float q_tile[TILE][TILE], k_tile[TILE][TILE + 1]\n"
                "      for t0 = blockIdx.y * TILE; t0 < T; t0 += gridDim.y * TILE:\n"
                "          sum = 0\n"
                "          for i0 = 0; i0 < d; i0 += TILE:\n"
                "              q_tile[y][x] = inside ? q[(t0 + y) * d + i0 + x] : 0\n"
                "              k_tile[y][x] = inside ? k[(s0 + y) * d + i0 + x] : 0\n"
                "              __syncthreads()\n"
                "              for i below TILE: sum += q_tile[y][i] * k_tile[x][i]\n"
                "              __syncthreads()\n"
                "          if t0 + y < T and s0 + x < S: scores[...] = sum * scale",
            },
        .parts = scores_parts,
    },
    {
        .id = "1.4",
        .name = "softmax_rows",
        .section = "1.4 Softmax",
        .hints =
            {
                "Work on one row at a time, in three passes: find its maximum, compute "
                "exponentials and their sum, divide. What does expf(1000) give, and "
                "what can you subtract from every score of a row without changing the "
                "fractions?",
                "weights[t,s] = exp(scores[t,s] - max_t) / sum over r of "
                "exp(scores[t,r] - max_t). When max_t is -INFINITY the difference is "
                "NaN: that row becomes zeros.",
                "In almost code:\n"
                "      for t below T:\n"
                "          max = the largest score of row t, starting from its first\n"
                "          if max == -INFINITY: fill the row of weights with 0, go on "
                "with the next\n"
                "          sum = 0\n"
                "          for s below S: weights[t * S + s] = expf(scores[t * S + s] - "
                "max)\n"
                "                         sum += weights[t * S + s]\n"
                "          for s below S: weights[t * S + s] /= sum\n"
                "      return LAB_OK",
            },
        .gpu_hints =
            {
                "A thread can find the maximum of every 128th key. How do 32 threads "
                "that "
                "have one number each come to the largest of them in 5 steps? How do 4 "
                "warps?",
                "value = max(value, __shfl_xor_sync(0xffffffff, value, distance)) for "
                "the "
                "distances 16, 8, 4, 2, 1: then all 32 lanes hold the largest. Lane 0 of "
                "each warp writes it to shared memory; __syncthreads(); everybody reads "
                "all "
                "4. The sum goes the same way, in another shared array (or behind one "
                "more "
                "barrier).",
                "In almost code:\n"
                "      max = -INFINITY\n"
                "      for s = threadIdx.x; s < S; s += 128: max = fmaxf(max, "
                "scores[s])\n"
                "      for distance in 16 8 4 2 1: max = fmaxf(max, "
                "__shfl_xor_sync(...))\n"
                "      if threadIdx.x % 32 == 0: maxima[threadIdx.x / 32] = max\n"
                "      __syncthreads(); max = the largest of maxima[0..3]\n"
                "      shift = max == -INFINITY ? 0 : max\n"
                "      the same for the sum of weights[s] = expf(scores[s] - shift)\n"
                "      for s = threadIdx.x ...: weights[s] = sum == 0 ? 0 : weights[s] / "
                "sum",
            },
        .parts = softmax_parts,
    },
    {
        .id = "1.5",
        .name = "weighted_values",
        .section = "1.5 Weighted values",
        .uses = {"1.1"},
        .hints =
            {
                "Take output row 0: it is the first weight times value row 0, plus the "
                "second weight times value row 1, and so on. Which function of 1.1 does "
                "that?",
                "out[t,i] = sum over s of weights[t,s] * v[s,i]: the plain product of "
                "(T,S) and (S,dv). Nothing is transposed.",
                "return matmul(out, weights, v, ...) with the sizes in matmul's order: "
                "rows of out, columns of out, and what is summed over: T, dv, S.",
            },
        .gpu_hints =
            {
                "It is the plain product once more. Which is read more often than it has "
                "to "
                "be in 1.1, and by whom?",
                "As 1.3, with v_tile[y][x] = v[s0 + y][c]: v is (S, dv), its rows "
                "already "
                "lie the way the threads read them, so sum += weights_tile[y][s] * "
                "v_tile[s][x].",
                "In almost code: the loops of 1.3 with t0 over rows, s0 over keys;\n"
                "      weights_tile[y][x] = weights[(t0 + y) * S + s0 + x] or 0\n"
                "      v_tile[y][x] = v[(s0 + y) * dv + c] or 0,  c = blockIdx.x * TILE "
                "+ x\n"
                "      barrier; sum += weights_tile[y][s] * v_tile[s][x]; barrier\n"
                "      or, shorter and slower: return matmul_gpu(out_dev, weights_dev, "
                "v_dev, "
                "T, dv, S, stream)",
            },
        .parts = values_parts,
    },
    {
        .id = "1.6",
        .name = "simple_attention",
        .section = "1.6 Attention",
        .uses = {"1.2", "1.3", "1.4", "1.5"},
        .hints =
            {
                "Nothing new is computed here: every arrow of the drawing is a function "
                "you have written. Follow it from x to out, and look at every status.",
                "q = x w_q^T, k = x w_k^T, v = x w_v^T; scores = q k^T / sqrt(d); "
                "weights = softmax of the rows of scores; out = weights v. Queries and "
                "keys are the same tokens, so S is T.",
                "In almost code, each line only while the status is LAB_OK:\n"
                "      linear(q, x, w_q, NULL, T, C, d)\n"
                "      linear(k, x, w_k, NULL, T, C, d)\n"
                "      linear(v, x, w_v, NULL, T, C, d)\n"
                "      attention_scores(scores, q, k, T, T, d)\n"
                "      softmax_rows(weights, scores, T, T)\n"
                "      weighted_values(out, weights, v, T, T, d)\n"
                "      and return the last status.",
            },
        .parts = attention_parts,
    },
    {0},
};

static const struct exercise *const exercises[] = {&all[0], &all[1], &all[2], &all[3],
                                                   &all[4], &all[5], NULL};

const struct lab lab_01 = {"Simple attention", exercises};

#endif
