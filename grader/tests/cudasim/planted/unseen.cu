// unseen.cu - planted bugs (main.cu): what the simulator cannot find, with the reason.

#include "planted.h"

// The next variable lies directly behind this one, so the address is a valid one.
template <bool bug> __global__ void past_constant_pointer(float *y, const float *x)
{
    const float *weight = weights;
    float sum = 0;
    for (int i = 0; i < 5 + bug; i++) {
        sum += *weight++ * x[i];
    }
    y[threadIdx.x] = sum;
}

// Every access is right; half of the elements are not doubled.
template <bool bug> static void grid_too_small()
{
    float *x = numbers(N);
    doubles<<<bug ? 1 : 2, THREADS>>>(x, N);
    cudaGetLastError();
    cudaFree(x);
}

// Every shuffle is right; half of the lanes are not added.
template <bool bug> __global__ void half_a_reduction(float *y, const float *x)
{
    float sum = x[threadIdx.x];
    for (int h = bug ? 8 : 16; h > 0; h /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, h);
    }
    y[threadIdx.x] = sum;
}

// A thread's own variables are not tracked; g++ -Wall warns about most of them.
template <bool bug> __global__ void local_never_set(float *y, const float *x)
{
    volatile float sum;
    if (!bug) {
        sum = 0;
    }
    y[threadIdx.x] = sum + x[threadIdx.x];
}

// A copy is done when the call returns.
template <bool bug> static void source_changes_early()
{
    float *x_dev = unwritten(N), x[N] = {};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(x_dev, x, sizeof x, cudaMemcpyHostToDevice, stream);
    if (!bug) {
        cudaStreamSynchronize(stream);
    }
    x[0] = 1;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(x_dev);
}

// So is a launch, so two streams never overlap.
template <bool bug> static void streams_without_order()
{
    float *x = numbers(N);
    cudaStream_t stream[2];
    cudaStreamCreateWithFlags(&stream[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking);
    doubles<<<2, THREADS, 0, stream[0]>>>(x, N);
    if (!bug) {
        cudaStreamSynchronize(stream[0]);
    }
    doubles<<<2, THREADS, 0, stream[1]>>>(x, N);
    cudaGetLastError();
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream[0]);
    cudaStreamDestroy(stream[1]);
    cudaFree(x);
}

const struct planted unseen_planted[] = {
    KERNEL(past_constant_pointer, "-", 1, THREADS),
    PROGRAM(grid_too_small, "-"),
    KERNEL(half_a_reduction, "-", 1, THREADS),
    KERNEL(local_never_set, "-", 1, THREADS),
    PROGRAM(source_changes_early, "-"),
    PROGRAM(streams_without_order, "-"),
    {},
};
