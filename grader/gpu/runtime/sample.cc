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
#include <string.h>

#include "gpu/runtime/rules.h"

namespace gpu_runtime
{

bool sample_on, sample_some, sample_partial;

enum : uint64_t {
    FEW_BLOCKS = 16, // then all run
    NEIGHBOURS =
        32, // at both ends: a block of a second kernel may read what several of the first write
    OTHERS = 2,
    MORE = 32,               // blocks anywhere
    MOST_WORK = 30000000,    // a few seconds
    LITTLE_WORK = 1500000,   // then all blocks of a launch run,
    LITTLE_IN_ALL = 6000000, // unless there are many such launches
    ATTEMPTS = 4,            // for the end of an output
    MOST_LEFT = 100,
};
enum : size_t {
    MOST_OUTPUTS = 8,
    MOST_NUMBERS = 8,
    MOST_TRIED = 256,
    MOST_PLACES = 1 << 16,
    MOST_LAUNCHES = 32
};

// Byte offsets in an output.
struct writes {
    uint64_t first, bytes; // bytes: 0 if nothing is written
};

struct output {
    uintptr_t start;
    uint64_t bytes;
    uint64_t possible; // bytes that all launches before can have written
    bool by_library;   // from what is unknown, so this is unknown, too
    // in this launch:
    uint64_t most; // bytes by one block
    uint64_t step[3];
    uint32_t *places; // what block 0 writes
    size_t count;
    struct writes by[MOST_TRIED]; // what each block tried writes
    struct {
        uint32_t first;    // where block 0 begins
        uint64_t possible; // bytes
    } launches[MOST_LAUNCHES];
    size_t launch_count; // with different beginnings
    bool irregular;      // a block has written elsewhere than the steps lead
    bool end_left_out;   // by the block to which they lead
};

// A number that depends on all rows.
struct number {
    uintptr_t start;
    uint64_t bytes;
    bool incomplete; // a launch without some of its blocks has written it
    bool by_library; // from what is unknown
};

static struct {
    bool library_short, left, skipped, spoiled, gave_up, omitted;
    bool writes_unknown; // by a launch in which each block tried was undone
    uint64_t work;
    size_t left_here, run_here; // blocks of this launch that ended so, and all that began
    struct output outputs[MOST_OUTPUTS];
    size_t count;
    struct number numbers[MOST_NUMBERS];
    size_t number_count;
    uint32_t first_epoch;
    uint64_t tried[MOST_TRIED];
    size_t tried_count;
} sample;

void sample_reset()
{
    for (struct output &o : sample.outputs) {
        free(o.places);
    }
    launch.only = launch.only && !sample.spoiled;
    sample = {};
    sample_on = sample_some = sample_partial = false;
}

// ---- what a block writes ------------------------------------------------------------------

static bool written(uintptr_t offset)
{
    return (shadow.state[offset / 4] >> (4 + offset % 4) & 1) != 0;
}

static bool touched_since(uint32_t epoch, uintptr_t offset)
{
    const struct cell *cell = &shadow.cells[offset / 4];
    cell = cell->write == CELL_SPLIT ? shadow_part(cell, offset % 4) : cell;
    return cell->write >> EPOCH_SHIFT >= epoch;
}

static bool touched_word(uint32_t epoch, uintptr_t word)
{
    const struct cell *cell = &shadow.cells[word];
    if (cell->write != CELL_SPLIT) {
        return cell->write >> EPOCH_SHIFT >= epoch;
    }
    bool touched = false;
    for (uintptr_t at = word * 4; at < word * 4 + 4; at++) {
        touched = touched || touched_since(epoch, at);
    }
    return touched;
}

static bool written_by_block(uintptr_t offset)
{
    return written(offset) && touched_since(shadow.block_first, offset);
}

static bool nobody_wrote_32(uintptr_t offset)
{
    uint64_t states;
    memcpy(&states, &shadow.state[offset / 4], sizeof states);
    return (states & 0xf0f0f0f0f0f0f0f0) == 0;
}

static struct writes look_at(struct output *o, bool keep)
{
    struct writes w = {0, 0};
    for (uint64_t i = 0; i < o->bytes; i++) {
        const uintptr_t at = o->start + i;
        if (at % 32 == 0 && i + 32 <= o->bytes && nobody_wrote_32(at)) {
            i += 31;
            continue;
        }
        if (at % 4 == 0 && !touched_word(shadow.block_first, at / 4)) {
            i += 3;
            continue;
        }
        if (!written_by_block(at)) {
            continue;
        }
        w.first = w.bytes == 0 ? i : w.first;
        w.bytes++;
        if (keep && o->count < MOST_PLACES) {
            o->places[o->count++] = (uint32_t)i;
        }
    }
    o->most = w.bytes > o->most ? w.bytes : o->most;
    return w;
}

static bool has_end(const struct output *o)
{
    return o->by_library || written(o->start + o->bytes - 1);
}

// In a launch that writes to the output, it must be this launch that writes the end, as far as one can tell.
static bool has_end_now(const struct output *o)
{
    return has_end(o) &&
           (o->most == 0 || touched_since(shadow.launch_first, o->start + o->bytes - 1));
}

// How many bytes of a number kernels have written since an epoch.
static uint64_t bytes_touched(const struct number *n, uint32_t epoch)
{
    uint64_t bytes = 0;
    for (uintptr_t at = n->start; at < n->start + n->bytes; at++) {
        bytes += written(at) && touched_since(epoch, at);
    }
    return bytes;
}

static bool is_complete(const struct number *n)
{
    return !n->incomplete && !n->by_library &&
           bytes_touched(n, sample.first_epoch) == n->bytes;
}

static bool is_left_out(const struct number *n)
{
    return !n->by_library && bytes_touched(n, sample.first_epoch) == 0;
}

// After a launch, before what is there becomes unknown.
static void look_at_numbers(bool all_ran)
{
    for (size_t i = 0; i < sample.number_count; i++) {
        struct number *n = &sample.numbers[i];
        n->incomplete =
            n->incomplete || (!all_ran && bytes_touched(n, shadow.launch_first) > 0);
    }
}

static void forget_byte(uintptr_t at)
{
    shadow.state[at / 4] &= (uint8_t) ~(0x10u << at % 4);
}

static void for_each_allocation(void (*visit)(uintptr_t start, uintptr_t end))
{
    size_t count = 0;
    const struct allocation *a = memory_list(&count);
    for (size_t k = 0; k < count; k++) {
        if (!a[k].freed) {
            visit(a[k].start, a[k].start + a[k].bytes);
        }
    }
    visit(GPU_VARIABLES_OFFSET, GPU_VARIABLES_OFFSET + memory_variables());
}

static void undo_in(uintptr_t start, uintptr_t end)
{
    for (uintptr_t at = start; at < end; at++) {
        if (written_by_block(at)) {
            forget_byte(at);
        }
    }
}

// What omitted blocks of this launch may have to write again.
static void forget_in(uintptr_t start, uintptr_t end)
{
    bool touched = false;
    for (uintptr_t word = start / 4; word < (end + 3) / 4 && !touched; word++) {
        touched = touched_word(shadow.launch_first, word);
    }
    for (uintptr_t word = start / 4; word < (end + 3) / 4 && touched; word++) {
        if (shadow.cells[word].write != CELL_SPLIT) {
            const bool keep = touched_word(shadow.launch_first, word);
            shadow.state[word] &= keep ? 0xff : 0x0f;
            continue;
        }
        for (uintptr_t at = word * 4; at < word * 4 + 4; at++) {
            if (!touched_since(shadow.launch_first, at)) {
                forget_byte(at);
            }
        }
    }
}

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

struct grid_run {
    const dim3 *grid;
    uint64_t blocks;
    void (*run)(uint64_t, void *);
    void *data;
};

static bool was_tried(uint64_t number)
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

// Runs a block, unless it is none, or has run, or the launch has ended.
static void try_block(const struct grid_run *g, uint64_t number, bool keep = false)
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

// ---- the block that writes the end --------------------------------------------------------

// How far the first byte of the block one step along an axis is from that of block 0; 0 if unknown.
static void keep_step(struct output *o, int axis, const struct writes *w)
{
    o->step[axis] = w->bytes > 0 && o->count > 0 && w->first > o->places[0]
                        ? w->first - o->places[0]
                        : 0;
}

// The block whose steps lead from block 0 to a distance; `blocks` if there is none.
static uint64_t block_at(const struct grid_run *g, const struct output *o,
                         uint64_t distance)
{
    const unsigned size[3] = {g->grid->x, g->grid->y, g->grid->z};
    uint64_t place[3] = {0, 0, 0};
    bool used[3] = {false, false, false};
    for (int turn = 0; turn < 3; turn++) {
        int largest = -1;
        for (int axis = 0; axis < 3; axis++) {
            if (!used[axis] && (largest < 0 || o->step[axis] > o->step[largest])) {
                largest = axis;
            }
        }
        used[largest] = true;
        const uint64_t step = o->step[largest];
        if (step > 0) {
            const uint64_t most = size[largest] - 1, n = distance / step;
            place[largest] = n < most ? n : most;
            distance -= place[largest] * step;
        }
    }
    return distance == 0 ? (place[2] * size[1] + place[1]) * size[0] + place[0]
                         : g->blocks;
}

static void look_for_end(const struct grid_run *g, struct output *o)
{
    const uint64_t end = o->bytes - 1;
    uint64_t attempts = 0;
    bool led_to = false; // a block that has run
    for (size_t i = o->count; i > 0 && attempts < ATTEMPTS && !has_end_now(o); i--) {
        const uint64_t distance = end - o->places[i - 1];
        const uint64_t number = block_at(g, o, distance);
        if (number < g->blocks && !was_tried(number)) {
            attempts++;
            try_block(g, number);
        }
        led_to = led_to || was_tried(number);
    }
    o->end_left_out = o->end_left_out || led_to;
}

// Does each block tried begin to write where the steps lead?
static bool is_regular(const struct grid_run *g, const struct output *o)
{
    for (size_t i = 0; i < sample.tried_count; i++) {
        const uint64_t b = sample.tried[i], x = g->grid->x, y = g->grid->y;
        const uint64_t due = o->places[0] + b % x * o->step[0] + b / x % y * o->step[1] +
                             b / x / y * o->step[2];
        if (due < o->bytes && (o->by[i].bytes == 0 || o->by[i].first != due)) {
            return false;
        }
    }
    return true;
}

// Where the index of a row is wrong, or too narrow, a block writes what by the steps another one writes:
// that one runs, too, and that is a race.
static void look_for_same(const struct grid_run *g, const struct output *o)
{
    const size_t tried = sample.tried_count;
    for (size_t i = 0; i < tried && o->count > 0; i++) {
        if (o->by[i].bytes > 0 && o->by[i].first >= o->places[0]) {
            try_block(g, block_at(g, o, o->by[i].first - o->places[0]));
        }
    }
}

static bool all_outputs(bool (*have)(const struct output *o))
{
    for (size_t i = 0; i < sample.count; i++) {
        if (!have(&sample.outputs[i])) {
            return false;
        }
    }
    return true;
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

// Returns true if it leaves blocks out.
static bool choose_blocks(const struct grid_run *g)
{
    const uint64_t before = work_so_far();
    try_steps(g);
    for (uint64_t k = 0; k < NEIGHBOURS; k++) {
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

// ---- for the judge ------------------------------------------------------------------------

using namespace gpu_runtime;

extern "C" void gpu_run_some_blocks(bool all)
{
    sample_reset();
    sample_on = true;
    sample_some = !all;
    sample.first_epoch = shadow.now;
}

extern "C" void gpu_sample_output(const void *pointer_dev, size_t bytes)
{
    if (sample.count < MOST_OUTPUTS && bytes > 0) {
        struct output *o = &sample.outputs[sample.count];
        o->places = (uint32_t *)malloc(MOST_PLACES * sizeof *o->places);
        if (o->places != NULL) {
            o->start = (uintptr_t)pointer_dev - GPU_BASE;
            o->bytes = bytes;
            sample.count++;
        }
    }
}

extern "C" void gpu_sample_number(const void *pointer_dev, size_t bytes)
{
    if (sample.number_count < MOST_NUMBERS && bytes > 0) {
        struct number *n = &sample.numbers[sample.number_count++];
        n->start = (uintptr_t)pointer_dev - GPU_BASE;
        n->bytes = bytes;
    }
}

static bool all_complete()
{
    for (size_t i = 0; i < sample.number_count; i++) {
        if (!is_complete(&sample.numbers[i])) {
            return false;
        }
    }
    return true;
}

// What seems to be missing, where no block was undone: all blocks must confirm it.
static enum gpu_sampled missing(const void **pointer_dev)
{
    for (size_t i = 0; i < sample.count; i++) {
        const struct output *o = &sample.outputs[i];
        if (!has_end(o) && o->end_left_out && !o->irregular) {
            *pointer_dev = (const void *)(GPU_BASE + o->start);
            return GPU_END_LEFT_OUT;
        }
    }
    for (size_t i = 0; i < sample.number_count; i++) {
        if (is_left_out(&sample.numbers[i])) {
            *pointer_dev = (const void *)(GPU_BASE + sample.numbers[i].start);
            return GPU_NUMBER_LEFT_OUT;
        }
    }
    return GPU_NOT_KNOWN;
}

extern "C" enum gpu_sampled gpu_sampled(const void **pointer_dev, uint64_t *possible)
{
    if (sample.gave_up) {
        return GPU_TOO_MUCH_WORK;
    }
    if (!sample.omitted && !sample.spoiled && !sample.skipped) {
        return GPU_ALL_BLOCKS;
    }
    for (size_t i = 0; i < sample.count && !sample.spoiled; i++) {
        const struct output *o = &sample.outputs[i];
        if (!has_end(o) && !sample.skipped && o->possible < o->bytes) {
            *pointer_dev = (const void *)(GPU_BASE + o->start);
            *possible = o->possible;
            return GPU_TOO_FEW_BLOCKS;
        }
    }
    if (sample.spoiled || sample.writes_unknown) {
        return GPU_NOT_KNOWN;
    }
    if (!all_outputs(has_end) || !all_complete()) {
        return sample.skipped ? GPU_NOT_KNOWN : missing(pointer_dev);
    }
    return GPU_SOME_BLOCKS;
}

extern "C" bool gpu_written(const void *pointer_dev, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!written((uintptr_t)pointer_dev - GPU_BASE + i)) {
            return false;
        }
    }
    return true;
}
