// warp.cc - collective operations of a warp's 32 threads: __syncwarp, shuffles, votes.
//
// Each thread stores its values and waits; the last thread in the mask computes the results
// for all. As on a device, threads that have returned are not waited for, but a shuffle
// that reads from one is reported, because the value would be undefined.
//
// Lane clocks. __syncwarp orders memory only for the lanes in its mask. Each lane stores,
// for every lane of its warp, the latest clock reading of that lane that happened before.
// __syncwarp gives all its lanes the maximum, and then advances each lane's own clock. An
// access stamped with lane A's reading c happened before lane B's current access if B's
// entry for A is at least c. Shuffles and votes exchange values but do not order memory
// (CUDA C++ Programming Guide, "Warp Shuffle Functions"), so they leave the clocks alone.

#include <stdio.h>
#include <string.h>

#include "gpu/runtime/sample.h"
#include "gpu/runtime/turns.h"

namespace gpu_runtime
{

enum warp_operation : uint8_t { SYNC, SHUFFLE, VOTE, REDUCE, ACTIVE, TOGETHER };
enum shuffle : uint8_t { INDEX, UP, DOWN, XOR };
enum vote : uint8_t { BALLOT, ANY, ALL };

struct lane {
    enum warp_operation operation;
    uint8_t kind; // of a shuffle or a vote
    unsigned mask, argument, width;
    uint64_t call; // mask, operation and kind, in one word
    uint64_t value;
    const void *pc;
    void (*run)(const void *const given[WARP]); // of TOGETHER
    // of REDUCE: what each member gets
    void (*collect)(const struct lane *warp, unsigned members, uint64_t *result);
};

static struct lane lanes[MAX_THREADS];
static uint32_t seen[MAX_THREADS][WARP]; // the lane clocks that each thread has seen
static uint32_t existing[MAX_WARPS];     // lanes that have not returned
static uint32_t arrived[MAX_WARPS];      // lanes that wait in a function of this file

static const char *const operation_name[] = {
    "__syncwarp", "a shuffle",    "a vote",
    "a __reduce", "__activemask", "a function of the whole warp"};

void warp_begin_block()
{
    for (unsigned t = 0; t < launch.threads; t++) {
        if (block.lane_clock[t] != 1) { // true after a __syncwarp
            memset(seen[t], 0, sizeof seen[t]);
            block.lane_clock[t] = 1;
        }
    }
    for (unsigned w = 0; w * WARP < launch.threads; w++) {
        unsigned left = launch.threads - w * WARP;
        arrived[w] = 0;
        existing[w] = left >= WARP ? ~0u : (1u << left) - 1;
    }
}

bool warp_ordered(uint32_t thread, uint32_t clock)
{
    return clock <= seen[block.running][thread % WARP];
}

void warp_advance(unsigned thread)
{
    if ((++block.lane_clock[thread] & CLOCK_MASK) == CLOCK_MASK) {
        shadow_next_clocks();
    }
}

void warp_known(unsigned thread, uint32_t *known)
{
    unsigned first = thread & ~(WARP - 1u);
    for (unsigned l = 0; l < WARP && first + l < launch.threads; l++) {
        uint32_t reading = seen[thread][l];
        known[first + l] = reading > known[first + l] ? reading : known[first + l];
    }
}

static void synchronize_clocks(unsigned first, unsigned members)
{
    if (objects_used) {
        objects_join(first, members);
    }
    uint32_t latest[WARP] = {0};
    for (unsigned l = 0; l < WARP; l++) {
        if ((members >> l & 1) != 0) {
            for (unsigned k = 0; k < WARP; k++) {
                uint32_t reading = seen[first + l][k];
                latest[k] = reading > latest[k] ? reading : latest[k];
            }
            latest[l] = block.lane_clock[first + l];
        }
    }
    for (unsigned l = 0; l < WARP; l++) {
        if ((members >> l & 1) != 0) {
            memcpy(seen[first + l], latest, sizeof latest);
            warp_advance(first + l);
        }
    }
}

// The lane that a shuffle reads from.
ALWAYS_INLINE unsigned source_lane(unsigned l, const struct lane *lane, enum shuffle kind)
{
    unsigned first = l & ~(lane->width - 1), end = first + lane->width;
    switch (kind) {
    case INDEX:
        return first + (lane->argument & (lane->width - 1));
    case UP:
        return l < first + lane->argument ? l : l - lane->argument;
    case DOWN:
        return lane->argument >= end - l ? l : l + lane->argument;
    default:
        return (l ^ lane->argument) >= end ? l : l ^ lane->argument;
    }
}

// A shuffle of all lanes, the usual case: each source is there.
template <enum shuffle kind>
static void shuffle_whole_warp(const struct lane *warp, uint64_t *result)
{
    for (unsigned l = 0; l < WARP; l++) {
        result[l] = warp[source_lane(l, &warp[l], kind)].value;
    }
}

static void shuffle_values(struct lane *warp, unsigned first, unsigned members)
{
    static void (*const of_whole_warp[])(const struct lane *, uint64_t *) = {
        shuffle_whole_warp<INDEX>, shuffle_whole_warp<UP>, shuffle_whole_warp<DOWN>,
        shuffle_whole_warp<XOR>};
    if (members == ~0u) {
        of_whole_warp[warp->kind](warp, &contexts.result[first]);
        return;
    }
    for (unsigned l = 0; l < WARP; l++) {
        if ((members >> l & 1) == 0) {
            continue;
        }
        unsigned from = source_lane(l, &warp[l], (enum shuffle)warp[l].kind) & (WARP - 1);
        if ((members >> from & 1) == 0) {
            char reader[64];
            snprintf(reader, sizeof reader, "%s",
                     finding_thread(first + l, launch.block));
            finding_stop(
                "warp-inactive", warp[l].pc, NULL,
                "in this shuffle %s reads from lane %u, which %s.\n"
                "The value it gets is undefined: let all lanes of the warp take part; "
                "those without work use a neutral value.",
                reader, from,
                (warp[l].mask >> from & 1) == 0 ? "is not in the mask"
                : (launch.threads - first <= from)
                    ? "does not exist: the block's size is not a multiple of 32"
                    : "has returned");
        }
        contexts.result[first + l] = warp[from].value;
    }
}

static void vote(const struct lane *warp, unsigned first, unsigned members)
{
    unsigned ballot = 0;
    for (unsigned l = 0; l < WARP; l++) {
        ballot |= (members >> l & 1) != 0 && warp[l].value != 0 ? 1u << l : 0;
    }
    for (unsigned l = 0; l < WARP;
         l++) { // other lanes may not have read their own vote yet
        uint64_t *result = &contexts.result[first + l];
        *result = (members >> l & 1) != 0 ? ballot : *result;
    }
}

// What the lanes do together is done by the last that comes. run is the first lane's.
static void together_now(const struct lane *warp, const struct lane *caller,
                         unsigned members)
{
    const void *given[WARP];
    if (members != ~0u) {
        finding_stop(
            "warp-inactive", caller->pc, NULL,
            "this needs all 32 lanes of the warp, and %d have returned or do not exist.\n"
            "Launch blocks of a multiple of 32 threads, and let no thread return before "
            "this call.",
            WARP - __builtin_popcount(members));
    }
    for (unsigned l = 0; l < WARP; l++) {
        given[l] = (const void *)warp[l].value;
    }
    caller->run(given);
}

// Returns true if both lanes call the same function with the same mask.
static bool same_call(const struct lane *a, const struct lane *b)
{
    return a->call == b->call && (a->operation != TOGETHER || a->run == b->run) &&
           (a->operation != REDUCE || a->collect == b->collect);
}

static bool is_waiting(unsigned thread)
{
    return (arrived[thread / WARP] >> thread % WARP & 1) != 0;
}

// Releases these lanes if all of them make the caller's call.
static void release(unsigned first, unsigned members, const struct lane *caller)
{
    const enum warp_operation operation = caller->operation;
    struct lane *warp = &lanes[first];
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
        if (!same_call(&warp[__builtin_ctz(rest)], caller)) {
            return;
        }
    }
    if (operation == SYNC) {
        synchronize_clocks(first, members);
    } else if (operation == SHUFFLE) {
        shuffle_values(warp, first, members);
    } else if (operation == VOTE) {
        vote(warp, first, members);
    } else if (operation == TOGETHER) {
        together_now(warp, caller, members);
    } else if (operation == REDUCE) {
        caller->collect(warp, members, &contexts.result[first]);
    }
    if (__builtin_expect(sample_on, 0)) {
        sample_count(WARP);
    }
    arrived[first / WARP] &= ~members;
    threads_ready_lanes(first, members);
}

