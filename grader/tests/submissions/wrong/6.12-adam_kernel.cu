// 6.12 adam_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    const float g = g_dev[i];
    const float m = f.beta1 * m_dev[i] + f.new1 * g;
    const float v = f.beta2 * v_dev[i] + f.new2 * g * g;
    m_dev[i] = m;
    v_dev[i] = v;
    w_dev[i] = f.keep * w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);

@ old-moment
+    w_dev[i] = f.keep * w_dev[i] - f.rate * m_dev[i] / (sqrtf(v) * f.root + f.eps);
     m_dev[i] = m;

-    w_dev[i] = f.keep * w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);

@ ragged-edge: out-of-bounds
-    if (i >= N) {
-        return;
-    }
+    (void)N;

@ coupled-decay-with-lr
-    const float g = g_dev[i];
+    const float g = g_dev[i] + (1.0f - f.keep) * w_dev[i];

-    w_dev[i] = f.keep * w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);
+    w_dev[i] = w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);
