// measure.h - timing a kernel on a device.
//
// Every run is timed by two events on the stream. Before each run a buffer of twice the size of
// the card's L2 cache is overwritten, outside of the timed part: a kernel finds its inputs in
// memory, as it would between other work. That also keeps the stream busy while the CPU queues
// the run, so that the time between the two events holds no waiting for the CPU. The first runs
// are thrown away, and the median of the others counts.

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

// Ends the program with one line when CUDA, cuBLAS or a lab's function refuses something.
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
