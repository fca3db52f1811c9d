// gpu.c - calls a student's launcher, on the simulated GPU or (-DGPU_DEVICE) on a card.
//
//   arena.before ──copy──> one allocation for each tensor ──> launcher ──> wait, ask for
//                                                                          errors
//   arena.after <──copy── outputs <───────────────────────────────────────────┘
//
// Every call gets new memory. On the simulator, each call runs in two or three thread
// orders, and the first finding ends the worker (report_finding). Reading an output or
// workspace before writing it is a finding, so calls need not be repeated on other
// contents. On a card they are repeated, and the bytes around each tensor are copied, too,
// so that the judge sees writes there.

#define _GNU_SOURCE
#include "worker/gpu.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "worker/worker.h"

#ifndef GPU_DEVICE
#include "gpu/simulator.h"
#endif

cudaStream_t gpu_stream;
cublasHandle_t gpu_cublas;
const void *const *gpu_host;

// The worker's own CUDA calls fail only without a device or without memory.
static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "worker: %s: %s\n", what, cudaGetErrorString(error));
        _exit(WORKER_FAILED);
    }
}

// The arena's content before a call and after it, in the host's memory. Grows to the largest call.
static struct {
    char *before, *after;
    size_t bytes;
} arena;

// Returns the part of the arena that the call may write, after the call.
static char *lay_out(const struct call_record *call, const char *request)
{
    const size_t bytes = call->input_bytes + call->output_bytes;
    if (bytes > arena.bytes) {
        free(arena.before);
        free(arena.after);
        arena.before = malloc(bytes);
        arena.after = malloc(bytes);
        arena.bytes = bytes;
    }
    if (arena.before == NULL || arena.after == NULL) {
        worker_fail("malloc");
    }
    image_lay_out(call, request, arena.before);
    return arena.after + call->input_bytes;
}

// The state of one call.
struct job {
    const struct call_record *call;
    const char *image;
    char *device[PROTOCOL_TENSORS]; // pointer passed to the launcher
    char *block[PROTOCOL_TENSORS];  // its allocation
    lab_status status;
};

static const char *host_bytes(const struct job *job, uint32_t i)
{
    return job->image + job->call->offset[i];
}

static bool is_input(const struct job *job, uint32_t i)
{
    return job->call->offset[i] < job->call->input_bytes;
}

static bool is_absent(const struct job *job, uint32_t i)
{
    return job->call->offset[i] == ARENA_ABSENT;
}

static void call_launcher(void *data)
{
    struct job *job = data;
    void *tensor[PROTOCOL_TENSORS] = {NULL};
    const void *host[PROTOCOL_TENSORS] = {NULL};
    size_t dim[PROTOCOL_DIMS] = {0};
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        tensor[i] = job->device[i];
        host[i] = is_absent(job, i) ? NULL : host_bytes(job, i);
    }
    for (int i = 0; i < PROTOCOL_DIMS; i++) {
        dim[i] = (size_t)job->call->dim[i];
    }
    const struct entry *entry = &lab_entries[job->call->entry];
    gpu_host = host;
    job->status = entry->call(entry->function, tensor, dim);
    gpu_host = NULL;
}

static void report_finding(const char *kind, const char *headline, const char *details)
{
    print_last();
    fprintf(stderr, FINDING_MARK "%s\n%s\n%s", kind, headline, details);
    _exit(WORKER_FINDING);
}

// Inputs must be unchanged.
static void check_inputs(const struct job *job)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        size_t bytes = job->call->bytes[i];
        if (is_absent(job, i) || !is_input(job, i) || bytes == 0) {
            continue;
        }
        char *after = malloc(bytes);
        if (after == NULL) {
            worker_fail("malloc");
        }
        must(cudaMemcpy(after, job->device[i], bytes, cudaMemcpyDeviceToHost), "copy");
        if (memcmp(after, host_bytes(job, i), bytes) != 0) {
            char headline[96];
            snprintf(headline, sizeof headline, "writes to an input, " TENSOR_MARK "%u",
                     i);
            report_finding("input-written", headline, "");
        }
        free(after);
    }
}

#ifdef GPU_DEVICE

// At most the guard zones of judge/wire.c, which surround each tensor in the image.
enum { GUARD = 1024 };

static void *workspace; // until the call has returned

void *gpu_workspace(size_t bytes)
{
    must(cudaMalloc(&workspace, bytes), "cudaMalloc");
    return workspace;
}

