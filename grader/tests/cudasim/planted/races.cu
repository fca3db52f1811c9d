// races.cu - planted bugs (main.cu): races in shared and in global memory.

#include "planted.h"

// ---- races in shared memory ----------------------------------------------------------------

template <bool bug> __global__ void missing_barrier(float *y, const float *x)
{
    __shared__ float s[THREADS];
    s[threadIdx.x] = x[threadIdx.x];
    if (!bug) {
        __syncthreads();
    }
    y[threadIdx.x] = s[THREADS - 1 - threadIdx.x]; // BUG missing_barrier
}

template <bool bug> __global__ void next_turn(float *y, const float *x)
{
    __shared__ float s[THREADS];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[threadIdx.x] = x[k * THREADS + threadIdx.x]; // BUG next_turn
        __syncthreads();
        for (int i = 0; i < THREADS; i++) {
            sum += s[i];
        }
        if (!bug) {
            __syncthreads();
        }
    }
    y[threadIdx.x] = sum;
}

template <bool bug> __global__ void all_write(float *y, const float *x)
{
    __shared__ float s;
    if (!bug || threadIdx.x == 0) {
        y[threadIdx.x] = 0;
    }
    if (bug || threadIdx.x == 0) {
        s = x[threadIdx.x]; // BUG all_write
    }
    __syncthreads();
    y[threadIdx.x] = s;
}

template <bool bug> __global__ void last_warp(float *y, const float *x)
{
    __shared__ float s[32];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp();
    for (int h = 16; h > 0; h /= 2) {
        float other = t < h ? s[t + h] : 0; // BUG last_warp
        if (!bug) {
            __syncwarp();
        }
        if (t < h) {
            s[t] += other;
        }
        if (!bug) {
            __syncwarp();
        }
    }
    y[t] = t == 0 ? s[0] : 0;
}

template <bool bug> __global__ void same_buffer(float *y, const float *x)
{
    __shared__ float s[2][THREADS];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        const int now = bug ? 0 : k % 2;
        s[now][threadIdx.x] = x[k * THREADS + threadIdx.x]; // BUG same_buffer
        __syncthreads();
        sum += s[now][THREADS - 1 - threadIdx.x];
    }
    y[threadIdx.x] = sum;
}

template <bool bug> __global__ void result_too_early(float *y, const float *x)
{
    __shared__ float total;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < THREADS; i++) {
            sum += x[i];
        }
        total = sum;
    }
    if (!bug) {
        __syncthreads();
    }
    y[threadIdx.x] = x[threadIdx.x] / total; // BUG result_too_early
}

template <bool bug> __global__ void shared_histogram(float *y, const float *x)
{
    __shared__ int count[7];
    if (threadIdx.x < 7) {
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    int which = (int)x[threadIdx.x];
    if (bug) {
        count[which]++; // BUG shared_histogram
    } else {
        atomicAdd(&count[which], 1);
    }
    __syncthreads();
    if (threadIdx.x < 7) {
        y[threadIdx.x] = count[threadIdx.x];
    }
}

template <bool bug> __global__ void cleared_late(float *y, const float *x)
{
    __shared__ int count[7];
    if (!bug && threadIdx.x < 7) {
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&count[(int)x[threadIdx.x]], 1); // BUG cleared_late
    if (bug && threadIdx.x < 7) {
        y[threadIdx.x] = 0;
    }
}

template <bool bug> __global__ void warp_sums(float *y, const float *x)
{
    __shared__ float part[2];
    float sum = x[threadIdx.x];
    for (int h = 16; h > 0; h /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, h);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum;
    }
    if (!bug) {
        __syncthreads();
    }
    y[threadIdx.x] = part[0] + part[1]; // BUG warp_sums
}

// Both write; only different values are an error, the same value is a warning.
template <bool bug> __global__ void same_value(float *y, const float *x)
{
    __shared__ float s[2];
    s[1] = bug && threadIdx.x > 9 ? x[threadIdx.x] : 3; // BUG same_value
    __syncthreads();
    y[threadIdx.x] = s[1];
}

// ---- races in global memory ----------------------------------------------------------------

// Every block writes all elements: the twin the same values, which is a warning.
template <bool bug> __global__ void blocks_repeat(float *y, const float *x)
{
    for (int i = 0; i < 100; i++) {
        float own = bug && i > 90 ? blockIdx.x : 0;
        y[i * 10] = x[0] + own; // BUG blocks_repeat
    }
}

