// cuda_bf16.h - bfloat16: conversions; simulated/small_float.h has the arithmetic.

#ifndef GPU_CUDA_BF16_H
#define GPU_CUDA_BF16_H

#include "simulated/small_float.h"

typedef gpu_small<8> __nv_bfloat16;
typedef gpu_small2<8> __nv_bfloat162;
typedef gpu_small_raw<8> __nv_bfloat16_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

GPU_INLINE __nv_bfloat16 __float2bfloat16(float x)
{
    return __nv_bfloat16(x);
}
GPU_INLINE __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __nv_bfloat16(x);
}
GPU_INLINE __nv_bfloat16 __double2bfloat16(double x)
{
    return __nv_bfloat16(x);
}
GPU_INLINE float __bfloat162float(__nv_bfloat16 x)
{
    return x;
}
GPU_INLINE __nv_bfloat16 __int2bfloat16_rn(int x)
{
    return __nv_bfloat16(x);
}
GPU_INLINE int __bfloat162int_rn(__nv_bfloat16 x)
{
    return (int)rintf(x);
}
GPU_INLINE int __bfloat162int_rz(__nv_bfloat16 x)
{
    return (int)(float)x;
}
GPU_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    return __nv_bfloat16_raw{bits};
}
GPU_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x)
{
    return x.gpu_bits;
}
GPU_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(x, y);
}
GPU_INLINE __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return __nv_bfloat162(x, x);
}
GPU_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __nv_bfloat162(v.x, v.y);
}
GPU_INLINE float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return float2{v.x, v.y};
}
GPU_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
GPU_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
GPU_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x)
{
    return __nv_bfloat162(x, x);
}
GPU_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w)
{
    return __nv_bfloat162(v.x, w.x);
}
GPU_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w)
{
    return __nv_bfloat162(v.y, w.y);
}
GPU_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.x, v.x);
}
GPU_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.y);
}
GPU_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned x)
{
    return __nv_bfloat16(x);
}
GPU_INLINE unsigned __bfloat162uint_rz(__nv_bfloat16 x)
{
    return (unsigned)(float)x;
}
GPU_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
GPU_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}

#endif
