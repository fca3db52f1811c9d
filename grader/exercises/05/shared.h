// shared.h - shared by the exercises of lab 5: activations, a product.

#ifndef GRADER_05_SHARED_H
#define GRADER_05_SHARED_H

#include "exercises/common/inputs.h"
#include "exercises/exercise.h"

// The number of threads in the largest grid of block.cu: the maximum of blocks_for times
// BLOCK.
enum { THREADS_OF_A_GRID = 2048 * 256 };

// Uniform numbers from low to high instead of unit normals.
void spread_input(struct test_case *test, struct lab_rng *rng, const char *name,
                  float low, float high);

// The exact GELU.
double gelu_of(double x);

// ACTIVATION(name, value): a gelu that computes value from the double x.
#define SHARED_ACTIVATION(name, value)                                                   \
    lab_status name(float *y, const float *inputs, size_t N)                             \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const double x = (double)inputs[i];                                          \
            y[i] = (float)(value);                                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define ACTIVATION(name, value) static SHARED_ACTIVATION(name, value)

lab_status gelu_by_tanh(float *y, const float *inputs, size_t N);
lab_status relu(float *y, const float *inputs, size_t N);
lab_status identity(float *y, const float *inputs, size_t N);
lab_status gelu_by_erfc(float *y, const float *inputs, size_t N);

// y (N, out) = x (N, in) w^T + bias, sums in float; w read as (in, out) when flipped.
void linear_in_float(float *y, const float *x, const float *w, const float *bias,
                     size_t N, size_t in, size_t out, bool flipped);

#endif
