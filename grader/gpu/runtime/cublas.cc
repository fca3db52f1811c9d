// cublas.cc - cuBLAS, implemented with OpenBLAS, with the real library's checks and the
// shadow's.
//
// Before it calls OpenBLAS, it checks every column used: inside an allocation, and written
// before it is read. In a matrix (rows, columns) with leading dimension ld, a new column
// begins every ld elements, so only `rows` elements of the last column must exist.

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/runtime/library.h"
#include "gpu/runtime/sample.h"

using namespace gpu_runtime;

namespace gpu_runtime
{

bool library_ready(cublasHandle_t handle, cublasStatus_t *status)
{
    runtime_initialize();
    *status = handle == NULL                ? CUBLAS_STATUS_NOT_INITIALIZED
              : call_state() != cudaSuccess ? CUBLAS_STATUS_EXECUTION_FAILED
                                            : CUBLAS_STATUS_SUCCESS;
    if (handle != NULL) {
        launcher_uses(handle->stream, "a cuBLAS call", call_pc);
    }
    sample_library();
    return *status == CUBLAS_STATUS_SUCCESS && !launch.only;
}

void library_place(cublasHandle_t handle, const void *value, size_t bytes,
                   const char *name, const char *call)
{
    bool on_device = memory_offset((uintptr_t)value) != NOT_DEVICE;
    if (on_device != (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)) {
        finding_stop(
            on_device ? "device-pointer" : "host-pointer", call_pc, NULL,
            "%s of %s is %s memory; the handle's pointer mode needs it on the %s.", name,
            call, on_device ? "device" : "host", on_device ? "host" : "device");
    }
    if (on_device) {
        shadow_library(value, bytes, false, name);
    }
}

} // namespace gpu_runtime

namespace
{

// Reads alpha or beta.
float scalar(cublasHandle_t handle, const float *value, const char *name,
             const char *call)
{
    library_place(handle, value, sizeof *value, name, call);
    return *value;
}

struct matrix {
    const char *name;
    const float *at;
    int rows, columns, ld;
};

// As stored: op(a) is (m,k), so a itself is (k,m) if transposed.
struct matrix stored(const char *name, const float *at, cublasOperation_t op, int rows,
                     int columns, int ld)
{
    bool straight = op == CUBLAS_OP_N;
    return {name, at, straight ? rows : columns, straight ? columns : rows, ld};
}

bool valid(const struct matrix *m)
{
    return m->rows >= 0 && m->columns >= 0 && m->ld >= (m->rows > 1 ? m->rows : 1);
}

bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

void use(const struct matrix *m, bool write, const char *call)
{
    char what[64];
    snprintf(what, sizeof what, "matrix %s of %s", m->name, call);
    for (int j = 0; j < m->columns && m->rows > 0; j++) {
        shadow_library(m->at + (size_t)j * (size_t)m->ld, (size_t)m->rows * sizeof(float),
                       write, what);
    }
}

// A vector of n elements, inc apart.
void use_vector(const char *name, const float *x, int n, int inc, bool write,
                const char *call)
{
    struct matrix m = {name, x, 1, n, abs(inc)};
    use(&m, write, call);
}

CBLAS_TRANSPOSE cblas_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    launcher_may_not("launcher-allocates", "cublasCreate", CALLER());
    runtime_initialize();
    if (handle == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = (cublasHandle_t)calloc(1, sizeof **handle);
    return *handle == NULL ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    free(handle);
    return handle == NULL ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

#define SETTING(Name, type, member)                                                      \
    cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value)                    \
    {                                                                                    \
        if (handle == NULL) {                                                            \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                        \
        }                                                                                \
        handle->member = value;                                                          \
        return CUBLAS_STATUS_SUCCESS;                                                    \
    }                                                                                    \
    cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *value)                   \
    {                                                                                    \
        if (handle == NULL) {                                                            \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                        \
        }                                                                                \
        *value = handle->member;                                                         \
        return CUBLAS_STATUS_SUCCESS;                                                    \
    }
