// gpu.c - calls a student's launcher, on the simulated GPU or on a card: what both have in common.
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
//
//   gpu_card.c        on a card
//   gpu_simulated.c   on the simulator:
//   gpu_blocks.c        some blocks of launches that are too large to run whole
//   gpu_failing.c       calls and launches that fail
//   gpu_profile.c       counting memory accesses

#include "worker/gpu_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cudaStream_t gpu_stream;
cublasHandle_t gpu_cublas;
const void *const *gpu_host;

void must(cudaError_t error, const char *what)
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

char *job_begin(struct job *job, const struct call_record *call, const char *request)
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
    *job = (struct job){.call = call, .image = arena.before};
    return arena.after + call->input_bytes;
}

void call_launcher(void *data)
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

void report_finding(const char *kind, const char *headline, const char *details)
{
    print_last();
    fprintf(stderr, FINDING_MARK "%s\n%s\n%s", kind, headline, details);
    _exit(WORKER_FINDING);
}

void check_inputs(const struct job *job)
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
