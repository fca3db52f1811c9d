// 8.8 language_block_backward
    const size_t N = B * T, hs = C / NH, bytes = N * C * sizeof(float);
    const size_t *places = z->positions;
    LAB_TRY(linear_backward(dz->dhidden, grads->w_down, NULL, dout, z->hidden, params->w_down,
                            N, H, C));
    LAB_TRY(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, z->gate, z->up, N * H));
    LAB_TRY(linear_backward(dz->dnormed2, grads->w_up, NULL, dz->dup, z->normed2,
                            params->w_up, N, C, H));
    LAB_TRY(linear_backward(dz->dbranch, grads->w_gate, NULL, dz->dgate, z->normed2,
                            params->w_gate, N, C, H));
    for (size_t i = 0; i < N * C; i++) {
        dz->dnormed2[i] += dz->dbranch[i];
    }
    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, z->middle, z->rrms2,
                             params->norm2, N, C));
    for (size_t i = 0; i < N * C; i++) {
        dz->dmiddle[i] += dout[i];
    }
    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->merged,
                            params->w_o, N, C, C));
    LAB_TRY(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    LAB_TRY(attention_backward(dz->dq_turned, dz->dk_turned, dz->dv_heads, dz->dweights,
                               dz->dscores, dz->dout_heads, z->q_turned, z->k_turned,
                               z->v_heads, weights, B, NH, T, T, hs));
    LAB_TRY(rope_backward(dz->dq_heads, dz->dq_turned, places, B, NH, T, hs));
    LAB_TRY(rope_backward(dz->dk_heads, dz->dk_turned, places, B, NH, T, hs));
    LAB_TRY(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
    LAB_TRY(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
    LAB_TRY(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, z->normed1, params->w_q, N,
                            C, C));
    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dk, z->normed1, params->w_k, N,
                            C, C));
    for (size_t i = 0; i < N * C; i++) {
        dz->dnormed1[i] += dz->dbranch[i]; // k
    }
    LAB_TRY(linear_backward(dz->dbranch, grads->w_v, NULL, dz->dv, z->normed1, params->w_v, N,
                            C, C));
    for (size_t i = 0; i < N * C; i++) {
        dz->dnormed1[i] += dz->dbranch[i]; // v
    }
    LAB_TRY(rmsnorm_backward(dx, grads->norm1, dz->dnormed1, x, z->rrms1, params->norm1, N, C));
    for (size_t i = 0; i < N * C; i++) {
        dx[i] += dz->dmiddle[i];
    }
    (void)bytes;
    return LAB_OK;

@ all-from-dout
-    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->merged,
+    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dout, z->merged,

-        dx[i] += dz->dmiddle[i];
+        dx[i] += dout[i];

@ attention-from-dout
-    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->merged,
+    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dout, z->merged,

@ attention-residual-dropped
-        dx[i] += dz->dmiddle[i];
+        dx[i] += 0.0f;

