// rows.h - products of a few rows of tokens at a time, by BLAS, and their way back; for lab 8's model.
//
// A product of up to a million terms is fastest if its second factor need not be transposed. So the
// weights of a linear layer are transposed once, if there is room for it:
//
//     struct weights w = transposed(&memory, w_q, C, C);
//     linear_rows(q, 0.0f, x, w, rows, C, C);

#ifndef LAB_FAST_ROWS_H
#define LAB_FAST_ROWS_H

#include <cblas.h>
#include <stddef.h>

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// A matrix, or a part of one. Consecutive rows start row floats apart.
struct part {
    const float *at;
    size_t row;
};

// out (M,N) = a (M,K) b (K,N) + beta out
static inline void product(float *out, size_t out_row, struct part a, struct part b,
                           float beta, size_t M, size_t N, size_t K)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a.at, (int)a.row, b.at, (int)b.row, beta, out, (int)out_row);
}

// out (M,N) = a (K,M)^T b (K,N) + beta out
static inline void product_tn(float *out, size_t out_row, struct part a, struct part b,
                              float beta, size_t M, size_t N, size_t K)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a.at, (int)a.row, b.at, (int)b.row, beta, out, (int)out_row);
}

// to (columns, rows) = from (rows, columns) transposed
static inline void transpose(float *to, const float *from, size_t rows, size_t columns)
{
    const size_t tile = 16;
    for (size_t r = 0; r < rows; r += tile) {
        for (size_t c = 0; c < columns; c += tile) {
            for (size_t i = r; i < smaller(r + tile, rows); i++) {
                for (size_t j = c; j < smaller(c + tile, columns); j++) {
                    to[j * rows + i] = from[i * columns + j];
                }
            }
        }
    }
}

// The weights w (O,I) of a linear layer, and their transpose (I,O) if there is room for it.
struct weights {
    const float *w, *transposed;
};

// y (rows,O) = x (rows,I) w^T + beta y
static inline void linear_rows(float *y, float beta, const float *x, struct weights w,
                               size_t rows, size_t I, size_t O)
{
    if (w.transposed != NULL) {
        product(y, O, (struct part){x, I}, (struct part){w.transposed, O}, beta, rows, O,
                I);
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)O, (int)I, 1.0f,
                x, (int)I, w.w, (int)I, beta, y, (int)O);
}

// Back through linear_rows: dx (rows,I) = dy (rows,O) w + beta dx, and dw (O,I) += dy^T x.
static inline void linear_rows_backward(float *dx, float beta, float *dw, const float *dy,
                                        const float *x, const float *w, size_t rows,
                                        size_t I, size_t O)
{
    product(dx, I, (struct part){dy, O}, (struct part){w, I}, beta, rows, I, O);
    product_tn(dw, I, (struct part){dy, O}, (struct part){x, I}, 1.0f, O, I, rows);
}

// Transposes w (O,I) into *memory and moves *memory past it. Transposes nothing if *memory is NULL.
static inline struct weights transposed(float **memory, const float *w, size_t O,
                                        size_t I)
{
    struct weights both = {w, NULL};
    if (*memory != NULL) {
        transpose(*memory, w, O, I);
        both.transposed = *memory;
        *memory += O * I;
    }
    return both;
}

#endif
