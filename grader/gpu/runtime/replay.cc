// replay.cc - keeps the atomics of the workers of parallel.h, and does them again.
//
// A worker does its atomics on its own copy of the memory, and keeps a list of them. At a word that
// several workers changed, the other process then does the atomics of all lists, block by block:
//
//     list of worker 0   | block 5 | add 1.5 at x | add 0.1 at x |        | block 9 | ...
//     list of worker 1   |         |              |              | block 7 | add 3 at x | ...
//                          ------------------------------------------------------------>
//
// That is the order in which one process would have done them, so every bit of a sum is the same. The
// values that are added do not depend on x: a block that reads x, or uses the old value that an atomic
// returns, stops the division (results.cc, atomics.cc).

#include <sys/mman.h>

#include "gpu/runtime/parallel.h"

namespace gpu_runtime
{

struct kept_atomic {
    void *address;
    void (*again)(void *, uint64_t); // NULL: a block begins; value is its position
    uint64_t value;
};

// Of all workers. A launch of more atomics is not divided.
enum : size_t { MOST_KEPT = 1 << 24 };

static struct {
    struct {
        struct kept_atomic *list;
        size_t *count;
        size_t next; // to be done again
    } of[MAX_WORKERS];
    void *memory;
    size_t bytes, room; // room: entries of one worker
    unsigned self;
    uint64_t position; // of the block that runs
    bool block_kept;   // it is in the list
} kept;

bool replay_prepare(unsigned workers)
{
    kept.room = MOST_KEPT / workers;
    kept.bytes = workers * (kept.room * sizeof(struct kept_atomic) + sizeof(size_t));
    kept.memory = mmap(NULL, kept.bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept.memory == MAP_FAILED) {
        return false;
    }
    struct kept_atomic *lists = (struct kept_atomic *)kept.memory;
    for (unsigned w = 0; w < workers; w++) {
        kept.of[w] = {lists + w * kept.room, (size_t *)(lists + workers * kept.room) + w,
                      0};
    }
    return true;
}

void replay_free()
{
    munmap(kept.memory, kept.bytes);
}

// ---- in a worker --------------------------------------------------------------------------

void replay_note(unsigned worker)
{
    kept.self = worker;
}

void replay_block(uint64_t position)
{
    kept.position = position;
    kept.block_kept = false;
}

static void append(const struct kept_atomic *atomic)
{
    size_t *count = kept.of[kept.self].count;
    if (*count == kept.room) {
        parallel_give_up();
    }
    kept.of[kept.self].list[(*count)++] = *atomic;
}

void replay_keep(void *address, size_t bytes, void (*again)(void *, uint64_t),
                 uint64_t value)
{
    uintptr_t offset = memory_offset((uintptr_t)address);
    if (offset == NOT_DEVICE || offset % bytes != 0) {
        parallel_give_up(); // host memory, or a finding
    }
    if (!kept.block_kept) {
        const struct kept_atomic begins = {NULL, NULL, kept.position};
        append(&begins);
        kept.block_kept = true;
    }
    const struct kept_atomic atomic = {address, again, value};
    append(&atomic);
    results_atomic(offset, bytes);
}

// ---- all of them --------------------------------------------------------------------------

// The worker whose next block comes first; `workers` if none has one.
static unsigned first_worker(unsigned workers)
{
    unsigned first = workers;
    for (unsigned w = 0; w < workers; w++) {
        auto *of = &kept.of[w];
        if (of->next < *of->count &&
            (first == workers ||
             of->list[of->next].value < kept.of[first].list[kept.of[first].next].value)) {
            first = w;
        }
    }
    return first;
}

static void replay_one_block(unsigned worker)
{
    auto *of = &kept.of[worker];
    for (of->next++; of->next < *of->count && of->list[of->next].again != NULL;
         of->next++) {
        const struct kept_atomic *atomic = &of->list[of->next];
        if (results_several(memory_offset((uintptr_t)atomic->address))) {
            atomic->again(atomic->address, atomic->value);
        }
    }
}

void replay(unsigned workers)
{
    for (unsigned w = first_worker(workers); w < workers; w = first_worker(workers)) {
        replay_one_block(w);
    }
}

} // namespace gpu_runtime
