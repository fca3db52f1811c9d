// 05_linear_backward.c - exercise 6.5, linear_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "06_copy_task/copy_task.h"

static void add_to(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

// Makes the numbers already in dw and dbias small, so that adding to them costs no accuracy.
static void fill_linear(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "dw", 0.5f);
    scale_input(test, "dbias", 0.5f);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const names[] = {"dy", "x", "w", "dbias", "dw"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        make_whole(test, names[i]);
        scale_input(test, names[i], TINY);
    }
    scale_input(test, "dw", TINY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_linear(test, rng);
    scale_input(test, "dy", LARGE);
}

static void fill_no_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_linear(test, rng);
    case_absent(test, "dbias");
}

// Sums of 261 to 523 products of unit scale are near 16 to 23, with rounding errors to match.
// Multiplying by exactly 1/32 brings them below 1, the scale that the tolerance is meant for.
static void fill_long_sums(struct test_case *test, struct lab_rng *rng)
{
    fill_linear(test, rng);
    float *dy = case_f32(test, "dy");
    for (size_t i = 0; i < case_count(test, "dy"); i++) {
        dy[i] *= 0.03125f;
    }
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "dy", 1);
    repeat_numbers(test, "x", 2);
    repeat_numbers(test, "w", 4);
    repeat_numbers(test, "dw", 3);
    repeat_numbers(test, "dbias", 6);
}

static const struct case_spec linear_backward_cases[] = {
    {.dims = "N=1 I=1 O=1", .fill = fill_linear},
    {.dims = "N=1 I=2 O=3", .fill = fill_linear},
    {.dims = "N=2 I=3 O=2", .fill = fill_linear},
    {.dims = "N=3 I=2 O=4", .fill = fill_no_bias, .note = "no bias: dbias is NULL"},
    {.dims = "N=3 I=3 O=3", .fill = fill_linear, .note = "every size is the same"},
    {.dims = "N=5 I=4 O=3", .draws = 2, .fill = fill_linear},
    {.dims = "N=2..5 I=6..9 O=10..13", .draws = 3, .fill = fill_linear},
    {.dims = "N=17 I=3 O=5", .fill = fill_linear},
    {.dims = "N=6 I=5 O=33", .fill = fill_no_bias, .note = "no bias: dbias is NULL"},
    {.dims = "N=29 I=32 O=23", .fill = fill_linear},
    {.dims = "N=261 I=3 O=5", .fill = fill_long_sums},
    {.dims = "N=3 I=1031 O=7", .fill = fill_linear},
    {.dims = "N=2 I=5 O=1031", .fill = fill_long_sums},
    {.dims = "N=523 I=61 O=67",
     .fill = fill_long_sums,
     .note = "more than 2 million products",
     .cpu_only = true},
    {.dims = "N=1031 I=2 O=3",
     .fill = fill_long_sums,
     .note = "more than 1024 rows",
     .gpu_only = true},
    {.dims = "N=4 I=1 O=3", .fill = fill_linear, .note = "one input"},
    {.dims = "N=4 I=3 O=1", .fill = fill_linear, .note = "one output"},
    {.dims = "N=256 I=3 O=5", .fill = fill_long_sums, .note = "exactly 256 rows"},
    {.dims = "N=3 I=256 O=7", .fill = fill_linear, .note = "exactly 256 inputs"},
    {.dims = "N=2 I=5 O=256", .fill = fill_long_sums, .note = "exactly 256 outputs"},
    {.dims = "N=64 I=64 O=64", .fill = fill_long_sums, .note = "every size is 64"},
    {.dims = "N=2 I=2 O=2",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = TINY_RESULTS_NOTE},
    {.dims = "N=3 I=2 O=4", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "N=0 I=2 O=3", .note = "a size of 0"},
    {.dims = "N=2 I=0 O=3", .note = "a size of 0"},
    {.dims = "N=2 I=3 O=0", .note = "a size of 0"},
    {TOO_LARGE("N=3 I=2 O=4", "N", "N")},
    {TOO_LARGE("N=3 I=2 O=4", "I", "I")},
    {TOO_LARGE("N=3 I=2 O=4", "O", "O")},
    {MOST("N=2 I=1 O=1", "N")},
    {MOST("N=1 I=2 O=1", "I")},
    {MOST("N=1 I=1 O=2", "O")},
    {MORE_THAN_16_BITS("N=65543 I=1 O=1", repeated, "65543 rows")},
    {0},
};

