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
    // BEGIN SOLUTION 6.2 embedding_kernel: thread i writes element i of out (N, C), from the row
    // of its token; NaN if there is no such row (about 7 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N * C) {
        return;
    }
    const size_t token = tokens_dev[i / C];
    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
    // END SOLUTION 6.2
}

lab_status embedding_gpu(float *out_dev, const size_t *tokens_dev, const float *table_dev,
                         size_t N, size_t C, size_t V, cudaStream_t stream)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.2 embedding_gpu: a thread for each of N C numbers; then check
    // cudaGetLastError (about 3 lines)
    embedding_kernel<<<lab_blocks(N * C, BLOCK), BLOCK, 0, stream>>>(out_dev, tokens_dev,
                                                                     table_dev, N, C, V);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.2
}

// ---- 6.3  the loss ------------------------------------------------------------------------

// BEGIN SOLUTION 6.3 helper
// The largest of a warp's 32 values, and their sum, in every lane.
static __device__ float warp_max(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    return value;
}

static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}
// END SOLUTION 6.3

__global__ void row_losses_kernel(float *row_losses_dev, float *probabilities_dev,
                                  const float *logits_dev, const size_t *targets_dev,
                                  size_t N, size_t V)
{
    // BEGIN SOLUTION 6.3 row_losses_kernel: a warp for each row, WARPS rows to a block of
    // (WARP, WARPS) threads: the largest logit; the exponentials and their sum; probabilities;
    // lane 0 writes log sum - (the target's logit - max) (about 28 lines)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp returns: nothing waits for it
    }
    const float *logits_n = logits_dev + n * V;
    float *probabilities_n = probabilities_dev + n * V;

    float max = -INFINITY;
    for (size_t i = threadIdx.x; i < V; i += WARP) {
        max = fmaxf(max, logits_n[i]);
    }
    max = warp_max(max);

    float sum = 0.0f; // becomes at least 1: the largest logit gives exp(0)
    for (size_t i = threadIdx.x; i < V; i += WARP) {
        const float e = expf(logits_n[i] - max);
        probabilities_n[i] = e;
        sum += e;
    }
    sum = warp_sum(sum);

    for (size_t i = threadIdx.x; i < V; i += WARP) {
        probabilities_n[i] /= sum; // this lane's own results
    }
    if (threadIdx.x == 0) {
        const size_t target = targets_dev[n];
        const float chosen = target < V ? logits_n[target] : NAN;
        row_losses_dev[n] = logf(sum) - (chosen - max);
    }
    // END SOLUTION 6.3
}

// One block of BLOCK threads.
__global__ void mean_kernel(float *loss_dev, const float *row_losses_dev, size_t N)
{
    // BEGIN SOLUTION 6.3 mean_kernel: thread i sums rows i, i + BLOCK, ... in double; then the
    // block adds the sums of its threads in a tree in shared memory, with a barrier after each
    // step; thread 0 divides by N (about 17 lines)
    __shared__ double sums[BLOCK];
    double sum = 0.0;
    for (size_t n = threadIdx.x; n < N; n += BLOCK) {
        sum += row_losses_dev[n];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads(); // outside the if: all threads of the block must reach it
    }
    if (threadIdx.x == 0) {
        *loss_dev = (float)(sums[0] / (double)N);
    }
    // END SOLUTION 6.3
}

lab_status cross_entropy_gpu(float *loss_dev, float *probabilities_dev,
                             float *row_losses_dev, const float *logits_dev,
                             const size_t *targets_dev, size_t N, size_t V,
                             cudaStream_t stream)
{
    if (N == 0 || V == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.3 cross_entropy_gpu: a warp for each row, then one block for the mean;
    // check cudaGetLastError after each (about 6 lines)
    row_losses_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        row_losses_dev, probabilities_dev, logits_dev, targets_dev, N, V);
    LAB_TRY(lab_cuda(cudaGetLastError()));
    mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.3
}
