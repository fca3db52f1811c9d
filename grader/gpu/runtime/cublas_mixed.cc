// cublas_mixed.cc - products of matrices of any type: cublasGemmEx and its batched form,
// cublasDgemm, cublasSgemmBatched, and cublasLt with its epilogues.
//
// The operands are widened to double, multiplied by OpenBLAS, and rounded once to the type of the
// result. That is at least as exact as a device, which sums in float.

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/include/cublasLt.h"
#include "gpu/include/simulated/small_bits.h"
#include "gpu/runtime/library.h"

using namespace gpu_runtime;

namespace
{

struct operand {
    const char *name;
    const void *at;
    cudaDataType type;
    uint64_t rows, columns; // as stored
    int64_t ld, stride;
};

size_t size_of(cudaDataType type)
{
    return type == CUDA_R_64F                          ? 8
           : type == CUDA_R_32F                        ? 4
           : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
                                                       : 0;
}

double widen(const void *at, size_t i, cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)at)[i];
    case CUDA_R_16F:
        return gpu_widen_small<5>(((const unsigned short *)at)[i]);
    case CUDA_R_16BF:
        return gpu_widen_small<8>(((const unsigned short *)at)[i]);
    default:
        return ((const float *)at)[i];
    }
}

void round_to(void *at, size_t i, cudaDataType type, double value)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)at)[i] = value;
        break;
    case CUDA_R_16F:
        ((unsigned short *)at)[i] = gpu_round_small<5>((float)value);
        break;
    case CUDA_R_16BF:
        ((unsigned short *)at)[i] = gpu_round_small<8>((float)value);
        break;
    default:
        ((float *)at)[i] = (float)value;
    }
}

bool valid(const struct operand *o)
{
    return size_of(o->type) > 0 && o->ld >= (int64_t)(o->rows > 1 ? o->rows : 1);
}

char *column(const struct operand *o, uint64_t j, int batch)
{
    return (char *)(uintptr_t)o->at +
           ((size_t)o->stride * (size_t)batch + j * (size_t)o->ld) * size_of(o->type);
}

// Checks every column, inside an allocation and written before it is read.
void use(const struct operand *o, int batch, bool write, const char *call)
{
    char what[64];
    snprintf(what, sizeof what, "matrix %s of %s", o->name, call);
    for (uint64_t j = 0; j < o->columns && o->rows > 0; j++) {
        shadow_library(column(o, j, batch), o->rows * size_of(o->type), write, what);
    }
}

// A copy as doubles, without gaps; free it.
double *widened(const struct operand *o, int batch)
{
    double *to = (double *)malloc((o->rows * o->columns + 1) * sizeof *to);
    if (to == NULL) {
        perror("gpu simulator");
        abort();
    }
    for (uint64_t j = 0; j < o->columns; j++) {
        const char *from = column(o, j, batch);
        for (uint64_t i = 0; i < o->rows; i++) {
            to[j * o->rows + i] = widen(from, i, o->type);
        }
    }
    return to;
}

struct product {
    const char *call;
    bool transposed_a, transposed_b;
    double alpha, beta;
    struct operand a, b, c, d;
    cublasLtEpilogue_t epilogue;
    struct operand bias, aux; // of one column; of d's shape
};

double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

