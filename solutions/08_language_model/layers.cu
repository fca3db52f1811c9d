// layers.cu - the layers of lab 8 on the GPU.
//
//   sums along a row      rmsnorm, its dx      a warp for each row, and shuffles
//   sums down a column    dgain                a block for 32 columns, and shared memory
//   one number each       swiglu               a grid-stride loop
//   one pair each         rope_backward        the pair of every head, as a float2
//
// Lab 6's gradients.cu draws the sum down a column. Here, too, every sum has a fixed order.
//
// language_model_gpu.h documents each launcher. Start reading at rmsnorm_kernel.

#include "08_language_model/language_model_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,      // rows of a block that sums along rows
    TALL_WARPS = 8, // warps of a block that sums down columns
    BLOCK = 256,
};

// ---- 8.3  RMSNorm -------------------------------------------------------------------------

// BEGIN SOLUTION 8.3 helper
// The sum of a warp's 32 values, in every lane.
static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}
// END SOLUTION 8.3

// N rows, in blocks of (WARP, WARPS) threads
__global__ void rmsnorm_kernel(float *y_dev, float *rrms_dev, const float *x_dev,
                               const float *gain_dev, size_t N, size_t C)
{
    // BEGIN SOLUTION 8.3 rmsnorm_kernel: a warp for row n; lane l handles channels l, l + 32, ...;
    // the sum of the squares over all lanes; then every channel; lane 0 writes rrms (about 16
    // lines, a helper for the sum is welcome)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp returns: nothing waits for it
    }
    const float *x_n = x_dev + n * C;
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        squares += x_n[c] * x_n[c];
    }
    squares = warp_sum(squares);
    const float scale = 1.0f / sqrtf(squares / (float)C + RMSNORM_EPS);
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        y_dev[n * C + c] = x_n[c] * scale * gain_dev[c];
    }
    if (threadIdx.x == 0) {
        rrms_dev[n] = scale;
    }
    // END SOLUTION 8.3
}

lab_status rmsnorm_gpu(float *y_dev, float *rrms_dev, const float *x_dev,
                       const float *gain_dev, size_t N, size_t C, cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.3 rmsnorm_gpu: enough blocks of (WARP, WARPS) threads for N rows; then check
    // cudaGetLastError (about 3 lines)
    rmsnorm_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        y_dev, rrms_dev, x_dev, gain_dev, N, C);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 8.3
}

// N rows, in blocks of (WARP, WARPS) threads
__global__ void rmsnorm_dx_kernel(float *dx_dev, const float *dy_dev, const float *x_dev,
                                  const float *rrms_dev, const float *gain_dev, size_t N,
                                  size_t C)
{
    // BEGIN SOLUTION 8.3 rmsnorm_dx_kernel: a warp for each row: the mean of dnorm norm over its
    // channels; then dx of every channel (about 17 lines)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp returns: nothing waits for it
    }
    const float *dy_n = dy_dev + n * C, *x_n = x_dev + n * C;
    const float scale = rrms_dev[n];

    // forward: norm = x rrms, where rrms depends on x too
    float mean = 0.0f; // of dnorm norm
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        mean += dy_n[c] * gain_dev[c] * (x_n[c] * scale);
    }
    mean = warp_sum(mean) / (float)C;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = x_n[c] * scale, dnorm = dy_n[c] * gain_dev[c];
        dx_dev[n * C + c] = scale * (dnorm - norm * mean);
    }
    // END SOLUTION 8.3
}

// C columns, in blocks of (WARP, TALL_WARPS) threads
__global__ void rmsnorm_gain_kernel(float *dgain_dev, const float *dy_dev,
                                    const float *x_dev, const float *rrms_dev, size_t N,
                                    size_t C)
{
    // BEGIN SOLUTION 8.3 rmsnorm_gain_kernel: lane x has column c = 32 blockIdx.x + x; warp y sums
    // dy norm of rows y, y + TALL_WARPS, ...; all warps write their sums to shared memory, and
    // warp 0 adds these to dgain; some lanes of the last block have no column (about 19 lines)
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t c = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    // forward: y = norm gain
    if (c < C) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * C + c] * (x_dev[n * C + c] * rrms_dev[n]);
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && c < C) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x];
        }
        dgain_dev[c] += sum;
    }
    // END SOLUTION 8.3
}

