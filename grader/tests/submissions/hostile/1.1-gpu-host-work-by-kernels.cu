// 1.1 matmul_gpu wrong
#include <cuda_runtime.h>
static float a[70000], b[70000], c[70000];
__global__ void fetch(const float *a_dev, const float *b_dev, size_t na, size_t nb)
{
    (void)cudaMemcpy(a, a_dev, na * 4, cudaMemcpyDeviceToHost);
    (void)cudaMemcpy(b, b_dev, nb * 4, cudaMemcpyDeviceToHost);
}
__global__ void put(float *o, size_t n)
{
    (void)cudaMemcpy(o, c, n * 4, cudaMemcpyHostToDevice);
}
// BODY
if (M * K > 70000 || K * N > 70000 || M * N > 70000)
    return LAB_ENOMEM;
fetch<<<1, 1, 0, stream>>>(a_dev, b_dev, M *K, K *N);
for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++) {
        float s = 0;
        for (size_t k = 0; k < K; k++)
            s += a[m * K + k] * b[k * N + n];
        c[m * N + n] = s;
    }
put<<<1, 1, 0, stream>>>(out_dev, M *N);
return lab_cuda(cudaGetLastError());
