// lab02.c - everything the grader knows of lab 2, batching. lab01.c explains the order.
//
// Most mistakes here are a right product of wrongly placed matrices: one function, multiply,
// makes them all from a struct layout. A mistake never touches memory outside its arguments,
// so the sizes of some cases are chosen such that the wrong reading stays inside; a comment
// says where. Large cases (past 64, 256 and 512, an output of more than 65536 numbers among
// them) bring fixed buffers, narrow types and wrong block loops to light.
//
// Tolerances: the references sum in float, in the order of BLAS, which differs from one
// processor to the next; what is allowed covers any order over the longest K here.
//
// Start reading at struct layout, then at 2.1.

#include "exercises/exercise.h"

#include "02_batching/batching.h"
#ifdef GPU
#include "02_batching/batching_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(matmul, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2])
GPU_ADAPTOR(batched_matmul, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR(batched_matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR_CUBLAS(batched_linear, t[0], t[1], t[2], t[3], n[0], n[1], n[2], n[3])
ADAPTOR(batched_softmax, t[0], t[1], n[0], n[1], n[2])
GPU_ADAPTOR_CUBLAS(batched_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7],
                   t[8], t[9], n[0], n[1], n[2])

const struct entry lab_entries[] = {
    ENTRY(matmul),
    ENTRY(matmul_nt),
    GPU_ENTRY(batched_matmul),
    GPU_ENTRY(batched_matmul_nt),
    GPU_ENTRY(batched_linear),
    ENTRY(batched_softmax),
    GPU_ENTRY(batched_attention),
    {0},
};

#ifndef WORKER

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what several exercises share ---------------------------------------------------------

// -2, -1, 1 or 2, for large sizes: every sum is exact in whatever order it is formed, so that
// a wrong one is told from its numbers there as well.
static void make_small(struct test_case *test, const char *input)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] = copysignf(fabsf(x[i]) < 0.7f ? 1.0f : 2.0f, x[i]);
    }
}

static void small_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(test, "a");
    make_small(test, "b");
}

// ---- products by hand, for the wrong and the other right ones -----------------------------

// How a batch of matrices lies in memory: the distance from one matrix, row, column to
// the next. A row-major (B, M, N) tensor is {M * N, N, 1}; its transpose {M * N, 1, N}; the
// same first matrix for every b is {0, N, 1}.
struct layout {
    size_t matrix, row, column;
};

static void multiply(float *out, struct layout lo, const float *a, struct layout la,
                     const float *b, struct layout lb, size_t B, size_t M, size_t N,
                     size_t K)
{
    for (size_t i = 0; i < B; i++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                float sum = 0.0f;
                for (size_t k = 0; k < K; k++) {
                    sum += a[i * la.matrix + m * la.row + k * la.column] *
                           b[i * lb.matrix + k * lb.row + n * lb.column];
                }
                out[i * lo.matrix + m * lo.row + n * lo.column] = sum;
            }
        }
    }
}

// ---- 2.1  matmul --------------------------------------------------------------------------

static lab_status one_product(float *out, struct layout lo, const float *a,
                              struct layout la, const float *b, struct layout lb,
                              size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    multiply(out, lo, a, la, b, lb, 1, M, N, K);
    return LAB_OK;
}

// CblasTrans for b with its leading dimension K: b (K, N) read as if it were (N, K).
static lab_status matmul_b_flagged(float *out, const float *a, const float *b, size_t M,
                                   size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, 1, K}, M, N, K);
}

// CblasTrans for a with its leading dimension M: a (M, K) read as if it were (K, M).
static lab_status matmul_a_flagged(float *out, const float *a, const float *b, size_t M,
                                   size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, 1, M}, b,
                       (struct layout){0, N, 1}, M, N, K);
}

// CblasColMajor with leading dimensions M, K, M.
static lab_status matmul_column_major(float *out, const float *a, const float *b,
                                      size_t M, size_t N, size_t K)
{
    return one_product(out, (struct layout){0, 1, M}, a, (struct layout){0, 1, M}, b,
                       (struct layout){0, 1, K}, M, N, K);
}

// The right numbers, stored by columns.
static lab_status matmul_out_transposed(float *out, const float *a, const float *b,
                                        size_t M, size_t N, size_t K)
{
    return one_product(out, (struct layout){0, 1, M}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, N, 1}, M, N, K);
}

// Right: three loops.
static lab_status matmul_loops(float *out, const float *a, const float *b, size_t M,
                               size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, N, 1}, M, N, K);
}

// Right: read by columns, row-major memory holds the transpose, and out^T = b^T a^T.
static lab_status matmul_swapped_operands(float *out, const float *a, const float *b,
                                          size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)N, (int)M, (int)K, 1.0f,
                b, (int)N, a, (int)K, 0.0f, out, (int)N);
    return LAB_OK;
}

static lab_status matmul_nt_no_flag(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, N, 1}, M, N, K);
}

static lab_status matmul_nt_a_flagged(float *out, const float *a, const float *b,
                                      size_t M, size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, 1, M}, b,
                       (struct layout){0, 1, K}, M, N, K);
}

// CblasColMajor, CblasNoTrans, CblasTrans with leading dimensions M, N, M.
static lab_status matmul_nt_column_major(float *out, const float *a, const float *b,
                                         size_t M, size_t N, size_t K)
{
    return one_product(out, (struct layout){0, 1, M}, a, (struct layout){0, 1, M}, b,
                       (struct layout){0, N, 1}, M, N, K);
}

// b a^T instead of a b^T.
static lab_status matmul_nt_out_transposed(float *out, const float *a, const float *b,
                                           size_t M, size_t N, size_t K)
{
    return one_product(out, (struct layout){0, 1, M}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, 1, K}, M, N, K);
}

static lab_status matmul_nt_loops(float *out, const float *a, const float *b, size_t M,
                                  size_t N, size_t K)
{
    return one_product(out, (struct layout){0, N, 1}, a, (struct layout){0, K, 1}, b,
                       (struct layout){0, 1, K}, M, N, K);
}

static lab_status matmul_nt_swapped_operands(float *out, const float *a, const float *b,
                                             size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)N, (int)M, (int)K, 1.0f, b,
                (int)K, a, (int)K, 0.0f, out, (int)N);
    return LAB_OK;
}

// Whole numbers but 0, for cases to check by hand: 1, -2, 3 ...
static void make_whole(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = copysignf(1.0f + floorf(2.0f * fabsf(x[i])), x[i]);
    }
}

// The factors of 2.1 and 2.2.
// Whole numbers times 2^-20 have sums near 1e-12, as exact as before.
#define TINY 0x1p-20f
#define TINY_NOTE "numbers near 1e-6"

static void scale_input(struct test_case *test, const char *input, float factor)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] *= factor;
    }
}

static void whole_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(case_f32(test, "a"), case_count(test, "a"));
    make_whole(case_f32(test, "b"), case_count(test, "b"));
}

static void tiny_factors(struct test_case *test, struct lab_rng *rng)
{
    whole_factors(test, rng);
    scale_input(test, "a", TINY);
    scale_input(test, "b", TINY);
}

static const struct special_case product_special[] = {
    {.dims = "M=3 N=2 K=5", .note = TINY_NOTE, .fill = tiny_factors, .unit = TINY * TINY},
    {0},
};

static const struct case_spec product_cases[] = {
    {.dims = "M=1 N=1 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "M=1 N=2 K=3",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "M=2 N=1 K=3",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "M=3 N=2 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "M=2 N=3 K=4",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "M=4 N=4 K=4", .note = "square: every leading dimension is the same"},
    {.dims = "M=7 N=5 K=3"},
    {.dims = "M=2..9 N=2..9 K=2..9", .draws = 5},
    {.dims = "M=19 N=17 K=33", .note = "larger and odd"},
    {.dims = "M=5 N=7 K=7", .note = "b is square"},
    {.dims = "M=7 N=5 K=7", .note = "a is square"},
    {"M=67 N=71 K=131", 1, "all sizes past 64", small_factors},
    {"M=521 N=131 K=3", 1, "more than 512 rows", small_factors},
    {"M=131 N=521 K=3", 1, "more than 512 columns", small_factors},
    {"M=131 N=3 K=521", 1, "sums of more than 512 terms", small_factors},
    {"M=3 N=131 K=521", 1, "sums of more than 512 terms", small_factors},
    {.dims = "M=0 N=2 K=3", .note = "a size is zero"},
    {.dims = "M=2 N=0 K=3", .note = "a size is zero"},
    {.dims = "M=2 N=3 K=0", .note = "a size is zero"},
    {0},
};

// beta = 1: poison plus anything is poison.
static lab_status matmul_added(float *out, const float *a, const float *b, size_t M,
                               size_t N, size_t K)
{
    (void)a, (void)b;
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M * N; i++) {
        out[i] = NAN;
    }
    return LAB_OK;
}

static const struct mistake matmul_mistakes[] = {
    {
        .id = "b-flagged",
        .what = "b is multiplied as if it were stored transposed, (N, K)",
        .why = "b is (K, N) and row-major: it needs CblasNoTrans and the leading "
               "dimension N, the length of one of its rows.",
        .function = LIKE(matmul, matmul_b_flagged),
    },
    {
        .id = "a-flagged",
        .what = "a is multiplied as if it were stored transposed, (K, M)",
        .why = "a is (M, K) and row-major: it needs CblasNoTrans and the leading "
               "dimension K, the length of one of its rows.",
        .function = LIKE(matmul, matmul_a_flagged),
    },
    {
        .id = "column-major",
        .what = "BLAS is told that the three matrices are stored column by column, not "
                "row by row",
        .why = "In this workbook rows lie one behind the other: the first argument is "
               "CblasRowMajor, and a leading dimension is the length of a stored row.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_column_major),
    },
    {
        .id = "out-transposed",
        .what = "the product is stored transposed: out holds (N, M), not (M, N)",
        .why = "The numbers are right but lie column by column. With CblasRowMajor and "
               "the leading dimension N for out, row m starts at out + m * N.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_out_transposed),
    },
    {
        .id = "beta-one",
        .what = "out is NaN everywhere: the product was added to what lay there, or "
                "nothing was stored",
        .why = "out comes with anything in it (here NaN). With beta = 0.0f BLAS "
               "overwrites it; with beta = 1.0f it adds to it.",
        .function = LIKE(matmul, matmul_added),
    },
    {0},
};

