// 6.9 gelu_backward_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    // forward: y = x cdf(x), and the slope of cdf is pdf
    const float x = x_dev[i];
    const float cdf = 0.5f * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
    const float pdf = 0.39894228f * expf(-0.5f * x * x);     // 1 / sqrt(2 pi)
    dx_dev[i] = dy_dev[i] * (cdf + x * pdf);

@ no-pdf-term
-    const float pdf = 0.39894228f * expf(-0.5f * x * x);     // 1 / sqrt(2 pi)
-    dx_dev[i] = dy_dev[i] * (cdf + x * pdf);
+    dx_dev[i] = dy_dev[i] * cdf;

@ ragged-edge: out-of-bounds
-    if (i >= N) {
-        return;
-    }
+    (void)N;

@ tanh-form
-    const float cdf = 0.5f * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
-    const float pdf = 0.39894228f * expf(-0.5f * x * x);     // 1 / sqrt(2 pi)
-    dx_dev[i] = dy_dev[i] * (cdf + x * pdf);
+    const float t = tanhf(0.79788456f * (x + 0.044715f * x * x * x)); // sqrt(2 / pi)
+    const float slope = 0.79788456f * (1.0f + 3.0f * 0.044715f * x * x);
+    dx_dev[i] = dy_dev[i] * (0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope);
