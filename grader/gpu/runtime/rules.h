// rules.h - the rules of shadow.h for one cell, inline for use in hooks.cc.

#ifndef GPU_RUNTIME_RULES_H
#define GPU_RUNTIME_RULES_H

#include "gpu/runtime/runtime.h"
#include "gpu/runtime/wrong_access.h"

namespace gpu_runtime
{

// The epochs that ended before this launch (or, for shared memory, this block).
static inline uint32_t rules_floor(uintptr_t offset)
{
    return is_shared(offset) ? shadow.block_first : shadow.launch_first;
}

static inline struct stamp unpack_stamp(uint32_t epoch, uint32_t flags, unsigned which,
                                        const struct cell *cell, uint16_t site)
{
    return {epoch, cell->threads >> which * THREAD_BITS & THREAD_MASK, flags,
            shadow_clock(epoch, cell->clocks >> which * CLOCK_BITS & CLOCK_MASK), site};
}

static inline struct stamp last_write(const struct cell *cell)
{
    return unpack_stamp(cell->write >> EPOCH_SHIFT, cell->write % (1u << EPOCH_SHIFT), 0,
                        cell, cell->write_site);
}

static inline struct stamp first_read(const struct cell *cell)
{
    return unpack_stamp(cell->read >> EPOCH_SHIFT, 0, 1, cell, cell->read_site);
}

static inline uint32_t second_epoch(const struct cell *cell)
{
    return (cell->read & READ_PAIR) == 0
               ? 0
               : (cell->read >> EPOCH_SHIFT) +
                     cell->read / READ_LATER % (READ_LATER_MOST + 1);
}

static inline struct stamp second_read(const struct cell *cell)
{
    return unpack_stamp(second_epoch(cell), 0, 2, cell, cell->second_site);
}

static inline bool before_by_barrier(uint32_t epoch, uint32_t floor)
{
    // The second comparison means block_first <= epoch < interval.
    return epoch < floor ||
           epoch - shadow.block_first < shadow.interval - shadow.block_first;
}

static inline bool in_warp(uint32_t thread, uint32_t other)
{
    return (thread ^ other) < WARP;
}

static inline bool mine(const struct stamp *stamp)
{
    return stamp->epoch >= shadow.interval && stamp->thread == shadow.me;
}

static inline bool before_by_warp(const struct stamp *stamp)
{
    return stamp->epoch >= shadow.interval && block.lane_clock[shadow.me] > 1 &&
           (stamp->flags & BY_MANY) == 0 && in_warp(stamp->thread, shadow.me) &&
           warp_ordered(stamp->thread, stamp->clock);
}

// Returns true if the access in the stamp happened before the running thread's current
// access.
static inline bool before(const struct stamp *stamp, uint32_t floor)
{
    return before_by_barrier(stamp->epoch, floor) ||
           (mine(stamp) && (stamp->flags & (BY_MANY | BY_LANES)) == 0) ||
           before_by_warp(stamp) || publish_ordered(stamp) ||
           (objects_used && objects_know(stamp));
}

static inline uint16_t site_of(const void *pc)
{
    uintptr_t distance = (uintptr_t)pc - shadow.site_base;
    return __builtin_expect(distance < SITES_NEAR, true) ? (uint16_t)distance
                                                         : shadow_far_site(pc);
}

static inline void put_bits(uint32_t *word, unsigned which, unsigned bits, uint32_t value)
{
    uint32_t mask = (1u << bits) - 1;
    *word = (*word & ~(mask << which * bits)) | value << which * bits;
}

// Stores this access as the first (1) or second (2) read.
static inline void put_read(struct cell *cell, unsigned which, const void *pc)
{
    uint32_t clocks = cell->clocks;
    put_bits(&cell->threads, which, THREAD_BITS, shadow.me);
    put_bits(&clocks, which, CLOCK_BITS, shadow.clock);
    cell->clocks = (uint16_t)clocks;
    (which == 1 ? cell->read_site : cell->second_site) = site_of(pc);
}

static inline void put_far(struct cell *cell)
{
    uint32_t first = cell->threads >> THREAD_BITS & THREAD_MASK,
             second = cell->threads >> 2 * THREAD_BITS & THREAD_MASK;
    cell->threads = (cell->threads & ~THREADS_FAR) |
                    (in_warp(first, second) ? 0 : (uint32_t)THREADS_FAR);
}

static inline void put_only_read(struct cell *cell, const void *pc)
{
    cell->read = shadow.now << EPOCH_SHIFT;
    put_read(cell, 1, pc);
}

// As the second read. Two reads of one interval that are so many restarts of the lane clocks apart
// do not happen; the second would be lost.
static inline void put_second_read(struct cell *cell, const void *pc)
{
    uint32_t first = cell->read >> EPOCH_SHIFT, later = shadow.now - first;
    if (later <= READ_LATER_MOST) {
        cell->read = first << EPOCH_SHIFT | later * READ_LATER | READ_PAIR;
        put_read(cell, 2, pc);
        put_far(cell);
    }
}

// The second read becomes the first.
static inline void drop_first_read(struct cell *cell)
{
    uint32_t thread = cell->threads >> 2 * THREAD_BITS & THREAD_MASK;
    uint32_t clocks = cell->clocks;
    cell->read = second_epoch(cell) << EPOCH_SHIFT;
    put_bits(&cell->threads, 1, THREAD_BITS, thread);
    put_bits(&clocks, 1, CLOCK_BITS, clocks >> 2 * CLOCK_BITS & CLOCK_MASK);
    cell->clocks = (uint16_t)clocks;
    cell->read_site = cell->second_site;
}

// Replaces the first read, which happened before this one, in the same interval.
static inline void replace_first_read(struct cell *cell, const void *pc)
{
    if ((cell->read & READ_PAIR) == 0) {
        put_only_read(cell, pc);
    } else if (cell->read >> EPOCH_SHIFT == shadow.now) {
        put_read(cell, 1, pc);
        put_far(cell);
    } else { // the second read may be the older one now
        drop_first_read(cell);
        put_second_read(cell, pc);
    }
}

// Stores a read. Two slots are enough; shadow.h explains why.
static inline void remember_read(struct cell *cell, uint32_t floor, const void *pc)
{
    const struct stamp first = first_read(cell);
    if (first.epoch >= floor && first.epoch < shadow.block_first) {
        // a read by an earlier block of this launch conflicts with any later writer
        return;
    }
    if (before_by_barrier(first.epoch, floor)) {
        put_only_read(cell, pc);
    } else if (mine(&first) || before_by_warp(&first)) {
        replace_first_read(cell, pc);
    } else if ((cell->read & READ_PAIR) == 0 || ((cell->threads & THREADS_FAR) == 0 &&
                                                 !in_warp(shadow.me, first.thread))) {
        put_second_read(cell, pc);
    }
}

// Two reads of now are stored, and this one would replace neither (remember_read).
static inline bool pair_kept(const struct cell *cell)
{
    return cell->read == shadow.pair_now &&
           ((cell->threads & THREADS_FAR) != 0 ||
            in_warp(cell->threads >> THREAD_BITS & THREAD_MASK, shadow.me));
}

// The running thread's read of now is stored.
static inline bool read_by_me(const struct cell *cell)
{
    return cell->read >> EPOCH_SHIFT == shadow.now &&
           (cell->threads >> THREAD_BITS & THREAD_MASK) == shadow.me;
}

// Returns true if check_read would find nothing and change nothing. This is the usual case
// for data that many threads read: shared memory written before the last barrier, or global
// memory written before the launch and already read by an earlier block. Inline, because a
// call takes longer than the check.
static inline bool nothing_new(const struct cell *cell, uintptr_t offset)
{
    uint32_t written = cell->write >> EPOCH_SHIFT; // a split cell's is after all others
    if (is_shared(offset)) {
        return written < shadow.interval && pair_kept(cell);
    }
    uint32_t before = shadow.launch_first;
    return written < before &&
           ((cell->read >> EPOCH_SHIFT) - before < shadow.block_first - before ||
            pair_kept(cell));
}

// The usual case for a write: everything before it lies behind a barrier.
static inline bool all_before(const struct cell *cell, uint32_t floor)
{
    return before_by_barrier(cell->write >> EPOCH_SHIFT, floor) &&
           before_by_barrier(cell->read >> EPOCH_SHIFT, floor);
}

static inline void check_read(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    if (!before_by_barrier(cell->write >> EPOCH_SHIFT, floor)) {
        const struct stamp write = last_write(cell);
        if (!before(&write, floor)) {
            report_race(&write, true, offset, ACCESS_READ, pc);
        }
    }
    remember_read(cell, floor, pc);
}

static inline void check_reads(const struct cell *cell, uint32_t floor, uintptr_t offset,
                               enum access_kind kind, const void *pc)
{
    const struct stamp reads[] = {first_read(cell), second_read(cell)};
    for (const struct stamp &read : reads) {
        if (read.epoch > 0 && !before(&read, floor)) {
            report_race(&read, false, offset, kind, pc);
        }
    }
}

static inline void keep_write(struct cell *cell, const void *pc, uint32_t flags)
{
    *cell = {shadow.now << EPOCH_SHIFT | flags,
             0,
             shadow.me,
             site_of(pc),
             0,
             0,
             (uint16_t)shadow.clock};
}

static inline void check_write(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    if (!all_before(cell, floor)) {
        const struct stamp write = last_write(cell);
        if (!before(&write, floor)) {
            report_race(&write, true, offset, ACCESS_WRITE, pc);
        }
        check_reads(cell, floor, offset, ACCESS_WRITE, pc);
    }
    keep_write(cell, pc, 0);
}

// Atomics may conflict with each other. The first one stays in the cell, marked, to detect
// conflicts with plain accesses.
static inline void check_atomic(struct cell *cell, uintptr_t offset, const void *pc)
{
    uint32_t floor = rules_floor(offset);
    const struct stamp write = last_write(cell);
    check_reads(cell, floor, offset, ACCESS_ATOMIC, pc);
    if (before(&write, floor)) {
        keep_write(cell, pc, BY_ATOMIC);
    } else if ((write.flags & BY_ATOMIC) == 0) {
        report_race(&write, true, offset, ACCESS_ATOMIC, pc);
    } else if (!mine(&write)) {
        bool same_warp =
            write.epoch >= shadow.interval && in_warp(write.thread, shadow.me);
        cell->write |= same_warp ? BY_LANES : BY_MANY;
    }
}

} // namespace gpu_runtime

#endif
