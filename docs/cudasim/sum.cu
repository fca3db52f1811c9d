// sum.cu - the sum of 256 numbers by one block. The barrier in the loop is missing. On many cards
// the sum is still right, but cudasim reports the race.
//
//     build/cudasim run docs/cudasim/sum.cu

#include <cstdio>

__global__ void sum(float *out, const float *x)
{
    extern __shared__ float part[];
    int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half];
        }
        // __syncthreads() belongs here
    }
    if (t == 0) {
        *out = part[0];
    }
}

int main()
{
    float numbers[256], *x_dev, *out_dev, out;
    for (int i = 0; i < 256; i++) {
        numbers[i] = i;
    }
    cudaMalloc(&x_dev, sizeof numbers);
    cudaMalloc(&out_dev, sizeof out);
    cudaMemcpy(x_dev, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    sum<<<1, 256, sizeof numbers>>>(out_dev, x_dev);
    if (cudaMemcpy(&out, out_dev, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess) {
        printf("the sum is %g\n", out);
    }
    cudaFree(x_dev);
    cudaFree(out_dev);
}
