// simulator.h - the simulated GPU as the judge and the tests see it: orders, findings, counts.
//
// A program links libgpu-checked.a with student code compiled by g++ -fsanitize=thread (never
// with libtsan), or libgpu-plain.a with student code compiled as it is. Then:
//
//     gpu_on_finding(show, NULL);
//     gpu_set_order(GPU_SHUFFLED, 7);
//     if (!gpu_guard(call_student, &call)) { ... a finding ended the call ... }
//     gpu_reset();
//
// One host thread only. What is found and how: docs/gpu.md; the theory: runtime/shadow.h.

#ifndef LAB_GPU_SIMULATOR_H
#define LAB_GPU_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether this is the checked build.
extern const bool gpu_is_checked;

// ---- order --------------------------------------------------------------------------------

// The order in which the blocks of a launch and the threads of a block get their turn. Results
// of a correct program do not depend on it (but for the rounding of atomic sums).
enum gpu_order { GPU_FORWARD, GPU_REVERSED, GPU_SHUFFLED };

// For the launches from now on. The environment may say it first: GPU_ORDER=forward, reversed,
// or a number, which is the seed of a shuffle.
void gpu_set_order(enum gpu_order order, uint64_t seed);

// ---- findings -----------------------------------------------------------------------------

struct gpu_finding {
    const char *kind;       // one of docs/gpu.md's table, such as "race-shared"
    const char *kernel;     // "" when it was found on the host
    const char *file;       // the student's file, "" when not known
    int line;               // 0 when not known
    const char *other_file; // the other place: of a race, of a freeing ...
    int other_line;         // 0 when there is none
    bool in_kernel;         // whether the next two mean anything
    unsigned block[3], thread[3];
    const char *text; // two or three lines of text, without the place and the kernel
};

typedef void gpu_finding_function(const struct gpu_finding *finding, void *data);

// The function that gets each finding. The finding is valid during the call. Without one,
// findings go to stderr and the program aborts.
void gpu_on_finding(gpu_finding_function *function, void *data);

// How many findings there were since the last gpu_reset. After the first, every runtime call
// returns cudaErrorLaunchFailure and no kernel runs.
size_t gpu_findings(void);

// Writes a finding in the default form: place, kernel, block, thread, text.
void gpu_print_finding(const struct gpu_finding *finding, void *file);

// For a signal's handler: the line of a .cu file that was interrupted, or that called what was; the
// kernel, or "" in host code. false: no line is known.
bool gpu_where(const char **file, int *line, const char **kernel);

// ---- calls --------------------------------------------------------------------------------

// Calls function(data) and then checks whether it left a launch error unchecked. Returns
// early when host code touches device memory. Returns false when there was a finding.
bool gpu_guard(void (*function)(void *), void *data);

// What gpu_guard calls from now on, until gpu_reset, is a launcher: it puts its work on this
// cudaStream_t and neither waits nor allocates nor copies to or from the host. NULL: it is none.
void gpu_expect_launcher(void *stream);

// Call this after a launcher that reports success. It makes a finding if a launch was not
// followed by cudaGetLastError or cudaPeekAtLastError, even if no launch failed here.
void gpu_expect_asked(void);

// Frees everything, forgets errors, findings and counts. Every case begins with it.
void gpu_reset(void);

// Why the last launch failed, in words: "a block of 2048 x 1 x 1 = 2048 threads; a device takes
// 1 to 1024 ...". "" when none has.
const char *gpu_launch_failure(void);

// From now on these bytes of an allocation count as never written: for output buffers.
void gpu_forget(void *pointer_dev, size_t bytes);

// The name that reports use for the allocation that begins here. The name must last until
// gpu_reset.
void gpu_name(const void *pointer_dev, const char *name);

// Kernels launched since the last gpu_reset, and accesses checked (checked build).
uint64_t gpu_launches(void);
uint64_t gpu_accesses(void);

// ---- counting -----------------------------------------------------------------------------

// What one source line of a kernel did to memory, summed over all warps.
struct gpu_profile_line {
    const char *kernel, *file;
    int line;
    bool shared, store, atomic;
    uint64_t accesses;     // by warps
    uint64_t lanes;        // threads that took part, of 32 for each access
    uint64_t transactions; // global: 32-byte sectors; shared: turns of the banks
    uint64_t ideal;        // the fewest that these bytes could do with
    long stride;           // bytes between neighbouring threads, where it wastes most
};

// Switches counting on or off. Counting makes accesses several times slower.
void gpu_set_profile(bool on);

// The lines since the last gpu_reset, most wasteful first. Valid until the next launch or
// reset.
const struct gpu_profile_line *gpu_profile(size_t *count);

// One line of text, such as "each warp's load takes 32 transactions, and 4 would be
// enough", or "... takes 4 transactions, the fewest possible".
void gpu_profile_advice(char *text, size_t room, const struct gpu_profile_line *line);

#ifdef __cplusplus
}
#endif
#endif
