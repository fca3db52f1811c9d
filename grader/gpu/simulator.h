// simulator.h - the interface of the simulated GPU for the judge and the tests: thread
// orders, findings, profiles.
//
// A program links libgpu-checked.a with student code compiled by g++ -fsanitize=thread (but
// not with libtsan), or libgpu-plain.a with student code compiled normally. Then:
//
//     gpu_on_finding(show, NULL);
//     gpu_set_order(GPU_SHUFFLED, 7);
//     if (!gpu_guard(call_student, &call)) { ... a finding ended the call ... }
//     gpu_reset();
//
// Use only one host thread. docs/gpu.md describes what it finds; runtime/shadow.h has the
// theory.

#ifndef LAB_GPU_SIMULATOR_H
#define LAB_GPU_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// True in the checked build.
extern const bool gpu_is_checked;

// ---- order --------------------------------------------------------------------------------

// The order in which the blocks of a launch and the threads of a block run. Results of a
// correct program do not depend on it, except for the rounding of atomic sums.
enum gpu_order { GPU_FORWARD, GPU_REVERSED, GPU_SHUFFLED };

// Sets the order of future launches. The initial order may come from the environment:
// GPU_ORDER=forward, reversed, or a number, the seed of a shuffle.
void gpu_set_order(enum gpu_order order, uint64_t seed);

// Whether future launches are only checked: no kernel runs, and cuBLAS computes nothing. The initial
// value is false.
void gpu_set_launch_only(bool only);

// Whether, with that, nothing is copied or set either: the sizes of the calls are larger than the memory.
// A launcher that puts more than GPU_MOST_WORK kernels and calls on its stream is left then, as after a finding.
enum { GPU_MOST_WORK = 1 << 18 };
void gpu_set_launch_only_sizes(bool only);

// From now on until gpu_reset, launches of many blocks run only some of them, as far as possible those that
// show whether the grid covers the outputs (runtime/sample.cc), or all. There is a limit of work in each case.
enum gpu_blocks {
    GPU_FEW,  // of blocks that take long, few
    GPU_MANY, // as many of them as of others
    GPU_ALL
};
void gpu_run_blocks(enum gpu_blocks which);
// After GPU_FEW, before gpu_reset: were there too few blocks to be sure of the result?
bool gpu_needs_many(void);
// An output that the launcher must write to its end.
void gpu_sample_output(const void *pointer_dev, size_t bytes);
// An output of few numbers that depend on all rows, such as a mean, with initial contents or without.
void gpu_sample_number(const void *pointer_dev, size_t bytes);

enum gpu_sampled {
    GPU_ALL_BLOCKS,
    // What is written counts, each output is written at its end, and each number is complete.
    GPU_SOME_BLOCKS,
    // This output is not written whole: these are the most bytes that can be.
    GPU_TOO_FEW_BLOCKS,
    // The block that should write this output's end has run, and has not written it.
    GPU_END_LEFT_OUT,
    // No block tried has written this number.
    GPU_NUMBER_LEFT_OUT,
    GPU_NOT_KNOWN,    // without all blocks
    GPU_TOO_MUCH_WORK // nothing is known
};
// What the launches since then have shown.
enum gpu_sampled gpu_sampled(const void **pointer_dev, uint64_t *possible);

// Whether a kernel or a call has written all of these bytes of an allocation.
bool gpu_written(const void *pointer_dev, size_t bytes);

// From now on until gpu_reset, refuses launches, as a card does that lacks the resources for them: numbers
// `first` to `last` of those since gpu_reset, from 0. Unless `goes_on`, no kernel runs after the first of them.
#define GPU_NO_LAST_LAUNCH UINT64_MAX
void gpu_refuse_launches(uint64_t first, uint64_t last, bool goes_on);

// The number of launches since gpu_reset, with those that were refused.
uint64_t gpu_launches_tried(void);

// On how many processors the blocks of a launch run, if it takes longer than so many seconds; at
// the start 1. Results and findings do not depend on it, except for races of the plain build
// (runtime/parallel.h). The blocks run in forks of this process, so no other thread of it may hold
// what they need.
void gpu_set_processors(unsigned processors, double seconds);
// The number of launches that ran so.
unsigned gpu_divided(void);

// ---- findings -----------------------------------------------------------------------------

