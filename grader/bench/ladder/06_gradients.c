// 06_gradients.c - the steps to solutions/fast/06_copy_task/gradients.c.

#include <cblas.h>
#include <math.h>

#include "06_copy_task/copy_task.h"
#include "bench/ladder/ladder.h"
#include "fast/common/product.h"
#include "fast/common/vector_math.h"

// ---- 6.5  linear --------------------------------------------------------------------------

static lab_status in_blocks(float *dx, float *dw, float *dbias, const float *dy,
                            const float *x, const float *w, size_t N, size_t I, size_t O)
{
    const int i = (int)I, o = (int)O;
    const size_t rows = lab_rows_of_a_block(N, I, O);
    for (size_t first = 0; first < N; first += rows) {
        const int n = (int)(rows < N - first ? rows : N - first);
        const float *dy_n = dy + first * O;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, dy_n, o, w,
                    i, 0.0f, dx + first * I, i);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, dy_n, o,
                    x + first * I, i, 1.0f, dw, i);
    }
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < O; c++) {
            dbias[c] += dy[n * O + c];
        }
    }
    return LAB_OK;
}

// ---- 6.6  softmax -------------------------------------------------------------------------

// Weights like those of a softmax: positive, and about 1 in a row.
static void weights_of_a_softmax(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = fabsf(weights[i]) / (float)case_dim(test, "S");
    }
}

// The plain loops, compiled for the widest vectors: the sum still adds one number at a time.
LAB_WIDE static void rows_in_order(float *restrict dscores,
                                   const float *restrict dweights,
                                   const float *restrict weights, size_t N, size_t S)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0;
        for (size_t i = n * S; i < (n + 1) * S; i++) {
            mean += (double)dweights[i] * weights[i];
        }
        for (size_t i = n * S; i < (n + 1) * S; i++) {
            dscores[i] = weights[i] * (dweights[i] - (float)mean);
        }
    }
}

static lab_status wide_softmax(float *dscores, const float *dweights,
                               const float *weights, size_t N, size_t S)
{
    rows_in_order(dscores, dweights, weights, N, S);
    return LAB_OK;
}

// ---- 6.7  attention -----------------------------------------------------------------------

// Five calls of BLAS for each head, and the fast softmax_backward.
static lab_status by_blas(float *dq, float *dk, float *dv, float *dweights,
                          float *dscores, const float *dout, const float *q,
                          const float *k, const float *v, const float *weights, size_t B,
                          size_t NH, size_t T, size_t S, size_t hs)
{
    const int t = (int)T, s = (int)S, h = (int)hs;
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) {
        const size_t queries = i * T * hs, keys = i * S * hs, pairs = i * T * S;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, s, h, 1.0f,
                    dout + queries, h, v + keys, h, 0.0f, dweights + pairs, s);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, h, t, 1.0f,
                    weights + pairs, s, dout + queries, h, 0.0f, dv + keys, h);
        LAB_TRY(
            softmax_backward(dscores + pairs, dweights + pairs, weights + pairs, T, S));
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t, h, s, scale,
                    dscores + pairs, s, k + keys, h, 0.0f, dq + queries, h);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, h, t, scale,
                    dscores + pairs, s, q + queries, h, 0.0f, dk + keys, h);
    }
    return LAB_OK;
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

static lab_status without_calls(float *dx, const float *dy, const float *x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        const struct lab_normal normal = lab_normal(x[i]);
        dx[i] = dy[i] * (normal.cdf + x[i] * normal.pdf);
    }
    return LAB_OK;
}

// ---- the tables ---------------------------------------------------------------------------

const struct ladder ladders_gradients[] = {
    {"linear_backward",
     6,
     {.dims = "N=256 I=32 O=128"},
     {{"plain: two products, the sum of all rows", NULL},
      {"4  products in blocks", LIKE(linear_backward, in_blocks)},
      {"1  LAB_WIDE sums of rows (this file)", LIKE(linear_backward, linear_backward)}}},
    {"softmax_backward",
     6,
     {.dims = "N=128 S=128", .fill = weights_of_a_softmax},
     {{"plain: a sum in double, one after another", NULL},
      {"1  LAB_WIDE", LIKE(softmax_backward, wide_softmax)},
      {"2  eight sums in float (this file)", LIKE(softmax_backward, softmax_backward)}}},
    {"attention_backward",
     6,
     {.dims = "B=32 NH=4 T=8 S=8 hs=8", .fill = weights_of_a_softmax},
     {{"plain: BLAS", NULL},
      {"2  BLAS, with softmax_backward of this file", LIKE(attention_backward, by_blas)},
      {"5  small products in registers (this file)",
       LIKE(attention_backward, attention_backward)}}},
    {"layernorm_backward",
     6,
     {.dims = "N=256 C=32"},
     {{"plain: sums in double, one after another", NULL},
      {"2  eight sums in float, LAB_WIDE (this file)",
       LIKE(layernorm_backward, layernorm_backward)}}},
    {"gelu_backward",
     6,
     {.dims = "N=32768"},
     {{"plain: erff and expf, calls for each number", NULL},
      {"3  lab_normal: no call, no branch", LIKE(gelu_backward, without_calls)},
      {"1  LAB_WIDE (this file)", LIKE(gelu_backward, gelu_backward)}}},
    {0},
};
