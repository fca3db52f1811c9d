// 1.5 weighted_values_kernel
    __shared__ float weights_tile[TILE][TILE];
    __shared__ float v_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    size_t c = blockIdx.x * TILE + x;
    for (size_t t = blockIdx.y * TILE + y; t - y < T; t += gridDim.y * TILE) {
        float sum = 0.0f;
        for (size_t s0 = 0; s0 < S; s0 += TILE) {
            weights_tile[y][x] = t < T && s0 + x < S ? weights_dev[t * S + s0 + x] : 0.0f;
            v_tile[y][x] = s0 + y < S && c < dv ? v_dev[(s0 + y) * dv + c] : 0.0f;
            __syncthreads();
            for (int s = 0; s < TILE; s++) {
                sum += weights_tile[y][s] * v_tile[s][x];
            }
            __syncthreads();
        }
        if (t < T && c < dv) {
            out_dev[t * dv + c] = sum;
        }
    }

@ edge-of-the-wrong-size: out-of-bounds
-            v_tile[y][x] = s0 + y < S && c < dv ? v_dev[(s0 + y) * dv + c] : 0.0f;
+            v_tile[y][x] = s0 + y < S && c < S ? v_dev[(s0 + y) * dv + c] : 0.0f;

@ no-barrier-after-reading: race-shared
-            __syncthreads();
         }

@ tile-one-row-too-far: index
-            for (int s = 0; s < TILE; s++) {
+            for (int s = 0; s <= TILE; s++) {

@ tiled-out-transposed: out-transposed
-            out_dev[t * dv + c] = sum;
+            out_dev[c * T + t] = sum;
