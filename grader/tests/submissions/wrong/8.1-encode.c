// 8.1 encode
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < V && bytes[i] != text[n]) {
            i++;
        }
        if (i == V) {
            return LAB_EVALUE;
        }
    }
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (bytes[i] != text[n]) {
            i++;
        }
        tokens[n] = i;
    }
    return LAB_OK;

@ bytes-for-tokens
-        tokens[n] = i;
+        tokens[n] = text[n];

@ distance-from-first
-        tokens[n] = i;
+        tokens[n] = (size_t)(text[n] - bytes[0]);

@ first-byte-checked
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < V && bytes[i] != text[n]) {
            i++;
        }
        if (n == 0 && i == V) {
            return LAB_EVALUE;
        }
        tokens[n] = i;
    }
    return LAB_OK;

@ from-the-end
-        tokens[n] = i;
+        tokens[n] = V - 1 - i;

@ last-not-found
-        if (i == V) {
+        if (i >= V - 1) {

@ next-larger
    for (size_t n = 0; n < N; n++) {
        size_t low = 0, high = V;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (bytes[middle] < text[n]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        tokens[n] = low;
    }
    return LAB_OK;

@ one-based
-        tokens[n] = i;
+        tokens[n] = i + 1;

@ signed-bytes
    for (int write = 0; write < 2; write++) {
        for (size_t n = 0; n < N; n++) {
            const signed char c = (signed char)text[n];
            size_t low = 0, high = V, found = V;
            while (low < high) {
                const size_t middle = (low + high) / 2;
                if ((signed char)bytes[middle] == c) {
                    found = middle;
                    break;
                }
                if ((signed char)bytes[middle] < c) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (found == V) {
                return LAB_EVALUE;
            }
            if (write) {
                tokens[n] = found;
            }
        }
    }
    return LAB_OK;

@ unknown-is-0
    for (size_t n = 0; n < N; n++) {
        tokens[n] = 0;
        for (size_t i = 0; i < V; i++) {
            if (bytes[i] == text[n]) {
                tokens[n] = i;
            }
        }
    }
    return LAB_OK;

@ unknown-is-last
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < V - 1 && bytes[i] != text[n]) {
            i++;
        }
        tokens[n] = i;
    }
    return LAB_OK;

@ unknown-is-V
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < V && bytes[i] != text[n]) {
            i++;
        }
        tokens[n] = i;
    }
    return LAB_OK;

@ unknown-skipped
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            if (bytes[i] == text[n]) {
                tokens[n] = i;
            }
        }
    }
    return LAB_OK;

@ writes-before-it-refuses: none
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < V && bytes[i] != text[n]) {
            i++;
        }
        if (i == V) {
            return LAB_EVALUE;
        }
        tokens[n] = i;
    }
    return LAB_OK;

@ first-4096: none
-        tokens[n] = i;
+        tokens[n] = n < 4096 ? i : 0;

@ first-4096-checked: unknown-is-last
-        if (i == V) {
+        if (i == V && n < 4096) {

-        while (bytes[i] != text[n]) {
+        while (i < V - 1 && bytes[i] != text[n]) {

@ one-token-not-checked: none
-        if (i == V) {
-            return LAB_EVALUE;
+        if (i == V && V > 1) {
+            return LAB_EVALUE;

-        while (bytes[i] != text[n]) {
+        while (i < V && bytes[i] != text[n]) {

@ one-byte-not-checked: none
-        if (i == V) {
-            return LAB_EVALUE;
+        if (i == V && N > 1) {
+            return LAB_EVALUE;

-        while (bytes[i] != text[n]) {
+        while (i < V && bytes[i] != text[n]) {

@ 255-tokens-not-checked: none
-        if (i == V) {
-            return LAB_EVALUE;
+        if (i == V && V < 255) {
+            return LAB_EVALUE;

-        while (bytes[i] != text[n]) {
+        while (i < V && bytes[i] != text[n]) {
