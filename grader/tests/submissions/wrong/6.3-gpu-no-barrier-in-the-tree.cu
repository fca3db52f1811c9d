// 6.3 mean_kernel race-shared
    __shared__ double sums[BLOCK];
    double sum = 0.0;
    for (size_t n = threadIdx.x; n < N; n += BLOCK) {
        sum += row_losses_dev[n];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *loss_dev = (float)(sums[0] / (double)N);
    }
