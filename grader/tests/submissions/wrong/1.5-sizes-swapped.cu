// 1.5 weighted_values_gpu out-of-bounds
    return matmul_gpu(out_dev, weights_dev, v_dev, T, S, dv, stream);
