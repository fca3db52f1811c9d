// test_gpu_runtime.c - the simulated GPU as a host program sees it: calls, errors, counts.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cublas_v2.h>
#include "gpu/simulator.h"
#include "tests/gpu/counted.h"
#include "tests/gpu/kernel_case.h"

static char last_kind[32];
static int last_line;

static void keep(const struct gpu_finding *finding, void *data)
{
    (void)data;
    snprintf(last_kind, sizeof last_kind, "%s", finding->kind);
    last_line = finding->line;
}

static void begin(void)
{
    gpu_on_finding(keep, NULL);
    last_kind[0] = '\0';
    gpu_reset();
}

static float *upload(const float *values, size_t n)
{
    void *dev = NULL;
    cr_assert_eq(cudaMalloc(&dev, n * sizeof *values), cudaSuccess);
    cr_assert_eq(cudaMemcpy(dev, values, n * sizeof *values, cudaMemcpyHostToDevice),
                 cudaSuccess);
    return dev;
}

// ---- counting -----------------------------------------------------------------------------

static int line_of(const char *mark)
{
    char line[256], wanted[64];
    FILE *source = fopen("grader/tests/gpu/counted.cu", "r");
    cr_assert(source != NULL);
    snprintf(wanted, sizeof wanted, "// HERE %s\n", mark);
    int number = 1;
    while (fgets(line, sizeof line, source) != NULL && strstr(line, wanted) == NULL) {
        number++;
    }
    fclose(source);
    return number;
}

static const struct gpu_profile_line *cost_of(const char *mark, bool store, bool shared)
{
    size_t count;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    for (size_t i = 0; i < count; i++) {
        if (lines[i].line == line_of(mark) && lines[i].store == store &&
            lines[i].shared == shared) {
            return &lines[i];
        }
    }
    cr_assert(false, "%s: the line is not in the profile", mark);
    return NULL;
}

static void expect_cost(const char *mark, bool store, bool shared, double transactions,
                        double ideal)
{
    const struct gpu_profile_line *line = cost_of(mark, store, shared);
    double each = (double)line->transactions / (double)line->accesses;
    double best = (double)line->ideal / (double)line->accesses;
    cr_expect(each == transactions && best == ideal,
              "%s: %g transactions and not %g, ideal %g and not %g", mark, each,
              transactions, best, ideal);
}

static void expect_stores(const char *mark, const char *kernel, uint64_t transactions)
{
    size_t count;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    uint64_t stores = 0;
    for (size_t i = 0; i < count; i++) {
        const bool here =
            lines[i].line == line_of(mark) && strcmp(lines[i].kernel, kernel) == 0;
        stores += here ? lines[i].transactions : 0;
    }
    cr_expect_eq(stores, transactions, "%s of %s: %" PRIu64, mark, kernel, stores);
}

static void expect_stride(const char *mark, long stride)
{
    size_t count;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    for (size_t i = 0; i < count; i++) {
        if (lines[i].line == line_of(mark) && !lines[i].store) {
            cr_expect(lines[i].stride == stride, "%s: %ld bytes apart and not %ld", mark,
                      lines[i].stride, stride);
        }
    }
}

Test(gpu_runtime, transactions_and_bank_conflicts_are_counted)
{
    begin();
    gpu_set_profile(true);
    run_counted();
    gpu_set_profile(false);
    expect_cost("load_along_a_row", false, false, 4, 4);
    expect_cost("store_down_a_column", true, false, 32, 4);
    expect_cost("one_bank", true, true, 32, 1);
    expect_cost("padded_banks", true, true, 1, 1);
    expect_cost("broadcast", false, true, 1, 1);
    expect_cost("wide_store", true, false, 16, 16);
    // one load takes 1 transaction and one 32; 1 and 4 would be enough
    expect_cost("two_loads", false, false, 16.5, 2.5);
    expect_stride("two_loads", 128);
    expect_stores("shared_function", "first_caller", 4);
    expect_stores("shared_function", "second_caller", 32);

    size_t count;
    char advice[200];
    gpu_profile_advice(advice, sizeof advice, gpu_profile(&count));
    cr_expect(strstr(advice, "takes 32 transactions, and 4 would be enough") != NULL,
              "%s", advice);
    gpu_profile_advice(advice, sizeof advice, cost_of("load_along_a_row", false, false));
    cr_expect(strstr(advice, "load takes 4 transactions, the fewest possible") != NULL,
              "%s", advice);
}

