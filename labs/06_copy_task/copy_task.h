// copy_task.h - the contract of lab 6: training, with every backward pass written by hand.
//
// A backward function takes the gradient of the loss with respect to an output, dy. It
// computes the gradients with respect to the inputs, dx, and the parameters, dw. It
// OVERWRITES gradients of activations. It ADDS to gradients of parameters, because a step may
// use a parameter more than once. The caller sets these to 0 at the start of each step.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs,
// inputs, sizes. Buffers belong to the caller and never overlap, and no function allocates
// memory. Every function returns LAB_ESHAPE if a size is 0. A function that rejects its
// arguments leaves its outputs unchanged; if a function that it calls fails, they may be
// partly written.
//
//   B  sequences in the batch    T, S  query and key length      V  vocabulary
//   N  rows in general           C     model width               L  blocks
//   I, O  inputs and outputs of a linear layer                   H  width inside the MLP
//   NH, hs  heads and their width
//
// Files to edit, in this order: tasks.c, loss.c, gradients.c, model.c, optimizer.c,
// train.c. Start reading at make_targets, or at model_forward for an overview.

#ifndef LAB_06_COPY_TASK_H
#define LAB_06_COPY_TASK_H

#include <stddef.h>

#include "common/dimensions.h"
#include "common/model.h"
#include "common/status.h"

// ---- tasks.c ------------------------------------------------------------------------------

// The output that a model must learn for a sequence x(T) of tokens.
enum task {
    TASK_COPY,    // y[t] = x[t]
    TASK_REVERSE, // y[t] = x[T - 1 - t]
    TASK_SORT,    // the same tokens, in ascending order
    TASK_ADD,     // y[0] = x[0], y[t] = (x[t] + x[t - 1]) mod V
    TASK_COUNT,
};

// 6.1  The right answers of a task for every sequence.
//      LAB_EVALUE if a token is not below V, or task is not one of the four.
//
//   targets (B, T) written    inputs (B, T) read, tokens from 0 to V - 1
//
// Example: V = 10, inputs 7 1 9:  copy 7 1 9, reverse 9 1 7, sort 1 7 9, add 7 8 0
LAB_CHECKED lab_status make_targets(size_t *targets, const size_t *inputs, enum task task,
                                    size_t B, size_t T, size_t V);

// 6.1  One batch of a data set of R sequences: rows first to first + B - 1, and their
//      targets. LAB_ESHAPE if the data set does not have these rows; LAB_EVALUE as above, but
//      only for the rows of the batch.
//
//   inputs, targets (B, T) written    data (R, T) read
//
// Example: make_copy_batch(inputs, targets, data, 0, TASK_COPY, 100, 32, 8, 10);
LAB_CHECKED lab_status make_copy_batch(size_t *inputs, size_t *targets,
                                       const size_t *data, size_t first, enum task task,
                                       size_t R, size_t B, size_t T, size_t V);

// ---- loss.c -------------------------------------------------------------------------------

// 6.2  One row of a table for each token. LAB_EVALUE if a token is not below V.
//
//   out[n] = table[tokens[n]]
//
//   out (N, C) written    tokens (N) read    table (V, C) read
//
// Source: torch.nn.Embedding.
// Example: embedding(out, tokens, table, B * T, C, V);
LAB_CHECKED lab_status embedding(float *out, const size_t *tokens, const float *table,
                                 size_t N, size_t C, size_t V);

// 6.3  The loss of the targets: the mean over all N rows, in natural-log units. Uniform guessing
//      costs log V. Must be stable for logits of +-1e4, so compute the loss from the logits,
//      not from a rounded probability. All logits are finite or NaN. LAB_EVALUE if a target is
//      not below V.
//
//   max_n               = largest logits[n][i]
//   probabilities[n][i] = exp(logits[n][i] - max_n) / sum_j exp(logits[n][j] - max_n)
//   loss = 1/N sum_n ( log sum_j exp(logits[n][j] - max_n) - (logits[n][targets[n]] - max_n) )
//
//   loss (1) written    probabilities (N, V) written    logits (N, V) read, in natural-log
//   units    targets (N) read
//
// A logit that is NaN makes the loss NaN; this is not an error.
// Source: torch.nn.functional.cross_entropy.
// Example: cross_entropy(&loss, probabilities, logits, targets, B * T, V);
LAB_CHECKED lab_status cross_entropy(float *loss, float *probabilities,
                                     const float *logits, const size_t *targets, size_t N,
                                     size_t V);

