// positions_gpu.h - the contract of lab 7's GPU part: angles, and rotations by them.
//
// Every function does the same as the function without _gpu in its name (positions.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE before it puts anything into the stream, and LAB_ECUDA if CUDA
//     refuses the launch.
//
// Here too, compute angles in double and round their sine and cosine to float.
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// positions.cu is the file to edit. Start reading at sinusoidal_encoding_gpu.

#ifndef LAB_07_POSITIONS_GPU_H
#define LAB_07_POSITIONS_GPU_H

#include "07_positional_encoding/positions.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 7.1  table_dev (T, C) written
//
// Example: sinusoidal_encoding_gpu(table_dev, T_max, C, stream);
LAB_CHECKED lab_status sinusoidal_encoding_gpu(float *table_dev, size_t T, size_t C,
                                               cudaStream_t stream);

// 7.3  out_dev (B, NH, T, hs) written    x_dev (B, NH, T, hs) read
//      positions_dev (T) read: also in device memory
//
// LAB_ESHAPE also if hs is odd. out_dev and x_dev begin at a multiple of 8 bytes, like all
// memory from cudaMalloc, so a pair of channels may be read at once, as a float2.
// Example: rope_gpu(q_turned_dev, q_dev, positions_dev, B, NH, T, hs, stream);
LAB_CHECKED lab_status rope_gpu(float *out_dev, const float *x_dev,
                                const size_t *positions_dev, size_t B, size_t NH,
                                size_t T, size_t hs, cudaStream_t stream);

LAB_GPU_END

#endif