double gelu_slope(double x)
{
    const double c = 0.7978845608028654, t = tanh(c * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
}

// The bits of which cublasLt's epilogues are made.
enum epilogue_part : unsigned {
    RELU = 2,
    BIAS = 4,
    RELU_BACK = 8,
    SUM_D = 16,
    GELU = 32,
    GELU_BACK = 64,
    AUX = 128,
    SUM_A = 256,
    SUM_B = 512
};
bool has(const struct product *p, unsigned parts)
{
    return ((unsigned)p->epilogue & parts) != 0;
}

// Whether aux is a bit for each element.
bool aux_of_bits(const struct product *p)
{
    return has(p, AUX) && has(p, RELU | RELU_BACK);
}

void keep(const struct product *p, uint64_t i, uint64_t j, int batch, double x)
{
    if (aux_of_bits(p)) {
        uint64_t bit = (uint64_t)p->aux.ld * j + i;
        unsigned char *byte = (unsigned char *)(uintptr_t)p->aux.at + bit / 8;
        *byte =
            (unsigned char)((*byte & ~(1u << bit % 8)) | (unsigned)(x > 0) << bit % 8);
    } else {
        round_to(column(&p->aux, j, batch), i, p->aux.type, x);
    }
}

double kept(const struct product *p, uint64_t i, uint64_t j, int batch)
{
    if (aux_of_bits(p)) {
        uint64_t bit = (uint64_t)p->aux.ld * j + i;
        return ((const unsigned char *)p->aux.at)[bit / 8] >> bit % 8 & 1;
    }
    return widen(column(&p->aux, j, batch), i, p->aux.type);
}

// From a sum to an element of d: bias, what aux keeps, and the function or its derivative.
double finish_one(const struct product *p, double x, uint64_t i, uint64_t j, int batch)
{
    x += has(p, BIAS) ? widen(p->bias.at, i, p->bias.type) : 0;
    if (has(p, RELU_BACK)) {
        return kept(p, i, j, batch) != 0 ? x : 0;
    }
    if (has(p, GELU_BACK)) {
        return x * gelu_slope(kept(p, i, j, batch));
    }
    if (has(p, AUX)) {
        keep(p, i, j, batch, x);
    }
    return has(p, GELU) ? gelu(x) : has(p, RELU) ? fmax(x, 0) : x;
}

void finish(const struct product *p, double *sums, int batch)
{
    for (uint64_t j = 0; j < p->d.columns; j++) {
        for (uint64_t i = 0; i < p->d.rows; i++) {
            double *x = &sums[j * p->d.rows + i];
            *x = finish_one(p, *x, i, j, batch);
            round_to(column(&p->d, j, batch), i, p->d.type, *x);
        }
    }
}

// The gradient of a bias: sums of d's rows, or over the inner dimension of A or B.
void add_up(const struct product *p, const double *d, const double *a, const double *b,
            uint64_t inner)
{
    for (uint64_t i = 0; i < p->bias.rows && has(p, SUM_D | SUM_A | SUM_B); i++) {
        double sum = 0;
        for (uint64_t j = 0; has(p, SUM_D) && j < p->d.columns; j++) {
            sum += d[j * p->d.rows + i];
        }
        for (uint64_t k = 0; has(p, SUM_A) && k < inner; k++) {
            sum += p->transposed_a ? a[i * p->a.rows + k] : a[k * p->a.rows + i];
        }
        for (uint64_t k = 0; has(p, SUM_B) && k < inner; k++) {
            sum += p->transposed_b ? b[k * p->b.rows + i] : b[i * p->b.rows + k];
        }
        round_to((void *)(uintptr_t)p->bias.at, i, p->bias.type, sum);
    }
}

// Checks what the epilogue reads and writes apart from d.
void use_extras(const struct product *p, int batch)
{
    bool back = has(p, RELU_BACK | GELU_BACK);
    if (has(p, BIAS | SUM_D | SUM_A | SUM_B)) {
        use(&p->bias, 0, !has(p, BIAS), p->call);
    }
    if (aux_of_bits(p)) {
        size_t bytes = ((size_t)p->aux.ld * (p->d.columns - 1) + p->d.rows + 7) / 8;
        shadow_library(p->aux.at, bytes, !back, "matrix aux of cublasLtMatmul");
    } else if (has(p, AUX)) {
        use(&p->aux, batch, !back, p->call);
    }
}

void multiply(const struct product *p, int batch)
{
    int m = (int)p->d.rows, n = (int)p->d.columns;
    int k = (int)(p->transposed_a ? p->a.rows : p->a.columns);
    double *a = NULL, *b = NULL;
    double *sums = (double *)calloc((size_t)m * (size_t)n + 1, sizeof *sums);
    if (p->beta != 0) {
        use(&p->c, batch, false, p->call);
        free(sums);
        sums = widened(&p->c, batch);
    }
    if (p->alpha != 0 && k > 0) {
        use(&p->a, batch, false, p->call);
        use(&p->b, batch, false, p->call);
        a = widened(&p->a, batch);
        b = widened(&p->b, batch);
        cblas_dgemm(CblasColMajor, p->transposed_a ? CblasTrans : CblasNoTrans,
                    p->transposed_b ? CblasTrans : CblasNoTrans, m, n, k, p->alpha, a,
                    (int)p->a.rows, b, (int)p->b.rows, p->beta, sums, m);
    } else {
        for (size_t i = 0; i < (size_t)m * (size_t)n; i++) {
            sums[i] *= p->beta;
        }
    }
    use_extras(p, batch);
    use(&p->d, batch, true, p->call);
    finish(p, sums, batch);
    if (a != NULL || !has(p, SUM_A | SUM_B)) {
        add_up(p, sums, a, b, (uint64_t)k);
    }
    free(a);
    free(b);
    free(sums);
}

struct operand stored(const char *name, const void *at, cudaDataType type,
                      cublasOperation_t op, int rows, int columns, int ld,
                      long long stride)
{
    bool straight = op == CUBLAS_OP_N;
    return {name,
            at,
            type,
            (uint64_t)(straight ? rows : columns),
            (uint64_t)(straight ? columns : rows),
            ld,
            stride};
}

double scalar(cublasHandle_t handle, const void *value, cublasComputeType_t compute,
              const char *name, const char *call)
{
    cudaDataType type = compute == CUBLAS_COMPUTE_16F   ? CUDA_R_16F
                        : compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F
                                                        : CUDA_R_32F;
    library_place(handle, value, size_of(type), name, call);
    return widen(value, 0, type);
}

} // namespace

