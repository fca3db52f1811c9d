// 1.3 attention_scores_kernel last-step-missing
    __shared__ float q_tile[TILE][TILE];
    __shared__ float k_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    size_t t = blockIdx.y * TILE + y, s = blockIdx.x * TILE + x;
    size_t s0 = blockIdx.x * TILE;
    float sum = 0.0f;
    for (size_t i0 = 0; i0 + TILE <= d; i0 += TILE) {
        q_tile[y][x] = t < T && i0 + x < d ? q_dev[t * d + i0 + x] : 0.0f;
        k_tile[y][x] = s0 + y < S && i0 + x < d ? k_dev[(s0 + y) * d + i0 + x] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += q_tile[y][i] * k_tile[x][i];
        }
        __syncthreads();
    }
    if (t < T && s < S) {
        scores_dev[t * S + s] = sum * scale;
    }
