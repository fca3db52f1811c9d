// async.cc - copies that go on while the thread works: cp.async, cuda::memcpy_async.
//
// On a card such a copy may be made at any time between the call and the wait. Here it is made as
// late as possible. Until then its target counts as unwritten, so a thread that reads it too early is
// found: the thread itself, which has not waited, and any other thread, because the copy reads and
// writes twice for the rules of races, when it begins and when it is done. A write to its source between
// the two is found by a fingerprint of the source and of who wrote it last.
//
//     gpu_copy_async    begins a copy, of the thread's open group, or of a barrier's phase
//     gpu_copy_commit   closes the group
//     gpu_copy_wait(n)  makes all closed groups but the last n
//
// A copy of a barrier's phase is made when the phase ends (objects.cc).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "gpu/runtime/grid.h"
#include "gpu/runtime/rules.h"
#include "gpu/runtime/turns.h"

using namespace gpu_runtime;

namespace
{

struct copy {
    struct copy *next;
    char *to;
    const char *from;
    size_t bytes, zeros; // the last ones are zeros
    const void *barrier; // NULL: it belongs to a group
    const void *pc;
    unsigned thread;
    uint32_t group;
    uint64_t source; // its fingerprint when the copy began
};

struct {
    struct copy *first, **last;   // in the order of the calls
    uint32_t closed[MAX_THREADS]; // each thread's groups
    bool used;                    // by the running block
} copies = {NULL, &copies.first, {}, false};

void access(const void *at, size_t bytes, enum access_kind kind, const void *pc)
{
#if GPU_CHECKED
    if (bytes > 0) {
        shadow_access((uintptr_t)at, bytes, kind, pc);
    }
#else
    (void)at, (void)bytes, (void)kind, (void)pc;
#endif
}

#if GPU_CHECKED
const struct cell *cell_of(uintptr_t offset)
{
    const struct cell *cell = &shadow.cells[offset / 4];
    return cell->write == CELL_SPLIT ? shadow_part(cell, offset % 4) : cell;
}
#endif

// A hash of the bytes and of who wrote each of them last; 0 for memory without a shadow.
uint64_t fingerprint(const char *from, size_t bytes)
{
    uint64_t print = 0;
#if GPU_CHECKED
    const uintptr_t offset = memory_offset((uintptr_t)from);
    for (size_t i = 0; offset != NOT_DEVICE && i < bytes; i++) {
        const struct stamp write = last_write(cell_of(offset + i));
        const uint64_t parts[] = {write.epoch, write.thread, write.site,
                                  (unsigned char)from[i]};
        for (uint64_t part : parts) {
            print = (print ^ part) * 0x100000001b3;
        }
    }
#else
    (void)from, (void)bytes;
#endif
    return print;
}

// Reports a write to the source since the copy began: on a card, the copy may read the old or the new
// content. Returns false if there was none, or if it counts as an ordinary race.
bool overwritten(const struct copy *c)
{
    const size_t bytes = c->bytes - c->zeros;
    if (fingerprint(c->from, bytes) == c->source) {
        return false;
    }
#if GPU_CHECKED
    const uintptr_t offset = memory_offset((uintptr_t)c->from);
    struct stamp last = {};
    for (size_t i = 0; i < bytes; i++) {
        const struct stamp write = last_write(cell_of(offset + i));
        last = write.epoch >= last.epoch ? write : last;
    }
    if (last.epoch < shadow.block_first || !before(&last, rules_floor(offset))) {
        return false; // forgotten; or concurrent with the wait, too: an ordinary race
    }
    const unsigned running = block.running;
    char whose[64];
    snprintf(whose, sizeof whose, "%s", finding_thread(c->thread, launch.block));
    block.running = last.thread;
    finding_go_on("async-source", shadow_pc(last.site), c->pc,
                  "writes to the source of an unfinished copy, begun in line %d by %s.\n"
                  "The copy may read the old or the new content. Wait for it before its "
                  "source changes%s.",
                  place_of(c->pc).line, whose,
                  last.thread == c->thread ? "" : ", with a barrier after the wait");
    block.running = running;
#endif
    return true;
}

void make(const struct copy *c)
{
    if (!overwritten(c)) {
        access(c->from, c->bytes - c->zeros, ACCESS_READ, c->pc);
    }
    access(c->to, c->bytes, ACCESS_WRITE, c->pc);
    memcpy(c->to, c->from, c->bytes - c->zeros);
    memset(c->to + c->bytes - c->zeros, 0, c->zeros);
}

// Makes and forgets the copies that are chosen.
template <typename F> void make_all(F chosen)
{
    struct copy **at = &copies.first;
    while (*at != NULL) {
        struct copy *c = *at;
        if (!chosen(c)) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        struct copy now = *c;
        free(c);
        make(&now); // a finding may end the launch
    }
    copies.last = at;
}

const struct copy *copy_to(uintptr_t address)
{
    const struct copy *c = copies.first;
    while (c != NULL && address - (uintptr_t)c->to >= c->bytes) {
        c = c->next;
    }
    return c;
}

} // namespace

