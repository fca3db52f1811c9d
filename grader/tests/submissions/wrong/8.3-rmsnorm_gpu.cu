// 8.3 rmsnorm_gpu
    rmsnorm_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        y_dev, rrms_dev, x_dev, gain_dev, N, C);
    return lab_cuda(cudaGetLastError());

@ unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ stream-0: wrong-stream
-    rmsnorm_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
+    rmsnorm_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS)>>>(

@ waits: launcher-waits
-    return lab_cuda(cudaGetLastError());
+    return lab_cuda(cudaStreamSynchronize(stream));

@ right-a-block-for-each-row
__global__ static void row_by_block(float *y_dev, float *rrms_dev, const float *x_dev,
                                    const float *gain_dev, size_t C)
{
    __shared__ float parts[512];
    const size_t n = blockIdx.x;
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += blockDim.x) {
        squares += x_dev[n * C + c] * x_dev[n * C + c];
    }
    parts[threadIdx.x] = squares;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    const float scale = 1.0f / sqrtf(parts[0] / (float)C + 1e-5f);
    for (size_t c = threadIdx.x; c < C; c += blockDim.x) {
        y_dev[n * C + c] = x_dev[n * C + c] * scale * gain_dev[c];
    }
    if (threadIdx.x == 0) {
        rrms_dev[n] = scale;
    }
}
// BODY
    row_by_block<<<(unsigned)N, 512, 0, stream>>>(y_dev, rrms_dev, x_dev, gain_dev, C);
    return lab_cuda(cudaGetLastError());
