// hopper.h - what compute capability 9.0 adds: products of a warpgroup, a copy engine, and barriers
// in shared memory that count bytes.
//
// A warpgroup is four warps, the first one's number a multiple of 4. Its product takes tiles from
// shared memory and runs beside the threads, until they wait for it. A copy of a tile is started by
// one thread and done by the copy engine. Both see shared memory in rows of 128 bytes, where 16
// bytes c of row r lie at place c ^ r % 8, so that a column of eight rows is in different banks.
//
//     warp w, lane = 4 g + i     of a product (64,n), a thread has rows 16 w + g and 16 w + g + 8:
//                                of every 8 columns, columns 2 i and 2 i + 1 of the first row
//                                (d[0], d[1]) and of the second (d[2], d[3])
//
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Data Movement and
// Conversion Instructions: Tensor copy" and "Parallel Synchronization: mbarrier".

#ifndef GRADER_BENCH_GPU_HOPPER_H
#define GRADER_BENCH_GPU_HOPPER_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

// HAS_HOPPER: the compiler knows these instructions. The simulated GPU does not have them.
#if !defined GPU_SIMULATED && CUDART_VERSION >= 12000
#define HAS_HOPPER 1
#include <cudaTypedefs.h>
#else
#define HAS_HOPPER 0
#endif

#if HAS_HOPPER

#include "common/gpu/gpu.h"

enum { ROW_BYTES = 128, ROW_NUMBERS = 64 }; // a row in shared memory, of bf16 numbers

static __device__ inline uint32_t shared_address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

// ---- barriers -----------------------------------------------------------------------------
//
// A barrier's phase ends when all arrivals and all expected bytes are there. wait_for(b, 0) waits
// for the end of phases 0, 2, 4 ..., wait_for(b, 1) for that of phases 1, 3, 5 ...; before the end
// of phase 0, wait_for(b, 1) returns at once.

static __device__ inline void open_barrier(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

// Shows new barriers to the copy engine. Other threads see them after __syncthreads.
static __device__ inline void show_barriers(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ inline void arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

// Arrives, and makes the phase wait for so many bytes of copies.
static __device__ inline void arrive_and_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ inline void wait_for(uint64_t *barrier, unsigned parity)
{
    uint32_t ended = 0;
    while (ended == 0) {
        asm volatile("{\n"
                     ".reg .pred ended;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, ended;\n"
                     "}"
                     : "=r"(ended)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    }
}

// Lets each thread of the warpgroup use so many registers from here on.
template <int REGISTERS> static __device__ inline void give_up_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS> static __device__ inline void take_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

// ---- copies -------------------------------------------------------------------------------

// Starts a copy of the map's tile that begins at column, row, matrix; `to` is a multiple of 1024
// bytes. The bytes count for the barrier.
static __device__ inline void copy_tile(void *to, const CUtensorMap *map, int column,
                                        int row, int matrix, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(matrix),
                 "r"(shared_address(barrier))
                 : "memory");
}

// Describes bf16 matrices (N,T,hs) to the copy engine, in tiles of `rows` rows and ROW_NUMBERS
// columns. Rows behind the end of a matrix are 0.
static inline lab_status map_matrices(CUtensorMap *map, const void *numbers_dev, size_t N,
                                      size_t T, size_t hs, unsigned rows)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    LAB_TRY(lab_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                      12000, cudaEnableDefault, &found)));
#else
    LAB_TRY(lab_cuda(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function,
                                             cudaEnableDefault, &found)));
#endif
    if (found != cudaDriverEntryPointSuccess) {
        return LAB_ECUDA;
    }
    const cuuint64_t sizes[] = {hs, T, N}, strides[] = {2 * hs, 2 * hs * T};
    const cuuint32_t tile[] = {ROW_NUMBERS, rows, 1}, steps[] = {1, 1, 1};
    const CUresult result = ((PFN_cuTensorMapEncodeTiled_v12000)function)(
        map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, (void *)numbers_dev, sizes, strides,
        tile, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? LAB_OK : LAB_ECUDA;
}

// ---- products -----------------------------------------------------------------------------

#if defined __CUDA_ARCH_FEAT_SM90_ALL

// The compiler may not move a calculation with these registers across this line.
template <int COUNT> static __device__ inline void hold(float (&d)[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        asm volatile("" : "+f"(d[i])::"memory");
    }
}
template <int ROWS, int COUNT>
static __device__ inline void hold(uint32_t (&a)[ROWS][COUNT])
{
    for (int i = 0; i < ROWS * COUNT; i++) {
        asm volatile("" : "+r"(a[i / COUNT][i % COUNT])::"memory");
    }
}

// Products may read and change registers that a thread has written before. Hold these first.
static __device__ inline void begin_products(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// The products since the last call become a group.
static __device__ inline void end_group(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most GROUPS groups still run. Hold their results afterwards.
template <int GROUPS> static __device__ inline void wait_for_products(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

// A tile in shared memory for a product. Eight rows are 1024 bytes; `wide`: the bytes from 64
// columns to the next 64.
static __device__ inline uint64_t describe(const void *shared, unsigned wide)
{
    enum : uint64_t { EIGHT_ROWS = 1024 / 16, SWIZZLE_128 = 1 };
    return (shared_address(shared) & 0x3ffff) / 16 | (uint64_t)(wide / 16) << 16 |
           EIGHT_ROWS << 32 | SWIZZLE_128 << 62;
}

// The registers of a product, eight at a time.
#define EIGHT(d, i)                                                                      \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),          \
        "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)
#define NAMES_OF_32                                                                      \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                             \
    "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_OF_64                                                                      \
    NAMES_OF_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"      \
                "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

// d (64,128) = a (64,16) b (128,16)^T, or += if add. Both tiles have rows of 16 neighbors.
static __device__ inline void start_product(float (&d)[64], uint64_t a, uint64_t b,
                                            int add)
{
    asm volatile("{\n"
                 ".reg .pred add;\n"
                 "setp.ne.b32 add, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{" NAMES_OF_64 "}, %64, %65, add, 1, 1, 0, 0;\n"
                 "}"
                 : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

// d (64,n) += a (64,16) b (16,n). a is in registers: rows as in d, columns 2 i, 2 i + 1 in a[0] and
// a[1], 2 i + 8, 2 i + 9 in a[2] and a[3]. The tile b has rows of n neighbors.
static __device__ inline void start_product(float (&d)[64], const uint32_t (&a)[4],
                                            uint64_t b)
{
    asm volatile("{\n"
                 ".reg .pred add;\n"
                 "setp.eq.b32 add, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{" NAMES_OF_64 "}, {%64, %65, %66, %67}, %68, add, 1, 1, 1;\n"
                 "}"
                 : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}
static __device__ inline void start_product(float (&d)[32], const uint32_t (&a)[4],
                                            uint64_t b)
{
    asm volatile("{\n"
                 ".reg .pred add;\n"
                 "setp.eq.b32 add, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{" NAMES_OF_32 "}, {%32, %33, %34, %35}, %36, add, 1, 1, 1;\n"
                 "}"
                 : THIRTY_TWO(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}

// 2^x; 0 where that is below 2^-126.
static __device__ inline float power_of_2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#endif // __CUDA_ARCH_FEAT_SM90_ALL
#endif // HAS_HOPPER
#endif