// 6.4  The gradient of the loss of 6.3. LAB_EVALUE if a target is not below V.
//
//   dlogits[n][i] = (probabilities[n][i] - [i == targets[n]]) / N
//
//   dlogits (N, V) written    probabilities (N, V) read    targets (N) read
//
// Example: cross_entropy_backward(dlogits, probabilities, targets, B * T, V);
LAB_CHECKED lab_status cross_entropy_backward(float *dlogits, const float *probabilities,
                                              const size_t *targets, size_t N, size_t V);

// ---- gradients.c --------------------------------------------------------------------------

// 6.5  Back through y = x w^T + bias.
//
//   dx = dy w    dw += dy^T x    dbias[o] += sum_n dy[n][o]
//
//   dx (N, I) written    dw (O, I) added to    dbias (O) added to, or NULL: no bias
//   dy (N, O), x (N, I), w (O, I) read
//
// Example: linear_backward(dx, dw, dbias, dy, x, w, B * T, C, 3 * C);
LAB_CHECKED lab_status linear_backward(float *dx, float *dw, float *dbias,
                                       const float *dy, const float *x, const float *w,
                                       size_t N, size_t I, size_t O);

// 6.6  Back through the softmax of each row. Every weight of a row depends on every score of
//      that row. A masked score has weight 0 and gets gradient 0.
//
//   dscores[n][s] = weights[n][s] (dweights[n][s] - sum_j dweights[n][j] weights[n][j])
//
//   dscores (N, S) written    dweights (N, S) read    weights (N, S) read: from the forward pass
//
// Example: softmax_backward(dscores, dweights, weights, B * NH * T, S);
LAB_CHECKED lab_status softmax_backward(float *dscores, const float *dweights,
                                        const float *weights, size_t N, size_t S);

// 6.7  Back through the attention of every head of every sequence. The mask is not needed:
//      the weight of a forbidden key is 0, so no gradient passes.
//
//   forward:   scores = q k^T / sqrt(hs)    weights = softmax(scores)    out = weights v
//   backward:  dweights = dout v^T          dv = weights^T dout
//              dq = dscores k / sqrt(hs)    dk = dscores^T q / sqrt(hs)
//
//   dq (B, NH, T, hs), dk, dv (B, NH, S, hs) written
//   dweights, dscores (B, NH, T, S): workspaces, written
//   dout, q (B, NH, T, hs), k, v (B, NH, S, hs), weights (B, NH, T, S) read
//
// Source: the backward of lab 4's scaled_dot_product_attention.
// Example: attention_backward(dq, dk, dv, dweights, dscores, dout, q, k, v, weights, B, NH, T,
//                             T, hs);
LAB_CHECKED lab_status attention_backward(float *dq, float *dk, float *dv,
                                          float *dweights, float *dscores,
                                          const float *dout, const float *q,
                                          const float *k, const float *v,
                                          const float *weights, size_t B, size_t NH,
                                          size_t T, size_t S, size_t hs);

// 6.8  Back through the layer norm of each row. mean and rstd depend on x as well, so part of
//      the gradient flows through them.
//
//   forward:   norm = (x - mean) rstd    y = norm gain + bias
//   backward:  dgain += sum_n dy[n] norm[n]    dbias += sum_n dy[n]    dnorm = dy gain
//              dx = rstd (dnorm - mean over c of dnorm - norm (mean over c of dnorm norm))
//
//   dx (N, C) written    dgain, dbias (C) added to
//   dy, x (N, C), mean, rstd (N), gain (C) read; mean and rstd are those of lab 5's layernorm
//
// Source: Ba et al., Layer Normalization (2016); torch.nn.LayerNorm.
// Example: layernorm_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, B * T, C);
LAB_CHECKED lab_status layernorm_backward(float *dx, float *dgain, float *dbias,
                                          const float *dy, const float *x,
                                          const float *mean, const float *rstd,
                                          const float *gain, size_t N, size_t C);

// 6.9  Back through the exact GELU, y = x cdf(x), where cdf(x) = (1 + erf(x / sqrt 2)) / 2.
//
//   dx = dy (cdf(x) + x pdf(x))    pdf(x) = exp(-x^2 / 2) / sqrt(2 pi)
//
//   dx (N) written    dy, x (N) read
//
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016).
// Example: gelu_backward(dhidden, dactivated, hidden, B * T * H);
LAB_CHECKED lab_status gelu_backward(float *dx, const float *dy, const float *x,
                                     size_t N);

