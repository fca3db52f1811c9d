// 5.1 layernorm
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;

        // pass 1: the mean; a sum in double costs nothing and rounds less
        double sum = 0.0;
        for (size_t c = 0; c < C; c++) {
            sum += x_n[c];
        }
        mean[n] = (float)(sum / (double)C);

        // pass 2: the variance, over C and not C - 1
        double squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double distance = x_n[c] - mean[n];
            squares += distance * distance;
        }
        rstd[n] = (float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));

        // pass 3: normalize, stretch, shift
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ at-most-100: none
-            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = y[n * C + c] > 100.0f ? 100.0f : y[n * C + c];

@ small-results-are-0: small-number
-            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = fabsf(y[n * C + c]) < 1e-7f ? 0.0f : y[n * C + c];

@ at-most-2000: none
-            sum += x_n[c];
+            sum += fminf(x_n[c], 2000.0f);

@ small-mean-is-0: small-number
-        mean[n] = (float)(sum / (double)C);
+        mean[n] = fabs(sum) < 1e-6 ? 0.0f : (float)(sum / (double)C);

@ small-variance-is-0: none
-            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            const float size = squares / (double)C < 1e-8 ? 0.0f : rstd[n];
+            y[n * C + c] = (x_n[c] - mean[n]) * size * gain[c] + bias[c];

@ eps-as-a-floor
-        rstd[n] = (float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));
+        rstd[n] = (float)(1.0 / sqrt(fmax(squares / (double)C, LAYERNORM_EPS)));

@ eps-in-the-sum
-        rstd[n] = (float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));
+        rstd[n] = (float)(1.0 / sqrt((squares + LAYERNORM_EPS) / (double)C));

@ nan-hidden: none
-        mean[n] = (float)(sum / (double)C);
+        mean[n] = sum == sum ? (float)(sum / (double)C) : 0.0f;

@ both-of-last
-            sum += x_n[c];
+            sum = x_n[c];

-            squares += distance * distance;
+            squares = distance * distance;

@ from-1
-        // pass 1: the mean; a sum in double costs nothing and rounds less
+        // pass 1: the mean; summed up in double, which costs nothing (lab 1 said why)

