// ptx.h - the instructions of inline assembly that are simulated (translate/assembly.c has their
// names). Shared memory has addresses of 32 bits: the distance from its beginning.

#ifndef GPU_SIMULATED_PTX_H
#define GPU_SIMULATED_PTX_H

#include "simulated/async.h"
#include "simulated/matrix.h"
#include "simulated/small_bits.h"

#define PTX GPU_INLINE __attribute__((unused))

// ---- registers -----------------------------------------------------------------------------

GPU_INLINE unsigned ptx_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
PTX unsigned ptx_register_laneid()
{
    return ptx_thread() % 32;
}
PTX unsigned ptx_register_warpid()
{
    return ptx_thread() / 32;
}
PTX unsigned long long ptx_register_globaltimer()
{
    return (unsigned long long)clock64();
}
PTX unsigned ptx_register_smid()
{
    return 0;
}
PTX unsigned ptx_register_lanemask_eq()
{
    return 1u << ptx_register_laneid();
}
PTX unsigned ptx_register_lanemask_lt()
{
    return ptx_register_lanemask_eq() - 1;
}
PTX unsigned ptx_register_lanemask_le()
{
    return ptx_register_lanemask_lt() | ptx_register_lanemask_eq();
}
PTX unsigned ptx_register_lanemask_ge()
{
    return ~ptx_register_lanemask_lt();
}
PTX unsigned ptx_register_lanemask_gt()
{
    return ~ptx_register_lanemask_le();
}

// ---- numbers -------------------------------------------------------------------------------

#define PTX_MOVE(name)                                                                   \
    template <typename T, typename Other> PTX void name(T &to, Other from)               \
    {                                                                                    \
        to = (T)from;                                                                    \
    }
PTX_MOVE(ptx_mov_u32)
PTX_MOVE(ptx_mov_s32)
PTX_MOVE(ptx_mov_b32)
PTX_MOVE(ptx_mov_u64)
PTX_MOVE(ptx_mov_f32)
#undef PTX_MOVE

#define PTX_UNARY(name, value)                                                           \
    PTX void name(float &to, float x)                                                    \
    {                                                                                    \
        to = value;                                                                      \
    }
PTX_UNARY(ptx_ex2_approx_f32, exp2f(x))
PTX_UNARY(ptx_ex2_approx_ftz_f32, exp2f(x))
PTX_UNARY(ptx_lg2_approx_f32, log2f(x))
PTX_UNARY(ptx_lg2_approx_ftz_f32, log2f(x))
PTX_UNARY(ptx_rcp_approx_f32, 1 / x)
PTX_UNARY(ptx_rcp_approx_ftz_f32, 1 / x)
PTX_UNARY(ptx_rsqrt_approx_f32, 1 / sqrtf(x))
PTX_UNARY(ptx_rsqrt_approx_ftz_f32, 1 / sqrtf(x))
PTX_UNARY(ptx_sqrt_approx_f32, sqrtf(x))
PTX_UNARY(ptx_tanh_approx_f32, tanhf(x))
#undef PTX_UNARY
PTX void ptx_fma_rn_f32(float &to, float x, float y, float z)
{
    to = fmaf(x, y, z);
}
PTX void ptx_add_f32(float &to, float x, float y)
{
    to = x + y;
}
PTX void ptx_mul_f32(float &to, float x, float y)
{
    to = x * y;
}
PTX void ptx_cvt_rn_f16x2_f32(unsigned &to, float high, float low)
{
    to = (unsigned)gpu_round_small<5>(high) << 16 | gpu_round_small<5>(low);
}
PTX void ptx_cvt_rn_bf16x2_f32(unsigned &to, float high, float low)
{
    to = (unsigned)gpu_round_small<8>(high) << 16 | gpu_round_small<8>(low);
}
PTX void ptx_membar_gl()
{
    __threadfence();
}

// ---- copies --------------------------------------------------------------------------------

// present: the bytes to copy; the others are zeros.
template <typename To, typename From>
PTX void ptx_cp_async_ca_shared_global(To to, From from, int bytes, int present)
{
    gpu_copy_async(__cvta_shared_to_generic(to), (const void *)from, (size_t)bytes,
                   (size_t)(bytes - present), (size_t)bytes, NULL);
}
template <typename To, typename From>
PTX void ptx_cp_async_ca_shared_global(To to, From from, int bytes)
{
    ptx_cp_async_ca_shared_global(to, from, bytes, bytes);
}
template <typename To, typename From>
PTX void ptx_cp_async_cg_shared_global(To to, From from, int bytes, int present)
{
    ptx_cp_async_ca_shared_global(to, from, bytes, present);
}
template <typename To, typename From>
PTX void ptx_cp_async_cg_shared_global(To to, From from, int bytes)
{
    ptx_cp_async_ca_shared_global(to, from, bytes, bytes);
}
PTX void ptx_cp_async_commit_group()
{
    gpu_copy_commit();
}
PTX void ptx_cp_async_wait_group(int last)
{
    gpu_copy_wait((unsigned)last);
}
PTX void ptx_cp_async_wait_all()
{
    gpu_copy_commit();
    gpu_copy_wait(0);
}