static const struct mistake matmul_alternatives[] = {
    {.id = "loops", .what = "three loops", .function = LIKE(matmul, matmul_loops)},
    {.id = "swapped-operands",
     .what = "column-major, operands swapped",
     .function = LIKE(matmul, matmul_swapped_operands)},
    {0},
};

static const struct mistake matmul_nt_mistakes[] = {
    {
        .id = "no-flag",
        .what = "b is not transposed: its memory is read as (K, N)",
        .why = "b is (N, K) here, and the product wants its transpose. Pass CblasTrans "
               "for b and keep its leading dimension K: a flag changes how b is read, "
               "not how it lies in memory.",
        .function = LIKE(matmul_nt, matmul_nt_no_flag),
    },
    {
        .id = "a-flagged",
        .what = "a is multiplied as if it were stored transposed, (K, M)",
        .why = "Only b is transposed: a (M, K) needs CblasNoTrans and the leading "
               "dimension K.",
        .function = LIKE(matmul_nt, matmul_nt_a_flagged),
    },
    {
        .id = "column-major",
        .what = "BLAS is told that the three matrices are stored column by column, not "
                "row by row",
        .why = "In this workbook rows lie one behind the other: the first argument is "
               "CblasRowMajor, and a leading dimension is the length of a stored row.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_column_major),
    },
    {
        .id = "out-transposed",
        .what = "the result is b a^T instead of a b^T: out holds (N, M)",
        .why = "With scores = q k^T this swaps query and key. a comes first, and row m "
               "of out starts at out + m * N.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_out_transposed),
    },
    {
        .id = "beta-one",
        .what = "out is NaN everywhere: the product was added to what lay there, or "
                "nothing was stored",
        .why = "out comes with anything in it (here NaN). With beta = 0.0f BLAS "
               "overwrites it; with beta = 1.0f it adds to it.",
        .function = LIKE(matmul_nt, matmul_added),
    },
    {0},
};

static const struct mistake matmul_nt_alternatives[] = {
    {.id = "loops", .what = "three loops", .function = LIKE(matmul_nt, matmul_nt_loops)},
    {.id = "swapped-operands",
     .what = "column-major, operands swapped",
     .function = LIKE(matmul_nt, matmul_nt_swapped_operands)},
    {0},
};

static const struct part product_parts[] = {
    {
        .function = "matmul",
        .dims = "M N K",
        .tensors = {{"out", "M N", OUTPUT, F32, 2e-5f, 2e-5f},
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
        .tensors = {{"out", "M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "a", .shape = "M K"},
                    {.name = "b", .shape = "N K"}},
        .cases = product_cases,
        .special = product_special,
        .mistakes = matmul_nt_mistakes,
        .alternatives = matmul_nt_alternatives,
    },
    {0},
};

// ---- 2.2  batched_matmul ------------------------------------------------------------------

static lab_status many_products(float *out, struct layout lo, const float *a,
                                struct layout la, const float *b, struct layout lb,
                                size_t B, size_t M, size_t N, size_t K)
{
    if (B == 0 || M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    multiply(out, lo, a, la, b, lb, B, M, N, K);
    return LAB_OK;
}

static lab_status batched_always_first(float *out, const float *a, const float *b,
                                       size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a, (struct layout){0, K, 1},
                         b, (struct layout){0, N, 1}, B, M, N, K);
}

static lab_status batched_b_always_first(float *out, const float *a, const float *b,
                                         size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){0, N, 1}, B, M,
                         N, K);
}

// The distance of a used for b. For M > N that would read past the end of b, where there
// is nothing to compare with: only one plain case with B > 1 has M > N, a small one. There the
// student's BLAS, which no sanitizer watches, reads the worker's guard zone, and that is NaN.
enum { MOST_BEYOND = 64 };
static lab_status products_by_stride_of_a(float *out, const float *a, const float *b,
                                          struct layout lb, size_t B, size_t M, size_t N,
                                          size_t K)
{
    const struct layout lo = {M * N, N, 1}, la = {M * K, K, 1};
    if (M > N && (B - 1) * (M - N) * K > MOST_BEYOND) {
        return LEAVES_ARGUMENTS; // past the guard zone as well
    }
    lb.matrix = (M < N ? M : N) * K;
    const lab_status status = many_products(out, lo, a, la, b, lb, B, M, N, K);
    for (size_t i = 0; status == LAB_OK && M > N && i < B * M * N; i++) {
        const size_t start = i / (M * N) * M * K, n = i % N;
        const size_t last = start + (K - 1) * lb.row + n * lb.column;
        const float *b_i = b + start, *a_im = a + i / N * K;
        float sum = last < B * K * N ? 0.0f : NAN;
        for (size_t k = 0; k < K && last < B * K * N; k++) {
            sum += a_im[k] * b_i[k * lb.row + n * lb.column];
        }
        out[i] = sum;
    }
    return status;
}

// A grid one block deep, and no loop: the other sequences are never written.
static lab_status batched_first_only(float *out, const float *a, const float *b, size_t B,
                                     size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){K * N, N, 1},
                         B > 0 ? 1 : 0, M, N, K);
}

static lab_status batched_b_stride(float *out, const float *a, const float *b, size_t B,
                                   size_t M, size_t N, size_t K)
{
    return products_by_stride_of_a(out, a, b, (struct layout){0, N, 1}, B, M, N, K);
}

static lab_status batched_b_flagged(float *out, const float *a, const float *b, size_t B,
                                    size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){K * N, 1, K}, B,
                         M, N, K);
}

static lab_status batched_loops(float *out, const float *a, const float *b, size_t B,
                                size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){K * N, N, 1}, B,
                         M, N, K);
}

static lab_status batched_nt_always_first(float *out, const float *a, const float *b,
                                          size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a, (struct layout){0, K, 1},
                         b, (struct layout){0, 1, K}, B, M, N, K);
}

static lab_status batched_nt_b_always_first(float *out, const float *a, const float *b,
                                            size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){0, 1, K}, B, M,
                         N, K);
}

static lab_status batched_nt_first_only(float *out, const float *a, const float *b,
                                        size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){K * N, 1, K},
                         B > 0 ? 1 : 0, M, N, K);
}

static lab_status batched_nt_b_stride(float *out, const float *a, const float *b,
                                      size_t B, size_t M, size_t N, size_t K)
{
    return products_by_stride_of_a(out, a, b, (struct layout){0, 1, K}, B, M, N, K);
}

static lab_status batched_nt_no_flag(float *out, const float *a, const float *b, size_t B,
                                     size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){N * K, N, 1}, B,
                         M, N, K);
}

// b (B, N, K) read as (K, N, B): the batch becomes the fastest axis.
static lab_status batched_nt_batch_fastest(float *out, const float *a, const float *b,
                                           size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){1, N * B, B}, B,
                         M, N, K);
}

// b (B, N, K) really transposed to (K, N, B), then read as B matrices (K, N).
static lab_status batched_nt_all_axes(float *out, const float *a, const float *b,
                                      size_t B, size_t M, size_t N, size_t K)
{
    if (B == 0 || M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                float sum = 0.0f;
                for (size_t k = 0; k < K; k++) {
                    const size_t place = (i * K + k) * N + n; // in the transposed buffer
                    const size_t from_k = place / (N * B), from_n = place / B % N;
                    sum +=
                        a[(i * M + m) * K + k] * b[(place % B * N + from_n) * K + from_k];
                }
                out[(i * M + m) * N + n] = sum;
            }
        }
    }
    return LAB_OK;
}

static lab_status batched_nt_out_transposed(float *out, const float *a, const float *b,
                                            size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, 1, M}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){N * K, 1, K}, B,
                         M, N, K);
}

static lab_status batched_nt_loops(float *out, const float *a, const float *b, size_t B,
                                   size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b, (struct layout){N * K, 1, K}, B,
                         M, N, K);
}

static const struct special_case batched_special[] = {
    {.dims = "B=2 M=3 N=4 K=5",
     .note = TINY_NOTE,
     .fill = tiny_factors,
     .unit = TINY * TINY},
    {.dims = "B=3 M=131 N=67 K=5",
     .note = "more rows than columns",
     .fill = small_factors,
     .apart = true,
     .cpu_only = true},
    {.dims = "B=2 M=521 N=3 K=7",
     .note = "many more rows than columns",
     .fill = small_factors,
     .apart = true,
     .cpu_only = true},
    {0},
};

