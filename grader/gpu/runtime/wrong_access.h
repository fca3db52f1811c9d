// wrong_access.h - says what is wrong with an access to device memory: where it is, what it races with, and what
// to do. shadow.cc finds it.

#ifndef GPU_RUNTIME_WRONG_ACCESS_H
#define GPU_RUNTIME_WRONG_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/runtime/shadow.h"

namespace gpu_runtime
{

// "reads", "writes" or "changes".
const char *access_verb(enum access_kind kind);

// An access outside of every allocation.
[[noreturn]] void report_bounds(uintptr_t offset, size_t bytes, enum access_kind kind,
                                const void *pc);

// A read of bytes that were never written. One of shared memory is reported by shadow_settle.
void note_unwritten(uintptr_t offset, size_t bytes, const void *pc);

// A thread may read shared memory before another writes it for two reasons: the element is
// never written, or a barrier is missing. The next barrier shows which. This function is
// called there and reports the first such read if there was no race.
void shadow_settle();

// Reports a race, now or when its thread's turn ends. Returns only if the race waits, or if the
// program goes on after findings.
void report_race(const struct stamp *other, bool other_writes, uintptr_t offset,
                 enum access_kind kind, const void *pc);
void tell_race(const struct stamp *other, bool other_writes, uintptr_t offset,
               enum access_kind kind, const void *pc, bool same_value);

} // namespace gpu_runtime

#endif
