// product.h - splits a matrix product into blocks that OpenBLAS computes faster.
//
// For a large product OpenBLAS first copies both factors into another order, which pays off
// many times over. For a small product, below about a million multiply-adds, the copy would
// cost more than it saves, so OpenBLAS skips it. The exception is a row of the first factor
// times a row of the second (matmul_nt of lab 2), where OpenBLAS always copies.
//
// A product over many rows can be computed in blocks of rows, each below the limit:
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

// The number of rows per block, for N rows with I * O multiply-adds each. Blocks stay below
// the limit and have about equal size. Returns N if the blocks would be too thin.
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
