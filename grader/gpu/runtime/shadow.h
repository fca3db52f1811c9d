// shadow.h - the state of every byte of device memory, and the rules for races.
//
// Theory of operation.
//
// All simulated memory lies in one stretch of addresses, so one subtraction and one comparison
// tell whether an access is to device memory, and the same difference finds its shadow:
//
//   GPU_BASE         + 512 KiB    + 1 MiB           + 1.5 MiB   + 2 MiB
//   | static shared  | nothing    | dynamic shared  | nothing   | gap, allocation, gap ...
//
// Each 4-byte word has a state byte and a cell:
//
//   state  | w w w w | a a a a |   a: byte i may be accessed   w: byte i has been written
//   cell   | last write | a read since | another read since |  each an (epoch, thread, site)
//
// An epoch is a stretch of one block's time between two barriers. Blocks are run one after the
// other, so epochs are numbered through a launch and from launch to launch:
//
//        launch 7                          launch 8
//        block 0      block 1              block 0
//        | 41 | 42 |  | 43 | 44 | 45 |     | 46 | ...
//
// Now, in epoch `now` of a block that began with epoch `block_first`, in a launch that began
// with `launch_first`, an access recorded with epoch e came certainly before when
//
//     e <  launch_first               another launch: launches wait for each other
//     block_first <= e < now          this block, with a barrier in between
//     e == now, same thread           program order
//     e == now, same warp             if __syncwarp lies between; see lane clocks in warp.cc
//     any e                           if the other published it with a fence and an atomic that
//                                     this thread has read; see publish.cc
//
// and otherwise it is concurrent: on a device either might be first. Two concurrent accesses
// of which one is a write, and not both atomic, are a race. That holds whatever the order in
// which the simulation happened to run them, so one run finds the race; none is found by luck.
//
// Two reads are enough to remember. If more threads read, one of the two kept is from another
// warp or block than the future writer, as long as such a pair was seen; and a reader in an
// earlier block is concurrent to every thread of every later one.
//
// Words that are accessed in pieces (bytes of a mask) are split: the cell then holds the number
// of four cells in a pool, one for each byte.

#ifndef GPU_RUNTIME_SHADOW_H
#define GPU_RUNTIME_SHADOW_H

#include <stddef.h>
#include <stdint.h>

namespace gpu_runtime
{

enum : uintptr_t {
    GPU_BASE = 0x210000000000,
    GPU_STATIC_SIZE = 0x80000, // of shared memory, including red zones
    GPU_DYNAMIC_OFFSET = 0x100000,
    GPU_DYNAMIC_SIZE = 0x80000,
    GPU_GLOBAL_OFFSET = 0x200000,
    GPU_SIZE = 0x1000000000, // 64 GiB of addresses; only what is used costs memory
    // __device__ variables lie elsewhere; their shadow follows that of all the others.
    GPU_VARIABLES_OFFSET = GPU_SIZE,
    GPU_VARIABLES_SIZE = 0x100000,
    GPU_SHADOW_SIZE = GPU_SIZE + GPU_VARIABLES_SIZE,
};

static inline bool is_shared(uintptr_t offset)
{
    return offset < GPU_GLOBAL_OFFSET;
}

struct stamp {
    uint32_t epoch;
    uint32_t site; // the program counter, less shadow.site_base
    uint32_t who;  // thread, flags, lane clock
};

enum : uint32_t {
    WHO_THREAD = 0x3ff,
    WHO_ATOMIC = 0x400,
    WHO_LANES = 0x800, // atomic writes by more threads than this one, of its warp
    WHO_MANY = 0x1000, // and of other warps or blocks
    WHO_CLOCK_SHIFT = 13,
    EPOCH_SPLIT = 0xffffffff,
};

struct cell {
    struct stamp write, read[2];
};

enum : uint8_t { STATE_ADDRESSABLE = 0x0f, STATE_WRITTEN = 0xf0, STATE_GOOD = 0xff };

struct shadow {
    uint8_t *state;      // one for each word
    struct cell *cells;  // likewise
    uintptr_t fast_size; // GPU_SIZE in a kernel; 0 on the host and when counting
    uint32_t now, block_first, launch_first;
    uint32_t who; // thread and lane clock of the running thread
    uint64_t accesses;
    uintptr_t site_base;
};
extern struct shadow shadow;

void shadow_initialize();
void shadow_reset();
void shadow_give_back(); // all of it, to the system

// A stretch of memory becomes accessible or not, and its bytes written or not.
void shadow_mark(uintptr_t offset, size_t bytes, bool addressable, bool written);
void shadow_copy(uintptr_t to, uintptr_t from, size_t bytes);

// A thread may read shared memory before another writes it for two reasons: the element was
// never meant to be written, or a barrier is missing. The next barrier shows which; this
// function is called there, and reports the first such read if there was no race.
void shadow_settle();

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

// Checks an access of the running thread, or of host code, to any address; if it is wrong,
// reports it and does not return.
void shadow_access(uintptr_t address, size_t bytes, enum access_kind kind,
                   const void *pc);

// An access by a library kernel (cuBLAS) that has no threads of ours: bounds and state only.
void shadow_library(const void *pointer, size_t bytes, bool write, const char *what);

} // namespace gpu_runtime

#endif
