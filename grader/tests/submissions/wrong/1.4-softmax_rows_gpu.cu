// 1.4 softmax_rows_gpu
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaGetLastError());

@ block-too-large: launch-invalid
    softmax_rows_kernel<<<T, 2048, 0, stream>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());

@ on-the-host: launcher-copies
    float row[1024];
    for (size_t t = 0; t < T; t++) {
        cudaMemcpy(row, scores_dev + t * S, S * sizeof(float), cudaMemcpyDeviceToHost);
        float max = -INFINITY, sum = 0;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        float shift = max == -INFINITY ? 0 : max;
        for (size_t s = 0; s < S; s++) {
            row[s] = expf(row[s] - shift);
            sum += row[s];
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = sum > 0 ? row[s] / sum : 0;
        }
        cudaMemcpy(weights_dev + t * S, row, S * sizeof(float), cudaMemcpyHostToDevice);
    }
    return lab_cuda(cudaGetLastError());

@ stream-0: wrong-stream
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());

@ waits: launcher-waits
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaStreamSynchronize(stream));

@ nothing-for-many: nothing-launched
    if (T > 100000) {
        return LAB_OK;
    }
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaGetLastError());

@ at-most-1024-blocks: none
    const unsigned blocks = T < 1024 ? (unsigned)T : 1024u;
    softmax_rows_kernel<<<blocks, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());

@ error-thrown-away: status-ignored
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    (void)cudaGetLastError();
    return LAB_OK;

@ another-status-than-ecuda: status-ignored
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return cudaGetLastError() == cudaSuccess ? LAB_OK : LAB_EVALUE;

@ right-again-if-refused
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    if (cudaGetLastError() == cudaSuccess) {
        return LAB_OK;
    }
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaPeekAtLastError());

@ right-zeros-first
    const lab_status status =
        lab_cuda(cudaMemsetAsync(weights_dev, 0, T * S * sizeof(float), stream));
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    const lab_status launched = lab_cuda(cudaGetLastError());
    return status != LAB_OK ? status : launched;

@ right-few-blocks-write
__global__ void one_block_of_1024(float *weights, const float *scores, size_t T, size_t S)
{
    const size_t first = blockIdx.x / 1024 * 1024;
    if (blockIdx.x % 1024 != 700) {
        return;
    }
    for (size_t t = first + threadIdx.x; t < T && t < first + 1024; t += blockDim.x) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            const float shift = max == -INFINITY ? 0.0f : max;
            weights[t * S + s] = expf(scores[t * S + s] - shift);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum == 0.0f ? 0.0f : weights[t * S + s] / sum;
        }
    }
}
// BODY
    one_block_of_1024<<<(unsigned)((T + 1023) / 1024 * 1024), 32, 0, stream>>>(
        weights_dev, scores_dev, T, S);
    return lab_cuda(cudaGetLastError());

@ at-most-65535-blocks: rows-missing
    const unsigned blocks = T < 65535 ? (unsigned)T : 65535u;
    softmax_rows_kernel<<<blocks, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());

@ chunks-into-the-first-rows: rows-missing
    for (size_t t = 0; t < T; t += 65535) {
        const unsigned blocks = (unsigned)(T - t < 65535 ? T - t : 65535);
        softmax_rows_kernel<<<blocks, ROW_THREADS, 0, stream>>>(weights_dev,
                                                                scores_dev + t * S, S);
        LAB_TRY(lab_cuda(cudaGetLastError()));
    }
    return LAB_OK;

@ error-of-the-last-chunk: status-ignored
    cudaError_t error = cudaSuccess;
    for (size_t t = 0; t < T; t += 65535) {
        const unsigned blocks = (unsigned)(T - t < 65535 ? T - t : 65535);
        softmax_rows_kernel<<<blocks, ROW_THREADS, 0, stream>>>(weights_dev + t * S,
                                                                scores_dev + t * S, S);
        error = cudaGetLastError();
    }
    return lab_cuda(error);

@ right-in-strides
__global__ void rows_in_strides(float *weights, const float *scores, size_t T, size_t S)
{
    for (size_t t = blockIdx.x; t < T; t += gridDim.x) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S && threadIdx.x < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        const float shift = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < S && threadIdx.x < S; s++) {
            sum += expf(scores[t * S + s] - shift);
        }
        for (size_t s = threadIdx.x; s < S; s += blockDim.x) {
            const float weight = expf(scores[t * S + s] - shift);
            weights[t * S + s] = sum == 0.0f ? 0.0f : weight / sum;
        }
    }
}
// BODY
    const unsigned blocks = T < 65535 ? (unsigned)T : 65535u;
    rows_in_strides<<<blocks, 512, 0, stream>>>(weights_dev, scores_dev, T, S);
    return lab_cuda(cudaGetLastError());

@ strides-without-the-last-of-many-rows: rows-missing
-    rows_in_strides<<<blocks, 512, 0, stream>>>(weights_dev, scores_dev, T, S);
+    rows_in_strides<<<blocks, 512, 0, stream>>>(weights_dev, scores_dev,
+                                                T - (T > 65535), S);