extern "C" {

static cublasStatus_t
product_of_any(const char *call, cublasHandle_t handle, cublasOperation_t op_a,
               cublasOperation_t op_b, int m, int n, int k, const void *alpha,
               const void *a, cudaDataType type_a, int lda, long long stride_a,
               const void *b, cudaDataType type_b, int ldb, long long stride_b,
               const void *beta, void *c, cudaDataType type_c, int ldc,
               long long stride_c, int batches, cublasComputeType_t compute)
{
    const struct memory_opened opened;
    cublasStatus_t status;
    if (!library_ready(handle, &status)) {
        return status;
    }
    if (m < 0 || n < 0 || k < 0 || batches < 0 || alpha == NULL || beta == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    struct product p = {};
    p.call = call;
    p.transposed_a = op_a != CUBLAS_OP_N;
    p.transposed_b = op_b != CUBLAS_OP_N;
    p.a = stored("A", a, type_a, op_a, m, k, lda, stride_a);
    p.b = stored("B", b, type_b, op_b, k, n, ldb, stride_b);
    p.c = p.d = stored("C", c, type_c, CUBLAS_OP_N, m, n, ldc, stride_c);
    p.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    if (size_of(type_a) == 0 || size_of(type_b) == 0 || size_of(type_c) == 0) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (!valid(&p.a) || !valid(&p.b) || !valid(&p.c)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    p.alpha = scalar(handle, alpha, compute, "alpha", call);
    p.beta = scalar(handle, beta, compute, "beta", call);
    for (int i = 0; i < batches && m > 0 && n > 0; i++) {
        multiply(&p, i);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
    int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
    long long stride_a, const void *b, cudaDataType type_b, int ldb, long long stride_b,
    const void *beta, void *c, cudaDataType type_c, int ldc, long long stride_c,
    int batches, cublasComputeType_t compute, cublasGemmAlgo_t)
{
    KEEP_CALLER();
    return product_of_any("cublasGemmStridedBatchedEx", handle, op_a, op_b, m, n, k,
                          alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, beta,
                          c, type_c, ldc, stride_c, batches, compute);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a,
                            cublasOperation_t op_b, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType type_a,
                            int lda, const void *b, cudaDataType type_b, int ldb,
                            const void *beta, void *c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t)
{
    KEEP_CALLER();
    return product_of_any("cublasGemmEx", handle, op_a, op_b, m, n, k, alpha, a, type_a,
                          lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute);
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const double *alpha, const double *a, int lda, const double *b,
                           int ldb, const double *beta, double *c, int ldc)
{
    KEEP_CALLER();
    return product_of_any("cublasDgemm", handle, op_a, op_b, m, n, k, alpha, a,
                          CUDA_R_64F, lda, 0, b, CUDA_R_64F, ldb, 0, beta, c, CUDA_R_64F,
                          ldc, 0, 1, CUBLAS_COMPUTE_64F);
}

// x and y as matrices of one row, whose columns lie inc apart.
cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const double *alpha, const double *a, int lda, const double *x,
                           int incx, const double *beta, double *y, int incy)
{
    KEEP_CALLER();
    if (incx < 1 || incy < 1) {
        return incx == 0 || incy == 0 ? CUBLAS_STATUS_INVALID_VALUE
                                      : CUBLAS_STATUS_NOT_SUPPORTED;
    }
    int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
    // y' = x' op(A)'
    return product_of_any("cublasDgemv", handle, CUBLAS_OP_N,
                          op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N, 1, out, in,
                          alpha, x, CUDA_R_64F, incx, 0, a, CUDA_R_64F, lda, 0, beta, y,
                          CUDA_R_64F, incy, 0, 1, CUBLAS_COMPUTE_64F);
}

// The lists of pointers are on the device.
cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, int k,
                                  const float *alpha, const float *const a[], int lda,
                                  const float *const b[], int ldb, const float *beta,
                                  float *const c[], int ldc, int batches)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    const void *const lists[] = {a, b, c};
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (const void *list : lists) {
        shadow_library(list, (size_t)batches * sizeof(void *), false,
                       "a list of cublasSgemmBatched");
    }
    for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; i++) {
        status = product_of_any("cublasSgemmBatched", handle, op_a, op_b, m, n, k, alpha,
                                a[i], CUDA_R_32F, lda, 0, b[i], CUDA_R_32F, ldb, 0, beta,
                                c[i], CUDA_R_32F, ldc, 0, 1, CUBLAS_COMPUTE_32F);
    }
    return status;
}

