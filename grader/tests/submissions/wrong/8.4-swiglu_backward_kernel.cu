// 8.4 swiglu_backward_kernel
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
        const float gate = a_dev[i] * s;
        da_dev[i] = dy_dev[i] * b_dev[i] * (s + gate * (1.0f - s));
        db_dev[i] = dy_dev[i] * gate;
    }

@ sigmoid-constant
-        da_dev[i] = dy_dev[i] * b_dev[i] * (s + gate * (1.0f - s));
+        da_dev[i] = dy_dev[i] * b_dev[i] * s;

@ swapped
-        da_dev[i] = dy_dev[i] * b_dev[i] * (s + gate * (1.0f - s));
-        db_dev[i] = dy_dev[i] * gate;
+        db_dev[i] = dy_dev[i] * b_dev[i] * (s + gate * (1.0f - s));
+        da_dev[i] = dy_dev[i] * gate;

@ base-2
-        const float s = 1.0f / (1.0f + expf(-a_dev[i]));
+        const float s = 1.0f / (1.0f + exp2f(-a_dev[i]));
