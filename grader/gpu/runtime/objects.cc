// objects.cc - barriers that are objects: cuda::barrier, and the stages of a cuda::pipeline.
//
// An object counts arrivals. When all of a phase have arrived, the phase ends, and the next one
// begins. A thread that arrives may go on; a thread that waits for a phase goes on when it has ended.
//
//     arrive                                publishes what the thread did before
//     wait for the phase of this arrival    sees what all who arrived did before
//
// Ordering. Each thread has a clock (lane_clock), which advances when it arrives, and knows a
// reading of every other thread's clock: what that thread did before this reading happened before.
// An arrival gives the object what its thread knows; who has waited gets what the object was
// given. So an access stamped with thread A's reading c happened before thread B's current access if
// B knows a reading of A of at least c. Barriers of the whole block need none of this: they
// end the epoch (shadow.h).
//
// The object itself is 8 bytes in the program's memory; tables here have the rest.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/grid.h"
#include "gpu/runtime/turns.h"

using namespace gpu_runtime;

namespace
{

struct barrier { // as it lies in the program's memory
    uint16_t expected, pending;
    uint32_t phase;
};

struct object {
    const struct barrier *at;
    uint32_t *given;    // by the arrivals of this phase, a reading of each thread's clock
    uint32_t *ended[2]; // the same of the last two phases
};

struct waiting {
    const struct barrier *at;
    uint32_t phase;
    const void *pc;
};

struct table {
    struct object *list;
    size_t count, room;
    uint32_t *known; // [thread][thread]
    struct waiting waiting[MAX_THREADS];
    struct barrier tiles[MAX_WARPS];
    unsigned threads;
} objects;

struct kept_objects {
    struct table table;
    bool used;
};

void *need(void *memory)
{
    if (memory == NULL) {
        perror("gpu simulator");
        abort();
    }
    return memory;
}

uint32_t *known_by(unsigned thread)
{
    return objects.known + (size_t)thread * objects.threads;
}

void join(uint32_t *to, const uint32_t *from)
{
    for (unsigned t = 0; t < objects.threads; t++) {
        to[t] = from[t] > to[t] ? from[t] : to[t];
    }
}

void begin_use()
{
    if (!objects_used) {
        size_t threads = objects.threads = launch.threads;
        free(objects.known);
        objects.known = (uint32_t *)need(calloc(threads * threads, sizeof(uint32_t)));
        memset(objects.tiles, 0, sizeof objects.tiles);
        objects_used = true;
    }
}

struct object *object_at(const struct barrier *at)
{
    begin_use();
    for (size_t i = 0; i < objects.count; i++) {
        if (objects.list[i].at == at) {
            return &objects.list[i];
        }
    }
    if (objects.count == objects.room) {
        objects.room = objects.room == 0 ? 16 : 2 * objects.room;
        objects.list = (struct object *)need(
            realloc(objects.list, objects.room * sizeof *objects.list));
    }
    size_t threads = objects.threads;
    uint32_t *clocks = (uint32_t *)need(calloc(3 * threads, sizeof *clocks));
    objects.list[objects.count] = {at, clocks, {clocks + threads, clocks + 2 * threads}};
    return &objects.list[objects.count++];
}

void forget_objects()
{
    for (size_t i = 0; i < objects.count; i++) {
        free(objects.list[i].given);
    }
    objects.count = 0;
}

void check_running(const void *pc)
{
    if (!here.on_device) {
        finding_stop("barrier-on-host", pc, NULL, "a barrier outside of a kernel.");
    }
}

void check(const struct barrier *b, enum access_kind kind, const void *pc)
{
    check_running(pc);
#if GPU_CHECKED
    shadow_access((uintptr_t)b, sizeof *b, kind, pc);
#else
    (void)b, (void)kind;
#endif
}

// The readings that a thread knows: of itself, of its warp, and of those that objects told it of.
void give(struct object *object, unsigned thread)
{
    uint32_t *known = known_by(thread);
    warp_known(thread, known);
    known[thread] = block.lane_clock[thread];
    join(object->given, known);
}

// What the running thread does from now on, its arrival does not publish.
void advance()
{
    warp_advance(block.running);
    shadow_turn(block.running, block.lane_clock[block.running]);
}

// After a phase, what its arrivals did before is known.
void take(const struct barrier *b, uint32_t phase)
{
    join(known_by(block.running), object_at(b)->ended[phase % 2]);
}

void end_phase(struct object *object, struct barrier *b)
{
    async_complete(b, object->given);
    uint32_t phase = b->phase++;
    b->pending = b->expected;
    memcpy(object->ended[phase % 2], object->given, objects.threads * sizeof(uint32_t));
    memset(object->given, 0, objects.threads * sizeof(uint32_t));
    for (unsigned t = 0; t < objects.threads; t++) {
        const struct waiting *w = &objects.waiting[t];
        if (block.thread[t].state == THREAD_OBJECT && w->at == b && w->phase == phase) {
            threads_ready(t);
        }
    }
}

} // namespace

