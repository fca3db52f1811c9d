// 6.5 add_rows_kernel dbias-first-warp
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    if (o < O) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && o < O) {
        sums_dev[o] += sum;
    }
