// 3.1 causal_mask_kernel race-global
    const size_t s = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t t = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < T && s < S) {
        for (size_t key = 0; key < S; key++) {
            mask_dev[t * S + key] = key + T <= t + S;
        }
    }