namespace gpu_runtime
{

bool objects_used;

void objects_begin_block()
{
    async_begin_block();
    if (objects_used) {
        forget_objects();
        objects_used = false;
    }
}

void *objects_keep()
{
    struct kept_objects *kept = new kept_objects{objects, objects_used};
    objects = {};
    objects_used = false;
    return kept;
}

void objects_put_back(void *memory)
{
    struct kept_objects *kept = (struct kept_objects *)memory;
    forget_objects();
    free(objects.list);
    free(objects.known);
    objects = kept->table;
    objects_used = kept->used;
    delete kept;
}

bool objects_know(const struct stamp *stamp)
{
    return (stamp->flags & (BY_MANY | BY_LANES)) == 0 &&
           stamp->epoch >= shadow.interval &&
           stamp->clock <= known_by(shadow.me)[stamp->thread];
}

void objects_restart_clocks()
{
    size_t threads = objects.threads;
    if (objects_used) {
        memset(objects.known, 0, threads * threads * sizeof *objects.known);
        for (size_t i = 0; i < objects.count; i++) {
            memset(objects.list[i].given, 0, 3 * threads * sizeof(uint32_t));
        }
    }
}

// What the lanes of a warp know of other warps' threads, when __syncwarp orders them.
void objects_join(unsigned first, unsigned members)
{
    uint32_t *all = (uint32_t *)need(calloc(objects.threads, sizeof *all));
    for (unsigned l = 0; l < WARP; l++) {
        if ((members >> l & 1) != 0) {
            join(all, known_by(first + l));
        }
    }
    for (unsigned l = 0; l < WARP; l++) {
        if ((members >> l & 1) != 0) {
            join(known_by(first + l), all);
        }
    }
    free(all);
}

void objects_deadlock(unsigned thread)
{
    const struct waiting *w = &objects.waiting[thread];
    char waits[64];
    snprintf(waits, sizeof waits, "%s", finding_thread(thread, launch.block));
    finding_stop("barrier-missed", w->pc, NULL,
                 "%s waits here at a barrier object for %u more of %u arrivals, and no "
                 "other thread can go on.\n"
                 "As many threads as init() was given must arrive, once in each phase.",
                 waits, w->at->pending, w->at->expected);
}

} // namespace gpu_runtime

extern "C" {

void gpu_barrier_init(void *barrier, unsigned count)
{
    const void *pc = __builtin_return_address(0);
    struct barrier *b = (struct barrier *)barrier;
    check(b, ACCESS_WRITE, pc);
    if (count == 0 || count > UINT16_MAX) {
        finding_stop("barrier-count", pc, NULL,
                     "a barrier object of %u arrivals; it takes 1 to %u.", count,
                     UINT16_MAX);
    }
    *b = {(uint16_t)count, (uint16_t)count, 0};
}

// Returns the number of the phase. later: the arrivals that the next phases expect less.
unsigned gpu_barrier_arrive(void *barrier, unsigned count, unsigned later)
{
    const void *pc = __builtin_return_address(0);
    struct barrier *b = (struct barrier *)barrier;
    check(b, ACCESS_READ, pc);
    if (count > b->pending || later > b->expected) {
        finding_stop("barrier-count", pc, NULL,
                     "one arrival too many: the barrier object expects %u in each "
                     "phase.\n"
                     "Give init() the number of threads that arrive in each phase.",
                     b->expected);
    }
    struct object *object = object_at(b);
    unsigned phase = b->phase;
    give(object, block.running);
    advance();
    b->expected = (uint16_t)(b->expected - later);
    b->pending = (uint16_t)(b->pending - count);
    if (b->pending == 0) {
        end_phase(object, b);
    }
    return phase;
}

// A barrier for each tile, which the program does not see.
void gpu_tile_sync(unsigned tile, unsigned size)
{
    const void *pc = __builtin_return_address(0);
    struct barrier *b = &objects.tiles[tile % MAX_WARPS];
    check_running(pc);
    struct object *object = object_at(b);
    if (b->expected == 0) {
        *b = {(uint16_t)size, (uint16_t)size, 0};
    }
    unsigned phase = b->phase;
    give(object, block.running);
    advance();
    if (--b->pending == 0) {
        end_phase(object, b);
    } else {
        objects.waiting[block.running] = {b, phase, pc};
        threads_wait(THREAD_OBJECT, pc);
    }
    take(b, phase);
}

void gpu_barrier_wait(void *barrier, unsigned phase)
{
    const void *pc = __builtin_return_address(0);
    struct barrier *b = (struct barrier *)barrier;
    check(b, ACCESS_READ, pc);
    if (b->phase == phase) {
        objects.waiting[block.running] = {b, phase, pc};
        threads_wait(THREAD_OBJECT, pc);
    }
    take(b, phase);
}

// Whether the phase has ended. Lets other threads run, because the caller may ask in a loop.
bool gpu_barrier_test(void *barrier, unsigned phase)
{
    const void *pc = __builtin_return_address(0);
    struct barrier *b = (struct barrier *)barrier;
    check(b, ACCESS_READ, pc);
    if (b->phase == phase) {
        threads_ready(block.running);
        threads_wait(THREAD_READY, pc);
    }
    bool ended = b->phase != phase;
    if (ended) {
        take(b, phase);
    }
    return ended;
}

} // extern "C"
