// 6.5 add_rows_kernel race-global
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    for (size_t n = threadIdx.y; o < O && n < N; n += TALL_WARPS) {
        sum += dy_dev[n * O + o];
    }
    if (o < O) {
        sums_dev[o] += sum; // by every warp
    }
