// tile_product.h - the product of two small matrices, without BLAS.
//
// OpenBLAS copies both factors into another order first. For tiles that fit in the innermost
// cache, the copy costs more than it saves, and a tile is often already stored as the product needs it.
// On tiles of 64 by 64 this function has the speed that cblas_sgemm has on large matrices
// (make bench).

#ifndef LAB_TILE_PRODUCT_H
#define LAB_TILE_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

// A matrix in memory: element (i, j) is at[i * row + j * column].
struct lab_matrix {
    const float *at;
    size_t row, column;
};

// The rows that a product computes at a time: M is best a multiple of it.
enum { LAB_TILE_ROWS = 6 };

// The columns that a product computes at a time on this machine: 64 with AVX-512, else 16. If b is
// larger than the innermost cache, store it as matrices of so many columns, so that a tile
// reads memory without gaps.
size_t lab_tile_columns(void);

// out (M, N) = a (M, K) b (K, N), or out += a b if add is set.
// A row of out and of b is contiguous; rows begin out_row and b_row floats apart. a may be
// transposed. Fast if N is a multiple of 64, fair if it is a multiple of 16. out does not overlap
// the factors.
// Example: scores (N, M) = k q^T, with q^T copied into q_t:
//     lab_tile_product(scores, M, (struct lab_matrix){k, hs, 1}, q_t, M, N, M, hs, false);
void lab_tile_product(float *out, size_t out_row, struct lab_matrix a, const float *b,
                      size_t b_row, size_t M, size_t N, size_t K, bool add);

#endif
