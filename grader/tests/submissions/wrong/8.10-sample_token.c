// 8.10 sample_token
    const float t = sampling->temperature;
    size_t keep = V;
    bool chosen[V];
    for (size_t i = 0; i < V; i++) {
        chosen[i] = false;
    }
    for (size_t r = 0; r < V; r++) { // the next largest of those that are left
        size_t best = V;
        for (size_t i = 0; i < V; i++) {
            const bool used = chosen[i];
            if (!used && (best == V || logits[i] > logits[best])) {
                best = i;
            }
        }
        chosen[best] = true;
        order[r] = best;
    }
    if (sampling->top_k > 0 && sampling->top_k < V) {
        keep = sampling->top_k;
    }
    if (t == 0.0f) {
        keep = 1;
    }
    const double largest = (double)logits[order[0]];
    for (size_t r = 0; r < V; r++) {
        const double scaled = ((double)logits[order[r]] - largest) / (t > 0.0f ? (double)t : 1.0);
        probabilities[order[r]] = (float)exp(scaled);
    }
    double total = 0.0, sum = 0.0;
    for (size_t r = 0; r < keep; r++) {
        total += (double)probabilities[order[r]];
    }
    for (size_t r = 0; r < keep && sampling->top_p < 1.0f; r++) {
        sum += (double)probabilities[order[r]];
        if (sum >= (double)sampling->top_p * total) {
            keep = r + 1;
            total = sum;
        }
    }
    sum = 0.0;
    *token = order[keep - 1];
    for (size_t r = 0; r < keep; r++) {
        sum += (double)probabilities[order[r]] / total;
        if (sum > (double)u) {
            *token = order[r];
            break;
        }
    }
    for (size_t r = 0; r < V; r++) {
        float *p = &probabilities[order[r]];
        *p = r < keep ? (float)((double)*p / total) : 0.0f;
    }
    return LAB_OK;

