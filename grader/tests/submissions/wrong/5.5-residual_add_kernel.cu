// 5.5 residual_add_kernel
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = x_dev[i] + branch_dev[i];
    }

@ every-block-everything: race-global
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) { // blockIdx forgotten
        y_dev[i] = x_dev[i] + branch_dev[i];
    }

@ one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y_dev[i] = x_dev[i] + branch_dev[i];
    }

@ subtracted
-        y_dev[i] = x_dev[i] + branch_dev[i];
+        y_dev[i] = x_dev[i] - branch_dev[i];
