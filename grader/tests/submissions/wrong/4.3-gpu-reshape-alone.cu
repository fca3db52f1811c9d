// 4.3 split_heads_kernel reshape-alone
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t t = i / hs % T;
    const size_t h = i / hs / T % NH;
    const size_t b = i / hs / T / NH;
    out_dev[i] = x_dev[((b * NH + h) * T + t) * hs + c];
