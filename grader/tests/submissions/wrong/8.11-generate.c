// 8.11 generate
    struct language_shape window = *shape;
    window.B = 1;
    for (size_t n = N; n < N + count; n++) {
        size_t first = n > shape->T ? n - shape->T : 0;
        window.T = n - first;
        struct sampling how = *sampling;
        LAB_TRY(language_forward(NULL, z, params, tokens + first, NULL, &window));
        const float *logits = z->logits + (window.T - 1) * window.V;
        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
                             shape->V));
    }
    return LAB_OK;

@ status-of-the-last-token: status-ignored
     struct language_shape window = *shape;
+    lab_status status = LAB_OK;

-        LAB_TRY(language_forward(NULL, z, params, tokens + first, NULL, &window));
+        status = language_forward(NULL, z, params, tokens + first, NULL, &window);

-    return LAB_OK;
+    return status;

@ always-the-most-likely
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.temperature = 0.0f;

@ first-logits
-        const float *logits = z->logits + (window.T - 1) * window.V;
+        const float *logits = z->logits;

@ first-tokens
-        window.T = n - first;
+        window.T = n - first;
+        first = 0;

@ first-uniform
-        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
+        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[0],

@ last-token-alone
-        size_t first = n > shape->T ? n - shape->T : 0;
+        size_t first = n - 1;

@ logits-before-last
-        const float *logits = z->logits + (window.T - 1) * window.V;
+        const float *logits = z->logits + (window.T > 1 ? window.T - 2 : 0) * window.V;

@ no-temperature
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.temperature = 1.0f;

@ no-top-k
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_k = 0;

@ no-top-p
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_p = 1.0f;

@ one-token-less
-        size_t first = n > shape->T ? n - shape->T : 0;
+        const size_t most = shape->T > 1 ? shape->T - 1 : 1;
+        size_t first = n > most ? n - most : 0;

@ prompt-alone
-        size_t first = n > shape->T ? n - shape->T : 0;
-        window.T = n - first;
+        size_t first = N > shape->T ? N - shape->T : 0;
+        window.T = N - first;

@ starts-anew
-        window.T = n - first;
+        window.T = n > shape->T ? (n - 1) % shape->T + 1 : n;
+        first = n - window.T;

@ with-shape-B: none
-    window.B = 1;

@ stops-quietly: none
-        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
-                             shape->V));
+        if (sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
+                         shape->V) != LAB_OK) {
+            return n > N ? LAB_OK : LAB_EVALUE;
+        }

@ taken-back: none
-        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
-                             shape->V));
+        if (sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
+                         shape->V) != LAB_OK) {
+            for (size_t i = N; i < n; i++) {
+                tokens[i] = 0;
+            }
+            return LAB_EVALUE;
+        }

@ newest-unread
-        window.T = n - first;
+        window.T = n - first > 1 ? n - first - 1 : 1;

@ temperature-twice
-        const float *logits = z->logits + (window.T - 1) * window.V;
+        float *logits = z->logits + (window.T - 1) * window.V;
+        for (size_t v = 0; v < window.V && how.temperature > 0.0f; v++) {
+            logits[v] /= how.temperature;
+        }

@ at-most-32-read: none
+enum { MOST = 32 };

-        size_t first = n > shape->T ? n - shape->T : 0;
+        const size_t most = shape->T < MOST ? shape->T : MOST;
+        size_t first = n > most ? n - most : 0;

@ at-most-32-drawn: none
-    for (size_t n = N; n < N + count; n++) {
+    for (size_t n = N; n < N + count && n < N + 32; n++) {

@ first-32-uniforms: none
-        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how, uniforms[n - N],
-                             shape->V));
+        LAB_TRY(sample_token(&tokens[n], probabilities, order, logits, &how,
+                             uniforms[(n - N) % 32], shape->V));

@ cold-with-top-k: no-temperature
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        if (how.temperature == 0.0f && how.top_k > 0) {
+            how.temperature = 1.0f;
+        }

@ cold-with-top-p: no-temperature
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        if (how.temperature == 0.0f && how.top_p < 1.0f) {
+            how.temperature = 1.0f;
+        }

@ top-k-1-is-0: no-top-k
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_k -= how.top_k == 1;

@ top-k-of-V-is-1: always-the-most-likely
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_k = how.top_k == shape->V ? 1 : how.top_k;

@ top-k-above-V-is-1: none
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_k = how.top_k > shape->V ? 1 : how.top_k;

@ low-top-p-is-1: no-top-p
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.top_p = how.top_p < 0.5f ? 1.0f : how.top_p;

@ temperature-at-most-2: none
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.temperature = how.temperature > 2.0f ? 2.0f : how.temperature;

@ temperature-below-half-is-0: none
-        struct sampling how = *sampling;
+        struct sampling how = *sampling;
+        how.temperature = how.temperature < 0.5f ? 0.0f : how.temperature;
