// call.c - see kernels.h.

#include "tools/kernels/kernels.h"

#include "base/memory.h"
#include "gpu/simulator.h"
#include "worker/gpu.h"

#if defined __FP_FAST_FMAF || defined __FMA__ // of gcc, of clang
const bool kernels_are_fused = true;
#else
const bool kernels_are_fused = false;
#endif

cudaStream_t gpu_stream;
cublasHandle_t gpu_cublas;
const void *const *gpu_host;

// The adaptors have no argument for them.
static struct {
    const struct test_case *test;
    adaptor *call;
} now;

static void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        grader_fail("the simulated GPU: %s", cudaGetErrorString(error));
    }
}

// gpu_reset frees it.
void *gpu_workspace(size_t bytes)
{
    void *workspace = NULL;
    must(cudaMalloc(&workspace, bytes));
    return workspace;
}

static void begin(void)
{
    gpu_reset();
    must(cudaStreamCreate(&gpu_stream));
    if (cublasCreate(&gpu_cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(gpu_cublas, gpu_stream) != CUBLAS_STATUS_SUCCESS) {
        grader_fail("the simulated GPU: cuBLAS cannot be started");
    }
}

static size_t bytes_of(size_t i)
{
    return now.test->tensor[i].count * now.test->tensor[i].element_size;
}

// An adaptor whose tensors are on the host.
static lab_status call_from_host(any_function f, void *const *t, const size_t *n)
{
    void *device[MAX_TENSORS] = {NULL};
    begin();
    for (size_t i = 0; i < now.test->tensors; i++) {
        if (t[i] != NULL) {
            must(cudaMalloc(&device[i], bytes_of(i) > 0 ? bytes_of(i) : 1));
            must(cudaMemcpy(device[i], t[i], bytes_of(i), cudaMemcpyHostToDevice));
        }
    }
    gpu_host = (const void *const *)t;
    lab_status status = now.call(f, device, n);
    gpu_host = NULL;
    must(cudaDeviceSynchronize());
    for (size_t i = 0; i < now.test->tensors; i++) {
        if (t[i] != NULL && tensor_is_written(&now.test->tensor[i])) {
            must(cudaMemcpy(t[i], device[i], bytes_of(i), cudaMemcpyDeviceToHost));
        }
    }
    return status;
}

lab_status kernel_call(const struct test_case *test, const struct entry *entry,
                       void *output[MAX_TENSORS])
{
    struct test_case call = *test;
    call.nan = false; // the launcher itself writes the NaN
    now.test = test;
    now.call = entry->call;
    return case_call(&call, call_from_host, entry->function, output);
}
