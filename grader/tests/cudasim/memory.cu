// memory.cu - memory that host code and kernels share: managed, pinned and registered. A part of the
// host code is in memory_host.cpp, where the simulator sees no access.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

enum { N = 64 };

void fill(int *x, int n, int from);

__global__ void add_one(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x] + 1;
}

// ---- memory of kernels ---------------------------------------------------------------------

struct number {
    int value;
    __device__ number(int of) : value(of)
    {
    }
    __device__ virtual int plus(int other) const
    {
        return value + other;
    }
};
struct negative : number {
    __device__ negative(int of) : number(of)
    {
    }
    __device__ int plus(int other) const override
    {
        return other - value;
    }
};

__global__ void make(number **all)
{
    all[threadIdx.x] = threadIdx.x % 2 == 0 ? new number((int)threadIdx.x)
                                            : new negative((int)threadIdx.x);
}

__global__ void use(int *to, number **all)
{
    __shared__ __align__(8) char place[sizeof(negative)];
    __shared__ number *one;
    if (threadIdx.x == 0) {
        one = new (place) negative(5);
    }
    __syncthreads();
    int *mine = (int *)malloc(2 * sizeof(int));
    mine[1] = all[threadIdx.x]->plus(100); // 100 + t or 100 - t
    to[threadIdx.x] = mine[1] * (threadIdx.x % 2 == 0 ? 1 : -1) +
                      (threadIdx.x % 2 == 0 ? 0 : 200) + one->plus(0);
    free(mine);
    delete all[threadIdx.x];
}

static void claim(const char *name, const int *x, int first)
{
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; i++) {
        right = right && x[i] == first + i;
    }
    printf("%s - %s\n", right ? "ok" : "not ok", name);
}

int main()
{
    int *x, *y, *y_dev;
    cudaMallocManaged(&x, N * sizeof(int));
    cudaMallocManaged(&y, N * sizeof(int));
    fill(x, N, -5); // -1 has all bits set
    add_one<<<1, N>>>(y, x);
    claim("managed_memory_from_another_file", y, -4);
    for (int i = 0; i < N; i++) {
        x[i] = 70000 + i;
    }
    add_one<<<1, N>>>(y, x);
    claim("managed_memory_from_this_file", y, 70001);
    cudaFree(x);
    cudaFree(y);

    cudaHostAlloc(&x, N * sizeof(int), cudaHostAllocMapped);
    y = (int *)malloc(N * sizeof(int));
    cudaHostRegister(y, N * sizeof(int), cudaHostRegisterMapped);
    fill(x, N, 10);
    cudaHostGetDevicePointer(&y_dev, y, 0);
    add_one<<<1, N>>>(y_dev, x);
    claim("pinned_and_registered_memory", y, 11);
    cudaHostUnregister(y);
    free(y);
    cudaFreeHost(x);

    number **all;
    cudaMallocManaged(&y, N * sizeof(int));
    cudaMalloc(&all, N * sizeof *all);
    make<<<1, N>>>(all);
    use<<<1, N>>>(y, all);
    claim("objects_that_kernels_make", y, 95);
    cudaFree(all);
    cudaFree(y);

    std::atomic<int> count(3);
    int expected = 5;
    count.fetch_add(2);
    bool swapped = count.compare_exchange_strong(expected, 9);
    printf("%s - atomics_of_the_host\n", swapped && count.load() == 9 ? "ok" : "not ok");
}
