// loss.cu - the two ends of the model on the GPU.
//
//   tokens (N) ─ embedding ─> (N,C) ─ ... ─> logits (N,V) ─ cross_entropy ─> loss
//
// The loss is the first sum of the workbook over all rows. It takes two kernels: the first
// writes the loss of each row, and the second adds these losses with one block. A stream runs
// its kernels one after the other, and that is the only barrier between blocks.
//
// copy_task_gpu.h documents each launcher. Start reading at embedding_kernel.

#include "06_copy_task/copy_task_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, WARPS = 4, BLOCK = 256 };

// ---- 6.2  a row for each token ------------------------------------------------------------

__global__ void embedding_kernel(float *out_dev, const size_t *tokens_dev,
                                 const float *table_dev, size_t N, size_t C, size_t V)
{
    // TODO 6.2: thread i writes element i of out (N, C), from the row of its token; NaN
    // if there is no such row (about 7 lines)
}

lab_status embedding_gpu(float *out_dev, const size_t *tokens_dev, const float *table_dev,
                         size_t N, size_t C, size_t V, cudaStream_t stream)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.2: a thread for each of N C numbers; then check cudaGetLastError (about 3
    // lines)
    return lab_todo(out_dev, tokens_dev, table_dev, N, C, V, stream);
}

// ---- 6.3  the loss ------------------------------------------------------------------------

__global__ void row_losses_kernel(float *row_losses_dev, float *probabilities_dev,
                                  const float *logits_dev, const size_t *targets_dev,
                                  size_t N, size_t V)
{
    // TODO 6.3: a warp for each row, WARPS rows to a block of (WARP, WARPS) threads: the
    // largest logit; the exponentials and their sum; probabilities; lane 0 writes log sum
    // - (the target's logit - max) (about 28 lines)
}

// One block of BLOCK threads.
__global__ void mean_kernel(float *loss_dev, const float *row_losses_dev, size_t N)
{
    // TODO 6.3: thread i sums rows i, i + BLOCK, ... in double; then the block adds the
    // sums of its threads in a tree in shared memory, with a barrier after each step;
    // thread 0 divides by N (about 17 lines)
}

lab_status cross_entropy_gpu(float *loss_dev, float *probabilities_dev,
                             float *row_losses_dev, const float *logits_dev,
                             const size_t *targets_dev, size_t N, size_t V,
                             cudaStream_t stream)
{
    if (N == 0 || V == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 6.3: a warp for each row, then one block for the mean; check cudaGetLastError
    // after each (about 6 lines)
    return lab_todo(loss_dev, probabilities_dev, row_losses_dev, logits_dev, targets_dev,
                    N, V, stream);
}
