// 01_matmul.c - exercise 1.1, matmul: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "01_simple_attention/attention.h"

// The sum is set to 0 once instead of once per element, so each element contains all
// before it.
static lab_status running_product(float *out, struct matrix a, struct matrix b, size_t M,
                                  size_t N, size_t K)
{
    lab_status status = plain_product(out, a, b, M, N, K);
    double sum = 0.0;
    for (size_t i = 0; status == LAB_OK && i < M * N; i++) {
        sum += out[i];
        out[i] = (float)sum;
    }
    return status;
}

#define RUNNING_WHAT "the sum is not reset to 0 for each element"
#define RUNNING_WHY                                                                      \
    "Every element then contains all elements before it. Set the sum to 0 for each "     \
    "element: float sum = 0.0f; inside the second loop."

static void hundreds_of_factors(struct test_case *test, struct lab_rng *rng)
{
    whole_factors(test, rng);
    scale_input(test, "a", 100.0f);
    scale_input(test, "b", 100.0f);
}

static void whole_factors_without_0(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"a", "b"};
    whole_factors(test, rng);
    for (size_t i = 0; i < 2; i++) {
        float *factors = case_f32(test, names[i]);
        for (size_t n = 0; n < case_count(test, names[i]); n++) {
            factors[n] = factors[n] == 0.0f ? 1.0f : factors[n];
        }
    }
}

// The first term of the first result, and below the last term of the last. No other term follows an infinity:
// a compensated (Kahan) sum subtracts infinity from infinity there, which is NaN.
static void infinity_times_0(struct test_case *test, struct lab_rng *rng)
{
    whole_factors_without_0(test, rng);
    case_f32(test, "a")[0] = INFINITY;
    case_f32(test, "b")[0] = 0.0f;
}

// Row 0 is NaN, and then infinities of both signs.
static void infinity_alone(struct test_case *test, struct lab_rng *rng)
{
    infinity_times_0(test, rng);
    for (size_t i = 0; i < case_count(test, "b"); i++) {
        float *b = &case_f32(test, "b")[i];
        *b = copysignf(*b, i % 4 == 2 ? -1.0f : 1.0f);
    }
}

static void zero_times_infinity(struct test_case *test, struct lab_rng *rng)
{
    whole_factors_without_0(test, rng);
    case_f32(test, "a")[case_count(test, "a") - 1] = 0.0f;
    case_f32(test, "b")[case_count(test, "b") - 1] = INFINITY;
}

// NaN in row 0 of the result, and in its last column.
static void nan_in_both(struct test_case *test, struct lab_rng *rng)
{
    whole_factors_without_0(test, rng);
    case_f32(test, "a")[0] = NAN;
    case_f32(test, "b")[case_count(test, "b") - 1] = NAN;
}

