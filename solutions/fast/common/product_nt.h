// product_nt.h - y = x w^T where w is large, without copying w.
//
// A linear layer multiplies a hundred or a thousand tokens by weights that are far larger. OpenBLAS copies
// both factors into another order first, which for 128 tokens and w (768, 768) is a fifth of its time. Here only
// the tokens are copied. The product is computed transposed, w x^T, so a row of w is read in the order in
// which it is stored:
//
//        w (O, I)              x^T (I, 64)                  y^T (96, 64)      y (T, O)
//     96 rows, 256 columns     256 rows, one panel    ──>   stays in the  ──> added, transposed
//     of each at a time        of 64 tokens                 cache

#ifndef LAB_PRODUCT_NT_H
#define LAB_PRODUCT_NT_H

#include <stdbool.h>
#include <stddef.h>

// Says whether lab_product_nt is faster than BLAS for these sizes on this machine.
bool lab_product_nt_pays(size_t T, size_t I, size_t O);

// y (T, O) = x (T, I) w^T, with w (O, I): cblas_sgemm with CblasTrans for the second factor. y does not
// overlap the others. Uses the threads of lab_threads_set.
void lab_product_nt(float *y, const float *x, const float *w, size_t T, size_t I,
                    size_t O);

#endif
