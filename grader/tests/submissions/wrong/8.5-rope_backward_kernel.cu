// 8.5 rope_backward_kernel
    const size_t pairs = hs / 2;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const double frequency = pow(10000.0, -(double)(i % pairs) / (double)pairs);
    double sine, cosine;
    sincos((double)positions_dev[i / pairs] * frequency, &sine, &cosine);
    const float s = (float)sine, c = (float)cosine;

    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const float2 d = ((const float2 *)dy_dev)[row * T * pairs + i];
        ((float2 *)dx_dev)[row * T * pairs + i] = make_float2(d.x * c + d.y * s, d.y * c - d.x * s);
    }

@ float-angle: float-product
-    sincos((double)positions_dev[i / pairs] * frequency, &sine, &cosine);
+    sincos((double)((float)positions_dev[i / pairs] * (float)frequency), &sine, &cosine);

@ turned-forward
-        ((float2 *)dx_dev)[row * T * pairs + i] = make_float2(d.x * c + d.y * s, d.y * c - d.x * s);
+        ((float2 *)dx_dev)[row * T * pairs + i] = make_float2(d.x * c - d.y * s, d.x * s + d.y * c);

@ two-plus
-        ((float2 *)dx_dev)[row * T * pairs + i] = make_float2(d.x * c + d.y * s, d.y * c - d.x * s);
+        ((float2 *)dx_dev)[row * T * pairs + i] = make_float2(d.x * c + d.y * s, d.y * c + d.x * s);

@ float2-at-a-float: misaligned
-        const float2 d = ((const float2 *)dy_dev)[row * T * pairs + i];
+        const float2 d = *(const float2 *)(dy_dev + row * T * pairs + i); // counted in floats

@ sixteen-rows-only: none
-    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
+    for (size_t row = blockIdx.y; row < rows; row += rows) {

@ unguarded: out-of-bounds
-    if (i >= T * pairs) {
-        return;
-    }

@ 16-bits
-    sincos((double)positions_dev[i / pairs] * frequency, &sine, &cosine);
+    sincos((double)(unsigned short)positions_dev[i / pairs] * frequency, &sine, &cosine);
