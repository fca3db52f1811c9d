// 6.5 add_rows_kernel race-shared
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    if (o < O) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    if (threadIdx.y == 0 && o < O) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x];
        }
        sums_dev[o] += sum;
    }
