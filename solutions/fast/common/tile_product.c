// tile_product.c - see tile_product.h.
//
// Start reading at lab_tile_product, then at tile in tile_kernel.h.

#include "fast/common/tile_product.h"

#include <stdint.h>
#include <string.h>

#include "fast/common/vector_math.h"

// Before a loop of few turns: the compiler writes them one after the other.
#ifdef __clang__
#define LAB_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LAB_UNROLL _Pragma("GCC unroll 6")
#endif

enum { LINE = 16 }; // floats of a line of the cache

// Asks for row m's line from k on. The matrix may end before: nothing is read, so that no address is wrong.
LAB_INLINE void ask_for(struct lab_matrix a, size_t m, size_t k)
{
    const uintptr_t at = (uintptr_t)a.at + (m * a.row + k * a.column) * sizeof *a.at;
    __builtin_prefetch((const void *)at);
}

// AVX-512 has 32 registers of 16 floats: 24 sums, 4 of b. AVX has 16 of 8: 12 sums, 2 of b.
#ifdef LAB_HAS_WIDE
#ifdef __clang__
#define LAB_TARGET(set) __attribute__((target(set)))
#else
#define LAB_TARGET(set) __attribute__((target(set), optimize("O3", "fp-contract=fast")))
#endif

#define LANES 16
#define VECTORS 4
#define NAME(x) x##_512
#define WIDE_CODE LAB_TARGET("avx512f")
#include "fast/common/tile_kernel.h"
#undef LANES
#undef VECTORS
#undef NAME
#undef WIDE_CODE

#define LANES 8
#define VECTORS 2
#define NAME(x) x##_256
#define WIDE_CODE LAB_TARGET("avx2,fma")
#include "fast/common/tile_kernel.h"
#undef LANES
#undef VECTORS
#undef NAME
#undef WIDE_CODE
#endif

// Every machine: registers of 4 floats.
#define LANES 4
#define VECTORS 2
#define NAME(x) x##_128
#define WIDE_CODE
#include "fast/common/tile_kernel.h"

// Columns n ... N - 1, which fill no register.
static void last_columns(float *restrict out, size_t out_row, struct lab_matrix a,
                         const float *restrict b, size_t b_row, size_t M, size_t n,
                         size_t N, size_t K, bool add)
{
    for (size_t m = 0; m < M; m++) {
        float *out_m = out + m * out_row;
        for (size_t j = n; j < N; j++) {
            float sum = add ? out_m[j] : 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a.at[m * a.row + k * a.column] * b[k * b_row + j];
            }
            out_m[j] = sum;
        }
    }
}

size_t lab_tile_columns(void)
{
#ifdef LAB_HAS_WIDE
    return __builtin_cpu_supports("avx512f") ? 64 : 16;
#else
    return 16;
#endif
}

void lab_tile_product(float *out, size_t out_row, struct lab_matrix a, const float *b,
                      size_t b_row, size_t M, size_t N, size_t K, bool add)
{
    size_t n = 0;
#ifdef LAB_HAS_WIDE
    if (__builtin_cpu_supports("avx512f")) {
        n = product_512(out, out_row, a, b, b_row, M, N, K, add);
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        n = product_256(out, out_row, a, b, b_row, M, N, K, add);
    }
#endif
    n += product_128(out + n, out_row, a, b + n, b_row, M, N - n, K, add);
    last_columns(out, out_row, a, b, b_row, M, n, N, K, add);
}