@ low-temperature-is-0
-    if (t == 0.0f) {
+    if (t < 0.01f) {

@ always-the-most-likely
-        if (sum > (double)u) {
-            *token = order[r];
-            break;
-        }
+        *token = order[0];

@ no-max
-    const double largest = (double)logits[order[0]];
+    const float largest = 0.0f;

-        const double scaled = ((double)logits[order[r]] - largest) / (t > 0.0f ? (double)t : 1.0);
-        probabilities[order[r]] = (float)exp(scaled);
+        const float scaled = (logits[order[r]] - largest) / (t > 0.0f ? t : 1.0f);
+        probabilities[order[r]] = expf(scaled);

@ no-temperature
-        const double scaled = ((double)logits[order[r]] - largest) / (t > 0.0f ? (double)t : 1.0);
+        const double scaled = (double)logits[order[r]] - largest;

@ no-top-k
-    if (sampling->top_k > 0 && sampling->top_k < V) {
-        keep = sampling->top_k;
-    }

@ no-top-p
-        if (sum >= (double)sampling->top_p * total) {
+        if (sum > total + 1.0) {

@ not-rescaled
-        sum += (double)probabilities[order[r]] / total;
+        sum += (double)probabilities[order[r]] / all;

-    double total = 0.0, sum = 0.0;
+    double total = 0.0, sum = 0.0, all = 0.0;
+    for (size_t r = 0; r < V; r++) {
+        all += (double)probabilities[order[r]];
+    }
+    all = t == 0.0f ? 1.0 : all;

-        *p = r < keep ? (float)((double)*p / total) : 0.0f;
+        *p = r < keep ? (float)((double)*p / all) : 0.0f;

@ others-not-0
-        *p = r < keep ? (float)((double)*p / total) : 0.0f;
+        *p = (float)((double)*p / total);

@ rank-for-token
-    *token = order[keep - 1];
+    *token = keep - 1;

-            *token = order[r];
+            *token = r;

@ smallest-first
-            if (!used && (best == V || logits[i] > logits[best])) {
+            if (!used && (best == V || logits[i] < logits[best])) {

-    const double largest = (double)logits[order[0]];
+    const double largest = (double)logits[order[V - 1]];

@ sum-by-token
-    for (size_t r = 0; r < keep; r++) {
-        sum += (double)probabilities[order[r]] / total;
-        if (sum > (double)u) {
-            *token = order[r];
-            break;
-        }
-    }
-    for (size_t r = 0; r < V; r++) {
-        float *p = &probabilities[order[r]];
-        *p = r < keep ? (float)((double)*p / total) : 0.0f;
-    }
+    for (size_t r = 0; r < V; r++) {
+        float *p = &probabilities[order[r]];
+        *p = r < keep ? (float)((double)*p / total) : 0.0f;
+    }
+    for (size_t i = 0; i < V; i++) {
+        sum += (double)probabilities[i];
+        *token = probabilities[i] > 0.0f ? i : *token;
+        if (sum > (double)u) {
+            break;
+        }
+    }

@ sum-from-the-least-likely
-    *token = order[keep - 1];
-    for (size_t r = 0; r < keep; r++) {
+    *token = order[0];
+    for (size_t r = keep; r-- > 0;) {

@ temperature-0-is-1
-    if (t == 0.0f) {
-        keep = 1;
-    }

@ temperature-after-top-p
-        const double scaled = ((double)logits[order[r]] - largest) / (t > 0.0f ? (double)t : 1.0);
+        const double scaled = (double)logits[order[r]] - largest;

     sum = 0.0;
     *token = order[keep - 1];
+    total = 0.0;
+    for (size_t r = 0; r < keep; r++) {
+        float *p = &probabilities[order[r]];
+        *p = t > 0.0f ? (float)pow((double)*p, 1.0 / (double)t) : *p;
+        total += (double)*p;
+    }

@ temperature-multiplied
-        const double scaled = ((double)logits[order[r]] - largest) / (t > 0.0f ? (double)t : 1.0);
+        const double scaled = ((double)logits[order[r]] - largest) * (t > 0.0f ? (double)t : 1.0);

@ ties-higher
-            if (!used && (best == V || logits[i] > logits[best])) {
+            if (!used && (best == V || logits[i] >= logits[best])) {

@ top-k-0-is-1
-    if (sampling->top_k > 0 && sampling->top_k < V) {
+    if (sampling->top_k == 0) {
+        keep = 1;
+    } else if (sampling->top_k < V) {

@ top-k-by-value
         keep = sampling->top_k;
+        while (keep < V && logits[order[keep]] == logits[order[keep - 1]]) {
+            keep++;
+        }

@ top-k-one-more
-        keep = sampling->top_k;
+        keep = sampling->top_k + 1;

@ top-k-unbounded: crash
-    if (sampling->top_k > 0 && sampling->top_k < V) {
+    if (sampling->top_k > 0) {

@ top-p-above
-        if (sum >= (double)sampling->top_p * total) {
+        if (sum > (double)sampling->top_p * total) {

@ top-p-is-a-floor
-        sum += (double)probabilities[order[r]];
-        if (sum >= (double)sampling->top_p * total) {
-            keep = r + 1;
-            total = sum;
-        }
+        if (r > 0 && (double)probabilities[order[r]] < (double)sampling->top_p * total) {
+            keep = r;
+            total = sum;
+        }
+        sum += r < keep ? (double)probabilities[order[r]] : 0.0;

@ top-p-of-all
-        if (sum >= (double)sampling->top_p * total) {
+        double all = 0.0;
+        for (size_t i = 0; i < V; i++) {
+            all += (double)probabilities[i];
+        }
+        if (t > 0.0f && sum >= (double)sampling->top_p * all) {

@ top-p-one-more
-            keep = r + 1;
-            total = sum;
+            total = sum + (r + 1 < keep ? (double)probabilities[order[r + 1]] : 0.0);
+            keep = r + 1 < keep ? r + 2 : keep;
+            break;

@ top-p-without-crossing
-            keep = r + 1;
-            total = sum;
+            const bool exact = sum == (double)sampling->top_p * total;
+            keep = r == 0 || exact ? r + 1 : r;
+            total = r == 0 || exact ? sum : sum - (double)probabilities[order[r]];

@ u-reached
-        if (sum > (double)u) {
+        if (sum >= (double)u) {

@ top-p-nearly-1-is-1
-    for (size_t r = 0; r < keep && sampling->top_p < 1.0f; r++) {
+    for (size_t r = 0; r < keep && sampling->top_p < 0.99f; r++) {

@ small-temperature-is-0
-    if (t == 0.0f) {
+    if (t < 1e-5f) {

@ last-of-whole-vectors: none
-            if (!used && (best == V || logits[i] > logits[best])) {
+            if (!used && (best == V || (i < (V - 1) / 64 * 64 + V % 64 && logits[i] > logits[best]))) {

@ top-p-of-exponentials
-        if (sum >= (double)sampling->top_p * total) {
+        if (sum >= (double)sampling->top_p) {

@ top-p-is-the-rest
-        if (sum >= (double)sampling->top_p * total) {
+        if (sum >= (1.0 - (double)sampling->top_p) * total) {

@ top-k-one-less
-        keep = sampling->top_k;
+        keep = sampling->top_k > 1 ? sampling->top_k - 1 : 1;

@ softmax-twice
-    double total = 0.0, sum = 0.0;
+    double total = 0.0, sum = 0.0, all = 0.0;
+    for (size_t r = 0; r < V; r++) {
+        all += (double)probabilities[r];
+    }
+    for (size_t r = 0; r < V; r++) {
+        probabilities[r] = (float)exp((double)probabilities[r] / all);
+    }

@ u-from-1
-        if (sum > (double)u) {
+        if (sum > 1.0 - (double)u) {

@ last-of-top-k-if-no-sum-is-above: none
-    double total = 0.0, sum = 0.0;
+    double total = 0.0, sum = 0.0;
+    const size_t before_top_p = keep;

-    sum = 0.0;
-    *token = order[keep - 1];
-    for (size_t r = 0; r < keep; r++) {
-        sum += (double)probabilities[order[r]] / total;
-        if (sum > (double)u) {
+    float reached = 0.0f;
+    *token = order[before_top_p - 1];
+    for (size_t r = 0; r < keep; r++) {
+        reached += (float)((double)probabilities[order[r]] / total);
+        if (reached > u) {

@ last-of-all-if-no-sum-is-above: none
-    sum = 0.0;
-    *token = order[keep - 1];
-    for (size_t r = 0; r < keep; r++) {
-        sum += (double)probabilities[order[r]] / total;
-        if (sum > (double)u) {
+    float reached = 0.0f;
+    *token = V - 1;
+    for (size_t r = 0; r < keep; r++) {
+        reached += (float)((double)probabilities[order[r]] / total);
+        if (reached > u) {

@ tiny-temperature-is-0: small-number
-    if (t == 0.0f) {
+    if (t < 1.2e-7f) {

@ largest-from-0
-        order[r] = best;
-    }
+        order[r] = best;
+    }
+    if (t == 0.0f) {
+        float found = 0.0f;
+        *token = 0;
+        for (size_t i = 0; i < V; i++) {
+            if (logits[i] > found) {
+                found = logits[i];
+                *token = i;
+            }
+        }
+        for (size_t i = 0; i < V; i++) {
+            probabilities[i] = i == *token ? 1.0f : 0.0f;
+        }
+        return LAB_OK;
+    }

@ largest-from-a-billion-below: none
-        order[r] = best;
-    }
+        order[r] = best;
+    }
+    if (t == 0.0f) {
+        float found = -1e9f;
+        *token = 0;
+        for (size_t i = 0; i < V; i++) {
+            if (logits[i] > found) {
+                found = logits[i];
+                *token = i;
+            }
+        }
+        for (size_t i = 0; i < V; i++) {
+            probabilities[i] = i == *token ? 1.0f : 0.0f;
+        }
+        return LAB_OK;
+    }

@ higher-of-ties-for-top-k-1: none
-        order[r] = best;
-    }
+        order[r] = best;
+    }
+    if (sampling->top_k == 1) {
+        *token = 0;
+        for (size_t i = 1; i < V; i++) {
+            *token = logits[i] >= logits[*token] ? i : *token;
+        }
+        for (size_t i = 0; i < V; i++) {
+            probabilities[i] = i == *token ? 1.0f : 0.0f;
+        }
+        return LAB_OK;
+    }

@ sorted-by-probability
     size_t keep = V;
+    float most = logits[0];
+    for (size_t i = 1; i < V; i++) {
+        most = fmaxf(most, logits[i]);
+    }
+    for (size_t i = 0; i < V; i++) {
+        probabilities[i] = t > 0.0f ? expf((logits[i] - most) / t) : logits[i];
+    }

-            if (!used && (best == V || logits[i] > logits[best])) {
+            if (!used && (best == V || probabilities[i] > probabilities[best])) {

@ base-2
-        probabilities[order[r]] = (float)exp(scaled);
+        probabilities[order[r]] = (float)exp2(scaled);

@ at-most-300-by-top-k: none
-        keep = sampling->top_k;
+        keep = sampling->top_k < 300 ? sampling->top_k : 300;

@ at-most-300-by-top-p: no-top-p
-    for (size_t r = 0; r < keep && sampling->top_p < 1.0f; r++) {
+    for (size_t r = 0; r < keep && r < 300 && sampling->top_p < 1.0f; r++) {

@ at-most-512-probabilities: none
-        *p = r < keep ? (float)((double)*p / total) : 0.0f;
+        *p = r < keep && r < 512 ? (float)((double)*p / total) : 0.0f;