// With B > 1, M stays below N but for one small case, so that the wrong distance of b can be
// named (products_by_stride_of_a).
static const struct case_spec batched_cases[] = {
    {.dims = "B=1 M=1 N=1 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=2 M=1 N=1 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=2 M=1 N=2 K=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=1 M=3 N=2 K=4", .note = "one sequence"},
    {.dims = "B=2 M=1 N=2 K=3",
     .note = "whole numbers, to check by hand",
     .fill = whole_factors},
    {.dims = "B=2 M=3 N=4 K=5"},
    {.dims = "B=3 M=3 N=3 K=3", .note = "every size is the same"},
    {.dims = "B=3 M=2 N=5 K=4"},
    {.dims = "B=2..5 M=2..4 N=5..8 K=2..7", .draws = 5},
    {.dims = "B=7 M=13 N=17 K=33", .note = "larger and odd"},
    {.dims = "B=2 M=5 N=4 K=3", .note = "more rows than columns"},
    {"B=3 M=67 N=71 K=131", 1, "larger than 64", small_factors},
    {"B=523 M=2 N=5 K=3", 1, "more than 512 sequences", small_factors},
    {"B=2 M=3 N=257 K=263", 1, "more than 65536 numbers in each b[i]", small_factors},
    {"B=1 M=521 N=131 K=2", 1, "more than 512 rows", small_factors},
    {"B=2 M=5 N=521 K=7", 1, "more than 512 columns", small_factors},
    {"B=2 M=5 N=7 K=521", 1, "sums of more than 512 terms", small_factors},
    {.dims = "B=0 M=2 N=3 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=0 N=3 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=2 N=0 K=4", .note = "a size is zero"},
    {.dims = "B=2 M=2 N=3 K=0", .note = "a size is zero"},
    {0},
};

// Property, here and below: another middle sequence, the other outputs as they were.

static void change_middle(struct test_case *second, const char *input)
{
    const size_t B = case_dim(second, "B");
    const size_t count = case_count(second, input) / B;
    float *x = case_f32(second, input) + B / 2 * count;
    for (size_t i = 0; i < count; i++) {
        x[i] = 0.5f - x[i];
    }
}

// BEGIN HANDED OUT
static bool others_unchanged(const struct test_case *first,
                             const struct test_case *second, const char *output,
                             char *why, size_t why_size)
{
    const size_t B = case_dim(first, "B");
    const size_t count = case_count(first, output) / B;
    const float *before = case_got(first, output);
    const float *after = case_got(second, output);
    for (size_t i = 0; i < B * count; i++) {
        const size_t sequence = i / count;
        if (sequence != B / 2 && !(before[i] == after[i])) {
            snprintf(
                why, why_size,
                "only sequence %zu of the input was changed, yet %s of sequence %zu went "
                "from %.9g to %.9g",
                B / 2, output, sequence, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static void change_one_product(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "a");
    change_middle(second, "b");
}

// BEGIN HANDED OUT
static bool other_products_unchanged(const struct test_case *first,
                                     const struct test_case *second, char *why,
                                     size_t why_size)
{
    return others_unchanged(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property batched_properties[] = {
    {
        .id = "sequences-apart",
        .claim = "changing one sequence leaves the products of the others as they were",
        .dims = "B=3 M=2 N=4 K=5",
        .change = change_one_product,
        HOLDS(other_products_unchanged),
    },
    {0},
};

static const struct mistake batched_matmul_mistakes[] = {
    {
        .id = "always-first",
        .what = "every sequence gets the product of sequence 0, not its own",
        .why = "a and b must move on with the batch: sequence i of a starts at a + i * M "
               "* K, of b at b + i * K * N.",
        .function = LIKE(batched_matmul, batched_always_first),
    },
    {
        .id = "b-always-first",
        .what = "b stays at sequence 0 while a and out move on",
        .why = "Every sequence has its own b. Sequence i of b starts at b + i * K * N.",
        .function = LIKE(batched_matmul, batched_b_always_first),
    },
    {
        .id = "b-stride",
        .what = "b moves on by M*K, the distance of a, not by its own",
        .why = "Each tensor has its own distance from one sequence to the next: the "
               "product of its own last two sizes, M*K for a, K*N for b, M*N for out.",
        .function = LIKE(batched_matmul, batched_b_stride),
    },
    {
        .id = "b-flagged",
        .what = "each b[i] is multiplied as if it were stored transposed, (N, K)",
        .why = "Here b[i] is (K, N) and used as it is; batched_matmul_nt is the one that "
               "transposes.",
        .function = LIKE(batched_matmul, batched_b_flagged),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is multiplied, the rest of out is never written",
        .why =
            "out holds B products. On the CPU that is a loop over the batch, on the GPU "
            "the z axis of the grid: blockIdx.z is the sequence.",
        .function = LIKE(batched_matmul, batched_first_only),
    },
    {0},
};

static const struct mistake batched_matmul_alternatives[] = {
    {.id = "loops",
     .what = "four loops",
     .function = LIKE(batched_matmul, batched_loops)},
    {0},
};

static const struct mistake batched_matmul_nt_mistakes[] = {
    {
        .id = "all-axes",
        .what = "all three axes of b are transposed, not only the last two",
        .why = "b (B, N, K) became (K, N, B), and its numbers were then read as B "
               "matrices (K, N): every product mixes sequences. Leave the batch axis "
               "alone: each b[i] transposes by itself.",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(batched_matmul_nt, batched_nt_all_axes),
    },
    {
        .id = "batch-fastest",
        .what = "b is read as (K, N, B), with the batch as its fastest axis",
        .why = "The batch axis stays in front: element (i, n, k) of b is b[(i * N + n) * "
               "K + k].",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(batched_matmul_nt, batched_nt_batch_fastest),
    },
    {
        .id = "no-flag",
        .what = "b[i] is not transposed: its memory is read as (K, N)",
        .why = "Each b[i] is (N, K), and the product wants its transpose: matmul_nt, not "
               "matmul.",
        .function = LIKE(batched_matmul_nt, batched_nt_no_flag),
    },
    {
        .id = "always-first",
        .what = "every sequence gets the product of sequence 0, not its own",
        .why = "a and b must move on with the batch: sequence i of a starts at a + i * M "
               "* K, of b at b + i * N * K.",
        .function = LIKE(batched_matmul_nt, batched_nt_always_first),
    },
    {
        .id = "b-always-first",
        .what = "b stays at sequence 0 while a and out move on",
        .why = "Every sequence has its own b. Sequence i of b starts at b + i * N * K.",
        .function = LIKE(batched_matmul_nt, batched_nt_b_always_first),
    },
    {
        .id = "b-stride",
        .what = "b moves on by M*K, the distance of a, not by its own",
        .why = "Each tensor has its own distance from one sequence to the next: the "
               "product of its own last two sizes, M*K for a, N*K for b, M*N for out.",
        .function = LIKE(batched_matmul_nt, batched_nt_b_stride),
    },
    {
        .id = "out-transposed",
        .what = "each result is b a^T instead of a b^T: out holds (B, N, M)",
        .why = "With scores = q k^T this swaps query and key. a[i] comes first, and its "
               "rows are the rows of out[i].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(batched_matmul_nt, batched_nt_out_transposed),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is multiplied, the rest of out is never written",
        .why =
            "out holds B products. On the CPU that is a loop over the batch, on the GPU "
            "the z axis of the grid: blockIdx.z is the sequence.",
        .function = LIKE(batched_matmul_nt, batched_nt_first_only),
    },
    {0},
};

static const struct mistake batched_matmul_nt_alternatives[] = {
    {.id = "loops",
     .what = "four loops",
     .function = LIKE(batched_matmul_nt, batched_nt_loops)},
    {0},
};

static const struct part batched_parts[] = {
    {
        .function = "batched_matmul",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "a", .shape = "B M K"},
                    {.name = "b", .shape = "B K N"}},
        .cases = batched_cases,
        .special = batched_special,
        .properties = batched_properties,
        .mistakes = batched_matmul_mistakes,
        .alternatives = batched_matmul_alternatives,
    },
    {
        .function = "batched_matmul_nt",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "a", .shape = "B M K"},
                    {.name = "b", .shape = "B N K"}},
        .cases = batched_cases,
        .special = batched_special,
        .properties = batched_properties,
        .mistakes = batched_matmul_nt_mistakes,
        .alternatives = batched_matmul_nt_alternatives,
    },
    {0},
};

// ---- 2.3  batched_linear ------------------------------------------------------------------

enum bias_rule { PER_OUTPUT, NO_BIAS, PER_TOKEN, PER_SEQUENCE, FIRST_SEQUENCE };

// The product, with a layout for x and w, and then the bias by one rule or another.
static lab_status linear_by(float *y, const float *x, struct layout lx, const float *w,
                            struct layout lw, const float *bias, enum bias_rule rule,
                            size_t B, size_t T, size_t I, size_t O)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    multiply(y, (struct layout){T * O, O, 1}, x, lx, w, lw, B, T, O, I);
    if (bias == NULL || rule == NO_BIAS) {
        return LAB_OK;
    }
    for (size_t i = 0; i < (rule == FIRST_SEQUENCE ? 1 : B); i++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t o = 0; o < O; o++) {
                // "% O" stays inside of bias; the cases have B and T at most O.
                const size_t place = rule == PER_TOKEN      ? t % O
                                     : rule == PER_SEQUENCE ? i % O
                                                            : o;
                y[(i * T + t) * O + o] += bias[place];
            }
        }
    }
    return LAB_OK;
}

#define RIGHT_X ((struct layout){T * I, I, 1})
#define RIGHT_W ((struct layout){0, 1, I})

static lab_status linear_no_bias(float *y, const float *x, const float *w,
                                 const float *bias, size_t B, size_t T, size_t I,
                                 size_t O)
{
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, NO_BIAS, B, T, I, O);
}

static lab_status linear_bias_per_token(float *y, const float *x, const float *w,
                                        const float *bias, size_t B, size_t T, size_t I,
                                        size_t O)
{
    if (bias != NULL && T > O) {
        return LEAVES_ARGUMENTS;
    }
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_TOKEN, B, T, I, O);
}

static lab_status linear_bias_per_sequence(float *y, const float *x, const float *w,
                                           const float *bias, size_t B, size_t T,
                                           size_t I, size_t O)
{
    if (bias != NULL && B > O) {
        return LEAVES_ARGUMENTS;
    }
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_SEQUENCE, B, T, I, O);
}

