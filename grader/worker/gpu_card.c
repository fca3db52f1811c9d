// gpu_card.c - calls a student's launcher on a card (gpu.c), and repeats the call on other old contents.

#include "worker/gpu_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// Guard zones of neighbors overlap in the image, so a change found by one of them is kept.
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
    struct job job;
    char *output = job_begin(&job, call, request);
    allocate(&job);
    const bool counts = failing_begin(call); // or ends the worker
    answer->progress = ENTERED;
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
