// cublas_v2.h - the cuBLAS calls that the labs use, on OpenBLAS and simulated device memory.
//
// Column-major, as the real library; matrices live on the device, alpha and beta on the host.

#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#define CUBLAS_API_H_ // by which other headers recognize NVIDIA's

#include "cuda_runtime_api.h"
#include "library_types.h"
#if defined __cplusplus && defined __CUDACC__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VERSION 120400

#define GPU_CUBLAS_TABLE(STATUS)                                                         \
    STATUS(CUBLAS_STATUS_SUCCESS, 0)                                                     \
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, 1)                                             \
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, 3)                                                \
    STATUS(CUBLAS_STATUS_INVALID_VALUE, 7)                                               \
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH, 8)                                               \
    STATUS(CUBLAS_STATUS_MAPPING_ERROR, 11)                                              \
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED, 13)                                           \
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, 14)                                             \
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, 15)                                              \
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, 16)
#define GPU_CUBLAS_ENUM(name, number) name = number,
typedef enum { GPU_CUBLAS_TABLE(GPU_CUBLAS_ENUM) } cublasStatus_t;
#undef GPU_CUBLAS_ENUM

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef cudaDataType_t cublasDataType_t;

typedef struct cublasContext *cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);

// Copies of matrices and vectors (a vector is a matrix of one row) to the device and back. Inline, so that a
// finding in them is at the caller's line.
static inline cublasStatus_t gpu_cublas_copy(int rows, int cols, int bytes,
                                             const void *from, int ld_from, void *to,
                                             int ld_to, enum cudaMemcpyKind kind)
{
    size_t element = (size_t)bytes;
    if (rows < 0 || cols < 0 || bytes <= 0 || rows > ld_from || rows > ld_to) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return cudaMemcpy2D(to, (size_t)ld_to * element, from, (size_t)ld_from * element,
                        (size_t)rows * element, (size_t)cols, kind) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}
#define GPU_CUBLAS_COPIES(matrix, vector, kind)                                          \
    static inline cublasStatus_t matrix(int rows, int cols, int bytes, const void *from, \
                                        int ld_from, void *to, int ld_to)                \
    {                                                                                    \
        return gpu_cublas_copy(rows, cols, bytes, from, ld_from, to, ld_to, kind);       \
    }                                                                                    \
    static inline cublasStatus_t matrix##Async(int rows, int cols, int bytes,            \
                                               const void *from, int ld_from, void *to,  \
                                               int ld_to, cudaStream_t stream)           \
    {                                                                                    \
        (void)stream;                                                                    \
        return gpu_cublas_copy(rows, cols, bytes, from, ld_from, to, ld_to, kind);       \
    }                                                                                    \
    static inline cublasStatus_t vector(int n, int bytes, const void *from,              \
                                        int inc_from, void *to, int inc_to)              \
    {                                                                                    \
        return gpu_cublas_copy(1, n, bytes, from, inc_from, to, inc_to, kind);           \
    }                                                                                    \
    static inline cublasStatus_t vector##Async(int n, int bytes, const void *from,       \
                                               int inc_from, void *to, int inc_to,       \
                                               cudaStream_t stream)                      \
    {                                                                                    \
        (void)stream;                                                                    \
        return gpu_cublas_copy(1, n, bytes, from, inc_from, to, inc_to, kind);           \
    }
GPU_CUBLAS_COPIES(cublasSetMatrix, cublasSetVector, cudaMemcpyHostToDevice)
GPU_CUBLAS_COPIES(cublasGetMatrix, cublasGetVector, cudaMemcpyDeviceToHost)
#undef GPU_CUBLAS_COPIES

// c(m,n) = alpha op(a)(m,k) op(b)(k,n) + beta c, every matrix column-major.
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const float *alpha, const float *a, int lda, const float *b,
                           int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long stride_a, const float *b, int ldb,
                                         long long stride_b, const float *beta, float *c,
                                         int ldc, long long stride_c, int batches);
cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, int k,
                                  const float *alpha, const float *const a[], int lda,
                                  const float *const b[], int ldb, const float *beta,
                                  float *const c[], int ldc, int batches);
// The same for float, double, half and bfloat16; sums are of float, or double for double.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a,
                            cublasOperation_t op_b, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType type_a,
                            int lda, const void *b, cudaDataType type_b, int ldb,
                            const void *beta, void *c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
    int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
    long long stride_a, const void *b, cudaDataType type_b, int ldb, long long stride_b,
    const void *beta, void *c, cudaDataType type_c, int ldc, long long stride_c,
    int batches, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const double *alpha, const double *a, int lda, const double *b,
                           int ldb, const double *beta, double *c, int ldc);
// y = alpha op(a) x + beta y, with a (m,n).
cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const double *alpha, const double *a, int lda, const double *x,
                           int incx, const double *beta, double *y, int incy);
cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const float *alpha, const float *a, int lda, const float *x,
                           int incx, const float *beta, float *y, int incy);
// a = a + alpha x y^T
cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float *alpha,
                          const float *x, int incx, const float *y, int incy, float *a,
                          int lda);
// c = alpha op(a) + beta op(b)
cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, const float *alpha,
                           const float *a, int lda, const float *beta, const float *b,
                           int ldb, float *c, int ldc);
cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float *alpha,
                           const float *x, int incx, float *y, int incy);
cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float *alpha, float *x,
                           int incx);
cublasStatus_t cublasScopy(cublasHandle_t handle, int n, const float *x, int incx,
                           float *y, int incy);
cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float *x, int incx,
                          const float *y, int incy, float *result);
cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float *x, int incx,
                           float *result);

#ifdef __cplusplus
}
#endif

// The functions' names in the library; in NVIDIA's header, those without _v2 are macros.
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasGetStream_v2 cublasGetStream
#define cublasSetPointerMode_v2 cublasSetPointerMode
#define cublasGetPointerMode_v2 cublasGetPointerMode
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
#define cublasSgemv_v2 cublasSgemv
#define cublasDgemv_v2 cublasDgemv
#define cublasSger_v2 cublasSger
#define cublasSaxpy_v2 cublasSaxpy
#define cublasSscal_v2 cublasSscal
#define cublasScopy_v2 cublasScopy
#define cublasSdot_v2 cublasSdot
#define cublasSnrm2_v2 cublasSnrm2
#endif
