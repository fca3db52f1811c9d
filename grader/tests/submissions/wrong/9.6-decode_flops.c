// 9.6 decode_flops
    size_t weights;
    LAB_TRY(decoder_weights(&weights, sizes));
    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
    *flops = 2 * weights;
    *flops += s->L * (scores + sums);
    return LAB_OK;

@ in-double: none
-    *flops += s->L * (scores + sums);
+    *flops = (size_t)((double)*flops + (double)(s->L * (scores + sums)));

@ all-queries
-    *flops += s->L * (scores + sums);
+    *flops += s->L * T * (scores + sums);

@ all-tokens
-    *flops = 2 * weights;
+    *flops = 2 * weights * T;

@ attention-half
-    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
+    const size_t scores = s->C * T, sums = s->C * T;

@ attention-twice
-    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
+    const size_t scores = 4 * s->C * T, sums = 4 * s->C * T;

@ int-overflow
-    *flops += s->L * (scores + sums);
+    const int all = (int)(*flops + s->L * (scores + sums));
+    *flops = (size_t)all;

@ key-heads
-    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
+    const size_t width = s->NKV * (s->C / s->NH);
+    const size_t scores = 2 * width * T, sums = 2 * width * T;

@ multiplications-only
-    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
-    *flops = 2 * weights;
+    const size_t scores = s->C * T, sums = s->C * T;
+    *flops = weights;

@ no-attention
-    *flops += s->L * (scores + sums);
+    (void)scores, (void)sums;

@ no-weights
-    *flops = 2 * weights;
+    *flops = 0;

@ not-itself
-    const size_t scores = 2 * s->C * T, sums = 2 * s->C * T;
+    const size_t scores = 2 * s->C * (T - 1), sums = 2 * s->C * (T - 1);

@ one-head
-    *flops += s->L * (scores + sums);
+    *flops += s->L * (scores + sums) / s->NH;

@ one-layer
-    *flops += s->L * (scores + sums);
+    *flops += scores + sums;

@ scores-only: attention-half
-    *flops += s->L * (scores + sums);
+    (void)sums;
+    *flops += s->L * scores;

@ unsigned-overflow
-    *flops += s->L * (scores + sums);
+    *flops = (unsigned)(*flops + s->L * (scores + sums));

@ weights-once
-    *flops = 2 * weights;
+    *flops = weights;
