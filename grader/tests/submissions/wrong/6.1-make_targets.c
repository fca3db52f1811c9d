// 6.1 make_targets
    for (size_t b = 0; b < B; b++) {
        const size_t *x = inputs + b * T;
        size_t *y = targets + b * T;
        for (size_t t = 0; t < T; t++) {
            switch (task) {
            case TASK_REVERSE:
                y[t] = x[T - 1 - t];
                break;
            case TASK_ADD:
                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
                break;
            default:
                y[t] = x[t];
            }
        }
        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
            for (size_t j = i + 1; j < T; j++) {
                if (y[j] < y[i]) {
                    size_t kept = y[i];
                    y[i] = y[j];
                    y[j] = kept;
                }
            }
        }
    }
    return LAB_OK;

@ add-in-32-bits: none
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == 0 ? x[0] : ((unsigned)x[t] + (unsigned)x[t - 1]) % V;

@ add-last-sequence
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t + b == 0 ? x[0] : (x[t] + x[t - 1]) % V;

@ add-next
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == T - 1 ? x[t] : (x[t] + x[t + 1]) % V;

@ add-no-mod
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == 0 ? x[0] : x[t] + x[t - 1];

@ add-running-sum
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == 0 ? x[0] : (x[t] + y[t - 1]) % V;

@ long-not-sorted
-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
+        for (size_t i = 0; task == TASK_SORT && T <= 16 && i < T; i++) {

@ next-token-around
                 y[t] = x[t];
+                if (task == TASK_COPY) {
+                    y[t] = x[(t + 1) % T];
+                }

@ next-token-of-batch
                 y[t] = x[t];
+                if (task == TASK_COPY) {
+                    y[t] = b * T + t + 1 < B * T ? x[t + 1] : x[t];
+                }

@ next-token-unwritten
-                y[t] = x[t];
+                if (task != TASK_COPY) {
+                    y[t] = x[t];
+                } else if (t + 1 < T) {
+                    y[t] = x[t + 1];
+                }

@ next-token-then-0
                 y[t] = x[t];
+                if (task == TASK_COPY) {
+                    y[t] = t + 1 < T ? x[t + 1] : 0;
+                }

@ next-token
-                y[t] = x[t];
+                y[t] = task == TASK_COPY && t + 1 < T ? x[t + 1] : x[t];

@ not-added
-                break;
-            case TASK_ADD:
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;

@ not-reversed
-            case TASK_REVERSE:
-                y[t] = x[T - 1 - t];
-                break;

@ two-not-sorted
-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
+        for (size_t i = 0; task == TASK_SORT && T > 2 && i < T; i++) {

@ not-sorted
-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
+        for (size_t i = 0; i < 0 * T; i++) {

@ reverse-batch
-                y[t] = x[T - 1 - t];
+                y[t] = inputs[(B - 1 - b) * T + t];

@ reverse-everything
-                y[t] = x[T - 1 - t];
+                y[t] = inputs[B * T - 1 - (b * T + t)];

@ reverse-overwritten
    for (size_t b = 0; b < B; b++) {
        const size_t *x = inputs + b * T;
        size_t *y = targets + b * T;
        memcpy(y, x, T * sizeof *y);
        if (task == TASK_SORT) {
            sort_tokens(y, x, T);
        } else if (task == TASK_REVERSE) {
            for (size_t t = 0; t < T; t++) {
                y[t] = y[T - 1 - t]; // the second half has lost its first token
            }
        } else if (task == TASK_ADD) {
            for (size_t t = 1; t < T; t++) {
                y[t] = (x[t] + x[t - 1]) % V;
            }
        }
    }
    return LAB_OK;

@ sort-batch
    for (size_t i = 0; i < B * T; i++) {
        size_t t = i % T;
        const size_t *x = inputs + i - t;
        targets[i] = task == TASK_REVERSE          ? x[T - 1 - t]
                     : task == TASK_ADD && t > 0 ? (x[t] + x[t - 1]) % V
                                                 : x[t];
    }
    if (task == TASK_SORT) {
        sort_tokens(targets, inputs, B * T);
    }
    return LAB_OK;

@ sort-descending
-                if (y[j] < y[i]) {
+                if (y[j] > y[i]) {

@ token-before-from-0
                 y[t] = x[t];
+                if (task == TASK_COPY) {
+                    y[t] = t > 0 ? x[t - 1] : 0;
+                }

@ token-before
                 y[t] = x[t];
+                if (task == TASK_COPY) {
+                    y[t] = t > 0 ? x[t - 1] : x[0];
+                }

@ counts-in-8-bits: none
+#include <stdint.h>
+#include <stdlib.h>

-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
-            for (size_t j = i + 1; j < T; j++) {
-                if (y[j] < y[i]) {
-                    size_t kept = y[i];
-                    y[i] = y[j];
-                    y[j] = kept;
-                }
-            }
-        }
+        uint8_t *times = task == TASK_SORT ? calloc(V, 1) : NULL;
+        for (size_t t = 0; times != NULL && t < T; t++) {
+            times[x[t]]++;
+        }
+        for (size_t v = 0, t = 0; times != NULL && v < V; v++) {
+            for (size_t i = 0; i < times[v]; i++) {
+                y[t++] = v;
+            }
+        }
+        free(times);

@ add-V-left
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == 0 ? x[0] : x[t] + x[t - 1] > V ? x[t] + x[t - 1] - V : x[t] + x[t - 1];

@ add-starts-with-0
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = t == 0 ? 0 : (x[t] + x[t - 1]) % V;

@ add-around
-                y[t] = t == 0 ? x[0] : (x[t] + x[t - 1]) % V;
+                y[t] = (x[t] + x[t == 0 ? T - 1 : t - 1]) % V;

@ sort-one-pass
-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
-            for (size_t j = i + 1; j < T; j++) {
-                if (y[j] < y[i]) {
-                    size_t kept = y[i];
-                    y[i] = y[j];
-                    y[j] = kept;
-                }
-            }
-        }
+        for (size_t i = 0; task == TASK_SORT && i + 1 < T; i++) {
+            if (y[i + 1] < y[i]) {
+                size_t kept = y[i];
+                y[i] = y[i + 1];
+                y[i + 1] = kept;
+            }
+        }

@ sort-from-1
-        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
+        for (size_t i = 1; task == TASK_SORT && i < T; i++) {

@ sort-last-left
-            for (size_t j = i + 1; j < T; j++) {
+            for (size_t j = i + 1; j < T - 1; j++) {
