// gpu_simulated.c - calls a student's launcher on the simulated GPU (gpu.c), in two or three thread orders.

#define _GNU_SOURCE
#include "worker/gpu_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 3, MANY_ACCESSES = 20000 };

// What the rules for launchers hold for: gpu_stream, or NULL where they do not count.
static cudaStream_t launcher_stream;

// No work is done, because the sizes of the call are larger than its tensors (enum launching).
static bool sizes_only;

// gpu_reset frees it.
void *gpu_workspace(size_t bytes)
{
    void *workspace = NULL;
    gpu_expect_launcher(NULL);
    must(cudaMalloc(&workspace, sizes_only ? sizeof(float) : bytes), "cudaMalloc");
    gpu_expect_launcher(launcher_stream);
    return workspace;
}

bool backend_place(void *interrupted)
{
    (void)interrupted;
    const char *file, *kernel;
    int line;
    bool known = gpu_where(&file, &line, &kernel);
    if (known) {
        fprintf(stderr, "    #0 0x0 in %s %s:%d\n",
                *kernel != '\0' ? kernel : "host code", file, line);
    }
    return known;
}

uint32_t backend_line(const void *address)
{
    return (uint32_t)gpu_line(address);
}

static const char *tensor_name(uint32_t i)
{
    static char names[PROTOCOL_TENSORS][sizeof TENSOR_MARK + 10];
    snprintf(names[i], sizeof names[i], TENSOR_MARK "%u", i);
    return names[i];
}

static void allocate(struct job *job)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        size_t bytes = job->call->bytes[i];
        if (is_absent(job, i)) {
            continue;
        }
        must(cudaMalloc((void **)&job->block[i], bytes > 0 ? bytes : 1), "cudaMalloc");
        must(cudaMemcpy(job->block[i], host_bytes(job, i), bytes, cudaMemcpyHostToDevice),
             "copy");
        if ((job->call->given >> i & 1) == 0) {
            gpu_forget(job->block[i], bytes);
        }
        gpu_name(job->block[i], tensor_name(i));
        job->device[i] = job->block[i];
    }
}

void copy_back(const struct job *job, char *output)
{
    memcpy(output, job->image + job->call->input_bytes, job->call->output_bytes);
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (!is_absent(job, i) && !is_input(job, i)) {
            must(cudaMemcpy(output + (job->call->offset[i] - job->call->input_bytes),
                            job->device[i], job->call->bytes[i], cudaMemcpyDeviceToHost),
                 "copy");
        }
    }
}

enum findings findings_counted;

static bool is_left_out(const struct gpu_finding *finding)
{
    return findings_counted == NO_FINDINGS ||
           (findings_counted == NONE_OF_LAUNCHES &&
            strcmp(finding->kind, "launch-unchecked") == 0);
}

static void show_finding(const struct gpu_finding *finding, void *data)
{
    (void)data;
    if (is_left_out(finding)) {
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        worker_fail("memory");
    }
    gpu_print_finding(finding, file);
    fclose(file);
    int length = (int)strcspn(finding->text, "\n");
    length -= length > 0 && finding->text[length - 1] == '.'; // as in other headlines
    char headline[256];
    snprintf(headline, sizeof headline, "%.*s", length, finding->text);
    report_finding(finding->kind, headline, text);
}

// Atomics may add in any order, so rounding differences are allowed.
static bool differ(const float *a, const float *b, size_t count, size_t *where)
{
    float largest = 0.0f;
    for (size_t i = 0; i < count; i++) {
        largest = fmaxf(largest, isfinite(a[i]) ? fabsf(a[i]) : 0.0f);
    }
    for (size_t i = 0; i < count; i++) {
        bool same =
            memcmp(&a[i], &b[i], sizeof a[i]) == 0 || (isnan(a[i]) && isnan(b[i]));
        if (!same && !(fabsf(a[i] - b[i]) <= 1e-4f * largest)) {
            *where = i;
            return true;
        }
    }
    return false;
}

static void report_order(size_t element, double first, double other)
{
    char headline[128];
    snprintf(headline, sizeof headline,
             "the result depends on the order in which threads run: element %zu is %g "
             "or %g",
             element, first, other);
    report_finding("order", headline, "");
}

// Integers must be equal, because atomics do not round them.
static void compare_bytes(const char *first, const char *other, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++) {
        if (first[b] != other[b]) {
            report_order(b, (uint8_t)first[b], (uint8_t)other[b]);
        }
    }
}

