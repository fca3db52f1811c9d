// 11.4 post_norm
    for (size_t n = 0; n < N; n++) {
        float *y_n = y + n * C;
        double sum = 0.0;
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x[n * C + c] + branch[n * C + c];
            sum += y_n[c];
        }
        const float mean = (float)(sum / (double)C);

        double squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double distance = y_n[c] - mean;
            squares += distance * distance;
        }
        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));

        for (size_t c = 0; c < C; c++) {
            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
        }
    }
    return LAB_OK;

@ eps-outside
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / (sqrt(squares / (double)C) + (double)BERT_EPS));

@ eps-in-the-sum
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / sqrt((squares + (double)BERT_EPS) / (double)C));

@ eps-as-a-floor
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / sqrt(fmax(squares / (double)C, (double)BERT_EPS)));

@ lab-5s-eps
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)LAYERNORM_EPS));

@ no-eps
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / sqrt(squares / (double)C));

@ over-C-1
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / sqrt(squares / (double)(C > 1 ? C - 1 : 1) + (double)BERT_EPS));

@ x-alone
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = x[n * C + c];

@ branch-alone
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = branch[n * C + c];

@ branch-added-later
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = x[n * C + c];

-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c] + branch[n * C + c];

@ x-added-later
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = branch[n * C + c];

-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c] + x[n * C + c];

@ x-added-again
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c] + x[n * C + c];

@ difference
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = x[n * C + c] - branch[n * C + c];

@ no-gain
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd + bias[c];

@ no-bias
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * gain[c];

@ no-gain-no-bias
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd;

@ gain-and-bias-swapped
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * bias[c] + gain[c];

@ mean-not-subtracted
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = y_n[c] * rstd * gain[c] + bias[c];

@ no-root
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = (float)(1.0 / (squares / (double)C + (double)BERT_EPS));

@ not-divided
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * gain[c] + bias[c];

@ one-pass
-        double sum = 0.0;
+        float sum = 0.0f, squares = 0.0f;

             sum += y_n[c];
+            squares += y_n[c] * y_n[c];

-        const float mean = (float)(sum / (double)C);
+        const float mean = sum / (float)C;

-        double squares = 0.0;
-        for (size_t c = 0; c < C; c++) {
-            const double distance = y_n[c] - mean;
-            squares += distance * distance;
-        }
-        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));
+        const float rstd = 1.0f / sqrtf(squares / (float)C - mean * mean + BERT_EPS);

@ columns: none
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = x[c * N + n] + branch[c * N + n];

@ at-most-100: none
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = fmaxf(-100.0f, fminf(100.0f, (y_n[c] - mean) * rstd * gain[c] + bias[c]));

@ small-results-are-0: small-number
-            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
+            y_n[c] = fabsf(y_n[c]) < 1e-7f ? 0.0f : y_n[c];

@ sums-at-most-2000: none
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = fminf(x[n * C + c] + branch[n * C + c], 2000.0f);

@ sums-at-most-500: none
-            y_n[c] = x[n * C + c] + branch[n * C + c];
+            y_n[c] = fminf(x[n * C + c] + branch[n * C + c], 500.0f);
