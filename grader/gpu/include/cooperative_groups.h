// cooperative_groups.h - groups of threads: the block, tiles of a warp, the threads of a branch.
//
// Each operation is one of threads.h: a block's sync() is __syncthreads(), that of a tile is
// __syncwarp() with the tile's lanes, and its shuffles are __shfl_sync(). A grid waits for itself in
// a cooperative launch (runtime/grid.cc).

#ifndef GPU_COOPERATIVE_GROUPS_H
#define GPU_COOPERATIVE_GROUPS_H

#include <string.h>

#include "cuda_runtime.h"
#include "simulated/async.h"

namespace cooperative_groups
{

// A thread's number in its block.
GPU_INLINE unsigned gpu_rank_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GPU_INLINE unsigned gpu_block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

// ---- the block and the grid ----------------------------------------------------------------

struct thread_block {
    GPU_MEMBER static void sync()
    {
        __syncthreads();
    }
    GPU_MEMBER static unsigned thread_rank()
    {
        return gpu_rank_in_block();
    }
    GPU_MEMBER static unsigned size()
    {
        return gpu_block_size();
    }
    GPU_MEMBER static unsigned num_threads()
    {
        return gpu_block_size();
    }
    GPU_MEMBER static dim3 group_index()
    {
        return blockIdx;
    }
    GPU_MEMBER static dim3 thread_index()
    {
        return threadIdx;
    }
    GPU_MEMBER static dim3 group_dim()
    {
        return blockDim;
    }
    GPU_MEMBER static dim3 dim_threads()
    {
        return blockDim;
    }
};
GPU_INLINE thread_block this_thread_block()
{
    return thread_block();
}

// The shared memory in which tiles of more than a warp exchange values.
template <unsigned threads> struct block_tile_memory {
    unsigned long long gpu_value[threads][2];
};
template <unsigned threads> struct gpu_block_with_memory : thread_block {
    block_tile_memory<threads> *gpu_memory;
};
template <unsigned threads>
GPU_INLINE gpu_block_with_memory<threads>
this_thread_block(block_tile_memory<threads> &memory)
{
    gpu_block_with_memory<threads> block;
    block.gpu_memory = &memory;
    return block;
}

struct grid_group {
    GPU_MEMBER static unsigned long long block_rank()
    {
        return blockIdx.x +
               (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    }
    GPU_MEMBER static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    GPU_MEMBER static unsigned long long thread_rank()
    {
        return block_rank() * gpu_block_size() + gpu_rank_in_block();
    }
    GPU_MEMBER static unsigned long long size()
    {
        return num_blocks() * gpu_block_size();
    }
    GPU_MEMBER static unsigned long long num_threads()
    {
        return size();
    }
    GPU_MEMBER static dim3 dim_blocks()
    {
        return gridDim;
    }
    GPU_MEMBER static dim3 block_index()
    {
        return blockIdx;
    }
    // True in a cooperative launch.
    GPU_MEMBER static bool is_valid()
    {
        return gpu_is_cooperative();
    }
    GPU_MEMBER static void sync()
    {
        gpu_grid_sync();
    }
};
GPU_INLINE grid_group this_grid()
{
    return grid_group();
}

// ---- lanes of a warp -----------------------------------------------------------------------

template <size_t n> struct gpu_bytes_of {
    unsigned char byte[n];
};

// Any type, in parts of 8 bytes at most. Not by its address: its & may give another one.
template <typename T, typename Function> GPU_INLINE T gpu_shuffle(T value, Function one)
{
    if constexpr (sizeof(T) == 4) {
        unsigned bits = (unsigned)one(__builtin_bit_cast(unsigned, value));
        return __builtin_bit_cast(T, bits);
    } else if constexpr (sizeof(T) == 8) {
        return __builtin_bit_cast(T, one(__builtin_bit_cast(unsigned long long, value)));
    } else {
        typedef gpu_bytes_of<sizeof(T)> bytes;
        bytes bits = __builtin_bit_cast(bytes, value);
        for (unsigned i = 0; i < sizeof(T); i += 8) {
            unsigned long long part = 0;
            for (unsigned b = i; b < i + 8 && b < sizeof(T); b++) {
                part |= (unsigned long long)bits.byte[b] << (b - i) * 8;
            }
            part = one(part);
            for (unsigned b = i; b < i + 8 && b < sizeof(T); b++) {
                bits.byte[b] = (unsigned char)(part >> (b - i) * 8);
            }
        }
        return __builtin_bit_cast(T, bits);
    }
}

// size lanes beginning at a multiple of size. A size above 32 exists for thread_group only.
struct thread_group {
    unsigned gpu_size, gpu_first, gpu_tile; // gpu_first: the block's thread

