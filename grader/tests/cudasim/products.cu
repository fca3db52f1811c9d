// products.cu - cuBLAS' products of half, bfloat16, double and mixed matrices, and cublasLt's
// epilogues, compared with plain loops in double.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cublasLt.h>
#include <cublas_v2.h>

enum { M = 5, N = 4, K = 3, BATCHES = 2 };

static double number(int i)
{
    return (i * 7 % 11 - 5) / 4.0; // exact in every type
}

template <typename T> static T *on_device(int count, int from)
{
    std::vector<T> host(count);
    for (int i = 0; i < count; i++) {
        host[i] = T((float)number(from + i));
    }
    T *dev;
    cudaMalloc(&dev, count * sizeof(T));
    cudaMemcpy(dev, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return dev;
}

// c(M,N) = 2 A^T B + 0.5 c, where A is (K,M) as stored, and B (K,N); all column-major.
static double expected(int batch, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < K; k++) {
        sum +=
            number(batch * K * M + k + i * K) * number(100 + batch * K * N + k + j * K);
    }
    return 2 * sum + 0.5 * number(200 + batch * M * N + i + j * M);
}

template <typename C>
static bool near(const C *c_dev, int batches, double (*value)(int, int, int),
                 double tolerance)
{
    std::vector<C> c(batches * M * N);
    if (cudaMemcpy(c.data(), c_dev, c.size() * sizeof(C), cudaMemcpyDeviceToHost) !=
        cudaSuccess) {
        return false;
    }
    for (int b = 0; b < batches; b++) {
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < M; i++) {
                double got = (double)(float)c[b * M * N + i + j * M],
                       want = value(b, i, j);
                if (!(fabs(got - want) <= tolerance * (1 + fabs(want)))) {
                    printf("# batch %d, (%d,%d): %g, not %g\n", b, i, j, got, want);
                    return false;
                }
            }
        }
    }
    return true;
}

