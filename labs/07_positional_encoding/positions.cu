// positions.cu - lab 7 on the GPU: a thread for each pair of channels.
//
// A sine and a cosine of a double cost a thread about a hundred times what moving the pair
// does. All heads of all sequences turn by the same angles, so a thread computes the angle of
// its place and pair once, and then goes through the heads:
//
//   thread (t, pair)   angle ─> cosine, sine ─┬─ turn x[0][0][t][pair]
//                                             ├─ turn x[0][1][t][pair]
//                                             └─ ...  B NH of them
//
// What each launcher takes and returns stands in positions_gpu.h. Start reading at
// sinusoidal_encoding_kernel.

#include "07_positional_encoding/positions_gpu.h"

#include <math.h>

enum { BLOCK = 128 };

// ---- 7.1  the table -----------------------------------------------------------------------

// A thread for each of the T pairs pairs; an odd C has a last pair of one channel.
__global__ void sinusoidal_encoding_kernel(float *table_dev, size_t T, size_t C,
                                           size_t pairs)
{
    // TODO 7.1: from the thread's number its place t and its channel c = 2i; the angle in
    // double; the sine at c, the cosine at c + 1 if there is such a channel (about 12
    // lines)
}

lab_status sinusoidal_encoding_gpu(float *table_dev, size_t T, size_t C,
                                   cudaStream_t stream)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.1: a thread for each place and pair, of which there are C / 2, rounded up;
    // then ask cudaGetLastError (about 4 lines)
    return lab_todo(table_dev, T, C, stream);
}

// ---- 7.3  turning -------------------------------------------------------------------------

// A thread for each of the T hs/2 pairs of a head; rows = B NH heads are turned, of which
// block row y of the grid takes y, y + gridDim.y, ...
__global__ void rope_kernel(float *out_dev, const float *x_dev,
                            const size_t *positions_dev, size_t rows, size_t T, size_t hs)
{
    // TODO 7.3: from the thread's number its token t and its pair; cosine and sine once,
    // from an angle in double; then the pair of every head, read and written as one
    // float2 (about 15 lines)
}

lab_status rope_gpu(float *out_dev, const float *x_dev, const size_t *positions_dev,
                    size_t B, size_t NH, size_t T, size_t hs, cudaStream_t stream)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.3: the pairs of one head along x; along y a few rows of blocks, so that a
    // card is busy when T hs is small (about 5 lines)
    return lab_todo(out_dev, x_dev, positions_dev, B, NH, T, hs, stream);
}