static lab_status linear_bias_first_sequence(float *y, const float *x, const float *w,
                                             const float *bias, size_t B, size_t T,
                                             size_t I, size_t O)
{
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, FIRST_SEQUENCE, B, T, I, O);
}

static lab_status linear_in_out(float *y, const float *x, const float *w,
                                const float *bias, size_t B, size_t T, size_t I, size_t O)
{
    return linear_by(y, x, RIGHT_X, w, (struct layout){0, O, 1}, bias, PER_OUTPUT, B, T,
                     I, O);
}

static lab_status linear_always_first(float *y, const float *x, const float *w,
                                      const float *bias, size_t B, size_t T, size_t I,
                                      size_t O)
{
    return linear_by(y, x, (struct layout){0, I, 1}, w, RIGHT_W, bias, PER_OUTPUT, B, T,
                     I, O);
}

// T rows instead of B * T: the other sequences are never written.
static lab_status linear_first_only(float *y, const float *x, const float *w,
                                    const float *bias, size_t B, size_t T, size_t I,
                                    size_t O)
{
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_OUTPUT, B > 0 ? 1 : 0, T, I, O);
}

// cublasSgemm with x in front: y becomes (O, B * T), row by row, and then gets its bias as if it
// were (B * T, O).
static lab_status linear_operands_swapped(float *y, const float *x, const float *w,
                                          const float *bias, size_t B, size_t T, size_t I,
                                          size_t O)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    multiply(y, (struct layout){0, B * T, 1}, w, (struct layout){0, I, 1}, x,
             (struct layout){0, 1, I}, 1, O, B * T, I);
    for (size_t i = 0; bias != NULL && i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;
}

static lab_status linear_loops(float *y, const float *x, const float *w,
                               const float *bias, size_t B, size_t T, size_t I, size_t O)
{
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_OUTPUT, B, T, I, O);
}

#undef RIGHT_X
#undef RIGHT_W

// Right: the bias is laid down first, and beta = 1 adds the product to it.
static lab_status linear_bias_first(float *y, const float *x, const float *w,
                                    const float *bias, size_t B, size_t T, size_t I,
                                    size_t O)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T * O; i++) {
        y[i] = bias == NULL ? 0.0f : bias[i % O];
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(B * T), (int)O, (int)I,
                1.0f, x, (int)I, w, (int)I, 1.0f, y, (int)O);
    return LAB_OK;
}

// Right: one product per sequence.
static lab_status linear_per_sequence(float *y, const float *x, const float *w,
                                      const float *bias, size_t B, size_t T, size_t I,
                                      size_t O)
{
    for (size_t i = 0; i < B; i++) {
        const lab_status status =
            linear_bias_first(y + i * T * O, x + i * T * I, w, bias, 1, T, I, O);
        if (status != LAB_OK) {
            return status;
        }
    }
    return B == 0 ? LAB_ESHAPE : LAB_OK;
}

static void without_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
}

static void whole_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(case_f32(test, "x"), case_count(test, "x"));
    make_whole(case_f32(test, "w"), case_count(test, "w"));
    make_whole(case_f32(test, "bias"), case_count(test, "bias"));
}

static void whole_layer_without_bias(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    case_absent(test, "bias");
}

static void tiny_layer(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale_input(test, "x", TINY);
    scale_input(test, "w", TINY);
    scale_input(test, "bias", TINY * TINY);
}

static const struct special_case linear_special[] = {
    {.dims = "B=2 T=3 I=5 O=4",
     .note = TINY_NOTE,
     .fill = tiny_layer,
     .unit = TINY * TINY},
    {.dims = "B=2 T=7 I=4 O=3", .note = "more tokens than outputs", .apart = true},
    {.dims = "B=7 T=2 I=4 O=3", .note = "more sequences than outputs", .apart = true},
    {0},
};

static void small_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(test, "x");
    make_small(test, "w");
    make_small(test, "bias");
}

static void small_layer_without_bias(struct test_case *test, struct lab_rng *rng)
{
    small_layer(test, rng);
    without_bias(test, rng);
}

// With a bias, B and T are at most O: a bias by token or by sequence stays inside. With more
// tokens than outputs the call would end there, in a crash that hides which mistake it was.
static const struct case_spec linear_cases[] = {
    {.dims = "B=1 T=1 I=1 O=1",
     .note = "no bias, whole numbers, to check by hand",
     .fill = whole_layer_without_bias},
    {.dims = "B=1 T=1 I=1 O=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=2 T=1 I=1 O=1",
     .note = "no bias, whole numbers, to check by hand",
     .fill = whole_layer_without_bias},
    {.dims = "B=1 T=2 I=3 O=2",
     .note = "one sequence, whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=2 T=1 I=3 O=2",
     .note = "one token per sequence, whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=2 T=3 I=4 O=5", .note = "no bias", .fill = without_bias},
    {.dims = "B=2 T=3 I=4 O=5"},
    {.dims = "B=3 T=4 I=5 O=5", .note = "a square weight"},
    {.dims = "B=4 T=7 I=5 O=3", .note = "no bias", .fill = without_bias},
    {.dims = "B=2..4 T=2..5 I=2..9 O=6..9", .draws = 4},
    {.dims = "B=3 T=17 I=33 O=19", .note = "larger and odd"},
    {"B=3 T=67 I=131 O=71", 1, "larger than 64", small_layer},
    {"B=131 T=3 I=5 O=137", 1, "more than 256 rows", small_layer},
    {"B=3 T=131 I=2 O=257", 1, "more than 256 outputs", small_layer},
    {"B=2 T=3 I=521 O=5", 1, "sums of more than 512 terms", small_layer},
    {"B=523 T=2 I=3 O=5", 1, "more than 512 sequences, no bias",
     small_layer_without_bias},
    {"B=2 T=521 I=5 O=3", 1, "more than 512 tokens, no bias", small_layer_without_bias},
    {"B=2 T=3 I=5 O=521", 1, "more than 512 outputs, no bias", small_layer_without_bias},
    {.dims = "B=0 T=3 I=4 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=0 I=4 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=3 I=0 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=3 I=4 O=0", .note = "a size is zero"},
    {0},
};

static void change_x(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

// BEGIN HANDED OUT
static bool other_y_unchanged(const struct test_case *first,
                              const struct test_case *second, char *why, size_t why_size)
{
    return others_unchanged(first, second, "y", why, why_size);
}
// END HANDED OUT

static const struct property linear_properties[] = {
    {
        .id = "sequences-apart",
        .claim = "changing one sequence leaves the rows of the others as they were",
        .dims = "B=3 T=2 I=4 O=5",
        .change = change_x,
        HOLDS(other_y_unchanged),
    },
    {0},
};

static const struct mistake linear_mistakes[] = {
    {
        .id = "no-bias",
        .what = "the bias is never added",
        .why = "y = x w^T + bias: after the product add bias[o] to y[b][t][o], in every "
               "row.",
        .function = LIKE(batched_linear, linear_no_bias),
    },
    {
        .id = "bias-per-token",
        .what = "the bias is picked by token, bias[t], not by output",
        .why = "bias has O entries, one for each column of y: add bias[o] to column o of "
               "every row.",
        .function = LIKE(batched_linear, linear_bias_per_token),
    },
    {
        .id = "bias-per-sequence",
        .what = "the bias is picked by sequence, bias[b], not by output",
        .why = "bias has O entries, one for each column of y: add bias[o] to column o of "
               "every row.",
        .function = LIKE(batched_linear, linear_bias_per_sequence),
    },
    {
        .id = "bias-first-sequence",
        .what = "the bias is added to the first T rows only, not to all B*T",
        .why = "There are B * T rows, T for each sequence: the loop that adds the bias "
               "must run over all of them.",
        .function = LIKE(batched_linear, linear_bias_first_sequence),
    },
    {
        .id = "in-out",
        .what = "the weight is read as (I, O) instead of (O, I)",
        .why = "Row o of w holds the I weights of output o, as in PyTorch: y = x w^T, so "
               "matmul_nt. With a square weight nothing but the numbers tells the two "
               "apart.",
        .source = "nntile/nntile#370",
        .function = LIKE(batched_linear, linear_in_out),
    },
    {
        .id = "always-first",
        .what = "every sequence gets the projection of sequence 0, not its own",
        .why = "x must move on with the batch. Seen as one matrix of B * T rows it needs "
               "no moving at all.",
        .function = LIKE(batched_linear, linear_always_first),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is projected, the rest of y is never written",
        .why = "The product ran over T rows. x holds B * T rows, and all of them go "
               "through the same weight.",
        .function = LIKE(batched_linear, linear_first_only),
    },
    {
        .id = "operands-swapped",
        .what = "the product is written as (O, B*T): y lies there transposed",
        .why =
            "cuBLAS stores columns where we store rows. For y row by row ask it for the "
            "columns of y^T = w x^T: w in front of x, O before B*T, and O as the leading "
            "dimension of y.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(batched_linear, linear_operands_swapped),
    },
    {0},
};

static const struct mistake linear_alternatives[] = {
    {.id = "loops", .what = "four loops", .function = LIKE(batched_linear, linear_loops)},
    {.id = "bias-first",
     .what = "bias laid down first, beta = 1",
     .function = LIKE(batched_linear, linear_bias_first)},
    {.id = "per-sequence",
     .what = "one product per sequence",
     .function = LIKE(batched_linear, linear_per_sequence)},
    {0},
};

static const struct part linear_parts[] = {
    {
        .function = "batched_linear",
        .dims = "B T I O",
        .tensors = {{"y", "B T O", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "x", .shape = "B T I"},
                    {.name = "w", .shape = "O I"},
                    {.name = "bias", .shape = "O"}},
        .cases = linear_cases,
        .special = linear_special,
        .properties = linear_properties,
        .mistakes = linear_mistakes,
        .alternatives = linear_alternatives,
    },
    {0},
};

// ---- 2.4  batched_softmax -----------------------------------------------------------------

// Softmax of count numbers that lie stride apart. All -INFINITY: zeros.
static void softmax_along(float *out, const float *in, size_t count, size_t stride)
{
    float max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        max = fmaxf(max, in[i * stride]);
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        out[i * stride] = max == -INFINITY ? 0.0f : expf(in[i * stride] - max);
        sum += (double)out[i * stride];
    }
    for (size_t i = 0; i < count && sum > 0.0; i++) {
        out[i * stride] = (float)((double)out[i * stride] / sum);
    }
}

