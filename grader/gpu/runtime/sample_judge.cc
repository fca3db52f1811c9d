// sample_judge.cc - what the chosen blocks of all launches have shown (sample.cc), for the judge.

#include <stdlib.h>

#include "gpu/runtime/rules.h"
#include "gpu/runtime/sample_state.h"
#include "gpu/simulator.h"

using namespace gpu_runtime;

extern "C" void gpu_run_blocks(enum gpu_blocks which)
{
    sample_reset();
    sample_on = true;
    sample_some = which != GPU_ALL;
    sample.few = which == GPU_FEW;
    sample.first_epoch = shadow.now;
    keep_variables();
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

// With more blocks, fewer would have to be undone, and an output that seems to lack something may be whole.
extern "C" bool gpu_needs_many()
{
    const void *pointer_dev;
    uint64_t possible;
    return sample.chose_few && !sample.gave_up &&
           (sample.skipped || gpu_sampled(&pointer_dev, &possible) != GPU_SOME_BLOCKS);
}

extern "C" bool gpu_written(const void *pointer_dev, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!sample_written((uintptr_t)pointer_dev - GPU_BASE + i)) {
            return false;
        }
    }
    return true;
}
