// calls.cu - calls of the runtime that programs make: pitches, occupancy, hints, cudaLaunchKernel.

#include <cstdio>

#include <cuda_profiler_api.h>

static void claim(const char *name, bool right)
{
    printf("%s - %s\n", right ? "ok" : "not ok", name);
}

__global__ void rows(float *x, size_t pitch, int width)
{
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    if ((int)threadIdx.x < width) {
        row[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    }
}

static void pitches()
{
    enum { WIDTH = 5, HEIGHT = 3 };
    float *x_dev, x[HEIGHT][WIDTH] = {};
    size_t pitch = 0;
    bool right =
        cudaMallocPitch(&x_dev, &pitch, WIDTH * sizeof(float), HEIGHT) == cudaSuccess;
    claim("a_pitch_is_aligned", right && pitch >= sizeof x[0] && pitch % 256 == 0);
    cudaMemset2D(x_dev, pitch, 0, WIDTH * sizeof(float), HEIGHT);
    void *arguments[] = {&x_dev, &pitch, NULL};
    int width = WIDTH - 1;
    arguments[2] = &width;
    right = cudaLaunchKernel(rows, dim3(HEIGHT), dim3(32), arguments) == cudaSuccess;
    right = right && cudaMemcpy2DAsync(x, sizeof x[0], x_dev, pitch, sizeof x[0], HEIGHT,
                                       cudaMemcpyDeviceToHost, 0) == cudaSuccess;
    claim("cudaLaunchKernel_and_a_copy_of_rows", right && x[2][3] == 203 && x[2][4] == 0);
    cudaFree(x_dev);
}

static void add_one(void *data)
{
    ++*(int *)data;
}

int main()
{
    pitches();
    int blocks = 0, grid = 0, block = 0, calls = 0, least, greatest;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rows, 256, 64 << 10);
    claim("shared_memory_limits_the_blocks", blocks == 3);
    claim("a_block_for_most_threads",
          cudaOccupancyMaxPotentialBlockSize(&grid, &block, rows) == cudaSuccess &&
              block == 1024 && grid == 2);
    cudaFuncAttributes attributes;
    claim("attributes_of_a_kernel",
          cudaFuncGetAttributes(&attributes, rows) == cudaSuccess &&
              attributes.maxThreadsPerBlock == 1024);
    cudaStream_t stream;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
    cudaLaunchHostFunc(stream, add_one, &calls);
    cudaStreamSynchronize(stream);
    claim("a_host_function_in_a_stream", calls == 1);
    cudaStreamDestroy(stream);
    claim("hints",
          cudaFuncSetCacheConfig(rows, cudaFuncCachePreferShared) == cudaSuccess &&
              cudaProfilerStart() == cudaSuccess && cudaProfilerStop() == cudaSuccess);
}
