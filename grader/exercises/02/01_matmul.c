// 01_matmul.c - exercise 2.1, matmul: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/inputs.h"

#include <cblas.h>
#include <math.h>

#include "02_batching/batching.h"

#define MATMUL_ARGUMENTS                                                                 \
    float *out, const float *a, const float *b, size_t M, size_t N, size_t K

// MATMUL(name, out, a, b): a product of matrices with these layouts.
#define MATMUL(name, out_lies, a_lies, b_lies)                                           \
    static lab_status name(MATMUL_ARGUMENTS)                                             \
    {                                                                                    \
        if (M == 0 || N == 0 || K == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        multiply(out, out_lies, a, a_lies, b, b_lies, 1, M, N, K);                       \
        return LAB_OK;                                                                   \
    }
#define ROWS_OF(width) ((struct layout){0, width, 1})
#define COLUMNS_OF(height) ((struct layout){0, 1, height})

// CblasTrans for b with its leading dimension K: b (K, N) read as if it were (N, K).
MATMUL(matmul_b_flagged, ROWS_OF(N), ROWS_OF(K), COLUMNS_OF(K))
// CblasTrans for a with its leading dimension M: a (M, K) read as if it were (K, M).
MATMUL(matmul_a_flagged, ROWS_OF(N), COLUMNS_OF(M), ROWS_OF(N))
// CblasColMajor with leading dimensions M, K, M.
MATMUL(matmul_column_major, COLUMNS_OF(M), COLUMNS_OF(M), COLUMNS_OF(K))
// The right numbers, stored by columns.
MATMUL(matmul_out_transposed, COLUMNS_OF(M), ROWS_OF(K), ROWS_OF(N))
// Right: three loops.
MATMUL(matmul_loops, ROWS_OF(N), ROWS_OF(K), ROWS_OF(N))

MATMUL(matmul_nt_no_flag, ROWS_OF(N), ROWS_OF(K), ROWS_OF(N))
MATMUL(matmul_nt_a_flagged, ROWS_OF(N), COLUMNS_OF(M), COLUMNS_OF(K))
// CblasColMajor, CblasNoTrans, CblasTrans with leading dimensions M, N, M.
MATMUL(matmul_nt_column_major, COLUMNS_OF(M), COLUMNS_OF(M), ROWS_OF(N))
// b a^T instead of a b^T.
MATMUL(matmul_nt_out_transposed, COLUMNS_OF(M), ROWS_OF(K), COLUMNS_OF(K))
MATMUL(matmul_nt_loops, ROWS_OF(N), ROWS_OF(K), COLUMNS_OF(K))

// Right: read by columns, row-major memory is the transpose, and out^T = b^T a^T.
#define SWAPPED_OPERANDS(name, b_flag, b_leading)                                        \
    static lab_status name(MATMUL_ARGUMENTS)                                             \
    {                                                                                    \
        if (M == 0 || N == 0 || K == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        cblas_sgemm(CblasColMajor, b_flag, CblasNoTrans, (int)N, (int)M, (int)K, 1.0f,   \
                    b, (int)b_leading, a, (int)K, 0.0f, out, (int)N);                    \
        return LAB_OK;                                                                   \
    }

SWAPPED_OPERANDS(matmul_swapped_operands, CblasNoTrans, N)
SWAPPED_OPERANDS(matmul_nt_swapped_operands, CblasTrans, K)

// beta = 1: poison plus a number is poison.
static lab_status matmul_added(MATMUL_ARGUMENTS)
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
    {.dims = "M=19 N=17 K=33", .note = "larger, odd sizes"},
    {.dims = "M=5 N=7 K=7", .note = "b is square"},
    {.dims = "M=7 N=5 K=7", .note = "a is square"},
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
    {.dims = "M=0 N=2 K=3", .note = "a size is zero"},
    {.dims = "M=2 N=0 K=3", .note = "a size is zero"},
    {.dims = "M=2 N=3 K=0", .note = "a size is zero"},
    {.dims = "M=3 N=2 K=5", .note = TINY_NOTE, .fill = tiny_factors, .unit = TINY * TINY},
    {.dims = "M=3 N=2 K=5", .note = LARGE_NOTE, .fill = large_factors},
    {TOO_LARGE_FOR_BLAS("M=3 N=2 K=5", "M", "M")},
    {TOO_LARGE_FOR_BLAS("M=3 N=2 K=5", "N", "N")},
    {TOO_LARGE_FOR_BLAS("M=3 N=2 K=5", "K", "K")},
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

static const struct mistake matmul_mistakes[] = {
    {
        .id = "b-flagged",
        .what = "b is multiplied as if it were stored transposed, (N, K)",
        .why = "b is (K, N) and row-major. It needs CblasNoTrans and the leading "
               "dimension N, its row length.",
        .function = LIKE(matmul, matmul_b_flagged),
    },
    {
        .id = "a-flagged",
        .what = "a is multiplied as if it were stored transposed, (K, M)",
        .why = "a is (M, K) and row-major. It needs CblasNoTrans and the leading "
               "dimension K, its row length.",
        .function = LIKE(matmul, matmul_a_flagged),
    },
    {
        .id = "column-major",
        .what = "the call says that the three matrices are stored column by column, not "
                "row by row",
        .why = "This workbook stores matrices row by row. The first argument is "
               "CblasRowMajor, and a leading dimension is the length of a stored row.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_column_major),
    },
    {
        .id = "out-transposed",
        .what = "the product is stored transposed: out holds (N, M), not (M, N)",
        .why = "The numbers are right but stored column by column. With CblasRowMajor "
               "and the leading dimension N for out, row m starts at out + m * N.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul, matmul_out_transposed),
    },
    {
        .id = "beta-one",
        .what = "out is NaN everywhere: the product was added to its old contents, or "
                "nothing was stored",
        .why = "out can contain anything at first (here NaN). With beta = 0.0f BLAS "
               "overwrites it; with beta = 1.0f BLAS adds to it.",
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
        .why = "Here b is (N, K), and the product needs its transpose. Pass CblasTrans "
               "for b and keep its leading dimension K. The flag changes how BLAS reads "
               "b, not how b is stored.",
        .function = LIKE(matmul_nt, matmul_nt_no_flag),
    },
    {
        .id = "a-flagged",
        .what = "a is multiplied as if it were stored transposed, (K, M)",
        .why = "Only b is transposed. a (M, K) needs CblasNoTrans and the leading "
               "dimension K.",
        .function = LIKE(matmul_nt, matmul_nt_a_flagged),
    },
    {
        .id = "column-major",
        .what = "the call says that the three matrices are stored column by column, not "
                "row by row",
        .why = "This workbook stores matrices row by row. The first argument is "
               "CblasRowMajor, and a leading dimension is the length of a stored row.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_column_major),
    },
    {
        .id = "out-transposed",
        .what = "the result is b a^T instead of a b^T: out holds (N, M)",
        .why = "In scores = q k^T this swaps queries and keys. a comes first, and row m "
               "of out starts at out + m * N.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(matmul_nt, matmul_nt_out_transposed),
    },
    {
        .id = "beta-one",
        .what = "out is NaN everywhere: the product was added to its old contents, or "
                "nothing was stored",
        .why = "out can contain anything at first (here NaN). With beta = 0.0f BLAS "
               "overwrites it; with beta = 1.0f BLAS adds to it.",
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
        .mistakes = matmul_nt_mistakes,
        .alternatives = matmul_nt_alternatives,
    },
    {0},
};

const struct exercise exercise_2_1 = {
    .id = "2.1",
    .name = "matmul",
    .section = "2.1 One product by BLAS",
    .hints = {"A leading dimension is the distance in memory from one stored row to the "
              "next. Which of M, N and K is it for a, for b and for out? The flag does "
              "not change it.",
              "out(M,N) = 1 * op(a) op(b) + 0 * out. Row-major leading dimensions: K for "
              "a (M,K); N for b (K,N), but K for b (N,K); N for out (M,N). matmul_nt "
              "differs only in the flag and the leading dimension of b.",
              "m, n, k = (int)M, (int)N, (int)K\n"
              "matmul_nt: cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, "
              "1.0f, a, k, b, k, 0.0f, out, n)\n"
              "matmul: the same with two other arguments, the flag of b and its leading "
              "dimension\n"
              "return LAB_OK"},
    .parts = product_parts,
};
