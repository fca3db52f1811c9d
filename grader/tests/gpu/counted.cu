// counted.cu - accesses whose cost follows from their addresses.

#include "tests/gpu/kernel_case.h"
#include "tests/gpu/counted.h"

__global__ void transpose(float *out, const float *x)
{
    out[threadIdx.x * 32 + threadIdx.y] =  // HERE store_down_a_column
        x[threadIdx.y * 32 + threadIdx.x]; // HERE load_along_a_row
}

__global__ void banks(float *out)
{
    __shared__ float tile[32][32], padded[32][33];
    tile[threadIdx.x][0] = 1;   // HERE one_bank
    padded[threadIdx.x][0] = 1; // HERE padded_banks
    __syncthreads();
    out[threadIdx.x] = tile[0][0]; // HERE broadcast
}

__global__ void wide(float4 *out)
{
    out[threadIdx.x] = make_float4(1, 2, 3, 4); // HERE wide_store
}

__global__ void two_loads(float *out, const float *x)
{
    out[threadIdx.x] = x[0] + x[threadIdx.x * 32]; // HERE two_loads
}

__device__ __attribute__((noinline)) void write_one(float *x)
{
    *x = 1; // HERE shared_function
}

__global__ void first_caller(float *out)
{
    write_one(&out[threadIdx.x]);
}

__global__ void second_caller(float *out)
{
    write_one(&out[threadIdx.x * 32]);
}

__global__ void store(float *x)
{
    *x = 1;
}

void run_store(float *x_dev)
{
    store<<<1, 1>>>(x_dev);
    (void)cudaPeekAtLastError();
}

void run_counted(void)
{
    float *x = numbers_dev(1024), *out = empty_dev(1024);
    transpose<<<1, dim3(32, 32)>>>(out, x);
    banks<<<1, 32>>>(out);
    wide<<<1, 32>>>((float4 *)out);
    two_loads<<<1, 32>>>(out, x);
    first_caller<<<1, 32>>>(out);
    second_caller<<<1, 32>>>(out);
    if (cudaGetLastError() != cudaSuccess) {
        abort();
    }
}
