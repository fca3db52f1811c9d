// host_threads.cu - several host threads that use the device at once: launches, allocations, copies,
// streams and errors, while the others compute in host code. A right program, so it is clean.

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

enum { THREADS = 4, ROUNDS = 30, N = 3000, BLOCK = 128 };

// A function of both sides: each side has its own branch.
__host__ __device__ int side(int i)
{
#ifdef __CUDA_ARCH__
    return 2 * i;
#else
    return 3 * i;
#endif
}

// out[block] = the sum of side(x[i]) over the block.
__global__ void sums(int *out, const int *x, int n)
{
    __shared__ int part[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? side(x[i]) : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}

__global__ void add(int *x, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += what;
    }
}

static long host_work(std::vector<int> &values)
{
    long sum = 0;
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = side((int)i);
        sum += values[i];
    }
    return sum;
}

static bool one_round(int self, int round)
{
    const int blocks = (N + BLOCK - 1) / BLOCK, first = 7 * self + round;
    std::vector<int> x(N, first), out(blocks);
    int *x_dev, *out_dev, *managed;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&x_dev, N * sizeof(int));
    cudaMalloc(&out_dev, blocks * sizeof(int));
    cudaMallocManaged(&managed, BLOCK * sizeof(int));
    cudaMemcpyAsync(x_dev, x.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream);
    for (int i = 0; i < BLOCK; i++) {
        managed[i] = i;
    }
    sums<<<blocks, BLOCK, 0, stream>>>(out_dev, x_dev, N);
    add<<<1, BLOCK, 0, stream>>>(managed, BLOCK, self);
    bool good = cudaGetLastError() == cudaSuccess;
    if (self == 1) { // an error belongs to the thread that made it
        add<<<1, 4096>>>(managed, 1, 0);
        good = good && cudaGetLastError() == cudaErrorInvalidConfiguration;
    }
    cudaMemcpyAsync(out.data(), out_dev, blocks * sizeof(int), cudaMemcpyDeviceToHost,
                    stream);
    good = good && cudaStreamSynchronize(stream) == cudaSuccess;
    long sum = 0;
    for (int b = 0; b < blocks; b++) {
        sum += out[b];
    }
    good = good && sum == 2L * N * first;
    good = good && managed[BLOCK - 1] == BLOCK - 1 + self;
    good = good && host_work(x) == 3L * N * (N - 1) / 2;
    cudaFree(x_dev);
    cudaFree(out_dev);
    cudaFree(managed);
    cudaStreamDestroy(stream);
    return good && cudaGetLastError() == cudaSuccess;
}

int main()
{
    bool good[THREADS];
    std::vector<std::thread> threads;
    for (int self = 0; self < THREADS; self++) {
        good[self] = true;
        threads.emplace_back([self, &good] {
            for (int round = 0; round < ROUNDS; round++) {
                good[self] = one_round(self, round) && good[self];
            }
        });
    }
    int right = 0;
    for (int self = 0; self < THREADS; self++) {
        threads[self].join();
        right += good[self];
    }
    printf("%d of %d threads are right\n", right, THREADS);
    return right == THREADS ? 0 : 1;
}
