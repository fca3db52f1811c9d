// 1.1 matmul_kernel crash
#include <cuda_runtime.h>
// Nothing hostile: pairs with their own operator +, and the last two are past the end of the matrix.
struct pair {
    float a, b;
};
static __device__ pair operator+(pair x, pair y)
{
    pair sum = {x.a + y.a, x.b + y.b};
    return sum;
}
static __device__ float total(pair x)
{
    return x.a + x.b;
}
// BODY
const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
if (n >= N) {
    return;
}
for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    const pair *pairs = (const pair *)a_dev;
    pair zero = {0, 0};
    pair beyond = zero + pairs[M * K / 2 + 1] + pairs[M * K / 2 + 2];
    out_dev[m * N + n] = sum + (total(beyond) == 1e30f ? total(zero) : 0);
}
