// rules.h - the rules of shadow.h for one cell, inline for use in hooks.cc.

#ifndef GPU_RUNTIME_RULES_H
#define GPU_RUNTIME_RULES_H

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

// The epochs that ended before this launch (or, for shared memory, this block).
static inline uint32_t rules_floor(uintptr_t offset)
{
    return is_shared(offset) ? shadow.block_first : shadow.launch_first;
}

static inline bool before_by_barrier(const struct stamp *stamp, uint32_t floor)
{
    // The second comparison means block_first <= epoch < now.
    return stamp->epoch < floor ||
           stamp->epoch - shadow.block_first < shadow.now - shadow.block_first;
}

static inline bool mine(const struct stamp *stamp)
{
    return stamp->epoch == shadow.now && ((stamp->who ^ shadow.who) & WHO_THREAD) == 0;
}

static inline bool before_by_warp(const struct stamp *stamp)
{
    // A clock of 1 belongs to a thread that has not called __syncwarp.
    return stamp->epoch == shadow.now && shadow.who >> WHO_CLOCK_SHIFT > 1 &&
           (stamp->who & WHO_MANY) == 0 &&
           ((stamp->who ^ shadow.who) & WHO_THREAD) < WARP && warp_ordered(stamp->who);
}

// Returns true if the access in the stamp happened before the running thread's current
// access.
static inline bool before(const struct stamp *stamp, uint32_t floor)
{
    return before_by_barrier(stamp, floor) ||
           (mine(stamp) && (stamp->who & (WHO_MANY | WHO_LANES)) == 0) ||
           before_by_warp(stamp) || publish_ordered(stamp);
}

static inline struct stamp stamp_now(const void *pc, uint32_t flags)
{
    return {shadow.now, (uint32_t)((uintptr_t)pc - shadow.site_base), shadow.who | flags};
}

// Stores a read. Two slots are enough; shadow.h explains why.
static inline void remember_read(struct cell *cell, uint32_t floor, const void *pc)
{
    struct stamp *first = &cell->read[0], *second = &cell->read[1];
    if (first->epoch >= floor && first->epoch < shadow.block_first) {
        // a read by an earlier block of this launch conflicts with any later writer
        return;
    }
    if (before_by_barrier(first, floor) || mine(first) || before_by_warp(first)) {
        *first = stamp_now(pc, 0);
    } else if (before_by_barrier(second, floor) ||
               (((second->who ^ first->who) & WHO_THREAD) < WARP &&
                ((shadow.who ^ first->who) & WHO_THREAD) >= WARP)) {
        *second = stamp_now(pc, 0);
    }
}

// Two current reads are stored, and this one would replace neither (remember_read).
static inline bool pair_kept(const struct cell *cell)
{
    const struct stamp *first = &cell->read[0], *second = &cell->read[1];
    return first->epoch == shadow.now && second->epoch == shadow.now &&
           shadow.who >> WHO_CLOCK_SHIFT <= 1 &&
           (((second->who ^ first->who) & WHO_THREAD) >= WARP ||
            ((shadow.who ^ first->who) & WHO_THREAD) < WARP);
}

// Returns true if check_read would find nothing and change nothing. This is the usual case
// for data that many threads read: shared memory written before the last barrier, or global
// memory written before the launch and already read by an earlier block. Inline, because a
// call takes longer than the check.
static inline bool nothing_new(const struct cell *cell, uintptr_t offset)
{
    if (is_shared(offset)) {
        return cell->write.epoch < shadow.now && pair_kept(cell);
    }
    uint32_t before = shadow.launch_first;
    return cell->write.epoch < before &&
           (cell->read[0].epoch - before < shadow.block_first - before ||
            pair_kept(cell));
}

// Reports a race, now or when its thread's turn ends. Returns only if the race waits, or if the
// program goes on after findings.
void report_race(const struct stamp *other, bool other_writes, uintptr_t offset,
                 enum access_kind kind, const void *pc);
void tell_race(const struct stamp *other, bool other_writes, uintptr_t offset,
               enum access_kind kind, const void *pc, bool same_value);

static inline void check_read(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    if (!before_by_barrier(&cell->write, floor) && !before(&cell->write, floor)) {
        report_race(&cell->write, true, offset, ACCESS_READ, pc);
    }
    remember_read(cell, floor, pc);
}

static inline void check_reads(const struct cell *cell, uint32_t floor, uintptr_t offset,
                               enum access_kind kind, const void *pc)
{
    for (int i = 0; i < 2; i++) {
        if (!before_by_barrier(&cell->read[i], floor) && !before(&cell->read[i], floor)) {
            report_race(&cell->read[i], false, offset, kind, pc);
        }
    }
}

static inline void keep_write(struct cell *cell, const void *pc, uint32_t flags)
{
    cell->write = stamp_now(pc, flags);
    cell->read[0].epoch = 0;
    cell->read[1].epoch = 0;
}

static inline void check_write(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    if (!before_by_barrier(&cell->write, floor) && !before(&cell->write, floor)) {
        report_race(&cell->write, true, offset, ACCESS_WRITE, pc);
    }
    check_reads(cell, floor, offset, ACCESS_WRITE, pc);
    keep_write(cell, pc, 0);
}

// Atomics may conflict with each other. The first one stays in the cell, marked, to detect
// conflicts with plain accesses.
static inline void check_atomic(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    check_reads(cell, floor, offset, ACCESS_ATOMIC, pc);
    if (before(&cell->write, floor)) {
        keep_write(cell, pc, WHO_ATOMIC);
    } else if ((cell->write.who & WHO_ATOMIC) == 0) {
        report_race(&cell->write, true, offset, ACCESS_ATOMIC, pc);
    } else if (!mine(&cell->write)) {
        bool same_warp = cell->write.epoch == shadow.now &&
                         ((cell->write.who ^ shadow.who) & WHO_THREAD) < WARP;
        cell->write.who |= same_warp ? WHO_LANES : WHO_MANY;
    }
}

} // namespace gpu_runtime

#endif
