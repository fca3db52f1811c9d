// 1.1 matmul nocompile whole-lab
#include <stddef.h>
// The fast twins share a product of matrices. A declaration of it compiles.
struct lab_matrix {
    const float *at;
    size_t row, column;
};
void lab_tile_product(float *out, size_t out_row, struct lab_matrix a, const float *b,
                      size_t b_row, size_t M, size_t N, size_t K, _Bool add);
// BODY
    lab_tile_product(out, N, (struct lab_matrix){a, K, 1}, b, N, M, N, K, 0);
    return LAB_OK;
