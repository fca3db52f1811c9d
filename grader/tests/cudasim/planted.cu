// planted.cu - small programs with one bug each, and the same programs without it.
//
//     planted list              each bug: its name, the kind of its finding ("-": none) and its mark
//     planted NAME bug          runs the program with the bug
//     planted NAME twin         runs the program without it; nothing may be found
//
// One of a finding's lines must be the one with the comment "BUG mark". At the end are the bugs that
// the simulator cannot find, with the reason.

#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

enum { N = 100, THREADS = 64, BLOCKS = 2 };

static float *numbers(int n) // on the device
{
    float x[1024], *x_dev;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 7);
    }
    cudaMalloc(&x_dev, n * sizeof(float));
    cudaMemcpy(x_dev, x, n * sizeof(float), cudaMemcpyHostToDevice);
    return x_dev;
}

static float *unwritten(int n)
{
    float *x_dev;
    cudaMalloc(&x_dev, n * sizeof(float));
    return x_dev;
}

// Most programs are a kernel of an output and an input, and this launch.
typedef void kernel_of_two(float *y, const float *x);

static void launch(kernel_of_two *kernel, int blocks, int threads, size_t shared = 0)
{
    float *y = unwritten(1024), *x = numbers(1024);
    kernel<<<blocks, threads, shared>>>(y, x);
    if (cudaGetLastError() != cudaSuccess) {
        printf("the launch failed\n");
    }
    cudaFree(x);
    cudaFree(y);
}

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

// ---- addresses -----------------------------------------------------------------------------

template <bool bug> __global__ void past_the_end(float *y, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (bug ? i <= 1024 : i < 1024) {
        y[i] = x[i]; // BUG past_the_end
    }
}

template <bool bug> __global__ void before_the_start(float *y, const float *x)
{
    const int i = threadIdx.x;
    y[i] = i > 0 || bug ? x[i] - x[i - 1] : x[i]; // BUG before_the_start
}

template <bool bug> __global__ void past_static(float *y, const float *x)
{
    __shared__ float s[THREADS];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const int next = bug ? threadIdx.x + 1 : (threadIdx.x + 1) % THREADS;
    y[threadIdx.x] = s[next]; // BUG past_static
}

template <bool bug> __global__ void past_dynamic(float *y, const float *x)
{
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x + bug] = x[threadIdx.x]; // BUG past_dynamic
    __syncthreads();
    y[threadIdx.x] = dynamic[blockDim.x - 1];
}

template <bool bug> __global__ void past_pointer_to_shared(float *y, const float *x)
{
    __shared__ float s[THREADS];
    float *mine = s + threadIdx.x;
    const int next = bug && threadIdx.x == THREADS - 1;
    mine[next] = x[threadIdx.x]; // BUG past_pointer_to_shared
    y[threadIdx.x] = x[threadIdx.x];
}

__constant__ float weights[5];

template <bool bug> __global__ void past_constant(float *y, const float *x)
{
    float sum = 0;
    for (int i = 0; i < 5 + bug; i++) {
        sum += weights[i] * x[i]; // BUG past_constant
    }
    y[threadIdx.x] = sum;
}

template <bool bug> __global__ void past_local(float *y, const float *x)
{
    float best[4];
    for (int i = 0; i < 4; i++) {
        best[i] = x[i];
    }
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += best[i + (bug && x[i] > 2)]; // BUG past_local
    }
    y[threadIdx.x] = sum;
}

template <bool bug> __global__ void past_a_row(float *y, const float *x)
{
    __shared__ float tile[8][8];
    const int row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = x[threadIdx.x];
    __syncthreads();
    const int right = bug ? column + 1 : (column + 1) % 8;
    y[threadIdx.x] = tile[row][right]; // BUG past_a_row
}

template <bool bug> __global__ void bytes_for_elements(float *y, const float *x)
{
    y[threadIdx.x] =
        x[(bug ? sizeof(float) : 1) * (960 + threadIdx.x)]; // BUG bytes_for_elements
}

template <bool bug> __global__ void misaligned(float *y, const float *x)
{
    const float4 *four = (const float4 *)(x + bug);
    y[threadIdx.x] = four[threadIdx.x].x; // BUG misaligned
}

// ---- memory that was never written ---------------------------------------------------------

template <bool bug> __global__ void edge_of_a_tile(float *y, const float *x)
{
    __shared__ float s[THREADS];
    if (threadIdx.x < 50) {
        s[threadIdx.x] = x[threadIdx.x];
    } else if (!bug) {
        s[threadIdx.x] = 0;
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < THREADS; i++) {
        sum += s[i]; // BUG edge_of_a_tile
    }
    y[threadIdx.x] = sum;
}

template <bool bug> __global__ void adds_to_nothing(float *y, const float *x)
{
    if (!bug) {
        y[threadIdx.x] = 0;
    }
    y[threadIdx.x] += x[threadIdx.x]; // BUG adds_to_nothing
}

static __global__ void copies(float *y, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

__global__ void doubles(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2; // BUG in_doubles
    }
}

