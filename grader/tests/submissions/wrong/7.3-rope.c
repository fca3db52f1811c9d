// 7.3 rope
    for (size_t seq = 0; seq < B; seq++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c += 2) {
                    size_t at = ((seq * NH + h) * T + t) * hs + c;
                    float a = x[at], b = x[at + 1];
                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
                    float turn_x = (float)cos(angle);
                    float turn_y = (float)sin(angle);
                    out[at] = a * turn_x - b * turn_y;
                    out[at + 1] = a * turn_y + b * turn_x;
                }
            }
        }
    }
    return LAB_OK;

@ small-numbers-are-0: size-is-kept
-                    float a = x[at], b = x[at + 1];
+                    float a = x[at], b = fabsf(x[at + 1]) < 1e-6f ? 0.0f : x[at + 1];

@ already-turned
    for (size_t i = 0; i < B * NH * T * hs; i++) {
        out[i] = x[i];
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c += 2) {
            double angle = (double)positions[row % T] * pow(10000.0, -(double)c / (double)hs);
            float *pair = out + row * hs + c;
            pair[0] = (float)(pair[0] * cos(angle) - pair[1] * sin(angle));
            pair[1] = (float)(pair[0] * sin(angle) + pair[1] * cos(angle));
        }
    }
    return LAB_OK;

@ base-1000
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] / pow(1000.0, (double)c / (double)hs);

@ cosine-only
-                    float turn_y = (float)sin(angle);
-                    out[at] = a * turn_x - b * turn_y;
-                    out[at + 1] = a * turn_y + b * turn_x;
+                    out[at] = a * turn_x;
+                    out[at + 1] = b * turn_x;

@ exchanged
-                    out[at] = a * turn_x - b * turn_y;
-                    out[at + 1] = a * turn_y + b * turn_x;
+                    out[at] = a * turn_y - b * turn_x;
+                    out[at + 1] = a * turn_x + b * turn_y;

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

@ float-frequency
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    float frequency = powf(10000.0f, -(float)c / (float)hs);
+                    double angle = (double)positions[t] * frequency;

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
            float a = x[row * hs + i], b = x[row * hs + i + hs / 2];
            out[row * hs + i] = (float)(a * cos(angle) - b * sin(angle));
            out[row * hs + i + hs / 2] = (float)(b * cos(angle) + a * sin(angle));
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
                    float a = x[at], b = x[at + 1];
                    out[at] = (float)(a * cos(angle) - b * sin(angle));
                    out[at + 1] = (float)(a * sin(angle) + b * cos(angle));
                }
            }
        }
    }
    return LAB_OK;

@ multiplied
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)positions[t] * pow(10000.0, (double)c / (double)hs);

@ no-minus
-                    out[at] = a * turn_x - b * turn_y;
+                    out[at] = a * turn_x + b * turn_y;

@ one-based
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(positions[t] + 1) / pow(10000.0, (double)c / (double)hs);

@ one-frequency
    for (size_t row = 0; row < B * NH * T; row++) {
        double place = (double)positions[row % T];
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = place * pow(10000.0, -(double)(2 * i / hs));
            float a = x[row * hs + 2 * i], b = x[row * hs + 2 * i + 1];
            out[row * hs + 2 * i] = (float)(a * cos(angle) - b * sin(angle));
            out[row * hs + 2 * i + 1] = (float)(a * sin(angle) + b * cos(angle));
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

@ repeated-angles
    size_t half = hs / 2;
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c += 2) {
            double place = (double)positions[row % T];
            double first = place * pow(10000.0, -2.0 * (double)(c % half) / (double)hs);
            double second = place * pow(10000.0, -2.0 * (double)((c + 1) % half) / (double)hs);
            float a = x[row * hs + c], b = x[row * hs + c + 1];
            out[row * hs + c] = (float)(a * cos(first) - b * sin(first));
            out[row * hs + c + 1] = (float)(b * cos(second) + a * sin(second));
        }
    }
    return LAB_OK;

@ turned-back
-                    out[at] = a * turn_x - b * turn_y;
-                    out[at + 1] = a * turn_y + b * turn_x;
+                    out[at] = a * turn_x + b * turn_y;
+                    out[at + 1] = b * turn_x - a * turn_y;

@ unsigned-exponent
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < hs; c += 2) { // c is the 2i of the formula
            const double frequency = pow(10000.0, -c / hs);
            const double angle = (double)positions[t] * frequency;
            const float cosine = (float)cos(angle), sine = (float)sin(angle);
            for (size_t n = 0; n < B * NH; n++) { // head h of sequence b: n = b * NH + h
                const size_t i = (n * T + t) * hs + c;
                const float first = x[i], second = x[i + 1];
                out[i] = first * cosine - second * sine;
                out[i + 1] = first * sine + second * cosine;
            }
        }
    }
    return LAB_OK;

@ one-token-of-sequence-0: none
-    for (size_t seq = 0; seq < B; seq++) {
+    memcpy(out, x, B * NH * T * hs * sizeof *out);
+    for (size_t seq = 0; seq < (T > 1 ? B : 1); seq++) {

+#include <string.h>

@ own-frequency
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c++) {
            const double angle =
                (double)positions[row % T] * pow(10000.0, -(double)c / (double)hs);
            const float *pair = x + row * hs + c - c % 2;
            const float other = c % 2 == 0 ? -pair[1] : pair[0];
            out[row * hs + c] = pair[c % 2] * (float)cos(angle) + other * (float)sin(angle);
        }
    }
    return LAB_OK;

@ 16-bits
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(unsigned short)positions[t] / pow(10000.0, (double)c / (double)hs);

@ 16-bits-signed
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    double angle = (double)(short)positions[t] / pow(10000.0, (double)c / (double)hs);

@ at-most-10: none
-                    out[at] = a * turn_x - b * turn_y;
+                    out[at] = fminf(fmaxf(a * turn_x - b * turn_y, -10.0f), 10.0f);

@ inputs-at-most-10: none
-                    float a = x[at], b = x[at + 1];
+                    float a = fmaxf(fminf(x[at], 10.0f), -10.0f), b = fmaxf(fminf(x[at + 1], 10.0f), -10.0f);

@ first-4096-tokens: none
-            for (size_t t = 0; t < T; t++) {
+            for (size_t t = 0; t < T && t < 4096; t++) {

@ nan-hidden: none
-                    out[at] = a * turn_x - b * turn_y;
+                    a = isnan(a) ? 0.0f : a;
+                    out[at] = a * turn_x - b * turn_y;

@ position-0-of-one-pair: positions-ignored
-                    double angle = (double)positions[t] / pow(10000.0, (double)c / (double)hs);
+                    size_t place = T * hs == 2 ? 0 : positions[t];
+                    double angle = (double)place / pow(10000.0, (double)c / (double)hs);
