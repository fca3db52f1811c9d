// 6.2 embedding_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N * C) {
        return;
    }
    const size_t token = tokens_dev[i / C];
    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;

@ ragged-edge: out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)N;
    const size_t token = tokens_dev[i / C];
    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;

@ table-transposed
-    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
+    out_dev[i] = token < V ? table_dev[i % C * V + token] : NAN;
