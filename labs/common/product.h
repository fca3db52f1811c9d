// product.h - cutting a product of matrices up so that OpenBLAS is quick at it.
//
// For a large product OpenBLAS first copies both factors into an order of its own, which pays
// many times over. For a small one it would cost more than it saves, and is left out: below
// some million terms (multiply-adds), and unless a row of the first factor has to be multiplied
// by a row of the second (matmul_nt of lab 2), for which it has no such short cut.
//
// A product over many rows may be done in blocks of rows; each block is then below the limit:
//
//     const size_t rows = lab_rows_of_a_block(N, I, O);
//     for (size_t n = 0; n < N; n += rows) {
//         // rows n ... n + rows - 1, or fewer at the end
//     }
//
// On lab 6's model this saves a fifth of the time of all its products (make bench).

#ifndef LAB_PRODUCT_H
#define LAB_PRODUCT_H

#include <stddef.h>

// How many of the N rows to take at a time, in a product whose rows have I * O terms each: as
// many as stay below the limit, all blocks about as long; N when that would be thin slices.
static inline size_t lab_rows_of_a_block(size_t N, size_t I, size_t O)
{
    const size_t terms = 1000000, thinnest = 64;
    const size_t rows = terms / I / O;
    if (rows < thinnest || rows >= N) {
        return N;
    }
    const size_t blocks = (N + rows - 1) / rows;
    return (N + blocks - 1) / blocks;
}

#endif
