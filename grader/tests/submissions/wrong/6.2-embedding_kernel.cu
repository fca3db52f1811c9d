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

@ token-V-allowed: out-of-bounds
-    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
+    out_dev[i] = token <= V ? table_dev[token * C + i % C] : NAN;

@ token-unchecked: out-of-bounds
-    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
+    out_dev[i] = table_dev[token * C + i % C];

@ zeros-for-bad-tokens: none
-    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
+    out_dev[i] = token < V ? table_dev[token * C + i % C] : 0.0f;

@ last-row-for-bad-tokens: none
-    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
+    out_dev[i] = table_dev[(token < V ? token : V - 1) * C + i % C];

@ tokens-in-16-bits: in-16-bits
-    const size_t token = tokens_dev[i / C];
+    const size_t token = (unsigned short)tokens_dev[i / C];

@ token-in-32-bits: none
-    const size_t token = tokens_dev[i / C];
+    const unsigned token = tokens_dev[i / C];

@ row-in-16-bits: none
-    const size_t token = tokens_dev[i / C];
+    const size_t token = tokens_dev[(unsigned short)(i / C)];
