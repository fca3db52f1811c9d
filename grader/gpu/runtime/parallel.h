// parallel.h - runs the blocks of a launch in several processes.
//
// Theory of operation.
//
// Blocks of a correct kernel do not depend on each other. So after a launch has run for a while,
// the remaining blocks are divided among workers, which are forks of this process:
//
//     this process   block 0 .. k | waits ......................... | merges | goes on
//     worker 0                    | k+1, k+3, k+4 ...  | exports |
//     worker 1                    | k+2, k+5 ...       | exports |
//
// A worker has its own copy of everything: device memory, shadow, shared memory. It runs each block
// exactly as this process would, and then exports what its blocks wrote, and, in the checked build,
// which words they read and wrote. If no word that one worker wrote was read or written by another,
// every block has seen what it would have seen if all had run in this process. Then the results are
// put together. They are the same, bit for bit, whichever worker ran a block.
//
// Atomics in global memory whose old value nobody uses are kept, too, and done again at the end, in the
// order of the blocks (replay.cc). So a sum of floats is rounded as if one process had added them.
//
// Otherwise, and whenever a worker meets what depends on the others (a finding, the old value of an
// atomic, __threadfence, output, a fault), the workers' results are thrown away. This process still
// has the memory as it was, and runs the remaining blocks itself, in their order. So a finding is
// always the same, with the same words. The kernel's later launches are not divided any more.
//
// The plain build does not know what a block reads. There the pages that a worker writes are
// compared with those before the launch. Two different values of one byte are noticed, but not that
// a block reads what another writes: the result of such a race may differ from run to run, as on a
// card.

#ifndef GPU_RUNTIME_PARALLEL_H
#define GPU_RUNTIME_PARALLEL_H

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

enum : unsigned { MAX_WORKERS = 32 };

// ---- parallel.cc --------------------------------------------------------------------------

// A launch begins.
void parallel_begin();
// The atomics in global memory that it has done since.
extern uint64_t parallel_atomics;
// Runs run(i, data) for the positions first .. count-1, if that pays. Returns false if this process
// must run them.
bool parallel_run(uint64_t first, uint64_t count, void (*run)(uint64_t, void *),
                  void *data);

// ---- results.cc ---------------------------------------------------------------------------

// Reserves memory for the results of so many workers. Returns false if that fails.
bool results_prepare(unsigned workers);
void results_free();
// In a worker: from now on, notes what is written; and exports it.
void results_note(unsigned worker);
void results_export(unsigned worker);
// In a worker of the checked build: a cell of this offset changes.
void results_touch(uintptr_t offset);
// Puts the workers' results together. Returns false, and changes nothing, if they depend on each
// other.
bool results_merge(unsigned workers);
// In a worker: an atomic is about to change these bytes of device memory.
void results_atomic(uintptr_t offset, size_t bytes);
// Several workers changed this word by atomics.
bool results_several(uintptr_t offset);

// ---- replay.cc ----------------------------------------------------------------------------

bool replay_prepare(unsigned workers);
void replay_free();
// In a worker: it begins; it begins the block at this position.
void replay_note(unsigned worker);
void replay_block(uint64_t position);
// In a worker: keeps an atomic in global memory, which again(address, bits) does.
void replay_keep(void *address, size_t bytes, void (*again)(void *, uint64_t),
                 uint64_t value);
// Does the atomics at words that several workers changed, in the order of the blocks.
void replay(unsigned workers);

} // namespace gpu_runtime

#endif
