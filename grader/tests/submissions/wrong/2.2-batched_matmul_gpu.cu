// 2.2 batched_matmul_gpu
    batched_matmul_kernel<<<batched_grid(B, M, N), dim3(TILE, TILE), 0, stream>>>(
        out_dev, a_dev, b_dev, B, M, N, K);
    return lab_cuda(cudaGetLastError());

@ z-left-out: first-only
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, a_dev, b_dev, 1, M,
                                                                 N, K);
    return lab_cuda(cudaGetLastError());

@ all-sequences-along-z: launch-invalid
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, B);
    batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, a_dev, b_dev, B, M,
                                                                 N, K);
    return lab_cuda(cudaGetLastError());

@ a-block-for-every-16-rows: launch-invalid
    const dim3 grid(lab_blocks(N, TILE), lab_blocks(M, TILE), at_most((unsigned)B));
    batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, a_dev, b_dev, B, M, N,
                                                                 K);
    return lab_cuda(cudaGetLastError());

@ b-of-later-launches: none
    for (size_t first = 0; first < B; first += 65535) {
        const size_t count = B - first < 65535 ? B - first : 65535;
        const dim3 grid(lab_blocks(N, TILE), at_most(lab_blocks(M, TILE)), (unsigned)count);
        batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(
            out_dev + first * M * N, a_dev + first * M * K, b_dev + first * M * N, count, M, N, K);
        LAB_TRY(lab_cuda(cudaGetLastError()));
    }
    return LAB_OK;

@ at-most-1024-blocks: none
#include "02_batching/batching_gpu.h"

__global__ void flat_kernel(float *out, const float *a, const float *b, size_t count, size_t M,
                            size_t N, size_t K)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float sum = 0;
        for (size_t k = 0; k < K; k++) {
            sum += a[i / N * K + k] * b[(i / N / M * K + k) * N + i % N];
        }
        out[i] = sum;
    }
}

// BODY
    unsigned blocks = lab_blocks(B * M * N, 256);
    flat_kernel<<<blocks < 1024 ? blocks : 1024, 256, 0, stream>>>(out_dev, a_dev, b_dev,
                                                                 B * M * N, M, N, K);
    return lab_cuda(cudaGetLastError());

@ row-of-a-in-shared-memory: launch-invalid
#include "02_batching/batching_gpu.h"

__global__ void row_kernel(float *out, const float *a, const float *b, size_t M, size_t N,
                           size_t K)
{
    extern __shared__ float row[];
    size_t n = blockIdx.x;
    for (size_t k = threadIdx.x; k < K; k += blockDim.x) {
        row[k] = a[n * K + k];
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
        float sum = 0;
        for (size_t k = 0; k < K; k++) {
            sum += row[k] * b[(n / M * K + k) * N + i];
        }
        out[n * N + i] = sum;
    }
}

// BODY
    row_kernel<<<(unsigned)(B * M), 128, K * sizeof(float), stream>>>(out_dev, a_dev, b_dev, M,
                                                                     N, K);
    return lab_cuda(cudaGetLastError());
