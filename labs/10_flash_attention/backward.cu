// backward.cu - back through flash attention on the GPU, with the weights computed again.
//     10.4  delta                  a warp for each query
//           dq                     a block for each tile of queries; a loop over the tiles of keys
//           dk and dv              a block for each tile of keys; a loop over the tiles of queries
//
// Each gradient is added up in the registers of one warp, in the order of the tiles. So there are no
// atomics, and the same call gives the same bits every time. The drawback: both of the large kernels
// compute the scores.
//
// The two kernels are mirror images. A warp works on ROWS rows of its own tile, and each lane
// handles one row of the other tile:
//
//     dq kernel       own: q, dout      other: k, v
//     dk, dv kernel   own: k, v         other: q, dout
//
//     score   = own[0] other[0] / sqrt(hs)      dweight = own[1] other[1]
//     weight  = exp(score - logsumexp)          dscore  = weight (dweight - delta)
//
// flash_attention_gpu.h describes the launcher. Start reading at dq_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    ROWS = 2,                   // rows of a warp
    OWN = WARPS * ROWS,         // rows of a block
    OTHER = WARP,               // rows of the other tile: one for each lane
    MOST_hs = 128,              // channels of a head, at most
    MOST_EACH = MOST_hs / WARP, // channels of a lane, at most
    WIDTH = MOST_hs + 1,        // of a tile's row: + 1 spreads a column over all banks
};

// The number of blocks must fit in an int. A product could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- 10.4  what the kernels have in common --------------------------------------------------

// ---- 10.4  delta ----------------------------------------------------------------------------

// A warp for each of N rows of dout and out (N, hs).
__global__ void delta_kernel(float *delta_dev, const float *dout_dev,
                             const float *out_dev, size_t N, size_t hs)
{
    // TODO 10.4: warp threadIdx.x / WARP of the block handles row n; its lanes add up
    // every 32nd product, then all of them by shuffles (about 10 lines)
}

// ---- 10.4  dq -------------------------------------------------------------------------------

// A block of BLOCK threads for OWN queries of a head.
__global__ void dq_kernel(float *dq_dev, const float *delta_dev, const float *dout_dev,
                          const float *logsumexp_dev, const float *q_dev,
                          const float *k_dev, const float *v_dev, bool causal, size_t T,
                          size_t S, size_t hs, float scale)
{
    // TODO 10.4: as 10.2's kernel, with dout beside q in shared memory. Each lane
    // computes dscore for its key; the warp adds up dscore k, with k from shared memory
    // and dscore by shuffles (about 35 lines, and 50 of helpers that dk and dv need, too)
}

// ---- 10.4  dk and dv ------------------------------------------------------------------------

// A block of BLOCK threads for OWN keys of a head.
__global__ void dk_dv_kernel(float *dk_dev, float *dv_dev, const float *delta_dev,
                             const float *dout_dev, const float *logsumexp_dev,
                             const float *q_dev, const float *k_dev, const float *v_dev,
                             bool causal, size_t T, size_t S, size_t hs, float scale)
{
    // TODO 10.4: the same with the two sides swapped: the keys are the block's, and each
    // lane handles one query. Start at the first query that sees a key of the tile (about
    // 40 lines)
}

lab_status flash_attention_backward_gpu(float *dq_dev, float *dk_dev, float *dv_dev,
                                        float *delta_dev, const float *dout_dev,
                                        const float *out_dev, const float *logsumexp_dev,
                                        const float *q_dev, const float *k_dev,
                                        const float *v_dev, bool causal, size_t B,
                                        size_t NH, size_t T, size_t S, size_t hs,
                                        cudaStream_t stream)
{
    if (!fits_int(B, NH) || !fits_int(B * NH, T) || !fits_int(B * NH, S) || hs == 0 ||
        hs > MOST_hs) {
        return LAB_ESHAPE;
    }
    // TODO 10.4: three launches; the stream runs them one after the other, so delta is
    // complete when the others read it (about 13 lines)
    return lab_todo(dq_dev, dk_dev, dv_dev, delta_dev, dout_dev, out_dev, logsumexp_dev,
                    q_dev, k_dev, v_dev, causal, B, NH, T, S, hs, stream);
}
