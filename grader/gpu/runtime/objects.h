// objects.h - what the rest of the runtime asks of barrier objects (objects.cc) and of asynchronous
// copies (async.cc).

#ifndef GPU_RUNTIME_OBJECTS_H
#define GPU_RUNTIME_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

namespace gpu_runtime
{

struct stamp;

// ---- objects.cc ---------------------------------------------------------------------------

extern bool objects_used; // by the running block
void objects_begin_block();
// Whether barrier objects order the running thread after the access of this stamp.
bool objects_know(const struct stamp *stamp);
// When the lane clocks start again, and all that happened before is ordered.
void objects_restart_clocks();
void objects_join(unsigned first, unsigned members);
// Reports that a thread waits at an object, and none can run.
[[noreturn]] void objects_deadlock(unsigned thread);

// ---- async.cc -----------------------------------------------------------------------------

void async_begin_block();
// Makes the copies that belong to this barrier's phase, which has ended: clocks are those of its
// arrivals.
void async_complete(const void *barrier, uint32_t *clocks);
// Reports a read of what a copy that goes on will write. Returns false if there is none.
bool async_unfinished(uintptr_t offset, size_t bytes, const void *pc);

} // namespace gpu_runtime

#endif