struct gpu_finding {
    const char *kind;       // a kind from docs/gpu.md, such as "race-shared"
    const char *kernel;     // "" if it was found on the host
    const char *file;       // the student's file; "" if unknown
    int line;               // 0 if unknown
    const char *other_file; // the second position, for example of a race
    int other_line;         // 0 if there is none
    bool in_kernel;         // true if the next two are valid
    unsigned block[3], thread[3];
    const char *text; // two or three lines of text, without position and kernel
    bool warning; // it may be intended, and does not count (only in cudasim's programs)
};

typedef void gpu_finding_function(const struct gpu_finding *finding, void *data);

// Sets the function that receives each finding, which is valid during the call. Without a
// function, findings are printed to stderr and the program aborts.
void gpu_on_finding(gpu_finding_function *function, void *data);

// The number of findings since the last gpu_reset. After the first one, every runtime call
// returns cudaErrorLaunchFailure (cudaErrorAssert, if an assert failed) and no kernel runs.
size_t gpu_findings(void);

// Prints a finding in the default format: position, kernel, block, thread, text.
void gpu_print_finding(const struct gpu_finding *finding, void *file);

// For a signal handler: the interrupted line of a .cu file, or the line that called the
// interrupted code; and the kernel, or "" in host code. Returns false if no line is known.
bool gpu_where(const char **file, int *line, const char **kernel);

// The line of a .cu file that a return address belongs to; 0 if unknown.
int gpu_line(const void *address);

// ---- calls --------------------------------------------------------------------------------

// Calls function(data), then checks whether it left a launch error unchecked. Returns early
// if host code accesses device memory. Returns false if there was a finding.
bool gpu_guard(void (*function)(void *), void *data);

// Declares that functions called by gpu_guard until gpu_reset are launchers: they must put
// their work on this cudaStream_t, and must not wait, allocate, or copy to or from the
// host. NULL: they are not.
void gpu_expect_launcher(void *stream);

// The number of kernels and other calls that put work on a stream since gpu_expect_launcher.
uint64_t gpu_launcher_work(void);

// Call this after a launcher that reports success. Reports a finding if a launch was not
// followed by cudaGetLastError or cudaPeekAtLastError, even if no launch failed here.
void gpu_expect_asked(void);

// Frees all memory and clears errors, findings and counts. Call it before every case.
void gpu_reset(void);

// Why the last launch failed: "a block of 2048 x 1 x 1 = 2048 threads; a device takes 1 to
// 1024 ...". "" if none failed.
const char *gpu_launch_failure(void);
// Where it was launched, and what to do, if it is not obvious: up to two lines.
const char *gpu_launch_failure_place(void);
// Its line, if it is in the file of this function; else 0.
int gpu_launch_failure_line(const void *function);

// Marks bytes of an allocation as never written. For output buffers.
void gpu_forget(void *pointer_dev, size_t bytes);

// Sets the name of the allocation that begins here, for reports. The string must stay valid
// until gpu_reset.
void gpu_name(const void *pointer_dev, const char *name);

// The number of kernels launched, and of accesses checked (checked build), since the last
// gpu_reset.
uint64_t gpu_launches(void);
uint64_t gpu_accesses(void);

// For tests: how many epochs the checks tell apart (runtime/shadow.h). At most 0xffffffe, which is
// the value at the start.
void gpu_set_epochs(uint32_t epochs);

// ---- counting -----------------------------------------------------------------------------

// The memory accesses of one source line of a kernel, summed over all warps.
struct gpu_profile_line {
    const char *kernel, *file;
    int line;
    bool shared, store, atomic;
    uint64_t accesses;     // accesses by warps
    uint64_t lanes;        // participating threads, up to 32 for each access
    uint64_t transactions; // global: 32-byte sectors; shared: turns of the banks
    uint64_t ideal;        // the minimum for these bytes
    // bytes between neighboring threads, in the most wasteful access
    long stride;
};

// Turns profiling on or off. It makes accesses several times slower.
void gpu_set_profile(bool on);

// The lines since the last gpu_reset, most wasteful first. Valid until the next launch or
// reset.
const struct gpu_profile_line *gpu_profile(size_t *count);

// The bytes of device memory that a kernel (NULL: all kernels) has moved since the last
// gpu_reset, in whole transactions. An atomic reads and writes.
struct gpu_traffic {
    uint64_t read, written;
};
struct gpu_traffic gpu_profile_traffic(const char *kernel);

// One line of text, such as "each warp's load takes 32 transactions, and 4 would be
// enough", or "... takes 4 transactions, the fewest possible".
void gpu_profile_advice(char *text, size_t room, const struct gpu_profile_line *line);

#ifdef __cplusplus
}
#endif
#endif
