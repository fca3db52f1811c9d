// 3.1 causal_mask_kernel out-of-bounds
    const size_t s = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t t = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < T) {
        mask_dev[t * S + s] = s + T <= t + S;
    }
