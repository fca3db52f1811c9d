// fine.cu - correct programs, many of which only look like races.

#include "tests/gpu/kernel_case.h"

enum { TILE = 8 };

// The tiled product with both barriers, odd sizes, and the ragged edge filled with zeros.
__global__ void tiled(float *out, const float *a, const float *b, int M, int N, int K)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE + 1];
    const int y = threadIdx.y, x = threadIdx.x;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < K; k += TILE) {
        a_tile[y][x] = row < M && k + x < K ? a[row * K + k + x] : 0.0f;
        b_tile[y][x] = column < N && k + y < K ? b[(k + y) * N + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < M && column < N) {
        out[row * N + column] = sum;
    }
}

static bool run_tiled(void)
{
    enum { M = 13, N = 9, K = 11 };
    float *out = empty_dev(M * N);
    tiled<<<dim3(lab_blocks(N, TILE), lab_blocks(M, TILE)), dim3(TILE, TILE)>>>(
        out, numbers_dev(M * K), numbers_dev(K * N), M, N, K);
    float expected = 0;
    for (int k = 0; k < K; k++) {
        expected += (float)(12 * K + k) * (float)(k * N + 8);
    }
    return no_error() && value_at(out, 12 * N + 8) == expected;
}

// Two tiles that take turns need one barrier in each round instead of two.
__global__ void double_buffered(float *out, const float *x, int rounds)
{
    __shared__ float tile[2][32];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        tile[r % 2][threadIdx.x] = x[r * 32 + threadIdx.x];
        __syncthreads();
        sum += tile[r % 2][31 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

static bool run_double_buffered(void)
{
    float *out = empty_dev(32);
    double_buffered<<<1, 32>>>(out, numbers_dev(96), 3);
    return no_error() && value_at(out, 0) == 31 + 63 + 95;
}

// Warp-synchronous code, written correctly.
__global__ void warp_sum(float *out, const float *x)
{
    __shared__ float part[64];
    const int lane = threadIdx.x % 32;
    part[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        float other = lane < step ? part[threadIdx.x + step] : 0.0f;
        __syncwarp();
        if (lane < step) {
            part[threadIdx.x] += other;
        }
        __syncwarp();
    }
    if (lane == 0) {
        out[threadIdx.x / 32] = part[threadIdx.x];
    }
}

static bool run_warp_sum(void)
{
    float *out = empty_dev(2);
    warp_sum<<<1, 64>>>(out, numbers_dev(64));
    return no_error() && value_at(out, 1) == (32 + 63) * 16;
}

// The two halves of a warp take different branches, each with its own mask.
__global__ void half_warps(float *out)
{
    __shared__ float part[32];
    const int lane = threadIdx.x;
    const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    if (lane < 16) {
        part[lane] = lane;
        __syncwarp(mask);
        out[lane] = part[15 - lane];
    } else {
        part[lane] = 2 * lane;
        __syncwarp(mask);
        out[lane] = part[47 - lane] + __shfl_xor_sync(mask, (float)lane, 1);
    }
}

static bool run_half_warps(void)
{
    float *out = empty_dev(32);
    half_warps<<<1, 32>>>(out);
    return no_error() && value_at(out, 0) == 15 && value_at(out, 16) == 62 + 17;
}

// One block per row: shuffles within a warp, shared memory between warps.
__device__ float warp_max(float v)
{
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, step));
    }
    return v;
}

__global__ void row_max(float *out, const float *x, int n)
{
    __shared__ float best[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        v = fmaxf(v, x[blockIdx.x * n + i]);
    }
    v = warp_max(v);
    if (lane == 0) {
        best[warp] = v;
    }
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? best[lane] : -INFINITY;
        v = warp_max(v);
        if (lane == 0) {
            out[blockIdx.x] = v;
        }
    }
}

static bool run_row_max(void)
{
    float *out = empty_dev(3);
    row_max<<<3, 96>>>(out, numbers_dev(3 * 130), 130);
    return no_error() && value_at(out, 2) == 389;
}

__global__ void histogram(int *count, const float *x, int n)
{
    __shared__ int mine[4];
    if (threadIdx.x < 4) {
        mine[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[(int)x[i] % 4], 1);
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        atomicAdd(&count[threadIdx.x], mine[threadIdx.x]);
    }
}

