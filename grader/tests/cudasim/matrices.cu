// matrices.cu - products of a warp: every shape, type and layout of mma.h, compared with loops.

#include <cstdio>
#include <type_traits>

#include <mma.h>

using namespace nvcuda;

// d = 2 (a b + c); the fragments of c and d lie in memory by rows or by columns.
template <typename T, typename S, typename C, int M, int N, int K, typename LA,
          typename LB>
__global__ void multiply(C *d, const S *a, const S *b, const C *c, int line_a, int line_b,
                         int line_c, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> part_a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> part_b;
    wmma::fragment<wmma::accumulator, M, N, K, C> part_c, part_d;
    wmma::load_matrix_sync(part_a, a, line_a);
    wmma::load_matrix_sync(part_b, b, line_b);
    wmma::load_matrix_sync(part_c, c, line_c, layout);
    wmma::fill_fragment(part_d, 0);
    wmma::mma_sync(part_d, part_a, part_b, part_c);
    for (int i = 0; i < part_d.num_elements; i++) {
        part_d.x[i] = part_d.x[i] * (C)2;
    }
    wmma::store_matrix_sync(d, part_d, line_c, layout);
}

// A matrix of small whole numbers, which every type holds, in lines of 32 elements.
enum { LINE = 32 };

template <typename S> static double at(const S *x, bool by_rows, int row, int column)
{
    return (double)(float)x[by_rows ? row * LINE + column : column * LINE + row];
}

template <typename S> static S *on_device(S host[LINE * LINE], int from)
{
    for (int i = 0; i < LINE * LINE; i++) {
        host[i] = S((float)((i * 7 + from) % 5));
    }
    S *dev;
    cudaMalloc(&dev, LINE * LINE * sizeof(S));
    cudaMemcpy(dev, host, LINE * LINE * sizeof(S), cudaMemcpyHostToDevice);
    return dev;
}

template <typename T, typename S, typename C, int M, int N, int K, bool rows_a,
          bool rows_b, bool rows_c>
static void one(const char *name)
{
    typedef typename std::conditional<rows_a, wmma::row_major, wmma::col_major>::type LA;
    typedef typename std::conditional<rows_b, wmma::row_major, wmma::col_major>::type LB;
    S a[LINE * LINE], b[LINE * LINE];
    C c[LINE * LINE], d[LINE * LINE], unused[LINE * LINE];
    S *a_dev = on_device(a, 1), *b_dev = on_device(b, 2);
    C *c_dev = on_device(c, 3), *d_dev = on_device(unused, 0);
    multiply<T, S, C, M, N, K, LA, LB>
        <<<1, 32>>>(d_dev, a_dev, b_dev, c_dev, LINE, LINE, LINE,
                    rows_c ? wmma::mem_row_major : wmma::mem_col_major);
    bool right = cudaGetLastError() == cudaSuccess;
    cudaMemcpy(d, d_dev, sizeof d, cudaMemcpyDeviceToHost);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            double sum = at(c, rows_c, m, n);
            for (int k = 0; k < K; k++) {
                sum += at(a, rows_a, m, k) * at(b, rows_b, k, n);
            }
            right = right && at(d, rows_c, m, n) == 2 * sum;
        }
    }
    printf("%s - %s_%dx%dx%d\n", right ? "ok" : "not ok", name, M, N, K);
    cudaFree(a_dev);
    cudaFree(b_dev);
    cudaFree(c_dev);
    cudaFree(d_dev);
}

template <typename T, typename S, typename C> static void shapes(const char *name)
{
    one<T, S, C, 16, 16, 16, true, false, true>(name);
    one<T, S, C, 16, 16, 16, false, true, false>(name);
    one<T, S, C, 32, 8, 16, true, true, false>(name);
    one<T, S, C, 8, 32, 16, false, false, true>(name);
}

__global__ void roundings(float *x)
{
    x[0] = wmma::__float_to_tf32(1 + 0x1p-11f); // a tie, away from zero
    x[1] = wmma::__float_to_tf32(1 + 0x1p-12f);
    x[2] = wmma::__float_to_tf32(-1 - 0x1.8p-11f);
}

static void precision()
{
    float x[3], *x_dev;
    cudaMalloc(&x_dev, sizeof x);
    roundings<<<1, 1>>>(x_dev);
    cudaMemcpy(x, x_dev, sizeof x, cudaMemcpyDeviceToHost);
    bool right = x[0] == 1 + 0x1p-10f && x[1] == 1 && x[2] == -1 - 0x1p-10f;
    printf("%s - tf32_has_ten_places\n", right ? "ok" : "not ok");
    cudaFree(x_dev);
}

int main()
{
    shapes<half, half, float>("half_into_float");
    shapes<half, half, half>("half");
    shapes<__nv_bfloat16, __nv_bfloat16, float>("bfloat16_into_float");
    shapes<signed char, signed char, int>("signed_bytes_into_int");
    shapes<unsigned char, unsigned char, int>("unsigned_bytes_into_int");
    one<wmma::precision::tf32, float, float, 16, 16, 8, true, false, true>("tf32");
    one<double, double, double, 8, 8, 4, false, true, false>("double");
    precision();
}
