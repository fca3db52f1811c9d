// where.cu - kernels to interrupt at every instruction (test_gpu_where.c).

#include "tests/gpu/kernel_case.h"
#include "tests/gpu/where.h"

// Threads that wait for one another all the time.
__global__ void meetings(float *out)
{
    float sum = 0;
    for (int i = 0; i < 2; i++) { // BEGIN meetings
        __syncthreads();
        sum += __shfl_sync(0xffffffff, (float)i, 0);
        __syncwarp();
    } // END meetings
    out[threadIdx.x] = sum;
}

// Threads that begin and end, one after another.
__global__ void one_by_one(float *out)
{
    out[threadIdx.x] = 1;
}

void run_meetings(void)
{
    meetings<<<1, 32>>>(empty_dev(64));
    (void)cudaGetLastError();
}

void run_one_by_one(void)
{
    one_by_one<<<1, 32>>>(empty_dev(64));
    (void)cudaGetLastError();
}
