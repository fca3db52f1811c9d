// shadow.h - tracks the state of every byte of device memory, and detects races.
//
// Theory of operation.
//
// All simulated memory is in one address range. One subtraction and one comparison show
// whether an access is to device memory, and the difference is also the index of its
// shadow:
//
//   GPU_BASE         + 512 KiB    + 1 MiB           + 1.5 MiB   + 2 MiB
//   | static shared  | nothing    | dynamic shared  | nothing   | gap, allocation, gap ...
//
// Each 4-byte word has a state byte and a cell:
//
//   state  | w w w w | a a a a |   a: byte i may be accessed   w: byte i has been written
//   cell   | last write | a read since | another read since |  each an (epoch, thread, site)
//
// Together they are 21 bytes, packed as struct cell shows: programs that use much memory need five
// times as much for its shadow, and the time of an access is largely that of getting its shadow.
//
// An epoch is the time of one block between two barriers. Blocks run one after the other,
// so epochs are numbered consecutively across blocks and launches:
//
//        launch 7                          launch 8
//        block 0      block 1              block 0
//        | 41 | 42 |  | 43 | 44 | 45 |     | 46 | ...
//
// In epoch `now` of a block that began with epoch `block_first`, in a launch that began
// with `launch_first`, an access recorded in epoch e happened before the current one if
//
//     e <  launch_first               another launch: launches wait for each other
//     block_first <= e < now          this block, with a barrier in between
//     e == now, same thread           program order
//     e == now, same warp             if __syncwarp lies between; see lane clocks in warp.cc
//     any e                           if the other published it with a fence and an atomic that
//                                     this thread has read; see publish.cc
//
// and otherwise it is concurrent: on a device, either might be first. Two concurrent
// accesses are a race if at least one is a write and they are not both atomic. This does
// not depend on the order in which the simulator runs the threads, so a single run finds
// the race reliably.
//
// Storing two reads is enough. If more threads read, the two stored reads come from
// different warps or blocks where possible, so one of them conflicts with a future writer.
// A read in an earlier block is concurrent with every thread of every later block.
//
// Words that are accessed in parts (bytes of a mask) are split: the cell then contains the
// index of four cells in a pool, one for each byte.

#ifndef GPU_RUNTIME_SHADOW_H
#define GPU_RUNTIME_SHADOW_H

#include <stddef.h>
#include <stdint.h>

