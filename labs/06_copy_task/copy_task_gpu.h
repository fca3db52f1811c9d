// copy_task_gpu.h - the contract of lab 6's GPU part: loss, gradients and Adam on the card.
//
// Every function does the same as the function without _gpu in its name (copy_task.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE before it puts anything into the stream, also for a size above
//     INT_MAX if cuBLAS or a grid counts it with int. It returns LAB_ECUDA if CUDA or cuBLAS
//     refuses a call; then the outputs may be partly written.
//   - Tokens and targets are in device memory, so the host cannot check them. A token that is
//     not below V therefore does not return LAB_EVALUE. The kernel must not read outside the
//     table; it writes NaN for such a token, which then shows in the loss.
//   - A function with an argument cublas calls cuBLAS. The caller has created the handle and
//     set it to the same stream (cublasSetStream).
//   - The same call gives the same bits every time: sums over rows have a fixed order, without
//     atomicAdd. (The judge accepts the rounding of an atomicAdd.)
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// Files to edit, in this order: loss.cu, gradients.cu, optimizer.cu. Start reading at
// embedding_gpu.

#ifndef LAB_06_COPY_TASK_GPU_H
#define LAB_06_COPY_TASK_GPU_H

#include <cublas_v2.h>

#include "06_copy_task/copy_task.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// ---- loss.cu ------------------------------------------------------------------------------

// 6.2  out_dev (N, C) written    tokens_dev (N) read    table_dev (V, C) read
//
// A token that is not below V makes its row of out_dev NaN.
// Example: embedding_gpu(out_dev, tokens_dev, table_dev, B * T, C, V, stream);
LAB_CHECKED lab_status embedding_gpu(float *out_dev, const size_t *tokens_dev,
                                     const float *table_dev, size_t N, size_t C, size_t V,
                                     cudaStream_t stream);

// 6.3  loss_dev (1) written    probabilities_dev (N, V) written
//      row_losses_dev (N): workspace, written: the loss of each row
//      logits_dev (N, V) read    targets_dev (N) read
//
// Unlike cross_entropy, this launcher has a workspace. The sum needs the losses of all rows,
// and a block cannot wait for other blocks inside a kernel. A target that is not below V makes
// the loss NaN.
// Example: cross_entropy_gpu(loss_dev, probabilities_dev, row_losses_dev, logits_dev,
//                            targets_dev, B * T, V, stream);
LAB_CHECKED lab_status cross_entropy_gpu(float *loss_dev, float *probabilities_dev,
                                         float *row_losses_dev, const float *logits_dev,
                                         const size_t *targets_dev, size_t N, size_t V,
                                         cudaStream_t stream);

// ---- gradients.cu -------------------------------------------------------------------------

// 6.5  dx_dev (N, I) written    dw_dev (O, I) added to    dbias_dev (O) added to, or NULL
//      dy_dev (N, O), x_dev (N, I), w_dev (O, I) read
//
// Example: linear_backward_gpu(dx_dev, dw_dev, dbias_dev, dy_dev, x_dev, w_dev, B * T, C, 3 * C,
//                              cublas, stream);
LAB_CHECKED lab_status linear_backward_gpu(float *dx_dev, float *dw_dev, float *dbias_dev,
                                           const float *dy_dev, const float *x_dev,
                                           const float *w_dev, size_t N, size_t I,
                                           size_t O, cublasHandle_t cublas,
                                           cudaStream_t stream);

// 6.6  dscores_dev (N, S) written    dweights_dev, weights_dev (N, S) read
//
// Example: softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, B * NH * T, S, stream);
LAB_CHECKED lab_status softmax_backward_gpu(float *dscores_dev, const float *dweights_dev,
                                            const float *weights_dev, size_t N, size_t S,
                                            cudaStream_t stream);

// 6.7  dq_dev (B, NH, T, hs), dk_dev, dv_dev (B, NH, S, hs) written
//      dweights_dev, dscores_dev (B, NH, T, S): workspaces, written
//      dout_dev, q_dev (B, NH, T, hs), k_dev, v_dev (B, NH, S, hs), weights_dev (B, NH, T, S) read
//
// Example: attention_backward_gpu(dq_dev, dk_dev, dv_dev, dweights_dev, dscores_dev, dout_dev,
//              q_dev, k_dev, v_dev, weights_dev, B, NH, T, T, hs, cublas, stream);
LAB_CHECKED lab_status attention_backward_gpu(float *dq_dev, float *dk_dev, float *dv_dev,
                                              float *dweights_dev, float *dscores_dev,
                                              const float *dout_dev, const float *q_dev,
                                              const float *k_dev, const float *v_dev,
                                              const float *weights_dev, size_t B,
                                              size_t NH, size_t T, size_t S, size_t hs,
                                              cublasHandle_t cublas, cudaStream_t stream);

// 6.8  dx_dev (N, C) written    dgain_dev, dbias_dev (C) added to
//      dy_dev, x_dev (N, C), mean_dev, rstd_dev (N), gain_dev (C) read
//
// Example: layernorm_backward_gpu(dx_dev, dgain_dev, dbias_dev, dy_dev, x_dev, mean_dev,
//                                 rstd_dev, gain_dev, B * T, C, stream);
LAB_CHECKED lab_status layernorm_backward_gpu(float *dx_dev, float *dgain_dev,
                                              float *dbias_dev, const float *dy_dev,
                                              const float *x_dev, const float *mean_dev,
                                              const float *rstd_dev,
                                              const float *gain_dev, size_t N, size_t C,
                                              cudaStream_t stream);

// 6.9  dx_dev (N) written    dy_dev, x_dev (N) read
//
// Example: gelu_backward_gpu(dhidden_dev, dactivated_dev, hidden_dev, B * T * H, stream);
LAB_CHECKED lab_status gelu_backward_gpu(float *dx_dev, const float *dy_dev,
                                         const float *x_dev, size_t N,
                                         cudaStream_t stream);

// ---- optimizer.cu -------------------------------------------------------------------------

// 6.12  w_dev, m_dev, v_dev (N) updated    g_dev (N) read    settings: on the host
//
// LAB_EVALUE if step is 0, or beta1 or beta2 is outside [0, 1).
// Example: adam_step_gpu(w_dev, m_dev, v_dev, g_dev, &adam, step, P, stream);
LAB_CHECKED lab_status adam_step_gpu(float *w_dev, float *m_dev, float *v_dev,
                                     const float *g_dev, const struct adam *settings,
                                     size_t step, size_t N, cudaStream_t stream);

LAB_GPU_END

#endif
