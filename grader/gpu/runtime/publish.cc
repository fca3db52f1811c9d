// publish.cc - orders threads without a barrier: by a fence and an atomic.
//
// The last block of a reduction may read what all blocks have written, because each of them
// wrote, called __threadfence(), and then changed a counter atomically, and the last one learned
// from that counter that it is the last:
//
//     block 0:  write sum[0]   fence   atomicAdd(counter)
//     block 1:  write sum[1]   fence   atomicAdd(counter) == 1   read sum[0], sum[1]
//                                      ^ comes after block 0's
//
// An atomic after a fence publishes, at its address, all accesses before the fence: the
// thread's own, and those of its block that a barrier ordered before it. A later atomic at
// the same address acquires everything published there: for its thread immediately, for its
// block after the next barrier. Without the fence nothing is published, and the race is
// reported.

#include <stdio.h>
#include <stdlib.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

struct published {
    uintptr_t address;
    uint32_t block_first, fence, epoch; // the block's start; its last fence; the atomic
    uint32_t thread, clock; // the atomic's thread, and its lane clock at its last fence
};

struct learned {
    uintptr_t address;
    size_t until; // size of published at the time of the atomic
    uint32_t epoch, thread;
};

static struct {
    struct published *list;
    size_t count, room;
} published;

static struct {
    struct learned *list;
    size_t count, room;
    uint32_t block_first; // which block this list belongs to
} learned;

static uint32_t last_fence;

// The epoch of each thread's last fence, and its lane clock then.
static struct {
    uint32_t epoch, clock;
} fence_of[MAX_THREADS];

enum : uint32_t { LAST_CLOCK = 1u << 18 }; // the stamps have room for one bit more

template <typename T> static T *append(T **list, size_t *count, size_t *room)
{
    if (*count == *room) {
        *room = *room == 0 ? 256 : 2 * *room;
        *list = (T *)realloc(*list, *room * sizeof **list);
        if (*list == NULL) {
            perror("gpu simulator");
            abort();
        }
    }
    return &(*list)[(*count)++];
}

void publish_begin_launch()
{
    published.count = learned.count = 0;
    last_fence = 0;
}

// A thread's accesses before and after its fence have different lane clocks (warp.cc). A thread
// that calls very many fences keeps its clock: then a race can be missed, but none is invented.
void publish_fence()
{
    last_fence = shadow.now;
    if (!launch.running) {
        return;
    }
    uint32_t *clock = &block.lane_clock[block.running];
    fence_of[block.running] = {shadow.now, *clock};
    if (*clock < LAST_CLOCK) {
        ++*clock;
        shadow.who = block.running | *clock << WHO_CLOCK_SHIFT;
    }
}

static void learn(uintptr_t address)
{
    if (learned.block_first != shadow.block_first) {
        learned.block_first = shadow.block_first;
        learned.count = 0;
    }
    for (size_t i = 0; i < learned.count; i++) {
        struct learned *old = &learned.list[i];
        if (old->address == address && old->epoch == shadow.now &&
            old->thread == block.running) {
            old->until = published.count;
            return;
        }
    }
    *append(&learned.list, &learned.count, &learned.room) = {address, published.count,
                                                             shadow.now, block.running};
}

void publish_atomic(uintptr_t address)
{
    const auto *own = &fence_of[block.running];
    uint32_t clock = own->epoch == shadow.now ? own->clock : 0;
    bool fenced = last_fence >= shadow.block_first;
    if (published.count > 0) {
        learn(address);
    }
    if (fenced) {
        *append(&published.list, &published.count, &published.room) = {
            address, shadow.block_first, last_fence, shadow.now, block.running, clock};
    }
}

static bool covers(const struct published *p, const struct stamp *stamp)
{
    if (stamp->epoch == p->epoch) {
        // the thread's own accesses before its fence, and the atomic itself
        return (stamp->who & WHO_THREAD) == p->thread &&
               (stamp->who >> WHO_CLOCK_SHIFT <= p->clock ||
                (stamp->who & WHO_ATOMIC) != 0);
    }
    return stamp->epoch >= p->block_first && stamp->epoch <= p->fence &&
           stamp->epoch < p->epoch;
}

bool publish_ordered(const struct stamp *stamp)
{
    if (learned.count == 0 || learned.block_first != shadow.block_first) {
        return false;
    }
    for (size_t i = 0; i < learned.count; i++) {
        const struct learned *l = &learned.list[i];
        if (l->epoch == shadow.now && l->thread != block.running) {
            continue;
        }
        for (size_t j = 0; j < l->until; j++) {
            const struct published *p = &published.list[j];
            if (p->address == l->address && covers(p, stamp)) {
                return true;
            }
        }
    }
    return false;
}

} // namespace gpu_runtime

void __threadfence()
{
    gpu_runtime::publish_fence();
}
void __threadfence_block()
{
    gpu_runtime::publish_fence();
}
void __threadfence_system()
{
    gpu_runtime::publish_fence();
}
