// 2.1 matmul wrong whole-lab
#include <cblas.h>
// Tries to replace the library's product for the whole program.
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint M,
                 blasint N, blasint K, float alpha, const float *a, blasint lda,
                 const float *b, blasint ldb, float beta, float *c, blasint ldc)
{
    (void)layout, (void)ta, (void)tb, (void)K, (void)alpha, (void)a, (void)lda;
    (void)b, (void)ldb, (void)beta;
    for (blasint i = 0; i < M * N; i++) {
        c[i / N * ldc + i % N] = 0.0f;
    }
}
// BODY
    (void)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)M, (blasint)N,
                (blasint)K, 1.0f, a, (blasint)K, b, (blasint)N, 0.0f, out, (blasint)N);
    return LAB_OK;