template <bool bug> __global__ void blocks_overlap(float *y, const float *x)
{
    const int i = blockIdx.x * (bug ? blockDim.x / 2 : blockDim.x) + threadIdx.x;
    y[i] = x[i] + blockIdx.x; // BUG blocks_overlap
}

template <bool bug> __global__ void missing_atomic(float *y, const float *x)
{
    if (bug) {
        *(float *)x += y == NULL; // BUG missing_atomic
    } else {
        atomicAdd((float *)x, 1.0f);
    }
}

template <bool bug> __global__ void in_place(float *y, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to = bug ? (float *)x : y;
    to[i] = x[i] + x[i + 1]; // BUG in_place
}

template <bool bug> __global__ void atomic_and_read(float *y, const float *x)
{
    float *sum = (float *)x;
    atomicAdd(sum, 1.0f);
    if (bug) {
        y[blockIdx.x * blockDim.x + threadIdx.x] = *sum; // BUG atomic_and_read
    } else {
        y[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(sum, 0.0f);
    }
}

// The same, but most threads find a large enough value and do not swap.
template <bool bug> __global__ void no_swap_of_a_maximum(float *, const float *x)
{
    unsigned *most = (unsigned *)x; // 0 at first
    const unsigned value = threadIdx.x % 7;
    unsigned old = *most; // BUG no_swap_of_a_maximum
    while (old < value) {
        const unsigned seen = old;
        old = bug ? atomicMax(most, value) : atomicCAS(most, seen, value);
        if (old == seen) {
            break;
        }
    }
}

// An atomic maximum by compare and swap; with the bug, without it.
template <bool bug> __global__ void no_swap(float *y, const float *x)
{
    int *most = (int *)x, old = *most, seen;
    do {
        seen = old;
        if (bug) {
            atomicMax(most, (int)threadIdx.x); // BUG no_swap
            old = *most;
        } else {
            old =
                atomicCAS(most, seen, seen > (int)threadIdx.x ? seen : (int)threadIdx.x);
        }
    } while (y != NULL && old != seen);
}

__device__ unsigned arrived;

template <bool bug> __global__ void last_block(float *y, const float *x)
{
    if (threadIdx.x == 0) {
        y[blockIdx.x] = x[blockIdx.x];
        if (!bug) {
            __threadfence();
        }
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            float sum = 0;
            if (!bug) {
                __threadfence();
            }
            for (unsigned b = 0; b < gridDim.x; b++) {
                sum += y[b]; // BUG last_block
            }
            y[gridDim.x] = sum;
        }
    }
}

__device__ int lock;

template <bool bug> __global__ void fence_of_a_lock(float *y, const float *x)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *(float *)x += (float)(y != NULL); // BUG fence_of_a_lock
        if (!bug) {
            __threadfence();
        }
        atomicExch(&lock, 0);
    }
}

const struct planted races_planted[] = {
    KERNEL(missing_barrier, "race-shared", 1, THREADS),
    KERNEL(next_turn, "race-shared", 1, THREADS),
    KERNEL(all_write, "race-shared", 1, THREADS),
    KERNEL(last_warp, "race-shared", 1, 32),
    KERNEL(same_buffer, "race-shared", 1, THREADS),
    KERNEL(result_too_early, "race-shared", 1, THREADS),
    KERNEL(shared_histogram, "race-shared", 1, THREADS),
    KERNEL(warp_sums, "race-shared", 1, THREADS),
    KERNEL(same_value, "race-shared", 1, THREADS),
    KERNEL(blocks_repeat, "race-global", BLOCKS, 1),
    KERNEL(blocks_overlap, "race-global", BLOCKS, THREADS),
    KERNEL(missing_atomic, "race-global", BLOCKS, THREADS),
    KERNEL(in_place, "race-global", BLOCKS, THREADS),
    KERNEL(atomic_and_read, "race-global", BLOCKS, THREADS),
    KERNEL(no_swap, "race-global", BLOCKS, THREADS),
    KERNEL(no_swap_of_a_maximum, "race-global", BLOCKS, THREADS),
    KERNEL(last_block, "race-global", BLOCKS, THREADS),
    KERNEL(fence_of_a_lock, "race-global", BLOCKS, THREADS),
    KERNEL(cleared_late, "uninitialized-shared", 1, THREADS),
    {},
};
