// launch.cc - checks a launch as a device would, then runs it block by block.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/grid.h"
#include "gpu/runtime/parallel.h"
#include "gpu/runtime/sample.h"

uint3 blockIdx, blockDim, gridDim; // see include/simulated/threads.h

extern "C" {
unsigned gpu_launch_number;
bool gpu_configured = true, gpu_on_device;
}

using namespace gpu_runtime;

struct gpu_shared_key { // as in include/simulated/launch.h
    unsigned launch;
    void *place;
    const char *file;
    int line;
};

namespace gpu_runtime
{

struct launch launch;

enum : size_t { RED_ZONE = 16, MAX_VARIABLES = 256 };
enum { MAX_TOGETHER = 1024 }; // blocks of a cooperative launch

// The static __shared__ variables reached so far in this launch.
static struct shared_variable variables[MAX_VARIABLES];
static size_t variable_count;

const struct shared_variable *launch_shared_at(uintptr_t offset)
{
    for (size_t i = 0; i < variable_count; i++) {
        if (offset - variables[i].offset < variables[i].bytes) {
            return &variables[i];
        }
    }
    return NULL;
}

// ---- order --------------------------------------------------------------------------------

static uint64_t scramble(uint64_t x) // splitmix64
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// A shuffle is i -> (factor i + offset) mod n, which is a permutation if factor and n have
// no common divisor. The last one of each kind is cached.
uint64_t launch_permute(uint64_t i, uint64_t n, enum permuted what)
{
    static struct {
        uint64_t n, seed, factor, offset;
    } known[2];
    if (launch.order == GPU_FORWARD || n < 2) {
        return i;
    }
    if (launch.order == GPU_REVERSED) {
        return n - 1 - i;
    }
    auto *p = &known[what];
    if (p->n != n || p->seed != launch.seed) {
        uint64_t random = scramble(2 * launch.seed + (uint64_t)what);
        p->n = n;
        p->seed = launch.seed;
        p->offset = scramble(random) % n;
        p->factor = 1 + random % n;
        while (common_divisor(p->factor, n) != 1) {
            p->factor++;
        }
    }
    return (uint64_t)(((unsigned __int128)p->factor * i + p->offset) % n);
}

// ---- can it be launched? ------------------------------------------------------------------

static bool refuse(const struct gpu_configuration *c, cudaError_t error,
                   const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(const struct gpu_configuration *c, cudaError_t error,
                   const char *advice, const char *format, ...)
{
    char why[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    launch_failed(c, error, why, advice);
    return false;
}

size_t shared_limit(const void *kernel); // calls.cc
void launch_forget_prepared();

// A grid of whole warps, small enough for a block: are grid and block exchanged?
static bool is_like_a_block(const dim3 *g)
{
    const uint64_t blocks = (uint64_t)g->x * g->y * g->z;
    return blocks > 0 && blocks % WARP == 0 && blocks <= MAX_THREADS;
}

static bool allowed(const struct gpu_configuration *c)
{
    const dim3 *g = &c->grid, *b = &c->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (threads == 0 || b->x > 1024 || b->y > 1024 || b->z > 64 ||
        threads > MAX_THREADS) {
        return refuse(
            c, cudaErrorInvalidConfiguration,
            is_like_a_block(g)
                ? "The grid comes first: <<<grid, block>>>. Or launch smaller blocks: "
                  "more of them, or with a loop over the work."
                : "Launch smaller blocks: more of them, or with a loop over the work.",
            "a block of %u x %u x %u = %llu threads; a device takes 1 to 1024, and "
            "64 at most in z",
            b->x, b->y, b->z, (unsigned long long)threads);
    }
    if (c->most > 0 && threads > c->most) {
        return refuse(c, cudaErrorInvalidValue,
                      "Launch smaller blocks, or raise the number in __launch_bounds__.",
                      "a block of %u x %u x %u = %llu threads; the kernel's "
                      "__launch_bounds__ allow %llu",
                      b->x, b->y, b->z, (unsigned long long)threads, c->most);
    }
    if (g->x == 0 || g->y == 0 || g->z == 0) {
        return refuse(c, cudaErrorInvalidConfiguration, "",
                      "a grid of %u x %u x %u blocks is empty; a plain division rounds "
                      "down, %s rounds up",
                      g->x, g->y, g->z,
                      finding_in_course ? "lab_blocks(n, BLOCK)"
                                        : "(n + BLOCK - 1) / BLOCK");
    }
    if (g->x > 0x7fffffff || g->y > 65535 || g->z > 65535) {
        return refuse(
            c, cudaErrorInvalidConfiguration,
            "Launch fewer blocks along that axis, and let each do more in a loop: with "
            "65535 along y, every gridDim.y-th row.",
            "a grid of %u x %u x %u blocks; a device takes 1 to 2147483647 in x, "
            "and 1 to 65535 in y and z",
            g->x, g->y, g->z);
    }
    if (c->cooperative && (uint64_t)g->x * g->y * g->z > MAX_TOGETHER) {
        return refuse(c, cudaErrorCooperativeLaunchTooLarge, "",
                      "a cooperative launch of %llu blocks; %u can run at once",
                      (unsigned long long)g->x * g->y * g->z, (unsigned)MAX_TOGETHER);
    }
    size_t limit = shared_limit(c->address);
    if (c->shared > limit) {
        return refuse(
            c, cudaErrorInvalidValue,
            "A large row or matrix does not fit into shared memory: load a tile of a "
            "fixed size at a time, or read global memory again.",
            "%zu bytes of dynamic shared memory; %zu are allowed%s", c->shared, limit,
            limit == SHARED_DEFAULT
                ? " unless cudaFuncSetAttribute asks for more, 232448 at most"
                : "");
    }
    return true;
}

// ---- one that is refused on purpose --------------------------------------------------------

static struct {
    bool on, goes_on;
    uint64_t first, last, tried;
} refusal;

static bool refused(const struct gpu_configuration *c)
{
    const uint64_t number = refusal.tried++;
    if (!refusal.on || number < refusal.first || number > refusal.last) {
        return false;
    }
    launch.only = launch.only || !refusal.goes_on;
    return !refuse(c, cudaErrorLaunchOutOfResources, "", "too few resources");
}

// ---- blocks -------------------------------------------------------------------------------

static void keep_epoch(uint64_t number)
{
    if (launch.blocks_run == launch.block_room) {
        launch.block_room = launch.block_room == 0 ? 1024 : 2 * launch.block_room;
        launch.block_epochs = (uint32_t *)realloc(
            launch.block_epochs, launch.block_room * sizeof *launch.block_epochs);
        launch.block_numbers = (uint64_t *)realloc(
            launch.block_numbers, launch.block_room * sizeof *launch.block_numbers);
        if (launch.block_epochs == NULL || launch.block_numbers == NULL) {
            perror("gpu simulator");
            abort();
        }
    }
    launch.block_epochs[launch.blocks_run] = shadow.now;
    launch.block_numbers[launch.blocks_run++] = number;
}

void launch_forget_blocks()
{
    launch.blocks_run = 0;
    keep_epoch(launch.block);
}

uint64_t launch_block_of(uint32_t epoch)
{
    size_t low = 0, high = launch.blocks_run;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (launch.block_epochs[middle] <= epoch) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return launch.block_numbers[low];
}

// At the start of each block, shared memory is unwritten.
static void clear_shared()
{
    for (size_t i = 0; i < variable_count; i++) {
        shadow_mark(variables[i].offset, variables[i].bytes, true, false);
        memset((char *)(GPU_BASE + variables[i].offset), 0xff, variables[i].bytes);
    }
    size_t dynamic = launch.configuration->shared;
    shadow_mark(GPU_DYNAMIC_OFFSET, dynamic, true, false);
    memset((char *)(GPU_BASE + GPU_DYNAMIC_OFFSET), 0xff, dynamic);
}

void launch_enter_block(uint64_t number)
{
    const dim3 *grid = &launch.configuration->grid;
    uint64_t column = number / grid->x;
    blockIdx = {(unsigned)(number % grid->x), (unsigned)(column % grid->y),
                (unsigned)(column / grid->y)};
    launch.block = number;
    shadow_next_epoch();
    shadow.block_first = shadow.now;
    shadow.restarts = 0;
    keep_epoch(number);
    warp_begin_block();
}

static void run_block(uint64_t number, void (*thread)(void *), void *data)
{
    launch_enter_block(number);
    clear_shared();
    objects_begin_block();
    threads_run(launch.threads, thread, data);
    if (profile_on) {
        profile_end_block();
    }
}

static struct gpu_configuration kept;

static void begin(const struct gpu_configuration *c)
{
    gridDim = c->grid;
    blockDim = c->block;
    kept = *c; // also for reports after the launch
    launch.configuration = &kept;
    launch.threads = c->block.x * c->block.y * c->block.z;
    launch.count++;
    launch.blocks_run = 0;
    launch.static_used = launch.static_bytes = 0;
    gpu_launch_number++;
    variable_count = 0;
    threads_indices(c->block);
    publish_begin_launch();
    shadow_next_epoch();
    shadow.launch_first = shadow.now;
    shadow.site_base = (uintptr_t)c->address - SITES_BEFORE;
    memory_open();
    faults_watch_thread();
    launch.running = gpu_on_device = here.on_device = true;
    here.fast_size = profile_on ? 0 : (uintptr_t)GPU_SIZE;
}

static void end()
{
    launch.running = gpu_on_device = here.on_device = false;
    here.fast_size = 0;
    memory_close();
    shadow_mark(0, launch.static_used, false, false);
    shadow_mark(GPU_DYNAMIC_OFFSET, launch.configuration->shared, false, false);
}

void launch_reset()
{
    launch.count = 0;
    refusal = {};
    launch_forget_prepared();
}

} // namespace gpu_runtime

// The launches whose kernel has not been called yet. More than one if a launch's argument
// launches a kernel itself.
static struct gpu_configuration prepared[16];
static size_t prepared_count;

namespace gpu_runtime
{
void launch_forget_prepared() // of calls that a finding ended
{
    for (; prepared_count > 0; prepared_count--) {
        host_end();
    }
    gpu_configured = true;
}
} // namespace gpu_runtime

extern "C" void gpu_prepare(const gpu_configuration *configuration)
{
    runtime_initialize();
    host_begin(); // until the launch is over
    if (launch.running) {
        finding_stop("launch-in-kernel", __builtin_return_address(0), NULL,
                     "a kernel launches another kernel, which the simulator does not "
                     "support.");
    }
    if (prepared_count == sizeof prepared / sizeof *prepared) {
        launch_forget_prepared(); // calls of what is no kernel
    }
    prepared[prepared_count++] = *configuration;
}

extern "C" void gpu_launch_bounds(unsigned long long threads)
{
    if (prepared_count > 0) {
        prepared[prepared_count - 1].most = threads;
    }
}

struct grid {
    uint64_t blocks;
    void (*thread)(void *);
    void *data;
};

// The block at a position in the order.
static void run_position(uint64_t position, void *of)
{
    const struct grid *grid = (const struct grid *)of;
    run_block(launch_permute(position, grid->blocks, PERMUTE_BLOCKS), grid->thread,
              grid->data);
}

static void run_number(uint64_t number, void *of)
{
    const struct grid *grid = (const struct grid *)of;
    run_block(number, grid->thread, grid->data);
}

static void run_blocks(struct grid *grid)
{
    parallel_begin();
    for (uint64_t i = 0; i < grid->blocks && launch.running; i++) {
        if (parallel_run(i, grid->blocks, run_position, grid)) {
            return;
        }
        run_position(i, grid);
    }
}

static void run(const struct gpu_configuration *configuration, void (*thread)(void *),
                void *data)
{
    launcher_launches(configuration);
    launch_unchecked(configuration);
    call_pc = NULL; // for calls in the kernel from now on
    if (call_state() != cudaSuccess || !allowed(configuration) ||
        refused(configuration)) {
        return;
    }
    if (launch.only) {
        launch.count++;
        return;
    }
    begin(configuration);
    const dim3 *shape = &configuration->grid;
    struct grid grid = {(uint64_t)shape->x * shape->y * shape->z, thread, data};
    if (configuration->cooperative) {
        grid_run(grid.blocks, run_block, thread, data);
    } else if (sample_on) {
        sample_blocks(shape, run_number, &grid);
    } else {
        run_blocks(&grid);
    }
    end();
}

// Through a pointer, nvcc lets host code do that. The launch that it wants is not configured, so a card
// does nothing.
static void not_launched(const void *kernel)
{
    struct place place = place_of((const char *)kernel + 1); // as a return address
    finding_note("not-launched", "", place,
                 "this kernel is called like a function, so it does not run.\n"
                 "Launch it: kernel<<<grid, block>>>(arguments).");
}

extern "C" void gpu_launch(const void *kernel, void (*thread)(void *), void *data,
                           const struct gpu_bytes *arguments)
{
    unsigned turns = here.turns;
    if (prepared_count == 0) {
        runtime_initialize();
        not_launched(kernel);
        return;
    }
    launch.arguments = arguments;
    struct gpu_configuration configuration = prepared[--prepared_count];
    configuration.address = kernel;
    gpu_configured = false; // the threads' calls run the kernel
    run(&configuration, thread, data);
    gpu_configured = true;
    host_return_to(turns - 1);
}

// Memory for a static __shared__ variable: allocated when the first thread reaches the
// declaration, and shared by the others. Red zones separate the variables.
extern "C" void *gpu_shared_place(gpu_shared_key *key, size_t bytes, size_t alignment,
                                  const char *name, size_t element, size_t columns)
{
    if (!here.on_device) {
        finding_stop_at("device-pointer", {key->file, key->line},
                        "host code uses the __shared__ variable %s.", name);
    }
    uintptr_t offset = launch.static_used + RED_ZONE;
    offset = (offset + alignment - 1) / alignment * alignment;
    size_t total = launch.static_bytes + bytes + launch.configuration->shared;
    size_t limit = SHARED_DEFAULT;
    if (launch.configuration->shared > SHARED_DEFAULT) {
        limit = SHARED_OPT_IN; // the kernel raised the limit
    }
    if (total > limit || offset + bytes > GPU_STATIC_SIZE ||
        variable_count == MAX_VARIABLES) {
        finding_stop_at(
            "shared-too-large", {key->file, key->line},
            "with %s this block needs %zu bytes of shared memory; it has %zu.\n"
            "Make the tiles smaller, or reuse the memory.",
            name, total, limit);
    }
    variables[variable_count++] = {offset, bytes, element, columns, name};
    launch.static_used = offset + bytes;
    launch.static_bytes += bytes;
    shadow_mark(offset, bytes, true, false);
    memset((char *)(GPU_BASE + offset), 0xff, bytes);
    key->launch = gpu_launch_number;
    key->place = (void *)(GPU_BASE + offset);
    return key->place;
}

extern "C" void gpu_set_order(enum gpu_order order, uint64_t seed)
{
    runtime_initialize();
    launch.order = order;
    launch.seed = seed;
}

extern "C" void gpu_set_launch_only(bool only)
{
    launch.only = only;
}

extern "C" void gpu_set_launch_only_sizes(bool only)
{
    launch.only_sizes = only;
}

extern "C" void gpu_refuse_launches(uint64_t first, uint64_t last, bool goes_on)
{
    refusal.on = true;
    refusal.first = first;
    refusal.last = last;
    refusal.goes_on = goes_on;
}

extern "C" uint64_t gpu_launches_tried(void)
{
    return refusal.tried;
}

extern "C" uint64_t gpu_launches(void)
{
    return launch.count;
}