static bool no_size(size_t B, size_t T, size_t S)
{
    return B == 0 || T == 0 || S == 0;
}

static lab_status softmax_over_batch(float *weights, const float *scores, size_t B,
                                     size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T * S; i++) {
        softmax_along(weights + i, scores + i, B, T * S);
    }
    return LAB_OK;
}

static lab_status softmax_over_queries(float *weights, const float *scores, size_t B,
                                       size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * S; i++) {
        const size_t first = i / S * T * S + i % S;
        softmax_along(weights + first, scores + first, T, S);
    }
    return LAB_OK;
}

static lab_status softmax_over_map(float *weights, const float *scores, size_t B,
                                   size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        softmax_along(weights + i * T * S, scores + i * T * S, T * S, 1);
    }
    return LAB_OK;
}

static lab_status softmax_over_all(float *weights, const float *scores, size_t B,
                                   size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    softmax_along(weights, scores, B * T * S, 1);
    return LAB_OK;
}

static lab_status softmax_first_only(float *weights, const float *scores, size_t B,
                                     size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T; i++) {
        softmax_along(weights + i * S, scores + i * S, S, 1);
    }
    return LAB_OK;
}

// What is subtracted before exp, and what becomes of a sum of 0.
enum shift { ROW_MAX, NOTHING, MAX_FROM_ZERO, MAX_FROM_MINUS_10000 };
enum empty { DIVIDE_ANYWAY, ZEROS };

static lab_status softmax_shifted(float *weights, const float *scores, size_t rows,
                                  size_t S, enum shift shift, enum empty empty)
{
    if (rows == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < rows; i++) {
        const float *in = scores + i * S;
        float *out = weights + i * S;
        float max = shift == ROW_MAX                ? -INFINITY
                    : shift == MAX_FROM_MINUS_10000 ? -10000.0f
                                                    : 0.0f;
        for (size_t s = 0; s < S && shift != NOTHING; s++) {
            max = fmaxf(max, in[s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            out[s] = expf(in[s] - max);
            sum += out[s];
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = sum == 0.0f && empty == ZEROS ? 0.0f : out[s] / sum;
        }
    }
    return LAB_OK;
}

static lab_status softmax_no_max(float *weights, const float *scores, size_t B, size_t T,
                                 size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, NOTHING, ZEROS);
}

static lab_status softmax_no_max_no_guard(float *weights, const float *scores, size_t B,
                                          size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, NOTHING, DIVIDE_ANYWAY);
}

static lab_status softmax_max_from_zero(float *weights, const float *scores, size_t B,
                                        size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, MAX_FROM_ZERO, ZEROS);
}

static lab_status softmax_max_from_zero_no_guard(float *weights, const float *scores,
                                                 size_t B, size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, MAX_FROM_ZERO, DIVIDE_ANYWAY);
}

static lab_status softmax_max_from_10000(float *weights, const float *scores, size_t B,
                                         size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, MAX_FROM_MINUS_10000, ZEROS);
}

static lab_status softmax_max_from_10000_no_guard(float *weights, const float *scores,
                                                  size_t B, size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, MAX_FROM_MINUS_10000,
                           DIVIDE_ANYWAY);
}

static lab_status softmax_empty_nan(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, ROW_MAX, DIVIDE_ANYWAY);
}

static lab_status softmax_empty_uniform(float *weights, const float *scores, size_t B,
                                        size_t T, size_t S)
{
    const lab_status status = softmax_shifted(weights, scores, B * T, S, ROW_MAX, ZEROS);
    for (size_t i = 0; status == LAB_OK && i < B * T; i++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[i * S + s]);
        }
        for (size_t s = 0; max == -INFINITY && s < S; s++) {
            weights[i * S + s] = 1.0f / (float)S;
        }
    }
    return status;
}

static lab_status softmax_not_divided(float *weights, const float *scores, size_t B,
                                      size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[i * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            const float score = scores[i * S + s];
            weights[i * S + s] = max == -INFINITY ? 0.0f : expf(score - max);
        }
    }
    return LAB_OK;
}

// Right: everything in double.
static lab_status softmax_in_double(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        double max = -INFINITY, sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            max = fmax(max, (double)in[s]);
        }
        for (size_t s = 0; s < S; s++) {
            sum += max == -INFINITY ? 0.0 : exp((double)in[s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            const double weight = sum == 0.0 ? 0.0 : exp((double)in[s] - max) / sum;
            weights[i * S + s] = (float)weight;
        }
    }
    return LAB_OK;
}

// Right: maximum and sum in one pass; the sum is scaled down whenever the maximum grows.
static lab_status softmax_online(float *weights, const float *scores, size_t B, size_t T,
                                 size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (in[s] > max) {
                sum = sum * expf(max - in[s]) + 1.0f;
                max = in[s];
            } else if (in[s] > -INFINITY) {
                sum += expf(in[s] - max);
            }
        }
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = sum == 0.0f ? 0.0f : expf(in[s] - max) / sum;
        }
    }
    return LAB_OK;
}

// Away from zero by 1000 at least, so that exp overflows or vanishes, in double too.
static void large_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = 4000.0f * scores[i] + (scores[i] < 0.0f ? -1000.0f : 1000.0f);
    }
}

static void shift_scores(struct test_case *test, float shift)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += shift;
    }
}

static void low_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_scores(test, -2000.0f);
}

static void very_low_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_scores(test, -30000.0f);
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
// maximum that misses it makes exp overflow, in double too.
static void one_far_above(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    const size_t place[] = {0, S - 1, S / 2};
    for (size_t n = 0; n < case_dim(test, "B") * case_dim(test, "T"); n++) {
        case_f32(test, "scores")[n * S + place[n % 3]] += 2000.0f;
    }
}

// One score above many, by 11 in row 0 and by 1.5 more in each later row: the many are next to
// nothing one by one, and take a visible share together.
static void many_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)(i / S);
        if (i % S == 37 * (i / S) % S) {
            scores[i] = 0.0f;
        }
    }
}

// Every third score is -INFINITY, and so is all of the second row of every sequence.
static void some_forbidden(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i % 3 == 0 || i / S % T == 1) {
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
    {.dims = "B=2 T=3 S=13", .note = "small shares", .fill = small_shares, .unit = 1e-6f},
    {0},
};

static const struct case_spec softmax_cases[] = {
    {.dims = "B=1 T=1 S=1"},
    {.dims = "B=1 T=1 S=2"},
    {.dims = "B=2 T=1 S=2"},
    {.dims = "B=1 T=2 S=3"},
    {.dims = "B=2 T=3 S=4"},
    {.dims = "B=3 T=2 S=5"},
    {.dims = "B=3 T=3 S=3", .note = "every size is the same"},
    {.dims = "B=2 T=3 S=4", .note = "large scores", .fill = large_scores},
    {.dims = "B=2 T=3 S=4", .note = "all scores near -2000", .fill = low_scores},
    {.dims = "B=2 T=3 S=4", .note = "all scores near -30000", .fill = very_low_scores},
    {.dims = "B=2 T=3 S=4",
     .note = "some scores, and one whole row, are -INFINITY",
     .fill = some_forbidden},
    {.dims = "B=2..5 T=2..7 S=2..9", .draws = 4},
    {.dims = "B=3 T=5 S=129", .note = "long rows"},
    {"B=2 T=3 S=5", 1, "one score of each row far above the rest", one_far_above},
    {"B=3 T=2 S=2", 1, "one score of each row far above the rest", one_far_above},
    {"B=3 T=1 S=521", 1, "one score of each row far above the rest", one_far_above},
    {"B=2 T=2 S=129", 1, "many small terms", many_small_terms},
    {"B=2 T=2 S=5", 1, "whole numbers near -1e7", millions_down},
    {"B=2 T=2 S=5", 1, "whole numbers near 1e7", millions_up},
    {.dims = "B=3 T=67 S=71", .note = "larger than 64"},
    {.dims = "B=521 T=3 S=2", .note = "more than 512 sequences"},
    {.dims = "B=2 T=521 S=67", .note = "more than 512 rows in a sequence"},
    {.dims = "B=3 T=5 S=521", .note = "more than 512 keys"},
    {.dims = "B=0 T=2 S=3", .note = "a size is zero"},
    {.dims = "B=2 T=0 S=3", .note = "a size is zero"},
    {.dims = "B=2 T=3 S=0", .note = "a size is zero"},
    {0},
};

static void change_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "scores");
}

// BEGIN HANDED OUT
static bool other_weights_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size);
}
// END HANDED OUT

static void lift_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    shift_scores(second, 5.0f);
}

