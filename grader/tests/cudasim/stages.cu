// stages.cu - copies that go on while a kernel works: the primitives, pipelines of a thread and of a
// block, cooperative groups, and barrier objects of a part of a block.

#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, STEPS = 6, N = THREADS * STEPS };

// Each kernel adds up x in steps of THREADS numbers, so that each thread has the sum of all.
__global__ void primitives(int *y, const int *x)
{
    __shared__ int s[2][THREADS];
    int sum = 0, t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &x[t], 4);
    __pipeline_commit();
    for (int k = 0; k < STEPS; k++) {
        if (k + 1 < STEPS) {
            __pipeline_memcpy_async(&s[(k + 1) % 2][t], &x[(k + 1) * THREADS + t], 4);
        }
        __pipeline_commit(); // the last one is empty
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = 0; i < THREADS; i++) {
            sum += s[k % 2][i];
        }
        __syncthreads();
    }
    y[t] = sum;
}

__global__ void zeros(int *y, const int *x)
{
    __shared__ __align__(16) int s[THREADS * 4];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[4 * t], &x[4 * t], 16, t == 3 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int sum = t == 0 ? x[14] + x[15] : 0; // which are zero in s
    for (int i = 0; i < THREADS * 4; i++) {
        sum += s[i];
    }
    for (int i = THREADS * 4; i < N; i++) {
        sum += x[i];
    }
    y[t] = sum + (t == 0 ? 0 : x[14] + x[15]);
}

__global__ void of_a_thread(int *y, const int *x)
{
    __shared__ int s[3][THREADS];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int sum = 0, t = threadIdx.x;
    for (int k = 0, next = 0; k < STEPS; k++) {
        for (; next < STEPS && next < k + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next % 3][t], &x[next * THREADS + t],
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        for (int i = 0; i < THREADS; i++) {
            sum += s[k % 3][i];
        }
        pipe.consumer_release();
        __syncthreads();
    }
    y[t] = sum;
}

__global__ void of_a_block(int *y, const int *x)
{
    __shared__ int s[3][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int k = 0, next = 0; k < STEPS; k++) {
        for (; next < STEPS && next < k + 3; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % 3], x + next * THREADS, sizeof s[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = 0; i < THREADS; i++) {
            sum += s[k % 3][i];
        }
        pipe.consumer_release();
    }
    y[threadIdx.x] = sum;
}

// The second warp copies, the first adds up.
__global__ void by_role(int *y, const int *x)
{
    __shared__ int s[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    bool copies = threadIdx.x >= 32;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                    copies ? cuda::pipeline_role::producer
                                           : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int k = 0; k < STEPS; k++) {
        if (copies) {
            pipe.producer_acquire();
            for (int i = threadIdx.x - 32; i < THREADS; i += 32) {
                cuda::memcpy_async(&s[k % 2][i], &x[k * THREADS + i], sizeof(int), pipe);
            }
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int i = 0; i < THREADS; i++) {
                sum += s[k % 2][i];
            }
            pipe.consumer_release();
        }
    }
    if (!copies) {
        y[threadIdx.x] = y[threadIdx.x + 32] = sum;
    }
}

__global__ void of_groups(int *y, const int *x)
{
    __shared__ int s[N];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    cg::memcpy_async(tile, s + tile.meta_group_rank() * (N / 2),
                     x + tile.meta_group_rank() * (N / 2),
                     cuda::aligned_size_t<16>(N / 2 * sizeof(int)));
    cg::wait(block);
    int sum = 0;
    for (int i = 0; i < N; i++) {
        sum += s[i];
    }
    y[threadIdx.x] = sum;
}

// Two objects for each of two buffers: the first warp fills, the second adds up.
__global__ void warps(int *y, const int *x)
{
    typedef cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int s[2][THREADS];
    __shared__ barrier filled[2], emptied[2];
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 2) {
        init(&filled[threadIdx.x], THREADS);
        init(&emptied[threadIdx.x], THREADS);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        (void)emptied[0].arrive();
        (void)emptied[1].arrive();
    }
    for (int k = 0; k < STEPS; k++) {
        if (threadIdx.x < 32) {
            emptied[k % 2].arrive_and_wait();
            s[k % 2][lane] = x[k * THREADS + lane];
            s[k % 2][32 + lane] = x[k * THREADS + 32 + lane];
            (void)filled[k % 2].arrive();
        } else {
            filled[k % 2].arrive_and_wait();
            for (int i = 0; i < THREADS; i++) {
                sum += s[k % 2][i];
            }
            (void)emptied[k % 2].arrive();
        }
    }
    if (threadIdx.x >= 32) {
        y[lane] = y[lane + 32] = sum;
    }
}

int main()
{
    static const struct {
        const char *name;
        void (*kernel)(int *, const int *);
    } all[] = {{"primitives", primitives},
               {"zeros", zeros},
               {"of_a_thread", of_a_thread},
               {"of_a_block", of_a_block},
               {"by_role", by_role},
               {"of_groups", of_groups},
               {"warps", warps}};
    int x[N], y[THREADS], sum = 0, *x_dev, *y_dev;
    for (int i = 0; i < N; i++) {
        sum += x[i] = i % 13;
    }
    cudaMalloc(&x_dev, sizeof x);
    cudaMalloc(&y_dev, sizeof y);
    cudaMemcpy(x_dev, x, sizeof x, cudaMemcpyHostToDevice);
    for (const auto &one : all) {
        cudaMemset(y_dev, 0, sizeof y);
        one.kernel<<<1, THREADS>>>(y_dev, x_dev);
        bool right = cudaGetLastError() == cudaSuccess;
        cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost);
        for (int t = 0; t < THREADS; t++) {
            right = right && y[t] == sum;
        }
        printf("%s - %s\n", right ? "ok" : "not ok", one.name);
    }
    cudaFree(x_dev);
    cudaFree(y_dev);
}
