// sample_end.cc - searches for the block of a large launch that writes the end of an output (sample.cc).

#include "gpu/runtime/sample_state.h"

namespace gpu_runtime
{

enum : uint64_t { ATTEMPTS = 4 };

void keep_step(struct output *o, int axis, const struct writes *w)
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

void look_for_end(const struct grid_run *g, struct output *o)
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

bool is_regular(const struct grid_run *g, const struct output *o)
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

void look_for_same(const struct grid_run *g, const struct output *o)
{
    const size_t tried = sample.tried_count;
    for (size_t i = 0; i < tried && o->count > 0; i++) {
        if (o->by[i].bytes > 0 && o->by[i].first >= o->places[0]) {
            try_block(g, block_at(g, o, o->by[i].first - o->places[0]));
        }
    }
}

} // namespace gpu_runtime
