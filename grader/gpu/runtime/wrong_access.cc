// wrong_access.cc - see wrong_access.h.

#include <stdio.h>
#include <string.h>

#include "common/plural.h"
#include "gpu/runtime/rules.h"
#include "gpu/runtime/sample.h"

namespace gpu_runtime
{

static const char *memory_name(uintptr_t offset)
{
    return is_shared(offset) ? "shared" : "global";
}

// Describes the position of an offset: "4 bytes past the end of an allocation of 64 bytes".
static void describe(char *text, size_t room, uintptr_t offset)
{
    if (!finding_in_course && name_of(text, room, offset)) {
        return;
    }
    if (is_shared(offset) || offset >= GPU_VARIABLES_OFFSET) {
        snprintf(text, room, "%s memory",
                 offset < GPU_DYNAMIC_OFFSET ? "the kernel's static __shared__"
                 : is_shared(offset)         ? "the launch's dynamic __shared__"
                                             : "a __device__ variable's");
        return;
    }
    const struct allocation *near = memory_near(offset);
    if (near == NULL) {
        snprintf(text, room, "nothing is allocated");
        return;
    }
    size_t end = near->start + near->bytes;
    const char *where = offset < near->start ? "before the start of"
                        : offset >= end      ? "past the end of"
                                             : "of";
    size_t distance = offset < near->start ? near->start - offset
                      : offset >= end      ? offset - end
                                           : offset - near->start;
    const bool inside = offset >= near->start && offset < end;
    char place[48] = "just "; // its first byte
    if (inside) {
        snprintf(place, sizeof place, "byte %zu ", distance);
    } else if (distance > 0) {
        snprintf(place, sizeof place, "%zu byte%s ", distance, plural((double)distance));
    }
    snprintf(text, room, "%s%s an allocation of %zu byte%s%s%s", place, where,
             near->bytes, plural((double)near->bytes), near->name != NULL ? ", " : "",
             near->name != NULL ? near->name : "");
}

const char *access_verb(enum access_kind kind)
{
    return kind == ACCESS_READ ? "reads" : kind == ACCESS_WRITE ? "writes" : "changes";
}

void report_bounds(uintptr_t offset, size_t bytes, enum access_kind kind, const void *pc)
{
    char where[120];
    describe(where, sizeof where, offset);
    const struct allocation *near = memory_near(offset);
    if (near != NULL && near->freed && offset - near->start < near->bytes) {
        finding_stop("use-after-free", pc, NULL,
                     "%s %zu byte%s of device memory that cudaFree has released (%s).\n"
                     "Free it after the last kernel that uses it.",
                     access_verb(kind), bytes, plural((double)bytes), where);
    }
    if (is_shared(offset)) {
        const size_t room = offset < GPU_DYNAMIC_OFFSET ? launch.static_bytes
                                                        : launch.configuration->shared;
        finding_stop("out-of-bounds", pc, NULL,
                     "%s %zu byte%s past the end of %s (%zu byte%s%s).\n"
                     "Compare the largest index with the size that was declared%s.",
                     access_verb(kind), bytes, plural((double)bytes), where, room,
                     plural((double)room), offset < GPU_DYNAMIC_OFFSET ? " in all" : "",
                     offset < GPU_DYNAMIC_OFFSET ? "" : " and passed to the launch");
    }
    finding_stop(
        "out-of-bounds", pc, NULL,
        "%s %zu byte%s outside of every allocation: %s.\n"
        "Threads past the edge must do nothing: put an if around the access that "
        "compares its indices with the sizes.\n"
        "If this thread is not past the edge, look for a wrong index.",
        access_verb(kind), bytes, plural((double)bytes), where);
}

// The first read of unwritten shared memory since the last barrier.
static struct {
    bool open;
    uintptr_t offset;
    size_t bytes;
    const void *pc;
    unsigned thread;
} unwritten;

// A launcher does not allocate: its outputs and workspaces are the caller's, with any contents.
static const char *unwritten_advice(uintptr_t offset)
{
    if (is_shared(offset)) {
        return "Shared memory starts with arbitrary content: write every element that is "
               "read, also those past the edge of the data (write 0).";
    }
    return launcher_expected()
               ? "Outputs and workspaces have arbitrary content at first: a kernel must write "
                 "each element before it is read. Write an output with = before you add to it "
                 "with +=."
               : "cudaMalloc does not clear the memory: write it first, with cudaMemset or "
                 "in a kernel. Write an output with = before you add to it with +=.";
}

static void report_unwritten(uintptr_t offset, size_t bytes, const void *pc)
{
    char where[120];
    if (here.on_device && !is_shared(offset)) {
        shadow_settle(); // reports findings in order
        if (sample_some) {
            sample_leave_block();
        }
    }
    describe(where, sizeof where, offset);
    finding_go_on(is_shared(offset) ? "uninitialized-shared" : "uninitialized-global", pc,
                  NULL,
                  "reads %zu byte%s that %s never written (%s).\n"
                  "%s",
                  bytes, plural((double)bytes), bytes == 1 ? "was" : "were", where,
                  unwritten_advice(offset));
}

void shadow_settle()
{
    if (unwritten.open) {
        unsigned running = block.running;
        unwritten.open = false;
        block.running = unwritten.thread;
        report_unwritten(unwritten.offset, unwritten.bytes, unwritten.pc);
        block.running = running;
    }
}

void note_unwritten(uintptr_t offset, size_t bytes, const void *pc)
{
    if (is_shared(offset) && async_unfinished(offset, bytes, pc)) {
        return;
    }
    if (memory_host_wrote(offset)) {
        shadow_mark(offset, 1, true, true);
        return;
    }
    if (!is_shared(offset)) {
        report_unwritten(offset, bytes, pc);
        shadow_mark(offset, 1, true, true); // reported once
    } else if (!unwritten.open) {
        unwritten = {true, offset, bytes, pc, block.running};
    }
}

// Returns true for a pair of positions that was reported before. A warning does not hide an error
// of the same pair.
static bool told_before(const void *pc, const void *other_pc, bool warning)
{
    static struct {
        const void *pc, *other_pc;
        bool warning;
    } pairs[256];
    static size_t count;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].pc == pc && pairs[i].other_pc == other_pc &&
            pairs[i].warning == warning) {
            return true;
        }
    }
    if (count < sizeof pairs / sizeof *pairs) {
        pairs[count++] = {pc, other_pc, warning};
    }
    return false;
}

