// copies.cu - planted bugs (main.cu): asynchronous copies, barrier objects, products of a warp.

#include "planted.h"

#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <mma.h>

template <bool bug> __global__ void copy_not_awaited(float *y, const float *x)
{
    __shared__ float s[2][THREADS];
    __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][threadIdx.x], &x[THREADS + threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    y[threadIdx.x] = s[bug][threadIdx.x]; // BUG copy_not_awaited
}

template <bool bug> __global__ void copy_not_committed(float *y, const float *x)
{
    __shared__ float s[THREADS];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float));
    if (!bug) {
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    y[threadIdx.x] = s[threadIdx.x]; // BUG copy_not_committed
}

// Each thread waits for its own copies alone.
template <bool bug> __global__ void copy_of_another(float *y, const float *x)
{
    __shared__ float s[THREADS];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (!bug) {
        __syncthreads();
    }
    y[threadIdx.x] = s[THREADS - 1 - threadIdx.x]; // BUG copy_of_another
}

template <bool bug> __global__ void stage_in_use(float *y, const float *x)
{
    __shared__ float s[THREADS];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        const float *from = &x[k * THREADS + threadIdx.x];
        __pipeline_memcpy_async(&s[threadIdx.x], from, sizeof *from); // BUG stage_in_use
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[THREADS - 1 - threadIdx.x];
        if (!bug) {
            __syncthreads();
        }
    }
    y[threadIdx.x] = sum;
}

// The thread itself changes what it copies.
template <bool bug> __global__ void source_changed(float *y, const float *x)
{
    __shared__ float s[THREADS];
    y[threadIdx.x] = x[threadIdx.x];
    __pipeline_memcpy_async(&s[threadIdx.x], &y[threadIdx.x], sizeof(float));
    __pipeline_commit();
    if (!bug) {
        __pipeline_wait_prior(0);
    }
    y[threadIdx.x] = 0; // BUG source_changed
    __pipeline_wait_prior(0);
    y[threadIdx.x] += s[threadIdx.x];
}