// ---- errors -------------------------------------------------------------------------------

Test(gpu_runtime, errors_have_the_names_of_the_real_ones)
{
    cr_expect_str_eq(cudaGetErrorName(cudaErrorInvalidConfiguration),
                     "cudaErrorInvalidConfiguration");
    cr_expect_str_eq(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    cr_expect_eq(cudaErrorIllegalAddress, 700);
}

Test(gpu_runtime, an_error_is_kept_until_it_is_asked_for)
{
    begin();
    cr_expect_eq(cudaSetDevice(3), cudaErrorInvalidDevice);
    cr_expect_eq(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    cr_expect_eq(cudaGetLastError(), cudaErrorInvalidDevice);
    cr_expect_eq(cudaGetLastError(), cudaSuccess);
}

Test(gpu_runtime, behind_a_finding_everything_fails)
{
    begin();
    void *dev;
    cr_expect_eq(cudaFree(last_kind), cudaErrorInvalidValue);
    cr_expect_str_eq(last_kind, "invalid-free");
    cr_expect_eq(cudaMalloc(&dev, 16), cudaErrorLaunchFailure);
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    gpu_reset();
    cr_expect_eq(cudaMalloc(&dev, 16), cudaSuccess);
}

Test(gpu_runtime, more_memory_than_there_is_is_refused)
{
    begin();
    void *dev = &dev;
    cr_expect_eq(cudaMalloc(&dev, (size_t)1 << 40), cudaErrorMemoryAllocation);
    cr_expect(dev == NULL);
}

// ---- streams and events -------------------------------------------------------------------

Test(gpu_runtime, streams_and_events_are_looked_after)
{
    begin();
    cudaStream_t stream;
    cudaEvent_t start, end;
    float milliseconds = -1;
    cr_expect_eq(cudaStreamCreate(&stream), cudaSuccess);
    cr_expect_eq(cudaEventCreate(&start), cudaSuccess);
    cr_expect_eq(cudaEventCreate(&end), cudaSuccess);
    cr_expect_eq(cudaEventRecord(start, stream), cudaSuccess);
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, end),
                 cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaEventRecord(end, stream), cudaSuccess);
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    cr_expect(milliseconds >= 0);
    cr_expect_eq(cudaStreamDestroy(stream), cudaSuccess);
    cr_expect_eq(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaEventDestroy(start), cudaSuccess);
    cr_expect_eq(cudaEventDestroy(end), cudaSuccess);
}

// ---- cuBLAS -------------------------------------------------------------------------------