// BEGIN HANDED OUT
static bool hidden_weigh_nothing(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    (void)first;
    const float *scores = case_input(second, "scores");
    const float *weights = case_got(second, "weights");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (scores[i] == -INFINITY && weights[i] != 0.0f) {
            snprintf(why, why_size, "a score of -INFINITY has the weight %.9g",
                     (double)weights[i]);
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
                     "the weight of row %zu is %.9g: is something added to the sum, such "
                     "as 1e-6?",
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
        .dims = "B=2 T=3 S=1",
        .change = lift_scores,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "hidden-keys",
        .claim = "a score of -INFINITY gets weight exactly 0",
        .dims = "B=2 T=3 S=4",
        .change = lift_scores,
        HOLDS(hidden_weigh_nothing),
        .fill = some_forbidden,
    },
    {
        .id = "sequences-apart",
        .claim = "changing one sequence leaves the weights of the others as they were",
        .dims = "B=3 T=2 S=4",
        .change = change_scores,
        HOLDS(other_weights_unchanged),
    },
    {0},
};

static const struct mistake softmax_mistakes[] = {
    {
        .id = "over-batch",
        .what = "the softmax runs over the batch, not over the keys",
        .why = "Sequences do not compete with each other. A row (b, t) has S scores "
               "lying side by side, and its S weights sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_batch),
    },
    {
        .id = "over-queries",
        .what = "the softmax runs down the columns, not along the rows: the weights of "
                "each key sum to 1",
        .why = "A query shares its attention out among the keys: along S, the last axis, "
               "the weights of one row sum to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(batched_softmax, softmax_over_queries),
    },
    {
        .id = "over-map",
        .what = "one softmax runs over the whole (T, S) map of a sequence, not one over "
                "each row",
        .why = "Each of the T rows has its own maximum and its own sum, and its weights "
               "sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_map),
    },
    {
        .id = "over-all",
        .what = "one softmax runs over the whole batch, not one over each row: all B*T*S "
                "weights together sum to 1",
        .why = "Each of the B * T rows has its own maximum and its own sum, and its "
               "weights sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_all),
    },
    {
        .id = "first-only",
        .what =
            "only the rows of the first sequence are computed, the rest is never written",
        .why = "The loop ran over T rows. There are B * T of them.",
        .function = LIKE(batched_softmax, softmax_first_only),
    },
    {
        .id = "no-max",
        .what = "the maximum of the row is not subtracted before exp",
        .why = "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum "
               "first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_softmax, softmax_no_max),
    },
    {
        .id = "no-max-no-guard",
        .what = "the maximum is not subtracted, and a row of -INFINITY gives NaN",
        .why = "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum "
               "first; and when every score is -INFINITY, write zeros.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_softmax, softmax_no_max_no_guard),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0 and misses rows of negative scores",
        .why = "When all scores of a row lie far below 0, every exp underflows to 0. "
               "Start at -INFINITY, or at the row's first score.",
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(batched_softmax, softmax_max_from_zero),
    },
    {
        .id = "max-from-zero-no-guard",
        .what = "the search for the maximum starts at 0, and a sum of 0 is divided by",
        .why = "When all scores of a row lie far below 0, every exp underflows to 0, and "
               "0/0 is NaN. Start at -INFINITY, and write zeros when every score is "
               "-INFINITY.",
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(batched_softmax, softmax_max_from_zero_no_guard),
    },
    {
        .id = "max-from-10000",
        .what =
            "the search for the maximum starts at -10000 and misses rows that lie below",
        .why = "When all scores of a row lie below that, every exp underflows to 0. "
               "Start at -INFINITY, or at the row's first score.",
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(batched_softmax, softmax_max_from_10000),
    },
    {
        .id = "max-from-10000-no-guard",
        .what =
            "the search for the maximum starts at -10000, and a sum of 0 is divided by",
        .why =
            "When all scores of a row lie below that, every exp underflows to 0, and 0/0 "
            "is NaN. Start at -INFINITY, and write zeros when every score is -INFINITY.",
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(batched_softmax, softmax_max_from_10000_no_guard),
    },
    {
        .id = "empty-row-nan",
        .what = "a row of -INFINITY becomes NaN instead of zeros",
        .why = "-INFINITY minus -INFINITY is NaN. When there is no key to look at, this "
               "workbook writes zeros (PyTorch writes NaN).",
        .source = "pytorch/pytorch#131060, NVIDIA/apex#1390",
        .function = LIKE(batched_softmax, softmax_empty_nan),
        .convention = true,
    },
    {
        .id = "empty-row-uniform",
        .what = "a row of -INFINITY gets the same weight everywhere instead of zeros",
        .why = "When there is no key to look at, this workbook writes zeros: no weight "
               "goes to a forbidden key.",
        .source = "tracel-ai/burn#4694, pytorch/pytorch#131060",
        .function = LIKE(batched_softmax, softmax_empty_uniform),
        .convention = true,
    },
    {
        .id = "not-divided",
        .what = "the rows are not divided by their sum",
        .why = "exp(score - max) is not a weight yet: divide each by the sum over its "
               "row, and the row sums to 1.",
        .function = LIKE(batched_softmax, softmax_not_divided),
    },
    {0},
};

static const struct mistake softmax_alternatives[] = {
    {.id = "in-double",
     .what = "everything in double",
     .function = LIKE(batched_softmax, softmax_in_double)},
    {.id = "online",
     .what = "maximum and sum in one pass",
     .function = LIKE(batched_softmax, softmax_online)},
    {0},
};

static const struct part softmax_parts[] = {
    {
        .function = "batched_softmax",
        .dims = "B T S",
        .tensors = {{"weights", "B T S", OUTPUT, F32, 1e-6f, 5e-6f},
                    {.name = "scores", .shape = "B T S"}},
        .cases = softmax_cases,
        .special = softmax_special,
        .properties = softmax_properties,
        .mistakes = softmax_mistakes,
        .alternatives = softmax_alternatives,
    },
    {0},
};

// ---- 2.5  batched_attention ---------------------------------------------------------------

#define ATTENTION_PARAMETERS                                                             \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        const float *x, const float *w_q, const float *w_k, const float *w_v, size_t B,  \
        size_t T, size_t C
#define ATTENTION_ARGUMENTS out, weights, q, k, v, scores, x, w_q, w_k, w_v, B, T, C

typedef lab_status softmax_function(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S);

// Right: rows one by one.
static lab_status softmax_over_keys(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, ROW_MAX, ZEROS);
}

// The ways in which the attention below departs from the right one; all zero: none.
struct departure {
    float scale;               // 0: 1/sqrt(C)
    softmax_function *softmax; // NULL: over the keys
    bool swapped;              // k q^T
    bool first_keys;           // keys of sequence 0 for all
    bool first_values;         // values of sequence 0 for all
    bool weights_in_out;       // projections read as (in, out)
    bool same_projection;      // w_q for q, k and v
    bool weights_transposed;   // weights^T v
    bool scale_queries;        // right: q / sqrt(C) before the product
};

static lab_status attend(const struct departure *departure, ATTENTION_PARAMETERS)
{
    if (no_size(B, T, C)) {
        return LAB_ESHAPE;
    }
    const struct layout rows = {T * C, C, 1}, columns = {T * C, 1, C},
                        map = {T * T, T, 1};
    const struct layout out_in = {0, 1, C}, in_out = {0, C, 1};
    const struct layout projection = departure->weights_in_out ? in_out : out_in;
    const bool same = departure->same_projection;
    multiply(q, rows, x, rows, w_q, projection, B, T, C, C);
    multiply(k, rows, x, rows, same ? w_q : w_k, projection, B, T, C, C);
    multiply(v, rows, x, rows, same ? w_q : w_v, projection, B, T, C, C);

    const float scale =
        departure->scale != 0.0f ? departure->scale : 1.0f / sqrtf((float)C);
    for (size_t i = 0; i < B * T * C && departure->scale_queries; i++) {
        q[i] *= scale;
    }
    struct layout keys = columns;
    keys.matrix = departure->first_keys ? 0 : T * C;
    if (departure->swapped) {
        multiply(scores, map, k, rows, q, columns, B, T, T, C);
    } else {
        multiply(scores, map, q, rows, k, keys, B, T, T, C);
    }
    for (size_t i = 0; i < B * T * T && !departure->scale_queries; i++) {
        scores[i] *= scale;
    }

    softmax_function *softmax = departure->softmax;
    const lab_status status =
        (softmax != NULL ? softmax : softmax_over_keys)(weights, scores, B, T, T);

    const struct layout map_transposed = {T * T, 1, T};
    struct layout values = rows;
    values.matrix = departure->first_values ? 0 : T * C;
    multiply(out, rows, weights, departure->weights_transposed ? map_transposed : map, v,
             values, B, T, C, T);
    return status;
}

static lab_status attention_no_scale(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.scale = 1.0f}, ATTENTION_ARGUMENTS);
}

static lab_status attention_scale_T(ATTENTION_PARAMETERS)
{
    const float scale = 1.0f / sqrtf((float)T);
    return attend(&(struct departure){.scale = scale}, ATTENTION_ARGUMENTS);
}

static lab_status attention_scale_B(ATTENTION_PARAMETERS)
{
    const float scale = 1.0f / sqrtf((float)B);
    return attend(&(struct departure){.scale = scale}, ATTENTION_ARGUMENTS);
}

static lab_status attention_scale_C(ATTENTION_PARAMETERS)
{
    const float scale = 1.0f / (float)C;
    return attend(&(struct departure){.scale = scale}, ATTENTION_ARGUMENTS);
}

static lab_status attention_times_root(ATTENTION_PARAMETERS)
{
    const float scale = sqrtf((float)C);
    return attend(&(struct departure){.scale = scale}, ATTENTION_ARGUMENTS);
}

static lab_status attention_swapped(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.swapped = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_first_keys(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.first_keys = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_first_values(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.first_values = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_over_queries(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_over_queries},
                  ATTENTION_ARGUMENTS);
}

static lab_status attention_over_batch(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_over_batch},
                  ATTENTION_ARGUMENTS);
}