    GPU_MEMBER thread_group(unsigned size, unsigned tile) : gpu_size(size), gpu_tile(tile)
    {
        gpu_first = gpu_rank_in_block() / size * size;
    }
    GPU_MEMBER thread_group(thread_block) : thread_group(gpu_block_size(), 0)
    {
    }
    GPU_MEMBER unsigned gpu_mask() const
    {
        return (gpu_size >= 32 ? ~0u : (1u << gpu_size) - 1) << gpu_first % 32;
    }
    GPU_MEMBER void sync() const
    {
        if (gpu_tile == 0) {
            __syncthreads();
        } else {
            __syncwarp(gpu_mask());
        }
    }
    GPU_MEMBER unsigned thread_rank() const
    {
        return gpu_rank_in_block() - gpu_first;
    }
    GPU_MEMBER unsigned size() const
    {
        return gpu_size;
    }
    GPU_MEMBER unsigned num_threads() const
    {
        return gpu_size;
    }
};

// Of more than 32 threads: gpu_wide_tile.
template <unsigned n, typename Parent = thread_block> struct thread_block_tile {
    static_assert(n <= 32 && (n & (n - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads, and more only if "
                  "this_thread_block() gets a block_tile_memory");

    GPU_MEMBER static unsigned gpu_mask()
    {
        return (n == 32 ? ~0u : (1u << n % 32) - 1) << gpu_rank_in_block() % 32 / n * n;
    }
    GPU_MEMBER static void sync()
    {
        __syncwarp(gpu_mask());
    }
    GPU_MEMBER static unsigned thread_rank()
    {
        return gpu_rank_in_block() % n;
    }
    GPU_MEMBER static constexpr unsigned size()
    {
        return n;
    }
    GPU_MEMBER static constexpr unsigned num_threads()
    {
        return n;
    }
    // Its number among the tiles of its parent.
    GPU_MEMBER static unsigned meta_group_rank()
    {
        return Parent::thread_rank() / n;
    }
    GPU_MEMBER static unsigned meta_group_size()
    {
        return (Parent::size() + n - 1) / n;
    }
    GPU_MEMBER operator thread_group() const
    {
        return thread_group(n, 1);
    }

    template <typename T> GPU_MEMBER static T shfl(T value, int rank)
    {
        return gpu_shuffle(value, [=](unsigned long long bits) {
            return __shfl_sync(gpu_mask(), bits, rank, n);
        });
    }
    template <typename T> GPU_MEMBER static T shfl_down(T value, unsigned delta)
    {
        return gpu_shuffle(value, [=](unsigned long long bits) {
            return __shfl_down_sync(gpu_mask(), bits, delta, n);
        });
    }
    template <typename T> GPU_MEMBER static T shfl_up(T value, unsigned delta)
    {
        return gpu_shuffle(value, [=](unsigned long long bits) {
            return __shfl_up_sync(gpu_mask(), bits, delta, n);
        });
    }
    template <typename T> GPU_MEMBER static T shfl_xor(T value, int lanes)
    {
        return gpu_shuffle(value, [=](unsigned long long bits) {
            return __shfl_xor_sync(gpu_mask(), bits, lanes, n);
        });
    }
    GPU_MEMBER static int any(int predicate)
    {
        return __any_sync(gpu_mask(), predicate);
    }
    GPU_MEMBER static int all(int predicate)
    {
        return __all_sync(gpu_mask(), predicate);
    }
    GPU_MEMBER static unsigned ballot(int predicate)
    {
        return (__ballot_sync(gpu_mask(), predicate) & gpu_mask()) >>
               (gpu_rank_in_block() % 32 / n * n);
    }
};

// The threads of a warp that are in the same branch.
struct coalesced_group {
    unsigned gpu_lanes;

    GPU_MEMBER static unsigned gpu_lane()
    {
        return gpu_rank_in_block() % 32;
    }
    // The lane of the thread of this rank.
    GPU_MEMBER int gpu_lane_of(unsigned rank) const
    {
        unsigned left = gpu_lanes;
        for (; rank > 0; rank--) {
            left &= left - 1;
        }
        return __ffs((int)left) - 1;
    }
    GPU_MEMBER void sync() const
    {
        __syncwarp(gpu_lanes);
    }
    GPU_MEMBER unsigned thread_rank() const
    {
        return (unsigned)__popc(gpu_lanes & ((1u << gpu_lane()) - 1));
    }
    GPU_MEMBER unsigned size() const
    {
        return (unsigned)__popc(gpu_lanes);
    }
    GPU_MEMBER unsigned num_threads() const
    {
        return size();
    }
    template <typename T> GPU_MEMBER T shfl(T value, unsigned rank) const
    {
        int lane = gpu_lane_of(rank % size());
        return gpu_shuffle(value, [lanes = gpu_lanes, lane](unsigned long long bits) {
            return __shfl_sync(lanes, bits, lane);
        });
    }
    template <typename T> GPU_MEMBER T shfl_down(T value, unsigned delta) const
    {
        unsigned from = thread_rank() + delta;
        return shfl(value, from < size() ? from : thread_rank());
    }
    template <typename T> GPU_MEMBER T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta);
    }
    GPU_MEMBER int any(int predicate) const
    {
        return __any_sync(gpu_lanes, predicate);
    }
    GPU_MEMBER int all(int predicate) const
    {
        return __all_sync(gpu_lanes, predicate);
    }
    // Bit r is of the thread of rank r.
    GPU_MEMBER unsigned ballot(int predicate) const
    {
        unsigned lanes = __ballot_sync(gpu_lanes, predicate), packed = 0;
        for (unsigned r = 0; r < size(); r++) {
            packed |= (lanes >> gpu_lane_of(r) & 1) << r;
        }
        return packed;
    }
};
GPU_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group{__activemask()};
}

// A tile of 64 to 512 threads: it waits and votes by a counter of its own, and exchanges values in
// the block's memory.
template <unsigned n, unsigned threads> struct gpu_wide_tile {
    block_tile_memory<threads> *gpu_memory;

    GPU_MEMBER static unsigned thread_rank()
    {
        return gpu_rank_in_block() % n;
    }
    GPU_MEMBER static constexpr unsigned size()
    {
        return n;
    }
    GPU_MEMBER static constexpr unsigned num_threads()
    {
        return n;
    }
    GPU_MEMBER static unsigned meta_group_rank()
    {
        return gpu_rank_in_block() / n;
    }
    GPU_MEMBER static unsigned meta_group_size()
    {
        return (gpu_block_size() + n - 1) / n;
    }
    GPU_MEMBER static void sync()
    {
        gpu_tile_sync(meta_group_rank(), n);
    }
    template <typename T> GPU_MEMBER T shfl(T value, unsigned rank) const
    {
        static_assert(sizeof(T) <= sizeof gpu_memory->gpu_value[0],
                      "a tile of more than a warp exchanges at most 16 bytes");
        memcpy(gpu_memory->gpu_value[gpu_rank_in_block()], &value, sizeof(T));
        sync();
        memcpy(&value, gpu_memory->gpu_value[meta_group_rank() * n + rank % n],
               sizeof(T));
        sync();
        return value;
    }
    template <typename T> GPU_MEMBER T shfl_down(T value, unsigned delta) const
    {
        unsigned from = thread_rank() + delta;
        return shfl(value, from < n ? from : thread_rank());
    }
    template <typename T> GPU_MEMBER T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta);
    }
    template <typename T> GPU_MEMBER T shfl_xor(T value, unsigned lanes) const
    {
        return shfl(value, thread_rank() ^ lanes);
    }
    GPU_MEMBER int any(int predicate) const
    {
        int found = predicate != 0;
        for (unsigned distance = n / 2; distance > 0; distance /= 2) {
            found |= shfl_xor(found, distance);
        }
        return found;
    }
    GPU_MEMBER int all(int predicate) const
    {
        return !any(predicate == 0);
    }
};

