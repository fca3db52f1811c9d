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
    return __half((float)x);
}
GPU_INLINE float __half2float(__half x)
{
    return x;
}
GPU_INLINE __half __int2half_rn(int x)
{
    return __half((float)x);
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

#endif
