// grid.h - how a block of a cooperative launch is set aside while others run (grid.cc).

#ifndef GPU_RUNTIME_GRID_H
#define GPU_RUNTIME_GRID_H

#include <stddef.h>
#include <stdint.h>

namespace gpu_runtime
{

// ---- grid.cc ------------------------------------------------------------------------------

// Runs the blocks of a cooperative launch, in the order of launch_permute. run begins a block.
void grid_run(uint64_t blocks,
              void (*run)(uint64_t number, void (*thread)(void *), void *),
              void (*thread)(void *), void *data);

// ---- launch.cc ----------------------------------------------------------------------------

// Sets blockIdx, the epochs and the lane clocks of a block that begins or goes on.
void launch_enter_block(uint64_t number);

// ---- threads.cc, objects.cc, async.cc ------------------------------------------------------

// The running block goes on later: called by the last of its threads.
void threads_leave_block(const void *pc);
void threads_go_on();
void threads_free_stacks();
// What belongs to the running block. The next one begins afresh.
void *threads_keep();
void threads_put_back(void *kept);
void *objects_keep();
void objects_put_back(void *kept);
void *async_keep();
void async_put_back(void *kept);

} // namespace gpu_runtime

#endif