static bool run_histogram(void)
{
    int *count_dev = (int *)empty_dev(4), count[4] = {0};
    bool good = cudaMemset(count_dev, 0, sizeof count) == cudaSuccess;
    histogram<<<3, 40>>>(count_dev, numbers_dev(203), 203);
    good = good && no_error();
    good = good && cudaMemcpy(count, count_dev, sizeof count, cudaMemcpyDeviceToHost) ==
                       cudaSuccess;
    return good && count[0] == 51 && count[2] == 51 && count[3] == 50;
}

// The last block to finish adds up: write, fence, atomic.
static __device__ unsigned arrived;
__global__ void last_block(float *out, float *part, const float *x)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++) {
            sum += part[i];
        }
        *out = sum;
        arrived = 0;
    }
}

static bool run_last_block(void)
{
    float *out = empty_dev(1);
    const unsigned none = 0;
    bool good = cudaMemcpyToSymbol(arrived, &none, sizeof none) == cudaSuccess;
    last_block<<<5, 32>>>(out, empty_dev(5), numbers_dev(5));
    return good && no_error() && value_at(out, 0) == 10;
}

// Neighboring bytes of one word, each with its own thread.
__global__ void bytes(unsigned char *mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        mask[i] = i % 2;
    }
}

static bool run_bytes(void)
{
    unsigned char *mask_dev = (unsigned char *)empty_dev(3), mask[10];
    bytes<<<4, 3>>>(mask_dev, 10);
    return no_error() &&
           cudaMemcpy(mask, mask_dev, sizeof mask, cudaMemcpyDeviceToHost) ==
               cudaSuccess &&
           mask[9] == 1 && mask[8] == 0;
}

// Threads without work may return if no barrier follows.
__global__ void guarded(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    out[i] = 2 * x[i];
}

static bool run_guarded(void)
{
    float *out = empty_dev(100);
    guarded<<<2, 64>>>(out, numbers_dev(100), 100);
    return no_error() && value_at(out, 99) == 198;
}

// A barrier may be inside a condition that has the same value for the whole block.
__global__ void uniform_condition(float *out, int n)
{
    __shared__ float value;
    if (blockIdx.x < n) {
        if (threadIdx.x == 0) {
            value = blockIdx.x;
        }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = value;
    }
}

static bool run_uniform_condition(void)
{
    float *out = empty_dev(64);
    uniform_condition<<<3, 32>>>(out, 2);
    return no_error() && value_at(out, 63) == 1;
}

static __constant__ float weights[4];
__global__ void constants(float *out)
{
    const float4 v = make_float4(weights[0], weights[1], weights[2], weights[3]);
    ((float4 *)out)[threadIdx.x] = v;
}

static bool run_constants(void)
{
    const float w[4] = {1, 2, 3, 4};
    float *out = empty_dev(8);
    bool good = cudaMemcpyToSymbol(weights, w, sizeof w) == cudaSuccess;
    constants<<<1, 2>>>(out);
    return good && no_error() && value_at(out, 6) == 3;
}

// A refused launch is not a finding if the program checks the error and returns it.
static bool run_asks(void)
{
    guarded<<<1, 2048>>>(NULL, NULL, 0);
    return cudaGetLastError() == cudaErrorInvalidConfiguration &&
           cudaGetLastError() == cudaSuccess;
}

// CUDA keeps an error until it is fetched, so one check after the last launch covers all.
static bool run_asks_once(void)
{
    const float w[4] = {1, 2, 3, 4};
    float *out = empty_dev(8);
    bool good = cudaMemcpyToSymbol(weights, w, sizeof w) == cudaSuccess;
    constants<<<1, 2>>>(out);
    constants<<<1, 2>>>(out);
    good = good && cudaPeekAtLastError() == cudaSuccess;
    returns_ok();
    return good;
}

// More than 48 KiB, after asking for it.
__global__ void large(float *out)
{
    extern __shared__ float row[];
    row[threadIdx.x + (14 << 10)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = row[31 - threadIdx.x + (14 << 10)];
}

static bool run_large(void)
{
    float *out = empty_dev(32);
    const int bytes = 60 << 10;
    bool good = cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     bytes) == cudaSuccess;
    large<<<1, 32, bytes>>>(out);
    return good && no_error() && value_at(out, 0) == 31;
}