enum linear_fault {
    LINEAR_RIGHT,
    LINEAR_W_TRANSPOSED,
    LINEAR_DW_TRANSPOSED,
    LINEAR_DY_TRANSPOSED,
    LINEAR_X_TRANSPOSED,
    LINEAR_OVERWRITTEN,
    LINEAR_DW_OVERWRITTEN,
    LINEAR_DBIAS_OVERWRITTEN,
    LINEAR_MEANS,
    LINEAR_DBIAS_MEAN,
    LINEAR_DBIAS_AXIS,
    LINEAR_DBIAS_PER_INPUT,
    LINEAR_NO_DBIAS,
    LINEAR_LAST_OUTPUT,
    LINEAR_LAST_ROW,
    LINEAR_ASSIGNED,
    LINEAR_DW_ASSIGNED,
    LINEAR_DBIAS_ASSIGNED,
    LINEAR_DBIAS_ROWS_FROM_1,
    LINEAR_DBIAS_FROM_1,
    LINEAR_ROWS_FROM_1,
};

static void linear_dw(enum linear_fault fault, float *dw, const float *dy, const float *x,
                      size_t N, size_t I, size_t O)
{
    const bool flipped = fault == LINEAR_DY_TRANSPOSED,
               over_x = fault == LINEAR_X_TRANSPOSED;
    float *sum = borrow(O * I);
    if (fault == LINEAR_DW_TRANSPOSED) {
        product(sum, x, 1, I, dy, O, 1, I, N, O);
    } else if (fault == LINEAR_LAST_ROW || fault == LINEAR_ASSIGNED ||
               fault == LINEAR_DW_ASSIGNED) {
        product(sum, dy + (N - 1) * O, 1, O, x + (N - 1) * I, I, 1, O, 1, I);
    } else if (fault == LINEAR_ROWS_FROM_1) {
        product(sum, dy + O, 1, O, x + I, I, 1, O, N - 1, I);
    } else {
        product(sum, dy, flipped ? N : 1, flipped ? 1 : O, x, over_x ? 1 : I,
                over_x ? N : 1, O, N, I);
    }
    if (fault == LINEAR_OVERWRITTEN || fault == LINEAR_DW_OVERWRITTEN ||
        fault == LINEAR_ASSIGNED || fault == LINEAR_DW_ASSIGNED) {
        memset(dw, 0, O * I * sizeof *dw);
    }
    multiply(sum, fault == LINEAR_MEANS ? 1.0f / (float)N : 1.0f, O * I);
    add_to(dw, sum, O * I);
    free(sum);
}

static void linear_dbias(enum linear_fault fault, float *dbias, const float *dy, size_t N,
                         size_t I, size_t O)
{
    const bool flipped = fault == LINEAR_DBIAS_AXIS || fault == LINEAR_DY_TRANSPOSED;
    if (fault == LINEAR_NO_DBIAS) {
        return;
    }
    const bool one_late =
        fault == LINEAR_ROWS_FROM_1 || fault == LINEAR_DBIAS_ROWS_FROM_1;
    const bool assigned = fault == LINEAR_ASSIGNED || fault == LINEAR_DBIAS_ASSIGNED;
    for (size_t o = fault == LINEAR_DBIAS_FROM_1 ? 1 : 0; o < O; o++) {
        float sum = 0.0f;
        for (size_t n = one_late ? 1 : 0; n < N; n++) {
            sum += dy[flipped ? o * N + n : n * O + o];
        }
        if (fault == LINEAR_OVERWRITTEN || fault == LINEAR_DBIAS_OVERWRITTEN ||
            assigned) {
            dbias[o] = 0.0f;
        }
        if (fault == LINEAR_MEANS || fault == LINEAR_DBIAS_MEAN) {
            sum /= (float)N;
        }
        if (fault == LINEAR_DBIAS_PER_INPUT) {
            for (size_t i = 0; i < N * I; i++) {
                dbias[o] += dy[i / I * O + o];
            }
            continue;
        }
        if (fault == LINEAR_LAST_ROW || assigned) {
            sum = dy[(N - 1) * O + o];
        }
        dbias[o] += sum;
    }
}

