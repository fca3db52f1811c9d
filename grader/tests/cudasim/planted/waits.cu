// waits.cu - planted bugs (main.cu): barriers, warps, and grids that wait.

#include "planted.h"

#include <cstdio>

#include <cooperative_groups.h>

// ---- barriers and warps --------------------------------------------------------------------

template <bool bug> __global__ void barrier_in_if(float *y, const float *x)
{
    __shared__ float s[THREADS];
    s[threadIdx.x] = x[threadIdx.x];
    if (!bug || threadIdx.x < 40) {
        __syncthreads(); // BUG barrier_in_if
    }
    y[threadIdx.x] = s[threadIdx.x];
}

template <bool bug> __global__ void early_return(float *y, const float *x)
{
    __shared__ float s[THREADS];
    if (bug && threadIdx.x >= 50) {
        return;
    }
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // BUG early_return
    y[threadIdx.x] = s[threadIdx.x];
}

template <bool bug> __global__ void two_barriers(float *y, const float *x)
{
    if (!bug || threadIdx.x < 32) {
        y[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
    } else {
        __syncthreads(); // BUG two_barriers
    }
}

template <bool bug> __global__ void different_turns(float *y, const float *x)
{
    const int turns = bug ? 1 + threadIdx.x / 32 : 2;
    for (int i = 0; i < turns; i++) {
        y[threadIdx.x] = x[i];
        __syncthreads(); // BUG different_turns
    }
}

template <bool bug> __global__ void shuffle_in_if(float *y, const float *x)
{
    float v = x[threadIdx.x];
    if (!bug || threadIdx.x < 16) {
        v += __shfl_down_sync(0xffffffff, v, 8); // BUG shuffle_in_if
    }
    y[threadIdx.x] = v;
}

template <bool bug> __global__ void not_in_the_mask(float *y, const float *x)
{
    float v = x[threadIdx.x];
    v += __shfl_xor_sync(bug ? 0xffff : 0xffffffff, v, 1); // BUG not_in_the_mask
    y[threadIdx.x] = v;
}

template <bool bug> __global__ void no_such_lane(float *y, const float *x)
{
    float v = x[threadIdx.x];
    const int down = threadIdx.x < 12 || bug ? 8 : 0; // of 20 lanes
    v += __shfl_down_sync(0xfffff, v, down);          // BUG no_such_lane
    y[threadIdx.x] = v;
}

template <bool bug> __global__ void two_shuffles(float *y, const float *x)
{
    float v = x[threadIdx.x];
    if (bug && threadIdx.x % 2 == 0) {
        v += __shfl_xor_sync(0xffffffff, v, 2); // BUG two_shuffles
    } else if (!bug || threadIdx.x % 2 == 1) {
        v += __shfl_down_sync(0xffffffff, v, 2);
    }
    y[threadIdx.x] = v;
}

template <bool bug> __global__ void past_the_heap(float *y, const float *x)
{
    float *mine = new float[2];
    mine[0] = x[threadIdx.x];
    mine[1 + bug] = x[threadIdx.x + 1]; // BUG past_the_heap
    y[threadIdx.x] = mine[0];
    delete[] mine;
}

// ---- grids that wait -----------------------------------------------------------------------

template <bool bug> __global__ void reads_all_parts(float *y, const float *x)
{
    if (threadIdx.x == 0) {
        y[blockIdx.x] = x[blockIdx.x]; // BUG no_grid_sync
    }
    if (!bug) {
        cooperative_groups::this_grid().sync();
    } else {
        __syncthreads();
    }
    float sum = 0;
    for (int b = 0; b < (int)gridDim.x; b++) {
        sum += y[b];
    }
    y[gridDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <bool bug> __global__ void leaves_early(float *y, const float *x)
{
    if (bug && blockIdx.x == 2) {
        return;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x];
    cooperative_groups::this_grid().sync(); // BUG block_returns
}

__global__ void waits_for_the_grid()
{
    cooperative_groups::this_grid().sync(); // BUG not_cooperative
}

static void launch_together(kernel_of_two *kernel)
{
    float *y = numbers(1024), *x = numbers(1024);
    void *arguments[] = {&y, &x};
    if (cudaLaunchCooperativeKernel(kernel, 4, THREADS, arguments) != cudaSuccess) {
        printf("the launch failed\n");
    }
    cudaFree(x);
    cudaFree(y);
}

template <bool bug> static void no_grid_sync()
{
    launch_together(reads_all_parts<bug>);
}

template <bool bug> static void block_returns()
{
    launch_together(leaves_early<bug>);
}

template <bool bug> static void not_cooperative()
{
    if (bug) {
        waits_for_the_grid<<<2, 32>>>();
    } else {
        cudaLaunchCooperativeKernel(waits_for_the_grid, 2, 32, NULL);
    }
}

const struct planted waits_planted[] = {
    KERNEL(barrier_in_if, "barrier-missed", 1, THREADS),
    KERNEL(early_return, "barrier-missed", 1, THREADS),
    KERNEL(two_barriers, "barrier-divergent", 1, THREADS),
    KERNEL(different_turns, "barrier-missed", 1, THREADS),
    KERNEL(shuffle_in_if, "warp-inactive", 1, THREADS),
    KERNEL(not_in_the_mask, "warp-mask", 1, THREADS),
    KERNEL(no_such_lane, "warp-inactive", 1, 20),
    KERNEL(two_shuffles, "warp-divergent", 1, THREADS),
    KERNEL(past_the_heap, "out-of-bounds", 1, THREADS),
    PROGRAM(no_grid_sync, "race-global"),
    PROGRAM(block_returns, "barrier-missed"),
    PROGRAM(not_cooperative, "grid-sync"),
    {},
};