template <typename AB, typename C>
static void mixed(const char *name, cublasHandle_t handle, cudaDataType ab,
                  cudaDataType type_c)
{
    AB *a = on_device<AB>(BATCHES * K * M, 0), *b = on_device<AB>(BATCHES * K * N, 100);
    C *c = on_device<C>(BATCHES * M * N, 200);
    const float alpha = 2, beta = 0.5f;
    bool fine = cublasGemmStridedBatchedEx(
                    handle, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha, a, ab, K, K * M, b,
                    ab, K, K * N, &beta, c, type_c, M, M * N, BATCHES, CUBLAS_COMPUTE_32F,
                    CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
    double tolerance = type_c == CUDA_R_16BF  ? 1.0 / 256
                       : type_c == CUDA_R_16F ? 1.0 / 2048
                                              : 0;
    fine = fine && near(c, BATCHES, expected, tolerance);
    printf("%s - %s\n", fine ? "ok" : "not ok", name);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static double bias(int i)
{
    return number(300 + i);
}
static double sum_with_bias(int batch, int i, int j)
{
    return expected(batch, i, j) + bias(i);
}
static double with_gelu(int batch, int i, int j)
{
    double x = sum_with_bias(batch, i, j);
    return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double with_relu(int batch, int i, int j)
{
    double x = sum_with_bias(batch, i, j);
    return x > 0 ? x : 0;
}

// ---- backward ------------------------------------------------------------------------------

// The argument of the forward function: what AUX holds.
static double argument(int i, int j)
{
    return number(400 + i + j * M);
}
static double through_gelu(int batch, int i, int j)
{
    const double h = 1e-5, x = argument(i, j);
    auto gelu = [](double v) {
        return v / 2 * (1 + tanh(sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    };
    return expected(batch, i, j) * (gelu(x + h) - gelu(x - h)) / (2 * h);
}
static double through_relu(int batch, int i, int j)
{
    return argument(i, j) > 0 ? expected(batch, i, j) : 0;
}

// The sum over the columns of d, of op(A) over k, of op(B) over k.
template <double (*value)(int, int, int)> static double over_columns(int, int i, int)
{
    double sum = 0;
    for (int j = 0; j < N; j++) {
        sum += value(0, i, j);
    }
    return sum;
}
static double over_k_of_a(int, int i, int)
{
    double sum = 0;
    for (int k = 0; k < K; k++) {
        sum += number(k + i * K);
    }
    return sum;
}
static double over_k_of_b(int, int j, int)
{
    double sum = 0;
    for (int k = 0; k < K; k++) {
        sum += number(100 + k + j * K);
    }
    return sum;
}

// The bits of a ReLU's AUX, in columns of 128.
static unsigned char *bits_on_device()
{
    unsigned char bits[16 * N] = {}, *dev;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < M; i++) {
            bits[16 * j + i / 8] |= (argument(i, j) > 0) << i % 8;
        }
    }
    cudaMalloc(&dev, sizeof bits);
    cudaMemcpy(dev, bits, sizeof bits, cudaMemcpyHostToDevice);
    return dev;
}

static void backward(const char *name, cublasLtHandle_t handle, cublasLtEpilogue_t kind,
                     double (*value)(int, int, int), double (*bias_value)(int, int, int),
                     int bias_length)
{
    bool relu = kind == CUBLASLT_EPILOGUE_DRELU || kind == CUBLASLT_EPILOGUE_DRELU_BGRAD;
    float *a = on_device<float>(K * M, 0), *b = on_device<float>(K * N, 100);
    float *c = on_device<float>(M * N, 200), *d, *bias_dev;
    void *aux = relu ? (void *)bits_on_device() : on_device<float>(M * N, 400);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const int64_t ld = relu ? 128 : M;
    const float alpha = 2, beta = 0.5f;
    cudaMalloc(&d, M * N * sizeof(float));
    cudaMalloc(&bias_dev, M * N * sizeof(float));
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a_layout, b_layout, c_layout;
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
#define SET(attribute, value)                                                            \
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_##attribute, &value,    \
                                   sizeof value)
    SET(TRANSA, transposed);
    SET(EPILOGUE, kind);
    SET(BIAS_POINTER, bias_dev);
    SET(EPILOGUE_AUX_POINTER, aux);
    SET(EPILOGUE_AUX_LD, ld);
#undef SET
    cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_32F, K, M, K);
    cublasLtMatrixLayoutCreate(&b_layout, CUDA_R_32F, K, N, K);
    cublasLtMatrixLayoutCreate(&c_layout, CUDA_R_32F, M, N, M);
    bool fine = cublasLtMatmul(handle, product, &alpha, a, a_layout, b, b_layout, &beta,
                               c, c_layout, d, c_layout, NULL, NULL, 0,
                               0) == CUBLAS_STATUS_SUCCESS &&
                near(d, 1, value, 1e-6);
    float bias[M] = {};
    cudaMemcpy(bias, bias_dev, bias_length * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < bias_length; i++) {
        fine = fine && fabs(bias[i] - bias_value(0, i, 0)) < 1e-5;
    }
    printf("%s - %s\n", fine ? "ok" : "not ok", name);
    cublasLtMatrixLayoutDestroy(a_layout);
    cublasLtMatrixLayoutDestroy(b_layout);
    cublasLtMatrixLayoutDestroy(c_layout);
    cublasLtMatmulDescDestroy(product);
    for (void *each :
         {(void *)a, (void *)b, (void *)c, (void *)d, (void *)bias_dev, aux}) {
        cudaFree(each);
    }
}

static void epilogue(const char *name, cublasLtHandle_t handle, cublasLtEpilogue_t kind,
                     double (*value)(int, int, int))
{
    float *a = on_device<float>(K * M, 0), *b = on_device<float>(K * N, 100);
    float *c = on_device<float>(M * N, 200), *bias_dev = on_device<float>(M, 300), *d,
          *aux;
    cudaMalloc(&d, M * N * sizeof(float));
    cudaMalloc(&aux, M * N * sizeof(float));
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a_layout, b_layout, c_layout;
    cublasOperation_t transposed = CUBLAS_OP_T;
    const int64_t ld = M;
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                   sizeof transposed);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &kind,
                                   sizeof kind);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_dev,
                                   sizeof bias_dev);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                                   &aux, sizeof aux);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld,
                                   sizeof ld);
    cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_32F, K, M, K);
    cublasLtMatrixLayoutCreate(&b_layout, CUDA_R_32F, K, N, K);
    cublasLtMatrixLayoutCreate(&c_layout, CUDA_R_32F, M, N, M);
    const float alpha = 2, beta = 0.5f;
    bool fine =
        cublasLtMatmul(handle, product, &alpha, a, a_layout, b, b_layout, &beta, c,
                       c_layout, d, c_layout, NULL, NULL, 0,
                       0) == CUBLAS_STATUS_SUCCESS &&
        near(d, 1, value, 1e-6) &&
        (kind != CUBLASLT_EPILOGUE_GELU_AUX_BIAS || near(aux, 1, sum_with_bias, 1e-6));
    printf("%s - %s\n", fine ? "ok" : "not ok", name);
    cublasLtMatrixLayoutDestroy(a_layout);
    cublasLtMatrixLayoutDestroy(b_layout);
    cublasLtMatrixLayoutDestroy(c_layout);
    cublasLtMatmulDescDestroy(product);
    for (float *each : {a, b, c, bias_dev, d, aux}) {
        cudaFree(each);
    }
}

