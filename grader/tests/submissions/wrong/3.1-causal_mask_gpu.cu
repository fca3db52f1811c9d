// 3.1 causal_mask_gpu
    const dim3 block(32, 8);
    const dim3 grid(lab_blocks(S, block.x), at_most(lab_blocks(T, block.y)));
    causal_mask_kernel<<<grid, block, 0, stream>>>(mask_dev, T, S);
    return lab_cuda(cudaGetLastError());

@ grid-rounded-down: launch-invalid
    causal_mask_kernel<<<dim3(S / 32, T / 8), dim3(32, 8), 0, stream>>>(mask_dev, T, S);
    return lab_cuda(cudaGetLastError());

@ grid-of-one-size: none
-    const dim3 grid(lab_blocks(S, block.x), at_most(lab_blocks(T, block.y)));
+    const dim3 grid(32, 8);

@ a-block-for-every-16-queries: launch-invalid
-    const dim3 block(32, 8);
-    const dim3 grid(lab_blocks(S, block.x), at_most(lab_blocks(T, block.y)));
+    const dim3 block(16, 16);
+    const dim3 grid(lab_blocks(S, 16), lab_blocks(T, 16));