@ down-of-gate
-    LAB_TRY(linear_backward(dz->dhidden, grads->w_down, NULL, dout, z->hidden, params->w_down,
+    LAB_TRY(linear_backward(dz->dhidden, grads->w_down, NULL, dout, z->gate, params->w_down,

@ dx-from-dout
-        dx[i] += dz->dmiddle[i];
+        dx[i] += dout[i];

@ gate-alone
-        dz->dnormed2[i] += dz->dbranch[i];
+        dz->dnormed2[i] = dz->dbranch[i];

@ gate-and-up-swapped
-    LAB_TRY(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, z->gate, z->up, N * H));
+    LAB_TRY(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, z->up, z->gate, N * H));

@ gate-of-middle
-    LAB_TRY(linear_backward(dz->dnormed2, grads->w_up, NULL, dz->dup, z->normed2,
+    LAB_TRY(linear_backward(dz->dnormed2, grads->w_up, NULL, dz->dup, z->middle,

-    LAB_TRY(linear_backward(dz->dbranch, grads->w_gate, NULL, dz->dgate, z->normed2,
+    LAB_TRY(linear_backward(dz->dbranch, grads->w_gate, NULL, dz->dgate, z->middle,

@ heads-not-merged
+#include <string.h>

-    LAB_TRY(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
-    LAB_TRY(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
-    LAB_TRY(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
+    memcpy(dz->dq, dz->dq_heads, bytes);
+    memcpy(dz->dk, dz->dk_heads, bytes);
+    memcpy(dz->dv, dz->dv_heads, bytes);

@ heads-not-split
+#include <string.h>

-    LAB_TRY(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
+    memcpy(dz->dout_heads, dz->dmerged, bytes);

@ mlp-residual-dropped
-        dz->dmiddle[i] += dout[i];
+        dz->dmiddle[i] += 0.0f;

@ no-norm1
+#include <string.h>

-    LAB_TRY(rmsnorm_backward(dx, grads->norm1, dz->dnormed1, x, z->rrms1, params->norm1, N, C));
+    memcpy(dx, dz->dnormed1, bytes);

@ no-norm2
+#include <string.h>

-    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, z->middle, z->rrms2,
-                             params->norm2, N, C));
+    memcpy(dz->dmiddle, dz->dnormed2, bytes);

@ no-rope
+#include <string.h>

-    LAB_TRY(rope_backward(dz->dq_heads, dz->dq_turned, places, B, NH, T, hs));
-    LAB_TRY(rope_backward(dz->dk_heads, dz->dk_turned, places, B, NH, T, hs));
+    memcpy(dz->dq_heads, dz->dq_turned, bytes);
+    memcpy(dz->dk_heads, dz->dk_turned, bytes);
+    (void)places;

@ no-swiglu
+#include <string.h>

-    LAB_TRY(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, z->gate, z->up, N * H));
+    memcpy(dz->dgate, dz->dhidden, N * H * sizeof(float));
+    memcpy(dz->dup, dz->dhidden, N * H * sizeof(float));

@ no-v
-        dz->dnormed1[i] += dz->dbranch[i]; // v
+        (void)i;

@ norm2-of-x
-    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, z->middle, z->rrms2,
+    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, x, z->rrms2,

@ norm2-with-gain1
-                             params->norm2, N, C));
+                             params->norm1, N, C));

@ o-of-out_heads
-    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->merged,
+    LAB_TRY(linear_backward(dz->dmerged, grads->w_o, NULL, dz->dmiddle, z->out_heads,

@ q-alone
-        dz->dnormed1[i] += dz->dbranch[i]; // k
+        (void)i;

-        dz->dnormed1[i] += dz->dbranch[i]; // v
+        (void)i;

@ qk-swapped
-    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, z->normed1, params->w_q, N,
+    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dk, z->normed1, params->w_q, N,

-    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dk, z->normed1, params->w_k, N,
+    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dq, z->normed1, params->w_k, N,

@ qkv-of-x
-    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, z->normed1, params->w_q, N,
+    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, x, params->w_q, N,

-    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dk, z->normed1, params->w_k, N,
+    LAB_TRY(linear_backward(dz->dbranch, grads->w_k, NULL, dz->dk, x, params->w_k, N,

-    LAB_TRY(linear_backward(dz->dbranch, grads->w_v, NULL, dz->dv, z->normed1, params->w_v, N,
+    LAB_TRY(linear_backward(dz->dbranch, grads->w_v, NULL, dz->dv, x, params->w_v, N,

@ residuals-dropped
-        dz->dmiddle[i] += dout[i];
+        dz->dmiddle[i] += 0.0f;

-        dx[i] += dz->dmiddle[i];
+        dx[i] += 0.0f;

@ rope-after-merge
+#include <string.h>

-    LAB_TRY(rope_backward(dz->dq_heads, dz->dq_turned, places, B, NH, T, hs));
-    LAB_TRY(rope_backward(dz->dk_heads, dz->dk_turned, places, B, NH, T, hs));
-    LAB_TRY(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
-    LAB_TRY(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
+    LAB_TRY(merge_heads(dz->dq_heads, dz->dq_turned, B, T, C, NH));
+    LAB_TRY(merge_heads(dz->dk_heads, dz->dk_turned, B, T, C, NH));
+    LAB_TRY(rope_backward(dz->dq, dz->dq_heads, places, B, 1, T, C));
+    LAB_TRY(rope_backward(dz->dk, dz->dk_heads, places, B, 1, T, C));

@ rope-forward
-    LAB_TRY(rope_backward(dz->dq_heads, dz->dq_turned, places, B, NH, T, hs));
-    LAB_TRY(rope_backward(dz->dk_heads, dz->dk_turned, places, B, NH, T, hs));
+    LAB_TRY(rope(dz->dq_heads, dz->dq_turned, places, B, NH, T, hs));
+    LAB_TRY(rope(dz->dk_heads, dz->dk_turned, places, B, NH, T, hs));

@ rope-on-v
-    LAB_TRY(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
+    LAB_TRY(rope_backward(dz->dbranch, dz->dv_heads, places, B, NH, T, hs));
+    LAB_TRY(merge_heads(dz->dv, dz->dbranch, B, T, C, NH));

@ unturned
-                               dz->dscores, dz->dout_heads, z->q_turned, z->k_turned,
+                               dz->dscores, dz->dout_heads, z->q_heads, z->k_heads,

@ up-alone
-        dz->dnormed2[i] += dz->dbranch[i];
+        (void)i;

@ v-alone
-        dz->dnormed1[i] += dz->dbranch[i]; // v
+        dz->dnormed1[i] = dz->dbranch[i]; // v

@ no-k
-        dz->dnormed1[i] += dz->dbranch[i]; // k
+        (void)i;

@ norm1-with-gain2
-    LAB_TRY(rmsnorm_backward(dx, grads->norm1, dz->dnormed1, x, z->rrms1, params->norm1, N, C));
+    LAB_TRY(rmsnorm_backward(dx, grads->norm1, dz->dnormed1, x, z->rrms1, params->norm2, N, C));

@ norm2-with-rrms1
-    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, z->middle, z->rrms2,
+    LAB_TRY(rmsnorm_backward(dz->dmiddle, grads->norm2, dz->dnormed2, z->middle, z->rrms1,

@ w_q-set-before: none
-    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, z->normed1, params->w_q, N,
-                            C, C));
+    memset(grads->w_q, 0, C * C * sizeof(float));
+    LAB_TRY(linear_backward(dz->dnormed1, grads->w_q, NULL, dz->dq, z->normed1, params->w_q, N,
+                            C, C));

+#include <string.h>
