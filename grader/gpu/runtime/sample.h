// sample.h - runs some blocks of launches that are too large to run whole (sample.cc).

#ifndef GPU_RUNTIME_SAMPLE_H
#define GPU_RUNTIME_SAMPLE_H

#include <stdint.h>

#include "gpu/include/cuda_runtime_api.h"

namespace gpu_runtime
{

extern bool sample_on;      // since gpu_run_some_blocks
extern bool sample_some;    // and blocks may be left out
extern bool sample_partial; // and the running launch leaves some out

// Runs the chosen blocks of a launch. run(number, data) runs one.
void sample_blocks(const dim3 *grid, void (*run)(uint64_t number, void *data),
                   void *data);

// Kernel code reads what an omitted block may have to write: the running block ends, as if it had
// not run.
[[noreturn]] void sample_leave_block();
// The results depend on blocks that did not run: atomics.
void sample_spoil();
// A library's call begins; it reads what an omitted block may have to write; it writes. Returns true if what
// it writes is therefore unknown.
void sample_library();
void sample_library_reads_unwritten();
bool sample_library_writes(uintptr_t offset);
// So many threads were started, or have met at a barrier or in a warp.
void sample_count(unsigned threads);
void sample_reset();

} // namespace gpu_runtime

#endif
