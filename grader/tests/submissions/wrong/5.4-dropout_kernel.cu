// 5.4 dropout_kernel
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
    }

@ not-scaled
-        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
+        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] : 0.0f;

@ one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
    }

@ kept-at-1-minus-p
-        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
+        y_dev[i] = uniforms_dev[i] <= keep ? x_dev[i] / keep : 0.0f;