// ---- parts of a group ----------------------------------------------------------------------

template <unsigned n, typename Parent>
GPU_INLINE thread_block_tile<n, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<n, Parent>();
}
// Calls a function once for the group, in one of its threads.
template <typename Group, typename Function, typename... Parts>
GPU_INLINE void invoke_one(const Group &group, Function function, Parts... p)
{
    if (group.thread_rank() == 0) {
        function(p...);
    }
}
template <unsigned n, unsigned threads>
GPU_INLINE auto tiled_partition(const gpu_block_with_memory<threads> &block)
{
    if constexpr (n <= 32) {
        return thread_block_tile<n, thread_block>();
    } else {
        return gpu_wide_tile<n, threads>{block.gpu_memory};
    }
}

// The threads of a group with the same value.
template <typename Group> GPU_INLINE unsigned gpu_lanes_of(const Group &group)
{
    return group.gpu_mask();
}
GPU_INLINE unsigned gpu_lanes_of(const coalesced_group &group)
{
    return group.gpu_lanes;
}
template <typename Group, typename T>
GPU_INLINE coalesced_group labeled_partition(const Group &group, T label)
{
    return coalesced_group{__match_any_sync(gpu_lanes_of(group), label)};
}
template <typename Group>
GPU_INLINE coalesced_group binary_partition(const Group &group, bool predicate)
{
    return labeled_partition(group, (int)predicate);
}
GPU_INLINE thread_group tiled_partition(const thread_group &, unsigned size)
{
    return thread_group(size, 1);
}
template <typename Group> GPU_INLINE void sync(const Group &group)
{
    group.sync();
}