// ---- tensor cores --------------------------------------------------------------------------

template <unsigned matrices, bool transposed, typename From>
PTX void ptx_load(unsigned *to, From from)
{
    struct __attribute__((may_alias, aligned(16))) line {
        unsigned word[4];
    };
    gpu_matrix_row row = {{}, to, matrices, transposed};
    if (ptx_register_laneid() < 8 * matrices) {
        const void *at = __cvta_shared_to_generic(from);
        gpu_check_alignment(at, 16);
        line read = *(const line *)at;
        for (int i = 0; i < 4; i++) {
            row.word[i] = read.word[i];
        }
    }
    gpu_load_matrices(&row);
}
#define PTX_LDMATRIX(name, transposed)                                                   \
    template <typename T, typename From>                                                 \
    PTX void ptx_ldmatrix_sync_aligned_m8n8_x1##name(T &a, From from)                    \
    {                                                                                    \
        unsigned to[1];                                                                  \
        ptx_load<1, transposed>(to, from);                                               \
        a = to[0];                                                                       \
    }                                                                                    \
    template <typename T, typename From>                                                 \
    PTX void ptx_ldmatrix_sync_aligned_m8n8_x2##name(T &a, T &b, From from)              \
    {                                                                                    \
        unsigned to[2];                                                                  \
        ptx_load<2, transposed>(to, from);                                               \
        a = to[0];                                                                       \
        b = to[1];                                                                       \
    }                                                                                    \
    template <typename T, typename From>                                                 \
    PTX void ptx_ldmatrix_sync_aligned_m8n8_x4##name(T &a, T &b, T &c, T &d, From from)  \
    {                                                                                    \
        unsigned to[4];                                                                  \
        ptx_load<4, transposed>(to, from);                                               \
        a = to[0];                                                                       \
        b = to[1];                                                                       \
        c = to[2];                                                                       \
        d = to[3];                                                                       \
    }
PTX_LDMATRIX(_shared_b16, false)
PTX_LDMATRIX(_trans_shared_b16, true)
#undef PTX_LDMATRIX

#define PTX_PRODUCT(name, k, of_ab, of_cd, D, A2, B2)                                    \
    PTX void name(D &d0, D &d1, D &d2, D &d3, PTX_A##A2, PTX_B##B2, D c0, D c1, D c2,    \
                  D c3)                                                                  \
    {                                                                                    \
        const unsigned a[] = {PTX_A##A2##_LIST}, b[] = {PTX_B##B2##_LIST};               \
        const D c[] = {c0, c1, c2, c3};                                                  \
        D d[4];                                                                          \
        const gpu_product product = {16,    8,     k,     false, true,           false,  \
                                     of_ab, of_ab, of_cd, of_cd, GPU_PLACES_PTX, a,      \
                                     b,     c,     d};                                   \
        gpu_multiply(&product);                                                          \
        d0 = d[0];                                                                       \
        d1 = d[1];                                                                       \
        d2 = d[2];                                                                       \
        d3 = d[3];                                                                       \
    }
#define PTX_A4 unsigned a0, unsigned a1, unsigned a2, unsigned a3
#define PTX_A4_LIST a0, a1, a2, a3
#define PTX_A2 unsigned a0, unsigned a1
#define PTX_A2_LIST a0, a1
#define PTX_B2 unsigned b0, unsigned b1
#define PTX_B2_LIST b0, b1
#define PTX_B1 unsigned b0
#define PTX_B1_LIST b0
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32, 16, GPU_HALF,
            GPU_FLOAT, float, 4, 2)
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32, 16, GPU_BFLOAT16,
            GPU_FLOAT, float, 4, 2)
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k8_row_col_f32_f16_f16_f32, 8, GPU_HALF, GPU_FLOAT,
            float, 2, 1)
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32, 8, GPU_TF32,
            GPU_FLOAT, float, 4, 2)
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k16_row_col_s32_s8_s8_s32, 16, GPU_SIGNED_CHAR,
            GPU_INT, int, 2, 1)
PTX_PRODUCT(ptx_mma_sync_aligned_m16n8k32_row_col_s32_s8_s8_s32, 32, GPU_SIGNED_CHAR,
            GPU_INT, int, 4, 2)
#undef PTX_PRODUCT

PTX void ptx_mma_sync_aligned_m16n8k16_row_col_f16_f16_f16_f16(unsigned &d0, unsigned &d1,
                                                               PTX_A4, PTX_B2,
                                                               unsigned c0, unsigned c1)
{
    const unsigned a[] = {PTX_A4_LIST}, b[] = {PTX_B2_LIST}, c[] = {c0, c1};
    unsigned d[2];
    const gpu_product product = {
        16,       8,        16,       false,    true,           false,
        GPU_HALF, GPU_HALF, GPU_HALF, GPU_HALF, GPU_PLACES_PTX, a,
        b,        c,        d};
    gpu_multiply(&product);
    d0 = d[0];
    d1 = d[1];
}

#endif
