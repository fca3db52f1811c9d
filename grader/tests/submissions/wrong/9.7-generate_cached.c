// 9.7 generate_cached
    const size_t *prompt = tokens;
    struct sampling how = *sampling;
    for (size_t b = 0; b < B; b++) {
        const size_t n = lengths[b];
        prompt = tokens + b * T;
        cache->lengths[b] = 0;
        LAB_TRY(prefill(z->logits + b * V, cache, z, params, prompt, b, n, shape));
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < B; b++) {
            const float *logits = z->logits + b * V;
            const float u = uniforms[b * count + i];
            size_t *next = tokens + b * T + lengths[b] + i;
            LAB_TRY(sample_token(next, probabilities, order, logits, &how, u, V));
            z->next[b] = *next;
        }
        if (i + 1 < count) {
            LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
        }
    }
    return LAB_OK;

@ sequences-from-1: loop-from-1
-        for (size_t b = 0; b < B; b++) {
+        for (size_t b = 1; b < B; b++) {

@ reads-at-most-16: none
-        if (i + 1 < count) {
+        if (i + 1 < count && i < 16) {

@ always-the-most-likely
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.temperature = 0.0f;

@ first-length
-        const size_t n = lengths[b];
+        const size_t n = lengths[0];

-            size_t *next = tokens + b * T + lengths[b] + i;
+            size_t *next = tokens + b * T + lengths[0] + i;

@ first-logits
-            const float *logits = z->logits + b * V;
+            const float *logits = z->logits;

@ first-prompt
-        prompt = tokens + b * T;
+        prompt = tokens;

-        const size_t n = lengths[b];
+        const size_t n = lengths[0];

@ first-uniform
-            const float u = uniforms[b * count + i];
+            const float u = uniforms[b * count];

@ last-logits
-            const float *logits = z->logits + b * V;
+            const float *logits = z->logits + (B - 1) * V;

@ last-token-twice
-        LAB_TRY(prefill(z->logits + b * V, cache, z, params, prompt, b, n, shape));
-    }
+        LAB_TRY(prefill(z->logits + b * V, cache, z, params, prompt, b, n, shape));
+        z->next[b] = prompt[n - 1];
+    }
+    LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));

@ no-temperature
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.temperature = 1.0f;

@ no-top-k
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_k = 0;

@ no-top-p
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_p = 1.0f;

@ not-reset
-        cache->lengths[b] = 0;

@ prompt-rewritten
-            size_t *next = tokens + b * T + lengths[b] + i;
+            size_t *next = tokens + b * T + i;

@ one-place
-            size_t *next = tokens + b * T + lengths[b] + i;
+            size_t *next = tokens + b * T + lengths[b];

@ prompt-token-again
-            z->next[b] = *next;
+            z->next[b] = tokens[b * T + lengths[b] - 1];

@ step-for-each-sequence
-        for (size_t b = 0; b < B; b++) {
-            const float *logits = z->logits + b * V;
+        for (size_t b = 0; b < B; b++) {
+            if (i > 0) {
+                LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
+            }
+            const float *logits = z->logits + b * V;

-        if (i + 1 < count) {
-            LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
-        }

@ uniforms-by-step
-            const float u = uniforms[b * count + i];
+            const float u = uniforms[i * B + b];

@ uniforms-of-sequence-0
-            const float u = uniforms[b * count + i];
+            const float u = uniforms[i];

@ one-new-token-for-the-first-text: none
-        for (size_t b = 0; b < B; b++) {
-            const float *logits = z->logits + b * V;
+        for (size_t b = 0; b < B && (b == 0 || count > 1); b++) {
+            const float *logits = z->logits + b * V;

@ floats-only: crash
-    return LAB_OK;
+    float sum = 0.0f;
+    for (size_t i = 0; i < V * shape->C; i++) {
+        sum += params->w_out.weights[i];
+    }
+    return sum > 1e30f ? LAB_EVALUE : LAB_OK;

@ written-at-the-end: none
-            size_t *next = tokens + b * T + lengths[b] + i;
+            size_t *next = drawn + b * count + i;

-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    size_t drawn[1000];

-    return LAB_OK;
+    for (size_t b = 0; b < B; b++) {
+        for (size_t i = 0; i < count; i++) {
+            tokens[b * T + lengths[b] + i] = drawn[b * count + i];
+        }
+    }
+    return LAB_OK;

@ taken-back: none
-            LAB_TRY(sample_token(next, probabilities, order, logits, &how, u, V));
+            if (sample_token(next, probabilities, order, logits, &how, u, V) != LAB_OK) {
+                for (size_t j = 0; j < i; j++) {
+                    tokens[b * T + lengths[b] + j] = 0;
+                }
+                return LAB_EVALUE;
+            }

@ stops-quietly: none
-            LAB_TRY(sample_token(next, probabilities, order, logits, &how, u, V));
+            if (sample_token(next, probabilities, order, logits, &how, u, V) != LAB_OK) {
+                return i > 0 ? LAB_OK : LAB_EVALUE;
+            }

@ tokens-in-8-bits: none
-            z->next[b] = *next;
+            z->next[b] = (uint8_t)*next;

@ length-in-8-bits: none
-            size_t *next = tokens + b * T + lengths[b] + i;
+            size_t *next = tokens + b * T + (uint8_t)lengths[b] + i;

@ prompt-of-at-most-256: none
-        const size_t n = lengths[b];
+        const size_t n = lengths[b] < 256 ? lengths[b] : 256;

@ first-128-tokens: none
-        if (i + 1 < count) {
+        if (i + 1 < count && i < 128) {

@ cold-with-top-k: no-temperature
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    if (how.temperature == 0.0f && how.top_k > 0) {
+        how.temperature = 1.0f;
+    }

@ cold-with-top-p: no-temperature
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    if (how.temperature == 0.0f && how.top_p < 1.0f) {
+        how.temperature = 1.0f;
+    }

@ top-k-1-is-0: none
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_k -= how.top_k == 1;

@ top-k-of-V-is-1: always-the-most-likely
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_k = how.top_k == V ? 1 : how.top_k;

@ top-k-above-V-is-1: always-the-most-likely
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_k = how.top_k > V ? 1 : how.top_k;

@ low-top-p-is-1: no-top-p
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.top_p = how.top_p < 0.5f ? 1.0f : how.top_p;

@ temperature-at-most-2: none
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.temperature = how.temperature > 2.0f ? 2.0f : how.temperature;

@ temperature-below-half-is-0: always-the-most-likely
-    struct sampling how = *sampling;
+    struct sampling how = *sampling;
+    how.temperature = how.temperature < 0.5f ? 0.0f : how.temperature;
