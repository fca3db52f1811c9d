// 9.4 grouped_query_attention_gpu
    grouped_query_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
        out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, NH, NH / NKV, T,
        S, hs);
    return lab_cuda(cudaGetLastError());

@ gqa-unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ gqa-NKV-blocks: none
-    grouped_query_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
+    grouped_query_kernel<<<(unsigned)(B * NKV * T), BLOCK, 0, stream>>>(
