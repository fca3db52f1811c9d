// features.cu - small features of CUDA that programs use now and then. Prints a line for each.

#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>

namespace cg = cooperative_groups;

static void claim(bool good, const char *what)
{
    printf("%s - %s\n", good ? "ok" : "not ok", what);
}

template <typename T> static T fetch(const T *at_dev)
{
    T value;
    cudaMemcpy(&value, at_dev, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

// ---- cuda::atomic --------------------------------------------------------------------------

typedef cuda::atomic<int, cuda::thread_scope_device> device_int;

__device__ device_int ready;
__device__ int message;

// sums[0]: a sum of the threads; sums[1]: what block 1 reads after block 0's release.
__global__ void atomics(int *sums, float *most)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(sums[0]);
    cuda::atomic_ref<float, cuda::thread_scope_device> best(*most);
    sum.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    best.fetch_max((float)threadIdx.x);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        message = 42;
        ready.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0 && ready.load(cuda::memory_order_acquire) == 1) {
        sums[1] = message;
    }
}

// A store is a first write, and no read of what was there.
__global__ void stored_first(int *sum, unsigned long long *flag)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> ready(*flag);
    if (threadIdx.x == 0) {
        count.store(3);
        ready.store(5, cuda::memory_order_release);
    }
    __syncthreads();
    count++;
    __syncthreads();
    *sum = threadIdx.x == 0 ? count.load() : *sum;
}

static void test_store()
{
    int *sum;
    unsigned long long *flag;
    cudaMalloc(&sum, sizeof *sum);
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(sum, 0, sizeof *sum);
    stored_first<<<1, 1>>>(sum, flag);
    claim(fetch(sum) == 4 && fetch(flag) == 5, "an atomic store writes first");
    cudaFree(sum);
    cudaFree(flag);
}

static void test_atomics()
{
    int *sums;
    float *most;
    cudaMalloc(&sums, 2 * sizeof *sums);
    cudaMalloc(&most, sizeof *most);
    cudaMemset(sums, 0, 2 * sizeof *sums);
    cudaMemset(most, 0, sizeof *most);
    atomics<<<2, 32>>>(sums, most);
    claim(fetch(&sums[0]) == 2 * 496 && fetch(most) == 31, "atomic references");
    claim(fetch(&sums[1]) == 42, "release and acquire order other accesses");
    cudaFree(sums);
    cudaFree(most);
}

// ---- launches and copies -------------------------------------------------------------------

__global__ void fill(float *x, float value)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void test_launch()
{
    float *x;
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 32;
    cudaMalloc(&x, 64 * sizeof *x);
    cudaError_t error = cudaLaunchKernelEx(&config, fill, x, 5); // an int for a float
    claim(error == cudaSuccess && fetch(&x[63]) == 5, "a launch by a structure");
    cudaFree(x);
}

enum { WIDTH = 10, HEIGHT = 3, DEPTH = 2 };

__global__ void number(cudaPitchedPtr volume)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    char *row = (char *)volume.ptr + (z * volume.ysize + y) * volume.pitch;
    ((float *)row)[x] = 100 * z + 10 * y + x;
}

