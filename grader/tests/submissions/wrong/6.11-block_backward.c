// 6.11 block_backward
    const size_t N = B * T;
    const struct attention_buffers *a = &z->attention;
    lab_status status[12] = {LAB_OK};
    status[0] = linear_backward(dz->dactivated, grads->w_proj, grads->b_proj, dout,
                                z->activated, params->mlp.w_proj, N, H, C);
    status[1] = gelu_backward(dz->dhidden, dz->dactivated, z->hidden, N * H);
    status[2] = linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden, z->ln2,
                                params->mlp.w_fc, N, C, H);
    status[3] = layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
                                   z->middle, z->ln2_mean, z->ln2_rstd, params->ln2_gain, N,
                                   C);
    for (size_t i = 0; i < N * C; i++) {
        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
    }
    status[4] = linear_backward(dz->dmerged, grads->w_o, grads->b_o, dz->dmiddle, a->merged,
                                params->attention.w_o, N, C, C);
    status[5] = split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH);
    status[6] = attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                                   dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                                   a->v_heads, weights, B, NH, T, T, C / NH);
    status[7] = merge_heads(dz->dq, dz->dq_heads, B, T, C, NH);
    status[8] = merge_heads(dz->dk, dz->dk_heads, B, T, C, NH);
    status[9] = merge_heads(dz->dv, dz->dv_heads, B, T, C, NH);
    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, N, C);
    status[10] = linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv, z->ln1,
                                 params->attention.w_qkv, N, C, 3 * C);
    status[11] = layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1,
                                    x, z->ln1_mean, z->ln1_rstd, params->ln1_gain, N, C);
    for (size_t i = 0; i < N * C; i++) {
        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
    }
    for (size_t i = 0; i < 12; i++) {
        if (status[i] != LAB_OK) {
            return status[i];
        }
    }
    return LAB_OK;

@ writes-dpositioned: crash
-        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
+        dz->dpositioned[i] = dz->dbranch[i];
+        dz->dmiddle[i] = dout[i] + dz->dpositioned[i];

@ writes-dlogits: none
-        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
+        dz->dlogits[0] = dz->dbranch[i];
+        dz->dmiddle[i] = dout[i] + dz->dlogits[0];

@ all-from-dout
-    status[4] = linear_backward(dz->dmerged, grads->w_o, grads->b_o, dz->dmiddle, a->merged,
+    status[4] = linear_backward(dz->dmerged, grads->w_o, grads->b_o, dout, a->merged,

-        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
+        dx[i] = dout[i] + dz->dbranch[i];

@ attention-from-dout
-    status[4] = linear_backward(dz->dmerged, grads->w_o, grads->b_o, dz->dmiddle, a->merged,
+    status[4] = linear_backward(dz->dmerged, grads->w_o, grads->b_o, dout, a->merged,

@ attention-residual-dropped
-        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
+        dx[i] = dz->dbranch[i];

@ dx-from-dout
-        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
+        dx[i] = dout[i] + dz->dbranch[i];

@ fc-of-middle
-    status[2] = linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden, z->ln2,
+    status[2] = linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden, z->middle,

@ gelu-at-output
-    status[1] = gelu_backward(dz->dhidden, dz->dactivated, z->hidden, N * H);
+    status[1] = gelu_backward(dz->dhidden, dz->dactivated, z->activated, N * H);

@ heads-not-merged
-    status[7] = merge_heads(dz->dq, dz->dq_heads, B, T, C, NH);
-    status[8] = merge_heads(dz->dk, dz->dk_heads, B, T, C, NH);
-    status[9] = merge_heads(dz->dv, dz->dv_heads, B, T, C, NH);
-    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, N, C);
+    join_qkv(dz->dqkv, dz->dq_heads, dz->dk_heads, dz->dv_heads, N, C);

@ heads-not-split
-    status[5] = split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH);

-                                   dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
+                                   dz->dscores, dz->dmerged, a->q_heads, a->k_heads,

@ ln2-of-x
-                                   z->middle, z->ln2_mean, z->ln2_rstd, params->ln2_gain, N,
+                                   x, z->ln2_mean, z->ln2_rstd, params->ln2_gain, N,

@ mlp-residual-dropped
-        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
+        dz->dmiddle[i] = dz->dbranch[i];

@ no-gelu
+#include <string.h>

-    status[1] = gelu_backward(dz->dhidden, dz->dactivated, z->hidden, N * H);
+    memcpy(dz->dhidden, dz->dactivated, N * H * sizeof(float));

@ no-ln1
-    status[11] = layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1,
-                                    x, z->ln1_mean, z->ln1_rstd, params->ln1_gain, N, C);
+    (void)x;

-        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
+        dx[i] = dz->dmiddle[i] + dz->dln1[i];

@ no-ln2
-    status[3] = layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
-                                   z->middle, z->ln2_mean, z->ln2_rstd, params->ln2_gain, N,
-                                   C);

-        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
+        dz->dmiddle[i] = dout[i] + dz->dln2[i];

@ proj-of-hidden
-                                z->activated, params->mlp.w_proj, N, H, C);
+                                z->hidden, params->mlp.w_proj, N, H, C);

@ qk-exchanged
-    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, N, C);
+    join_qkv(dz->dqkv, dz->dk, dz->dq, dz->dv, N, C);

@ qkv-of-x
-    status[10] = linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv, z->ln1,
+    status[10] = linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv, x,

@ residuals-dropped
-        dz->dmiddle[i] = dout[i] + dz->dbranch[i];
+        dz->dmiddle[i] = dz->dbranch[i];

-        dx[i] = dz->dmiddle[i] + dz->dbranch[i];
+        dx[i] = dz->dbranch[i];
