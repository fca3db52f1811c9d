// sample_writes.cc - what a block of a large launch writes (sample.cc), from the shadow of device memory.

#include "gpu/runtime/sample_state.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/rules.h"

namespace gpu_runtime
{

bool sample_written(uintptr_t offset)
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
    return sample_written(offset) && touched_since(shadow.block_first, offset);
}

static bool nobody_wrote_32(uintptr_t offset)
{
    uint64_t states;
    memcpy(&states, &shadow.state[offset / 4], sizeof states);
    return (states & 0xf0f0f0f0f0f0f0f0) == 0;
}

struct writes look_at(struct output *o, bool keep)
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

bool has_end(const struct output *o)
{
    return o->by_library || sample_written(o->start + o->bytes - 1);
}

bool has_end_now(const struct output *o)
{
    return has_end(o) &&
           (o->most == 0 || touched_since(shadow.launch_first, o->start + o->bytes - 1));
}

// How many bytes of a number kernels have written since an epoch.
static uint64_t bytes_touched(const struct number *n, uint32_t epoch)
{
    uint64_t bytes = 0;
    for (uintptr_t at = n->start; at < n->start + n->bytes; at++) {
        bytes += sample_written(at) && touched_since(epoch, at);
    }
    return bytes;
}

bool is_complete(const struct number *n)
{
    return !n->incomplete && !n->by_library &&
           bytes_touched(n, sample.first_epoch) == n->bytes;
}

bool is_left_out(const struct number *n)
{
    return !n->by_library && bytes_touched(n, sample.first_epoch) == 0;
}

void look_at_numbers(bool all_ran)
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

void for_each_allocation(void (*visit)(uintptr_t start, uintptr_t end))
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

void undo_in(uintptr_t start, uintptr_t end)
{
    for (uintptr_t at = start; at < end; at++) {
        if (written_by_block(at)) {
            forget_byte(at);
        }
    }
}

void forget_in(uintptr_t start, uintptr_t end)
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

// ---- __device__ variables -----------------------------------------------------------------

static char *kept; // what they held before the call

// Their bytes, without the gap in front of managed ones.
static void for_each_variable_byte(void (*visit)(size_t at))
{
    for (size_t at = 0; at < memory_variables(); at++) {
        if (at < memory_device_variables() ||
            memory_managed_variable(GPU_VARIABLES_OFFSET + at)) {
            visit(at);
        }
    }
}

static char *variable(size_t at)
{
    return (char *)memory_at(GPU_VARIABLES_OFFSET + at);
}

void keep_variables()
{
    forget_variables();
    kept = memory_variables() > 0 ? (char *)malloc(memory_variables()) : NULL;
    if (kept != NULL) {
        for_each_variable_byte([](size_t at) { kept[at] = *variable(at); });
    }
}

void restore_variables()
{
    if (kept != NULL) {
        for_each_variable_byte([](size_t at) {
            if (touched_since(sample.first_epoch, GPU_VARIABLES_OFFSET + at)) {
                *variable(at) = kept[at];
            }
        });
    }
}

void forget_variables()
{
    free(kept);
    kept = NULL;
}

bool all_outputs(bool (*have)(const struct output *o))
{
    for (size_t i = 0; i < sample.count; i++) {
        if (!have(&sample.outputs[i])) {
            return false;
        }
    }
    return true;
}

} // namespace gpu_runtime