// ---- copies --------------------------------------------------------------------------------

// A thread's share of a copy by a group: parts of at most 16 bytes, in turns. It ends with the phase
// of a barrier object, or (NULL) as a part of the thread's open group of copies.
template <typename Group>
GPU_INLINE void gpu_copy_share(const Group &group, void *to, const void *from,
                               size_t bytes, void *barrier)
{
    size_t odd = (size_t)to | (size_t)from | bytes | 16;
    size_t part = odd & -odd; // the largest that divides all of them
    for (size_t at = part * group.thread_rank(); at < bytes;
         at += part * group.num_threads()) {
        gpu_copy_async((char *)to + at, (const char *)from + at, part, 0, part, barrier);
    }
}

// Each call is a group of copies for wait and wait_prior.
template <typename Group, typename T, typename Size>
GPU_INLINE void memcpy_async(const Group &group, T *to, const T *from, Size bytes)
{
    gpu_copy_share(group, to, from, (size_t)bytes, NULL);
    gpu_copy_commit();
}
// Counted in elements: no more than either has.
template <typename Group, typename T, typename ToSize, typename FromSize>
GPU_INLINE void memcpy_async(const Group &group, T *to, ToSize to_elements, const T *from,
                             FromSize from_elements)
{
    size_t elements = (size_t)to_elements < (size_t)from_elements ? (size_t)to_elements
                                                                  : (size_t)from_elements;
    memcpy_async(group, to, from, elements * sizeof(T));
}
template <typename Group> GPU_INLINE void wait(const Group &group)
{
    gpu_copy_wait(0);
    group.sync();
}
template <unsigned last, typename Group> GPU_INLINE void wait_prior(const Group &group)
{
    gpu_copy_wait(last);
    group.sync();
}

// ---- reductions ----------------------------------------------------------------------------

#define GPU_OPERATION(name, value)                                                       \
    template <typename T = void> struct name {                                           \
        GPU_MEMBER T operator()(T a, T b) const                                          \
        {                                                                                \
            return value;                                                                \
        }                                                                                \
    };                                                                                   \
    template <> struct name<void> {                                                      \
        template <typename T> GPU_MEMBER T operator()(T a, T b) const                    \
        {                                                                                \
            return value;                                                                \
        }                                                                                \
    };
GPU_OPERATION(plus, a + b)
GPU_OPERATION(less, b < a ? b : a)
GPU_OPERATION(greater, a < b ? b : a)
GPU_OPERATION(bit_and, a &b)
GPU_OPERATION(bit_or, a | b)
GPU_OPERATION(bit_xor, a ^ b)
#undef GPU_OPERATION

template <unsigned n, typename Parts, typename T, typename Operation>
GPU_INLINE T reduce(const thread_block_tile<n, Parts> &group, T value, Operation combine)
{
    for (unsigned distance = n / 2; distance > 0; distance /= 2) {
        value = combine(value, group.shfl_xor(value, (int)distance));
    }
    return value;
}
template <unsigned n, unsigned threads, typename T, typename Operation>
GPU_INLINE T reduce(const gpu_wide_tile<n, threads> &group, T value, Operation combine)
{
    for (unsigned distance = n / 2; distance > 0; distance /= 2) {
        value = combine(value, group.shfl_xor(value, distance));
    }
    return value;
}
template <typename T, typename Operation>
GPU_INLINE T reduce(const coalesced_group &group, T value, Operation combine)
{
    T result = group.shfl(value, 0);
    for (unsigned r = 1; r < group.size(); r++) {
        result = combine(result, group.shfl(value, r));
    }
    return result;
}

template <typename Group, typename T, typename Operation>
GPU_INLINE T inclusive_scan(const Group &group, T value, Operation combine)
{
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        T before = group.shfl_up(value, distance);
        value = group.thread_rank() >= distance ? combine(before, value) : value;
    }
    return value;
}
template <typename Group, typename T>
GPU_INLINE T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Operation>
GPU_INLINE T exclusive_scan(const Group &group, T value, Operation combine)
{
    T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
GPU_INLINE T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