static lab_status attention_over_map(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_over_map}, ATTENTION_ARGUMENTS);
}

static lab_status attention_over_all(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_over_all}, ATTENTION_ARGUMENTS);
}

static lab_status attention_no_max(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_no_max}, ATTENTION_ARGUMENTS);
}

static lab_status attention_no_max_no_guard(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.softmax = softmax_no_max_no_guard},
                  ATTENTION_ARGUMENTS);
}

static lab_status attention_in_out(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.weights_in_out = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_same_projection(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.same_projection = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_weights_transposed(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.weights_transposed = true}, ATTENTION_ARGUMENTS);
}

static lab_status attention_loops(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){0}, ATTENTION_ARGUMENTS);
}

static lab_status attention_scaled_queries(ATTENTION_PARAMETERS)
{
    return attend(&(struct departure){.scale_queries = true}, ATTENTION_ARGUMENTS);
}

// Right: all of it for one sequence, then the next.
static lab_status attention_per_sequence(ATTENTION_PARAMETERS)
{
    for (size_t i = 0; i < B; i++) {
        const size_t rows = i * T * C, map = i * T * T;
        const lab_status status =
            attend(&(struct departure){0}, out + rows, weights + map, q + rows, k + rows,
                   v + rows, scores + map, x + rows, w_q, w_k, w_v, 1, T, C);
        if (status != LAB_OK) {
            return status;
        }
    }
    return B == 0 ? LAB_ESHAPE : LAB_OK;
}

// Projections of size / sqrt(C) keep q, k and v at unit scale, whatever C. At unit size
// the scores would grow with C, and one key would take everything in every row.
static void scale_projections(struct test_case *test, float size)
{
    const size_t C = case_dim(test, "C");
    const char *names[] = {"w_q", "w_k", "w_v"};
    for (size_t i = 0; i < 3; i++) {
        float *w = case_f32(test, names[i]);
        for (size_t j = 0; j < C * C; j++) {
            w[j] *= size / sqrtf((float)C);
        }
    }
}

static void unit_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 1.0f);
}

// For wide tokens and long sequences: multiplied where they should be divided, scores stay small enough to be the
// same in every right order of sums.
static void flat_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 0.3f);
}

static void sharp_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 1.4f);
}

// Scores in the hundreds: exp overflows unless the maximum is subtracted. Whole numbers,
// B = T = 4 and C = 16 make every score exact, right or wrongly scaled, in whatever order it
// is summed: a rounding error in a large score would be a visible error in its weight. With
// w_k = w_q every row has a large score above zero, its own.
static void huge_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const char *names[] = {"x", "w_q", "w_v"};
    for (size_t i = 0; i < 3; i++) {
        float *input = case_f32(test, names[i]);
        for (size_t j = 0; j < case_count(test, names[i]); j++) {
            input[j] = rintf(2.0f * input[j]);
        }
    }
    memcpy(case_f32(test, "w_k"), case_f32(test, "w_q"),
           case_count(test, "w_q") * sizeof(float));
}

// All scores of a sequence near 2500, or near -2500 in every other one: channel 0 of x is 1 and
// channel 1 the sign, component 0 of the queries looks at the one and of the keys at the other,
// and component 1 makes the differences, whole numbers. Exact for the same reasons.
static void far_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const float sign = i / (T * C) % 2 == 0 ? 1.0f : -1.0f;
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        const size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// Each token's own score lies 2500 above those of the others, so that the largest is in turn the
// first, a middle and the last of its row. The first T channels of x say which token it is, and
// w_q and w_k look at nothing else.
static void own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const size_t t = i / C % T, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        const size_t o = i / C, c = i % C;
        w_q[i] = o == c && c < T ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c && c < T ? 100.0f : 0.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// C = 1 does not come first: a factor that is computed in the first call and kept would be 1
// for all that follow, and look as if the division were missing.
static const struct case_spec attention_cases[] = {
    {.dims = "B=1 T=1 C=2", .fill = unit_scores},
    {.dims = "B=2 T=1 C=3", .note = "one token: its weight is 1", .fill = unit_scores},
    {.dims = "B=1 T=2 C=3", .note = "one sequence", .fill = unit_scores},
    {.dims = "B=2 T=3 C=5", .fill = unit_scores},
    {.dims = "B=3 T=2 C=4", .fill = sharp_scores},
    {.dims = "B=3 T=3 C=3", .note = "every size is the same", .fill = unit_scores},
    {.dims = "B=2 T=7 C=5", .note = "more tokens than channels", .fill = unit_scores},
    {.dims = "B=2..4 T=5..6 C=7..9", .draws = 4, .fill = unit_scores},
    {.dims = "B=3 T=7 C=11", .note = "sharper weights", .fill = sharp_scores},
    {.dims = "B=4 T=4 C=16", .note = "scores in the hundreds", .fill = huge_scores},
    {.dims = "B=5 T=9 C=17", .note = "larger and odd", .fill = unit_scores},
    {.dims = "B=2 T=3 C=1", .note = "width 1", .fill = unit_scores},
    {.dims = "B=4 T=4 C=16", .note = "all scores near 2500 or -2500", .fill = far_scores},
    {.dims = "B=4 T=4 C=16",
     .note = "each token's own score far above the rest",
     .fill = own_score_huge},
    {.dims = "B=3 T=67 C=71", .note = "larger than 64", .fill = flat_scores},
    {.dims = "B=2 T=131 C=67", .note = "larger than 64", .fill = flat_scores},
    {.dims = "B=521 T=3 C=2", .note = "more than 512 sequences", .fill = unit_scores},
    {.dims = "B=67 T=1 C=3", .note = "one token: its weight is 1", .fill = unit_scores},
    {.dims = "B=1 T=263 C=3", .note = "more than 256 tokens", .fill = flat_scores},
    {.dims = "B=2 T=3 C=257", .note = "wider than 256", .fill = flat_scores},
    {.dims = "B=0 T=2 C=3", .note = "a size is zero"},
    {.dims = "B=2 T=0 C=3", .note = "a size is zero"},
    {.dims = "B=2 T=3 C=0", .note = "a size is zero"},
    {0},
};

static void change_sequence(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

// BEGIN HANDED OUT
static bool other_outputs_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size) &&
           others_unchanged(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "single-key",
        .claim = "a token that is alone in its sequence gives itself weight 1",
        .dims = "B=5 T=1 C=3",
        .change = change_sequence,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "sequences-apart",
        .claim = "changing one sequence leaves the outputs of the others as they were",
        .dims = "B=3 T=4 C=2",
        .change = change_sequence,
        HOLDS(other_outputs_unchanged),
    },
    {0},
};

static const struct mistake attention_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "Without 1/sqrt(C) the scores grow with the width, and the softmax gives "
               "nearly all weight to one key. Multiply every score by 1.0f / "
               "sqrtf((float)C) before the softmax.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(batched_attention, attention_no_scale),
    },
    {
        .id = "scale-sqrt-T",
        .what = "the scores are divided by sqrt(T), the length, not by sqrt(C)",
        .why = "q . k is a sum of C products, so its spread is sqrt(C). The number of "
               "tokens has nothing to do with it.",
        .function = LIKE(batched_attention, attention_scale_T),
    },
    {
        .id = "scale-sqrt-B",
        .what = "the scores are divided by sqrt(B), the batch, not by sqrt(C)",
        .why = "q . k is a sum of C products, so its spread is sqrt(C). A sequence must "
               "come out the same whoever is in the batch with it.",
        .function = LIKE(batched_attention, attention_scale_B),
    },
    {
        .id = "scale-C",
        .what = "the scores are divided by C instead of sqrt(C)",
        .why = "A sum of C products spreads like sqrt(C). Divided by C the scores come "
               "too close together and the weights become too even.",
        .function = LIKE(batched_attention, attention_scale_C),
    },
    {
        .id = "times-root",
        .what = "the scores are multiplied by sqrt(C) instead of divided",
        .why = "C to the power -1/2 is already 1/sqrt(C): multiply by it, or divide by "
               "sqrtf((float)C), but do not divide by the power.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(batched_attention, attention_times_root),
    },
    {
        .id = "swapped",
        .what = "queries and keys are swapped: the scores are k q^T",
        .why = "Row t of the scores belongs to query t: scores = q k^T, so q is the "
               "first argument of batched_matmul_nt.",
        .function = LIKE(batched_attention, attention_swapped),
    },
    {
        .id = "first-keys",
        .what = "every sequence looks at the keys of sequence 0, not at its own",
        .why = "Sequences do not talk to each other: the queries of sequence b meet the "
               "keys of sequence b, at k + b * T * C.",
        .function = LIKE(batched_attention, attention_first_keys),
    },
    {
        .id = "first-values",
        .what = "every sequence mixes the values of sequence 0, not its own",
        .why = "Sequences do not talk to each other: the weights of sequence b mix the "
               "values of sequence b, at v + b * T * C.",
        .function = LIKE(batched_attention, attention_first_values),
    },
    {
        .id = "over-queries",
        .what = "the softmax runs down the columns, not along the rows: the weights of "
                "each key sum to 1",
        .why = "A query shares its attention out among the keys: each row of the weights "
               "sums to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(batched_attention, attention_over_queries),
    },
    {
        .id = "over-batch",
        .what = "the softmax runs over the batch, not over the keys",
        .why = "Sequences do not compete with each other: each row of the weights sums "
               "to 1.",
        .function = LIKE(batched_attention, attention_over_batch),
    },
    {
        .id = "over-map",
        .what =
            "one softmax runs over the whole map of a sequence, not one over each row",
        .why = "Each query has its own softmax: every one of the T rows sums to 1.",
        .function = LIKE(batched_attention, attention_over_map),
    },
    {
        .id = "over-all",
        .what = "one softmax runs over the whole batch, not one over each row",
        .why = "Each query of each sequence has its own softmax: every one of the B * T "
               "rows sums to 1.",
        .function = LIKE(batched_attention, attention_over_all),
    },
    {
        .id = "no-max",
        .what = "the maximum of the row is not subtracted before exp",
        .why = "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum "
               "first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_attention, attention_no_max),
    },
    {
        .id = "no-max-no-guard",
        .what = "the maximum is not subtracted, and a sum of 0 is divided by",
        .why =
            "expf overflows above 88.7 and gives 0 far below zero; inf/inf and 0/0 are "
            "NaN. Subtract the row's maximum first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_attention, attention_no_max_no_guard),
    },
    {
        .id = "in-out",
        .what = "the projection weights are read as (in, out) instead of (out, in)",
        .why = "Row o of w_q holds the weights of output o: q = x w_q^T. They are square "
               "here, so no size check can notice.",
        .source = "nntile/nntile#370",
        .function = LIKE(batched_attention, attention_in_out),
    },
    {
        .id = "same-projection",
        .what = "q, k and v all come from w_q: w_k and w_v are never used",
        .why = "There are three weights: w_q for the queries, w_k for the keys, w_v for "
               "the values.",
        .function = LIKE(batched_attention, attention_same_projection),
    },
    {
        .id = "weights-transposed",
        .what = "the values are mixed with the columns of the weights, not with the rows",
        .why = "out[t] is the sum over s of weights[t][s] v[s]: batched_matmul with the "
               "weights first, and nothing transposed.",
        .function = LIKE(batched_attention, attention_weights_transposed),
    },
    {0},
};

