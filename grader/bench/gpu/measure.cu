// measure.cu - see measure.h.

#include "bench/gpu/measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/gpu/gpu.h"

enum { WARM_UP = 3, MOST_RUNS = 200 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "gpu-bench: %s: %s\n", what, why);
    exit(1);
}

void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        stop(what, cudaGetErrorString(error));
    }
}

void must_cublas(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        char why[32];
        snprintf(why, sizeof why, "cuBLAS status %d", (int)status);
        stop(what, why);
    }
}

void must_lab(lab_status status, const char *what)
{
    if (status != LAB_OK) {
        stop(what, lab_status_message(status));
    }
}

struct meter meter_open(size_t runs, size_t flush_bytes)
{
    struct meter meter = {};
    meter.runs = runs < MOST_RUNS ? runs : (size_t)MOST_RUNS;
    meter.flush_bytes = flush_bytes;
    must(cudaStreamCreate(&meter.stream), "making a stream");
    must_cublas(cublasCreate(&meter.cublas), "making a cuBLAS handle");
    must_cublas(cublasSetStream(meter.cublas, meter.stream), "setting cuBLAS's stream");
    must(cudaMalloc(&meter.flush, flush_bytes), "memory to overwrite the L2 cache with");
    return meter;
}

void meter_close(struct meter *meter)
{
    must(cudaFree(meter->flush), "freeing memory");
    must_cublas(cublasDestroy(meter->cublas), "ending cuBLAS");
    must(cudaStreamDestroy(meter->stream), "ending the stream");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct timing measure(const struct meter *meter, const struct step *step,
                      const struct job *job)
{
    static cudaEvent_t start[MOST_RUNS], end[MOST_RUNS];
    for (size_t i = 0; i < WARM_UP; i++) {
        must_lab(step->run(job), step->what);
    }
    for (size_t i = 0; i < meter->runs; i++) {
        must(cudaEventCreate(&start[i]), "making an event");
        must(cudaEventCreate(&end[i]), "making an event");
        must(cudaMemsetAsync(meter->flush, (int)i, meter->flush_bytes, meter->stream),
             "overwriting the L2 cache");
        must(cudaEventRecord(start[i], meter->stream), "recording an event");
        must_lab(step->run(job), step->what);
        must(cudaEventRecord(end[i], meter->stream), "recording an event");
    }
    must(cudaStreamSynchronize(meter->stream), step->what);

    static double microseconds[MOST_RUNS];
    for (size_t i = 0; i < meter->runs; i++) {
        float milliseconds = 0.0f;
        must(cudaEventElapsedTime(&milliseconds, start[i], end[i]), "reading an event");
        microseconds[i] = 1000.0 * milliseconds;
        must(cudaEventDestroy(start[i]), "ending an event");
        must(cudaEventDestroy(end[i]), "ending an event");
    }
    qsort(microseconds, meter->runs, sizeof *microseconds, by_size);
    const size_t last = meter->runs - 1;
    return {microseconds[last / 2], microseconds[last / 10], microseconds[last * 9 / 10]};
}

// t[0] and t[1] of n[0] bytes each.
static lab_status run_copy(const struct job *job)
{
    return lab_cuda(cudaMemcpyAsync(job->t[0], job->t[1], job->n[0],
                                    cudaMemcpyDeviceToDevice, job->stream));
}

double measure_copy(const struct meter *meter, size_t bytes)
{
    const struct step step = {"-", "copying from device to device", run_copy, NULL,
                              false};
    struct job job = {};
    job.n[0] = bytes;
    job.stream = meter->stream;
    for (size_t i = 0; i < 2; i++) {
        must(cudaMalloc((void **)&job.t[i], bytes), "memory for copying");
        must(cudaMemsetAsync(job.t[i], 0, bytes, meter->stream), "memory for copying");
    }
    const struct timing timing = measure(meter, &step, &job);
    must(cudaFree(job.t[0]), "freeing memory");
    must(cudaFree(job.t[1]), "freeing memory");
    return 2.0 * (double)bytes / timing.median / 1e3;
}
