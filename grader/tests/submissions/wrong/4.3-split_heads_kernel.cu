// 4.3 split_heads_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t t = i / hs % T;
    const size_t h = i / hs / T % NH;
    const size_t b = i / hs / T / NH;
    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];

@ ragged-edge: out-of-bounds
-    if (i >= count) {
-        return;
-    }
+    (void)count;

@ reshape-alone
-    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];
+    out_dev[i] = x_dev[((b * NH + h) * T + t) * hs + c];
