// 3.1 causal_mask_kernel
    const size_t s = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = blockIdx.y * blockDim.y + threadIdx.y;
    for (size_t t = first; t < T && s < S; t += gridDim.y * blockDim.y) {
        mask_dev[t * S + s] = s + T <= t + S;
    }

@ kernel-row-by-every-thread: race-global
-        mask_dev[t * S + s] = s + T <= t + S;
+        for (size_t key = 0; key < S; key++) {
+            mask_dev[t * S + key] = key + T <= t + S;
+        }

@ kernel-transposed: transposed
-        mask_dev[t * S + s] = s + T <= t + S;
+        mask_dev[s * T + t] = s + T <= t + S;

@ kernel-unguarded: out-of-bounds
-    for (size_t t = first; t < T && s < S; t += gridDim.y * blockDim.y) {
+    for (size_t t = first; t < T; t += gridDim.y * blockDim.y) {

@ kernel-unsigned-wrap: unsigned-wrap
-        mask_dev[t * S + s] = s + T <= t + S;
+        mask_dev[t * S + s] = s <= t + (S - T);

@ kernel-upside-down: upside-down
-        mask_dev[t * S + s] = s + T <= t + S;
+        mask_dev[t * S + s] = s + T >= t + S;

@ kernel-keys-in-16-bits: race-global
-    const size_t s = blockIdx.x * blockDim.x + threadIdx.x;
+    const uint16_t s = blockIdx.x * blockDim.x + threadIdx.x;