void report_race(const struct stamp *other, bool other_writes, uintptr_t offset,
                 enum access_kind kind, const void *pc)
{
    if (!race_waits(other, other_writes, offset, kind, pc)) {
        tell_race(other, other_writes, offset, kind, pc, false);
    }
}

// The names of variables in a report for a program of its own: " at tile[3][5]", or "".
static void name_element(char *text, size_t room, uintptr_t offset)
{
    char name[200];
    name[0] = text[0] = '\0';
    if (!finding_in_course && name_of(name, sizeof name, offset)) {
        snprintf(text, room, " at %s", name);
    }
}

// A thread that is a turn of a loop ahead: it is before the barrier that the block has passed,
// and the other one is behind it. Within one function only a loop leads back.
static bool next_turn(struct place here, struct place there)
{
    struct place passed = threads_passed();
    int first = here.line < there.line ? here.line : there.line;
    int last = here.line < there.line ? there.line : here.line;
    return !finding_in_course && first < passed.line && passed.line < last &&
           strcmp(here.function, there.function) == 0 &&
           strcmp(here.function, passed.function) == 0;
}

// A race, as a report needs it.
struct race {
    const struct stamp *other;
    bool other_writes, same_block;
    bool many; // a marked atomic is of several threads; its first may be the running one
    uintptr_t offset;
    enum access_kind kind;
    struct place at, there;   // of this access, and of the other
    char here[64], waits[64]; // the running thread, and the other
};