static lab_status linear_with(enum linear_fault fault, float *dx, float *dw, float *dbias,
                              const float *dy, const float *x, const float *w, size_t N,
                              size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    const bool flipped = fault == LINEAR_W_TRANSPOSED;
    if (fault == LINEAR_LAST_OUTPUT) {
        product(dx, dy + O - 1, O, 1, w + (O - 1) * I, I, 1, N, 1, I);
    } else {
        product(dx, dy, O, 1, w, flipped ? 1 : I, flipped ? O : 1, N, O, I);
    }
    if (fault == LINEAR_ROWS_FROM_1) {
        memset(dx, 0, I * sizeof *dx);
    }
    linear_dw(fault, dw, dy, x, N, I, O);
    if (dbias != NULL) {
        linear_dbias(fault, dbias, dy, N, I, O);
    }
    return LAB_OK;
}

#define LINEAR(name, fault)                                                              \
    static lab_status name(float *dx, float *dw, float *dbias, const float *dy,          \
                           const float *x, const float *w, size_t N, size_t I, size_t O) \
    {                                                                                    \
        return linear_with(fault, dx, dw, dbias, dy, x, w, N, I, O);                     \
    }

LINEAR(linear_w_transposed, LINEAR_W_TRANSPOSED)
LINEAR(linear_dw_transposed, LINEAR_DW_TRANSPOSED)
LINEAR(linear_dy_transposed, LINEAR_DY_TRANSPOSED)
LINEAR(linear_x_transposed, LINEAR_X_TRANSPOSED)
LINEAR(linear_overwritten, LINEAR_OVERWRITTEN)
LINEAR(linear_dw_overwritten, LINEAR_DW_OVERWRITTEN)
LINEAR(linear_dbias_overwritten, LINEAR_DBIAS_OVERWRITTEN)
LINEAR(linear_means, LINEAR_MEANS)
LINEAR(linear_dbias_mean, LINEAR_DBIAS_MEAN)
LINEAR(linear_dbias_axis, LINEAR_DBIAS_AXIS)
LINEAR(linear_dbias_per_input, LINEAR_DBIAS_PER_INPUT)
LINEAR(linear_no_dbias, LINEAR_NO_DBIAS)
LINEAR(linear_last_output, LINEAR_LAST_OUTPUT)
LINEAR(linear_last_row, LINEAR_LAST_ROW)
LINEAR(linear_assigned, LINEAR_ASSIGNED)
LINEAR(linear_dw_assigned, LINEAR_DW_ASSIGNED)
LINEAR(linear_dbias_assigned, LINEAR_DBIAS_ASSIGNED)
LINEAR(linear_dbias_rows_from_1, LINEAR_DBIAS_ROWS_FROM_1)
LINEAR(linear_dbias_from_1, LINEAR_DBIAS_FROM_1)
LINEAR(linear_rows_from_1, LINEAR_ROWS_FROM_1)
LINEAR(linear_in_float, LINEAR_RIGHT)

// Row by row: every row adds its share to dw and dbias, as the handout's derivation does.
static lab_status linear_by_rows(float *dx, float *dw, float *dbias, const float *dy,
                                 const float *x, const float *w, size_t N, size_t I,
                                 size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    memset(dx, 0, N * I * sizeof *dx);
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            const float g = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += g * w[o * I + i];
                dw[o * I + i] += g * x[n * I + i];
            }
            if (dbias != NULL) {
                dbias[o] += g;
            }
        }
    }
    return LAB_OK;
}

// Calls cuBLAS as if it were row-major: every matrix is read and written in column-major order.
static lab_status linear_column_major(float *dx, float *dw, float *dbias, const float *dy,
                                      const float *x, const float *w, size_t N, size_t I,
                                      size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < I; i++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0;
            for (size_t o = 0; o < O; o++) {
                sum += (double)dy[n + o * N] * w[o + i * O];
            }
            dx[n + i * N] = (float)sum;
        }
        for (size_t o = 0; o < O; o++) {
            double sum = 0;
            for (size_t n = 0; n < N; n++) {
                sum += (double)dy[n + o * N] * x[n + i * N];
            }
            dw[o + i * O] += (float)sum;
        }
    }
    for (size_t i = 0; dbias != NULL && i < N * O; i++) {
        dbias[i % O] += dy[i];
    }
    return LAB_OK;
}

// Adds up only the rows of a block's first warp: 0, 8, 16, ...
static lab_status linear_dbias_first_warp(float *dx, float *dw, float *dbias,
                                          const float *dy, const float *x, const float *w,
                                          size_t N, size_t I, size_t O)
{
    enum { WARPS = 8 };
    lab_status status = linear_backward(dx, dw, NULL, dy, x, w, N, I, O);
    for (size_t n = 0; status == LAB_OK && dbias != NULL && n < N; n += WARPS) {
        for (size_t o = 0; o < O; o++) {
            dbias[o] += dy[n * O + o];
        }
    }
    return status;
}