Test(gpu_runtime, cublas_multiplies_by_columns)
{
    begin();
    // (2,3) times (3,2), column-major
    const float a[] = {1, 4, 2, 5, 3, 6}, b[] = {7, 9, 11, 8, 10, 12}, zeros[4] = {0};
    const float one = 1, none = 0;
    float *a_dev = upload(a, 6), *b_dev = upload(b, 6), *c_dev = upload(zeros, 4), c[4];
    cublasHandle_t handle;
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cr_expect_eq(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a_dev, 2,
                             b_dev, 3, &none, c_dev, 2),
                 CUBLAS_STATUS_SUCCESS);
    cr_expect_eq(cudaMemcpy(c, c_dev, sizeof c, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect(c[0] == 58 && c[1] == 139 && c[2] == 64 && c[3] == 154);
    cr_expect_eq(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a_dev, 1,
                             b_dev, 3, &none, c_dev, 2),
                 CUBLAS_STATUS_INVALID_VALUE, "a leading dimension below the rows");
    cr_expect_eq(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

Test(gpu_runtime, a_launch_that_is_only_checked_computes_nothing)
{
    begin();
    const float numbers[] = {5, 2, 3, 4}, one = 1, none = 0;
    float *x_dev = upload(numbers, 4), *y_dev = upload(numbers, 4), y[4];
    cublasHandle_t handle;
    cr_assert_eq(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    gpu_set_launch_only(true);
    run_store(y_dev);
    cr_expect_eq(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x_dev, 2,
                             x_dev, 2, &none, y_dev, 2),
                 CUBLAS_STATUS_SUCCESS);
    gpu_set_launch_only(false);
    cr_expect_eq(gpu_launches(), 1);
    cr_expect_eq(cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_arr_eq(y, numbers, sizeof y);
    run_store(y_dev);
    cr_expect_eq(cudaMemcpy(y, y_dev, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_neq(y[0], numbers[0], "a launch after it runs the kernel");
    cr_expect_eq(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

Test(gpu_runtime, the_second_launch_is_refused_on_purpose)
{
    for (int goes_on = 0; goes_on <= 1; goes_on++) {
        begin();
        const float numbers[] = {5, 2, 3, 4};
        float *x_dev = upload(numbers, 4), *y_dev = upload(numbers, 4), y[4];
        gpu_refuse_launches(1, 1, goes_on == 1);
        run_store(y_dev);
        cr_expect_eq(cudaGetLastError(), cudaSuccess);
        run_store(x_dev);
        cr_expect_eq(cudaGetLastError(), cudaErrorLaunchOutOfResources);
        cr_expect_eq(cudaMemcpy(y, x_dev, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
        cr_expect_arr_eq(y, numbers, sizeof y);
        run_store(x_dev);
        cr_expect_eq(cudaGetLastError(), cudaSuccess);
        cr_expect_eq(gpu_launches_tried(), 3);
        cr_expect_eq(cudaMemcpy(y, x_dev, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
        cr_expect_eq(y[0] != numbers[0], goes_on == 1, "does the third one run?");
        gpu_set_launch_only(false);
    }
    begin();
    const float numbers[] = {5, 2, 3, 4};
    float *x_dev = upload(numbers, 4);
    run_store(x_dev);
    run_store(x_dev);
    cr_expect_eq(cudaGetLastError(), cudaSuccess, "a reset ends it");
}

Test(gpu_runtime, each_launch_from_the_second_on_is_refused_on_purpose)
{
    begin();
    const float numbers[] = {5, 2, 3, 4};
    float *x_dev = upload(numbers, 4);
    gpu_refuse_launches(1, GPU_NO_LAST_LAUNCH, true);
    for (int i = 0; i < 4; i++) {
        run_store(x_dev);
        cr_expect_eq(cudaGetLastError() == cudaSuccess, i == 0, "launch %d", i);
    }
    gpu_set_launch_only(false);
}

struct product {
    cublasHandle_t handle;
    const float *a, *b;
    float *c;
    int ldc;
};

static void multiply(void *data)
{
    const struct product *p = data;
    const float one = 1, beta = 1;
    cr_expect_eq(cublasSgemm(p->handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, p->a, 2,
                             p->b, 2, &beta, p->c, p->ldc),
                 CUBLAS_STATUS_SUCCESS);
}

static void expect_product_finding(const char *kind, struct product *p)
{
    cr_assert_eq(cublasCreate(&p->handle), CUBLAS_STATUS_SUCCESS);
    cr_expect(!gpu_guard(multiply, p));
    cr_expect_str_eq(last_kind, kind);
    cr_expect_eq(cublasDestroy(p->handle), CUBLAS_STATUS_SUCCESS);
}

Test(gpu_runtime, cublas_is_held_to_the_bounds)
{
    begin();
    const float x[4] = {1, 2, 3, 4};
    struct product p = {NULL, upload(x, 4), upload(x, 4), upload(x, 4), 3};
    expect_product_finding("out-of-bounds", &p);
}

Test(gpu_runtime, cublas_does_not_read_host_memory)
{
    begin();
    const float x[4] = {1, 2, 3, 4};
    struct product p = {NULL, x, upload(x, 4), upload(x, 4), 2};
    expect_product_finding("host-pointer", &p);
}

Test(gpu_runtime, cublas_does_not_add_to_unwritten_memory)
{
    begin();
    const float x[4] = {1, 2, 3, 4};
    struct product p = {NULL, upload(x, 4), upload(x, 4), upload(x, 4), 2};
    gpu_forget(p.c, sizeof x);
    expect_product_finding("uninitialized-global", &p);
}

// ---- pages --------------------------------------------------------------------------------

// As a library does that is not compiled with the checks.
static void touch(void *dev)
{
    *(volatile float *)dev = 1;
}

static void copy_and_touch(void *dev)
{
    float x = 1;
    cr_expect_eq(cudaMemcpy(dev, &x, sizeof x, cudaMemcpyHostToDevice), cudaSuccess);
    touch(dev);
}

static void free_and_touch(void *dev)
{
    cr_expect_eq(cudaFree(dev), cudaSuccess);
    touch(dev);
}

Test(gpu_runtime, device_memory_is_closed_to_libraries_on_the_host)
{
    static void (*const ways[])(void *) = {touch, copy_and_touch};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        begin();
        const float x[4] = {1, 2, 3, 4};
        float *dev = upload(x, 4);
        cr_expect(!gpu_guard(ways[i], dev), "way %zu", i);
        cr_expect_str_eq(last_kind, "device-pointer");
        touch(dev); // not guarded, because it is the judge's own
    }
}

Test(gpu_runtime, managed_memory_is_open_until_it_is_freed)
{
    begin();
    const float x[4] = {1, 2, 3, 4};
    void *managed = NULL;
    upload(x, 4);
    cr_assert_eq(cudaMallocManaged(&managed, sizeof x, cudaMemAttachGlobal), cudaSuccess);
    upload(x, 4);
    cr_expect(gpu_guard(touch, managed), "%s", last_kind);
    cr_expect(gpu_guard(copy_and_touch, managed), "%s", last_kind);
    cr_expect(!gpu_guard(free_and_touch, managed));
    cr_expect_str_eq(last_kind, "device-pointer");
}

// ---- what is kept between cases -----------------------------------------------------------

static void store(void *dev)
{
    run_store(dev);
}

// Four resets restore the memory to its old state; one does not.
static void begin_where_it_was(void)
{
    for (int resets = 0; resets < 4; resets++) {
        begin();
    }
}

Test(gpu_runtime, a_pointer_from_before_a_reset_leads_nowhere)
{
    const float x[4] = {1, 2, 3, 4};
    begin();
    float *before = upload(x, 4);
    begin();
    cr_expect_neq(upload(x, 4), before);
    cr_expect(!gpu_guard(store, before));
    cr_expect_str_eq(last_kind, "out-of-bounds");
}

Test(gpu_runtime, a_reset_forgets_what_was_allocated)
{
    begin();
    const float x[4] = {1, 2, 3, 4};
    upload(x, 4);
    float *second = upload(x, 4);
    cr_expect(gpu_guard(store, second), "%s", last_kind);
    begin_where_it_was();
    upload(x, 4); // the place of the first one
    cr_expect(!gpu_guard(store, second));
    cr_expect_str_eq(last_kind, "out-of-bounds");
}

// Memory of small cases is kept for the next case; memory of large ones is freed.
Test(gpu_runtime, a_reset_forgets_what_was_written)
{
    static const size_t sizes[] = {4, 1 << 23};
    static float zeros[1 << 23];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin();
        const float x[4] = {1, 2, 3, 4};
        float *before = upload(zeros, sizes[i]), got = 0;
        begin_where_it_was();
        void *dev = NULL;
        cr_assert_eq(cudaMalloc(&dev, sizes[i] * sizeof *zeros), cudaSuccess);
        cr_assert_eq(dev, (void *)before, "the test is about one address");
        cr_expect_eq(cudaMemcpy(&got, dev, sizeof got, cudaMemcpyDeviceToHost),
                     cudaSuccess);
        cr_expect(got != got, "what nobody wrote is NaN");
        struct product p = {NULL, upload(x, 4), upload(x, 4), dev, 2};
        expect_product_finding("uninitialized-global", &p);
    }
}
