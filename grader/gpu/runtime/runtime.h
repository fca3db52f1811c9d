// runtime.h - the interfaces between the parts of the runtime.
//
//   launch.cc    checks a launch, runs its blocks            memory.cc   allocations
//   threads.cc   contexts, turns, block barriers             shadow.cc   the rules of shadow.h
//   warp.cc      shuffles, votes, __syncwarp                 hooks.cc    what the compiler calls
//   atomics.cc   atomics                                     publish.cc  fences
//   findings.cc  reports                                     lines.cc    addresses to lines
//   calls.cc     errors, the device                          streams.cc  streams, events
//   copies.cc    cudaMemcpy, cudaMemset                      cublas.cc   cuBLAS on OpenBLAS
//   parallel.cc  blocks in several processes             results.cc   what those have written
//   profile.cc   counting                                faults.cc   faults of the processor
//   objects.cc   cuda::barrier                           async.cc    asynchronous copies
//   matrix.cc    products of a warp                      grid.cc     cooperative launches
//   names.cc     names of elements                       wrong_access.cc  what is wrong with one
//   values.cc    races that the values decide
//   hints.cc     pitches, occupancy, hints                   device.cc   the device's properties
//   pinned.cc    host memory that kernels may use        kernel_heap.cc  malloc in kernels
//   cublas_mixed.cc  cuBLAS for other types, cublasLt       volumes.cc   copies of three dimensions
//   launcher.cc  what a launcher must not do                 standalone.cc  cudasim's programs
//   sample.cc    some blocks of large launches
//
//   host.cc      turns of host threads
//
// Host threads take turns (host.cc). The state is in the structures below, each owned by the named
// file.

#ifndef GPU_RUNTIME_H
#define GPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/include/cuda_runtime_api.h"
#include "gpu/simulator.h"
#include "gpu/runtime/objects.h"
#include "gpu/runtime/shadow.h"

#ifndef GPU_CHECKED
#error "compile with -DGPU_CHECKED=1 or 0"
#endif

struct gpu_configuration { // as in include/simulated/launch.h
    const char *kernel, *file;
    int line;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *address;
    bool cooperative;
    unsigned long long most; // threads of a block by __launch_bounds__; 0: not said
};

struct gpu_bytes { // as there
    const void *at;
    size_t bytes;
};

