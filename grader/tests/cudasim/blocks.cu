// blocks.cu - launches whose blocks run in several processes, and launches whose blocks must not.
// Prints what each leaves in memory, so that runs on one processor and on several can be compared,
// and claims which launches were divided. With an argument, runs one faulty kernel.
//
//     GPU_DIVIDE_AFTER=0 GPU_PROCESSORS=3 program
//     GPU_DIVIDE_AFTER=0 GPU_PROCESSORS=3 program late

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" unsigned gpu_divided(void);

#if defined __SANITIZE_THREAD__
enum { CHECKED = true };
#else
enum { CHECKED = false };
#endif
enum { BLOCKS = 37, THREADS = 64, N = BLOCKS * THREADS };

// Each block's elements; several blocks share a page, and the last block of one the first of the
// next.
__global__ void own_elements(float *out, const float *x)
{
    __shared__ float tile[THREADS];
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    out[i] = 2 * tile[THREADS - 1 - threadIdx.x] + out[i];
}

__device__ float variable[BLOCKS];
__constant__ float factor = 3;

__global__ void to_variable(float *out, const float *)
{
    if (threadIdx.x == 0) {
        variable[blockIdx.x] = factor * blockIdx.x;
        out[blockIdx.x] = blockIdx.x;
    }
}

// A block's bytes end within a word.
__global__ void bytes(float *out, const float *)
{
    if (threadIdx.x < 7) {
        ((unsigned char *)out)[blockIdx.x * 7 + threadIdx.x] = (unsigned char)blockIdx.x;
    }
}

// The rounding of the sum depends on the order.
__global__ void sum(float *out, const float *x)
{
    atomicAdd(out, 1 / (x[blockIdx.x * THREADS + threadIdx.x] + 1));
}

// Every operation, and on each word of 4 and of 8 bytes from several blocks.
__device__ double of_doubles[2];
__global__ void operations(float *out, const float *x)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x,
                   v = (unsigned)x[i] + blockIdx.x;
    int *n = (int *)out;
    unsigned *u = (unsigned *)out + 100;
    unsigned long long *wide = (unsigned long long *)out + 100;
    atomicSub(&n[0], (int)v);
    atomicMax(&n[1], (int)v);
    atomicMin(&n[2], -(int)v);
    atomicXor(&u[0], v * 0x9e3779b9);
    atomicOr(&u[1], v);
    atomicAnd(&u[2], ~v);
    atomicInc(&u[3], 1000);
    atomicDec(&u[4], 1000);
    atomicExch(&u[5], v);
    atomicExch(&out[500], x[i]);
    atomicAdd(&wide[0], (unsigned long long)v << 31);
    atomicMax((long long *)&wide[1], -(long long)v);
    atomicAdd(&of_doubles[i % 2], 1 / (double)(v + 1));
    atomicAdd(&out[600 + i % 9], x[i] / 3);
    if (i % 3 == 0) {
        atomicAdd(&out[700 + blockIdx.x], x[i]); // of this block alone
    }
}

// Before and after its atomics, each block uses its own word in another way.
__global__ void own_counters(float *out, const float *x)
{
    int *n = (int *)out + 3 * blockIdx.x;
    if (threadIdx.x == 0) {
        n[0] = 5;
        n[1] = n[2];
    }
    __syncthreads();
    atomicAdd(&n[0], (int)x[threadIdx.x]);
    atomicAdd(&n[2], 1);
    __syncthreads();
    if (threadIdx.x == 1) {
        n[1] += n[0] + n[2];
    }
}

// A block uses the old value: who is first?
__global__ void slots(float *out, const float *x)
{
    const int slot = atomicAdd((int *)out, 1);
    if (slot + 1 < N) {
        out[1 + slot] = x[blockIdx.x * THREADS + threadIdx.x];
    }
}

// Its threads take turns at every 4096th atomic.
__global__ void many_in_the_block(float *out, const float *x)
{
    __shared__ float total;
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    for (int i = 0; i < 70; i++) {
        atomicAdd(&total, 1 / (1 + x[i] + (float)(37 * threadIdx.x)));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = total;
    }
}

__global__ void in_the_block(float *out, const float *x)
{
    __shared__ float total;
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    atomicAdd(&total, x[blockIdx.x * THREADS + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = total;
    }
}

__global__ void says(float *out, const float *)
{
    if (threadIdx.x == 0) {
        printf("block %u\n", blockIdx.x);
        out[blockIdx.x] = blockIdx.x;
    }
}

static void run(const char *name, void (*kernel)(float *, const float *),
                bool independent)
{
    static float x[N];
    float *x_dev, *out_dev;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 101);
    }
    cudaMalloc(&x_dev, sizeof x);
    cudaMalloc(&out_dev, sizeof x);
    cudaMemcpy(x_dev, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(out_dev, 0, sizeof x);
    const unsigned before = gpu_divided();
    kernel<<<BLOCKS, THREADS>>>(out_dev, x_dev);
    const bool divided = gpu_divided() > before;
    cudaMemcpy(x, out_dev, sizeof x, cudaMemcpyDeviceToHost);
    uint64_t hash = 1;
    for (int i = 0; i < N; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = hash * 0x9e3779b97f4a7c15 + bits;
    }
    cudaMemcpyFromSymbol(x, variable, sizeof variable);
    printf("%s: %016llx %g\n", name, (unsigned long long)hash, x[BLOCKS - 1]);
    const char *processors = getenv("GPU_PROCESSORS");
    if (divided != (independent && processors != NULL && atoi(processors) > 1)) {
        printf("%s: its blocks run in %s\n", name,
               divided ? "several processes" : "one process");
    }
    cudaFree(x_dev);
    cudaFree(out_dev);
}