static void compare_orders(const struct job *job, const char *first, const char *other)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (is_absent(job, i) || is_input(job, i)) {
            continue;
        }
        size_t from = job->call->offset[i] - job->call->input_bytes, where = 0;
        size_t bytes = job->call->bytes[i];
        const float *a = (const void *)(first + from), *b = (const void *)(other + from);
        if (job->call->element[i] != sizeof(float)) {
            compare_bytes(first + from, other + from, bytes);
        } else if (differ(a, b, bytes / sizeof(float), &where)) {
            report_order(where, (double)a[where], (double)b[where]);
        }
    }
}

bool runs_no_kernel(const struct call_record *call)
{
    return call->launch_only == NO_KERNELS || call->launch_only == NO_WORK ||
           (call->launch_only == SOME_BLOCKS && call->failing.status != 0);
}

void begin_run(struct job *job, enum gpu_order order, bool strict)
{
    gpu_reset();
    gpu_set_order(order, 1);
    gpu_set_launch_only(runs_no_kernel(job->call));
    must(cudaStreamCreate(&gpu_stream), "cudaStreamCreate");
    if (cublasCreate(&gpu_cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(gpu_cublas, gpu_stream) != CUBLAS_STATUS_SUCCESS) {
        worker_fail("cuBLAS");
    }
    allocate(job);
    launcher_stream = strict ? gpu_stream : NULL;
    gpu_expect_launcher(launcher_stream);
}

void finish_run(struct job *job, char *output)
{
    sizes_only = job->call->launch_only == NO_WORK;
    gpu_set_launch_only_sizes(sizes_only);
    if (!gpu_guard(call_launcher, job)) {
        worker_fail("a finding did not end the call"); // show_finding ends the worker
    }
    const bool left = sizes_only && gpu_launcher_work() > GPU_MOST_WORK;
    sizes_only = false;
    gpu_set_launch_only_sizes(false);
    if (left) {
        job->status = LAB_OK;
    } else if (job->status == LAB_OK) {
        gpu_expect_asked();
    }
    // A plain sentence where few blocks run, or none.
    if (job->status == LAB_OK && job->call->launch_only != ALL_KERNELS &&
        gpu_launcher_work() == 0) {
        report_finding("nothing-launched", "returns LAB_OK, but launches nothing", "");
    }
    if (job->status == LAB_ECUDA && gpu_launch_failure()[0] != '\0') {
        char headline[256];
        snprintf(headline, sizeof headline, "the launch is refused: %s",
                 gpu_launch_failure());
        report_finding("launch-invalid", headline, gpu_launch_failure_place());
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess && job->status == LAB_OK) {
        job->status = LAB_ECUDA;
    }
    check_inputs(job);
    copy_back(job, output);
}

void run_in_order(struct job *job, enum gpu_order order, char *output)
{
    begin_run(job, order, true);
    finish_run(job, output);
}

void outputs_as_before(const struct job *job, char *output)
{
    memcpy(output, job->image + job->call->input_bytes, job->call->output_bytes);
}

void backend_begin(const struct request *request)
{
    profile_begin(request->profile == 1);
    gpu_on_finding(show_finding, NULL);
}

void backend_end(void)
{
    profile_end();
}

void backend_call(const struct call_record *call, const char *request,
                  const struct reply *to)
{
    struct answer *answer = to->answer;
    struct job job;
    char *output = job_begin(&job, call, request);
    char *other = malloc(call->output_bytes);
    if (other == NULL) {
        worker_fail("malloc");
    }
    const bool counts = failing_begin(call); // or ends the worker
    answer->progress = ENTERED;
    answer->partial = runs_no_kernel(call) ? PARTIAL_ALL : 0;
    if (call->launch_only == SOME_BLOCKS && call->failing.status == 0) {
        run_some_blocks(&job, answer, output);
    } else if (call->failing.status == 0) {
        run_in_order(&job, GPU_FORWARD, output);
    } else if (call->failing.at == A_LAUNCH) {
        call_with_failing_launch(&job, answer, output);
    } else {
        call_with_failing_callee(&job, answer, counts, output);
    }
    answer->status = (int32_t)job.status;
    failing_end(answer);
    if (profiling && !call->extreme) {
        profile_keep();
    }
    // For a large call, the shuffled order also finds what the reverse order would.
    int first = gpu_accesses() > MANY_ACCESSES ? GPU_SHUFFLED : GPU_REVERSED;
    const bool once = profiling || call->launch_only || call->failing.status != 0;
    for (int order = first; order < ORDERS && !once; order++) {
        run_in_order(&job, (enum gpu_order)order, other);
        compare_orders(&job, output, other);
    }
    answer->status = (int32_t)job.status;
    reply(call, to, POISONED, output);
    answer->progress = RETURNED;
    free(other);
}