template <int N> __global__ void large_template(float *out)
{
    extern __shared__ float row[];
    row[threadIdx.x + (N << 10)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = row[31 - threadIdx.x + (N << 10)];
}

static bool run_large_template(void)
{
    float *out = empty_dev(32);
    const int bytes = 60 << 10;
    bool good = cudaFuncSetAttribute(large_template<14>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     bytes) == cudaSuccess;
    large_template<14><<<1, 32, bytes>>>(out);
    return good && no_error() && value_at(out, 0) == 31;
}

// A barrier made by hand: the last block to arrive releases the others.
__global__ void waits_for_all(int *count, float *out)
{
    out[threadIdx.x] = 1;
    __threadfence_block();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < (int)blockDim.x) {
    }
    out[threadIdx.x + blockDim.x] = out[blockDim.x - 1 - threadIdx.x] + 1;
}

static bool run_waits_for_all(void)
{
    float *out = empty_dev(8);
    int *count = (int *)empty_dev(1);
    bool good = cudaMemset(count, 0, sizeof *count) == cudaSuccess;
    waits_for_all<<<1, 4>>>(count, out);
    return good && no_error() && value_at(out, 7) == 2;
}

// More __syncwarp in one interval than a cell's lane clock can count.
__global__ void hands_around(float *out)
{
    __shared__ float ring[64];
    const int warp = threadIdx.x / 32 * 32, next = warp + (threadIdx.x + 1) % 32;
    ring[threadIdx.x] = threadIdx.x % 32;
    for (int round = 0; round < 1000; round++) {
        __syncwarp();
        const float taken = ring[next];
        __syncwarp();
        ring[threadIdx.x] = taken;
    }
    __syncthreads();
    out[threadIdx.x] = ring[63 - threadIdx.x];
}

static bool run_hands_around(void)
{
    float *out = empty_dev(64);
    hands_around<<<1, 64>>>(out);
    return no_error() && value_at(out, 0) == (31 + 1000) % 32;
}

// A maximum of floats, as the CUDA guide makes any atomic: the swap fails if the value read was old.
__device__ static void raise(float *to, float value)
{
    int *bits = (int *)to, old = *bits, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= value) {
            break;
        }
        old = atomicCAS(bits, seen, __float_as_int(value));
    } while (old != seen);
}

__global__ void maximum_by_swaps(float *out, const float *x)
{
    __shared__ float largest;
    if (threadIdx.x == 0) {
        largest = -1.0f;
    }
    __syncthreads();
    raise(&largest, x[threadIdx.x * 7 % 64]);
    __syncthreads();
    raise(out, largest);
}

static bool run_maximum_by_swaps(void)
{
    float *out = empty_dev(1);
    const bool good = cudaMemset(out, 0, sizeof *out) == cudaSuccess;
    maximum_by_swaps<<<3, 64>>>(out, numbers_dev(64));
    return good && no_error() && value_at(out, 0) == 63;
}

const struct kernel_case fine_cases[] = {
    {"maximum_by_swaps", NULL, run_maximum_by_swaps},
    {"more_syncwarps_than_a_clock_counts", NULL, run_hands_around},
    {"waits_in_a_loop_of_atomics", NULL, run_waits_for_all},
    {"tiled_product", NULL, run_tiled},
    {"double_buffered_tiles", NULL, run_double_buffered},
    {"warp_sum_with_syncwarp", NULL, run_warp_sum},
    {"half_warps", NULL, run_half_warps},
    {"row_maximum", NULL, run_row_max},
    {"histogram_with_atomics", NULL, run_histogram},
    {"last_block_with_fence", NULL, run_last_block},
    {"disjoint_bytes", NULL, run_bytes},
    {"guarded_edge", NULL, run_guarded},
    {"barrier_in_a_uniform_condition", NULL, run_uniform_condition},
    {"constant_memory", NULL, run_constants},
    {"asks_for_the_error", NULL, run_asks},
    {"asks_once_for_two_launches", NULL, run_asks_once},
    {"large_dynamic_shared", NULL, run_large},
    {"more_shared_memory_for_a_template", NULL, run_large_template},
    {NULL, NULL, NULL},
};
