// vector_types.h - dim3 and the short vectors of CUDA: float2, float4, uint3 ...
//
// Sizes and alignments as on a device: a float4 is aligned to 16 bytes, a float3 to 4.

#ifndef GPU_VECTOR_TYPES_H
#define GPU_VECTOR_TYPES_H

#define GPU_VECTORS(T, name, alignment2, alignment4)                                     \
    struct name##1                                                                       \
    {                                                                                    \
        T x;                                                                             \
    };                                                                                   \
    struct __attribute__((aligned(alignment2))) name##2                                  \
    {                                                                                    \
        T x, y;                                                                          \
    };                                                                                   \
    struct name##3                                                                       \
    {                                                                                    \
        T x, y, z;                                                                       \
    };                                                                                   \
    struct __attribute__((aligned(alignment4))) name##4                                  \
    {                                                                                    \
        T x, y, z, w;                                                                    \
    };                                                                                   \
    typedef struct name##1 name##1;                                                      \
    typedef struct name##2 name##2;                                                      \
    typedef struct name##3 name##3;                                                      \
    typedef struct name##4 name##4;

GPU_VECTORS(signed char, char, 2, 4)
GPU_VECTORS(unsigned char, uchar, 2, 4)
GPU_VECTORS(short, short, 4, 8)
GPU_VECTORS(unsigned short, ushort, 4, 8)
GPU_VECTORS(int, int, 8, 16)
GPU_VECTORS(unsigned, uint, 8, 16)
GPU_VECTORS(long, long, 16, 16)
GPU_VECTORS(unsigned long, ulong, 16, 16)
GPU_VECTORS(long long, longlong, 16, 16)
GPU_VECTORS(unsigned long long, ulonglong, 16, 16)
GPU_VECTORS(float, float, 8, 16)
GPU_VECTORS(double, double, 16, 16)
#undef GPU_VECTORS

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
        : x(width), y(height), z(depth)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
