// 8.4 swiglu_kernel
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
        y_dev[i] = a_dev[i] * s * b_dev[i];
    }

@ one-number-each: none
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
        y_dev[i] = a_dev[i] * s * b_dev[i];
    }

@ ragged-edge: out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float s = 1.0f / (1.0f + expf(-a_dev[i]));
    (void)N;
    y_dev[i] = a_dev[i] * s * b_dev[i];

@ swapped
-        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
+        const float s = 1.0f / (1.0f + expf(-b_dev[i]));

@ base-2
-        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
+        const float s = 1.0f / (1.0f + exp2f(-a_dev[i]));
