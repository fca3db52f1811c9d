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
#include <string.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

struct published {
    uintptr_t address;
    uint32_t block_first, fence; // the block's start; its last fence
    uint32_t interval, epoch;    // of the atomic
    uint32_t thread;             // the atomic's; and its last fence in this interval:
    uint32_t own_fence, clock;   // epoch and the clock's last bits
};

struct learned {
    uintptr_t address;
    size_t until; // size of published at the time of the atomic
    uint32_t interval, thread;
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

// The time of each thread's last fence.
static struct {
    uint32_t interval, epoch, clock;
} fence_of[MAX_THREADS];

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

void publish_forget()
{
    publish_begin_launch();
    memset(fence_of, 0, sizeof fence_of);
}

// A thread's accesses before and after its fence have different lane clocks (warp.cc).
void publish_fence()
{
    last_fence = shadow.now;
    if (!here.on_device) {
        return;
    }
    fence_of[block.running] = {shadow.interval, shadow.now, shadow.clock};
    warp_advance(block.running);
    shadow_turn(block.running, block.lane_clock[block.running]);
}

// A fence counts for its whole interval.
void publish_barrier()
{
    if (last_fence >= shadow.interval) {
        last_fence = shadow.now;
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
        if (old->address == address && old->interval == shadow.interval &&
            old->thread == block.running) {
            old->until = published.count;
            return;
        }
    }
    *append(&learned.list, &learned.count,
            &learned.room) = {address, published.count, shadow.interval, block.running};
}

void publish_atomic(uintptr_t address)
{
    const auto *own = &fence_of[block.running];
    bool own_now = own->interval == shadow.interval;
    bool fenced = last_fence >= shadow.block_first;
    if (published.count > 0) {
        learn(address);
    }
    if (fenced) {
        *append(&published.list, &published.count,
                &published.room) = {address,
                                    shadow.block_first,
                                    last_fence,
                                    shadow.interval,
                                    shadow.now,
                                    block.running,
                                    own_now ? own->epoch : 0,
                                    own_now ? own->clock : 0};
    }
}

static bool covers(const struct published *p, const struct stamp *stamp)
{
    if (stamp->epoch >= p->interval && stamp->epoch <= p->epoch) {
        // the thread's own accesses before its fence, and the atomic itself
        bool before_fence =
            stamp->epoch < p->own_fence ||
            (stamp->epoch == p->own_fence && (stamp->clock & CLOCK_MASK) <= p->clock);
        return stamp->thread == p->thread &&
               (before_fence || (stamp->flags & BY_ATOMIC) != 0);
    }
    return stamp->epoch >= p->block_first && stamp->epoch <= p->fence &&
           stamp->epoch < p->interval;
}

bool publish_ordered(const struct stamp *stamp)
{
    if (learned.count == 0 || learned.block_first != shadow.block_first) {
        return false;
    }
    for (size_t i = 0; i < learned.count; i++) {
        const struct learned *l = &learned.list[i];
        if (l->interval == shadow.interval && l->thread != block.running) {
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

// What a fence of the device is for depends on other blocks.
static void fence_of_device()
{
    if (gpu_runtime::parallel_worker) {
        gpu_runtime::parallel_give_up();
    }
    gpu_runtime::publish_fence();
}

void __threadfence()
{
    fence_of_device();
}
void __threadfence_block()
{
    gpu_runtime::publish_fence();
}
void __threadfence_system()
{
    fence_of_device();
}
