// 7.3 rope_kernel
    const size_t pairs = hs / 2;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, pair = i % pairs;
    const double frequency = pow(10000.0, -(double)(2 * pair) / (double)hs);
    double sine, cosine;
    sincos((double)positions_dev[t] * frequency, &sine, &cosine);
    const float s = (float)sine, c = (float)cosine;

    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const size_t place = row * T * pairs + i; // in pairs
        const float2 x = ((const float2 *)x_dev)[place];
        ((float2 *)out_dev)[place] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }

@ float-angle: float-product
-    sincos((double)positions_dev[t] * frequency, &sine, &cosine);
+    sincos((double)((float)positions_dev[t] * (float)frequency), &sine, &cosine);

@ float2-at-a-float: misaligned
-        const float2 x = ((const float2 *)x_dev)[place];
+        const float2 x = *(const float2 *)(x_dev + place); // counted in floats

@ half-split
-        const float2 x = ((const float2 *)x_dev)[place];
-        ((float2 *)out_dev)[place] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
+        const size_t first = place / pairs * hs + pair, second = first + pairs;
+        out_dev[first] = x_dev[first] * c - x_dev[second] * s;
+        out_dev[second] = x_dev[first] * s + x_dev[second] * c;

@ turned-back
-        ((float2 *)out_dev)[place] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
+        ((float2 *)out_dev)[place] = make_float2(x.x * c + x.y * s, x.y * c - x.x * s);

@ unguarded: out-of-bounds
-    if (i >= T * pairs) {
-        return;
-    }

@ sixteen-rows-only: none
-    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
+    for (size_t row = blockIdx.y; row < rows; row += rows) {

@ 16-bits
-    sincos((double)positions_dev[t] * frequency, &sine, &cosine);
+    sincos((double)(unsigned short)positions_dev[t] * frequency, &sine, &cosine);