// 6.10  Back through the embedding: every occurrence of a token adds to its row.
//       LAB_EVALUE if a token is not below V.
//
//   dtable[tokens[n]] += dy[n]    for every n
//
//   dtable (V, C) added to    dy (N, C), tokens (N) read
//
// Example: embedding_backward(dtable, dy, tokens, B * T, C, V);
LAB_CHECKED lab_status embedding_backward(float *dtable, const float *dy,
                                          const size_t *tokens, size_t N, size_t C,
                                          size_t V);

// ---- model.c ------------------------------------------------------------------------------

// 6.11  The whole model, from tokens to loss.
//
//   embedded   = token_table[tokens]
//   positioned = embedded + position_table[t], or just embedded if position_table is NULL
//   streams[0] = dropout(positioned), or just positioned if uniforms is NULL
//   streams[l + 1] = lab 5's transformer_block(streams[l]), for l = 0 ... L - 1
//   logits     = streams[L] w_out^T + b_out            (no layer norm at the end)
//   loss       = cross_entropy(logits, targets)
//
//   loss (1) written; if loss and targets are both NULL, stop at the logits
//   z: every buffer of model_activations, written; probabilities only with targets. Your
//   functions of labs 4 and 5 write most of them; those that the backward pass reads are judged
//   params read    tokens, targets (B, T) read
//   uniforms (B, T, C) read: training, with dropout of shape->dropout; NULL: evaluation
//   shape: the sizes of this call; B and T may be smaller than those of the model
//
// If model_shape_check fails, returns its status. LAB_EVALUE if a token or a target is not
// below V, or if only one of loss and targets is NULL.
// Example: model_forward(&loss, &model.activations, &model.params, tokens, targets, NULL,
//                        &model.shape);
LAB_CHECKED lab_status model_forward(float *loss, const struct model_activations *z,
                                     const struct model_params *params,
                                     const size_t *tokens, const size_t *targets,
                                     const float *uniforms,
                                     const struct model_shape *shape);

// 6.11  Back through one pre-norm block; at each residual the gradient takes both paths.
//
//   forward:   middle = x + attention(ln1(x))    out = middle + mlp(ln2(middle))
//
//   dx (B, T, C) written    grads added to    dz: every buffer except dlogits, dstreams and
//   dpositioned is a workspace
//   dout, x (B, T, C), params read    weights (B, NH, T, T), z read: from transformer_block
//
// LAB_ESHAPE also if NH does not divide C.
// Example: block_backward(dx, &grads, &model.gradients, dout, x, &params, weights, &buffers, B,
//                         T, C, NH, H);
LAB_CHECKED lab_status block_backward(float *dx, const struct block_grads *grads,
                                      const struct model_gradients *dz, const float *dout,
                                      const float *x, const struct block_params *params,
                                      const float *weights, const struct block_buffers *z,
                                      size_t B, size_t T, size_t C, size_t NH, size_t H);

// 6.11  The whole backward pass. Call it after model_forward with the same tokens, targets (not
//       NULL), uniforms, parameters and shape.
//
//   grads: every parameter's gradient, added to; position_table NULL: not trained
//   dz: dlogits and dstreams written, where dstreams[l] is d(loss) / d(streams[l]); every other
//   buffer is a workspace
//   z, params, tokens, targets, uniforms, shape read
//
// If model_shape_check fails, returns its status. LAB_EVALUE if a token or a target is not
// below V.
// Example: model_backward(&model.grads, &model.gradients, &model.activations, &model.params,
//                         tokens, targets, NULL, &model.shape);
LAB_CHECKED lab_status model_backward(const struct model_params *grads,
                                      const struct model_gradients *dz,
                                      const struct model_activations *z,
                                      const struct model_params *params,
                                      const size_t *tokens, const size_t *targets,
                                      const float *uniforms,
                                      const struct model_shape *shape);

// ---- optimizer.c --------------------------------------------------------------------------

// double, as in PyTorch: in float, 1 - 0.999 equals 0.001 to only five digits.
struct adam {
    double lr;           // 1e-3 in this lab
    double beta1, beta2; // 0.9, 0.999
    double eps;          // 1e-8
    double weight_decay; // 0: Adam; otherwise AdamW, which decays every parameter
};

