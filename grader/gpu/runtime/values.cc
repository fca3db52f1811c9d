// values.cc - races that the values decide.
//
// In programs of their own (cudasim), two threads write the same value: the result does not depend on which is
// first, so this is a warning. In the labs it is a race.
//
// A plain read of what others change atomically, and then a compare-and-swap of the same
// element by the same thread: the swap fails if the value was old, so this is no race:
//
//     int old = *x, seen;
//     do {
//         seen = old;
//         old = atomicCAS(x, seen, f(seen));
//     } while (old != seen);
//
// The loop of a maximum ends before the swap if the value is large enough already. So the reads of a line
// after which a thread has swapped count as read before a swap.
//
// The compiler calls the simulator before an access happens. So such a race waits here until the
// thread's turn ends, or until more races wait than there is room for.

#include <string.h>

#include "gpu/runtime/rules.h"

namespace gpu_runtime
{

size_t races_waiting;

static struct waiting {
    struct stamp other;
    uintptr_t offset;
    size_t bytes;
    unsigned char before[4];
    enum access_kind kind;
    const void *pc;
    uint64_t accesses; // so many were before it
} list[64];

// Lines whose read a thread has swapped after.
static const void *reads_before_swap[64];
static size_t read_count;

static bool before_swap(const void *pc)
{
    for (size_t i = 0; i < read_count; i++) {
        if (reads_before_swap[i] == pc) {
            return true;
        }
    }
    return false;
}

void race_read_before_swap(const void *pc)
{
    if (read_count < sizeof reads_before_swap / sizeof *reads_before_swap &&
        !before_swap(pc)) {
        reads_before_swap[read_count++] = pc;
    }
}

// How many accesses one call of hooks.cc counts at most: a vector's words.
enum { OF_ONE_CALL = 4 };

static void settle(const struct waiting *race, size_t count)
{
    for (const struct waiting *w = race; w < race + count; w++) {
        bool same = w->kind == ACCESS_WRITE &&
                    memcmp(w->before, memory_at(w->offset), w->bytes) == 0;
        tell_race(&w->other, true, w->offset, w->kind, w->pc, same);
    }
}

// Reports the writes that are done by now, which makes room for more.
static void settle_writes()
{
    struct waiting done[sizeof list / sizeof *list];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < races_waiting; i++) {
        bool old = list[i].accesses + OF_ONE_CALL < shadow.accesses;
        (list[i].kind == ACCESS_WRITE && old ? done[count++] : list[kept++]) = list[i];
    }
    races_waiting = kept;
    settle(done, count);
}

bool race_waits(const struct stamp *other, bool other_writes, uintptr_t offset,
                enum access_kind kind, const void *pc)
{
    bool other_atomic = (other->flags & BY_ATOMIC) != 0;
    bool swapped = kind == ACCESS_READ ? other_atomic && before_swap(pc)
                   : kind == ACCESS_ATOMIC
                       ? !other_writes && before_swap(shadow_pc(other->site))
                       : false;
    if (swapped) {
        return true;
    }
    bool may_be_harmless =
        other_writes && (kind == ACCESS_WRITE  ? !other_atomic && !finding_in_course
                         : kind == ACCESS_READ ? other_atomic
                                               : false);
    if (!may_be_harmless) {
        return false;
    }
    if (races_waiting == sizeof list / sizeof *list) {
        settle_writes();
    }
    if (races_waiting == sizeof list / sizeof *list) {
        return false;
    }
    // A word that is accessed in parts has a cell for each byte.
    bool split = shadow.cells[offset / 4].write == CELL_SPLIT;
    struct waiting *w = &list[races_waiting++];
    *w = {*other, offset, split ? 1u : 4u, {0}, kind, pc, shadow.accesses};
    memcpy(w->before, memory_at(offset), w->bytes);
    return true;
}

void race_swaps(uintptr_t offset, size_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < races_waiting; i++) {
        if (list[i].kind != ACCESS_READ || list[i].offset - offset >= bytes) {
            list[kept++] = list[i];
        } else {
            race_read_before_swap(list[i].pc);
        }
    }
    races_waiting = kept;
}

void races_settle()
{
    struct waiting now[sizeof list / sizeof *list];
    size_t count = races_waiting;
    memcpy(now, list, count * sizeof *now);
    races_waiting = 0; // a report may end the launch
    settle(now, count);
}

} // namespace gpu_runtime
