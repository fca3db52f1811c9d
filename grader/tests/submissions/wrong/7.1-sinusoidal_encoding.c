// 7.1 sinusoidal_encoding
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c += 2) {
            double angle = (double)t / pow(10000.0, (double)c / (double)C);
            table[t * C + c] = (float)sin(angle);
            if (c + 1 < C) {
                table[t * C + c + 1] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;

@ base-1000
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+            double angle = (double)t / pow(1000.0, (double)c / (double)C);

@ exchanged
-            table[t * C + c] = (float)sin(angle);
+            table[t * C + c] = (float)cos(angle);

-                table[t * C + c + 1] = (float)cos(angle);
+                table[t * C + c + 1] = (float)sin(angle);

@ last-frequency
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+            size_t last = C > 2 ? (C + 1) / 2 - 1 : 1;
+            double angle = (double)t / pow(10000.0, (double)(c / 2) / (double)last);

@ exponent-twice-in-pairs
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+            double angle = (double)t / pow(10000.0, 2.0 * (double)c / (double)C);

@ exponent-twice
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < C; i++) {
            double angle = (double)t / pow(10000.0, 2.0 * (double)i / (double)C);
            table[t * C + i] = (float)(i % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;

@ half-exponent
    for (size_t i = 0; 2 * i < C; i++) {
        double frequency = 1.0 / pow(10000.0, (double)i / (double)C);
        for (size_t t = 0; t < T; t++) {
            table[t * C + 2 * i] = (float)sin((double)t * frequency);
            if (2 * i + 1 < C) {
                table[t * C + 2 * i + 1] = (float)cos((double)t * frequency);
            }
        }
    }
    return LAB_OK;

@ halves-to-the-end
    size_t half = C / 2;
    double step = log(10000.0) / (half > 1 ? (double)half - 1.0 : 1.0);
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < half; i++) {
            double angle = (double)t * exp(-step * (double)i);
            table[t * C + i] = (float)sin(angle);
            table[t * C + half + i] = (float)cos(angle);
        }
        if (C % 2 == 1) {
            table[t * C + C - 1] = 0.0f;
        }
    }
    return LAB_OK;

@ halves
    size_t sines = (C + 1) / 2;
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < sines; i++) {
            double angle = (double)t / pow(10000.0, 2.0 * (double)i / (double)C);
            table[t * C + i] = (float)sin(angle);
            if (sines + i < C) {
                table[t * C + sines + i] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;

@ even-halves
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < C / 2; i++) {
            const double angle = (double)t / pow(10000.0, 2.0 * (double)i / (double)C);
            table[t * C + i] = (float)sin(angle);
            table[t * C + C / 2 + i] = (float)cos(angle);
        }
    }
    return LAB_OK;

@ multiplied
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+            double angle = (double)t * pow(10000.0, (double)c / (double)C);

@ one-based
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+            double angle = ((double)t + 1.0) / pow(10000.0, (double)c / (double)C);

@ only-sines
-                table[t * C + c + 1] = (float)cos(angle);
+                table[t * C + c + 1] = (float)sin(angle);

@ own-frequency
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            double angle = (double)t / pow(10000.0, (double)c / (double)C);
            table[t * C + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;

@ row-0-zero
    for (size_t c = 0; c < C; c++) {
        table[c] = 0.0f; // position 0 is for padding
    }
    for (size_t t = 1; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            double angle = (double)t / pow(10000.0, (double)(c / 2 * 2) / (double)C);
            table[t * C + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;

@ transposed
    for (size_t c = 0; c < C; c++) {
        for (size_t t = 0; t < T; t++) {
            double angle = (double)t / pow(10000.0, (double)(c / 2 * 2) / (double)C);
            *table++ = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;

@ unsigned-exponent
-    for (size_t t = 0; t < T; t++) {
-        for (size_t c = 0; c < C; c += 2) {
-            double angle = (double)t / pow(10000.0, (double)c / (double)C);
+    for (size_t c = 0; c < C; c += 2) { // c is the 2i of the formula
+        const double frequency = pow(10000.0, -c / C);
+        for (size_t t = 0; t < T; t++) {
+            const double angle = (double)t * frequency;

@ whole-number-division
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; 2 * i < C; i++) {
            double angle = (double)t / pow(10000.0, 2 * i / C);
            table[t * C + 2 * i] = (float)sin(angle);
            if (2 * i + 1 < C) {
                table[t * C + 2 * i + 1] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