static void allocate(struct job *job)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (!is_absent(job, i)) {
            size_t bytes = job->call->bytes[i] + 2 * GUARD;
            must(cudaMalloc((void **)&job->block[i], bytes), "cudaMalloc");
            must(cudaMemcpy(job->block[i], host_bytes(job, i) - GUARD, bytes,
                            cudaMemcpyHostToDevice),
                 "copy");
            job->device[i] = job->block[i] + GUARD;
        }
    }
}

// Guard zones of neighbours overlap in the image, so a change found by one of them is kept.
static void copy_back(const struct job *job, char *output)
{
    memcpy(output, job->image + job->call->input_bytes, job->call->output_bytes);
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (is_absent(job, i) || is_input(job, i)) {
            continue;
        }
        size_t bytes = job->call->bytes[i] + 2 * GUARD;
        char *after = malloc(bytes);
        if (after == NULL) {
            worker_fail("malloc");
        }
        must(cudaMemcpy(after, job->block[i], bytes, cudaMemcpyDeviceToHost), "copy");
        const char *before = host_bytes(job, i) - GUARD;
        char *place = output + (job->call->offset[i] - job->call->input_bytes) - GUARD;
        for (size_t b = 0; b < bytes; b++) {
            place[b] = after[b] != before[b] ? after[b] : place[b];
        }
        free(after);
    }
}

static void release(struct job *job)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        must(cudaFree(job->block[i]), "cudaFree");
    }
}

void backend_begin(const struct request *request)
{
    (void)request; // only the simulated GPU counts
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fputs("worker: no CUDA device\n", stderr);
        _exit(WORKER_NO_DEVICE);
    }
    must(cudaStreamCreate(&gpu_stream), "cudaStreamCreate");
    if (cublasCreate(&gpu_cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(gpu_cublas, gpu_stream) != CUBLAS_STATUS_SUCCESS) {
        fputs("worker: cuBLAS cannot be started\n", stderr);
        _exit(WORKER_FAILED);
    }
}

static int32_t make_call(struct job *job, char *output)
{
    call_launcher(job);
    cudaError_t launch = cudaGetLastError(), run = cudaDeviceSynchronize();
    if (launch != cudaSuccess || run != cudaSuccess) {
        report_finding("launch-invalid",
                       cudaGetErrorString(launch != cudaSuccess ? launch : run), "");
    }
    must(cudaFree(workspace), "cudaFree");
    workspace = NULL;
    check_inputs(job);
    copy_back(job, output);
    return (int32_t)job->status;
}

static void refill_tensor(const struct job *job, uint32_t i, enum contents contents)
{
    size_t bytes = job->call->bytes[i];
    char *filled = malloc(bytes > 0 ? bytes : 1);
    if (filled == NULL) {
        worker_fail("malloc");
    }
    memcpy(filled, host_bytes(job, i), bytes);
    bool given = (job->call->given >> i & 1) != 0;
    if (!given) {
        contents_fill(contents, job->call->element[i], filled, bytes);
    }
    if (given || contents != KEPT) {
        must(cudaMemcpy(job->device[i], filled, bytes, cudaMemcpyHostToDevice), "copy");
    }
    free(filled);
}

// Fills outputs and workspaces with other contents; the inputs stay.
static void refill(const struct job *job, enum contents contents)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (!is_absent(job, i) && !is_input(job, i)) {
            refill_tensor(job, i, contents);
        }
    }
}

void backend_call(const struct call_record *call, const char *request,
                  const struct reply *to)
{
    struct answer *answer = to->answer;
    char *output = lay_out(call, request);
    struct job job = {.call = call, .image = arena.before};
    allocate(&job);
    answer->progress = ENTERED;
    const bool counts = failing_begin(call);
    answer->status = make_call(&job, output);
    if (counts && failing_choose()) {
        refill(&job, POISONED);
        answer->status = make_call(&job, output);
    }
    failing_end(answer);
    reply(call, to, POISONED, output);
    for (uint32_t contents = POISONED + 1; contents < CONTENTS; contents++) {
        if ((call->repeats >> contents & 1) != 0) {
            refill(&job, (enum contents)contents);
            answer->contents = contents;
            print_next_repeat((enum contents)contents);
            answer->repeat_status[contents] = make_call(&job, output);
            reply(call, to, (enum contents)contents, output);
        }
    }
    answer->progress = RETURNED;
    release(&job);
}

void backend_end(void)
{
}

// Waits for the kernels on the device.
bool backend_place(void *interrupted)
{
    (void)interrupted;
    return true;
}

