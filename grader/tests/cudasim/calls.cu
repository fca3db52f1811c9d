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

// assert and clock need no header of their own in CUDA.
__global__ void timed(int *x)
{
    clock_t begin = clock();
    assert(x != NULL);
    *x = clock() >= begin;
}

static void seldom_called()
{
    size_t bytes = 0;
    claim("shared_memory_for_so_many_blocks",
          cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, rows, 2, 256) ==
                  cudaSuccess &&
              bytes == (227 << 10) / 2 &&
              cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, rows, 9, 256) ==
                  cudaErrorInvalidValue);
    cudaGetLastError();
    unsigned flags = 1;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    cudaSharedMemConfig banks;
    int *x, seen = 0;
    cudaMallocManaged(&x, sizeof *x);
    claim("settings_and_queries",
          cudaInitDevice(0, 0, 0) == cudaSuccess &&
              cudaGetDeviceFlags(&flags) == cudaSuccess && flags == 0 &&
              cudaStreamIsCapturing(0, &status) == cudaSuccess &&
              status == cudaStreamCaptureStatusNone &&
              cudaFuncSetSharedMemConfig(rows, cudaSharedMemBankSizeEightByte) ==
                  cudaSuccess &&
              cudaDeviceGetSharedMemConfig(&banks) == cudaSuccess &&
              cudaStreamAttachMemAsync(0, x) == cudaSuccess &&
              cudaCtxResetPersistingL2Cache() == cudaSuccess);
    timed<<<1, 1>>>(x);
    cudaMemcpy(&seen, x, sizeof seen, cudaMemcpyDefault);
    claim("assert_clock_and_the_compilers_version",
          seen == 1 && __CUDACC_VER_MAJOR__ == 12);
    cudaFree(x);
}

int main()
{
    pitches();
    seldom_called();
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
