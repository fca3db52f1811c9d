// 6.8 layernorm_backward
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            float norm = (x_n[c] - mean[n]) * rstd[n];
            float d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        sum /= (float)C;
        sum_norm /= (float)C;
        for (size_t c = 0; c < C; c++) {
            float norm = (x_n[c] - mean[n]) * rstd[n];
            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
        }
    }
    return LAB_OK;

@ gain-divided-out: none
-            dgain[c] += dy_n[c] * norm;
-            dbias[c] += dy_n[c];
+            dgain[c] += d * norm / gain[c];
+            dbias[c] += d / gain[c];

@ means-of-dy
-            sum += d;
-            sum_norm += d * norm;
+            sum += dy_n[c];
+            sum_norm += (dy_n[c] + 0.0f * d) * norm;

@ C-minus-1
-        sum /= (float)C;
-        sum_norm /= (float)C;
+        sum /= ((float)C - 1.0f);
+        sum_norm /= ((float)C - 1.0f);

@ assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] = dy_n[c] * norm;
            dbias[c] = dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ both-means-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum = d;
            sum_norm = d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ dbias-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] = dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ dbias-overwritten
    for (size_t c = 0; c < C; c++) {
        dbias[c] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ dbias-with-gain
-            dbias[c] += dy_n[c];
+            dbias[c] += d;

@ dgain-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] = dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ dgain-is-dbias
-            dgain[c] += dy_n[c] * norm;
+            dgain[c] += dy_n[c];

@ dgain-of-x
-            dgain[c] += dy_n[c] * norm;
+            dgain[c] += dy_n[c] * x_n[c];

@ dgain-overwritten
    for (size_t c = 0; c < C; c++) {
        dgain[c] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ dgain-with-gain
-            dgain[c] += dy_n[c] * norm;
+            dgain[c] += d * norm;

@ dgain-without-rstd
-            dgain[c] += dy_n[c] * norm;
+            dgain[c] += dy_n[c] * (x_n[c] - mean[n]);

@ gain-outside
-            float d = dy_n[c] * gain[c];
+            float d = dy_n[c];

-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = gain[c] * (dy_n[c] - sum - norm * sum_norm) * rstd[n];

@ mean-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum = d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ means
-            dgain[c] += dy_n[c] * norm;
-            dbias[c] += dy_n[c];
+            dgain[c] += dy_n[c] * norm / (float)N;
+            dbias[c] += dy_n[c] / (float)N;

@ no-eps
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float variance = 0.0f;
        for (size_t c = 0; c < C; c++) {
            variance += (x_n[c] - mean[n]) * (x_n[c] - mean[n]);
        }
        const float r = 1.0f / sqrtf(variance / (float)C);
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ no-gain
-            float d = dy_n[c] * gain[c];
+            float d = dy_n[c];

-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] - sum - norm * sum_norm) * rstd[n];

@ no-mean-term
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - norm * sum_norm) * rstd[n];

@ no-rstd
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = dy_n[c] * gain[c] - sum - norm * sum_norm;

@ no-variance-term
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - sum) * rstd[n];

@ norm-mean-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm = d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ overwritten
+    for (size_t c = 0; c < C; c++) {
+        dgain[c] = dbias[c] = 0.0f;
+    }
     for (size_t n = 0; n < N; n++) {

@ plus
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] + sum + norm * sum_norm) * rstd[n];

@ reads-old-output
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] += r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ rows-from-1
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            if (n == 0) {
                continue;
            }
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;

@ rstd-squared
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n] * rstd[n];

@ statistics-constant
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = dy_n[c] * gain[c] * rstd[n];

@ sums-for-means
-        sum /= (float)C;
-        sum_norm /= (float)C;

@ x-for-norm
-            sum_norm += d * norm;
+            sum_norm += d * x_n[c];

@ mean-not-divided
-        sum /= (float)C;

@ norm-mean-not-divided
-        sum_norm /= (float)C;

@ mean-plus
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] + sum - norm * sum_norm) * rstd[n];

@ norm-mean-plus
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - sum + norm * sum_norm) * rstd[n];

@ small-gradients-left-out: none
-            dgain[c] += dy_n[c] * norm;
+            if (fabsf(dy_n[c]) > 1e-5f) dgain[c] += dy_n[c] * norm;

@ two-channels-are-0: none
-        for (size_t c = 0; c < C; c++) {
-            float norm = (x_n[c] - mean[n]) * rstd[n];
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+        for (size_t c = 0; c < C; c++) {
+            float norm = (x_n[c] - mean[n]) * rstd[n];
+            dx[n * C + c] = C == 2 ? 0.0f : (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];

@ at-most-1000: none
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = fmaxf(-1000.0f, fminf(1000.0f, (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n]));

@ dx-over-rstd
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) / rstd[n];

@ over-rstd
-            float norm = (x_n[c] - mean[n]) * rstd[n];
-            float d = dy_n[c] * gain[c];
+            float norm = (x_n[c] - mean[n]) / rstd[n];
+            float d = dy_n[c] * gain[c];

-            float norm = (x_n[c] - mean[n]) * rstd[n];
-            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) * rstd[n];
+            float norm = (x_n[c] - mean[n]) / rstd[n];
+            dx[n * C + c] = (dy_n[c] * gain[c] - sum - norm * sum_norm) / rstd[n];

@ far-channels-left-out: none
-            dgain[c] += dy_n[c] * norm;
+            dgain[c] += fabsf(norm) > 20.0f ? 0.0f : dy_n[c] * norm;