uint32_t backend_line(const void *address)
{
    (void)address;
    return 0;
}

#else

enum { ORDERS = 3, MANY_ACCESSES = 20000 };

// What the rules for launchers hold for: gpu_stream, or NULL where they do not count.
static cudaStream_t launcher_stream;

// gpu_reset frees it.
void *gpu_workspace(size_t bytes)
{
    void *workspace = NULL;
    gpu_expect_launcher(NULL);
    must(cudaMalloc(&workspace, bytes), "cudaMalloc");
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

static void copy_back(const struct job *job, char *output)
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

// In a call in which another one fails on purpose, what may follow from that is no finding.
static enum { ALL_FINDINGS, NONE_OF_LAUNCHES, NO_FINDINGS } quiet;

static bool is_left_out(const struct gpu_finding *finding)
{
    return quiet == NO_FINDINGS ||
           (quiet == NONE_OF_LAUNCHES && strcmp(finding->kind, "launch-unchecked") == 0);
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

static bool runs_no_kernel(const struct call_record *call)
{
    return call->launch_only == NO_KERNELS ||
           (call->launch_only == SOME_BLOCKS && call->failing.status != 0);
}

static void begin_run(struct job *job, enum gpu_order order, bool strict)
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

static void finish_run(struct job *job, char *output)
{
    if (!gpu_guard(call_launcher, job)) {
        worker_fail("a finding did not end the call"); // show_finding ends the worker
    }
    if (job->status == LAB_OK) {
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

static void run_in_order(struct job *job, enum gpu_order order, char *output)
{
    begin_run(job, order, true);
    finish_run(job, output);
}

static void outputs_as_before(const struct job *job, char *output)
{
    memcpy(output, job->image + job->call->input_bytes, job->call->output_bytes);
}

// ---- some blocks of large launches ----------------------------------------------------------

// An output of so many numbers has one or more for each row. A smaller one, such as a mean, depends on all rows.
enum { MANY = 4096 };

static bool is_written(const struct job *job, uint32_t i)
{
    return !is_absent(job, i) && !is_input(job, i) && job->call->bytes[i] > 0;
}

// Written, and compared, but not a row for each block.
static bool is_number(const struct job *job, uint32_t i)
{
    return is_written(job, i) && (job->call->judged >> i & 1) != 0 &&
           job->call->bytes[i] / job->call->element[i] < MANY;
}

static bool is_output(const struct job *job, uint32_t i)
{
    return !is_absent(job, i) && !is_input(job, i) && (job->call->given >> i & 1) == 0;
}

static void begin_blocks(struct job *job, bool all)
{
    begin_run(job, GPU_FORWARD, true);
    gpu_run_some_blocks(all);
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (is_number(job, i)) {
            gpu_sample_number(job->device[i], job->call->bytes[i]);
        } else if (is_output(job, i) && (job->call->judged >> i & 1) != 0) {
            gpu_sample_output(job->device[i], job->call->bytes[i]);
        }
    }
}

// What a block left behind that was stopped has not been written, either.
static void restore_unwritten(const struct job *job, char *output)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        const size_t size = job->call->element[i];
        for (size_t at = 0; is_output(job, i) && at + size <= job->call->bytes[i];
             at += size) {
            if (!gpu_written(job->device[i] + at, size)) {
                memcpy(output + (job->call->offset[i] - job->call->input_bytes) + at,
                       host_bytes(job, i) + at, size);
            }
        }
    }
}

static bool wrote_nothing(const struct job *job, uint32_t i)
{
    const size_t size = job->call->element[i];
    size_t at = 0;
    while (at < job->call->bytes[i] && !gpu_written(job->device[i] + at, size)) {
        at += size;
    }
    return at >= job->call->bytes[i];
}

static bool is_unchanged(const struct job *job, uint32_t i, const char *output)
{
    return memcmp(output + (job->call->offset[i] - job->call->input_bytes),
                  host_bytes(job, i), job->call->bytes[i]) == 0;
}

// After a call in which all blocks should run. Where that is too much work, those that did run decide.
static bool lacks_end(const struct job *job, uint32_t i, uint64_t possible,
                      enum gpu_sampled sampled)
{
    const size_t size = job->call->element[i];
    return sampled == GPU_ALL_BLOCKS
               ? !gpu_written(job->device[i] + job->call->bytes[i] - size, size)
               : possible > 0 || wrote_nothing(job, i);
}

static void report_too_few(const struct job *job, uint32_t i, uint64_t possible)
{
    const size_t size = job->call->element[i];
    const uint64_t count = job->call->bytes[i] / size;
    char headline[160];
    if (possible == 0 && count == 1) {
        snprintf(headline, sizeof headline, "writes nothing to " TENSOR_MARK "%u", i);
    } else if (possible == 0) {
        snprintf(headline, sizeof headline,
                 "writes none of the %" PRIu64 " elements of " TENSOR_MARK "%u", count,
                 i);
    } else {
        snprintf(headline, sizeof headline,
                 "writes at most %" PRIu64 " of the %" PRIu64 " elements of " TENSOR_MARK
                 "%u",
                 possible / size, count, i);
    }
    report_finding("rows-missing", headline,
                   possible == 0
                       ? ""
                       : "Is the number of blocks limited, without a loop over the rows "
                         "that are left?\n");
}

// Where all blocks are too much work, those that did run decide, here too.
static void report_no_end(const struct job *job, uint32_t i)
{
    char headline[160];
    snprintf(headline, sizeof headline,
             "does not write the last of the %" PRIu64 " elements of " TENSOR_MARK "%u",
             job->call->bytes[i] / job->call->element[i], i);
    report_finding("rows-missing", headline,
                   "Does the loop over the rows end too early?\n");
}

static enum gpu_sampled run_blocks(struct job *job, bool all, char *output,
                                   uint32_t *short_of, uint64_t *possible)
{
    const void *output_dev = NULL;
    begin_blocks(job, all);
    finish_run(job, output);
    const enum gpu_sampled sampled = gpu_sampled(&output_dev, possible);
    for (uint32_t i = 0; output_dev != NULL && i < job->call->tensors; i++) {
        *short_of = job->device[i] == output_dev ? i : *short_of;
    }
    return sampled;
}

// All tensors but the numbers, which are whole if that is the result of some blocks.
static uint64_t partial_tensors(const struct job *job, enum gpu_sampled sampled)
{
    uint64_t partial = sampled == GPU_ALL_BLOCKS ? 0 : PARTIAL_ALL;
    for (uint32_t i = 0; sampled == GPU_SOME_BLOCKS && i < job->call->tensors; i++) {
        partial &= ~((uint64_t)is_number(job, i) << i);
    }
    return partial;
}

// What some blocks have shown.
struct sampled {
    enum gpu_sampled result;
    uint32_t tensor; // that seems to lack something
    uint64_t possible;
    bool unchanged; // this tensor, by anything: what a library writes is no block's
};

static struct sampled run_some(struct job *job, char *output)
{
    struct sampled some = {.result = GPU_NOT_KNOWN};
    some.result = run_blocks(job, false, output, &some.tensor, &some.possible);
    if (some.result == GPU_NUMBER_LEFT_OUT) {
        some.unchanged = is_unchanged(job, some.tensor, output);
    }
    return some;
}

// all: what the run of all blocks has shown
static void report_missing(const struct job *job, const struct sampled *some,
                           enum gpu_sampled all)
{
    const bool too_much = all == GPU_TOO_MUCH_WORK;
    if (some->result == GPU_TOO_FEW_BLOCKS &&
        lacks_end(job, some->tensor, some->possible, all)) {
        report_too_few(job, some->tensor, some->possible);
    } else if (some->result == GPU_END_LEFT_OUT && too_much) {
        report_no_end(job, some->tensor);
    } else if (some->unchanged && too_much) {
        report_too_few(job, some->tensor, 0);
    }
}

static void run_some_blocks(struct job *job, struct answer *answer, char *output)
{
    const struct sampled some = run_some(job, output);
    const bool returned = job->status == LAB_OK;
    enum gpu_sampled result = some.result;
    if (result == GPU_SOME_BLOCKS) {
        restore_unwritten(job, output);
    } else if (result == GPU_NOT_KNOWN ||
               (returned && result != GPU_ALL_BLOCKS && result != GPU_TOO_MUCH_WORK)) {
        uint32_t ignored = 0;
        uint64_t most = 0;
        result = run_blocks(job, true, output, &ignored, &most); // must confirm it
    }
    if (returned) {
        report_missing(job, &some, result);
    }
    answer->partial = partial_tensors(job, result);
    if (result == GPU_TOO_MUCH_WORK) {
        outputs_as_before(job, output);
    }
}

// ---- a call in it that fails ----------------------------------------------------------------
//
// The launcher is called once or twice:
//
//     no kernel runs after the failure     only its status counts: errors may be collected, and the
//                                          first one returned at the end
//     it returned LAB_OK                   again, and the kernels run: it may have computed the
//                                          result in another way
//
// In the first call, kernels would find that nothing has written what the failed call should have. It
// may also wait, allocate and copy: one that returns the error may do what it wants before.

// Seconds of processor time for a call that runs no kernel after the failure: far more than it needs. One
// that tries again until it succeeds would take all the time of the exercise.
enum { MOST_SECONDS = 2 };

static struct {
    const struct call_record *call;
    struct answer *answer;
} stuck;

// The line of the launch that failed; 0 if there is none, or if it is in another file than the launcher:
// one of an earlier lab, perhaps the workbook's own.
static uint32_t launch_line(const struct call_record *call)
{
    const void *launcher;
    memcpy(&launcher, &lab_entries[call->entry].function, sizeof launcher);
    return (uint32_t)gpu_launch_failure_line(launcher);
}

static void end_stuck(int number)
{
    (void)number;
    stuck.answer->line = launch_line(stuck.call);
    _exit(WORKER_STUCK);
}

static void set_alarm(int seconds)
{
    const struct sigaction action = {.sa_handler = end_stuck, .sa_flags = SA_ONSTACK};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

// What it does wrong in other ways ends the worker: it does not follow from the failure. `seconds`: what
// the call takes without a failure.
static void call_for_status(struct job *job, struct answer *answer, double seconds,
                            char *output)
{
    stuck.call = job->call;
    stuck.answer = answer;
    quiet = NONE_OF_LAUNCHES;
    set_alarm(MOST_SECONDS + (int)(4.0 * seconds));
    (void)gpu_guard(call_launcher, job);
    set_alarm(0);
    quiet = ALL_FINDINGS;
    outputs_as_before(job, output);
}

static void call_with_failing_callee(struct job *job, struct answer *answer, bool counts,
                                     char *output)
{
    if (counts) {
        run_in_order(job, GPU_FORWARD, output);
        if (!failing_choose()) {
            return;
        }
    }
    begin_run(job, GPU_FORWARD, false);
    gpu_set_launch_only(true);
    call_for_status(job, answer, 0.0, output); // no kernel runs in it
    if (job->status == LAB_OK) {
        failing_again();
        run_in_order(job, GPU_FORWARD, output);
    }
}

// ---- a launch that fails --------------------------------------------------------------------

// The first launch that fails. NO_LAUNCH: none, because there are too few.
static const uint64_t NO_LAUNCH = UINT64_MAX;

static uint64_t choose_launch(enum failing_pass pass, uint64_t launches)
{
    switch (pass) {
    case MIDDLE_PASS:
        return launches < 3 ? NO_LAUNCH : launches / 2;
    case LAST_PASS:
        return launches < 2 ? NO_LAUNCH : launches - 1;
    default:
        return launches < 1 ? NO_LAUNCH : 0;
    }
}

// It returned LAB_OK. If something is found all the same, the outputs are as before the call: it has not
// computed them.
static void call_for_results(struct job *job, uint64_t first, uint64_t last, char *output)
{
    begin_run(job, GPU_FORWARD, true);
    gpu_refuse_launches(first, last, true);
    quiet = NO_FINDINGS;
    const bool good = gpu_guard(call_launcher, job);
    quiet = ALL_FINDINGS;
    if (good) {
        copy_back(job, output);
    } else {
        outputs_as_before(job, output);
    }
    job->status = LAB_OK;
}

// What the launcher does if no launch fails.
struct usual {
    uint64_t launches, work;
    double seconds;
};

// In a large call, without its kernels: what a launcher does does not depend on their results.
static struct usual run_as_usual(struct job *job, char *output)
{
    const clock_t start = clock();
    if (job->call->extreme) {
        begin_run(job, GPU_FORWARD, false);
        gpu_set_launch_only(true);
        (void)gpu_guard(call_launcher, job);
        outputs_as_before(job, output);
    } else {
        run_in_order(job, GPU_FORWARD, output);
    }
    return (struct usual){gpu_launches_tried(), gpu_launcher_work(),
                          (double)(clock() - start) / CLOCKS_PER_SEC};
}

// Launches `first` to `last` fail.
static void refuse(struct job *job, struct answer *answer, uint64_t first, uint64_t last,
                   const struct usual *usual, char *output)
{
    begin_run(job, GPU_FORWARD, false);
    gpu_set_launch_only(job->call->extreme);
    gpu_refuse_launches(first, last, false);
    call_for_status(job, answer, usual->seconds, output);
    answer->line = launch_line(job->call);
    if (job->status == LAB_OK && runs_no_kernel(job->call)) {
        const bool other = gpu_launcher_work() != usual->work; // has it tried that?
        answer->partial = other ? PARTIAL_ALL : 0;
    } else if (job->status == LAB_OK) {
        answer->partial = 0;
        call_for_results(job, first, last, output);
    }
}

// The last one fails alone, too, but only where that says more: a launcher may try it again, until it
// succeeds or not.
static void call_with_failing_launch(struct job *job, struct answer *answer, char *output)
{
    const enum failing_pass pass = (enum failing_pass)job->call->failing.pass;
    const struct usual usual = run_as_usual(job, output);
    const uint64_t first = choose_launch(pass, usual.launches);
    answer->partial = job->call->extreme ? PARTIAL_ALL : 0;
    if (first == NO_LAUNCH) {
        return;
    }
    if (pass == EVERY_PASS || pass == LAST_PASS) {
        refuse(job, answer, first, GPU_NO_LAST_LAUNCH, &usual, output);
    }
    if (pass != EVERY_PASS &&
        (pass != LAST_PASS || (int32_t)job->status == job->call->failing.status)) {
        refuse(job, answer, first, first, &usual, output);
    }
}

// ---- counting -----------------------------------------------------------------------------

enum { MOST_KERNELS = 16 };

// The profile of a kernel in the call with the most accesses.
struct kernel_profile {
    char *name, *text;
    uint64_t accesses;
};

static bool profiling;
static struct kernel_profile profiles[MOST_KERNELS]; // in the order of their first call

void backend_begin(const struct request *request)
{
    profiling = request->profile == 1;
    gpu_set_profile(profiling);
    gpu_on_finding(show_finding, NULL);
}

static struct kernel_profile *profile_of(const char *kernel)
{
    for (size_t i = 0; i < MOST_KERNELS; i++) {
        if (profiles[i].name == NULL) {
            profiles[i].name = strdup(kernel); // copied, because the lines are temporary
        }
        if (profiles[i].name != NULL && strcmp(profiles[i].name, kernel) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

// Counts threads, not warps, to prefer calls that keep more threads busy.
static uint64_t accesses_of(const char *kernel, const struct gpu_profile_line *lines,
                            size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += strcmp(lines[i].kernel, kernel) == 0 ? lines[i].lanes : 0;
    }
    return sum;
}

// A kernel's bytes, then its lines, most wasteful first. Caller frees.
static char *describe(const char *kernel, const struct gpu_profile_line *lines,
                      size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        worker_fail("memory");
    }
    const struct gpu_traffic traffic = gpu_profile_traffic(kernel);
    fprintf(file, "%s reads %" PRIu64 " bytes of device memory and writes %" PRIu64 "\n",
            kernel, traffic.read, traffic.written);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lines[i].kernel, kernel) == 0) {
            char advice[256];
            gpu_profile_advice(advice, sizeof advice, &lines[i]);
            fprintf(file, "%s, %s\n", kernel, advice);
        }
    }
    fclose(file);
    return text;
}

static void keep_profiles(void)
{
    size_t count = 0;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    for (size_t i = 0; i < count; i++) {
        uint64_t accesses = accesses_of(lines[i].kernel, lines, count);
        struct kernel_profile *profile = profile_of(lines[i].kernel);
        if (profile != NULL && accesses > profile->accesses) {
            profile->accesses = accesses;
            free(profile->text);
            profile->text = describe(lines[i].kernel, lines, count);
        }
    }
}

void backend_end(void)
{
    if (profiling && profiles[0].text != NULL) {
        fputs(PROFILE_MARK, stderr);
    }
    for (size_t i = 0; i < MOST_KERNELS && profiles[i].text != NULL; i++) {
        fputs(profiles[i].text, stderr);
    }
}

void backend_call(const struct call_record *call, const char *request,
                  const struct reply *to)
{
    struct answer *answer = to->answer;
    char *output = lay_out(call, request);
    struct job job = {.call = call, .image = arena.before};
    char *other = malloc(call->output_bytes);
    if (other == NULL) {
        worker_fail("malloc");
    }
    answer->progress = ENTERED;
    const bool counts = failing_begin(call);
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
        keep_profiles();
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

#endif