template <bool bug> static void memset_of_elements()
{
    float *x = unwritten(N);
    cudaMemset(x, 0, bug ? N : N * sizeof(float));
    doubles<<<2, THREADS>>>(x, N);
    cudaGetLastError();
    cudaFree(x);
}

template <bool bug> static void memcpy_of_elements()
{
    float *x_dev = unwritten(N), x[N] = {};
    cudaMemcpy(x_dev, x, bug ? N : N * sizeof(float), cudaMemcpyHostToDevice);
    doubles<<<2, THREADS>>>(x_dev, N);
    cudaGetLastError();
    cudaFree(x_dev);
}

template <bool bug> static void result_of_nothing()
{
    float *y = unwritten(N), *x = numbers(N), out[N];
    cudaMemcpy(bug ? x : y, x, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost); // BUG result_of_nothing
    cudaFree(x);
    cudaFree(y);
}

// Host code reads what a kernel still writes, and writes what it still reads. Nothing waits.
template <bool bug> static void managed_read_early()
{
    float *x;
    cudaMallocManaged(&x, N * sizeof(float));
    for (int i = 0; i < N; i++) {
        x[i] = 1;
    }
    doubles<<<2, THREADS>>>(x, N);
    if (cudaGetLastError() == cudaSuccess && !bug) {
        cudaDeviceSynchronize();
    }
    if (x[N - 1] != 2) { // BUG managed_read_early
        printf("wrong\n");
    }
    cudaFree(x);
}

template <bool bug> static void managed_write_early()
{
    float *x, *y = unwritten(N);
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaMallocManaged(&x, N * sizeof(float));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < N; i++) {
            x[i] = (float)turn; // BUG managed_write_early
        }
        copies<<<2, THREADS>>>(y, x, N);
        cudaEventRecord(done);
        if (cudaGetLastError() == cudaSuccess && !bug) {
            cudaEventSynchronize(done);
        }
    }
    cudaEventDestroy(done);
    cudaFree(x);
    cudaFree(y);
}

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

// ---- asynchronous copies, barrier objects, products of a warp -------------------------------

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

// ---- calls ---------------------------------------------------------------------------------

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

// ---- what the simulator cannot find --------------------------------------------------------

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

// ---- the list ------------------------------------------------------------------------------

static const struct {
    const char *name, *kind, *mark;
    kernel_of_two *kernel[2]; // twin, bug; or ...
    void (*function[2])();    // ... a program of its own
    int blocks, threads;
    size_t shared;
} list[] = {
#define KERNEL(name, kind, ...)                                                          \
    {                                                                                    \
#name, kind, #name, {name < false>, name < true> }, {NULL, NULL }, __VA_ARGS__   \
    }
#define MARKED(name, kind, mark)                                                         \
    {                                                                                    \
#name, kind, mark, {NULL, NULL }, {name < false>, name < true> }, 0, 0, 0        \
    }
#define PROGRAM(name, kind) MARKED(name, kind, #name)
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
    KERNEL(past_the_end, "out-of-bounds", 17, THREADS),
    KERNEL(before_the_start, "out-of-bounds", 1, THREADS),
    KERNEL(past_static, "index", 1, THREADS),
    KERNEL(past_dynamic, "out-of-bounds", 1, THREADS, THREADS * sizeof(float)),
    KERNEL(past_pointer_to_shared, "out-of-bounds", 1, THREADS),
    KERNEL(past_constant, "index", 1, THREADS),
    KERNEL(past_local, "index", 1, THREADS),
    KERNEL(past_a_row, "index", 1, THREADS),
    KERNEL(bytes_for_elements, "out-of-bounds", 1, THREADS),
    KERNEL(misaligned, "misaligned", 1, THREADS),
    KERNEL(cleared_late, "uninitialised-shared", 1, THREADS),
    KERNEL(edge_of_a_tile, "uninitialised-shared", 1, THREADS),
    KERNEL(adds_to_nothing, "uninitialised-global", 1, THREADS),
    MARKED(memset_of_elements, "uninitialised-global", "in_doubles"),
    MARKED(memcpy_of_elements, "uninitialised-global", "in_doubles"),
    PROGRAM(result_of_nothing, "uninitialised-copy"),
    PROGRAM(managed_read_early, "managed-unfinished"),
    PROGRAM(managed_write_early, "managed-unfinished"),
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
    KERNEL(past_constant_pointer, "-", 1, THREADS),
    PROGRAM(grid_too_small, "-"),
    KERNEL(half_a_reduction, "-", 1, THREADS),
    KERNEL(local_never_set, "-", 1, THREADS),
    PROGRAM(source_changes_early, "-"),
    PROGRAM(streams_without_order, "-"),
};

int main(int argc, char **argv)
{
    const float w[5] = {1, 2, 3, 4, 5};
    for (const auto &p : list) {
        if (argc < 3) {
            printf("%s %s %s\n", p.name, p.kind, p.mark);
        } else if (strcmp(argv[1], p.name) == 0) {
            const bool bug = strcmp(argv[2], "bug") == 0;
            cudaMemcpyToSymbol(weights, w, sizeof w);
            if (p.kernel[bug] != NULL) {
                launch(p.kernel[bug], p.blocks, p.threads, p.shared);
            } else {
                p.function[bug]();
            }
        }
    }
}
