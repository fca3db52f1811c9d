// memory.cu - planted bugs (main.cu): addresses, and memory that was never written.

#include "planted.h"

#include <cstdio>

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

const struct planted memory_planted[] = {
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
    KERNEL(edge_of_a_tile, "uninitialized-shared", 1, THREADS),
    KERNEL(adds_to_nothing, "uninitialized-global", 1, THREADS),
    MARKED(memset_of_elements, "uninitialized-global", "in_doubles"),
    MARKED(memcpy_of_elements, "uninitialized-global", "in_doubles"),
    PROGRAM(result_of_nothing, "uninitialized-copy"),
    PROGRAM(managed_read_early, "managed-unfinished"),
    PROGRAM(managed_write_early, "managed-unfinished"),
    {},
};
