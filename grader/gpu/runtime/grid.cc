// grid.cc - cooperative launches, in which all threads of the grid can wait for each other.
//
// Blocks run one after the other. A block whose threads have all reached grid.sync() is set aside with
// its stacks and its shared memory, and the next one runs. When all have arrived, each goes
// on in turn. What happened before the barrier counts as an earlier launch (shadow.h).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/grid.h"
#include "gpu/runtime/turns.h"

using namespace gpu_runtime;

void __syncthreads();

namespace
{

struct memory { // a copy of shared memory, and of which bytes are written
    char *bytes;
    uint8_t *state;
    size_t size;
};

struct kept {
    uint64_t number;
    struct memory fixed, dynamic;
    void *threads, *objects, *async;
};

struct {
    struct kept *list; // the blocks that wait
    size_t count;
    const void *pc;    // where the last one waits
    unsigned arrived;  // threads of the running block
    bool left;         // the running block waits
    uint64_t returned; // a block that has ended, if any
    size_t ended;
} grid;

void *need(void *memory)
{
    if (memory == NULL) {
        perror("gpu simulator");
        abort();
    }
    return memory;
}

struct memory keep_memory(uintptr_t offset, size_t size)
{
    struct memory m = {(char *)need(malloc(size + 1)), NULL, size};
    memcpy(m.bytes, (const void *)(GPU_BASE + offset), size);
#if GPU_CHECKED
    m.state = (uint8_t *)need(malloc(size / 4 + 2));
    memcpy(m.state, &shadow.state[offset / 4], (size + 3) / 4);
#endif
    return m;
}

void put_back_memory(struct memory *m, uintptr_t offset)
{
    memcpy((void *)(GPU_BASE + offset), m->bytes, m->size);
#if GPU_CHECKED
    memcpy(&shadow.state[offset / 4], m->state, (m->size + 3) / 4);
#endif
    free(m->bytes);
    free(m->state);
}

void keep(struct kept *k, uint64_t number)
{
    *k = {number,
          keep_memory(0, launch.static_used),
          keep_memory(GPU_DYNAMIC_OFFSET, launch.configuration->shared),
          threads_keep(),
          objects_keep(),
          async_keep()};
}

void put_back(struct kept *k)
{
    threads_put_back(k->threads);
    objects_put_back(k->objects);
    async_put_back(k->async);
    put_back_memory(&k->fixed, 0);
    put_back_memory(&k->dynamic, GPU_DYNAMIC_OFFSET);
}

// After a block has run until its end or until the grid's barrier.
void set_aside(struct kept *waiting, size_t *count, uint64_t number)
{
    if (grid.left) {
        keep(&waiting[(*count)++], number);
    } else {
        threads_free_stacks();
        grid.returned = number;
        grid.ended++;
    }
}

void report_returned()
{
    char waits[64];
    struct place place = place_of(grid.pc);
    snprintf(waits, sizeof waits, "%s", finding_thread(0, grid.list[0].number));
    finding_note(
        "barrier-missed", launch.configuration->kernel, place,
        "%s waits here at grid.sync(), but %s has returned without reaching it.\n"
        "All threads of the grid must reach each barrier of the grid.",
        waits, finding_thread(0, grid.returned));
}

void forget()
{
    for (size_t i = 0; i < grid.count; i++) {
        put_back(&grid.list[i]);
        threads_free_stacks();
    }
    free(grid.list);
    grid.list = NULL;
    grid.count = 0;
}

} // namespace

namespace gpu_runtime
{

void grid_run(uint64_t blocks,
              void (*run)(uint64_t number, void (*thread)(void *), void *),
              void (*thread)(void *), void *data)
{
    grid.list = (struct kept *)need(malloc(blocks * sizeof *grid.list));
    grid.count = grid.ended = 0;
    threads_free_stacks();
    for (uint64_t i = 0; i < blocks && launch.running; i++) {
        uint64_t number = launch_permute(i, blocks, PERMUTE_BLOCKS);
        grid.left = false;
        grid.arrived = 0;
        run(number, thread, data);
        set_aside(grid.list, &grid.count, number);
    }
    while (grid.count > 0 && grid.ended == 0 && launch.running) {
        size_t count = 0;
        shadow_next_epoch();
        shadow.launch_first = shadow.now;
        for (uint64_t i = 0; i < blocks && launch.running; i++) {
            struct kept now = grid.list[i];
            put_back(&now);
            launch_enter_block(now.number);
            objects_restart_clocks();
            grid.left = false;
            grid.arrived = 0;
            threads_go_on();
            set_aside(grid.list, &count, now.number);
        }
        grid.count = launch.running ? count : 0;
    }
    if (launch.running && grid.count > 0) {
        report_returned();
    }
    forget();
}

} // namespace gpu_runtime

extern "C" {

void gpu_grid_sync()
{
    const void *pc = __builtin_return_address(0);
    if (!here.on_device) {
        finding_stop("barrier-on-host", pc, NULL, "a barrier outside of a kernel.");
    }
    if (!launch.configuration->cooperative) {
        finding_stop("grid-sync", pc, NULL,
                     "the threads of this grid cannot wait for each other.\n"
                     "Launch the kernel with cudaLaunchCooperativeKernel.");
    }
    threads_wait_for_block(pc);
    if (++grid.arrived < launch.threads) {
        threads_wait(THREAD_GRID, pc);
        return;
    }
    grid.left = true;
    grid.pc = pc;
    grid.arrived = 0;
    threads_leave_block(pc);
}

bool gpu_is_cooperative()
{
    return here.on_device && launch.configuration->cooperative;
}

} // extern "C"