// The barrier orders the threads, not the copy, which another thread has begun.
template <bool bug> __global__ void source_of_another(float *y, const float *x)
{
    __shared__ float s[THREADS];
    y[threadIdx.x] = x[threadIdx.x];
    __pipeline_memcpy_async(&s[threadIdx.x], &y[threadIdx.x], sizeof(float));
    __pipeline_commit();
    if (!bug) {
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    y[THREADS - 1 - threadIdx.x] = 1; // BUG source_of_another
    __syncthreads();
    __pipeline_wait_prior(0);
    y[threadIdx.x] += s[threadIdx.x];
}

// The wait comes a barrier after the copy's begin, and nothing orders it before the write.
template <bool bug> __global__ void source_after_the_wait(float *y, const float *x)
{
    __shared__ float s[THREADS];
    y[threadIdx.x] = x[threadIdx.x];
    __pipeline_memcpy_async(&s[threadIdx.x], &y[threadIdx.x], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    if (!bug) {
        __syncthreads();
    }
    y[THREADS - 1 - threadIdx.x] = s[threadIdx.x]; // BUG source_after_the_wait
}

typedef cuda::barrier<cuda::thread_scope_block> barrier_object;

template <bool bug> __global__ void source_of_a_phase(float *y, const float *x)
{
    __shared__ float s[THREADS];
    __shared__ barrier_object ready;
    if (threadIdx.x == 0) {
        init(&ready, THREADS);
    }
    y[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &y[threadIdx.x], sizeof(float), ready);
    if (bug) {
        y[threadIdx.x] = 2; // BUG source_of_a_phase
    }
    ready.arrive_and_wait();
    y[threadIdx.x] = s[threadIdx.x];
}

// The first warp writes, the second reads.
template <bool bug> __global__ void arrives_too_early(float *y, const float *x)
{
    __shared__ float s[32];
    __shared__ barrier_object written;
    if (threadIdx.x == 0) {
        init(&written, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (bug) {
            (void)written.arrive();
        }
        s[threadIdx.x] = x[threadIdx.x]; // BUG arrives_too_early
        if (!bug) {
            (void)written.arrive();
        }
    } else {
        written.arrive_and_wait();
        y[threadIdx.x] = s[63 - threadIdx.x];
    }
}

template <bool bug> __global__ void object_not_ready(float *y, const float *x)
{
    __shared__ barrier_object all;
    if (threadIdx.x == 0) {
        init(&all, blockDim.x); // BUG object_not_ready
    }
    if (!bug) {
        __syncthreads();
    }
    y[threadIdx.x] = x[threadIdx.x];
    all.arrive_and_wait();
    y[THREADS + threadIdx.x] = y[THREADS - 1 - threadIdx.x];
}

template <bool bug> __global__ void too_few_arrive(float *y, const float *x)
{
    __shared__ barrier_object all;
    if (threadIdx.x == 0) {
        init(&all, THREADS);
    }
    __syncthreads();
    if (!bug || x[threadIdx.x] > 0) {
        all.arrive_and_wait(); // BUG too_few_arrive
    }
    y[threadIdx.x] = x[threadIdx.x];
}

template <bool bug> __global__ void too_many_arrive(float *y, const float *x)
{
    __shared__ barrier_object all;
    if (threadIdx.x == 0) {
        init(&all, bug ? 2 * THREADS - 5 : 2 * THREADS);
    }
    __syncthreads();
    (void)all.arrive(2); // BUG too_many_arrive
    y[threadIdx.x] = x[threadIdx.x];
}

template <bool bug> __global__ void odd_tile(float *y, const float *x)
{
    using namespace nvcuda;
    __shared__ __align__(32) half s[20 * 20 + 16];
    for (int i = threadIdx.x; i < 20 * 20 + 16; i += THREADS) {
        s[i] = half(x[i]);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, s, bug ? 20 : 24); // BUG odd_tile
    y[threadIdx.x] = (float)a.x[0];
}

template <bool bug> __global__ void half_a_warp(float *y, const float *x)
{
    using namespace nvcuda;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, x[0]);
    float *to = y + threadIdx.x / 32 * 256;
    if (!bug || threadIdx.x % 32 < 16) {
        wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major); // BUG half_a_warp
    }
}

// The twin is right on cards of compute capability 7.0 and later: lanes with the same mask meet in the same
// function wherever they call it, and nobody waits for lanes that return.
template <bool bug> __global__ void other_function(float *y, const float *x)
{
    unsigned lane = threadIdx.x % 32;
    int sum = 0;
    if (lane < 16) {
        sum = __reduce_add_sync(0xffffffff, 1); // BUG other_function
    } else if (bug) {
        sum = __reduce_max_sync(0xffffffff, 1);
    } else {
        sum = __reduce_add_sync(0xffffffff, 2);
    }
    y[threadIdx.x] = x[threadIdx.x] + sum;
    if (lane < 16) {
        y[threadIdx.x] = __shfl_xor_sync(0xffffffff, sum, 1);
    }
}

const struct planted copies_planted[] = {
    KERNEL(copy_not_awaited, "async-unfinished", 1, THREADS),
    KERNEL(copy_not_committed, "async-unfinished", 1, THREADS),
    KERNEL(copy_of_another, "race-shared", 1, THREADS),
    KERNEL(stage_in_use, "race-shared", 1, THREADS),
    KERNEL(source_changed, "async-source", 1, THREADS),
    KERNEL(source_of_another, "async-source", 1, THREADS),
    KERNEL(source_after_the_wait, "race-global", 1, THREADS),
    KERNEL(source_of_a_phase, "async-source", 1, THREADS),
    KERNEL(arrives_too_early, "race-shared", 1, THREADS),
    KERNEL(object_not_ready, "race-shared", 1, THREADS),
    KERNEL(too_few_arrive, "barrier-missed", 1, THREADS),
    KERNEL(too_many_arrive, "barrier-count", 1, THREADS),
    KERNEL(odd_tile, "misaligned", 1, THREADS),
    KERNEL(half_a_warp, "warp-inactive", 1, THREADS),
    KERNEL(other_function, "warp-divergent", 1, THREADS),
    {},
};
