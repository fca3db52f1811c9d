// 9.6 decoder_weights
    const size_t width = s->NKV * (s->C / s->NH);
    size_t block = 2 * s->C * s->C;
    block += 2 * width * s->C;
    block += s->H * s->C * (s->gated ? 3 : 2);
    *count = s->L * block;
    *count += s->V * s->C;
    return LAB_OK;

@ H-is-4C
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    block += 4 * s->C * s->C * (s->gated ? 3 : 2);

@ always-gated
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    block += 3 * s->H * s->C;

@ embedding-counted
-    *count += s->V * s->C;
+    *count += 2 * s->V * s->C;

@ gate-forgotten
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    block += 2 * s->H * s->C;

@ int-overflow
-    *count += s->V * s->C;
+    const int all = (int)(*count + s->V * s->C);
+    *count = (size_t)all;

@ int-overflow-in-between: none
-    *count = s->L * block;
+    *count = (size_t)(int)(s->L * block);

@ kv-matrices-square
-    const size_t width = s->NKV * (s->C / s->NH);
+    const size_t width = s->C;

@ kv-once
-    block += 2 * width * s->C;
+    block += width * s->C;

@ kv-rounded-away
-    const size_t width = s->NKV * (s->C / s->NH);
+    const size_t width = s->NKV / s->NH * s->C;

@ mlp-one-matrix
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    block += s->H * s->C;

@ no-attention
     const size_t width = s->NKV * (s->C / s->NH);
-    size_t block = 2 * s->C * s->C;
-    block += 2 * width * s->C;
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    (void)width;
+    const size_t block = s->H * s->C * (s->gated ? 3 : 2);

@ no-output-matrix
-    *count += s->V * s->C;

@ no-w-o
-    size_t block = 2 * s->C * s->C;
+    size_t block = s->C * s->C;

@ norms-counted
-    *count += s->V * s->C;
+    *count += s->V * s->C + (2 * s->L + 1) * s->C;

@ one-block
-    *count = s->L * block;
+    *count = block;

@ one-kv-head
-    const size_t width = s->NKV * (s->C / s->NH);
+    const size_t width = s->C / s->NH;

@ output-in-each-block
-    *count = s->L * block;
-    *count += s->V * s->C;
+    block += s->V * s->C;
+    *count = s->L * block;

@ unsigned-overflow
-    *count = s->L * block;
-    *count += s->V * s->C;
+    *count = (unsigned)(s->L * block + s->V * s->C);

@ kv-without-hs
-    const size_t width = s->NKV * (s->C / s->NH);
+    const size_t width = s->NKV;

@ gate-forgotten-in-one-head: none
-    block += s->H * s->C * (s->gated ? 3 : 2);
+    block += s->H * s->C * (s->gated && s->NH > 1 ? 3 : 2);
