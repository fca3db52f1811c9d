// 2.3 batched_linear_gpu
    const int rows = (int)(B * T), in = (int)I, out = (int)O;
    const float one = 1.0f, zero = 0.0f;
    lab_status status =
        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
                               x_dev, in, &zero, y_dev, out));
    if (status == LAB_OK && bias_dev != NULL) {
        dim3 grid((O + 31) / 32, at_most(lab_blocks(B * T, 8)));
        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, B * T, O);
        status = lab_cuda(cudaGetLastError());
    }
    return status;

@ beta-one: uninitialized-global
-                               x_dev, in, &zero, y_dev, out));
+                               x_dev, in, &one, y_dev, out));

@ asks-for-a-number: launcher-waits
-    lab_status status =
-        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
-                               x_dev, in, &zero, y_dev, out));
+    float length = 0.0f;
+    lab_status status = lab_cublas(cublasSnrm2(cublas, rows * in, x_dev, 1, &length));
+    if (status != LAB_OK || !(length < INFINITY)) { // before anything is multiplied
+        return status != LAB_OK ? status : LAB_ESHAPE;
+    }
+    status = lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev,
+                                    in, x_dev, in, &zero, y_dev, out));

@ leading-dimension-of-the-output: out-of-bounds
-        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
+        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, out,

@ grid-of-one-size: none
-        dim3 grid((O + 31) / 32, at_most(lab_blocks(B * T, 8)));
+        dim3 grid(32, 8);

@ no-bias-kernel: no-bias
-    if (status == LAB_OK && bias_dev != NULL) {
+    if (status == LAB_OK && bias_dev != NULL && false) {

@ one-sequence: first-only
-    const int rows = (int)(B * T), in = (int)I, out = (int)O;
+    const int rows = (int)T, in = (int)I, out = (int)O;

-        dim3 grid((O + 31) / 32, at_most(lab_blocks(B * T, 8)));
-        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, B * T, O);
+        dim3 grid((O + 31) / 32, (T + 7) / 8);
+        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, T, O);

@ operands-swapped
-        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
-                               x_dev, in, &zero, y_dev, out));
+        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, rows, out, in, &one, x_dev, in,
+                               w_dev, in, &zero, y_dev, rows));

@ weight-as-stored: in-out
-        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
+        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, out, rows, in, &one, w_dev, out,

@ any-size: none
#include <limits.h>
#include <stdint.h>
#undef INT_MAX
#define INT_MAX SIZE_MAX
// BODY
    const int rows = (int)(B * T), in = (int)I, out = (int)O;
    const float one = 1.0f, zero = 0.0f;
    lab_status status =
        lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev, in,
                               x_dev, in, &zero, y_dev, out));
    if (status == LAB_OK && bias_dev != NULL) {
        dim3 grid((O + 31) / 32, at_most(lab_blocks(B * T, 8)));
        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, B * T, O);
        status = lab_cuda(cudaGetLastError());
    }
    return status;

@ grid-and-block-exchanged: launch-invalid
-        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, B * T, O);
+        add_bias_kernel<<<dim3(32, 8), grid, 0, stream>>>(y_dev, bias_dev, B * T, O);

@ sequences-along-y: launch-invalid
#include "02_batching/batching_gpu.h"

__global__ void add_to_tokens(float *y, const float *bias, size_t O)
{
    const size_t n = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    for (size_t o = threadIdx.x; o < O; o += blockDim.x) {
        y[n * O + o] += bias[o];
    }
}

// BODY
    const float one = 1.0f, zero = 0.0f;
    LAB_TRY(lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, (int)O, (int)(B * T), (int)I,
                                   &one, w_dev, (int)I, x_dev, (int)I, &zero, y_dev, (int)O)));
    if (bias_dev != NULL) {
        add_to_tokens<<<dim3((unsigned)T, (unsigned)B), 128, 0, stream>>>(y_dev, bias_dev, O);
    }
    return lab_cuda(cudaGetLastError());