namespace gpu_runtime
{

void async_begin_block()
{
    if (!copies.used) {
        return;
    }
    while (copies.first != NULL) {
        struct copy *next = copies.first->next;
        free(copies.first);
        copies.first = next;
    }
    copies.last = &copies.first;
    memset(copies.closed, 0, sizeof copies.closed);
    copies.used = false;
}

void *async_keep()
{
    decltype(copies) *kept = new decltype(copies)(copies);
    copies.first = NULL;
    copies.used = true; // the counts are cleared
    async_begin_block();
    return kept;
}

void async_put_back(void *memory)
{
    decltype(copies) *kept = (decltype(copies) *)memory;
    async_begin_block();
    copies = *kept;
    if (copies.first == NULL) {
        copies.last = &copies.first;
    }
    delete kept;
}

// As the thread that began it, before what it does next.
void async_complete(const void *barrier, uint32_t *clocks)
{
    unsigned running = block.running;
    make_all([=](const struct copy *c) {
        if (c->barrier == barrier) {
            uint32_t clock = block.lane_clock[c->thread];
            block.running = c->thread;
            shadow_turn(c->thread, clock);
            clocks[c->thread] = clock;
        }
        return c->barrier == barrier;
    });
    for (unsigned t = 0; t < launch.threads; t++) {
        if (clocks[t] == block.lane_clock[t]) {
            warp_advance(t);
        }
    }
    block.running = running;
    shadow_turn(running, block.lane_clock[running]);
}

bool async_unfinished(uintptr_t offset, size_t bytes, const void *pc)
{
    const struct copy *c = copy_to((uintptr_t)memory_at(offset));
    if (c == NULL) {
        return false;
    }
    bool own = c->thread == block.running, closed = c->group < copies.closed[c->thread];
    char whose[64];
    snprintf(whose, sizeof whose, "%s", finding_thread(c->thread, launch.block));
    finding_go_on(
        "async-unfinished", pc, c->pc,
        "reads %zu byte%s that the copy of line %d, begun by %s, may not have written "
        "yet.\n"
        "%s",
        bytes, plural((double)bytes), place_of(c->pc).line, own ? "this thread" : whose,
        c->barrier != NULL ? "Wait at the barrier that was passed to the copy."
        : !closed ? "Close the group (commit), then wait for it, before the read."
        : own     ? "Wait for the copy before the read."
                  : "The thread that copies must wait for the copy, and a barrier "
                    "must follow, before other threads read.");
    return true;
}

} // namespace gpu_runtime

extern "C" {

void gpu_copy_async(void *to, const void *from, size_t bytes, size_t zeros,
                    size_t alignment, void *barrier)
{
    const void *pc = __builtin_return_address(0);
    if (!here.on_device) {
        finding_stop("barrier-on-host", pc, NULL,
                     "an asynchronous copy outside of a kernel.");
    }
    if (((uintptr_t)to | (uintptr_t)from | bytes) % alignment != 0) {
        finding_stop(
            "misaligned", pc, NULL,
            "an asynchronous copy of %zu byte%s from %p to %p: both addresses and "
            "the size must be multiples of %zu.",
            bytes, plural((double)bytes), from, to, alignment);
    }
    if (bytes == 0) {
        return;
    }
    copies.used = true;
    struct copy *c = (struct copy *)malloc(sizeof *c);
    if (c == NULL) {
        perror("gpu simulator");
        abort();
    }
    *c = {NULL,
          (char *)to,
          (const char *)from,
          bytes,
          zeros < bytes ? zeros : bytes,
          barrier,
          pc,
          block.running,
          copies.closed[block.running],
          0};
    access(from, c->bytes - c->zeros, ACCESS_READ, pc);
    access(to, bytes, ACCESS_WRITE, pc);
    c->source = fingerprint(c->from, c->bytes - c->zeros);
    uintptr_t offset = memory_offset((uintptr_t)to);
    if (offset == NOT_DEVICE || !is_shared(offset)) { // on a card an ordinary copy
        make(c);
        free(c);
        return;
    }
    shadow_mark(offset, bytes, true, false);
    memset(to, 0xff, bytes);
    *copies.last = c;
    copies.last = &c->next;
}

void gpu_copy_commit()
{
    copies.used = true;
    copies.closed[block.running]++;
}

void gpu_copy_wait(unsigned prior)
{
    unsigned self = block.running;
    uint32_t closed = copies.closed[self];
    uint32_t end = closed > prior ? closed - prior : 0;
    make_all([=](const struct copy *c) {
        return c->thread == self && c->barrier == NULL && c->group < end;
    });
}

} // extern "C"
