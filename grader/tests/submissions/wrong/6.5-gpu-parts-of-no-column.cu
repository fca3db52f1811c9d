// 6.5 add_rows_kernel uninitialised-shared
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    if (o < O) {
        float sum = 0.0f;
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
        parts[threadIdx.y][threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0.0f;
        for (int warp = 0; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x]; // of a column that is not there, too
        }
        if (o < O) {
            sums_dev[o] += sum;
        }
    }
