// calls.cu - refused launches whose error nobody checks, and wrong calls.

#include <assert.h>

#include "tests/gpu/kernel_case.h"

__global__ void nothing(void)
{
}

__global__ void uses_shared(float *out)
{
    extern __shared__ float row[];
    row[threadIdx.x] = 1;
    out[threadIdx.x] = row[threadIdx.x];
}

static bool run_too_many_threads(void)
{
    nothing<<<1, 2048>>>(); // HERE too_many_threads
    return true;
}

static bool run_empty_grid(void)
{
    nothing<<<0, 32>>>(); // HERE empty_grid
    return true;
}

static bool run_grid_too_high(void)
{
    nothing<<<dim3(1, 70000), 32>>>(); // HERE grid_too_high
    return true;
}

static bool run_too_much_shared(void)
{
    uses_shared<<<1, 32, 60 << 10>>>(empty_dev(32)); // HERE too_much_shared
    return true;
}

static bool run_never_asked(void)
{
    nothing<<<1, 32>>>();
    nothing<<<2, 32>>>(); // HERE never_asked
    returns_ok();
    return true;
}

static bool run_asked_too_early(void)
{
    nothing<<<1, 32>>>();
    bool good = cudaGetLastError() == cudaSuccess;
    nothing<<<1, 32>>>(); // HERE asked_too_early
    returns_ok();
    return good;
}

__global__ void large_static(float *out)
{
    __shared__ float a[10 << 10];
    __shared__ float b[3 << 10]; // HERE static_too_large
    a[threadIdx.x] = b[threadIdx.x] = 1;
    out[threadIdx.x] = a[threadIdx.x];
}

static bool run_static_too_large(void)
{
    large_static<<<1, 32>>>(empty_dev(32));
    return no_error();
}

static bool run_copy_backwards(void)
{
    float host[4] = {1, 2, 3, 4};
    return cudaMemcpy(host, numbers_dev(4), sizeof host, cudaMemcpyHostToDevice) !=
           cudaSuccess;
}

static bool run_copy_too_much(void)
{
    float host[8] = {0};
    return cudaMemcpy(host, numbers_dev(4), sizeof host, cudaMemcpyDeviceToHost) !=
           cudaSuccess;
}

static bool run_double_free(void)
{
    float *x = numbers_dev(4);
    return cudaFree(x) == cudaSuccess && cudaFree(x) != cudaSuccess;
}

static bool run_free_host(void)
{
    float x[4];
    return cudaFree(x) != cudaSuccess;
}

__global__ void checks(float *out)
{
    assert(blockDim.x == 4); // HERE assertion
    out[threadIdx.x] = 0;
}

static bool run_assertion(void)
{
    checks<<<1, 5>>>(empty_dev(8));
    return no_error();
}

__global__ void divides(int *out, int n)
{
    out[threadIdx.x] = 7 / (n - (int)threadIdx.x); // HERE division_by_zero
}

static bool run_division(void)
{
    divides<<<1, 4>>>((int *)empty_dev(4), 2);
    return no_error();
}

// ---- what a launcher must not do ----------------------------------------------------------

__global__ void clears(float *out)
{
    out[threadIdx.x] = 0;
}

static bool run_other_stream(void)
{
    float *x = empty_dev(4);
    as_a_launcher();
    clears<<<1, 4>>>(x); // HERE other_stream
    return no_error();
}

static bool run_clears_on_stream_0(void)
{
    float *x = empty_dev(4);
    as_a_launcher();
    return cudaMemset(x, 0, 4) == cudaSuccess; // HERE clears_on_stream_0
}

static bool run_launcher_waits(void)
{
    cudaStream_t stream = as_a_launcher();
    return cudaStreamSynchronize(stream) == cudaSuccess; // HERE launcher_waits
}

static bool run_launcher_allocates(void)
{
    float *x = NULL;
    as_a_launcher();
    return cudaMalloc(&x, 16) == cudaSuccess; // HERE launcher_allocates
}

static bool run_launcher_copies(void)
{
    float *x = numbers_dev(4), y[4];
    cudaStream_t s = as_a_launcher();
    cudaError_t error;
    error = cudaMemcpyAsync(y, x, 16, cudaMemcpyDeviceToHost, s); // HERE launcher_copies
    return error == cudaSuccess;
}

const struct kernel_case call_cases[] = {
    {"other_stream", "wrong-stream", run_other_stream},
    {"clears_on_stream_0", "wrong-stream", run_clears_on_stream_0},
    {"launcher_waits", "launcher-waits", run_launcher_waits},
    {"launcher_allocates", "launcher-allocates", run_launcher_allocates},
    {"launcher_copies", "launcher-copies", run_launcher_copies},
    {"too_many_threads", "launch-unchecked", run_too_many_threads},
    {"empty_grid", "launch-unchecked", run_empty_grid},
    {"grid_too_high", "launch-unchecked", run_grid_too_high},
    {"too_much_shared", "launch-unchecked", run_too_much_shared},
    {"never_asked", "launch-unchecked", run_never_asked},
    {"asked_too_early", "launch-unchecked", run_asked_too_early},
    {"static_too_large", "shared-too-large", run_static_too_large},
    {"copy_backwards", "memcpy-direction", run_copy_backwards},
    {"copy_too_much", "memcpy-bounds", run_copy_too_much},
    {"double_free", "double-free", run_double_free},
    {"free_host", "invalid-free", run_free_host},
    {"assertion", "assert", run_assertion},
    {"division_by_zero", "division", run_division},
    {NULL, NULL, NULL},
};
