// 2.2 batched_matmul_nt_kernel
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE + 1]; // + 1: it is read down a column (1.3)
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t n0 = (size_t)blockIdx.x * TILE;

    for (size_t i = blockIdx.z; i < B; i += gridDim.z) {
        const float *a = a_dev + i * M * K, *b = b_dev + i * N * K;
        for (size_t m0 = (size_t)blockIdx.y * TILE; m0 < M;
             m0 += (size_t)gridDim.y * TILE) {
            const size_t m = m0 + y;
            float sum = 0.0f;
            for (size_t k0 = 0; k0 < K; k0 += TILE) {
                const bool in_depth = k0 + x < K;
                a_tile[y][x] = in_depth && m < M ? a[m * K + k0 + x] : 0.0f;
                b_tile[y][x] = in_depth && n0 + y < N ? b[(n0 + y) * K + k0 + x] : 0.0f;
                __syncthreads();
                for (size_t k = 0; k < TILE; k++) {
                    sum += a_tile[y][k] * b_tile[x][k];
                }
                __syncthreads();
            }
            if (m < M && n0 + x < N) {
                out_dev[(i * M + m) * N + n0 + x] = sum;
            }
        }
    }

@ nt-b-as-stored: no-flag
-                b_tile[y][x] = in_depth && n0 + y < N ? b[(n0 + y) * K + k0 + x] : 0.0f;
+                b_tile[x][y] = k0 + y < K && n0 + x < N ? b[(k0 + y) * N + n0 + x] : 0.0f;

@ nt-out-transposed: out-transposed
-                out_dev[(i * M + m) * N + n0 + x] = sum;
+                out_dev[(i * N + n0 + x) * M + m] = sum;