// ---- cublasLt ------------------------------------------------------------------------------

struct gpu_lt_product {
    cublasComputeType_t compute;
    cudaDataType_t scale, bias_type;
    int32_t op_a, op_b;
    uint32_t epilogue;
    const void *bias;
    void *aux;
    int64_t aux_ld, aux_stride;
    cudaDataType_t aux_type;
    bool bias_typed, aux_typed;
};
struct gpu_lt_layout {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t batches, order;
};
struct gpu_lt_preference {
    size_t workspace;
};

} // extern "C"

template <typename T> static cublasStatus_t make(T **object, const T &value)
{
    if (object == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *object = (T *)malloc(sizeof **object);
    if (*object == NULL) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    **object = value;
    return CUBLAS_STATUS_SUCCESS;
}

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate(handle);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy(handle);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *product,
                                        cublasComputeType_t compute, cudaDataType_t scale)
{
    struct gpu_lt_product value = {};
    value.compute = compute;
    value.scale = scale;
    value.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    return make(product, value);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product)
{
    free(product);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld)
{
    return make(layout, gpu_lt_layout{type, rows, columns, ld, 0, 1, CUBLASLT_ORDER_COL});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    return make(preference, gpu_lt_preference{0});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

// Copies a setting if it has the member's size.
static cublasStatus_t set(void *member, size_t room, const void *value, size_t bytes)
{
    if (value == NULL || bytes != room) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
#define SET(member) set(&member, sizeof member, value, bytes)

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return SET(product->op_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return SET(product->op_b);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
        return SET(product->scale);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return SET(product->epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return SET(product->bias);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        product->bias_typed = true;
        return SET(product->bias_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
        product->aux_typed = true;
        return SET(product->aux_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return SET(product->aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return SET(product->aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
        return SET(product->aux_stride);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t bytes)
{
    switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
        return SET(layout->type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
        return SET(layout->order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
        return SET(layout->rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
        return SET(layout->columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
        return SET(layout->ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return SET(layout->batches);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return SET(layout->stride);
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     cublasLtMatmulPreferenceAttributes_t attribute,
                                     const void *value, size_t bytes)
{
    return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
               ? SET(preference->workspace)
               : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t,
                               cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                               cublasLtMatmulPreference_t, int room,
                               cublasLtMatmulHeuristicResult_t results[], int *found)
{
    if (handle == NULL || room < 1 || results == NULL || found == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    results[0] = {};
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

static struct operand operand_of(const char *name, const void *at,
                                 cublasLtMatrixLayout_t l)
{
    return {name, at, l->type, l->rows, l->columns, l->ld, l->stride};
}

static bool simulated_epilogue(uint32_t epilogue)
{
    static const uint32_t all[] = {
        CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,
        CUBLASLT_EPILOGUE_BIAS,     CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU,    CUBLASLT_EPILOGUE_DRELU_BGRAD,
        CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD,
        CUBLASLT_EPILOGUE_BGRADA,   CUBLASLT_EPILOGUE_BGRADB};
    bool found = false;
    for (uint32_t one : all) {
        found = found || one == epilogue;
    }
    return found;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void *alpha,
               const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
               cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
               cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
               const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream)
{
    KEEP_CALLER();
    const struct memory_opened opened;
    cublasStatus_t status;
    if (handle != NULL) {
        handle->stream = stream;
    }
    if (!library_ready(handle, &status)) {
        return status;
    }
    const cublasLtMatrixLayout_t layouts[] = {a_layout, b_layout, c_layout, d_layout};
    for (cublasLtMatrixLayout_t l : layouts) {
        if (l == NULL || l->order != CUBLASLT_ORDER_COL || size_of(l->type) == 0) {
            return l == NULL ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_SUPPORTED;
        }
    }
    if (!simulated_epilogue(product->epilogue)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    struct product p = {};
    p.call = "cublasLtMatmul";
    p.transposed_a = product->op_a != CUBLAS_OP_N;
    p.transposed_b = product->op_b != CUBLAS_OP_N;
    p.alpha = widen(alpha, 0, product->scale);
    p.beta = widen(beta, 0, product->scale);
    p.a = operand_of("A", a, a_layout);
    p.b = operand_of("B", b, b_layout);
    p.c = operand_of("C", c, c_layout);
    p.d = operand_of("D", d, d_layout);
    p.epilogue = (cublasLtEpilogue_t)product->epilogue;
    cudaDataType bias_type = product->bias_typed ? product->bias_type : d_layout->type;
    cudaDataType aux_type = product->aux_typed ? product->aux_type : d_layout->type;
    uint64_t bias_rows = has(&p, SUM_B) ? p.d.columns : p.d.rows;
    p.bias = {"bias", product->bias, bias_type, bias_rows, 1, (int64_t)bias_rows, 0};
    p.aux = {"aux",       product->aux,    aux_type,           p.d.rows,
             p.d.columns, product->aux_ld, product->aux_stride};
    if ((has(&p, AUX) && (p.aux.at == NULL || p.aux.ld < (int64_t)p.d.rows)) ||
        (has(&p, BIAS | SUM_D | SUM_A | SUM_B) && p.bias.at == NULL)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    uint64_t inner_a = p.transposed_a ? p.a.rows : p.a.columns;
    uint64_t inner_b = p.transposed_b ? p.b.columns : p.b.rows;
    if (inner_a != inner_b || !valid(&p.a) || !valid(&p.b) || !valid(&p.c) ||
        !valid(&p.d) || (p.transposed_a ? p.a.columns : p.a.rows) != p.d.rows ||
        (p.transposed_b ? p.b.rows : p.b.columns) != p.d.columns) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    for (int i = 0; i < d_layout->batches; i++) {
        multiply(&p, i);
    }
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
