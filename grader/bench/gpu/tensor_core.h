// tensor_core.h - what a warp needs to use tensor cores: bf16 numbers, tiles, and copies.
//
// With compute capability 8.0 or higher, each function is one instruction. Otherwise, also on the
// simulated GPU, it does the same by shuffles. That is slow, but checks a kernel without a card.
// PTX ISA, "Warp Level Matrix Multiply-Accumulate", has the layouts:
//
//     lane = 4 g + i     of a tile of 16-bit numbers, a lane has row g, columns 2 i and 2 i + 1
//
// Functions that take a warp's numbers must be called by all its lanes.

#ifndef GRADER_BENCH_GPU_TENSOR_CORE_H
#define GRADER_BENCH_GPU_TENSOR_CORE_H

#include <stdint.h>

#include <cuda_runtime.h>

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#define TENSOR_CORES 1
#else
#define TENSOR_CORES 0
#endif

enum : unsigned { ALL_LANES = 0xffffffffu };

// ---- bf16: the upper half of a float ------------------------------------------------------

// Rounded to the nearest, ties to even. Not for NaN.
static inline __host__ __device__ uint32_t to_bf16(float x)
{
    union {
        float number;
        uint32_t bits;
    } word = {x};
    return (word.bits + 0x7fffu + (word.bits >> 16 & 1u)) >> 16;
}

static inline __host__ __device__ float from_bf16(uint32_t half)
{
    union {
        uint32_t bits;
        float number;
    } word = {half << 16};
    return word.number;
}

// Two numbers; the first is in the lower half.
static __device__ inline uint32_t pack_bf16(float first, float second)
{
#if TENSOR_CORES
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
#else
    return to_bf16(first) | to_bf16(second) << 16;
#endif
}

// ---- d (16,8) += a (16,16) b (16,8) -------------------------------------------------------

// d[0], d[1]: row g, columns 2 i and 2 i + 1; d[2], d[3]: row g + 8.
// a[0]: rows 0 to 7, columns 0 to 7; a[1]: rows 8 to 15; a[2], a[3]: columns 8 to 15.
// b[0]: column g, rows 2 i and 2 i + 1; b[1]: rows 2 i + 8 and 2 i + 9.
static __device__ inline void multiply_tiles(float *d, const uint32_t *a,
                                             const uint32_t *b)
{
#if TENSOR_CORES
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    const int lane = (int)(threadIdx.x % 32), g = lane / 4, i = lane % 4;
    for (int pair = 0; pair < 8; pair++) { // rows 2 pair and 2 pair + 1 of b
        const int half = pair / 4, from = pair % 4;
        for (int column = 0; column < 2; column++) {
            const uint32_t y =
                __shfl_sync(ALL_LANES, b[half], 4 * (2 * i + column) + from);
            for (int row = 0; row < 2; row++) {
                const uint32_t x =
                    __shfl_sync(ALL_LANES, a[2 * half + row], 4 * g + from);
                d[2 * row + column] += from_bf16(x & 0xffffu) * from_bf16(y & 0xffffu) +
                                       from_bf16(x >> 16) * from_bf16(y >> 16);
            }
        }
    }
#endif
}

// ---- four tiles (8,8) from shared memory --------------------------------------------------

// A uint4 is a row of 8 numbers. For lane 8 m + r, shared + at is row r of tile m. tiles[m]
// becomes the lane's pair of tile m: row g, columns 2 i and 2 i + 1.
static __device__ inline void load_tiles(uint32_t *tiles, const uint4 *shared, int at)
{
#if TENSOR_CORES
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(shared + at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(address)
                 : "memory");
#else
    const int lane = (int)(threadIdx.x % 32);
    for (int m = 0; m < 4; m++) {
        const uint4 row = shared[__shfl_sync(ALL_LANES, at, 8 * m + lane / 4)];
        const uint32_t pairs[] = {row.x, row.y, row.z, row.w};
        tiles[m] = pairs[lane % 4];
    }
#endif
}

// The same with each tile transposed: rows 2 i and 2 i + 1, column g.
static __device__ inline void load_turned_tiles(uint32_t *tiles, const uint4 *shared,
                                                int at)
{
#if TENSOR_CORES
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(shared + at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(address)
                 : "memory");
#else
    const int lane = (int)(threadIdx.x % 32), g = lane / 4, i = lane % 4;
    for (int m = 0; m < 4; m++) {
        uint32_t halves[2];
        for (int j = 0; j < 2; j++) {
            const uint4 row = shared[__shfl_sync(ALL_LANES, at, 8 * m + 2 * i + j)];
            const uint32_t pairs[] = {row.x, row.y, row.z, row.w};
            halves[j] = pairs[g / 2] >> 16 * (g % 2) & 0xffffu;
        }
        tiles[m] = halves[0] | halves[1] << 16;
    }
#endif
}

// ---- copies that do not wait --------------------------------------------------------------

// *to = *from, or 0 if not any. Complete after wait_for_copies, not before.
static __device__ inline void start_copy(uint4 *to, const uint4 *from, bool any)
{
#if TENSOR_CORES
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address),
                 "l"(from), "r"(any ? 16 : 0)
                 : "memory");
#else
    *to = any ? *from : make_uint4(0, 0, 0, 0);
#endif
}

// Waits for this thread's copies. Other threads see them after a barrier.
static __device__ inline void wait_for_copies(void)
{
#if TENSOR_CORES
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif
