// 8.4 swiglu_backward
    for (size_t i = 0; i < N; i++) {
        const float s = 1.0f / (1.0f + expf(-a[i]));
        const float gate = a[i] * s;
        const float slope = s + gate * (1.0f - s);
        da[i] = dy[i] * b[i] * slope;
        db[i] = dy[i] * gate;
    }
    return LAB_OK;

@ sigmoid-by-tanh
-        const float s = 1.0f / (1.0f + expf(-a[i]));
+        const float s = 0.5f + 0.5f * tanhf(a[i] / 2.0f);

@ a-missing
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s + s * (1.0f - s);

@ b-twice
-        da[i] = dy[i] * b[i] * slope;
-        db[i] = dy[i] * gate;
+        da[i] = dy[i] * b[i] * b[i] * slope;
+        db[i] = dy[i] * b[i] * gate;

@ da-without-b
-        da[i] = dy[i] * b[i] * slope;
+        da[i] = dy[i] * slope;
+        (void)b;

@ db-of-the-derivative
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * slope;

@ db-with-b
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * gate * b[i];

@ db-without-a
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * s;

@ db-without-s
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * a[i];

@ derivative-of-sigmoid
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s * (1.0f - s);

@ first-term-missing
-        const float slope = s + gate * (1.0f - s);
+        const float slope = gate * (1.0f - s);

@ gate-and-value-swapped
    for (size_t i = 0; i < N; i++) {
        const float s = 1.0f / (1.0f + expf(-b[i]));
        db[i] = dy[i] * b[i] * s;
        da[i] = dy[i] * a[i] * s * (1.0f + b[i] * (1.0f - s));
    }
    return LAB_OK;

@ minus
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s - gate * (1.0f - s);

@ no-dy
-        da[i] = dy[i] * b[i] * slope;
-        db[i] = dy[i] * gate;
+        da[i] = b[i] * slope;
+        db[i] = gate;
+        (void)dy;

@ no-s
-        const float slope = s + gate * (1.0f - s);
+        const float slope = 1.0f + a[i] * (1.0f - s);

@ one-plus-s
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s + gate * (1.0f + s);

@ overflow
-        const float s = 1.0f / (1.0f + expf(-a[i]));
+        const float s = expf(a[i]) / (1.0f + expf(a[i]));

@ sigmoid-constant
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s;

@ silu-for-a
-        const float slope = s + gate * (1.0f - s);
+        const float slope = s + gate * s * (1.0f - s);

@ swapped
-        da[i] = dy[i] * b[i] * slope;
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * b[i] * slope;
+        da[i] = dy[i] * gate;

@ y-over-b: none
-        db[i] = dy[i] * gate;
+        const float y = gate * b[i];
+        db[i] = dy[i] * y / b[i];

@ da-at-most-100: none
-        da[i] = dy[i] * b[i] * slope;
+        da[i] = fmaxf(-100.0f, fminf(100.0f, dy[i] * b[i] * slope));

@ db-at-most-1e5: none
-        db[i] = dy[i] * gate;
+        db[i] = fmaxf(-1e5f, fminf(1e5f, dy[i] * gate));

@ small-da-is-0: none
-        da[i] = dy[i] * b[i] * slope;
+        da[i] = dy[i] * b[i] * slope;
+        da[i] = fabsf(da[i]) < 1e-7f ? 0.0f : da[i];

@ small-db-is-0: none
-        db[i] = dy[i] * gate;
+        db[i] = dy[i] * gate;
+        db[i] = fabsf(db[i]) < 1e-7f ? 0.0f : db[i];

@ 0-below-20: sigmoid-by-tanh
-        const float s = 1.0f / (1.0f + expf(-a[i]));
+        const float s = a[i] < -20.0f ? 0.0f : 1.0f / (1.0f + expf(-a[i]));

@ nan-hidden: none
-        da[i] = dy[i] * b[i] * slope;
+        da[i] = isnan(slope) ? 0.0f : dy[i] * b[i] * slope;

@ base-2
-        const float s = 1.0f / (1.0f + expf(-a[i]));
+        const float s = 1.0f / (1.0f + exp2f(-a[i]));
