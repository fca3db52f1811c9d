// 5.2 gelu_kernel
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        const float x = x_dev[i];
        y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
    }

@ made-finite: none
-        const float x = x_dev[i];
+        const float x = isfinite(x_dev[i]) ? x_dev[i] : 0.0f;

@ nan-is-0: none
-        const float x = x_dev[i];
+        const float x = isnan(x_dev[i]) ? 0.0f : x_dev[i];

@ one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float x = x_dev[i];
        y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
    }

@ ragged-edge: out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float x = x_dev[i];
    (void)N;
    y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));

@ tanh
-        y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
+        y_dev[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