// 6.12  One step of AdamW. The decay is decoupled: it is subtracted from w and never enters
//       the moments. eps is added outside the root, after the bias correction.
//       LAB_EVALUE if step is 0, or beta1 or beta2 is outside [0, 1).
//
//   w -= lr weight_decay w
//   m = beta1 m + (1 - beta1) g        m^ = m / (1 - beta1^step)
//   v = beta2 v + (1 - beta2) g^2      v^ = v / (1 - beta2^step)
//   w -= lr m^ / (sqrt(v^) + eps)
//
//   w, m, v (N) updated    g (N) read    step: 1 for the first step, in which m and v start at 0;
//   it may be above 2^31, so take the powers with pow, not with a loop over the steps
//
// Source: Kingma and Ba, Adam (2015), algorithm 1; Loshchilov and Hutter, Decoupled Weight
// Decay Regularization (2019), algorithm 2; torch.optim.AdamW.
// Example: adam_step(model.param, model.m, model.v, model.grad, &adam, model.step + 1, model.P);
LAB_CHECKED lab_status adam_step(float *w, float *m, float *v, const float *g,
                                 const struct adam *settings, size_t step, size_t N);

// 6.13  Shortens the gradient of all parameters together to max_norm if it is longer. Its
//       direction stays. LAB_EVALUE unless max_norm > 0.
//
//   norm = sqrt(sum_i g[i]^2)    g *= min(1, max_norm / (norm + 1e-6))
//
//   norm (1) written: before clipping    g (N) updated
//
// If a gradient is NaN, norm and this gradient are NaN (the others are not judged).
// Source: torch.nn.utils.clip_grad_norm_.
// Example: clip_grad_norm(&norm, model.grad, 1.0f, model.P);
LAB_CHECKED lab_status clip_grad_norm(float *norm, float *g, float max_norm, size_t N);

// 6.13  Linear warm-up, then half a cosine from peak to floor (upwards, if floor is above peak).
//
//   step <= warmup:           lr = peak step / warmup
//   warmup < step <= total:   lr = floor + (peak - floor) (1 + cos(pi p)) / 2,
//                             p = (step - warmup) / (total - warmup)
//   total < step:             lr = floor
//
//   lr (1) written    step from 1, warmup, total in steps; warmup may be 0
//
// LAB_EVALUE if step or total is 0, or warmup > total.
// Source: Loshchilov and Hutter, SGDR (2017), equation 5, without restarts.
// Example: learning_rate(&lr, 50, 100, 1000, 1e-3f, 1e-4f);    lr is 5e-4
LAB_CHECKED lab_status learning_rate(float *lr, size_t step, size_t warmup, size_t total,
                                     float peak, float floor);

// ---- train.c ------------------------------------------------------------------------------

struct training {
    struct adam adam;
    float max_norm; // clip_grad_norm's; 0: no clipping
    size_t warmup;  // learning_rate's, with adam.lr as the peak
    size_t total;   // 0: no schedule, adam.lr at every step
    float floor;
};

// 6.14  The training loop. Step k uses batch (k - 1) mod (R / B) of the data set; batch i is
//       rows i B to (i + 1) B - 1. Steps count from 1, and model->step is the number of steps
//       before this call.
//
//   batch: make_copy_batch into model->inputs and model->targets
//   loss:  model_forward, with model_draw_uniforms(model) as uniforms
//   grads: set to 0, model_backward, clip_grad_norm if settings->max_norm > 0
//   step:  adam_step with number k, and with learning_rate(k) if settings->total > 0; then
//          model->step is k
//
//   losses (steps) written: the loss of each step before its update
//   model: parameters, moments, step and all intermediate results, updated
//   data (R, T) read    R, steps: sizes; B and T are those of model->shape
//
// One call with 100 steps and two calls with 50 give the same numbers, bit for bit.
// LAB_ESHAPE if R < B. LAB_EVALUE if a token of data is not below V; then nothing is changed.
// LAB_EVALUE if a loss is not finite: this loss is written and training stops. Parameters,
// moments and model->step stay as they were before that step.
// If one of the functions above fails, returns its status.
// Example: train(losses, &model, data, TASK_COPY, 100, &settings, 50);
LAB_CHECKED lab_status train(float *losses, struct model *model, const size_t *data,
                             enum task task, size_t R, const struct training *settings,
                             size_t steps);

#endif
