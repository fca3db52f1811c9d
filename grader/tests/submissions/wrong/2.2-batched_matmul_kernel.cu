// 2.2 batched_matmul_kernel
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t n = (size_t)blockIdx.x * TILE + x;

    for (size_t i = blockIdx.z; i < B; i += gridDim.z) {
        const float *a = a_dev + i * M * K, *b = b_dev + i * K * N;
        for (size_t m0 = (size_t)blockIdx.y * TILE; m0 < M;
             m0 += (size_t)gridDim.y * TILE) {
            const size_t m = m0 + y;
            float sum = 0.0f;
            for (size_t k0 = 0; k0 < K; k0 += TILE) {
                a_tile[y][x] = m < M && k0 + x < K ? a[m * K + k0 + x] : 0.0f;
                b_tile[y][x] = k0 + y < K && n < N ? b[(k0 + y) * N + n] : 0.0f;
                __syncthreads();
                for (size_t k = 0; k < TILE; k++) {
                    sum += a_tile[y][k] * b_tile[k][x];
                }
                __syncthreads();
            }
            if (m < M && n < N) {
                out_dev[(i * M + m) * N + n] = sum;
            }
        }
    }

@ a-and-b-without-batch: always-first
-        const float *a = a_dev + i * M * K, *b = b_dev + i * K * N;
+        const float *a = a_dev, *b = b_dev;

@ b-without-batch: b-always-first
-        const float *a = a_dev + i * M * K, *b = b_dev + i * K * N;
+        const float *a = a_dev + i * M * K, *b = b_dev;

@ no-barrier: race-shared
-                __syncthreads();
             }

@ one-sequence-too-many: out-of-bounds
-    for (size_t i = blockIdx.z; i < B; i += gridDim.z) {
+    for (size_t i = blockIdx.z; i <= B; i += gridDim.z) {
