// gpu_kernels.h - the launchers in gpu_kernels.cu. Matrices are (n, n), n a multiple of 16.

#ifndef BENCH_GPU_KERNELS_H
#define BENCH_GPU_KERNELS_H

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN
cudaError_t run_naive(float *out_dev, const float *a_dev, const float *b_dev, int n);
cudaError_t run_tiled(float *out_dev, const float *a_dev, const float *b_dev, int n);
cudaError_t run_softmax(float *out_dev, const float *x_dev, const float *unused, int n);
// Writes n floats.
cudaError_t run_fill(float *out_dev, size_t n);
LAB_GPU_END

#endif
