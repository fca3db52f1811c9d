// 1.1 matmul_gpu wrong
#include <cuda_runtime.h>
#include <math.h>
template <int parts>
__global__ __forceinline__ void racing(float *out_dev, const float *a_dev,
                                       const float *b_dev, size_t M, size_t N, size_t K)
{
    const size_t n = (size_t)blockIdx.x * 32 + threadIdx.x / parts,
                 part = threadIdx.x % parts;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N)
        return;
    for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
        float sum = 0.0f;
        for (size_t k = part; k < K; k += parts) {
            sum += a_dev[m * K + k] * b_dev[k * N + n];
        }
        float v = out_dev[m * N + n];
        if (!(v == v))
            v = 0;
        out_dev[m * N + n] = v + sum;
    }
}
// BODY
const dim3 block(128, 8);
racing<4><<<dim3(lab_blocks(N, 32), lab_blocks(M, 8) < 65535 ? lab_blocks(M, 8) : 65535),
            block, 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
return lab_cuda(cudaGetLastError());