static void test_volumes()
{
    cudaPitchedPtr volume;
    const cudaExtent extent = make_cudaExtent(WIDTH * sizeof(float), HEIGHT, DEPTH);
    float corner[DEPTH][HEIGHT][WIDTH] = {};
    cudaMalloc3D(&volume, extent);
    cudaMemset3D(volume, 0, extent);
    number<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(volume);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = volume;
    copy.srcPos = make_cudaPos(4 * sizeof(float), 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(corner, WIDTH * sizeof(float), WIDTH, HEIGHT);
    copy.extent = make_cudaExtent(6 * sizeof(float), 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    bool good = cudaMemcpy3D(&copy) == cudaSuccess;
    claim(good && corner[0][0][0] == 114 && corner[0][1][5] == 129 &&
              corner[0][1][6] == 0,
          "a part of a volume");
    cudaFree(volume.ptr);
}

__device__ volatile int watched = 3;

static void test_symbol()
{
    int value = 0;
    cudaMemcpyFromSymbol(&value, watched, sizeof value);
    claim(value == 3, "a volatile variable as a symbol");
}

// ---- functions -----------------------------------------------------------------------------

__global__ void words(unsigned *out)
{
    out[0] = __vmaxu4(0x01ff0203, 0x02010304);
    out[1] = __vabsdiffu4(0x05050505, 0x03070507);
    out[2] = __vmins2(0xffff0005, 0x00010004);
    out[3] = __vcmpgtu2(0x00020001, 0x00010001);
    out[4] = __vsub4(0x00010203, 0x01010101);
    out[5] = __fns(0x00000249, 1, 2);
    out[6] = __fns(0x00000249, 8, -1);
    out[7] = __fns(0x00000249, 8, 5);
}

static void test_words()
{
    const unsigned expected[8] = {0x02ff0304, 0x02020002, 0xffff0004, 0xffff0000,
                                  0xff000102, 6,          6,          ~0u};
    unsigned *out_dev, out[8];
    cudaMalloc(&out_dev, sizeof out);
    words<<<1, 1>>>(out_dev);
    cudaMemcpy(out, out_dev, sizeof out, cudaMemcpyDeviceToHost);
    bool good = true;
    for (int i = 0; i < 8; i++) {
        good = good && out[i] == expected[i];
    }
    claim(good, "arithmetic on the bytes and halves of a word, and its set bits");
    cudaFree(out_dev);
}

__global__ void inverses(double *error)
{
    const double y[] = {-0.99, -0.3, 0, 0.1, 0.999999};
    for (int i = 0; i < 5; i++) {
        error[i] = erf(erfinv(y[i])) - y[i];
    }
    error[5] = erfc(erfcinv(1e-20)) / 1e-20 - 1;
    error[6] = normcdf(normcdfinv(0.975)) - 0.975;
    error[7] = erfinvf(0.5f) - 0.4769362762;
}

static void test_inverses()
{
    double *error_dev, error[8];
    cudaMalloc(&error_dev, sizeof error);
    inverses<<<1, 1>>>(error_dev);
    cudaMemcpy(error, error_dev, sizeof error, cudaMemcpyDeviceToHost);
    bool good = true;
    for (int i = 0; i < 8; i++) {
        good = good && fabs(error[i]) < (i == 7 ? 1e-7 : 1e-12);
    }
    claim(good, "inverses of the error functions");
    cudaFree(error_dev);
}

// ---- time and groups -----------------------------------------------------------------------

__device__ volatile int signal_of_one;

__global__ void sleeps(int *out)
{
    long long start = clock64();
    unsigned long long global;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(global));
    if (threadIdx.x == 1) {
        atomicExch((int *)&signal_of_one, 1);
    }
    while (threadIdx.x == 0 && atomicAdd((int *)&signal_of_one, 0) == 0) {
        __nanosleep(100);
    }
    out[threadIdx.x] = clock64() >= start && global > 0;
}

// Tiles of 4 threads of tiles of 32: 8 in each.
__global__ void tiles(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition<4>(warp);
    out[threadIdx.x] = 100 * four.meta_group_size() + four.meta_group_rank();
}

// The lanes that have not returned when the others arrive.
__global__ void of_half(int *out)
{
    int lane = threadIdx.x % 32;
    out[32 + lane] = __reduce_add_sync(0xffffffff, 1000);
    if (lane < 16) {
        int same;
        unsigned both =
            __match_any_sync(0xffffffff, 1) & __match_all_sync(0xffffffff, 1, &same);
        out[lane] = __reduce_add_sync(0xffffffff, 1) + __popc(both) + 100 * same;
    }
}

// Half of the lanes go on to another reduction before the rest has read the result of the first.
__global__ void half_goes_on(int *out)
{
    int lane = threadIdx.x % 32, all = __reduce_add_sync(0xffffffff, 1);
    if (lane < 16) {
        all += __reduce_add_sync(0xffff, 1000) * 0;
    }
    out[lane] = all;
}

// Nobody writes the bytes between and behind these members.
struct padded {
    double value;
    int count;
};
struct more_padded {
    char first;
    short second;
    int third;
    float4 fourth;
    double fifth;
    char sixth;
};

template <typename T> __global__ void copies(T *to, const T *from)
{
    __shared__ T shared[32];
    T own = from[threadIdx.x];
    shared[threadIdx.x] = own;
    __syncthreads();
    to[threadIdx.x] = shared[31 - threadIdx.x];
}
__global__ void fill(padded *p, more_padded *m)
{
    p[threadIdx.x].value = p[threadIdx.x].count = threadIdx.x;
    more_padded *mine = &m[threadIdx.x];
    mine->first = mine->sixth = 1;
    mine->second = mine->third = 2;
    mine->fourth = make_float4(1, 2, 3, 4);
    mine->fifth = threadIdx.x;
}

static void test_padding()
{
    padded *p;
    more_padded *m;
    cudaMalloc(&p, 64 * sizeof *p);
    cudaMalloc(&m, 64 * sizeof *m);
    fill<<<1, 32>>>(p, m);
    copies<<<1, 32>>>(p + 32, p);
    copies<<<1, 32>>>(m + 32, m);
    padded all[32];
    cudaMemcpy(all, p, sizeof all,
               cudaMemcpyDeviceToHost); // a warning would be one line too many
    claim(all[31].count == 31 && fetch(&m[0]).sixth == 1 && fetch(&p[32]).count == 31 &&
              fetch(&m[63]).fifth == 0,
          "copies of structures with padding");
    cudaFree(p);
    cudaFree(m);
}

static void test_kernels()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    sleeps<<<1, 64>>>(out);
    claim(fetch(&out[0]) == 1, "clocks, and sleeping until another thread is done");
    tiles<<<1, 64>>>(out);
    claim(fetch(&out[31]) == 807 && fetch(&out[32]) == 800, "tiles of a tile");
    of_half<<<1, 32>>>(out);
    claim(fetch(&out[0]) == 132 && fetch(&out[15]) == 132,
          "a reduction without lanes that return");
    half_goes_on<<<1, 32>>>(out);
    bool good = true;
    for (int i = 0; i < 32; i++) {
        good = good && fetch(&out[i]) == 32;
    }
    claim(good, "a reduction before another one of half the lanes");
    cudaFree(out);
}

int main()
{
    test_atomics();
    test_store();
    test_launch();
    test_volumes();
    test_symbol();
    test_words();
    test_inverses();
    test_kernels();
    test_padding();
}