// Releases the lanes of the caller's mask when all that have not returned have arrived. Usually some
// have not, and that is decided without a call.
ALWAYS_INLINE void complete(unsigned first, const struct lane *caller)
{
    unsigned members = caller->mask & existing[first / WARP];
    if ((members & ~arrived[first / WARP]) == 0) {
        release(first, members, caller);
    }
}

// Lanes that waited only for one that has returned are released.
static __attribute__((noinline)) void complete_others(unsigned first)
{
    for (unsigned w = arrived[first / WARP]; w != 0; w &= w - 1) {
        unsigned other = first + (unsigned)__builtin_ctz(w);
        if (is_waiting(other) &&
            lanes[other].operation != ACTIVE) { // not released yet by the others
            complete(first, &lanes[other]);
        }
    }
}

void warp_thread_done(unsigned thread)
{
    existing[thread / WARP] &= ~(1u << thread % WARP);
    if (arrived[thread / WARP] != 0) {
        complete_others(thread & ~(WARP - 1u));
    }
}

// The lanes of a branch are those that call __activemask there before any of them can go on. So
// they wait until no thread of the block can run, and then those of one place go on together.
// Returns false if no lane waits there.
bool warp_release_active()
{
    bool found = false;
    for (unsigned first = 0; first < launch.threads; first += WARP) {
        unsigned waiting = arrived[first / WARP], members = 0;
        const void *pc = NULL;
        for (unsigned l = 0; l < WARP; l++) {
            const struct lane *lane = &lanes[first + l];
            if ((waiting >> l & 1) != 0 && lane->operation == ACTIVE &&
                (pc == NULL || lane->pc == pc)) {
                pc = lane->pc;
                members |= 1u << l;
            }
        }
        arrived[first / WARP] &= ~members;
        for (unsigned l = 0; l < WARP; l++) {
            if ((members >> l & 1) != 0) {
                contexts.result[first + l] = members;
                found = true;
            }
        }
        threads_ready_lanes(first, members);
    }
    return found;
}

