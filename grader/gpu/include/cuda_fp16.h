// cuda_fp16.h - half precision: conversions; simulated/small_float.h has the arithmetic.

#ifndef GPU_CUDA_FP16_H
#define GPU_CUDA_FP16_H

#include "simulated/small_float.h"

typedef gpu_small<5> __half;
typedef gpu_small2<5> __half2;
typedef gpu_small_raw<5> __half_raw;
typedef __half half;
typedef __half2 half2;

GPU_INLINE __half __float2half(float x)
{
    return __half(x);
}
GPU_INLINE __half __float2half_rn(float x)
{
    return __half(x);
}
GPU_INLINE __half __double2half(double x)
{
    return __half(x);
}
GPU_INLINE float __half2float(__half x)
{
    return x;
}
GPU_INLINE __half __int2half_rn(int x)
{
    return __half(x);
}
GPU_INLINE int __half2int_rn(__half x)
{
    return (int)rintf(x);
}
GPU_INLINE int __half2int_rz(__half x)
{
    return (int)(float)x;
}
GPU_INLINE __half __ushort_as_half(unsigned short bits)
{
    return __half_raw{bits};
}
GPU_INLINE unsigned short __half_as_ushort(__half x)
{
    return x.gpu_bits;
}
GPU_INLINE __half2 __floats2half2_rn(float x, float y)
{
    return __half2(x, y);
}
GPU_INLINE __half2 __float2half2_rn(float x)
{
    return __half2(x, x);
}
GPU_INLINE __half2 __float22half2_rn(float2 v)
{
    return __half2(v.x, v.y);
}
GPU_INLINE float2 __half22float2(__half2 v)
{
    return float2{v.x, v.y};
}
GPU_INLINE __half2 __halves2half2(__half x, __half y)
{
    return __half2(x, y);
}
GPU_INLINE __half2 make_half2(__half x, __half y)
{
    return __half2(x, y);
}
GPU_INLINE __half2 __half2half2(__half x)
{
    return __half2(x, x);
}
GPU_INLINE __half __low2half(__half2 v)
{
    return v.x;
}
GPU_INLINE __half __high2half(__half2 v)
{
    return v.y;
}

GPU_INLINE __half2 __low2half2(__half2 v)
{
    return __half2(v.x, v.x);
}
GPU_INLINE __half2 __high2half2(__half2 v)
{
    return __half2(v.y, v.y);
}
GPU_INLINE __half2 __lows2half2(__half2 v, __half2 w)
{
    return __half2(v.x, w.x);
}
GPU_INLINE __half2 __highs2half2(__half2 v, __half2 w)
{
    return __half2(v.y, w.y);
}
GPU_INLINE __half __short_as_half(short bits)
{
    return __half_raw{(unsigned short)bits};
}
GPU_INLINE short __half_as_short(__half x)
{
    return (short)x.gpu_bits;
}
GPU_INLINE int __half2int_rd(__half x)
{
    return (int)floorf(x);
}
GPU_INLINE int __half2int_ru(__half x)
{
    return (int)ceilf(x);
}
GPU_INLINE short __half2short_rn(__half x)
{
    return (short)rintf(x);
}
GPU_INLINE unsigned short __half2ushort_rn(__half x)
{
    return (unsigned short)rintf(x);
}
GPU_INLINE unsigned __half2uint_rn(__half x)
{
    return (unsigned)rintf(x);
}
GPU_INLINE __half __short2half_rn(short x)
{
    return __half((float)x);
}
GPU_INLINE __half __ushort2half_rn(unsigned short x)
{
    return __half((float)x);
}
GPU_INLINE __half __uint2half_rn(unsigned x)
{
    return __half(x);
}
// Towards zero: the nearest one, or the one before it if that is larger.
GPU_INLINE __half __float2half_rz(float x)
{
    __half nearest(x);
    bool away = fabsf((float)nearest) > fabsf(x);
    return away ? __half(__half_raw{(unsigned short)(nearest.gpu_bits - 1)}) : nearest;
}

#endif
