// lab02.c - what the grader knows of lab 2, batching.
//
// Source of the mistakes: the repositories named beside each. Start reading at the arrays of
// struct part; the wrong functions they name stand above each.

#include "exercises/exercise.h"

#include "02_batching/batching.h"

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(matmul, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(batched_matmul, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
ADAPTOR(batched_matmul_nt, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
ADAPTOR(batched_linear, t[0], t[1], t[2], t[3], n[0], n[1], n[2], n[3])
ADAPTOR(batched_softmax, t[0], t[1], n[0], n[1], n[2])
ADAPTOR(batched_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9],
        n[0], n[1], n[2])

const struct entry lab_entries[] = {
    ENTRY(matmul),
    ENTRY(matmul_nt),
    ENTRY(batched_matmul),
    ENTRY(batched_matmul_nt),
    ENTRY(batched_linear),
    ENTRY(batched_softmax),
    ENTRY(batched_attention),
    {0},
};

#ifndef WORKER

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// cblas.h brings <complex.h> along, where I is the imaginary unit. Here it is a width.
#undef I

// ---- products by hand, for the wrong and the other right ones -----------------------------

// How a batch of matrices lies in memory: the distance from one matrix, row, column to the
// next. A row-major (B, M, N) tensor is {M * N, N, 1}; its transpose is {M * N, 1, N}; the
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

// Right: seen column by column, row-major memory holds the transpose, and out^T = b^T a^T.
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

static const struct case_spec product_cases[] = {
    {"M=1 N=1 K=1", 0, NULL, NULL},
    {"M=1 N=2 K=3", 0, NULL, NULL},
    {"M=2 N=1 K=3", 0, NULL, NULL},
    {"M=3 N=2 K=1", 0, NULL, NULL},
    {"M=2 N=3 K=4", 0, NULL, NULL},
    {"M=4 N=4 K=4", 0, "square: every leading dimension is the same", NULL},
    {"M=7 N=5 K=3", 0, NULL, NULL},
    {"M=2..9 N=2..9 K=2..9", 5, NULL, NULL},
    {"M=19 N=17 K=33", 0, "larger and odd", NULL},
    {"M=0 N=2 K=3", 0, "a size is zero", NULL},
    {"M=2 N=0 K=3", 0, "a size is zero", NULL},
    {"M=2 N=3 K=0", 0, "a size is zero", NULL},
    {0},
};

static const struct mistake matmul_mistakes[] = {
    {"b-flagged", "b is multiplied as if it were stored transposed, (N, K)",
     "b is (K, N) and row-major: it needs CblasNoTrans and the leading dimension N, the "
     "length of one of its rows.",
     "nntile/nntile#370", LIKE(matmul, matmul_b_flagged), false},
    {"a-flagged", "a is multiplied as if it were stored transposed, (K, M)",
     "a is (M, K) and row-major: it needs CblasNoTrans and the leading dimension K, the "
     "length of one of its rows.",
     "HomericIntelligence/Odyssey#5648", LIKE(matmul, matmul_a_flagged), false},
    {"column-major", "BLAS is told that the three matrices are stored column by column",
     "In this workbook rows lie one behind the other: the first argument is "
     "CblasRowMajor, and "
     "a leading dimension is the length of a stored row.",
     "karpathy/llm.c#531", LIKE(matmul, matmul_column_major), false},
    {"out-transposed", "the product is stored transposed: out holds (N, M)",
     "The numbers are right but lie column by column. With CblasRowMajor and the leading "
     "dimension N for out, row m starts at out + m * N.",
     "karpathy/llm.c#531", LIKE(matmul, matmul_out_transposed), false},
    {0},
};

static const struct mistake matmul_alternatives[] = {
    {"loops", "three loops", NULL, NULL, LIKE(matmul, matmul_loops), false},
    {"swapped-operands", "column-major, operands swapped", NULL, NULL,
     LIKE(matmul, matmul_swapped_operands), false},
    {0},
};

static const struct mistake matmul_nt_mistakes[] = {
    {"no-flag", "b is not transposed: its memory is read as (K, N)",
     "b is (N, K) here, and the product wants its transpose. Pass CblasTrans for b and "
     "keep "
     "its leading dimension K: a flag changes how b is read, not how it lies in memory.",
     "karpathy/llm.c#531", LIKE(matmul_nt, matmul_nt_no_flag), false},
    {"a-flagged", "a is multiplied as if it were stored transposed, (K, M)",
     "Only b is transposed: a (M, K) needs CblasNoTrans and the leading dimension K.",
     "HomericIntelligence/Odyssey#5648", LIKE(matmul_nt, matmul_nt_a_flagged), false},
    {"column-major", "BLAS is told that the three matrices are stored column by column",
     "In this workbook rows lie one behind the other: the first argument is "
     "CblasRowMajor, and "
     "a leading dimension is the length of a stored row.",
     "karpathy/llm.c#531", LIKE(matmul_nt, matmul_nt_column_major), false},
    {"out-transposed", "the result is b a^T instead of a b^T: out holds (N, M)",
     "With scores = q k^T this swaps query and key. a comes first, and row m of out "
     "starts at "
     "out + m * N.",
     "karpathy/llm.c#531", LIKE(matmul_nt, matmul_nt_out_transposed), false},
    {0},
};

static const struct mistake matmul_nt_alternatives[] = {
    {"loops", "three loops", NULL, NULL, LIKE(matmul_nt, matmul_nt_loops), false},
    {"swapped-operands", "column-major, operands swapped", NULL, NULL,
     LIKE(matmul_nt, matmul_nt_swapped_operands), false},
    {0},
};

static const struct part product_parts[] = {
    {
        .function = "matmul",
        .dims = "M N K",
        .tensors = {{"out", "M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"a", "M K", INPUT, F32, 0, 0},
                    {"b", "K N", INPUT, F32, 0, 0}},
        .cases = product_cases,
        .mistakes = matmul_mistakes,
        .alternatives = matmul_alternatives,
    },
    {
        .function = "matmul_nt",
        .dims = "M N K",
        .tensors = {{"out", "M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"a", "M K", INPUT, F32, 0, 0},
                    {"b", "N K", INPUT, F32, 0, 0}},
        .cases = product_cases,
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

// The distance of a used for b. For M > N that would read past the end of b, where there is
// nothing to compare with: no case with B > 1 has M > N.
static size_t stride_of_a(size_t M, size_t N, size_t K)
{
    return (M < N ? M : N) * K;
}

static lab_status batched_b_stride(float *out, const float *a, const float *b, size_t B,
                                   size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b,
                         (struct layout){stride_of_a(M, N, K), N, 1}, B, M, N, K);
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

static lab_status batched_nt_b_stride(float *out, const float *a, const float *b,
                                      size_t B, size_t M, size_t N, size_t K)
{
    return many_products(out, (struct layout){M * N, N, 1}, a,
                         (struct layout){M * K, K, 1}, b,
                         (struct layout){stride_of_a(M, N, K), 1, K}, B, M, N, K);
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

// With B > 1, M stays below N, so that the wrong stride of b can be named (stride_of_a).
static const struct case_spec batched_cases[] = {
    {"B=1 M=1 N=1 K=1", 0, NULL, NULL},
    {"B=2 M=1 N=1 K=1", 0, NULL, NULL},
    {"B=2 M=1 N=2 K=1", 0, NULL, NULL},
    {"B=1 M=3 N=2 K=4", 0, "one sequence", NULL},
    {"B=2 M=1 N=2 K=3", 0, NULL, NULL},
    {"B=2 M=3 N=4 K=5", 0, NULL, NULL},
    {"B=3 M=3 N=3 K=3", 0, "every size is the same", NULL},
    {"B=3 M=2 N=5 K=4", 0, NULL, NULL},
    {"B=2..5 M=2..4 N=5..8 K=2..7", 5, NULL, NULL},
    {"B=7 M=13 N=17 K=33", 0, "larger and odd", NULL},
    {"B=0 M=2 N=3 K=4", 0, "a size is zero", NULL},
    {"B=2 M=0 N=3 K=4", 0, "a size is zero", NULL},
    {"B=2 M=2 N=0 K=4", 0, "a size is zero", NULL},
    {"B=2 M=2 N=3 K=0", 0, "a size is zero", NULL},
    {0},
};

// Property, for all that follows: another middle sequence, the other outputs as they were.

static void change_middle(struct test_case *second, const char *input)
{
    const size_t B = case_dim(second, "B");
    const size_t count = case_count(second, input) / B;
    float *x = case_f32(second, input) + B / 2 * count;
    for (size_t i = 0; i < count; i++) {
        x[i] = 0.5f - x[i];
    }
}

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

static void change_one_product(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "a");
    change_middle(second, "b");
}

static bool other_products_unchanged(const struct test_case *first,
                                     const struct test_case *second, char *why,
                                     size_t why_size)
{
    return others_unchanged(first, second, "out", why, why_size);
}

static const struct property batched_properties[] = {
    {"sequences-apart",
     "changing one sequence leaves the products of the others as they were",
     "B=3 M=2 N=4 K=5", change_one_product, other_products_unchanged},
    {0},
};

static const struct mistake batched_matmul_mistakes[] = {
    {"always-first", "every sequence gets the product of sequence 0",
     "a and b must move on with the batch: sequence i of a starts at a + i * M * K, of b "
     "at "
     "b + i * K * N.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_matmul, batched_always_first), false},
    {"b-always-first", "b stays at sequence 0 while a and out move on",
     "Every sequence has its own b. Sequence i of b starts at b + i * K * N.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_matmul, batched_b_always_first), false},
    {"b-stride", "b moves on by M*K, the distance of a",
     "Each tensor has its own distance from one sequence to the next: the product of its "
     "own "
     "last two sizes, M*K for a, K*N for b, M*N for out.",
     "", LIKE(batched_matmul, batched_b_stride), false},
    {"b-flagged", "each b[i] is multiplied as if it were stored transposed, (N, K)",
     "Here b[i] is (K, N) and used as it is; batched_matmul_nt is the one that "
     "transposes.",
     "nntile/nntile#370", LIKE(batched_matmul, batched_b_flagged), false},
    {0},
};

static const struct mistake batched_matmul_alternatives[] = {
    {"loops", "four loops", NULL, NULL, LIKE(batched_matmul, batched_loops), false},
    {0},
};

static const struct mistake batched_matmul_nt_mistakes[] = {
    {"all-axes", "all three axes of b are transposed, not only the last two",
     "b (B, N, K) became (K, N, B), and its numbers were then read as B matrices (K, N): "
     "every "
     "product mixes sequences. Leave the batch axis alone: each b[i] transposes by "
     "itself.",
     "HomericIntelligence/Odyssey#5648", LIKE(batched_matmul_nt, batched_nt_all_axes),
     false},
    {"batch-fastest", "b is read as (K, N, B), with the batch as its fastest axis",
     "The batch axis stays in front: element (i, n, k) of b is b[(i * N + n) * K + k].",
     "HomericIntelligence/Odyssey#5648",
     LIKE(batched_matmul_nt, batched_nt_batch_fastest), false},
    {"no-flag", "b[i] is not transposed: its memory is read as (K, N)",
     "Each b[i] is (N, K), and the product wants its transpose: matmul_nt, not matmul.",
     "karpathy/llm.c#531", LIKE(batched_matmul_nt, batched_nt_no_flag), false},
    {"always-first", "every sequence gets the product of sequence 0",
     "a and b must move on with the batch: sequence i of a starts at a + i * M * K, of b "
     "at "
     "b + i * N * K.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_matmul_nt, batched_nt_always_first), false},
    {"b-always-first", "b stays at sequence 0 while a and out move on",
     "Every sequence has its own b. Sequence i of b starts at b + i * N * K.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_matmul_nt, batched_nt_b_always_first), false},
    {"b-stride", "b moves on by M*K, the distance of a",
     "Each tensor has its own distance from one sequence to the next: the product of its "
     "own "
     "last two sizes, M*K for a, N*K for b, M*N for out.",
     "", LIKE(batched_matmul_nt, batched_nt_b_stride), false},
    {"out-transposed", "each result is b a^T instead of a b^T: out holds (B, N, M)",
     "With scores = q k^T this swaps query and key. a[i] comes first, and its rows are "
     "the "
     "rows of out[i].",
     "karpathy/llm.c#531", LIKE(batched_matmul_nt, batched_nt_out_transposed), false},
    {0},
};

static const struct mistake batched_matmul_nt_alternatives[] = {
    {"loops", "four loops", NULL, NULL, LIKE(batched_matmul_nt, batched_nt_loops), false},
    {0},
};

static const struct part batched_parts[] = {
    {
        .function = "batched_matmul",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"a", "B M K", INPUT, F32, 0, 0},
                    {"b", "B K N", INPUT, F32, 0, 0}},
        .cases = batched_cases,
        .properties = batched_properties,
        .mistakes = batched_matmul_mistakes,
        .alternatives = batched_matmul_alternatives,
    },
    {
        .function = "batched_matmul_nt",
        .dims = "B M N K",
        .tensors = {{"out", "B M N", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"a", "B M K", INPUT, F32, 0, 0},
                    {"b", "B N K", INPUT, F32, 0, 0}},
        .cases = batched_cases,
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
                // t and i below O, whatever the case: a wrong function must not read outside.
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
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_TOKEN, B, T, I, O);
}

static lab_status linear_bias_per_sequence(float *y, const float *x, const float *w,
                                           const float *bias, size_t B, size_t T,
                                           size_t I, size_t O)
{
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

// With a bias, B and T stay at or below O, so that a bias by token or by sequence stays inside.
static const struct case_spec linear_cases[] = {
    {"B=1 T=1 I=1 O=1", 0, "no bias", without_bias},
    {"B=1 T=1 I=1 O=1", 0, NULL, NULL},
    {"B=2 T=1 I=1 O=1", 0, "no bias", without_bias},
    {"B=1 T=2 I=3 O=2", 0, "one sequence", NULL},
    {"B=2 T=1 I=3 O=2", 0, "one token per sequence", NULL},
    {"B=2 T=3 I=4 O=5", 0, "no bias", without_bias},
    {"B=2 T=3 I=4 O=5", 0, NULL, NULL},
    {"B=3 T=4 I=5 O=5", 0, "a square weight", NULL},
    {"B=4 T=7 I=5 O=3", 0, "no bias", without_bias},
    {"B=2..4 T=2..5 I=2..9 O=6..9", 4, NULL, NULL},
    {"B=3 T=17 I=33 O=19", 0, "larger and odd", NULL},
    {"B=0 T=3 I=4 O=5", 0, "a size is zero", NULL},
    {"B=2 T=0 I=4 O=5", 0, "a size is zero", NULL},
    {"B=2 T=3 I=0 O=5", 0, "a size is zero", NULL},
    {"B=2 T=3 I=4 O=0", 0, "a size is zero", NULL},
    {0},
};

static void change_x(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

static bool other_y_unchanged(const struct test_case *first,
                              const struct test_case *second, char *why, size_t why_size)
{
    return others_unchanged(first, second, "y", why, why_size);
}

static const struct property linear_properties[] = {
    {"sequences-apart",
     "changing one sequence leaves the rows of the others as they were",
     "B=3 T=2 I=4 O=5", change_x, other_y_unchanged},
    {0},
};

static const struct mistake linear_mistakes[] = {
    {"no-bias", "the bias is never added",
     "y = x w^T + bias: after the product add bias[o] to y[b][t][o], in every row.", "",
     LIKE(batched_linear, linear_no_bias), false},
    {"bias-per-token", "the bias is picked by token, bias[t], not by output",
     "bias has O entries, one for each column of y: add bias[o] to column o of every "
     "row.",
     "", LIKE(batched_linear, linear_bias_per_token), false},
    {"bias-per-sequence", "the bias is picked by sequence, bias[b], not by output",
     "bias has O entries, one for each column of y: add bias[o] to column o of every "
     "row.",
     "", LIKE(batched_linear, linear_bias_per_sequence), false},
    {"bias-first-sequence", "the bias is added to the first T rows only",
     "There are B * T rows, T for each sequence: the loop that adds the bias must run "
     "over all "
     "of them.",
     "", LIKE(batched_linear, linear_bias_first_sequence), false},
    {"in-out", "the weight is read as (I, O) instead of (O, I)",
     "Row o of w holds the I weights of output o, as in PyTorch: y = x w^T, so "
     "matmul_nt. With "
     "a square weight nothing but the numbers tells the two apart.",
     "nntile/nntile#370", LIKE(batched_linear, linear_in_out), false},
    {"always-first", "every sequence gets the projection of sequence 0",
     "x must move on with the batch. Seen as one matrix of B * T rows it needs no moving "
     "at "
     "all.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_linear, linear_always_first), false},
    {"first-only", "only the first sequence is projected, the rest of y is never written",
     "The product ran over T rows. x holds B * T rows, and all of them go through the "
     "same "
     "weight.",
     "", LIKE(batched_linear, linear_first_only), false},
    {0},
};

static const struct mistake linear_alternatives[] = {
    {"loops", "four loops", NULL, NULL, LIKE(batched_linear, linear_loops), false},
    {"bias-first", "bias laid down first, beta = 1", NULL, NULL,
     LIKE(batched_linear, linear_bias_first), false},
    {"per-sequence", "one product per sequence", NULL, NULL,
     LIKE(batched_linear, linear_per_sequence), false},
    {0},
};

static const struct part linear_parts[] = {
    {
        .function = "batched_linear",
        .dims = "B T I O",
        .tensors = {{"y", "B T O", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"x", "B T I", INPUT, F32, 0, 0},
                    {"w", "O I", INPUT, F32, 0, 0},
                    {"bias", "O", INPUT, F32, 0, 0}},
        .cases = linear_cases,
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

static const struct case_spec softmax_cases[] = {
    {"B=1 T=1 S=1", 0, NULL, NULL},
    {"B=1 T=1 S=2", 0, NULL, NULL},
    {"B=2 T=1 S=2", 0, NULL, NULL},
    {"B=1 T=2 S=3", 0, NULL, NULL},
    {"B=2 T=3 S=4", 0, NULL, NULL},
    {"B=3 T=2 S=5", 0, NULL, NULL},
    {"B=3 T=3 S=3", 0, "every size is the same", NULL},
    {"B=2 T=3 S=4", 0, "large scores", large_scores},
    {"B=2 T=3 S=4", 0, "all scores near -2000", low_scores},
    {"B=2 T=3 S=4", 0, "all scores near -30000", very_low_scores},
    {"B=2 T=3 S=4", 0, "some scores, and one whole row, are -INFINITY", some_forbidden},
    {"B=2..5 T=2..7 S=2..9", 4, NULL, NULL},
    {"B=3 T=5 S=129", 0, "long rows", NULL},
    {"B=0 T=2 S=3", 0, "a size is zero", NULL},
    {"B=2 T=0 S=3", 0, "a size is zero", NULL},
    {"B=2 T=3 S=0", 0, "a size is zero", NULL},
    {0},
};

static void change_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "scores");
}

static bool other_weights_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size);
}

static const struct property softmax_properties[] = {
    {"sequences-apart",
     "changing one sequence leaves the weights of the others as they were", "B=3 T=2 S=4",
     change_scores, other_weights_unchanged},
    {0},
};

static const struct mistake softmax_mistakes[] = {
    {"over-batch", "the weights sum to 1 over the batch, not over the keys",
     "Sequences do not compete with each other. A row (b, t) has S scores lying side by "
     "side, "
     "and its S weights sum to 1.",
     "nerminnuraydogan/vision-transformer#1", LIKE(batched_softmax, softmax_over_batch),
     false},
    {"over-queries",
     "the softmax runs down the columns: the weights of each key sum to 1",
     "A query shares its attention out among the keys: along S, the last axis, the "
     "weights of "
     "one row sum to 1.",
     "PetrochukM/PyTorch-NLP#2", LIKE(batched_softmax, softmax_over_queries), false},
    {"over-map", "one softmax runs over the whole (T, S) map of a sequence",
     "Each of the T rows has its own maximum and its own sum, and its weights sum to 1.",
     "PetrochukM/PyTorch-NLP#2", LIKE(batched_softmax, softmax_over_map), false},
    {"over-all",
     "one softmax runs over the whole batch: all B*T*S weights together sum to 1",
     "Each of the B * T rows has its own maximum and its own sum, and its weights sum to "
     "1.",
     "nerminnuraydogan/vision-transformer#1", LIKE(batched_softmax, softmax_over_all),
     false},
    {"first-only", "only the rows of the first sequence are computed",
     "The loop ran over T rows. There are B * T of them.", "",
     LIKE(batched_softmax, softmax_first_only), false},
    {"no-max", "the maximum of the row is not subtracted before exp",
     "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum first; "
     "the "
     "weights stay the same.",
     "pytorch/executorch#18407", LIKE(batched_softmax, softmax_no_max), false},
    {"no-max-no-guard", "the maximum is not subtracted, and a row of -INFINITY gives NaN",
     "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum first; "
     "and "
     "when every score is -INFINITY, write zeros.",
     "NVIDIA/FasterTransformer#43", LIKE(batched_softmax, softmax_no_max_no_guard),
     false},
    {"max-from-zero", "the search for the maximum starts at 0",
     "When all scores of a row lie far below 0, every exp underflows to 0. Start at "
     "-INFINITY, or at the row's first score.",
     "karpathy/llm.c train_gpt2.c", LIKE(batched_softmax, softmax_max_from_zero), false},
    {"max-from-zero-no-guard",
     "the search for the maximum starts at 0, and a sum of 0 is divided by",
     "When all scores of a row lie far below 0, every exp underflows to 0, and 0/0 is "
     "NaN. "
     "Start at -INFINITY, and write zeros when every score is -INFINITY.",
     "karpathy/llm.c train_gpt2.c", LIKE(batched_softmax, softmax_max_from_zero_no_guard),
     false},
    {"max-from-10000", "the search for the maximum starts at -10000",
     "When all scores of a row lie below that, every exp underflows to 0. Start at "
     "-INFINITY, "
     "or at the row's first score.",
     "karpathy/llm.c train_gpt2.c", LIKE(batched_softmax, softmax_max_from_10000), false},
    {"max-from-10000-no-guard",
     "the search for the maximum starts at -10000, and a sum of 0 is divided by",
     "When all scores of a row lie below that, every exp underflows to 0, and 0/0 is "
     "NaN. "
     "Start at -INFINITY, and write zeros when every score is -INFINITY.",
     "karpathy/llm.c train_gpt2.c",
     LIKE(batched_softmax, softmax_max_from_10000_no_guard), false},
    {"empty-row-nan", "a row of -INFINITY becomes NaN",
     "-INFINITY minus -INFINITY is NaN. When there is no key to look at, this workbook "
     "writes "
     "zeros (PyTorch writes NaN).",
     "pytorch/pytorch#131060", LIKE(batched_softmax, softmax_empty_nan), true},
    {"empty-row-uniform", "a row of -INFINITY gets the same weight everywhere",
     "When there is no key to look at, this workbook writes zeros: no weight goes to a "
     "forbidden key.",
     "tracel-ai/burn#4694", LIKE(batched_softmax, softmax_empty_uniform), true},
    {"not-divided", "the rows are not divided by their sum",
     "exp(score - max) is not a weight yet: divide each by the sum over its row, and the "
     "row "
     "sums to 1.",
     "", LIKE(batched_softmax, softmax_not_divided), false},
    {0},
};

static const struct mistake softmax_alternatives[] = {
    {"in-double", "everything in double", NULL, NULL,
     LIKE(batched_softmax, softmax_in_double), false},
    {"online", "maximum and sum in one pass", NULL, NULL,
     LIKE(batched_softmax, softmax_online), false},
    {0},
};

static const struct part softmax_parts[] = {
    {
        .function = "batched_softmax",
        .dims = "B T S",
        .tensors = {{"weights", "B T S", OUTPUT, F32, 1e-6f, 1e-5f},
                    {"scores", "B T S", INPUT, F32, 0, 0}},
        .cases = softmax_cases,
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

// Projections of size / sqrt(C) keep q, k and v at unit scale, whatever C. At unit size the
// scores would grow with C, and one key would take everything in every row.
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

static void sharp_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 1.4f);
}

// Scores in the hundreds: exp overflows unless the maximum is subtracted. Whole numbers and
// C = 16 make every score exact, in whatever order it is summed: a rounding error in a large
// score would be a visible error in its weight. With w_k = w_q every row has a large score
// above zero, its own.
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

static const struct case_spec attention_cases[] = {
    {"B=1 T=1 C=1", 0, NULL, unit_scores},
    {"B=2 T=1 C=3", 0, "one token: its weight is 1", unit_scores},
    {"B=1 T=2 C=3", 0, "one sequence", unit_scores},
    {"B=2 T=3 C=5", 0, NULL, unit_scores},
    {"B=3 T=2 C=4", 0, NULL, sharp_scores},
    {"B=3 T=3 C=3", 0, "every size is the same", unit_scores},
    {"B=2 T=7 C=5", 0, "more tokens than channels", unit_scores},
    {"B=2..4 T=5..6 C=7..9", 4, NULL, unit_scores},
    {"B=3 T=7 C=11", 0, "sharper weights", sharp_scores},
    {"B=4 T=4 C=16", 0, "scores in the hundreds", huge_scores},
    {"B=5 T=9 C=17", 0, "larger and odd", unit_scores},
    {"B=0 T=2 C=3", 0, "a size is zero", NULL},
    {"B=2 T=0 C=3", 0, "a size is zero", NULL},
    {"B=2 T=3 C=0", 0, "a size is zero", NULL},
    {0},
};

static void change_sequence(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

static bool other_outputs_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size) &&
           others_unchanged(first, second, "out", why, why_size);
}

static const struct property attention_properties[] = {
    {"sequences-apart",
     "changing one sequence leaves the outputs of the others as they were", "B=3 T=4 C=2",
     change_sequence, other_outputs_unchanged},
    {0},
};

static const struct mistake attention_mistakes[] = {
    {"no-scale", "the scores are not divided by sqrt(C)",
     "Without 1/sqrt(C) the scores grow with the width, and the softmax gives nearly all "
     "weight "
     "to one key. Multiply every score by 1.0f / sqrtf((float)C) before the softmax.",
     "PAIR-code/tiny-transformers#71", LIKE(batched_attention, attention_no_scale),
     false},
    {"scale-sqrt-T", "the scores are divided by sqrt(T), the length, not by sqrt(C)",
     "q . k is a sum of C products, so its spread is sqrt(C). The number of tokens has "
     "nothing "
     "to do with it.",
     "tenstorrent/tt-metal#56789", LIKE(batched_attention, attention_scale_T), false},
    {"scale-sqrt-B", "the scores are divided by sqrt(B), the batch, not by sqrt(C)",
     "q . k is a sum of C products, so its spread is sqrt(C). A sequence must come out "
     "the same "
     "whoever is in the batch with it.",
     "tenstorrent/tt-metal#56789", LIKE(batched_attention, attention_scale_B), false},
    {"scale-C", "the scores are divided by C instead of sqrt(C)",
     "A sum of C products spreads like sqrt(C). Divided by C the scores come too close "
     "together "
     "and the weights become too even.",
     "Graylab/DL4Proteins-notebooks#12", LIKE(batched_attention, attention_scale_C),
     false},
    {"times-root", "the scores are multiplied by sqrt(C) instead of divided",
     "C to the power -1/2 is already 1/sqrt(C): multiply by it, or divide by "
     "sqrtf((float)C), "
     "but do not divide by the power.",
     "esceptico/perceiver-io#9", LIKE(batched_attention, attention_times_root), false},
    {"swapped", "queries and keys are swapped: the scores are k q^T",
     "Row t of the scores belongs to query t: scores = q k^T, so q is the first argument "
     "of "
     "batched_matmul_nt.",
     "PAIR-code/tiny-transformers#71", LIKE(batched_attention, attention_swapped), false},
    {"first-keys", "every sequence looks at the keys of sequence 0",
     "Sequences do not talk to each other: the queries of sequence b meet the keys of "
     "sequence "
     "b, at k + b * T * C.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_attention, attention_first_keys), false},
    {"first-values", "every sequence mixes the values of sequence 0",
     "Sequences do not talk to each other: the weights of sequence b mix the values of "
     "sequence "
     "b, at v + b * T * C.",
     "lsdefine/attention-is-all-you-need-keras#36",
     LIKE(batched_attention, attention_first_values), false},
    {"over-queries",
     "the softmax runs down the columns: the weights of each key sum to 1",
     "A query shares its attention out among the keys: each row of the weights sums to "
     "1.",
     "nerminnuraydogan/vision-transformer#1",
     LIKE(batched_attention, attention_over_queries), false},
    {"over-batch", "the softmax runs over the batch",
     "Sequences do not compete with each other: each row of the weights sums to 1.",
     "nerminnuraydogan/vision-transformer#1",
     LIKE(batched_attention, attention_over_batch), false},
    {"over-map", "one softmax runs over the whole map of a sequence",
     "Each query has its own softmax: every one of the T rows sums to 1.",
     "PetrochukM/PyTorch-NLP#2", LIKE(batched_attention, attention_over_map), false},
    {"over-all", "one softmax runs over the whole batch",
     "Each query of each sequence has its own softmax: every one of the B * T rows sums "
     "to 1.",
     "PetrochukM/PyTorch-NLP#2", LIKE(batched_attention, attention_over_all), false},
    {"no-max", "the maximum of the row is not subtracted before exp",
     "expf overflows above 88.7 and inf/inf is NaN. Subtract the row's maximum first; "
     "the "
     "weights stay the same.",
     "pytorch/executorch#18407", LIKE(batched_attention, attention_no_max), false},
    {"in-out", "the projection weights are read as (in, out)",
     "Row o of w_q holds the weights of output o: q = x w_q^T. They are square here, so "
     "no size "
     "check can notice.",
     "nntile/nntile#370", LIKE(batched_attention, attention_in_out), false},
    {"same-projection", "q, k and v all come from w_q",
     "There are three weights: w_q for the queries, w_k for the keys, w_v for the "
     "values.",
     "jsbaan/transformer-from-scratch#1",
     LIKE(batched_attention, attention_same_projection), false},
    {"weights-transposed", "the values are mixed with the columns of the weights",
     "out[t] is the sum over s of weights[t][s] v[s]: batched_matmul with the weights "
     "first, "
     "and nothing transposed.",
     "karpathy/llm.c#531", LIKE(batched_attention, attention_weights_transposed), false},
    {0},
};

static const struct mistake attention_alternatives[] = {
    {"loops", "loops instead of BLAS", NULL, NULL,
     LIKE(batched_attention, attention_loops), false},
    {"scaled-queries", "the queries are scaled before the product", NULL, NULL,
     LIKE(batched_attention, attention_scaled_queries), false},
    {"per-sequence", "one sequence after the other", NULL, NULL,
     LIKE(batched_attention, attention_per_sequence), false},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "batched_attention",
        .dims = "B T C",
        .tensors = {{"out", "B T C", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"weights", "B T T", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"q", "B T C", WORKSPACE, F32, 0, 0},
                    {"k", "B T C", WORKSPACE, F32, 0, 0},
                    {"v", "B T C", WORKSPACE, F32, 0, 0},
                    {"scores", "B T T", WORKSPACE, F32, 0, 0},
                    {"x", "B T C", INPUT, F32, 0, 0},
                    {"w_q", "C C", INPUT, F32, 0, 0},
                    {"w_k", "C C", INPUT, F32, 0, 0},
                    {"w_v", "C C", INPUT, F32, 0, 0}},
        .cases = attention_cases,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise exercises[] = {
    {
        .id = "2.1",
        .name = "matmul and matmul_nt",
        .section = "One product by BLAS",
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
        .section = "One product per sequence",
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
        .parts = batched_parts,
    },
    {
        .id = "2.3",
        .name = "batched_linear",
        .section = "One product over all rows",
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
        .parts = linear_parts,
    },
    {
        .id = "2.4",
        .name = "batched_softmax",
        .section = "Softmax of every row",
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
        .section = "Attention over a batch",
        .uses = {"2.2", "2.3", "2.4"},
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
        .parts = attention_parts,
    },
    {0},
};

const struct lab lab_02 = {"Batching", exercises};

#endif