namespace gpu_runtime
{

enum { MAX_THREADS = 1024, WARP = 32, MAX_WARPS = MAX_THREADS / WARP };
enum : size_t { SHARED_DEFAULT = 48 << 10, SHARED_OPT_IN = 227 << 10 };

// ---- host.cc ------------------------------------------------------------------------------

#define HERE __attribute__((tls_model("initial-exec")))

// Of the host thread that reads it.
struct here {
    bool on_device;      // it runs a kernel's thread now
    uintptr_t fast_size; // GPU_SIZE in a kernel; 0 in host code and during profiling
    unsigned turns;      // begun and not ended
};
extern __thread struct here here HERE;

// Between these a host thread has the device for itself. They may be nested.
void host_begin();
void host_end();
// Ends those turns that a longjmp or an abandoned launch has left, until so many are open.
void host_return_to(unsigned turns);

struct host_turn { // for the lifetime of this variable
    host_turn()
    {
        host_begin();
    }
    ~host_turn()
    {
        host_end();
    }
};
struct host_turn_soon { // the same for host code's accesses
    bool mine;
    host_turn_soon();
    ~host_turn_soon();
};

// ---- launch.cc ----------------------------------------------------------------------------

struct launch {
    bool running; // true while a kernel's thread is running, for some host thread
    const struct gpu_configuration *configuration;
    unsigned threads;    // in a block
    uint64_t block;      // index of the running block
    size_t static_used;  // bytes of static shared memory, with red zones
    size_t static_bytes; // without red zones
    uint64_t count;      // number of launches since the reset
    enum gpu_order order;
    uint64_t seed;
    bool only;               // launches are checked, but no kernel runs,
    bool only_sizes;         // and nothing is copied or set
    uint32_t *block_epochs;  // the first epoch of each block so far ...
    uint64_t *block_numbers; // ... and the block
    size_t blocks_run, block_room;
    const struct gpu_bytes *arguments; // the kernel's; the last has 0 bytes
};
extern struct launch launch;

struct shared_variable { // a static __shared__ variable that this block has reached
    uintptr_t offset;
    size_t bytes, element, columns; // of a matrix, its columns; otherwise 0
    const char *name;
};
// The one that contains an offset; NULL if none does.
const struct shared_variable *launch_shared_at(uintptr_t offset);
void launch_reset();
// The block of this launch that an epoch belongs to.
uint64_t launch_block_of(uint32_t epoch);
void launch_forget_blocks(); // except the running one
// A permutation of 0 .. n-1 in the current order.
enum permuted { PERMUTE_BLOCKS, PERMUTE_THREADS };
uint64_t launch_permute(uint64_t i, uint64_t n, enum permuted what);

// ---- threads.cc ---------------------------------------------------------------------------

enum thread_state : uint8_t {
    THREAD_NEW,
    THREAD_READY,
    THREAD_BARRIER,
    THREAD_WARP,
    THREAD_OBJECT, // at a barrier object
    THREAD_GRID,   // for other blocks
    THREAD_DONE
};

struct thread {
    enum thread_state state;
    const void *pc; // where it waits
};

struct block {
    struct thread thread[MAX_THREADS];
    unsigned running; // the thread whose turn it is
    // number of threads that have returned, and that wait at the block's barrier
    unsigned done, waiting;
    unsigned atomics; // that its threads have done
    unsigned idle;    // of them, the last ones in a row that changed nothing
    uint32_t lane_clock[MAX_THREADS]; // counted from the start of the block
};
extern struct block block;

// Runs call(data) for every thread of a block.
void threads_run(unsigned count, void (*call)(void *), void *data);
// Ends the launch immediately; called by a kernel's thread. Does not return. (turns.h
// switches between threads.)
[[noreturn]] void threads_abandon();
bool threads_guard_page(uintptr_t address);
enum : unsigned { STACK_SIZE = 64 << 10 }; // of a thread
// Returns true if address is in the running thread's stack.
bool threads_own_stack(uintptr_t address);
// The same for any thread of the block.
bool threads_any_stack(uintptr_t address);
void threads_indices(dim3 shape);
uint3 thread_index(unsigned thread);
// The running thread waits at the block's barrier: as __syncthreads() at pc.
void threads_wait_for_block(const void *pc);

// The line of the barrier at which a thread of the running block waits. 0 if it waits at none, or
// if the whole block has just passed the same one.
int threads_barrier_line(unsigned thread);
// The barrier that the running block has passed last; {"", 0} if there is none.
struct place threads_passed();

// ---- warp.cc ------------------------------------------------------------------------------

void warp_begin_block();
void warp_thread_done(unsigned thread);
// Lets lanes that wait in __activemask go on; called if no thread can run.
bool warp_release_active();
// Reports why the running block cannot continue: a thread waits for others of its warp.
[[noreturn]] void warp_deadlock(unsigned thread);
// Returns true if __syncwarp orders the running thread after an access of another of its warp in
// the same interval.
bool warp_ordered(uint32_t thread, uint32_t clock);
// The lane clock of a thread advances.
void warp_advance(unsigned thread);
// Raises the readings of its lanes' clocks to those that a thread knows, in a table of all threads.
void warp_known(unsigned thread, uint32_t *known);
// All lanes of the running thread's warp meet here; then run gets what each has given.
void warp_together(const void *given, void (*run)(const void *const given[32]),
                   const void *pc);

// ---- names.cc -----------------------------------------------------------------------------

// Writes the name of the element at an offset. Returns false if there is none.
bool name_of(char *text, size_t room, uintptr_t offset);

// ---- values.cc ----------------------------------------------------------------------------

extern size_t races_waiting;
// Returns true if the race waits for the end of the thread's turn.
bool race_waits(const struct stamp *other, bool other_writes, uintptr_t offset,
                enum access_kind kind, const void *pc);
// The running thread compares and swaps: its reads there are no races.
void race_swaps(uintptr_t offset, size_t bytes);
// A thread has read at pc, and now swaps the element.
void race_read_before_swap(const void *pc);
// Reports those that wait.
void races_settle();

// ---- publish.cc ---------------------------------------------------------------------------

void publish_begin_launch();
void publish_forget(); // all epochs are over
void publish_fence();
void publish_barrier();
void publish_atomic(uintptr_t address);
bool publish_ordered(const struct stamp *stamp);

// ---- memory.cc ----------------------------------------------------------------------------

struct allocation {
    uintptr_t start; // an offset from GPU_BASE
    size_t bytes;
    bool freed, managed;
    const char *name; // name for reports, or NULL
    const void *pc;   // the call that allocated it
};
void memory_initialize();
void memory_reset();
// All of them, by address.
const struct allocation *memory_list(size_t *count);
// The total size of __device__ and __managed__ variables, and whether an offset is in one of the
// latter.
size_t memory_variables();
bool memory_managed_variable(uintptr_t offset);
// Whether this byte is managed memory that host code has written unobserved: in a .cpp file, or in a
// library.
bool memory_host_wrote(uintptr_t offset);
// As cudaMalloc and cudaFree, but also in a kernel.
cudaError_t memory_allocate(void **pointer, size_t bytes);
cudaError_t memory_give_back(void *pointer);
// After a launch that a finding ended: memory whose address was among the kernel's arguments
// counts as written, because the rest of the launch might have written it.
void memory_assume_written();
// The allocation that contains an offset, or the nearest one; NULL if there is none.
const struct allocation *memory_near(uintptr_t offset);
// The allocation that a pointer points into, even if freed; NULL if there is none.
struct allocation *memory_find(const void *pointer);
// The offset of an address in device memory or a __device__ variable; NOT_DEVICE for other
// addresses.
enum : uintptr_t { NOT_DEVICE = UINTPTR_MAX };
uintptr_t memory_offset(uintptr_t address);
void *memory_at(uintptr_t offset); // the reverse
// The offset behind the last allocation; and the bytes of __device__ variables.
uintptr_t memory_end();
size_t memory_device_variables();
// The number of bytes from this offset in a __device__ variable to the end of all of them.
size_t memory_variables_room(uintptr_t offset);

// ---- atomics.cc ---------------------------------------------------------------------------

// A volatile read, of another place than the last one or of the same.
void atomics_volatile_read(bool another, const void *pc);

// ---- pinned.cc ----------------------------------------------------------------------------

// Whether these bytes are host memory that a kernel may use: from cudaMallocHost, or registered.
bool pinned_contains(uintptr_t address, size_t bytes);
// Whether cudaMallocHost or cudaHostAlloc returned this pointer.
bool pinned_is_allocated(const void *pointer);

// ---- pages.cc -----------------------------------------------------------------------------

size_t pages_whole(size_t bytes);
// Opens or closes the pages of an allocation. Returns false if the system fails.
bool pages_add(uintptr_t start, size_t bytes);
void pages_remove(const struct allocation *a);
void pages_reset();
// Device memory is inaccessible while gpu_guard calls a function ...
void memory_guard(bool guarded);
// ... except between these two calls, which may be nested.
void memory_open();
void memory_close();
struct memory_opened { // for the lifetime of this variable
    memory_opened()
    {
        memory_open();
    }
    ~memory_opened()
    {
        memory_close();
    }
};

// ---- parallel.cc --------------------------------------------------------------------------

// This process runs some of the blocks of a launch (parallel.h).
extern bool parallel_worker;
// The process that started it must run them after all.
[[noreturn]] void parallel_give_up();

// ---- findings.cc --------------------------------------------------------------------------

struct place {
    const char *file;
    int line;
    const char *function = ""; // as the compiler spells it; "" if unknown
};
// Calls each(place, data) for the functions that contain an address, the innermost first: more than
// one if they were inlined.
void places_of(const void *pc, void (*each)(const struct place *, void *), void *data);
// The variable at an address: its name, or NULL. Sets its start.
const char *variable_at(const void *address, uintptr_t *start);
// lines.cc: the student's line for a return address; {"", 0} if unknown.
struct place place_of(const void *pc);

// Reports a finding. Then ends the kernel's launch, or returns from host code to gpu_guard.
[[noreturn]] void finding_stop(const char *kind, const void *pc, const void *other_pc,
                               const char *format, ...)
    __attribute__((format(printf, 4, 5)));
[[noreturn]] void finding_stop_at(const char *kind, struct place place,
                                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same without a finding.
[[noreturn]] void finding_leave();
// Reports a finding of an access. Returns if the program goes on after findings.
void finding_go_on(const char *kind, const void *pc, const void *other_pc,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
// Reports what may be intended: it neither counts nor ends anything.
void finding_warn(const char *kind, const void *pc, const void *other_pc,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
// Reports a finding and returns, for calls that can return an error.
void finding_note(const char *kind, const char *kernel, struct place place,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
// "thread (3,0,0) of block (1,0,0)", in one of a few buffers used in rotation.
const char *finding_thread(unsigned thread, uint64_t block_number);
// The whole report, without the last newline. Valid until the next call.
const char *finding_text(const struct gpu_finding *finding);
extern size_t finding_count;
extern cudaError_t finding_error; // of every call after the first finding
extern bool finding_keep_going; // a finding does not end the program's use of the device
// Whether the program's user does not want to hear of it; then it does not count.
extern bool (*finding_suppressed)(const struct gpu_finding *finding);
extern bool finding_in_course;  // advice may name functions of the labs
extern void (*leave_program)(); // after a finding in host code without gpu_guard
// Returns true if no call succeeds and no kernel runs any more.
static inline bool finding_stops()
{
    return finding_count > 0 && !finding_keep_going;
}
// Returns true while gpu_guard is calling a function.
bool finding_guarded();

// Where the student's program called the runtime, for reports.
extern __thread const void *call_pc HERE;
// The call is this host thread's turn with the device, until the function returns.
#define KEEP_CALLER()                                                                    \
    gpu_runtime::host_turn turn;                                                         \
    gpu_runtime::call_pc = __builtin_return_address(0)

// ---- calls.cc -----------------------------------------------------------------------------

// Stores an error for cudaGetLastError and returns it.
cudaError_t call_error(cudaError_t error);
// cudaErrorLaunchFailure after a finding (cudaErrorAssert after a failed assert), else cudaSuccess.
// Called first in every runtime call.
cudaError_t call_state();
void call_reset();
void launch_failed(const struct gpu_configuration *configuration, cudaError_t error,
                   const char *why, const char *advice);
// At the end of a program: a failed launch whose error nobody checked.
void report_left_unchecked();
// Records that the error of this launch has not been checked yet.
void launch_unchecked(const struct gpu_configuration *configuration);

// ---- launcher.cc --------------------------------------------------------------------------

// If the current launcher must not do this, these functions report it and do not return. pc
// is the position of the student's call.
void launcher_uses(cudaStream_t stream, const char *what, const void *pc);
void launcher_launches(const struct gpu_configuration *configuration);
void launcher_may_not(const char *kind, const char *what, const void *pc);
void launcher_reset();
bool launcher_expected(); // is a launcher watched, in its host code or in its kernels?
bool launcher_runs();     // is this the host code of a launcher that is watched?
const char *launcher_device_advice(); // for host code that uses device memory
#define CALLER() __builtin_return_address(0)

// ---- profile.cc ---------------------------------------------------------------------------

extern bool profile_on;
void profile_access(uintptr_t offset, size_t bytes, enum access_kind kind,
                    const void *pc);
void profile_end_block();
void profile_reset();

// ---- faults.cc ----------------------------------------------------------------------------

void faults_initialize();
void faults_watch_thread(); // the calling one

// Initializes everything, once.
void runtime_initialize();

} // namespace gpu_runtime

#endif
