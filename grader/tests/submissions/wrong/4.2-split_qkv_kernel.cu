// 4.2 split_qkv_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float *qkv_n = qkv_dev + i / C * 3 * C;
    q_dev[i] = qkv_n[i % C];
    k_dev[i] = qkv_n[C + i % C];
    v_dev[i] = qkv_n[2 * C + i % C];

@ block-forgotten: race-global
-    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
+    const size_t i = threadIdx.x;

@ order-k-q-v
-    q_dev[i] = qkv_n[i % C];
-    k_dev[i] = qkv_n[C + i % C];
+    q_dev[i] = qkv_n[C + i % C];
+    k_dev[i] = qkv_n[i % C];

@ ragged-edge: out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)count; // "BLOCK times the blocks is how many there are"
    const float *qkv_n = qkv_dev + i / C * 3 * C;
    q_dev[i] = qkv_n[i % C];
    k_dev[i] = qkv_n[C + i % C];
    v_dev[i] = qkv_n[2 * C + i % C];
