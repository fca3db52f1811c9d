// 6.9 gelu_backward
    for (size_t i = 0; i < N; i++) {
        float cdf = 0.5f * (1.0f + erff(x[i] / 1.41421356f));
        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
        dx[i] = dy[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t i = 0; i < N; i++) {

@ at-y
    for (size_t i = 0; i < N; i++) {
        float y = 0.5f * x[i] * (1.0f + erff(x[i] / 1.41421356f));
        float cdf = 0.5f * (1.0f + erff(y / 1.41421356f));
        float pdf = expf(-0.5f * y * y) / 2.50662827f;
        dx[i] = dy[i] * (cdf + y * pdf);
    }
    return LAB_OK;

@ dy-is-x
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = x[i] * (cdf + x[i] * pdf);

@ erf-without-root-2
-        float cdf = 0.5f * (1.0f + erff(x[i] / 1.41421356f));
+        float cdf = 0.5f * (1.0f + erff(x[i]));

@ minus
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = dy[i] * (cdf - x[i] * pdf);

@ no-dy
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = cdf + x[i] * pdf;

@ no-pdf-term
    for (size_t i = 0; i < N; i++) {
        dx[i] = dy[i] * 0.5f * (1.0f + erff(x[i] / 1.41421356f));
    }
    return LAB_OK;

@ pdf-not-normalized
-        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
+        float pdf = expf(-0.5f * x[i] * x[i]);

@ pdf-without-half
-        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
+        float pdf = expf(-x[i] * x[i]) / 2.50662827f;

@ pdf-without-x
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = dy[i] * (cdf + pdf);

@ relu
    for (size_t i = 0; i < N; i++) {
        dx[i] = x[i] > 0.0f ? dy[i] : 0.0f;
    }
    return LAB_OK;

@ sigmoid-form
    for (size_t i = 0; i < N; i++) {
        float s = 1.0f / (1.0f + expf(-1.702f * x[i]));
        dx[i] = dy[i] * (s + 1.702f * x[i] * s * (1.0f - s));
    }
    return LAB_OK;

@ tanh-form
    for (size_t i = 0; i < N; i++) {
        float cube = 0.044715f * x[i] * x[i] * x[i];
        float t = tanhf(0.79788456f * (x[i] + cube));
        float slope = 0.79788456f * (1.0f + 3.0f * 0.044715f * x[i] * x[i]);
        dx[i] = dy[i] * (0.5f * (1.0f + t) + 0.5f * x[i] * (1.0f - t * t) * slope);
    }
    return LAB_OK;

@ at-most-1000: none
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = fmaxf(-1000.0f, fminf(1000.0f, dy[i] * (cdf + x[i] * pdf)));

@ small-results-are-0: none
-        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        dx[i] = dy[i] * (cdf + x[i] * pdf);
+        if (fabsf(dx[i]) < 1e-7f) {
+            dx[i] = 0.0f;
+        }

@ pdf-over-root-of-pi
-        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
+        float pdf = expf(-0.5f * x[i] * x[i]) / sqrtf(3.14159265f);

@ cdf-without-half
-        float cdf = 0.5f * (1.0f + erff(x[i] / 1.41421356f));
+        float cdf = 1.0f + erff(x[i] / 1.41421356f);

@ exponent-positive
-        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
+        float pdf = expf(0.5f * x[i] * x[i]) / 2.50662827f;
