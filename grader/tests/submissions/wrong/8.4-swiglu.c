// 8.4 swiglu
    for (size_t i = 0; i < N; i++) {
        const float gate = a[i] / (1.0f + expf(-a[i]));
        y[i] = gate * b[i];
    }
    return LAB_OK;

@ sigmoid-by-tanh
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] * 0.5f * (1.0f + tanhf(a[i] / 2.0f));

@ added
-        y[i] = gate * b[i];
+        y[i] = gate + b[i];

@ b-missing
-        y[i] = gate * b[i];
+        y[i] = gate;
+        (void)b;

@ both-gated
-        y[i] = gate * b[i];
+        y[i] = gate * (b[i] / (1.0f + expf(-b[i])));

@ gate-of-product
-        const float gate = a[i] / (1.0f + expf(-a[i]));
-        y[i] = gate * b[i];
+        const float product = a[i] * b[i];
+        y[i] = product / (1.0f + expf(-product));

@ gelu
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = 0.5f * a[i] * (1.0f + erff(a[i] / sqrtf(2.0f)));

@ gelu-sigmoid
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] / (1.0f + expf(-1.702f * a[i]));

@ no-sigmoid
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i];

@ overflow
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] * expf(a[i]) / (1.0f + expf(a[i]));

@ relu
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] > 0.0f ? a[i] : 0.0f;

@ sigmoid-alone
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = 1.0f / (1.0f + expf(-a[i]));

@ sigmoid-of-b
-        y[i] = gate * b[i];
+        y[i] = a[i] / (1.0f + expf(-b[i]));
+        (void)gate;

@ sign
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] / (1.0f + expf(a[i]));

@ swapped
-        const float gate = a[i] / (1.0f + expf(-a[i]));
-        y[i] = gate * b[i];
+        y[i] = b[i] / (1.0f + expf(-b[i])) * a[i];

@ tanh
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] * tanhf(a[i]);

@ 0-below-20: sigmoid-by-tanh
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] < -20.0f ? 0.0f : a[i] / (1.0f + expf(-a[i]));

@ nan-hidden: none
-        y[i] = gate * b[i];
+        y[i] = isnan(gate * b[i]) ? 0.0f : gate * b[i];

@ base-2
-        const float gate = a[i] / (1.0f + expf(-a[i]));
+        const float gate = a[i] / (1.0f + exp2f(-a[i]));
