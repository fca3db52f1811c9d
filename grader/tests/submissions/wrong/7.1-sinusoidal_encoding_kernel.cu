// 7.1 sinusoidal_encoding_kernel
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, c = i % pairs * 2; // c is the 2i of the formula
    const double angle = (double)t * pow(10000.0, -(double)c / (double)C);
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    table_dev[t * C + c] = (float)sine;
    if (c + 1 < C) {
        table_dev[t * C + c + 1] = (float)cosine;
    }

@ exponent-twice: exponent-twice-in-pairs
-    const double angle = (double)t * pow(10000.0, -(double)c / (double)C);
+    const double angle = (double)t * pow(10000.0, -(double)(2 * c) / (double)C);

@ odd-width: race-global
-    if (c + 1 < C) {
-        table_dev[t * C + c + 1] = (float)cosine;
-    }
+    table_dev[t * C + c + 1] = (float)cosine;

@ one-place-for-all: race-shared
    __shared__ double sine[1024], cosine[1024];
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, c = i % pairs * 2;
    sincos((double)t * pow(10000.0, -(double)c / (double)C), &sine[0], &cosine[threadIdx.x]);
    table_dev[t * C + c] = (float)sine[threadIdx.x * 0];
    if (c + 1 < C) {
        table_dev[t * C + c + 1] = (float)cosine[threadIdx.x];
    }

@ unguarded: out-of-bounds
-    if (i >= T * pairs) {
-        return;
-    }
