// ladders.h - how a GPU kernel is described to make gpu-bench.
//
// A ladder is one computation, done by several functions: its steps, slowest first. All get the
// same tensors on the device and must produce the same result.
//
//     ladder   "out (M,N) = a (M,K) b (K,N)"        sizes, tensors, amount of work
//       step   1.1  a thread for each output, down the columns     computes what is right
//       step   1.1  a thread for each output, along the rows       must agree with it
//       step   cuBLAS                                              the others are compared with it
//
// To measure another kernel, add a step to a ladder. For another computation, add a struct
// ladder to a file in this folder and its name to the list in main.cu.

#ifndef GRADER_BENCH_GPU_LADDERS_H
#define GRADER_BENCH_GPU_LADDERS_H

#include <stddef.h>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "common/status.h"

enum { MOST_SIZES = 4, MOST_TENSORS = 12, MOST_STEPS = 8 };

// One call: the sizes of its ladder, and its tensors on the device, the outputs first.
struct job {
    size_t n[MOST_SIZES];
    float *t[MOST_TENSORS];
    cublasHandle_t cublas; // on the stream
    cudaStream_t stream;
};

struct step {
    // "1.3", or "cuBLAS"; "bench" or "bf16" for a kernel of this folder
    const char *exercise;
    const char *what; // "16 by 16 tiles in shared memory"
    lab_status (*run)(const struct job *job);
    // compares its result with that of the first step; NULL: must be equal
    float (*factor)(const size_t *n);
    bool incomplete;    // does only a part of the work, so its result is not compared
    float rounding = 0; // how far shorter numbers may change its result, in addition
    // NULL, or what to say where there are no tensor cores
    const char *without_tensor_cores = NULL;
    bool needs_hopper = false; // compute capability 9.0; elsewhere it does not run
};

// What steps are compared with: the rate of copying from device to device, if they are limited
// by memory, or the last step that runs, for instance cuBLAS.
enum yardstick { COPY, LAST_STEP };

struct ladder {
    const char *title;
    const char *dims;         // "M N K"
    size_t n[MOST_SIZES];     // sizes on a card
    size_t small[MOST_SIZES]; // odd sizes, to check that everything runs (--small)
    enum yardstick yardstick;
    // The number of elements in tensor i for these sizes; 0 after the last tensor.
    size_t (*count)(const size_t *n, size_t i);
    // For LAST_STEP, the number of operations. For COPY, the minimum number of bytes to move:
    // every input read once, every output written once. A step that moves more has a lower
    // rate, not more work.
    double (*work)(const size_t *n);
    struct step steps[MOST_STEPS];
    // Changes the random tensors before the first step, or NULL.
    lab_status (*prepare)(const struct job *job) = NULL;
};

// flash_hopper.cu: bf16 attention of job, as in flash_tensor_cores.
lab_status run_on_hopper(const struct job *job);

// products.cu, rows.cu, whole.cu, decode.cu, flash.cu, flash_bf16.cu
extern const struct ladder plain_product, nt_product, batched_product, linear_layer;
extern const struct ladder softmax_of_rows, masked_softmax_of_rows, causal_masks;
extern const struct ladder whole_attention;
extern const struct ladder decode_attention, int8_product;
extern const struct ladder flash_forward, flash_backward, flash_tensor_cores;

#endif
