// in_double.h - the functions of labs 4 to 6 with every sum in double, rounded once when
// stored, and with row statistics recomputed. A student's correct code may give the same
// results. These functions are an alternative in several exercises.

#ifndef GRADER_06_IN_DOUBLE_H
#define GRADER_06_IN_DOUBLE_H

#include "exercises/exercise.h"

#include "06_copy_task/copy_task.h"

// Each has the contract of the function whose name it begins with (copy_task.h).
lab_status linear_backward_in_double(float *dx, float *dw, float *dbias, const float *dy,
                                     const float *x, const float *w, size_t N, size_t I,
                                     size_t O);
lab_status attention_backward_in_double(float *dq, float *dk, float *dv, float *dweights,
                                        float *dscores, const float *dout, const float *q,
                                        const float *k, const float *v,
                                        const float *weights, size_t B, size_t NH,
                                        size_t T, size_t S, size_t hs);
lab_status layernorm_backward_in_double(float *dx, float *dgain, float *dbias,
                                        const float *dy, const float *x,
                                        const float *mean, const float *rstd,
                                        const float *gain, size_t N, size_t C);
lab_status gelu_backward_in_double(float *dx, const float *dy, const float *x, size_t N);
lab_status model_forward_in_double(float *loss, const struct model_activations *z,
                                   const struct model_params *params,
                                   const size_t *tokens, const size_t *targets,
                                   const float *uniforms,
                                   const struct model_shape *shape);
lab_status block_backward_in_double(float *dx, const struct block_grads *grads,
                                    const struct model_gradients *dz, const float *dout,
                                    const float *x, const struct block_params *params,
                                    const float *weights, const struct block_buffers *z,
                                    size_t B, size_t T, size_t C, size_t NH, size_t H);
lab_status model_backward_in_double(const struct model_params *grads,
                                    const struct model_gradients *dz,
                                    const struct model_activations *z,
                                    const struct model_params *params,
                                    const size_t *tokens, const size_t *targets,
                                    const float *uniforms,
                                    const struct model_shape *shape);

#endif
