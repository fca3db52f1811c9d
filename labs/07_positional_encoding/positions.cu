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
    // TODO 7.1: from the thread's index, its position t and its channel c = 2i; the angle
    // in double; the sine at c, the cosine at c + 1 if there is such a channel (about 12
    // lines)
}

lab_status sinusoidal_encoding_gpu(float *table_dev, size_t T, size_t C,
                                   cudaStream_t stream)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.1: a thread for each position and pair; there are C / 2 pairs, rounded up;
    // then check cudaGetLastError (about 4 lines)
    return lab_todo(table_dev, T, C, stream);
}

// ---- 7.3  rotation ------------------------------------------------------------------------

// A thread for each of the T hs/2 pairs of a head. There are rows = B NH heads; block row y of
// the grid handles heads y, y + gridDim.y, ...
__global__ void rope_kernel(float *out_dev, const float *x_dev,
                            const size_t *positions_dev, size_t rows, size_t T, size_t hs)
{
    // TODO 7.3: from the thread's index, its token t and its pair; cosine and sine once,
    // from an angle in double; then the pair of every head, read and written as one
    // float2 (about 15 lines)
}

lab_status rope_gpu(float *out_dev, const float *x_dev, const size_t *positions_dev,
                    size_t B, size_t NH, size_t T, size_t hs, cudaStream_t stream)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.3: the pairs of one head along x; a few rows of blocks along y, to keep a
    // card busy even if T hs is small (about 5 lines)
    return lab_todo(out_dev, x_dev, positions_dev, B, NH, T, hs, stream);
}