// Equal results take no room in the student archive.
static void only_ones(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const inputs[] = {"a", "b"};
    for (size_t input = 0; input < sizeof inputs / sizeof inputs[0]; input++) {
        for (size_t i = 0; i < case_count(test, inputs[input]); i++) {
            case_f32(test, inputs[input])[i] = 1.0f;
        }
    }
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
    {"M=3 N=4 K=5", 1, "multiples of 100", hundreds_of_factors},
    // A kernel may fill up its tiles with zeros.
    {.dims = "M=3 N=1 K=2",
     .fill = infinity_times_0,
     .nan = true,
     .cpu_only = true,
     .apart = true,
     .note = "infinity times 0 is NaN"},
    {.dims = "M=3 N=4 K=1",
     .fill = infinity_alone,
     .nan = true,
     .cpu_only = true,
     .apart = true,
     .note = "infinity times a number and times 0"},
    {.dims = "M=2 N=5 K=3",
     .fill = zero_times_infinity,
     .nan = true,
     .cpu_only = true,
     .apart = true,
     .note = "0 times infinity is NaN"},
    {"M=67 N=71 K=131", 1, "all sizes past 64", small_factors},
    {"M=521 N=131 K=3", 1, "more than 512 rows", small_factors},
    {"M=67 N=1031 K=3", 1, "more than 1024 columns", small_factors},
    {"M=67 N=3 K=1031", 1, "sums of more than 1024 terms", small_factors},
    {"M=3 N=67 K=1031", 1, "sums of more than 1024 terms", small_factors},
    {.dims = "M=256 N=64 K=3", .fill = small_factors, .note = "exactly 256 rows"},
    {.dims = "M=3 N=256 K=64", .fill = small_factors, .note = "exactly 256 columns"},
    {.dims = "M=64 N=3 K=256",
     .fill = small_factors,
     .note = "sums of exactly 256 terms"},
    {.dims = "M=0 N=2 K=3", .note = "no rows: LAB_ESHAPE"},
    {.dims = "M=2 N=0 K=3", .note = "no columns: LAB_ESHAPE"},
    {.dims = "M=2 N=3 K=0", .note = "nothing to sum: LAB_ESHAPE"},
    // 65538 blocks of 8 rows: more than a grid can have.
    {.dims = "M=524301 N=1 K=1", .note = "half a million rows", .gpu_only = true},
    {MOST("M=2 N=1 K=1", "M")},
    {MOST("M=1 N=2 K=1", "N")},
    {MOST("M=1 N=1 K=2", "K")},
    // More than 1024 blocks: with grid and block exchanged, more threads than a block can have.
    {.dims = "M=1 N=32801 K=1",
     .note = "more than 32768 columns",
     .fill = only_ones,
     .gpu_only = true,
     .launch_only = true},
    {.dims = "M=3 N=2 K=5", .note = TINY_NOTE, .fill = tiny_factors, .unit = TINY * TINY},
    {TOO_LARGE("M=3 N=2 K=5", "M", "M")},
    {TOO_LARGE("M=3 N=2 K=5", "N", "N")},
    {TOO_LARGE("M=3 N=2 K=5", "K", "K")},
    {.dims = "M=3 N=4 K=2",
     .fill = nan_in_both,
     .nan = true,
     .cpu_only = true,
     .apart = true,
     .note = "NaN in a and in b"},
    {.dims = "M=1 N=1 K=11", .fill = whole_factors, .note = "one row and one column"},
    {.dims = "M=65543 N=1 K=1",
     .fill = small_factors,
     .note = "65543 rows",
     .memory_only = true,
     .apart = true},
    {.dims = "M=1 N=65543 K=1",
     .fill = small_factors,
     .note = "65543 columns",
     .memory_only = true,
     .apart = true},
    {.dims = "M=1 N=1 K=65543",
     .fill = small_factors,
     .note = "sums of 65543 terms",
     .memory_only = true,
     .apart = true},
    {0},
};

// MATMUL(name, product, a, b): a matmul or matmul_nt that makes this product of a and b, read so.
#define MATMUL(name, make, a_as_read, b_as_read)                                         \
    static lab_status name(float *out, const float *a, const float *b, size_t M,         \
                           size_t N, size_t K)                                           \
    {                                                                                    \
        return make(out, a_as_read, b_as_read, M, N, K);                                 \
    }

MATMUL(matmul_b_transposed, plain_product, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_a_transposed, plain_product, by_columns(a, M), by_rows(b, N))
MATMUL(matmul_out_transposed, transposed_product, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_running, running_product, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_rounded, rounded_product, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_from_1, product_from_1, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_whole_sum, product_of_whole_sums, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_last_term, product_of_last_terms, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_in_float, float_product, by_rows(a, K), by_rows(b, N))

MATMUL(matmul_nt_b_plain, plain_product, by_rows(a, K), by_rows(b, N))
MATMUL(matmul_nt_a_transposed, plain_product, by_columns(a, M), by_columns(b, K))
MATMUL(matmul_nt_out_transposed, transposed_product, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_running, running_product, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_rounded, rounded_product, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_from_1, product_from_1, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_whole_sum, product_of_whole_sums, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_last_term, product_of_last_terms, by_rows(a, K), by_columns(b, K))
MATMUL(matmul_nt_in_float, float_product, by_rows(a, K), by_columns(b, K))

