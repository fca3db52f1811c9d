// async.h - barrier objects and asynchronous copies, for the headers that have them
// (runtime/objects.cc, runtime/async.cc).

#ifndef GPU_SIMULATED_ASYNC_H
#define GPU_SIMULATED_ASYNC_H

#include "cuda_runtime.h"

extern "C" {
// A barrier object has 8 bytes. arrive returns the number of the phase, for wait and test.
void gpu_barrier_init(void *barrier, unsigned count);
unsigned gpu_barrier_arrive(void *barrier, unsigned count, unsigned later);
void gpu_barrier_wait(void *barrier, unsigned phase);
bool gpu_barrier_test(void *barrier, unsigned phase);

// All threads of a cooperative launch wait.
void gpu_grid_sync();
bool gpu_is_cooperative();

// The threads of a tile of more than a warp wait: tile is its number in the block.
void gpu_tile_sync(unsigned tile, unsigned size);

// Begins a copy, of which the last bytes are zeros: of this barrier's phase, or (NULL) of the thread's
// open group. commit closes the group; wait ends all closed groups but the last ones.
void gpu_copy_async(void *to, const void *from, size_t bytes, size_t zeros,
                    size_t alignment, void *barrier);
void gpu_copy_commit();
void gpu_copy_wait(unsigned last);
}

#endif
