// 1.1 matmul_gpu memcpy-bounds
#include <cuda_runtime.h>
__device__ float window[1];
// BODY
if (M * K > 4)
    return lab_cuda(cudaMemcpyAsync(window, a_dev, M *K * sizeof(float),
                                    cudaMemcpyDeviceToDevice, stream));
const dim3 block(32, 8);
matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M, N,
                                                           K);
return lab_cuda(cudaGetLastError());
