// gpu_kernels.cu - what gpu_simulator.cc measures: the labs' kinds of kernels, in their plainest
// form.

#include "bench/gpu_kernels.h"

enum { TILE = 16 };

__global__ void naive(float *out, const float *a, const float *b, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        out[row * n + column] = sum;
    }
}

__global__ void tiled(float *out, const float *a, const float *b, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int y = threadIdx.y, x = threadIdx.x;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = a[row * n + k + x];
        b_tile[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    out[row * n + column] = sum;
}

__device__ float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, step);
    }
    return v;
}

__device__ float warp_max(float v)
{
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, step));
    }
    return v;
}

// A warp for each row.
__global__ void softmax(float *out, const float *x, int n)
{
    const float *row = x + blockIdx.x * n;
    float best = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        best = fmaxf(best, row[i]);
    }
    best = warp_max(best);
    for (int i = threadIdx.x; i < n; i += 32) {
        sum += expf(row[i] - best);
    }
    sum = warp_sum(sum);
    for (int i = threadIdx.x; i < n; i += 32) {
        out[blockIdx.x * n + i] = expf(row[i] - best) / sum;
    }
}

__global__ void fill(float *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1;
    }
}

cudaError_t run_fill(float *out, size_t n)
{
    fill<<<(unsigned)((n + 255) / 256), 256>>>(out, n);
    return cudaGetLastError();
}

cudaError_t run_naive(float *out, const float *a, const float *b, int n)
{
    naive<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(out, a, b, n);
    return cudaGetLastError();
}

cudaError_t run_tiled(float *out, const float *a, const float *b, int n)
{
    tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(out, a, b, n);
    return cudaGetLastError();
}

cudaError_t run_softmax(float *out, const float *x, const float *, int n)
{
    softmax<<<n, 32>>>(out, x, n);
    return cudaGetLastError();
}
