// 4.2 split_qkv_kernel race-global
    const size_t i = threadIdx.x;
    if (i >= count) {
        return;
    }
    const float *qkv_n = qkv_dev + i / C * 3 * C;
    q_dev[i] = qkv_n[i % C];
    k_dev[i] = qkv_n[C + i % C];
    v_dev[i] = qkv_n[2 * C + i % C];