static void print_doubles()
{
    double sums[2];
    cudaMemcpyFromSymbol(sums, of_doubles, sizeof sums);
    printf("sums: %a %a\n", sums[0], sums[1]);
}

// What one kernel writes, the next one may read.
__global__ void first(float *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = threadIdx.x;
}

__global__ void second(float *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] += 1;
}

static void run_two()
{
    float *out_dev, last = 0;
    cudaMalloc(&out_dev, N * sizeof *out_dev); // not written before
    first<<<BLOCKS, THREADS>>>(out_dev);
    second<<<BLOCKS, THREADS>>>(out_dev);
    cudaMemcpy(&last, out_dev + N - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("one after the other: %g\n", last);
    cudaFree(out_dev);
}

// Two blocks leave the same value if each counts for itself.
__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

static void run_counter()
{
    int *counter_dev, counter = 0;
    cudaMalloc(&counter_dev, sizeof *counter_dev);
    cudaMemset(counter_dev, 0, sizeof *counter_dev);
    count<<<2, THREADS>>>(counter_dev);
    cudaMemcpy(&counter, counter_dev, sizeof counter, cudaMemcpyDeviceToHost);
    printf("a counter: %d\n", counter);
    cudaFree(counter_dev);
}

// ---- faulty kernels -----------------------------------------------------------------------

// A block reads what another one writes: its neighbor, or one far away.
template <int reader, int writer> __global__ void race(float *x)
{
    if (threadIdx.x == 5) {
        x[blockIdx.x] = 1;
        x[BLOCKS + blockIdx.x] = blockIdx.x == reader ? x[writer] : 0;
    }
}

// Two blocks far away write one element.
__global__ void two_write(float *x)
{
    if (threadIdx.x == 7 && (blockIdx.x == 4 || blockIdx.x == 33)) {
        x[11] = blockIdx.x;
    }
}

// A late block reads too far, and another one never written memory.
__global__ void late(float *x)
{
    if (blockIdx.x == 35 && threadIdx.x == 9) {
        x[N + 3] = 1;
    }
    if (blockIdx.x == 29) {
        x[threadIdx.x] += 1;
    }
}

// A block reads what others change by atomics, or writes it.
template <bool writes> __global__ void beside_atomics(float *x)
{
    if (blockIdx.x != 30) {
        atomicAdd(&x[3], 1.0f);
    } else if (threadIdx.x == 0) {
        writes ? (void)(x[3] = 5) : (void)(x[4] = x[3]);
    }
}

// A late block's atomic is past the end.
__global__ void late_atomic(float *x)
{
    atomicAdd(&x[blockIdx.x == 35 && threadIdx.x == 9 ? N + 2000 : 0], 1.0f);
}

// Waits for the block before it. On one processor, forward, that ends.
__global__ void waits(float *x)
{
    volatile float *done = x;
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && done[blockIdx.x - 1] != 1) {
        }
        done[blockIdx.x] = 1;
    }
}

// Its thread needs more than its stack.
__global__ void deep(float *x)
{
    volatile char much[100000];
    much[0] = (char)blockIdx.x;
    x[blockIdx.x * THREADS + threadIdx.x] = much[0];
}

int main(int count, char **names)
{
    static const struct {
        const char *name;
        void (*kernel)(float *);
    } faulty[] = {{"neighbors", race<0, 1>},
                  {"far", race<30, 3>},
                  {"two_write", two_write},
                  {"late", late},
                  {"waits", waits},
                  {"deep", deep},
                  {"reads", beside_atomics<false>},
                  {"writes", beside_atomics<true>},
                  {"late_atomic", late_atomic}};
    for (const auto &f : faulty) {
        if (count > 1 && strcmp(names[1], f.name) == 0) {
            float *x_dev, x[2] = {0, 0};
            cudaMalloc(&x_dev, N * sizeof *x_dev);
            if (f.kernel != late) {
                cudaMemset(x_dev, 0, N * sizeof *x_dev);
            }
            f.kernel<<<BLOCKS, THREADS>>>(x_dev);
            cudaError_t error = cudaDeviceSynchronize();
            cudaMemcpy(x, x_dev + BLOCKS - 1, sizeof x, cudaMemcpyDeviceToHost);
            printf("%s: %s, %g\n", f.name, cudaGetErrorName(error), x[0]);
            cudaFree(x_dev);
        }
    }
    if (count > 1) {
        return 0;
    }
    run("own elements", own_elements, true);
    run("a variable", to_variable, true);
    run("bytes", bytes, !CHECKED); // the checks compare words
    run("atomics", sum, true);
    run("atomics again", sum, true);
    run("operations", operations, true);
    print_doubles();
    run("own counters", own_counters, true);
    run("old values", slots, false);
    run("many atomics in shared memory", many_in_the_block, true);
    run("atomics in shared memory", in_the_block, true);
    run("output", says, false);
    run_two();
    run_counter();
}
