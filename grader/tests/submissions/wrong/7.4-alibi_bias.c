// 7.4 alibi_bias
    for (size_t h = 0; h < NH; h++) {
        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                long distance = (long)(t + S) - (long)(T + s);
                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
            }
        }
    }
    return LAB_OK;

@ aligned-at-start
-                long distance = (long)(t + S) - (long)(T + s);
+                long distance = (long)t - (long)s;

@ shift-not-negative
-                long distance = (long)(t + S) - (long)(T + s);
+                long distance = (long)(t + (S > T ? S - T : 0)) - (long)s;

@ base-e
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = expf(-8.0f * (float)(h + 1) / (float)NH);

@ eight-heads
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = exp2f(-(float)(h + 1));

@ at-most-100: none
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] =
+                    distance > 0 ? fmaxf(-100.0f, -slope * (float)distance) : 0.0f;

@ at-most-1000: none
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] =
+                    distance > 0 ? fmaxf(-1000.0f, -slope * (float)distance) : 0.0f;

@ distance-at-most-65535: none
-                long distance = (long)(t + S) - (long)(T + s);
+                long distance = (long)(t + S) - (long)(T + s);
+                distance = distance > 65535 ? 65535 : distance;

@ small-results-are-0: none
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = distance > 0 && slope > 0.01f ? -slope * (float)distance : 0.0f;

@ key-from-the-end
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                bias[(h * T + t) * S + s] = -slope * (float)(S - 1 - s);
            }
        }
    }
    return LAB_OK;

@ key-index
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                bias[(h * T + t) * S + s] = slope * (float)s;
            }
        }
    }
    return LAB_OK;

@ masked
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = distance < 0 ? -INFINITY : -slope * (float)distance;

@ no-slope
    for (size_t h = 0; h < NH; h++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                int past = s + T < t + S;
                bias[(h * T + t) * S + s] = past ? -(float)(t + S - T - s) : 0.0f;
            }
        }
    }
    return LAB_OK;

@ one-slope
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = exp2f(-8.0f / (float)NH);

@ one-too-far
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = distance >= 0 ? -slope * (float)(distance + 1) : 0.0f;

@ paper-slopes
    size_t power = 1;
    while (power * 2 <= NH) {
        power *= 2;
    }
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)power);
        if (h >= power) { // every second slope of twice as many heads
            slope = exp2f(-8.0f * (float)(2 * (h - power) + 1) / (float)(2 * power));
        }
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                int past = s + T < t + S;
                bias[(h * T + t) * S + s] = past ? -slope * (float)(t + S - T - s) : 0.0f;
            }
        }
    }
    return LAB_OK;

@ positive
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = distance > 0 ? slope * (float)distance : 0.0f;

@ signed
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = -slope * (float)distance;

@ slopes-off-by-one
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = powf(2.0f, -8.0f * (float)h / (float)NH);

@ symmetric
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = -slope * fabsf((float)distance);

@ transposed
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(h * T + t) * S + s] = distance < 0 ? slope * (float)distance : 0.0f;

@ unsigned-exponent
    for (size_t h = 0; h < NH; h++) {
        const double slope = exp2(-8 * (h + 1) / NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                const double distance = (double)(t + S) - (double)(s + T);
                bias[(h * T + t) * S + s] =
                    distance > 0.0 ? (float)(-slope * distance) : 0.0f;
            }
        }
    }
    return LAB_OK;

@ unsigned-wrap
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                bias[(h * T + t) * S + s] = -slope * (float)(t + S - T - s);
            }
        }
    }
    return LAB_OK;

@ whole-number-division
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = exp2f(-(float)(8 * (h + 1) / NH));

@ whole-number-ratio
    for (size_t h = 0; h < NH; h++) {
        const double slope = exp2(-8.0 * ((h + 1) / NH));
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                const double distance = (double)(t + S) - (double)(s + T);
                bias[(h * T + t) * S + s] =
                    distance > 0.0 ? (float)(-slope * distance) : 0.0f;
            }
        }
    }
    return LAB_OK;

@ query-wraps
-                long distance = (long)(t + S) - (long)(T + s);
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                const size_t query = t + S - T;
+                bias[(h * T + t) * S + s] = s <= query ? -slope * (float)(query - s) : 0.0f;

@ queries-first
-                bias[(h * T + t) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;
+                bias[(t * NH + h) * S + s] = distance > 0 ? -slope * (float)distance : 0.0f;

@ whole-number-step
-        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
+        float slope = powf(2.0f, -(float)(8 / NH * (h + 1)));

@ one-head-aligned-at-start: none
-                long distance = (long)(t + S) - (long)(T + s);
+                long distance = (long)(t + (NH > 1 ? S : T)) - (long)(T + s);