static const struct mistake linear_backward_mistakes[] = {
    {
        .id = "w-transposed",
        .what = "dx uses w transposed",
        .why = "w is (O, I). The forward pass reads row o for output o: y = x w^T. "
               "In the backward pass, dx = dy w, without a transpose: dx[n,i] = sum_o "
               "dy[n,o] w[o,i].",
        .source = "nntile/nntile#370",
        .function = LIKE(linear_backward, linear_w_transposed),
    },
    {
        .id = "dw-transposed",
        .what = "dw is written as (I, O)",
        .why =
            "A gradient has the shape of its parameter: dw[o * I + i]. It is dy^T x, not "
            "x^T dy.",
        .function = LIKE(linear_backward, linear_dw_transposed),
    },
    {
        .id = "dy-transposed",
        .what = "dy is read as (O, N) for dw and dbias",
        .why = "dy^T in the formula does not change how dy is stored: element (n, o) is "
               "always dy[n * O + o].",
        .function = LIKE(linear_backward, linear_dy_transposed),
    },
    {
        .id = "x-transposed",
        .what = "x is read as (I, N) for dw",
        .why = "Element (n, i) is x[n * I + i]; dw sums over the rows n.",
        .function = LIKE(linear_backward, linear_x_transposed),
    },
    {
        .id = "overwritten",
        .what = "dw and dbias are overwritten instead of added to",
        .why = "A parameter may be used twice in one step, and every use adds its share. "
               "Keep the old value: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_overwritten),
    },
    {
        .id = "dw-overwritten",
        .what = "dw is overwritten instead of added to",
        .why = "Gradients of parameters accumulate: +=, as for dbias.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dw_overwritten),
    },
    {
        .id = "dbias-overwritten",
        .what = "dbias is overwritten instead of added to",
        .why = "Gradients of parameters accumulate: +=, as for dw.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dbias_overwritten),
    },
    {
        .id = "means",
        .what = "dw, dbias or both are divided by N",
        .why =
            "The loss is already a mean, so dy contains the 1/N. Here, only sum the rows.",
        .function = LIKE(linear_backward, linear_means),
    },
    {
        .id = "dbias-mean",
        .what = "dbias is divided by N",
        .why = "The bias was added to every row, so sum the shares of all rows; do not "
               "average them.",
        .function = LIKE(linear_backward, linear_dbias_mean),
    },
    {
        .id = "dbias-wrong-axis",
        .what = "dbias sums along the wrong axis of dy",
        .why = "bias[o] is added to column o of every row: sum dy[n * O + o] over n.",
        .function = LIKE(linear_backward, linear_dbias_axis),
    },
    {
        .id = "dbias-per-input",
        .what = "dbias is I times too large",
        .why = "dbias[o] += dy[n, o] is inside the loop over i.",
        .function = LIKE(linear_backward, linear_dbias_per_input),
    },
    {
        .id = "no-dbias",
        .what = "nothing is added to dbias",
        .why = "If dbias is not NULL, every row adds dy[n, o] to it.",
        .function = LIKE(linear_backward, linear_no_dbias),
    },
    {
        .id = "last-output",
        .what = "dx contains only the share of the last output",
        .why =
            "All O outputs use x[n,i], so dx[n,i] is a sum over o. It is assigned inside "
            "the loop: use +=.",
        .function = LIKE(linear_backward, linear_last_output),
    },
    {
        .id = "last-row",
        .what = "dw, dbias or both contain only the last row",
        .why = "All N rows use the same w: sum their shares.",
        .function = LIKE(linear_backward, linear_last_row),
    },
    {
        .id = "assigned",
        .what = "dw and dbias are assigned in the loop over the rows: only the last "
                "row counts",
        .why = "All N rows use the same w and bias, and the old values must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_assigned),
    },
    {
        .id = "dw-assigned",
        .what = "dw is assigned in the loop over the rows: only the last row counts",
        .why = "All N rows use the same w, and the old value must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dw_assigned),
    },
    {
        .id = "dbias-assigned",
        .what = "dbias is assigned in the loop over the rows: only the last row counts",
        .why = "All N rows use the same bias, and the old value must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dbias_assigned),
    },
    {
        .id = "dbias-rows-from-1",
        .what = "dbias leaves out row 0 of dy",
        .why = "The loop over the rows begins at 0.",
        .function = LIKE(linear_backward, linear_dbias_rows_from_1),
    },
    {
        .id = "dbias-from-1",
        .what = "nothing is added to dbias[0]",
        .why = "The loop over the outputs begins at 0.",
        .function = LIKE(linear_backward, linear_dbias_from_1),
    },
    {
        .id = "rows-from-1",
        .what = "row 0 is missing from dx, dw or dbias",
        .why = "The loop over the rows begins at 0.",
        .function = LIKE(linear_backward, linear_rows_from_1),
    },
    {
        .id = "column-major",
        .what = "the matrices are read and written by columns",
        .why = "cuBLAS reads a row-major matrix as its transpose. Compute out = a b as "
               "out^T = b^T a^T: swap the factors and use the number of columns as the "
               "leading dimension. Nothing is copied.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(linear_backward, linear_column_major),
    },
    {
        .id = "dbias-first-warp",
        .what = "dbias has only every eighth row of dy: those of the block's first warp",
        .why =
            "Each warp of a block sums its own rows. All warps must write their sums to "
            "shared memory; then a barrier; then one warp adds the eight sums.",
        .source = NULL,
        .function = LIKE(linear_backward, linear_dbias_first_warp),
        .gpu = true,
    },
    {0},
};