SETTING(Stream, cudaStream_t, stream)
SETTING(MathMode, cublasMath_t, math)
SETTING(PointerMode, cublasPointerMode_t, pointers)

#define NAME(name, number)                                                               \
    case name:                                                                           \
        return #name;
const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
        GPU_CUBLAS_TABLE(NAME)
    }
    return "unknown cuBLAS status";
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

static cublasStatus_t product(const char *call, cublasHandle_t handle,
                              cublasOperation_t op_a, cublasOperation_t op_b, int m,
                              int n, int k, const float *alpha, const float *a, int lda,
                              long long stride_a, const float *b, int ldb,
                              long long stride_b, const float *beta, float *c, int ldc,
                              long long stride_c, int batches)
{
    cublasStatus_t status;
    struct matrix ma = stored("A", a, op_a, m, k, lda),
                  mb = stored("B", b, op_b, k, n, ldb), mc = {"C", c, m, n, ldc};
    if (!library_ready(handle, &status)) {
        return status;
    }
    if (!valid_op(op_a) || !valid_op(op_b) || !valid(&ma) || !valid(&mb) || !valid(&mc) ||
        batches < 0 || alpha == NULL || beta == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0 || batches == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    float s = scalar(handle, alpha, "alpha", call),
          t = scalar(handle, beta, "beta", call);
    for (int i = 0; i < batches; i++) {
        ma.at = a + i * stride_a;
        mb.at = b + i * stride_b;
        mc.at = c + i * stride_c;
        if (s != 0.0f) {
            use(&ma, false, call);
            use(&mb, false, call);
        }
        if (t != 0.0f) {
            use(&mc, false, call);
        }
        use(&mc, true, call);
        cblas_sgemm(CblasColMajor, cblas_op(op_a), cblas_op(op_b), m, n, k, s, ma.at, lda,
                    mb.at, ldb, t, c + i * stride_c, ldc);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long stride_a, const float *b, int ldb,
                                         long long stride_b, const float *beta, float *c,
                                         int ldc, long long stride_c, int batches)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    return product("cublasSgemmStridedBatched", handle, op_a, op_b, m, n, k, alpha, a,
                   lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batches);
}
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const float *alpha, const float *a, int lda, const float *b,
                           int ldb, const float *beta, float *c, int ldc)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    return product("cublasSgemm", handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb,
                   0, beta, c, ldc, 0, 1);
}

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const float *alpha, const float *a, int lda, const float *x,
                           int incx, const float *beta, float *y, int incy)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    static const char call[] = "cublasSgemv";
    cublasStatus_t status;
    struct matrix ma = {"A", a, m, n, lda};
    if (!library_ready(handle, &status)) {
        return status;
    }
    if (!valid_op(op) || !valid(&ma) || incx == 0 || incy == 0 || alpha == NULL ||
        beta == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    float s = scalar(handle, alpha, "alpha", call),
          t = scalar(handle, beta, "beta", call);
    int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
    use(&ma, false, call);
    use_vector("x", x, in, incx, false, call);
    if (t != 0.0f) {
        use_vector("y", y, out, incy, false, call);
    }
    use_vector("y", y, out, incy, true, call);
    cblas_sgemv(CblasColMajor, cblas_op(op), m, n, s, a, lda, x, incx, t, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float *alpha,
                          const float *x, int incx, const float *y, int incy, float *a,
                          int lda)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    static const char call[] = "cublasSger";
    cublasStatus_t status;
    struct matrix ma = {"A", a, m, n, lda};
    if (!library_ready(handle, &status)) {
        return status;
    }
    if (!valid(&ma) || incx == 0 || incy == 0 || alpha == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    float s = scalar(handle, alpha, "alpha", call);
    use_vector("x", x, m, incx, false, call);
    use_vector("y", y, n, incy, false, call);
    use(&ma, false, call);
    use(&ma, true, call);
    cblas_sger(CblasColMajor, m, n, s, x, incx, y, incy, a, lda);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, const float *alpha,
                           const float *a, int lda, const float *beta, const float *b,
                           int ldb, float *c, int ldc)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    static const char call[] = "cublasSgeam";
    cublasStatus_t status;
    struct matrix ma = stored("A", a, op_a, m, n, lda),
                  mb = stored("B", b, op_b, m, n, ldb), mc = {"C", c, m, n, ldc};
    if (!library_ready(handle, &status)) {
        return status;
    }
    if (!valid_op(op_a) || !valid_op(op_b) || !valid(&ma) || !valid(&mb) || !valid(&mc) ||
        alpha == NULL || beta == NULL || (c == a && op_a != CUBLAS_OP_N) ||
        (c == b && op_b != CUBLAS_OP_N)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    float s = scalar(handle, alpha, "alpha", call),
          t = scalar(handle, beta, "beta", call);
    if (s != 0.0f) {
        use(&ma, false, call);
    }
    if (t != 0.0f) {
        use(&mb, false, call);
    }
    use(&mc, true, call);
    for (size_t j = 0; j < (size_t)n; j++) {
        for (size_t i = 0; i < (size_t)m; i++) {
            size_t ia = op_a == CUBLAS_OP_N ? j * (size_t)lda + i : i * (size_t)lda + j;
            size_t ib = op_b == CUBLAS_OP_N ? j * (size_t)ldb + i : i * (size_t)ldb + j;
            c[j * (size_t)ldc + i] =
                (s != 0.0f ? s * a[ia] : 0.0f) + (t != 0.0f ? t * b[ib] : 0.0f);
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float *alpha,
                           const float *x, int incx, float *y, int incy)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status) || n <= 0) {
        return status;
    }
    use_vector("x", x, n, incx, false, "cublasSaxpy");
    use_vector("y", y, n, incy, false, "cublasSaxpy");
    use_vector("y", y, n, incy, true, "cublasSaxpy");
    cblas_saxpy(n, scalar(handle, alpha, "alpha", "cublasSaxpy"), x, incx, y, incy);
    return status;
}

cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float *alpha, float *x,
                           int incx)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status) || n <= 0 || incx <= 0) {
        return status;
    }
    use_vector("x", x, n, incx, false, "cublasSscal");
    use_vector("x", x, n, incx, true, "cublasSscal");
    cblas_sscal(n, scalar(handle, alpha, "alpha", "cublasSscal"), x, incx);
    return status;
}

cublasStatus_t cublasScopy(cublasHandle_t handle, int n, const float *x, int incx,
                           float *y, int incy)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status) || n <= 0) {
        return status;
    }
    use_vector("x", x, n, incx, false, "cublasScopy");
    use_vector("y", y, n, incy, true, "cublasScopy");
    cblas_scopy(n, x, incx, y, incy);
    return status;
}

// A scalar result goes to host or device like alpha.
static void give(cublasHandle_t handle, float *result, float value, const char *call)
{
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
        shadow_library(result, sizeof *result, true, call);
    } else {
        launcher_may_not("launcher-waits", "a cuBLAS function for a number on the host",
                         call_pc);
        shadow_waited();
    }
    *result = value;
}

cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float *x, int incx,
                          const float *y, int incy, float *result)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status)) {
        return status;
    }
    use_vector("x", x, n, incx, false, "cublasSdot");
    use_vector("y", y, n, incy, false, "cublasSdot");
    give(handle, result, n > 0 ? cblas_sdot(n, x, incx, y, incy) : 0.0f, "cublasSdot");
    return status;
}

cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float *x, int incx,
                           float *result)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status)) {
        return status;
    }
    use_vector("x", x, n, incx, false, "cublasSnrm2");
    give(handle, result, n > 0 && incx > 0 ? cblas_snrm2(n, x, incx) : 0.0f,
         "cublasSnrm2");
    return status;
}

} // extern "C"
