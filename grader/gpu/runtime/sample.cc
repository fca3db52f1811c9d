// sample.cc - runs some blocks of launches that are too large to run whole.
//
// A call with half a million rows shows whether a grid covers them, and whether the index of a row is
// right in the last one. That takes few blocks:
//
//     the first      a step along y, along z, two others     the last
//     |                  |            |                          |
//     v                  v            v                          v
//     0 1 ... 31 . . . . x . . . . . x*y . . . . . . . . n-32 ... n-1
//
// What they write is judged like any result. Then the last byte of each output must be written. If it is
// not, the first blocks show how far a step along x, y and z moves what a block writes, and the block
// that writes the end follows:
//
//     end = what block 0 writes + i * step x + j * step y + k * step z
//
// If no block tried writes more than w bytes, n blocks cannot write more than n * w: an output with more
// is not written whole. (More blocks are tried before that is said.) In a right program, that would need
// blocks of which almost all write far less than the average.
//
// A block that reads what an omitted block may write is undone. If its launch needs it, or if
// blocks meet in atomics, nothing is known, and the judge lets all blocks run, up to a limit
// of work. Above it, nothing is said. What a library computes from such memory is unknown, too.
//
// Of blocks that take long, fewer run at both ends (GPU_FEW). If these leave a doubt, because a block was
// undone or an output seems to lack something, the call is made again with as many as of others.
//
// A launcher may skip only the last rows, in a loop with strides. If each block tried writes where the steps
// lead, and the one that they lead to the end has run, then the end is taken to be missing: the judge says so
// if it cannot let all blocks run to confirm it.
//
// Some outputs are numbers that depend on all rows, such as a mean. One counts if every launch that has written
// it ran all its blocks: then it is compared like any result. If no block tried writes it, the launcher is taken
// to leave it out, which all blocks must confirm, too.
//
// An omitted block may also write again what a launch or a call before has written: zeros, or exponentials
// that are still to be divided. So what is there is unknown, too, in each allocation that a launch without
// some of its blocks has written to. No block may read it, and it is not judged.

#include "gpu/runtime/sample.h"

#include <stdlib.h>

#include "gpu/runtime/rules.h"
#include "gpu/runtime/sample_state.h"

