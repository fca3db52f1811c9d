// 4.3 split_heads_kernel out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)count;
    const size_t c = i % hs;
    const size_t t = i / hs % T;
    const size_t h = i / hs / T % NH;
    const size_t b = i / hs / T / NH;
    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];
