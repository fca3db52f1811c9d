// add.cu - adds two vectors. A correct program: cudasim finds nothing.
//
//     build/cudasim run docs/cudasim/add.cu -- 1000

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t error = (call);                                                      \
        if (error != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

__global__ void add(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    std::vector<float> a(n, 1.5f), b(n, 2.0f), out(n);
    size_t bytes = n * sizeof(float);
    float *a_dev, *b_dev, *out_dev;
    CHECK(cudaMalloc(&a_dev, bytes));
    CHECK(cudaMalloc(&b_dev, bytes));
    CHECK(cudaMalloc(&out_dev, bytes));
    CHECK(cudaMemcpy(a_dev, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b_dev, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(out_dev, a_dev, b_dev, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), out_dev, bytes, cudaMemcpyDeviceToHost));
    printf("%d sums, the last is %g\n", n, out[n - 1]);
    CHECK(cudaFree(a_dev));
    CHECK(cudaFree(b_dev));
    CHECK(cudaFree(out_dev));
}