void warp_deadlock(unsigned thread)
{
    const struct lane *lane = &lanes[thread];
    unsigned first = thread & ~(WARP - 1u);
    char waits[64], missing[64];
    snprintf(waits, sizeof waits, "%s", finding_thread(thread, launch.block));
    for (unsigned l = 0; l < WARP; l++) {
        const struct lane *other = &lanes[first + l];
        unsigned bit = lane->mask & existing[first / WARP] & (1u << l);
        bool other_waits = is_waiting(first + l);
        if (bit == 0 || (other_waits && same_call(other, lane))) {
            continue;
        }
        snprintf(missing, sizeof missing, "%s", finding_thread(first + l, launch.block));
        const void *other_pc = other_waits ? other->pc : block.thread[first + l].pc;
        finding_stop(
            "warp-divergent", lane->pc, other_pc,
            "%s waits here in %s with mask 0x%08x for %s, which waits at line %d %s.\n"
            "All lanes in the mask must reach the same call: take the call out of the "
            "condition, or put only the lanes that reach it in the mask.",
            waits, operation_name[lane->operation], lane->mask, missing,
            place_of(other_pc).line,
            other_waits ? "with another mask or in another call" : "for the whole block");
    }
    __builtin_trap();
}

[[noreturn]] static void warp_on_host(const void *pc)
{
    finding_stop("barrier-on-host", pc, NULL, "a warp function outside of a kernel.");
}

