// gpu_job.h - one call of a launcher, for the files of the GPU's worker (gpu.c).

#ifndef GRADER_WORKER_GPU_JOB_H
#define GRADER_WORKER_GPU_JOB_H

#include "worker/gpu.h"
#include "worker/worker.h"

// The state of one call.
struct job {
    const struct call_record *call;
    const char *image;
    char *device[PROTOCOL_TENSORS]; // pointer passed to the launcher
    char *block[PROTOCOL_TENSORS];  // its allocation
    lab_status status;
};

static inline const char *host_bytes(const struct job *job, uint32_t i)
{
    return job->image + job->call->offset[i];
}

static inline bool is_input(const struct job *job, uint32_t i)
{
    return job->call->offset[i] < job->call->input_bytes;
}

static inline bool is_absent(const struct job *job, uint32_t i)
{
    return job->call->offset[i] == ARENA_ABSENT;
}

// The worker's own CUDA calls fail only without a device or without memory.
void must(cudaError_t error, const char *what);

// Lays out the arena before the call, the job's image. Returns the part that the call may write, after the call.
char *job_begin(struct job *job, const struct call_record *call, const char *request);

void call_launcher(void *job);
// Inputs must be unchanged.
void check_inputs(const struct job *job);
// Ends the worker.
_Noreturn void report_finding(const char *kind, const char *headline,
                              const char *details);

#endif
