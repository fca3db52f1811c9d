// barriers.cu - barriers that not every thread reaches.

#include "tests/gpu/kernel_case.h"

__global__ void conditional(float *out, int n)
{
    if (threadIdx.x < n) {
        out[threadIdx.x] = 1;
        __syncthreads(); // HERE barrier_in_a_condition
    }
}

static bool run_conditional(void)
{
    conditional<<<1, 64>>>(empty_dev(64), 40);
    return no_error();
}

__global__ void early_return(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    out[i] = 1;
    __syncthreads(); // HERE return_before_a_barrier
    out[i] += 1;
}

static bool run_early_return(void)
{
    early_return<<<2, 32>>>(empty_dev(64), 50);
    return no_error();
}

__global__ void two_barriers(float *out)
{
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = 1;
        __syncthreads(); // HERE two_barriers
    } else {
        out[threadIdx.x] = 2;
        __syncthreads(); // THERE two_barriers
    }
}

static bool run_two_barriers(void)
{
    two_barriers<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// One thread goes round the loop once more than the others.
__global__ void uneven_loop(float *out)
{
    for (int i = 0; i <= (threadIdx.x == 5); i++) {
        __syncthreads(); // HERE uneven_loop
    }
    out[threadIdx.x] = 0;
}

static bool run_uneven_loop(void)
{
    uneven_loop<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// Threads that skip the barrier read what the waiting ones have written.
__global__ void skipped(float *out, int n)
{
    __shared__ float tile[64];
    if (threadIdx.x < n) {
        tile[threadIdx.x] = 1; // THERE skipped_barrier
        __syncthreads();
    }
    out[threadIdx.x] = tile[threadIdx.x / 2]; // HERE skipped_barrier
}

static bool run_skipped(void)
{
    skipped<<<1, 64>>>(empty_dev(64), 40);
    return no_error();
}

const struct kernel_case barrier_cases[] = {
    {"barrier_in_a_condition", "barrier-missed", run_conditional},
    {"return_before_a_barrier", "barrier-missed", run_early_return},
    {"two_barriers", "barrier-divergent", run_two_barriers},
    {"uneven_loop", "barrier-missed", run_uneven_loop},
    {"skipped_barrier", "race-shared", run_skipped},
    {NULL, NULL, NULL},
};
