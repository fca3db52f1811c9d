// calls.cu - planted bugs (main.cu): calls, launches and stacks.

#include "planted.h"

#include <cassert>
#include <cstdio>
#include <thread>

template <bool bug> static void use_after_free()
{
    float *x = numbers(N);
    if (bug) {
        cudaFree(x);
    }
    doubles<<<2, THREADS>>>(x, N);
    cudaGetLastError();
    if (!bug) {
        cudaFree(x);
    }
}

template <bool bug> static void double_free()
{
    float *x = numbers(N);
    cudaFree(x);
    if (bug) {
        cudaFree(x); // BUG double_free
    }
}

template <bool bug> static void frees_the_middle()
{
    float *x = numbers(N);
    cudaFree(x + (bug ? 10 : 0)); // BUG frees_the_middle
}

template <bool bug> static void leak()
{
    float *x;
    cudaMalloc(&x, N); // BUG leak
    if (!bug) {
        cudaFree(x);
    }
}

template <bool bug> static void never_allocated()
{
    float *x = bug ? NULL : numbers(N);
    doubles<<<2, THREADS>>>(x, N);
    cudaGetLastError();
    cudaFree(x);
}

template <bool bug> static void hosts_pointer()
{
    float *x_dev = numbers(N), x[N] = {};
    doubles<<<2, THREADS>>>(bug ? x : x_dev, N);
    cudaGetLastError();
    cudaFree(x_dev);
}

template <bool bug> static void devices_pointer()
{
    float *x_dev = numbers(N), x[N] = {};
    float *from = bug ? x_dev : x;
    printf("%g\n", from[0]); // BUG devices_pointer
    cudaFree(x_dev);
}

template <bool bug> static void copies_too_much()
{
    float *x_dev = numbers(N), x[N + 1] = {};
    const size_t bytes = (N + bug) * sizeof(float);
    cudaMemcpy(x, x_dev, bytes, cudaMemcpyDeviceToHost); // BUG copies_too_much
    cudaFree(x_dev);
}

template <bool bug> static void wrong_direction()
{
    float *x_dev = numbers(N), x[N] = {};
    const cudaMemcpyKind kind = bug ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaMemcpy(x, x_dev, sizeof x, kind); // BUG wrong_direction
    cudaFree(x_dev);
}

template <bool bug> static void sets_too_much()
{
    float *x = numbers(N);
    cudaMemset(x, 0, (N + bug) * sizeof(float)); // BUG sets_too_much
    cudaFree(x);
}

template <bool bug> static void symbol_too_small()
{
    float w[6] = {};
    cudaMemcpyToSymbol(weights, w, (5 + bug) * sizeof(float)); // BUG symbol_too_small
}

template <bool bug> static void too_many_threads()
{
    float *x = numbers(N);
    doubles<<<1, bug ? 2048 : 1024>>>(x, N); // BUG too_many_threads
    cudaFree(x);
}

template <bool bug> static void empty_grid()
{
    float *x = numbers(N);
    doubles<<<bug ? N / 128 : (N + 127) / 128, 128>>>(x, N); // BUG empty_grid
    cudaFree(x);
}

__global__ void much_shared()
{
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x] = 0; // BUG no_shared_memory
}

template <bool bug> static void no_opt_in()
{
    if (!bug) {
        cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             96 << 10);
    }
    much_shared<<<1, 32, 96 << 10>>>(); // BUG no_opt_in
}

template <bool bug> static void no_shared_memory()
{
    much_shared<<<1, 32, bug ? 0 : 128>>>();
    cudaGetLastError();
}

template <bool bug> __global__ void divides(float *y, const float *x)
{
    y[threadIdx.x] = (float)(10 / ((int)x[threadIdx.x] + !bug)); // BUG divides
}

template <bool bug> __global__ void asserts(float *y, const float *x)
{
    assert(!bug || x[threadIdx.x] < 3); // BUG asserts
    y[threadIdx.x] = x[threadIdx.x];
}

__device__ float descend(float x, int depth)
{ // BUG deep
    volatile char room[4096];
    room[depth % 4096] = (char)x;
    return depth == 0 ? x : descend(x, depth - 1) + room[depth % 4096];
}

template <bool bug> __global__ void deep(float *y, const float *x)
{
    y[threadIdx.x] = descend(x[0], bug ? 100 : 2);
}

template <bool bug> __global__ void local_of_another(float *y, const float *x)
{
    __shared__ const float *first;
    float own = x[threadIdx.x];
    if (threadIdx.x == 0) {
        first = bug ? &own : &x[0];
    }
    __syncthreads();
    y[threadIdx.x] = own + *first; // BUG local_of_another
}

// A launch by another host thread.
template <bool bug> static void deep_elsewhere()
{
    std::thread([] { launch(deep<bug>, 1, THREADS); }).join();
}

__global__ void just_a_function(float *x)
{ // BUG not_launched
    x[threadIdx.x] = 1;
}

// nvcc takes this call, and a card does nothing.
template <bool bug> static void not_launched()
{
    void (*kernel)(float *) = just_a_function;
    float *x = unwritten(THREADS);
    if (bug) {
        kernel(x);
    } else {
        kernel<<<1, THREADS>>>(x);
    }
    cudaGetLastError();
    cudaFree(x);
}

const struct planted calls_planted[] = {
    MARKED(use_after_free, "use-after-free", "in_doubles"),
    PROGRAM(double_free, "double-free"),
    PROGRAM(frees_the_middle, "invalid-free"),
    PROGRAM(leak, "leak"),
    MARKED(never_allocated, "null-pointer", "in_doubles"),
    MARKED(hosts_pointer, "host-pointer", "in_doubles"),
    PROGRAM(devices_pointer, "device-pointer"),
    PROGRAM(copies_too_much, "memcpy-bounds"),
    PROGRAM(wrong_direction, "memcpy-direction"),
    PROGRAM(sets_too_much, "memcpy-bounds"),
    PROGRAM(symbol_too_small, "memcpy-bounds"),
    PROGRAM(too_many_threads, "launch-unchecked"),
    PROGRAM(empty_grid, "launch-unchecked"),
    PROGRAM(no_opt_in, "launch-unchecked"),
    PROGRAM(no_shared_memory, "out-of-bounds"),
    KERNEL(divides, "division", 1, THREADS),
    KERNEL(asserts, "assert", 1, THREADS),
    KERNEL(local_of_another, "host-pointer", 1, THREADS),
    KERNEL(deep, "stack-overflow", 1, THREADS),
    MARKED(deep_elsewhere, "stack-overflow", "deep"),
    PROGRAM(not_launched, "not-launched"),
    {},
};