namespace gpu_runtime
{

enum : uintptr_t {
    // Above the shadow of AddressSanitizer, which ends at 0x10007fff8000, and below 0x200000000000, where
    // the library behind Criterion begins to place its memory, at random.
    GPU_BASE = 0x190000000000,
    GPU_STATIC_SIZE = 0x80000, // shared memory, including red zones
    GPU_DYNAMIC_OFFSET = 0x100000,
    GPU_DYNAMIC_SIZE = 0x80000,
    GPU_GLOBAL_OFFSET = 0x200000,
    GPU_SIZE = 0x1000000000, // 64 GiB of address space; only used parts cost memory
    // __device__ variables are elsewhere; their shadow follows all others.
    GPU_VARIABLES_OFFSET = GPU_SIZE,
    GPU_VARIABLES_SIZE = 0x10000000,
    GPU_SHADOW_SIZE = GPU_SIZE + GPU_VARIABLES_SIZE,
};

static inline bool is_shared(uintptr_t offset)
{
    return offset < GPU_GLOBAL_OFFSET;
}

// An access, unpacked from a cell.
struct stamp {
    uint32_t epoch; // 0: none
    uint32_t thread, flags;
    uint32_t clock; // the lane clock (warp.cc), if the epoch is of this interval
    uint32_t site;
};
enum : uint32_t {
    BY_ATOMIC = 1,
    BY_LANES = 2, // also atomic writes by other threads of its warp
    BY_MANY = 4,  // and by other warps or blocks
};

//   write     | epoch, 28 bits                   | flags |
//   read      | epoch, 28 bits                   | later | pair |
//   threads   | far | - | second, 10 bits | reader, 10 | writer, 10 |
//   sites     | of the write | of the read | of the second read |  16 bits each
//   clocks    | - | second, 5 bits | read, 5 | write, 5 |
//
// The second read is there if the bit `pair` is set. It is of the same interval as the first,
// `later` epochs later (usually 0). far: the two are of different warps.
struct cell {
    uint32_t write, read, threads;
    uint16_t write_site, read_site, second_site, clocks;
};
static_assert(sizeof(struct cell) == 20, "the size that this file and docs/gpu.md state");

enum : uint32_t {
    EPOCH_SHIFT = 4,
    EPOCH_LAST = 0xffffffe, // then earlier accesses are forgotten
    READ_PAIR = 1,
    READ_LATER = 2, // times the difference
    READ_LATER_MOST = 7,
    THREAD_BITS = 10,
    THREAD_MASK = 0x3ff,
    THREADS_FAR = 0x80000000,
    CLOCK_BITS = 5,
    CLOCK_MASK = 0x1f,
    CELL_SPLIT = 0xffffffff, // instead of a write; `threads` is the index
};

enum : uintptr_t { CHUNK = 4096 }; // what results.cc puts together

enum : uint8_t { STATE_ADDRESSABLE = 0x0f, STATE_WRITTEN = 0xf0, STATE_GOOD = 0xff };

struct shadow {
    uint8_t *state;     // one for each word
    uint8_t *touched;   // one for each chunk of device memory, set if a cell has changed
    struct cell *cells; // one for each word
    uint32_t now, block_first, launch_first;
    uint32_t waited; // the first epoch after a call that waits for the kernels before
    uint32_t
        interval; // the epoch in which the last barrier ended; see shadow_next_clocks
    uint32_t restarts; // of lane clocks in this block, before this interval
    uint32_t me;       // the running thread
    uint32_t clock;    // its lane clock, in the form of a cell
    uint32_t pair_now; // the value of `read` for a pair of now; ~0 if the clocks matter
    uint64_t accesses;
    uintptr_t site_base; // program counters near the kernel are stored as their distance
    uint32_t last_epoch; // EPOCH_LAST
};
extern struct shadow shadow;

// The clock of an access in an epoch of this interval.
static inline uint32_t shadow_clock(uint32_t epoch, uint32_t last_bits)
{
    return (shadow.restarts + epoch - shadow.interval) << CLOCK_BITS | last_bits;
}

// This thread, with this clock, runs now.
static inline void shadow_turn(uint32_t thread, uint32_t clock)
{
    shadow.me = thread;
    shadow.clock = clock & CLOCK_MASK;
    // A clock of 1 belongs to a thread that has not called __syncwarp.
    shadow.pair_now = clock <= 1 ? shadow.now << EPOCH_SHIFT | READ_PAIR : ~0u;
}

// Program counters far from the kernel are numbered.
enum : uint32_t { SITES_NEAR = 0xe000, SITES_BEFORE = 0x4000, SITES_FAR = 0x2000 };
uint16_t shadow_far_site(const void *pc);
const void *shadow_pc(uint32_t site);

void shadow_initialize();
void shadow_reset();
void shadow_give_back(); // returns all memory to the system
// The next epoch, after a barrier or in another block.
void shadow_next_epoch();

// Lane clocks have few bits in a cell. When one is full, all start again in a new epoch of the same
// interval. So a clock is counted from the start of the block, and a cell holds its last bits.
void shadow_next_clocks();

// Marks a range of memory as accessible or not, and its bytes as written or not.
void shadow_mark(uintptr_t offset, size_t bytes, bool addressable, bool written);
void shadow_copy(uintptr_t to, uintptr_t from, size_t bytes);

// The cell of one byte of a word that is accessed in parts.
const struct cell *shadow_part(const struct cell *cell, unsigned byte);

// The running thread's own read of these bytes no longer conflicts with anything.
void shadow_forget_read(uintptr_t offset, size_t bytes);

// A kernel is about to write these bytes by an operation that does not read them.
void shadow_count_as_written(uintptr_t address, size_t bytes);

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

// Whether all unwritten bytes of a range can be padding in an array of structures.
bool shadow_only_padding(uintptr_t offset, size_t bytes);

// Checks one word, at bytes behind the address, of a read of several words that is not simply good.
void shadow_read_word(uintptr_t address, size_t bytes, size_t at, const void *pc);

// Checks an access of the running thread, or of host code, to any address; if it is wrong,
// reports it and does not return.
void shadow_access(uintptr_t address, size_t bytes, enum access_kind kind,
                   const void *pc);

// Host code has waited for all kernels. Until then it must not use what they write.
void shadow_waited();
// A kernel's blocks in other processes have read or written this word.
void shadow_note(uintptr_t offset, bool read, bool written);

// Checks bounds and state of an access by cuBLAS, which has no simulated threads.
void shadow_library(const void *pointer, size_t bytes, bool write, const char *what);

} // namespace gpu_runtime

#endif
