// batching_gpu.h - the contract of lab 2's GPU side.
//
// The functions are those of batching.h, with the same arguments in the same order.
// Pointers named x_dev point into GPU memory. The work goes to a stream, and no function
// waits for it (see attention_gpu.h in lab 1). Two functions also have the argument
//
//   cublas   a cuBLAS handle. The caller has created it, because that takes milliseconds,
//            and bound it to the same stream. So your cuBLAS calls and kernels run in the
//            order of your code. cuBLAS reads the scalars alpha and beta from host memory.
//
// If a size is 0 or does not fit the int of CUDA and cuBLAS, a function returns LAB_ESHAPE,
// launches nothing and leaves the outputs unchanged. If CUDA or cuBLAS rejects a call, it
// returns LAB_ECUDA, and the outputs may be partly written. No function allocates or waits.
//
// Start reading at batched_matmul_gpu; batching.cu is the file to edit.

#ifndef LAB_02_BATCHING_GPU_H
#define LAB_02_BATCHING_GPU_H

#include <cublas_v2.h>

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 2.2  One product for each sequence of the batch.
//
//   out[i] = a[i] b[i]    for i = 0 ... B - 1
//
//   out_dev (B, M, N) written    a_dev (B, M, K) read    b_dev (B, K, N) read
//
// Source: torch.bmm.
// Example: batched_matmul_gpu(out_dev, weights_dev, v_dev, B, T, C, S, stream);
LAB_CHECKED lab_status batched_matmul_gpu(float *out_dev, const float *a_dev,
                                          const float *b_dev, size_t B, size_t M,
                                          size_t N, size_t K, cudaStream_t stream);

// 2.2  The same with the last two axes of b transposed. The batch axis stays in place.
//
//   out[i] = a[i] b[i]^T    for i = 0 ... B - 1
//
//   out_dev (B, M, N) written    a_dev (B, M, K) read    b_dev (B, N, K) read
//
// Source: torch.bmm(a, b.transpose(1, 2)).
// Example: batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, S, C, stream);
LAB_CHECKED lab_status batched_matmul_nt_gpu(float *out_dev, const float *a_dev,
                                             const float *b_dev, size_t B, size_t M,
                                             size_t N, size_t K, cudaStream_t stream);

// 2.3  The same linear layer for every token of every sequence, as ONE cublasSgemm over the
//      B * T rows of x. Also returns LAB_ESHAPE if B * T does not fit an int.
//
//   y[b][t][o] = sum over i of x[b][t][i] * w[o][i] + bias[o]
//
//   y_dev (B, T, O) written    x_dev (B, T, I) read    w_dev (O, I) read
//   bias_dev (O) read, or NULL: none
//
// Source: torch.nn.functional.linear; the cuBLAS documentation, "Data Layout".
// Example: batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, stream);
LAB_CHECKED lab_status batched_linear_gpu(float *y_dev, const float *x_dev,
                                          const float *w_dev, const float *bias_dev,
                                          size_t B, size_t T, size_t I, size_t O,
                                          cublasHandle_t cublas, cudaStream_t stream);

// 2.5  Self-attention of every sequence with itself. No sequence sees another. Also
//      returns LAB_ESHAPE if B * T does not fit an int.
//
//   q = x w_q^T    k = x w_k^T    v = x w_v^T
//   weights[b] = softmax(q[b] k[b]^T / sqrt(C))    out[b] = weights[b] v[b]
//
//   out_dev (B, T, C) written    weights_dev (B, T, T) written: row = query, column = key
//   q_dev, k_dev, v_dev (B, T, C) and scores_dev (B, T, T): workspaces, written
//   x_dev (B, T, C) read    w_q_dev, w_k_dev, w_v_dev (C, C) read, each (out, in)
//
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Example: batched_attention_gpu(out_dev, weights_dev, q_dev, k_dev, v_dev, scores_dev,
//                                x_dev, w_q_dev, w_k_dev, w_v_dev, B, T, C, cublas, stream);
LAB_CHECKED lab_status batched_attention_gpu(float *out_dev, float *weights_dev,
                                             float *q_dev, float *k_dev, float *v_dev,
                                             float *scores_dev, const float *x_dev,
                                             const float *w_q_dev, const float *w_k_dev,
                                             const float *w_v_dev, size_t B, size_t T,
                                             size_t C, cublasHandle_t cublas,
                                             cudaStream_t stream);

LAB_GPU_END

#endif
