// sample_state.h - what the files of sample.cc know about the running call.
//
//   sample.cc           runs the chosen blocks of each launch
//   sample_writes.cc    what a block writes, and what is unknown because others did not run
//   sample_end.cc       the search for the block that writes the end of an output
//   sample_judge.cc     the functions of simulator.h, and what all launches have shown

#ifndef GPU_RUNTIME_SAMPLE_STATE_H
#define GPU_RUNTIME_SAMPLE_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/runtime/sample.h"

namespace gpu_runtime
{

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

struct sample {
    bool library_short, left, skipped, spoiled, gave_up, omitted;
    bool writes_unknown; // by a launch in which each block tried was undone
    bool few, chose_few; // GPU_FEW, and a launch had fewer blocks for it
    uint64_t work;
    size_t left_here, run_here; // blocks of this launch that ended so, and all that began
    struct output outputs[MOST_OUTPUTS];
    size_t count;
    struct number numbers[MOST_NUMBERS];
    size_t number_count;
    uint32_t first_epoch;
    uint64_t tried[MOST_TRIED];
    size_t tried_count;
};
extern struct sample sample;

// A launch.
struct grid_run {
    const dim3 *grid;
    uint64_t blocks;
    void (*run)(uint64_t, void *);
    void *data;
};

// ---- sample.cc ----------------------------------------------------------------------------

bool was_tried(uint64_t number);
// Runs a block, unless it is none, or has run, or the launch has ended. keep: as block 0, what it writes.
void try_block(const struct grid_run *g, uint64_t number, bool keep = false);

// ---- sample_writes.cc ---------------------------------------------------------------------

bool sample_written(uintptr_t offset);
// What the block that has just run writes. keep: as the output's places.
struct writes look_at(struct output *o, bool keep);
bool has_end(const struct output *o);
// In a launch that writes to the output, it must be this launch that writes the end, as far as one can tell.
bool has_end_now(const struct output *o);
bool all_outputs(bool (*have)(const struct output *o));
// Every launch that has written it ran all its blocks.
bool is_complete(const struct number *n);
// No block tried has written it.
bool is_left_out(const struct number *n);
// After a launch, before what is there becomes unknown.
void look_at_numbers(bool all_ran);

void for_each_allocation(void (*visit)(uintptr_t start, uintptr_t end));
// What the block that has just run has written counts as never written.
void undo_in(uintptr_t start, uintptr_t end);
// The same for what omitted blocks of this launch may have to write again.
void forget_in(uintptr_t start, uintptr_t end);

// Before a call; and after one of which some blocks did not run, or not to their end: __device__ variables
// that kernels have changed become what they were, since the missing blocks would have changed them, too
// (a counter of finished blocks).
void keep_variables();
void restore_variables();
void forget_variables();

// ---- sample_end.cc ------------------------------------------------------------------------

// How far the first byte of the block one step along an axis is from that of block 0; 0 if unknown.
void keep_step(struct output *o, int axis, const struct writes *w);
// Runs the blocks to which the steps lead from what block 0 writes to the end.
void look_for_end(const struct grid_run *g, struct output *o);
// Where the index of a row is wrong, or too narrow, a block writes what by the steps another one writes:
// that one runs, too, and that is a race.
void look_for_same(const struct grid_run *g, const struct output *o);
// Does each block tried begin to write where the steps lead?
bool is_regular(const struct grid_run *g, const struct output *o);

} // namespace gpu_runtime

#endif
