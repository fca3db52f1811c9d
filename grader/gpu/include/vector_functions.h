// vector_functions.h - make_float4(x, y, z, w) and its relatives.

#ifndef GPU_VECTOR_FUNCTIONS_H
#define GPU_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define GPU_MAKERS(T, name)                                                              \
    static inline constexpr name##1 make_##name##1(T x)                                  \
    {                                                                                    \
        return name##1 {x};                                                              \
    }                                                                                    \
    static inline constexpr name##2 make_##name##2(T x, T y)                             \
    {                                                                                    \
        return name##2 {x, y};                                                           \
    }                                                                                    \
    static inline constexpr name##3 make_##name##3(T x, T y, T z)                        \
    {                                                                                    \
        return name##3 {x, y, z};                                                        \
    }                                                                                    \
    static inline constexpr name##4 make_##name##4(T x, T y, T z, T w)                   \
    {                                                                                    \
        return name##4 {x, y, z, w};                                                     \
    }

GPU_MAKERS(signed char, char)
GPU_MAKERS(unsigned char, uchar)
GPU_MAKERS(short, short)
GPU_MAKERS(unsigned short, ushort)
GPU_MAKERS(int, int)
GPU_MAKERS(unsigned, uint)
GPU_MAKERS(long, long)
GPU_MAKERS(unsigned long, ulong)
GPU_MAKERS(long long, longlong)
GPU_MAKERS(unsigned long long, ulonglong)
GPU_MAKERS(float, float)
GPU_MAKERS(double, double)
#undef GPU_MAKERS

#endif
