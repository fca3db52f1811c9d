// measure.h - timing a kernel on a device.
//
// Every run is timed by two events on the stream. Before each run, outside the timed part, a
// buffer of twice the size of the L2 cache is overwritten. So a kernel reads its inputs from
// memory, as it would after other work, and the stream is busy while the CPU queues the run, so
// the measured time does not include waiting for the CPU. The first runs are discarded, and the
// median of the others counts.

#ifndef GRADER_BENCH_GPU_MEASURE_H
#define GRADER_BENCH_GPU_MEASURE_H

#include "bench/gpu/ladders.h"

struct meter {
    cudaStream_t stream;
    cublasHandle_t cublas;
    size_t runs;
    void *flush; // twice the L2 cache
    size_t flush_bytes;
};

struct timing {
    // microseconds: the median, and the 10th and 90th percentile
    double median, low, high;
};

// Ends the program with one line if a call of CUDA, cuBLAS or a lab's function fails.
void must(cudaError_t error, const char *what);
void must_cublas(cublasStatus_t status, const char *what);
void must_lab(lab_status status, const char *what);

struct meter meter_open(size_t runs, size_t flush_bytes);
void meter_close(struct meter *meter);

struct timing measure(const struct meter *meter, const struct step *step,
                      const struct job *job);

// GB/s of copying `bytes` from one place of the device to another, reads and writes counted.
double measure_copy(const struct meter *meter, size_t bytes);

#endif
