// 6.12 adam_step
    const double lr = s->lr, wd = s->weight_decay;
    const double fix_m = 1.0 - pow(s->beta1, (double)step);
    const double fix_v = 1.0 - pow(s->beta2, (double)step);
    for (size_t i = 0; i < N; i++) {
        double grad = g[i], weight = w[i];
        weight -= lr * wd * weight;
        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
        double first = m[i] / fix_m, second = v[i] / fix_v;
        weight -= lr * first / (sqrt(second) + s->eps);
        w[i] = (float)weight;
    }
    return LAB_OK;

@ ascent
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight += lr * first / (sqrt(second) + s->eps);

@ betas-exchanged
    const double a = s->beta2, b = s->beta1;
    for (size_t i = 0; i < N; i++) {
        w[i] -= (float)(s->lr * s->weight_decay * w[i]);
        m[i] = (float)(a * m[i] + (1.0 - a) * g[i]);
        v[i] = (float)(b * v[i] + (1.0 - b) * g[i] * g[i]);
        double first = m[i] / (1.0 - pow(a, (double)step));
        double second = v[i] / (1.0 - pow(b, (double)step));
        w[i] -= (float)(s->lr * first / (sqrt(second) + s->eps));
    }
    return LAB_OK;

@ corrected-stored
+        m[i] = (float)first;
+        v[i] = (float)second;
         weight -= lr * first / (sqrt(second) + s->eps);

@ correction-ends: none
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_v = step > 3000 ? 1.0 : 1.0 - pow(s->beta2, (double)step);

@ coupled-decay
-        weight -= lr * wd * weight;
+        grad += wd * weight;

@ decay-after-step
-        weight -= lr * wd * weight;

+        weight -= lr * wd * weight;
         w[i] = (float)weight;

@ decay-sign
-        weight -= lr * wd * weight;
+        weight += lr * wd * weight;

@ decay-without-lr
-        weight -= lr * wd * weight;
+        weight -= wd * weight;

@ eps-before-correction
-        double first = m[i] / fix_m, second = v[i] / fix_v;
-        weight -= lr * first / (sqrt(second) + s->eps);
+        double rate = lr * sqrt(fix_v) / fix_m;
+        weight -= rate * m[i] / (sqrt(v[i]) + s->eps);

@ eps-inside-root
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * first / sqrt(second + s->eps);

@ from-1
-    for (size_t i = 0; i < N; i++) {
+    for (size_t i = 1; i < N; i++) {

@ full-gradient
-        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
+        m[i] = (float)(s->beta1 * m[i] + grad);

@ m-corrected-stored
+        m[i] = (float)first;
         weight -= lr * first / (sqrt(second) + s->eps);

@ m-not-corrected
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);

-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i], second = v[i] / fix_v;

@ no-bias-correction
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);

-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i], second = v[i];

@ no-decay
-    const double lr = s->lr, wd = s->weight_decay;
+    const double lr = s->lr;

-        weight -= lr * wd * weight;

@ no-eps
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * first / sqrt(second);

@ no-root
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * first / (second + s->eps);

@ no-square
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * fabs(grad));

@ old-moment
+        double old = m[i];
         m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);

-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = old / fix_m, second = v[i] / fix_v;

@ step-from-0
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_m = 1.0 - pow(s->beta1, (double)(step - 1));
+    const double fix_v = 1.0 - pow(s->beta2, (double)(step - 1));

@ step-in-32-bits: none
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);
+    const double fix_m = 1.0 - pow(s->beta1, (int)step);

@ step-plus-1
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_m = 1.0 - pow(s->beta1, (double)(step + 1));
+    const double fix_v = 1.0 - pow(s->beta2, (double)(step + 1));

@ v-corrected-stored
+        v[i] = (float)second;
         weight -= lr * first / (sqrt(second) + s->eps);

@ v-not-corrected
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);

-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i] / fix_m, second = v[i];

@ v-of-m
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * m[i] * m[i]);

@ corrections-exchanged
-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i] / fix_v, second = v[i] / fix_m;

@ correction-without-step
-    const double fix_m = 1.0 - pow(s->beta1, (double)step);
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_m = 1.0 - s->beta1;
+    const double fix_v = 1.0 - s->beta2;

@ full-square
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta2 * v[i] + grad * grad);

@ shares-exchanged
-        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        m[i] = (float)((1.0 - s->beta1) * m[i] + s->beta1 * grad);
+        v[i] = (float)((1.0 - s->beta2) * v[i] + s->beta2 * grad * grad);

@ no-momentum
-        weight -= lr * first / (sqrt(second) + s->eps);
+        (void)first; weight -= lr * grad / (sqrt(second) + s->eps);

@ decay-in-step
-        weight -= lr * wd * weight;
-        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
+        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);

-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * (first + wd * weight) / (sqrt(second) + s->eps);

@ old-square
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i] / fix_m, second = v[i] / fix_v;
+        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);

@ beta1-for-both
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_v = 1.0 - pow(s->beta1, (double)step);

-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta1 * v[i] + (1.0 - s->beta1) * grad * grad);

@ v-correction-ends: none
-    const double fix_v = 1.0 - pow(s->beta2, (double)step);
+    const double fix_v = step > 10000 ? 1.0 : 1.0 - pow(s->beta2, (double)step);

@ step-clamped: none
-        weight -= lr * first / (sqrt(second) + s->eps);
+        double up = first / (sqrt(second) + s->eps);
+        weight -= lr * fmin(fmax(up, -10.0), 10.0);

@ eps-at-least-1e-8: small-number
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * first / (sqrt(second) + fmax(s->eps, 1e-8));

@ v-by-beta1
-        double first = m[i] / fix_m, second = v[i] / fix_v;
+        double first = m[i] / fix_m, second = v[i] / fix_m;

@ root-of-v-alone
-        weight -= lr * first / (sqrt(second) + s->eps);
+        weight -= lr * first / (sqrt(v[i]) / fix_v + s->eps);

@ m-shares-exchanged
-        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
+        m[i] = (float)((1.0 - s->beta1) * m[i] + s->beta1 * grad);

@ v-keeps-beta1
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta1 * v[i] + (1.0 - s->beta1) * grad * grad);

@ signed-gradient
-        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
+        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad);