namespace gpu_runtime
{

bool sample_on, sample_some, sample_partial;
struct sample sample;

enum : uint64_t {
    FEW_BLOCKS = 16, // then all run
    NEIGHBORS =
        32, // at both ends: a block of a second kernel may read what several of the first write
    NEIGHBORS_WORK = 3000000, // if they take longer, there are fewer,
    FEW_NEIGHBORS = 4,        // but at least so many
    OTHERS = 2,
    MORE = 32,               // blocks anywhere
    MOST_WORK = 30000000,    // a few seconds
    LITTLE_WORK = 1500000,   // then all blocks of a launch run,
    LITTLE_IN_ALL = 6000000, // unless there are many such launches
    MOST_LEFT = 100,
};

void sample_reset()
{
    for (struct output &o : sample.outputs) {
        free(o.places);
    }
    launch.only = launch.only && !sample.spoiled;
    if (sample.omitted || sample.spoiled || sample.skipped) {
        restore_variables();
    }
    forget_variables();
    sample = {};
    sample_on = sample_some = sample_partial = false;
}

// ---- blocks that end early ----------------------------------------------------------------

void sample_leave_block()
{
    sample.left = sample.skipped = true;
    races_waiting = 0;
    threads_abandon();
}

void sample_spoil()
{
    sample.spoiled = true;
    launch.only = true;
    if (here.on_device) {
        races_waiting = 0;
        threads_abandon();
    }
}

void sample_library()
{
    sample.library_short = false;
}

void sample_library_reads_unwritten()
{
    sample.library_short = true;
}

bool sample_library_writes(uintptr_t offset)
{
    for (size_t i = 0; sample.library_short && i < sample.count; i++) {
        struct output *o = &sample.outputs[i];
        o->by_library = o->by_library || offset - o->start < o->bytes;
    }
    for (size_t i = 0; sample.library_short && i < sample.number_count; i++) {
        struct number *n = &sample.numbers[i];
        n->by_library = n->by_library || offset - n->start < n->bytes;
    }
    return sample.library_short;
}

// Returns true if the limit is reached.
static bool count(unsigned threads)
{
    sample.work += threads;
    sample.gave_up = sample.gave_up || sample.work > MOST_WORK;
    return sample.gave_up;
}

void sample_count(unsigned threads)
{
    if (count(threads)) {
        sample_spoil();
    }
}

// ---- running them -------------------------------------------------------------------------

bool was_tried(uint64_t number)
{
    for (size_t i = 0; i < sample.tried_count; i++) {
        if (sample.tried[i] == number) {
            return true;
        }
    }
    return false;
}

static void run_one(const struct grid_run *g, uint64_t number)
{
    if (count(launch.threads)) {
        sample.spoiled = launch.only = true;
        launch.running = false;
        return;
    }
    sample.run_here++;
    g->run(number, g->data);
    if (sample.left) { // the other blocks go on
        sample.left_here++;
        for_each_allocation(undo_in);
        sample.left = false;
        launch.running = here.on_device = true;
    }
}

// Do the blocks of this launch need more than the launches before have computed?
static bool lacks_numbers()
{
    return sample.left_here >= MOST_LEFT;
}

void try_block(const struct grid_run *g, uint64_t number, bool keep)
{
    if (!launch.running || number >= g->blocks || was_tried(number) ||
        sample.tried_count == MOST_TRIED || lacks_numbers()) {
        return;
    }
    for (size_t i = 0; i < sample.count; i++) {
        sample.outputs[i].by[sample.tried_count] = {0, 0};
    }
    sample.tried[sample.tried_count++] = number;
    run_one(g, number);
    for (size_t i = 0; launch.running && i < sample.count; i++) {
        struct output *o = &sample.outputs[i];
        o->by[sample.tried_count - 1] = look_at(o, keep);
    }
}

static uint64_t anywhere(uint64_t k, uint64_t blocks)
{
    return (k * 0x9e3779b97f4a7c15 >> 11) % blocks;
}

static void begin_launch()
{
    sample.tried_count = sample.left_here = sample.run_here = 0;
    for (size_t i = 0; i < sample.count; i++) {
        struct output *o = &sample.outputs[i];
        o->most = o->count = 0;
        o->step[0] = o->step[1] = o->step[2] = 0;
    }
}

// Block 0, and one step along each axis.
static void try_steps(const struct grid_run *g)
{
    const uint64_t step[3] = {1, g->grid->x, (uint64_t)g->grid->x * g->grid->y};
    const unsigned size[3] = {g->grid->x, g->grid->y, g->grid->z};
    try_block(g, 0, true);
    for (int axis = 0; axis < 3; axis++) {
        if (size[axis] < 2 || !launch.running) {
            continue;
        }
        try_block(g, step[axis]);
        for (size_t i = 0; i < sample.count; i++) {
            keep_step(&sample.outputs[i], axis,
                      &sample.outputs[i].by[sample.tried_count - 1]);
        }
    }
}

static uint64_t work_so_far()
{
    return sample.work + shadow.accesses / 8;
}

// Returns true if all blocks are as cheap as those tried so far, and run.
static bool try_all(const struct grid_run *g, uint64_t work)
{
    const uint64_t all = work / sample.tried_count * g->blocks;
    if (all > LITTLE_WORK || work_so_far() + all > LITTLE_IN_ALL) {
        return false;
    }
    sample_partial = false;
    for (uint64_t i = 0; i < g->blocks && launch.running && !lacks_numbers(); i++) {
        if (!was_tried(i)) {
            run_one(g, i);
        }
    }
    sample_partial = lacks_numbers();
    return !sample_partial;
}

// How many blocks run at each end, after the first ones took so much work. A block that takes long writes
// many rows, so fewer show as much.
static uint64_t neighbors(uint64_t work)
{
    if (!sample.few || !launch.running) {
        return NEIGHBORS;
    }
    const uint64_t each = work / sample.tried_count + 1;
    const uint64_t affordable = NEIGHBORS_WORK / (2 * each);
    if (affordable >= NEIGHBORS) {
        return NEIGHBORS;
    }
    sample.chose_few = true;
    return affordable > FEW_NEIGHBORS ? affordable : FEW_NEIGHBORS;
}

// Returns true if it leaves blocks out.
static bool choose_blocks(const struct grid_run *g)
{
    const uint64_t before = work_so_far();
    try_steps(g);
    const uint64_t at_each_end = neighbors(work_so_far() - before);
    for (uint64_t k = 0; k < at_each_end; k++) {
        try_block(g, k);
        try_block(g, g->blocks - 1 - k);
    }
    for (uint64_t k = 1; k <= OTHERS; k++) {
        try_block(g, anywhere(k, g->blocks));
    }
    if (launch.running && try_all(g, work_so_far() - before)) {
        return false;
    }
    sample.omitted = true;
    for (size_t i = 0; i < sample.count; i++) {
        look_for_end(g, &sample.outputs[i]);
        if (!has_end_now(&sample.outputs[i])) {
            look_for_same(g, &sample.outputs[i]);
        }
    }
    for (uint64_t k = 1; k <= MORE && !all_outputs(has_end_now); k++) {
        try_block(g, anywhere(OTHERS + k, g->blocks));
    }
    for (size_t i = 0; i < sample.count; i++) {
        struct output *o = &sample.outputs[i];
        o->irregular =
            o->irregular || (o->most > 0 && (o->count == 0 || !is_regular(g, o)));
    }
    return true;
}

static void all_blocks(const struct grid_run *g)
{
    for (uint64_t i = 0; i < g->blocks && launch.running; i++) {
        run_one(g, i);
        for (size_t k = 0; sample_some && launch.running && k < sample.count; k++) {
            look_at(&sample.outputs[k], i == 0);
        }
    }
}

// Launches that begin at the same place write the same elements again.
static void keep_possible(struct output *o, uint64_t possible)
{
    for (size_t i = 0; o->count > 0 && i < o->launch_count; i++) {
        if (o->launches[i].first == o->places[0]) {
            const uint64_t before = o->launches[i].possible;
            o->launches[i].possible = possible > before ? possible : before;
            o->possible += possible > before ? possible - before : 0;
            return;
        }
    }
    o->possible += possible;
    if (o->count > 0 && o->launch_count < MOST_LAUNCHES) {
        o->launches[o->launch_count++] = {o->places[0], possible};
    }
}

void sample_blocks(const dim3 *grid, void (*run)(uint64_t, void *), void *data)
{
    const uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    const struct grid_run g = {grid, blocks, run, data};
    bool omitted = false;
    begin_launch();
    if (!sample_some || blocks <= FEW_BLOCKS) {
        all_blocks(&g);
    } else {
        sample_partial = true;
        omitted = choose_blocks(&g);
        sample_partial = false;
    }
    look_at_numbers(!omitted && sample.left_here == 0);
    if (omitted || sample.left_here > 0) {
        for_each_allocation(forget_in);
    }
    if (sample.left_here > 0 && sample.left_here == sample.run_here) {
        sample.writes_unknown = true;
    }
    for (size_t i = 0; i < sample.count; i++) {
        keep_possible(&sample.outputs[i], sample.outputs[i].most * blocks);
    }
}

} // namespace gpu_runtime
