// assembly.cu - inline assembly: copies in groups, ldmatrix, mma.sync, special registers.

#include <cstdio>

#include <cuda_fp16.h>

#define COPY(to, from, bytes)                                                            \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(to),       \
                 "l"(from), "n"(bytes))

__device__ static unsigned address_of(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__global__ void registers(int *out)
{
    unsigned lane, below;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    float x = (float)lane, y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    out[threadIdx.x] = (int)lane + __popc(below) * 100 + (y == exp2f(x) ? 10000 : 0) +
                       (__LINE__ == 24 ? 20000 : 0);
}

__global__ void copies(int *out, const int *in)
{
    __shared__ __align__(16) int s[128];
    COPY(address_of(&s[4 * threadIdx.x]), in + 4 * threadIdx.x, 16);
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x];
}

// Two floats become one word, the second one its lower half.
__global__ void pairs(unsigned *out, float x, float y)
{
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out[0]) : "f"(x), "f"(y));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out[1]) : "f"(x), "f"(y));
}

// d(16,8) = a(16,16) b(16,8): a by rows and b by columns, as ldmatrix reads them.
__global__ void product(float *d, const half *a, const half *b)
{
    __shared__ __align__(16) half sa[16][16], sb[16][8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) {
        sa[i / 16][i % 16] = a[i];
    }
    for (int i = lane; i < 128; i += 32) {
        sb[i / 8][i % 8] = b[i];
    }
    __syncthreads();
    unsigned ra[4], rb[2];
    float c[4] = {1, 2, 3, 4};
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(address_of(&sa[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(address_of(&sb[lane % 16][0])));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]),
                   "r"(rb[1]));
    for (int i = 0; i < 4; i++) {
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
    }
}

static void claim(const char *name, bool right)
{
    printf("%s - %s\n", right ? "ok" : "not ok", name);
}

static void multiply()
{
    half a[16 * 16], b[16 * 8], *a_dev, *b_dev;
    float d[16 * 8], *d_dev;
    for (int i = 0; i < 256; i++) {
        a[i] = half((float)(i * 7 % 11));
    }
    for (int i = 0; i < 128; i++) {
        b[i] = half((float)(i * 5 % 7));
    }
    cudaMalloc(&a_dev, sizeof a);
    cudaMalloc(&b_dev, sizeof b);
    cudaMalloc(&d_dev, sizeof d);
    cudaMemcpy(a_dev, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(b_dev, b, sizeof b, cudaMemcpyHostToDevice);
    product<<<1, 32>>>(d_dev, a_dev, b_dev);
    cudaMemcpy(d, d_dev, sizeof d, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
            float sum = (float)(1 + n % 2 + m / 8 * 2);
            for (int k = 0; k < 16; k++) {
                sum += (float)a[m * 16 + k] * (float)b[k * 8 + n];
            }
            right = right && d[m * 8 + n] == sum;
        }
    }
    claim("ldmatrix_and_mma", right);
    cudaFree(a_dev);
    cudaFree(b_dev);
    cudaFree(d_dev);
}

int main()
{
    int x[128], y[64], *x_dev, *y_dev;
    for (int i = 0; i < 128; i++) {
        x[i] = i * i;
    }
    cudaMalloc(&x_dev, sizeof x);
    cudaMalloc(&y_dev, sizeof y);
    cudaMemcpy(x_dev, x, sizeof x, cudaMemcpyHostToDevice);
    registers<<<1, 64>>>(y_dev);
    cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost);
    claim("registers_and_functions", y[0] == 30000 && y[33] == 30101);
    pairs<<<1, 1>>>((unsigned *)y_dev, 1.0f + 0x1p-8f, -2.0f); // a tie in bf16: to even
    cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost);
    claim("pairs_of_small_floats", y[0] == 0x3c04c000 && y[1] == 0x3f80c000);
    copies<<<1, 32>>>(y_dev, x_dev);
    cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost);
    claim("copies_in_groups", y[0] == 127 * 127 && y[31] == 96 * 96);
    multiply();
    cudaFree(x_dev);
    cudaFree(y_dev);
}