// Rows 1 to 3 of a matrix of 5 rows go to the device and into every second place there, and back.
static void copies(const char *name)
{
    enum { ROWS = 5, COLS = 3 };
    double a[COLS][ROWS], back[COLS][ROWS] = {}, *a_dev;
    for (int i = 0; i < ROWS * COLS; i++) {
        a[i / ROWS][i % ROWS] = i;
    }
    cudaMalloc(&a_dev, 4 * COLS * sizeof(double));
    bool fine = cublasSetMatrix(3, COLS, sizeof(double), &a[0][1], ROWS, a_dev, 4) ==
                    CUBLAS_STATUS_SUCCESS &&
                cublasGetMatrixAsync(3, COLS, sizeof(double), a_dev, 4, &back[0][1], ROWS,
                                     0) == CUBLAS_STATUS_SUCCESS &&
                cublasSetMatrix(5, COLS, sizeof(double), a, ROWS, a_dev, 4) ==
                    CUBLAS_STATUS_INVALID_VALUE;
    for (int j = 0; j < COLS; j++) {
        for (int i = 0; i < ROWS; i++) {
            fine = fine && back[j][i] == (i >= 1 && i <= 3 ? a[j][i] : 0);
        }
    }
    double twice[2 * COLS] = {};
    fine = fine &&
           cublasSetVector(COLS, sizeof(double), a, ROWS, a_dev, 2) ==
               CUBLAS_STATUS_SUCCESS &&
           cublasGetVector(COLS, sizeof(double), a_dev, 2, twice, 1) ==
               CUBLAS_STATUS_SUCCESS &&
           twice[0] == a[0][0] && twice[1] == a[1][0] && twice[2] == a[2][0];
    printf("%s - %s\n", fine ? "ok" : "not ok", name);
    cudaFree(a_dev);
}

int main()
{
    cublasHandle_t handle;
    cublasLtHandle_t lt;
    cublasCreate(&handle);
    cublasLtCreate(&lt);
    copies("copies_of_matrices_and_vectors");
    mixed<float, float>("float", handle, CUDA_R_32F, CUDA_R_32F);
    mixed<half, half>("half", handle, CUDA_R_16F, CUDA_R_16F);
    mixed<half, float>("half_into_float", handle, CUDA_R_16F, CUDA_R_32F);
    mixed<__nv_bfloat16, __nv_bfloat16>("bfloat16", handle, CUDA_R_16BF, CUDA_R_16BF);
    mixed<__nv_bfloat16, float>("bfloat16_into_float", handle, CUDA_R_16BF, CUDA_R_32F);
    epilogue("no_epilogue", lt, CUBLASLT_EPILOGUE_DEFAULT,
             [](int b, int i, int j) { return expected(b, i, j); });
    epilogue("bias", lt, CUBLASLT_EPILOGUE_BIAS, sum_with_bias);
    epilogue("relu_and_bias", lt, CUBLASLT_EPILOGUE_RELU_BIAS, with_relu);
    epilogue("gelu_and_bias", lt, CUBLASLT_EPILOGUE_GELU_BIAS, with_gelu);
    epilogue("gelu_bias_and_aux", lt, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, with_gelu);
    backward("gelu_backward", lt, CUBLASLT_EPILOGUE_DGELU, through_gelu, NULL, 0);
    backward("relu_backward", lt, CUBLASLT_EPILOGUE_DRELU, through_relu, NULL, 0);
    backward("gelu_backward_and_bias", lt, CUBLASLT_EPILOGUE_DGELU_BGRAD, through_gelu,
             over_columns<through_gelu>, M);
    backward("relu_backward_and_bias", lt, CUBLASLT_EPILOGUE_DRELU_BGRAD, through_relu,
             over_columns<through_relu>, M);
    backward("bias_of_a", lt, CUBLASLT_EPILOGUE_BGRADA, expected, over_k_of_a, M);
    backward("bias_of_b", lt, CUBLASLT_EPILOGUE_BGRADB, expected, over_k_of_b, N);
    cublasDestroy(handle);
    cublasLtDestroy(lt);
}
