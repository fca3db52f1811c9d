// 9.8 linear_int8_gpu
    const dim3 grid(lab_blocks(O, WARPS), N < GRID_MAX ? (unsigned)N : GRID_MAX);
    linear_int8_kernel<<<grid, dim3(WARP, WARPS), 0, stream>>>(y_dev, x_dev, rows_dev,
                                                               scales_dev, N, I, O);
    return lab_cuda(cudaGetLastError());

@ int8-all-rows-along-y: launch-invalid
-    const dim3 grid(lab_blocks(O, WARPS), N < GRID_MAX ? (unsigned)N : GRID_MAX);
+    const dim3 grid(lab_blocks(O, WARPS), (unsigned)N);

@ right-a-block-for-each-output
__global__ static void output_by_block(float *y_dev, const float *x_dev, const int8_t *rows_dev,
                                       const float *scales_dev, size_t N, size_t I)
{
    __shared__ float parts[256];
    const size_t o = blockIdx.x;
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t i = threadIdx.x; i < I; i += blockDim.x) {
            sum += (float)rows_dev[o * I + i] * x_dev[n * I + i];
        }
        parts[threadIdx.x] = sum;
        __syncthreads();
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                parts[threadIdx.x] += parts[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            y_dev[n * gridDim.x + o] = parts[0] * scales_dev[o];
        }
        __syncthreads();
    }
}
// BODY
    output_by_block<<<(unsigned)O, 256, 0, stream>>>(y_dev, x_dev, rows_dev, scales_dev, N, I);
    return lab_cuda(cudaGetLastError());
