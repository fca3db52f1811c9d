// positions.cu - lab 7 on the GPU: a thread for each pair of channels.
//
// A sine and a cosine in double take a thread about a hundred times as long as moving the pair.
// All heads of all sequences rotate by the same angles. So each thread computes the angle of
// its position and pair once, then loops over the heads:
//
//   thread (t, pair)   angle ─> cosine, sine ─┬─ rotate x[0][0][t][pair]
//                                             ├─ rotate x[0][1][t][pair]
//                                             └─ ...  B NH of them
//
// positions_gpu.h documents each launcher. Start reading at sinusoidal_encoding_kernel.

#include "07_positional_encoding/positions_gpu.h"

#include <math.h>

enum { BLOCK = 128 };

// ---- 7.1  the table -----------------------------------------------------------------------

// A thread for each of the T * pairs pairs. If C is odd, the last pair has one channel.
__global__ void sinusoidal_encoding_kernel(float *table_dev, size_t T, size_t C,
                                           size_t pairs)
{
    // BEGIN SOLUTION 7.1 sinusoidal_encoding_kernel: from the thread's index, its position t and
    // its channel c = 2i; the angle in double; the sine at c, the cosine at c + 1 if there is
    // such a channel (about 12 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, c = i % pairs * 2; // c is the 2i of the formula
    const double angle = (double)t * pow(10000.0, -(double)c / (double)C);
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    table_dev[t * C + c] = (float)sine;
    if (c + 1 < C) {
        table_dev[t * C + c + 1] = (float)cosine;
    }
    // END SOLUTION 7.1
}

lab_status sinusoidal_encoding_gpu(float *table_dev, size_t T, size_t C,
                                   cudaStream_t stream)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.1 sinusoidal_encoding_gpu: a thread for each position and pair; there are
    // C / 2 pairs, rounded up; then check cudaGetLastError (about 4 lines)
    const size_t pairs = (C + 1) / 2;
    sinusoidal_encoding_kernel<<<lab_blocks(T * pairs, BLOCK), BLOCK, 0, stream>>>(
        table_dev, T, C, pairs);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 7.1
}

// ---- 7.3  rotation ------------------------------------------------------------------------

// A thread for each of the T hs/2 pairs of a head. There are rows = B NH heads; block row y of
// the grid handles heads y, y + gridDim.y, ...
__global__ void rope_kernel(float *out_dev, const float *x_dev,
                            const size_t *positions_dev, size_t rows, size_t T, size_t hs)
{
    // BEGIN SOLUTION 7.3 rope_kernel: from the thread's index, its token t and its pair; cosine
    // and sine once, from an angle in double; then the pair of every head, read and written as
    // one float2 (about 15 lines)
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
        const float2 x = ((const float2 *)x_dev)[place];
        ((float2 *)out_dev)[place] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }
    // END SOLUTION 7.3
}

lab_status rope_gpu(float *out_dev, const float *x_dev, const size_t *positions_dev,
                    size_t B, size_t NH, size_t T, size_t hs, cudaStream_t stream)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.3 rope_gpu: the pairs of one head along x; a few rows of blocks along y,
    // to keep a card busy even if T hs is small (about 5 lines)
    const size_t rows = B * NH;
    const dim3 blocks(lab_blocks(T * (hs / 2), BLOCK), (unsigned)(rows < 16 ? rows : 16));
    rope_kernel<<<blocks, BLOCK, 0, stream>>>(out_dev, x_dev, positions_dev, rows, T, hs);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 7.3
}
