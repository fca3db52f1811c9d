// 1.5 weighted_values_gpu
    const dim3 block(TILE, TILE);
    weighted_values_kernel<<<grid_for(T, dv, block), block, 0, stream>>>(
        out_dev, weights_dev, v_dev, T, S, dv);
    return lab_cuda(cudaGetLastError());

@ sizes-swapped: out-of-bounds
    return matmul_gpu(out_dev, weights_dev, v_dev, T, S, dv, stream);

@ grid-and-block-exchanged: launch-invalid
    const dim3 block(32, 8);
    matmul_kernel<<<block, grid_for(T, dv, block), 0, stream>>>(out_dev, weights_dev, v_dev,
                                                                T, dv, S);
    return lab_cuda(cudaGetLastError());
