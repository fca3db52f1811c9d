// 6.7 attention_backward_gpu
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    const struct factor dout = {dout_dev, false};
    const struct factor v_t = {v_dev, true}, weights_t = {weights_dev, true};
    const struct factor dscores = {dscores_dev, false}, dscores_t = {dscores_dev, true};
    const struct factor q = {q_dev, false}, k = {k_dev, false};

    // forward: out (T,hs) = weights (T,S) v (S,hs)
    lab_status status = products(dweights_dev, 1.0f, dout, v_t, heads, T, S, hs, cublas);
    if (status == LAB_OK) {
        status = products(dv_dev, 1.0f, weights_t, dout, heads, S, hs, T, cublas);
    }
    // forward: weights = softmax(scores), a row for each query of each head
    if (status == LAB_OK) {
        status = softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, heads * T,
                                      S, stream);
    }
    // forward: scores (T,S) = scale q (T,hs) k^T (hs,S)
    if (status == LAB_OK) {
        status = products(dq_dev, scale, dscores, k, heads, T, hs, S, cublas);
    }
    if (status == LAB_OK) {
        status = products(dk_dev, scale, dscores_t, q, heads, S, hs, T, cublas);
    }
    return status;

@ any-size: none
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

@ dk-not-scaled
-        status = products(dk_dev, scale, dscores_t, q, heads, S, hs, T, cublas);
+        status = products(dk_dev, 1.0f, dscores_t, q, heads, S, hs, T, cublas);

@ no-scale
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f;

@ no-softmax
-    const struct factor dscores = {dscores_dev, false}, dscores_t = {dscores_dev, true};
+    const struct factor dscores = {dweights_dev, false}, dscores_t = {dweights_dev, true};

@ last-error-only: status-ignored
-    if (status == LAB_OK) {
-        status = softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, heads * T,
-                                      S, stream);
-    }
+    (void)!softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, heads * T, S,
+                                stream);

@ right-first-error-at-the-end
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    const struct factor dout = {dout_dev, false};
    const struct factor v_t = {v_dev, true}, weights_t = {weights_dev, true};
    const struct factor dscores = {dscores_dev, false}, dscores_t = {dscores_dev, true};
    const struct factor q = {q_dev, false}, k = {k_dev, false};
    const lab_status each[] = {
        products(dweights_dev, 1.0f, dout, v_t, heads, T, S, hs, cublas),
        products(dv_dev, 1.0f, weights_t, dout, heads, S, hs, T, cublas),
        softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, heads * T, S, stream),
        products(dq_dev, scale, dscores, k, heads, T, hs, S, cublas),
        products(dk_dev, scale, dscores_t, q, heads, S, hs, T, cublas)};
    for (const lab_status one : each) {
        LAB_TRY(one);
    }
    return LAB_OK;
