// traffic.c - the bytes that attention moves, with and without tiles.

#include "10_flash_attention/flash_attention.h"

lab_status flash_tile_sizes(size_t *Br, size_t *Bc, size_t M, size_t hs)
{
    if (M == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.6 flash_tile_sizes: four blocks of Br rows of hs floats fill M bytes; round
    // up (about 4 lines)
    const size_t row_bytes = 4 * hs * sizeof(float);
    *Br = (M - 1) / row_bytes + 1;
    *Bc = *Br < hs ? *Br : hs;
    return LAB_OK;
    // END SOLUTION 10.6
}

lab_status memory_traffic(size_t *standard, size_t *tiled, size_t T, size_t S, size_t hs,
                          size_t M)
{
    if (T == 0 || S == 0 || hs == 0 || M == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.6 memory_traffic: what each of the three steps reads and writes; then what
    // the loops of 10.2 do (about 9 lines)
    size_t Br, Bc;
    LAB_TRY(flash_tile_sizes(&Br, &Bc, M, hs));
    const size_t q = T * hs, k_and_v = 2 * S * hs, out = T * hs, matrix = T * S;
    const size_t query_tiles = (T - 1) / Br + 1;
    *standard = (q + k_and_v + 4 * matrix + out) * sizeof(float);
    *tiled = (q + query_tiles * k_and_v + out + T) * sizeof(float);
    return LAB_OK;
    // END SOLUTION 10.6
}
