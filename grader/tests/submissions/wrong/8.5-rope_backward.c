// 8.5 rope_backward
    for (size_t seq = 0; seq < B; seq++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c += 2) {
                    size_t at = ((seq * NH + h) * T + t) * hs + c;
                    float a = dy[at], b = dy[at + 1];
                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
                    float turn_x = (float)cos(angle);
                    float turn_y = (float)sin(angle);
                    dx[at] = a * turn_x + b * turn_y;
                    dx[at + 1] = b * turn_x - a * turn_y;
                }
            }
        }
    }
    return LAB_OK;

@ already-turned
    for (size_t i = 0; i < B * NH * T * hs; i++) {
        dx[i] = dy[i];
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c += 2) {
            double angle = (double)positions[row % T] * pow(10000.0, -(double)c / (double)hs);
            float *pair = dx + row * hs + c;
            pair[0] = (float)(pair[0] * cos(angle) + pair[1] * sin(angle));
            pair[1] = (float)(pair[1] * cos(angle) - pair[0] * sin(angle));
        }
    }
    return LAB_OK;

@ cosine-only
-                    float turn_y = (float)sin(angle);
-                    dx[at] = a * turn_x + b * turn_y;
-                    dx[at + 1] = b * turn_x - a * turn_y;
+                    dx[at] = a * turn_x;
+                    dx[at + 1] = b * turn_x;

@ exchanged
-                    dx[at] = a * turn_x + b * turn_y;
-                    dx[at + 1] = b * turn_x - a * turn_y;
+                    dx[at] = a * turn_y + b * turn_x;
+                    dx[at + 1] = b * turn_y - a * turn_x;

@ exponent-twice
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] * pow(10000.0, -2.0 * (double)c / (double)hs);

@ float-angle
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
-                    float turn_x = (float)cos(angle);
-                    float turn_y = (float)sin(angle);
+                    float angle = (float)((double)positions[t] * pow(10000.0, -(double)c / (double)hs));
+                    float turn_x = cosf(angle);
+                    float turn_y = sinf(angle);

@ float-product
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
-                    float turn_x = (float)cos(angle);
-                    float turn_y = (float)sin(angle);
+                    float angle = (float)positions[t] * powf(10000.0f, -(float)c / (float)hs);
+                    float turn_x = cosf(angle);
+                    float turn_y = sinf(angle);

@ float-quotient
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
-                    float turn_x = (float)cos(angle);
-                    float turn_y = (float)sin(angle);
+                    float angle = (float)positions[t] / powf(10000.0f, (float)c / (float)hs);
+                    float turn_x = cosf(angle);
+                    float turn_y = sinf(angle);

@ half-exponent
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] * pow(10000.0, -(double)(c / 2) / (double)hs);

@ half-split
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = (double)positions[row % T] * pow(10000.0, -2.0 * (double)i / (double)hs);
            float a = dy[row * hs + i], b = dy[row * hs + i + hs / 2];
            dx[row * hs + i] = (float)(a * cos(angle) + b * sin(angle));
            dx[row * hs + i + hs / 2] = (float)(b * cos(angle) - a * sin(angle));
        }
    }
    return LAB_OK;

@ heads-as-tokens
    for (size_t s = 0; s < B; s++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c += 2) {
                    size_t at = ((s * T + t) * NH + h) * hs + c;
                    double angle = (double)positions[t] * pow(10000.0, -(double)c / (double)hs);
                    float a = dy[at], b = dy[at + 1];
                    dx[at] = (float)(a * cos(angle) + b * sin(angle));
                    dx[at + 1] = (float)(b * cos(angle) - a * sin(angle));
                }
            }
        }
    }
    return LAB_OK;

@ multiplied
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] * pow(10000.0, (double)c / (double)hs);

@ one-based
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(positions[t] + 1) / pow(10000.0, (double)c / (double)hs);

@ one-frequency
    for (size_t row = 0; row < B * NH * T; row++) {
        double place = (double)positions[row % T];
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = place * pow(10000.0, -(double)(2 * i / hs));
            float a = dy[row * hs + 2 * i], b = dy[row * hs + 2 * i + 1];
            dx[row * hs + 2 * i] = (float)(a * cos(angle) + b * sin(angle));
            dx[row * hs + 2 * i + 1] = (float)(b * cos(angle) - a * sin(angle));
        }
    }
    return LAB_OK;

@ over-C
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)(NH * hs));

@ positions-ignored
+    (void)positions;
     for (size_t seq = 0; seq < B; seq++) {

-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)t / pow(10000.0, (double)c / (double)hs);

@ copied
-                    dx[at] = a * turn_x + b * turn_y;
-                    dx[at + 1] = b * turn_x - a * turn_y;
+                    dx[at] = a;
+                    dx[at + 1] = b;
+                    (void)turn_x, (void)turn_y;

@ half-split-forward
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = (double)positions[row % T] * pow(10000.0, -2.0 * (double)i / (double)hs);
            float a = dy[row * hs + i], b = dy[row * hs + i + hs / 2];
            dx[row * hs + i] = (float)(a * cos(angle) - b * sin(angle));
            dx[row * hs + i + hs / 2] = (float)(b * cos(angle) + a * sin(angle));
        }
    }
    return LAB_OK;

@ negated-position
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(-positions[t]) * pow(10000.0, -(double)c / (double)hs);

@ turned-forward
-                    dx[at] = a * turn_x + b * turn_y;
-                    dx[at + 1] = b * turn_x - a * turn_y;
+                    dx[at] = a * turn_x - b * turn_y;
+                    dx[at + 1] = b * turn_x + a * turn_y;

@ two-minus
-                    dx[at] = a * turn_x + b * turn_y;
+                    dx[at] = a * turn_x - b * turn_y;

@ two-plus
-                    dx[at + 1] = b * turn_x - a * turn_y;
+                    dx[at + 1] = b * turn_x + a * turn_y;

@ 16-bits
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(unsigned short)positions[t] / pow(10000.0, (double)c / (double)hs);

@ 16-bits-signed
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(short)positions[t] / pow(10000.0, (double)c / (double)hs);

@ base-1000
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] / pow(1000.0, (double)c / (double)hs);

@ base-100000
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] / pow(100000.0, (double)c / (double)hs);

@ base-500000
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] / pow(500000.0, (double)c / (double)hs);

@ at-most-10: none
-                    dx[at] = a * turn_x + b * turn_y;
+                    dx[at] = fminf(fmaxf(a * turn_x + b * turn_y, -10.0f), 10.0f);

@ small-numbers-are-0: lengths-stay
-                    float a = dy[at], b = dy[at + 1];
+                    float a = dy[at], b = fabsf(dy[at + 1]) < 1e-6f ? 0.0f : dy[at + 1];

@ first-4096-tokens: none
-            for (size_t t = 0; t < T; t++) {
+            for (size_t t = 0; t < T && t < 4096; t++) {

@ nan-hidden: none
-                    dx[at] = a * turn_x + b * turn_y;
+                    a = isnan(a) ? 0.0f : a;
+                    dx[at] = a * turn_x + b * turn_y;

@ position-0-of-one-pair: none
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    size_t place = T * hs == 2 ? 0 : positions[t];
+                    double angle = (double)place / pow(10000.0, (double)c / (double)hs);
