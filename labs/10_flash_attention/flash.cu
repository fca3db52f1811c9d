// flash.cu - attention on the GPU that never stores its weights.
//     10.2  a block for each tile of queries     loads tiles of keys and values into shared memory
//
// A warp works on ROWS queries of its block's tile, one after another. A lane has two jobs:
//     for one key of the tile            it computes that key's score and weight; shuffles give
//                                        the warp the largest score and the sum of the weights
//     for some channels                  it adds up lane, lane + 32, ... of the query's output; the
//                                        weight of each key comes from that key's lane by a shuffle
//
// So scores and weights stay in registers: they are written neither to device memory nor to shared
// memory.
//
// flash_attention_gpu.h describes the launcher. Start reading at flash_attention_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    ROWS = 4,                   // queries of a warp
    Br = WARPS * ROWS,          // queries of a block
    Bc = WARP,                  // keys of a tile: one for each lane
    MOST_hs = 128,              // channels of a head, at most
    MOST_EACH = MOST_hs / WARP, // channels of a lane, at most
    WIDTH = MOST_hs + 1,        // of a tile's row: + 1 spreads a column over all banks
};

// The number of blocks must fit in an int. A product could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- 10.2  a tile of queries ----------------------------------------------------------------

// A block of BLOCK threads for Br queries of head h of sequence b. The tiles of queries of a head
// have consecutive blocks: block (b NH + h) tiles + tile.
__global__ void flash_attention_kernel(float *out_dev, float *logsumexp_dev,
                                       const float *q_dev, const float *k_dev,
                                       const float *v_dev, bool causal, size_t T,
                                       size_t S, size_t hs, float scale)
{
    // TODO 10.2: load the block's Br queries into shared memory. Then, for each tile of
    // Bc keys that one of them sees: all threads load keys and values; barrier; each warp
    // merges the tile into the partial results of its queries, as in 10.1; barrier. At
    // the end, each warp divides by the sums and writes out and logsumexp. No barrier may
    // depend on the thread, not even in the last tile of queries (about 90 lines with
    // helpers of your own)
}

lab_status flash_attention_gpu(float *out_dev, float *logsumexp_dev, const float *q_dev,
                               const float *k_dev, const float *v_dev, bool causal,
                               size_t B, size_t NH, size_t T, size_t S, size_t hs,
                               cudaStream_t stream)
{
    const size_t tiles = T / Br + (T % Br != 0);
    if (!fits_int(B, NH) || !fits_int(B * NH, tiles) || S == 0 || hs == 0 ||
        hs > MOST_hs) {
        return LAB_ESHAPE;
    }
    // TODO 10.2: B NH tiles blocks of BLOCK threads; then check cudaGetLastError (about 4
    // lines)
    return lab_todo(out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, B, NH, T, S, hs,
                    stream);
}
