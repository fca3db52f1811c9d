// 9.8 linear_int8_gpu
    const dim3 grid(lab_blocks(O, WARPS), N < GRID_MAX ? (unsigned)N : GRID_MAX);
    linear_int8_kernel<<<grid, dim3(WARP, WARPS), 0, stream>>>(y_dev, x_dev, rows_dev,
                                                               scales_dev, N, I, O);
    return lab_cuda(cudaGetLastError());

@ int8-all-rows-along-y: launch-invalid
-    const dim3 grid(lab_blocks(O, WARPS), N < GRID_MAX ? (unsigned)N : GRID_MAX);
+    const dim3 grid(lab_blocks(O, WARPS), (unsigned)N);