static struct race race_between(const struct stamp *other, bool other_writes,
                                uintptr_t offset, enum access_kind kind, const void *pc,
                                const void *other_pc)
{
    const uint64_t other_block = launch_block_of(other->epoch);
    struct race race = {other, other_writes, other_block == launch.block, false, offset,
                        kind,  place_of(pc), place_of(other_pc),          "",    ""};
    race.many = race.same_block && other->thread == block.running &&
                (other->flags & (BY_MANY | BY_LANES)) != 0;
    snprintf(race.here, sizeof race.here, "%s",
             finding_thread(block.running, launch.block));
    snprintf(race.waits, sizeof race.waits, "%s",
             race.many ? "other threads" : finding_thread(other->thread, other_block));
    return race;
}

static const char *usual_advice(const struct race *race)
{
    const bool shared = is_shared(race->offset);
    if ((race->other->flags & BY_ATOMIC) != 0 || race->kind == ACCESS_ATOMIC) {
        return "An atomic protects only against other atomics: make both atomic, or put a "
               "barrier between them.";
    }
    if (!race->same_block) {
        return "Blocks run in any order, and no block waits for another: let a single "
               "block write each element, use an atomic, or use two launches.";
    }
    if (race->kind == ACCESS_WRITE && race->other_writes && !shared) {
        return "Two threads write the same element: let only one of them write it, or use an "
               "atomic.";
    }
    if (race->at.line == race->there.line && !shared) {
        return "Two threads access the same element: give each thread its own element, or "
               "use an atomic.";
    }
    return in_warp(race->other->thread, shadow.me)
               ? "Nothing orders the two: put __syncthreads() between them, where all "
                 "threads reach it, or __syncwarp() within a warp."
               : "Nothing orders the two: put __syncthreads() between them, where all "
                 "threads reach it.";
}

// Advice for a barrier that only one of the two threads has reached, or has passed. Returns false if there is none.
static bool advise_barrier(char *text, size_t room, const struct race *race)
{
    const char *here = race->here, *waits = race->waits;
    if (race->same_block && next_turn(race->at, race->there)) {
        bool here_ahead = race->at.line < race->there.line;
        snprintf(
            text, room,
            "After the barrier of line %d, %s is already in the next iteration of the "
            "loop, and %s still in this one. Put a barrier at the end of the loop's "
            "body.",
            threads_passed().line, here_ahead ? here : waits, here_ahead ? waits : here);
        return true;
    }
    int barrier = race->same_block ? threads_barrier_line(race->other->thread) : 0;
    if (race->there.line <= barrier && barrier < race->at.line) {
        snprintf(
            text, room,
            "While %s waits at the __syncthreads() in line %d, %s has not reached it: "
            "all threads of a block must reach each barrier. If it stands in an if, "
            "take it out.",
            waits, barrier, here);
        return true;
    }
    return false;
}

static const char *other_verb(const struct race *race)
{
    return race->many                              ? "atomically change"
           : (race->other->flags & BY_ATOMIC) != 0 ? "atomically changes"
           : race->other_writes                    ? "writes"
                                                   : "reads";
}

void tell_race(const struct stamp *other, bool other_writes, uintptr_t offset,
               enum access_kind kind, const void *pc, bool same_value)
{
    const void *other_pc = shadow_pc(other->site);
    if ((finding_keep_going || same_value) && told_before(pc, other_pc, same_value)) {
        return;
    }
    const struct race race =
        race_between(other, other_writes, offset, kind, pc, other_pc);
    const char *name = is_shared(offset) ? "race-shared" : "race-global";
    char element[220], barrier[320];
    name_element(element, sizeof element, offset);
    if (same_value) {
        finding_warn(
            name, pc, other_pc,
            "writes an element of %s memory%s, and %s wrote the same value there at "
            "line %d.\n"
            "The result does not depend on which is first. One thread is enough.",
            memory_name(offset), element, race.waits, race.there.line);
        return;
    }
    unwritten.open = false; // the race explains it
    finding_go_on(name, pc, other_pc,
                  "a data race in %s memory%s: %s %s an element that %s %s at line %d.\n"
                  "%s",
                  memory_name(offset), element, race.here, access_verb(kind), race.waits,
                  other_verb(&race), race.there.line,
                  advise_barrier(barrier, sizeof barrier, &race) ? barrier
                                                                 : usual_advice(&race));
}

} // namespace gpu_runtime