static const struct mistake linear_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(linear_backward, linear_in_float)},
    {.id = "by-rows", .function = LIKE(linear_backward, linear_by_rows)},
    {.id = "in-double", .function = LIKE(linear_backward, linear_backward_in_double)},
    {0},
};

static const struct part linear_backward_part[] = {
    {
        .function = "linear_backward",
        .dims = "N I O",
        .tensors =
            {
                {"dx", "N I", OUTPUT, F32, 2e-5f, 1e-5f},
                {"dw", "O I", UPDATED, F32, 2e-5f, 1e-5f},
                {"dbias", "O", UPDATED, F32, 2e-5f, 1e-5f},
                {"dy", "N O", INPUT, F32, 0, 0},
                {"x", "N I", INPUT, F32, 0, 0},
                {"w", "O I", INPUT, F32, 0, 0},
            },
        .cases = linear_backward_cases,
        .mistakes = linear_backward_mistakes,
        .alternatives = linear_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_5 = {
    .id = "6.5",
    .name = "linear_backward",
    .section = "6.5 Linear, backward",
    .gpu_section = "Products in the backward pass",
    .uses = {"2.1"},
    .hints =
        {
            "Match the shapes: dx (N, I) is a product of dy (N, O) and w (O, I), and "
            "only one product fits. dw (O, I) is a product of dy (N, O) and x (N, I).",
            "dx = dy w; dw += dy^T x; dbias[o] += sum over n of dy[n][o]. Overwrite dx; "
            "add to the other two.",
            "dx set to 0, then for each n, o, with g = dy[n * O + o]:\n"
            "    for each i: dx[n * I + i] += g * w[o * I + i]\n"
            "                dw[o * I + i] += g * x[n * I + i]\n"
            "    if dbias: dbias[o] += g\n"
            "or two calls of cblas_sgemm, the one for dw with CblasTrans on dy and "
            "beta 1",
        },
    .gpu_hints =
        {
            "You need two products and a sum down the columns. cuBLAS has the products; "
            "one of its arguments decides whether to add to the output.",
            "dx^T (I,N) = w^T dy^T: N and N, m = I, n = N, k = O, beta = 0. dw^T (I,O) "
            "+= x^T dy: N and T, m = I, n = O, k = N, beta = 1. dbias: a block for 32 "
            "columns, lane x has column 32 blockIdx.x + x, warp y the rows y, y + 8, "
            "...; the eight warps add their sums through shared memory.",
            "cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, I, N, O, &one, w_dev, I, dy_dev, O,\n"
            "            &zero, dx_dev, I)\n"
            "cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_T, I, O, N, &one, x_dev, I, dy_dev, O,\n"
            "            &one, dw_dev, I)\n"
            "kernel: if (o < O) for (n = threadIdx.y; n < N; n += TALL_WARPS) sum "
            "+= dy_dev[n*O + o]\n"
            "    parts[threadIdx.y][threadIdx.x] = sum; __syncthreads()    (all threads!)\n"
            "    if (threadIdx.y == 0 && o < O) dbias_dev[o] += the eight parts of "
            "column x",
        },
    .parts = linear_backward_part,
};