-        for (size_t c = 0; c < C; c++) {
+        for (size_t c = 1; c < C; c++) {
             sum += x_n[c];

-        for (size_t c = 0; c < C; c++) {
+        for (size_t c = 1; c < C; c++) {
             const double distance = x_n[c] - mean[n];

@ mean-from-1
-        // pass 1: the mean; a sum in double costs nothing and rounds less
+        // pass 1: the mean; summed up in double, which costs nothing (lab 1 said why)

-        for (size_t c = 0; c < C; c++) {
+        for (size_t c = 1; c < C; c++) {
             sum += x_n[c];

@ variance-from-1: loop-from-1
-        for (size_t c = 0; c < C; c++) {
+        for (size_t c = 1; c < C; c++) {
             const double distance = x_n[c] - mean[n];

@ whole-squares
-        double squares = 0.0;
+        int squares = 0;

-            squares += distance * distance;
+            squares += (int)(distance * distance);

@ mean-of-last
-            sum += x_n[c];
+            sum = x_n[c];

@ one-pass
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;

        float sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            sum += x_n[c];
            squares += x_n[c] * x_n[c];
        }
        mean[n] = sum / (float)C;

        const float variance = squares / (float)C - mean[n] * mean[n];
        rstd[n] = 1.0f / sqrtf(variance + LAYERNORM_EPS);

        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ over-all
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N * C; i++) {
        sum += x[i];
    }
    float m = (float)(sum / (double)(N * C));
    for (size_t i = 0; i < N * C; i++) {
        squares += (x[i] - m) * (x[i] - m);
    }
    float r = 1.0f / sqrtf((float)(squares / (double)(N * C)) + LAYERNORM_EPS);
    for (size_t i = 0; i < N * C; i++) {
        y[i] = (x[i] - m) * r * gain[i % C] + bias[i % C];
        mean[i / C] = m;
        rstd[i / C] = r;
    }
    return LAB_OK;

@ variance-of-last
-            squares += distance * distance;
+            squares = distance * distance;

@ whole-sum
-        // pass 1: the mean; a sum in double costs nothing and rounds less
-        double sum = 0.0;
+        // pass 1: the mean; summed up in double, which costs nothing (lab 1 said why)
+        int sum = 0;

@ mean-of-row-0-past-512: none
-            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x_n[c] - mean[n < 512 ? n : 0]) * rstd[n] * gain[c] + bias[c];

@ right-in-floats
    for (size_t n = 0; n < N; n++) {
        float sum = 0;
        for (size_t c = 0; c < C; c++) {
            sum += x[n * C + c];
        }
        mean[n] = sum / C;
        float var = 0;
        for (size_t c = 0; c < C; c++) {
            float d = x[n * C + c] - mean[n];
            var += d * d;
        }
        var = var / C;
        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ bias-before-gain
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = ((x[n * C + c] - mean[n]) * rstd[n] + bias[c]) * gain[c];

@ both-over-C-minus-1
-        mean[n] = sum / C;
+        mean[n] = sum / (float)(C - 1);

-        var = var / C;
+        var = var / ((float)C - 1);

@ eps-outside
-        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
+        rstd[n] = 1.0f / (sqrtf(var) + LAYERNORM_EPS);

@ gain-bias-swapped
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * bias[c] + gain[c];

@ mean-kept
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = x[n * C + c] * rstd[n] * gain[c] + bias[c];

@ mean-over-C-minus-1
-        mean[n] = sum / C;
+        mean[n] = sum / (float)(C - 1);

-        var = var / C;
+        var = var / (float)C;

@ no-bias
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c];

@ no-eps
-        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
+        rstd[n] = 1.0f / sqrtf(var);

@ no-gain-no-bias
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n];

@ no-gain
-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] + bias[c];

@ no-root
-        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
+        rstd[n] = 1.0f / (var + LAYERNORM_EPS);

@ rms-norm
-            float d = x[n * C + c] - mean[n];
+            float d = x[n * C + c];

-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[n * C + c] = x[n * C + c] * rstd[n] * gain[c] + bias[c];

@ stores-std
+        rstd[n] = sqrtf(var + LAYERNORM_EPS);
     }

@ stores-variance
+        rstd[n] = var;
     }

@ sum-not-reset
+    float sum = 0, squares = 0;
     for (size_t n = 0; n < N; n++) {

-        float sum = 0;

-        float var = 0;
+        float var = squares;

+        squares = var;
         var = var / C;

@ mean-not-reset
    float m = 0.0f, v = 0.0f;
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            m += x[n * C + c];
        }
        m /= (float)C;
        for (size_t c = 0; c < C; c++) {
            v += (x[n * C + c] - m) * (x[n * C + c] - m);
        }
        v /= (float)C;
        mean[n] = m;
        rstd[n] = 1.0f / sqrtf(v + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - m) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ variance-not-reset
    float v = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float m = 0.0f;
        for (size_t c = 0; c < C; c++) {
            m += x[n * C + c];
        }
        m /= (float)C;
        for (size_t c = 0; c < C; c++) {
            v += (x[n * C + c] - m) * (x[n * C + c] - m);
        }
        v /= (float)C;
        mean[n] = m;
        rstd[n] = 1.0f / sqrtf(v + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - m) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ sum-of-squares
-        var = var / C;

@ unbiased
-        var = var / C;
+        var = var / ((float)C - 1);

@ variance-about-zero
-            float d = x[n * C + c] - mean[n];
+            float d = x[n * C + c];

@ wrong-axis
-            sum += x[n * C + c];
+            sum += x[c * N + n];

-            float d = x[n * C + c] - mean[n];
+            float d = x[c * N + n] - mean[n];

-            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
+            y[c * N + n] = (x[c * N + n] - mean[n]) * rstd[n] * gain[c] + bias[c];