// FINITE(name, b_kn, term_counts, result): a matmul (or matmul_nt) that leaves out the terms x y for which
// term_counts is false, and writes result.
#define FINITE(name, b_kn, term_counts, result)                                          \
    static lab_status name(float *out, const float *a, const float *b, size_t M,         \
                           size_t N, size_t K)                                           \
    {                                                                                    \
        if (M == 0 || N == 0 || K == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < M * N; i++) {                                             \
            const size_t m = i / N, n = i % N;                                           \
            double sum = 0.0;                                                            \
            for (size_t k = 0; k < K; k++) {                                             \
                const double x = a[m * K + k], y = b_kn;                                 \
                sum += (term_counts) ? x * y : 0.0;                                      \
            }                                                                            \
            out[i] = (float)(result);                                                    \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

FINITE(matmul_without_zeros_of_a, b[k * N + n], x != 0.0, sum)
FINITE(matmul_without_zeros_of_b, b[k * N + n], y != 0.0, sum)
FINITE(matmul_nt_without_zeros_of_a, b[n * K + k], x != 0.0, sum)
FINITE(matmul_nt_without_zeros_of_b, b[n * K + k], y != 0.0, sum)
FINITE(matmul_made_finite, b[k * N + n], true, isfinite(sum) ? sum : 0.0)
FINITE(matmul_nt_made_finite, b[n * K + k], true, isfinite(sum) ? sum : 0.0)

static lab_status matmul_unset(float *out, const float *a, const float *b, size_t M,
                               size_t N, size_t K)
{
    (void)a, (void)b;
    return unset(out, M, N, K);
}

static const struct mistake matmul_mistakes[] = {
    {
        .id = "b-transposed",
        .what = "b is read as if it were stored (N,K)",
        .why = "b[n * K + k] moves along a row of b. In a plain product b is (K,N) with "
               "rows of N numbers, so element (k, n) is b[k * N + n].",
        .function = LIKE(matmul, matmul_b_transposed),
    },
    {
        .id = "a-transposed",
        .what = "a is read as if it were stored (K,M)",
        .why = "a is (M,K) with rows of K numbers, so element (m, k) is a[m * K + k].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_a_transposed),
    },
    {
        .id = "out-transposed",
        .what = "the result is written transposed, as (N,M)",
        .why = "out is (M,N), so its rows are N long and element (m, n) is "
               "out[m * N + n].",
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
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY("for (size_t k = 0; k < K; k++)"),
        .function = LIKE(matmul, matmul_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(matmul, matmul_whole_sum),
    },
    {
        .id = "last-term",
        .what = LAST_TERM_WHAT,
        .why = LAST_TERM_WHY("sum += a[m * K + k] * b[k * N + n]"),
        .function = LIKE(matmul, matmul_last_term),
    },
    {
        .id = "zeros-of-a-left-out",
        .what = "terms in which the factor from a is 0 are left out",
        .why = "0 times infinity is NaN, and so is the sum. Add every term.",
        .function = LIKE(matmul, matmul_without_zeros_of_a),
    },
    {
        .id = "zeros-of-b-left-out",
        .what = "terms in which the factor from b is 0 are left out",
        .why = "0 times infinity is NaN, and so is the sum. Add every term.",
        .function = LIKE(matmul, matmul_without_zeros_of_b),
    },
    {
        .id = "made-finite",
        .what = "a result that is not finite is replaced by 0",
        .why = "Infinities and NaN must stay, or a later function computes with wrong "
               "numbers and nobody notices.",
        .function = LIKE(matmul, matmul_made_finite),
    },
    {0},
};

static const struct mistake matmul_alternatives[] = {
    {.id = "float-sums", .function = LIKE(matmul, matmul_in_float)},
    {.id = "outer-products", .function = LIKE(matmul, matmul_by_outer_products)},
    {0},
};

static const struct mistake matmul_nt_mistakes[] = {
    {
        .id = "b-not-transposed",
        .what = "b is read as if it were stored (K,N): that is the plain product",
        .why = "Here b is (N,K) with rows of K numbers, so element (n, k) is b[n * K + "
               "k]. Read both factors along their rows.",
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
        .why = "out is (M,N), so its rows are N long and element (m, n) is "
               "out[m * N + n].",
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
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY("for (size_t k = 0; k < K; k++)"),
        .function = LIKE(matmul_nt, matmul_nt_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(matmul_nt, matmul_nt_whole_sum),
    },
    {
        .id = "last-term",
        .what = LAST_TERM_WHAT,
        .why = LAST_TERM_WHY("sum += a[m * K + k] * b[n * K + k]"),
        .function = LIKE(matmul_nt, matmul_nt_last_term),
    },
    {
        .id = "zeros-of-a-left-out",
        .what = "terms in which the factor from a is 0 are left out",
        .why = "0 times infinity is NaN, and so is the sum. Add every term.",
        .function = LIKE(matmul_nt, matmul_nt_without_zeros_of_a),
    },
    {
        .id = "zeros-of-b-left-out",
        .what = "terms in which the factor from b is 0 are left out",
        .why = "0 times infinity is NaN, and so is the sum. Add every term.",
        .function = LIKE(matmul_nt, matmul_nt_without_zeros_of_b),
    },
    {
        .id = "made-finite",
        .what = "a result that is not finite is replaced by 0",
        .why = "Infinities and NaN must stay, or a later function computes with wrong "
               "numbers and nobody notices.",
        .function = LIKE(matmul_nt, matmul_nt_made_finite),
    },
    {0},
};

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
        .mistakes = matmul_nt_mistakes,
        .alternatives = matmul_nt_alternatives,
    },
    {0},
};

const struct exercise exercise_1_1 = {
    .id = "1.1",
    .name = "matmul",
    .section = "1.1 Matrix product",
    .gpu_section = "1.1 A thread for each output",
    .hints =
        {
            "Two outer loops select an element of out, and the inner loop runs over K. "
            "In matmul it moves along a row of a and down a column of b. In matmul_nt it "
            "moves along a row of both.",
            "out[m,n] = sum over k of a[m,k] * b[k,n]. Rows of a have K numbers and rows "
            "of b have N, so these are a[m * K + k] and b[k * N + n]. In matmul_nt b is "
            "(N,K): b[n * K + k].",
            "In pseudocode:\n"
            "    for m below M, for n below N:\n"
            "        sum = 0\n"
            "        for k below K: sum += a[m * K + k] * b[k * N + n]\n"
            "        out[m * N + n] = sum\n"
            "    return LAB_OK\n"
            "In matmul_nt, it is b[n * K + k].",
        },
    .gpu_hints =
        {
            "The grid replaces the two outer loops. Which n and which m belong to thread "
            "(threadIdx.x, threadIdx.y) of block (blockIdx.x, blockIdx.y)? And what "
            "should threads outside out do?",
            "n = blockIdx.x * blockDim.x + threadIdx.x, and m is the same with y. "
            "Threads with n >= N or m >= M compute nothing. The grid has N / 32 "
            "blocks along x, rounded UP: (N + 31) / 32. Along y it has (M + 7) / 8, "
            "but at most GRID_MAX.",
            "In pseudocode:\n"
            "    kernel:   n = blockIdx.x * blockDim.x + threadIdx.x; stop if >= N\n"
            "              for m = blockIdx.y * blockDim.y + threadIdx.y; m < M;\n"
            "                      m += gridDim.y * blockDim.y:\n"
            "                  sum over k as on the CPU; out[m * N + n] = sum\n"
            "    launcher: dim3 block(32, 8), grid((N + 31) / 32, min((M + 7) / 8, GRID_MAX))\n"
            "              kernel<<<grid, block, 0, stream>>>(...)\n"
            "              return lab_cuda(cudaGetLastError())",
        },
    .parts = matmul_parts,
};