lab_status rmsnorm_backward_gpu(float *dx_dev, float *dgain_dev, const float *dy_dev,
                                const float *x_dev, const float *rrms_dev,
                                const float *gain_dev, size_t N, size_t C,
                                cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX || C > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.3 rmsnorm_backward_gpu: two kernels, one along the rows and one down the
    // columns; check cudaGetLastError after each (about 6 lines)
    rmsnorm_dx_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        dx_dev, dy_dev, x_dev, rrms_dev, gain_dev, N, C);
    LAB_TRY(lab_cuda(cudaGetLastError()));
    rmsnorm_gain_kernel<<<lab_blocks(C, WARP), dim3(WARP, TALL_WARPS), 0, stream>>>(
        dgain_dev, dy_dev, x_dev, rrms_dev, N, C);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 8.3
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

// The number of blocks of BLOCK threads to launch for N numbers: at most enough to fill the
// largest card a few times over. If there are fewer threads than numbers, each thread continues
// with the number that is one grid size further.
[[maybe_unused]] static unsigned blocks_for(size_t N)
{
    const size_t blocks = (N + BLOCK - 1) / BLOCK, most = 2048;
    return (unsigned)(blocks < most ? blocks : most);
}

__global__ void swiglu_kernel(float *y_dev, const float *a_dev, const float *b_dev,
                              size_t N)
{
    // BEGIN SOLUTION 8.4 swiglu_kernel: start at the thread's index in the whole grid, step by the
    // number of threads in the grid (about 6 lines)
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        const float a = a_dev[i];
        y_dev[i] = a / (1.0f + expf(-a)) * b_dev[i];
    }
    // END SOLUTION 8.4
}

lab_status swiglu_gpu(float *y_dev, const float *a_dev, const float *b_dev, size_t N,
                      cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.4 swiglu_gpu: blocks_for(N) blocks of BLOCK threads (about 2 lines)
    swiglu_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, a_dev, b_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 8.4
}

__global__ void swiglu_backward_kernel(float *da_dev, float *db_dev, const float *dy_dev,
                                       const float *a_dev, const float *b_dev, size_t N)
{
    // BEGIN SOLUTION 8.4 swiglu_backward_kernel: both gradients of one number at a time: three
    // numbers are read, two written (about 8 lines)
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        // forward: y = a s(a) b
        const float a = a_dev[i], dy = dy_dev[i];
        const float s = 1.0f / (1.0f + expf(-a));
        da_dev[i] = dy * b_dev[i] * s * (1.0f + a * (1.0f - s));
        db_dev[i] = dy * a * s;
    }
    // END SOLUTION 8.4
}

lab_status swiglu_backward_gpu(float *da_dev, float *db_dev, const float *dy_dev,
                               const float *a_dev, const float *b_dev, size_t N,
                               cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.4 swiglu_backward_gpu: as swiglu_gpu (about 3 lines)
    swiglu_backward_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(da_dev, db_dev, dy_dev,
                                                                a_dev, b_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 8.4
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

// A thread for each of the T hs/2 pairs of a head. There are rows = B NH heads; block row y of
// the grid handles heads y, y + gridDim.y, ...
__global__ void rope_backward_kernel(float *dx_dev, const float *dy_dev,
                                     const size_t *positions_dev, size_t rows, size_t T,
                                     size_t hs)
{
    // BEGIN SOLUTION 8.5 rope_backward_kernel: as lab 7's rope_kernel, with the opposite angle
    // (about 15 lines)
    const size_t pairs = hs / 2;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, pair = i % pairs;
    const double frequency = pow(10000.0, -(double)(2 * pair) / (double)hs);
    double sine, cosine;
    sincos((double)positions_dev[t] * frequency, &sine, &cosine);
    const float s = (float)sine, c = (float)cosine;

    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const size_t place = row * T * pairs + i; // in pairs
        const float2 dy = ((const float2 *)dy_dev)[place];
        ((float2 *)dx_dev)[place] = make_float2(dy.x * c + dy.y * s, dy.y * c - dy.x * s);
    }
    // END SOLUTION 8.5
}

lab_status rope_backward_gpu(float *dx_dev, const float *dy_dev,
                             const size_t *positions_dev, size_t B, size_t NH, size_t T,
                             size_t hs, cudaStream_t stream)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.5 rope_backward_gpu: the pairs of one head along x; a few rows of blocks
    // along y, to keep a card busy even if T hs is small (about 5 lines)
    const size_t rows = B * NH;
    const dim3 blocks(lab_blocks(T * (hs / 2), BLOCK), (unsigned)(rows < 16 ? rows : 16));
    rope_backward_kernel<<<blocks, BLOCK, 0, stream>>>(dx_dev, dy_dev, positions_dev,
                                                       rows, T, hs);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 8.5
}