// The running thread waits for the others of its mask. Returns who is next.
ALWAYS_INLINE struct next meet_next(enum warp_operation operation, unsigned mask,
                                    const void *pc)
{
    unsigned self = block.running, first = self & ~(WARP - 1u);
    struct lane *lane = &lanes[self];
    if ((mask >> self % WARP & 1) == 0) {
        finding_stop(
            "warp-mask", pc, NULL,
            "lane %u calls this with the mask 0x%08x, which does not include it.\n"
            "The mask must include every lane that reaches this call; 0xffffffff is all "
            "lanes.",
            self % WARP, mask);
    }
    lane->operation = operation;
    lane->mask = mask;
    lane->call = (uint64_t)mask << 32 | (uint64_t)operation << 8 |
                 (operation == SHUFFLE || operation == VOTE ? (uint64_t)lane->kind : 0);
    lane->pc = pc;
    arrived[first / WARP] |= 1u << self % WARP;
    complete(first, lane);
    return threads_next(is_waiting(self) ? THREAD_WARP : THREAD_READY, pc);
}

// The same, and goes on when all have arrived.
ALWAYS_INLINE uint64_t meet(enum warp_operation operation, unsigned mask, const void *pc)
{
    if (!here.on_device) {
        warp_on_host(pc);
    }
    unsigned self = block.running;
    gpu_left_at = pc;
    return turns_switch(self, meet_next(operation, mask, pc));
}

ALWAYS_INLINE struct next shuffle(enum shuffle kind, unsigned mask, uint64_t value,
                                  unsigned argument, int width, const void *pc)
{
    struct lane *lane = &lanes[block.running];
    if (width <= 0 || width > WARP || (width & (width - 1)) != 0) {
        finding_stop("warp-width", pc, NULL,
                     "a shuffle of width %d: it must be 1, 2, 4, 8, 16 or 32.", width);
    }
    lane->kind = kind;
    lane->value = value;
    lane->argument = argument;
    lane->width = (unsigned)width;
    return meet_next(SHUFFLE, mask, pc);
}

void warp_together(const void *given, void (*run)(const void *const given[WARP]),
                   const void *pc)
{
    struct lane *lane = &lanes[block.running];
    lane->value = (uint64_t)given;
    lane->run = run;
    meet(TOGETHER, ~0u, pc);
}

ALWAYS_INLINE unsigned ballot(enum vote kind, unsigned mask, bool predicate,
                              const void *pc)
{
    lanes[block.running].kind = kind;
    lanes[block.running].value = predicate;
    return (unsigned)meet(VOTE, mask, pc);
}

// The results are made when all have arrived, from the lanes that exist then: others may return before,
// and some members may be in their next call before the last one has read its result.
ALWAYS_INLINE uint64_t reduce(unsigned mask, uint64_t value,
                              void (*collect)(const struct lane *, unsigned, uint64_t *),
                              const void *pc)
{
    struct lane *lane = &lanes[block.running];
    lane->value = value;
    lane->collect = collect;
    return meet(REDUCE, mask, pc);
}

// Gives all members the combination of their values.
template <typename T, T (*combine)(T, T)>
static void combine_all(const struct lane *warp, unsigned members, uint64_t *result)
{
    T total = unpack<T>(warp[__builtin_ctz(members)].value);
    for (unsigned rest = members & (members - 1); rest != 0; rest &= rest - 1) {
        total = combine(total, unpack<T>(warp[__builtin_ctz(rest)].value));
    }
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
        result[__builtin_ctz(rest)] = pack(total);
    }
}

static unsigned equal_lanes(const struct lane *warp, unsigned members, unsigned lane)
{
    unsigned found = 0;
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        found |= warp[l].value == warp[lane].value ? 1u << l : 0;
    }
    return found;
}

// Gives each member the members with the same value.
static void match_any(const struct lane *warp, unsigned members, uint64_t *result)
{
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        result[l] = equal_lanes(warp, members, l);
    }
}

// Gives each all members, or 0 if their values differ.
static void match_all(const struct lane *warp, unsigned members, uint64_t *result)
{
    bool same = equal_lanes(warp, members, (unsigned)__builtin_ctz(members)) == members;
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
        result[__builtin_ctz(rest)] = same ? members : 0;
    }
}

} // namespace gpu_runtime

using namespace gpu_runtime;

#define PC __builtin_return_address(0)