static const struct mistake attention_alternatives[] = {
    {.id = "loops",
     .what = "loops instead of BLAS",
     .function = LIKE(batched_attention, attention_loops)},
    {.id = "scaled-queries",
     .what = "the queries are scaled before the product",
     .function = LIKE(batched_attention, attention_scaled_queries)},
    {.id = "per-sequence",
     .what = "one sequence after the other",
     .function = LIKE(batched_attention, attention_per_sequence)},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "batched_attention",
        .dims = "B T C",
        .tensors = {{"out", "B T C", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"weights", "B T T", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "q", .shape = "B T C", .role = WORKSPACE},
                    {.name = "k", .shape = "B T C", .role = WORKSPACE},
                    {.name = "v", .shape = "B T C", .role = WORKSPACE},
                    {.name = "scores", .shape = "B T T", .role = WORKSPACE},
                    {.name = "x", .shape = "B T C"},
                    {.name = "w_q", .shape = "C C"},
                    {.name = "w_k", .shape = "C C"},
                    {.name = "w_v", .shape = "C C"}},
        .cases = attention_cases,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "2.1",
        .name = "matmul",
        .section = "2.1 One product by BLAS",
        .hints = {"A leading dimension is the distance in memory from one stored row to "
                  "the next. "
                  "Which of M, N and K is that for a, for b and for out? The flag "
                  "changes none of "
                  "them.",
                  "out(M,N) = 1 * op(a) op(b) + 0 * out. Row-major leading dimensions: a "
                  "(M,K) has K; "
                  "b has N as (K,N), and K as (N,K); out (M,N) has N. matmul_nt differs "
                  "in the flag "
                  "of b and its leading dimension, and in nothing else.",
                  "cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, N, K, 1.0f, "
                  "a, K, b, K, "
                  "0.0f, out, N) is matmul_nt, each size cast to int. For matmul two "
                  "arguments "
                  "change."},
        .parts = product_parts,
    },
    {
        .id = "2.2",
        .name = "batched_matmul",
        .section = "2.2 One product per sequence",
        .uses = {"2.1"},
        .hints = {"Sequence i is a matrix like any other, only further down in memory. "
                  "How many "
                  "floats lie before it in a, in b, in out?",
                  "out[i] = a[i] b[i] with a[i] at a + i*M*K, b[i] at b + i*K*N (or "
                  "i*N*K: the same "
                  "number), out[i] at out + i*M*N.",
                  "for each i < B: status = matmul(out + i * M * N, a + i * M * K, b + i "
                  "* K * N, M, "
                  "N, K); return status when it is not LAB_OK. The other one calls "
                  "matmul_nt."},
        .gpu_hints =
            {"The grid has a third axis. What does blockIdx.z have to change in lab 1's "
             "kernel, and for which of the three pointers?",
             "i = blockIdx.z; a + i*M*K, b + i*K*N, out + i*M*N, then lab 1's kernel as "
             "it "
             "is. The grid is (N/16, M/16, B), each rounded up, and y and z at most "
             "65535: "
             "loop for (i = blockIdx.z; i < B; i += gridDim.z).",
             "for i = blockIdx.z; i < B; i += gridDim.z:\n"
             "      a = a_dev + i * M * K; b = b_dev + i * K * N\n"
             "      the loops of 1.5 (of 1.3 for nt, with b[(n0 + y) * K + k0 + x])\n"
             "      out_dev[(i * M + m) * N + n] = sum\n"
             "  launcher: grid((N + 15) / 16, min((M + 15) / 16, 65535), min(B, 65535))"},
        .parts = batched_parts,
    },
    {
        .id = "2.3",
        .name = "batched_linear",
        .section = "2.3 One product over all rows",
        .uses = {"2.1"},
        .hints =
            {"Every token meets the same weight. Does the product need to know where one "
             "sequence ends and the next begins?",
             "Seen as a matrix, x is (B*T, I) and y is (B*T, O): y = x w^T with w (O, "
             "I), then "
             "y[n][o] += bias[o] for each of the B*T rows, unless bias is NULL.",
             "status = matmul_nt(y, x, w, B * T, O, I); return it when it is not LAB_OK "
             "or bias "
             "is NULL; for n < B * T, for o < O: y[n * O + o] += bias[o]."},
        .gpu_hints =
            {"cuBLAS takes our rows for columns: where we have x (N,I), it sees a matrix "
             "(I,N). What does it have to compute so that its columns are our rows of y?",
             "It must make y^T (O,N) = w x^T. It sees w as (I,O), so w gets CUBLAS_OP_T; "
             "it "
             "sees x as (I,N), which is x^T already: CUBLAS_OP_N. Sizes O, N, I in this "
             "order; "
             "leading dimensions I, I, O: our row lengths.",
             "cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, O, N, I, &one, w_dev, I, "
             "x_dev, "
             "I, &zero, y_dev, O) with N = B * T and every size cast to int; "
             "lab_cublas() of "
             "what it returns; then add_bias_kernel over (N,O) unless bias_dev is NULL."},
        .parts = linear_parts,
    },
    {
        .id = "2.4",
        .name = "batched_softmax",
        .section = "2.4 Softmax of every row",
        .hints = {"A row does not know which sequence it belongs to. How many rows are "
                  "there, and "
                  "where does row n start?",
                  "Row n < B*T starts at scores + n*S. Its weights are exp(score - max) "
                  "/ sum, with "
                  "max and sum of that row alone. When max is -INFINITY, write zeros.",
                  "per row: float max = -INFINITY; max = fmaxf(max, row[s]) over s; when "
                  "max == "
                  "-INFINITY write S zeros and go on; weights[s] = expf(row[s] - max) "
                  "and sum += "
                  "weights[s]; then weights[s] /= sum."},
        .parts = softmax_parts,
    },
    {
        .id = "2.5",
        .name = "batched_attention",
        .section = "2.5 Attention over a batch",
        .uses = {"2.2", "2.3", "2.4"},
        .gpu_uses = {"1.4", "2.2", "2.3"},
        .hints = {"You have written every step already. Write the shape beside each one: "
                  "which "
                  "function takes (B,T,C) and (B,T,C) to (B,T,T)?",
                  "q, k, v = batched_linear of x without bias; scores = "
                  "batched_matmul_nt of q and k, "
                  "over sqrt(C); weights = batched_softmax; out = batched_matmul of "
                  "weights and v.",
                  "batched_linear(q, x, w_q, NULL, B, T, C, C), the same for k and v; "
                  "batched_matmul_nt(scores, q, k, B, T, T, C); scores[i] *= 1.0f / "
                  "sqrtf((float)C) "
                  "for i < B*T*T; batched_softmax(weights, scores, B, T, T); "
                  "batched_matmul(out, "
                  "weights, v, B, T, C, T)."},
        .gpu_hints =
            {"Three calls of 2.3, one cuBLAS call for all scores, lab 1's softmax over B "
             "* T "
             "rows, one cuBLAS call for all outputs. Write down the shapes that cuBLAS "
             "sees.",
             "scores^T = k q^T: OP_T, OP_N, sizes T, T, C, k before q, leading "
             "dimensions C, "
             "C, T, strides T*C, T*C, T*T, alpha = 1/sqrt(C). out^T = v^T weights^T: "
             "OP_N, "
             "OP_N, sizes C, T, T, v before weights, leading dimensions C, T, C.",
             "cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, T, T, C, "
             "&scale, "
             "k_dev, C, T*C, q_dev, C, T*C, &zero, scores_dev, T, T*T, B); "
             "softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream); then "
             "(CUBLAS_OP_N, "
             "CUBLAS_OP_N, C, T, T, &one, v_dev, C, T*C, weights_dev, T, T*T, &zero, "
             "out_dev, "
             "C, T*C, B)."},
        .parts = attention_parts,
    },
    {0},
};

static const struct exercise *const exercises[] = {&all[0], &all[1], &all[2],
                                                   &all[3], &all[4], NULL};

const struct lab lab_02 = {"Batching", exercises};

#endif
