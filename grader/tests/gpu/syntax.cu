// syntax.cu - CUDA as people write it: every form must compile and run here as with nvcc.

#include <assert.h>

#include "tests/gpu/kernel_case.h"

#define DIVIDE_UP(a, b) (((a) + (b)-1) / (b))

// ---- templates, and shared memory that depends on them -------------------------------------

template <typename T, int n> struct pair_of {
    T values[n];
};

template <typename T, int n>
__global__ void __launch_bounds__(64)
    templated(T *out, const T *__restrict__ x, size_t count)
{
    __shared__ T tile[n], other[n + 1];
    __shared__ pair_of<T, 2> pairs[n];
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < count ? x[i] : T(0);
    other[threadIdx.x + 1] = T(1);
    pairs[threadIdx.x].values[1] = T(2);
    __syncthreads();
    if (i < count) {
        out[i] =
            tile[threadIdx.x] + other[threadIdx.x + 1] + pairs[threadIdx.x].values[1];
    }
}

template <int n> static void launch_templated(float *out, const float *x, size_t count)
{
    constexpr int threads = n;
    templated<float, threads><<<DIVIDE_UP(count, threads), // several lines
                                threads>>>(out, x, count);
}

static bool run_templated(void)
{
    float *out = empty_dev(100);
    launch_templated<32>(out, numbers_dev(100), 100);
    return no_error() && value_at(out, 99) == 102;
}

// ---- namespaces, overloads, lambdas, constants ----------------------------------------------

namespace inner
{
static __device__ __constant__ float scale[2];
__device__ const float offsets[] = {1, 2, 3, 4};

__device__ __forceinline__ float apply(float x)
{
    return scale[1] * x;
}
__host__ __device__ inline int twice(int x)
{
    return 2 * x;
}
static __global__ void mapped(float *out, int n)
{
    const auto index = [=](int i) { return i % n; };
    out[threadIdx.x] = apply(offsets[index((int)threadIdx.x)]) + twice(1);
}
} // namespace inner

static bool run_namespaces(void)
{
    const float scale[] = {0, 10};
    float *out = empty_dev(8);
    bool good = cudaMemcpyToSymbol(inner::scale, scale, sizeof scale) == cudaSuccess;
    inner::mapped<<<1, 8>>>(out, 4);
    return good && no_error() && value_at(out, 5) == 22;
}

// ---- two dimensions, dim3, dynamic shared memory of another type ----------------------------

extern __shared__ unsigned char bytes[];

__global__ void planes(float *out, dim3 shape)
{
    float *row = reinterpret_cast<float *>(bytes);
    const unsigned i =
        threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
    row[i] = blockIdx.z * 100 + blockIdx.y * 10 + blockIdx.x;
    __syncthreads();
    const dim3 size = blockDim;
    if (i == 0 && size.x == shape.x) {
        const unsigned block =
            (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        out[block] = row[size.x * size.y * size.z - 1];
    }
}

static bool run_planes(void)
{
    cudaStream_t stream;
    float *out = empty_dev(24);
    dim3 grid(2, 3, 4), block = {4, 2, 2};
    bool good = cudaStreamCreate(&stream) == cudaSuccess;
    planes<<<grid, block, 16 * sizeof(float), stream>>>(out, block);
    good = good && cudaStreamSynchronize(stream) == cudaSuccess;
    good = good && cudaStreamDestroy(stream) == cudaSuccess;
    return good && no_error() && value_at(out, 23) == 321;
}

// ---- functions of the device ----------------------------------------------------------------

__global__ void functions(float *out)
{
    const int lane = threadIdx.x & (warpSize - 1);
    const unsigned even = __ballot_sync(0xffffffffu, lane % 2 == 0);
    float v = __shfl_up_sync(0xffffffffu, (float)lane, 1);
    const double d = __shfl_sync(0xffffffffu, 0.5 + lane, 3, 8);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        v += rsqrtf(4.0f) + __expf(0.0f) + fmaxf(1.0f, NAN) + __fdividef(1.0f, 2.0f);
    }
    v += max(2, 3) + min(2u, 3) + __popc(even) + __ffs(8) + __clz(1) + abs(-1.5f);
    if (__any_sync(0xffffffffu, lane == 7) && __all_sync(0xffffffffu, lane < 32)) {
        v += (float)d;
    }
    v += __reduce_add_sync(0xffffffffu, 1u) + __syncthreads_count(lane < 4);
    const float2 two = make_float2(v, 1);
    out[threadIdx.x] = two.x + two.y + __int_as_float(__float_as_int(0.0f));
    if (lane == 31) {
        assert(isfinite(v));
    }
}

static bool run_functions(void)
{
    float *out = empty_dev(64);
    functions<<<1, 64>>>(out);
    // 2 * (0.5 + 1 + 1 + 0.5) + 3 + 2 + 16 + 4 + 31 + 1.5 + 32 + 8 + 1, and by lane
    return no_error() && value_at(out, 9) == 6 + 98.5f + 8 + 11.5f &&
           value_at(out, 33) == 6 + 98.5f + 0 + 3.5f;
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1);
    atomicSub(i + 1, 1);
    atomicMax(u, threadIdx.x);
    atomicOr(u + 1, 1u << threadIdx.x % 4);
    atomicAdd(l, 2ull);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    int old = i[2], seen;
    do { // the way to make any atomic of atomicCAS
        seen = old;
        old = atomicCAS(&i[2], seen, seen + 3);
    } while (old != seen);
}

static bool run_atomics(void)
{
    float *f = empty_dev(16);
    bool good = cudaMemset(f, 0, 64) == cudaSuccess;
    int *i = (int *)empty_dev(4), host[4] = {0};
    good = good && cudaMemset(i, 0, sizeof host) == cudaSuccess;
    atomics<<<1, 1>>>(i, (unsigned *)(f + 4), (unsigned long long *)(f + 6), f,
                      (double *)(f + 8));
    good = good && no_error();
    good =
        good && cudaMemcpy(host, i, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
    return good && host[0] == 1 && host[1] == -1 && host[2] == 3 &&
           value_at(f, 0) == 0.5f;
}

// ---- structures by value -------------------------------------------------------------------

template <int n>
__global__ void scaled_pairs(pair_of<float, n> *out, pair_of<float, n> by)
{
    pair_of<float, n> mine = out[threadIdx.x];
    for (int i = 0; i < n; i++) {
        mine.values[i] *= by.values[i];
    }
    out[threadIdx.x] = mine;
}

__global__ void plain_pairs(pair_of<float, 2> *out, pair_of<float, 2> by)
{
    out[threadIdx.x].values[1] += by.values[1];
}

static bool run_structures(void)
{
    auto *pairs = (pair_of<float, 2> *)numbers_dev(8);
    const pair_of<float, 2> by = {{2, 3}};
    scaled_pairs<2><<<1, 4>>>(pairs, by);
    plain_pairs<<<1, 4>>>(pairs, by);
    float out[8];
    return no_error() &&
           cudaMemcpy(out, pairs, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess &&
           out[6] == 12 && out[7] == 24;
}

const struct kernel_case syntax_cases[] = {
    {"templates", NULL, run_templated},
    {"namespaces", NULL, run_namespaces},
    {"three_dimensions", NULL, run_planes},
    {"device_functions", NULL, run_functions},
    {"atomics", NULL, run_atomics},
    {"structures", NULL, run_structures},
    {NULL, NULL, NULL},
};