OUTSIDE(gpu_warp_on_host, warp_on_host)
SWITCHING(syncwarp, gpu_warp_on_host, void, __syncwarp, (unsigned mask),
          meet_next(SYNC, mask, pc))
unsigned __ballot_sync(unsigned mask, int predicate)
{
    return ballot(BALLOT, mask, predicate != 0, PC);
}
int __any_sync(unsigned mask, int predicate)
{
    return ballot(ANY, mask, predicate != 0, PC) != 0;
}
int __all_sync(unsigned mask, int predicate)
{
    return ballot(ALL, mask, predicate == 0, PC) == 0;
}
unsigned __activemask()
{
    const void *pc = PC;
    unsigned self = block.running;
    struct lane *lane = &lanes[self];
    if (!here.on_device) {
        warp_on_host(pc);
    }
    lane->operation = ACTIVE;
    lane->mask = 1u << self % WARP;
    lane->call = (uint64_t)lane->mask << 32 | (uint64_t)ACTIVE << 8;
    lane->pc = pc;
    arrived[self / WARP] |= 1u << self % WARP;
    threads_wait(THREAD_WARP, pc);
    return (unsigned)contexts.result[self];
}

#define SHUFFLES(id, T)                                                                  \
    SWITCHING(shfl_##id, gpu_warp_on_host, T, __shfl_sync,                               \
              (unsigned mask, T value, int lane, int width),                             \
              shuffle(INDEX, mask, pack(value), (unsigned)lane, width, pc))              \
    SWITCHING(shfl_up_##id, gpu_warp_on_host, T, __shfl_up_sync,                         \
              (unsigned mask, T value, unsigned delta, int width),                       \
              shuffle(UP, mask, pack(value), delta, width, pc))                          \
    SWITCHING(shfl_down_##id, gpu_warp_on_host, T, __shfl_down_sync,                     \
              (unsigned mask, T value, unsigned delta, int width),                       \
              shuffle(DOWN, mask, pack(value), delta, width, pc))                        \
    SWITCHING(shfl_xor_##id, gpu_warp_on_host, T, __shfl_xor_sync,                       \
              (unsigned mask, T value, int lane_mask, int width),                        \
              shuffle(XOR, mask, pack(value), (unsigned)lane_mask, width, pc))
SHUFFLES(i, int)
SHUFFLES(u, unsigned)
SHUFFLES(l, long)
SHUFFLES(ul, unsigned long)
SHUFFLES(ll, long long)
SHUFFLES(ull, unsigned long long)
SHUFFLES(f, float)
SHUFFLES(d, double)

#define REDUCTION(name, T, expression)                                                   \
    static T reduce_##name(T a, T b)                                                     \
    {                                                                                    \
        return expression;                                                               \
    }                                                                                    \
    T __reduce_##name##_sync(unsigned mask, T value)                                     \
    {                                                                                    \
        return unpack<T>(reduce(mask, pack(value), combine_all<T, reduce_##name>, PC));  \
    }
REDUCTION(add, unsigned, a + b)
REDUCTION(add, int, (int)((unsigned)a + (unsigned)b))
REDUCTION(max, unsigned, a > b ? a : b)
REDUCTION(max, int, a > b ? a : b)
REDUCTION(min, unsigned, a < b ? a : b)
REDUCTION(min, int, a < b ? a : b)
REDUCTION(and, unsigned, a &b)
REDUCTION(or, unsigned, a | b)
REDUCTION(xor, unsigned, a ^ b)

#define MATCHES(T)                                                                       \
    unsigned __match_any_sync(unsigned mask, T value)                                    \
    {                                                                                    \
        return (unsigned)reduce(mask, pack(value), match_any, PC);                       \
    }                                                                                    \
    unsigned __match_all_sync(unsigned mask, T value, int *all)                          \
    {                                                                                    \
        unsigned same = (unsigned)reduce(mask, pack(value), match_all, PC);              \
        *all = same != 0;                                                                \
        return same;                                                                     \
    }
MATCHES(int)
MATCHES(unsigned)
MATCHES(long)
MATCHES(unsigned long)
MATCHES(long long)
MATCHES(unsigned long long)
MATCHES(float)
MATCHES(double)
