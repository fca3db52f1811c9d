// 1.1 matmul nocompile whole-lab needs-wall
// The fast twins share a product of matrices.
#include "../../../../solutions/fast/common/tile_product.h"
// BODY
    lab_tile_product(out, N, (struct lab_matrix){a, K, 1}, b, N, M, N, K, false);
    return LAB_OK;
