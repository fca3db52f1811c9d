// 4.4 merge_heads_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t h = i / hs % NH;
    const size_t t = i / hs / NH % T;
    const size_t b = i / hs / NH / T;
    out_dev[i] = x_dev[((b * NH + h) * T + t) * hs + c];

@ reshape-alone
-    out_dev[i] = x_dev[((b * NH + h) * T + t) * hs + c];
+    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];

@ split-again
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t t = i / hs % T;
    const size_t h = i / hs / T % NH;
    const size_t b = i / hs / T / NH;
    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];
