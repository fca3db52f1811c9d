// traffic.c - the bytes that attention moves, with and without tiles.

#include "10_flash_attention/flash_attention.h"

lab_status flash_tile_sizes(size_t *Br, size_t *Bc, size_t M, size_t hs)
{
    if (M == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.6: four blocks of Br rows of hs floats fill M bytes; round up (about 4
    // lines)
    return lab_todo(Br, Bc, M, hs);
}

lab_status memory_traffic(size_t *standard, size_t *tiled, size_t T, size_t S, size_t hs,
                          size_t M)
{
    if (T == 0 || S == 0 || hs == 0 || M == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.6: what each of the three steps reads and writes; then what the loops of
    // 10.2 do (about 9 lines)
    return lab_todo(standard, tiled, T, S, hs, M);
}
