// 3.1 causal_mask_kernel unsigned-wrap
    const size_t s = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t t = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < T && s < S) {
        mask_dev[t * S + s] = s <= t + (S - T);
    }
