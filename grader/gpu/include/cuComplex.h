// cuComplex.h - complex numbers as pairs: cuCaddf(a, b), cuCmul(a, b) ...

#ifndef GPU_CU_COMPLEX_H
#define GPU_CU_COMPLEX_H

#include <math.h>

#include "vector_functions.h"

// name(a, b) is a function with f behind it for float, and without it for double.
#define GPU_COMPLEX(T, pair, complex, name)                                              \
    typedef pair complex;                                                                \
    static inline complex make_##complex(T x, T y)                                       \
    {                                                                                    \
        return complex{x, y};                                                            \
    }                                                                                    \
    static inline T name(cuCreal)(complex a)                                             \
    {                                                                                    \
        return a.x;                                                                      \
    }                                                                                    \
    static inline T name(cuCimag)(complex a)                                             \
    {                                                                                    \
        return a.y;                                                                      \
    }                                                                                    \
    static inline complex name(cuConj)(complex a)                                        \
    {                                                                                    \
        return complex{a.x, -a.y};                                                       \
    }                                                                                    \
    static inline complex name(cuCadd)(complex a, complex b)                             \
    {                                                                                    \
        return complex{a.x + b.x, a.y + b.y};                                            \
    }                                                                                    \
    static inline complex name(cuCsub)(complex a, complex b)                             \
    {                                                                                    \
        return complex{a.x - b.x, a.y - b.y};                                            \
    }                                                                                    \
    static inline complex name(cuCmul)(complex a, complex b)                             \
    {                                                                                    \
        return complex{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                    \
    }                                                                                    \
    static inline complex name(cuCfma)(complex a, complex b, complex c)                  \
    {                                                                                    \
        return name(cuCadd)(name(cuCmul)(a, b), c);                                      \
    }                                                                                    \
    /* b is divided by its size first, so that its square is no overflow */              \
    static inline complex name(cuCdiv)(complex a, complex b)                             \
    {                                                                                    \
        T size = name(fabs)(b.x) + name(fabs)(b.y);                                      \
        T ax = a.x / size, ay = a.y / size, bx = b.x / size, by = b.y / size;            \
        T square = bx * bx + by * by;                                                    \
        return complex{(ax * bx + ay * by) / square, (ay * bx - ax * by) / square};      \
    }                                                                                    \
    static inline T name(cuCabs)(complex a)                                              \
    {                                                                                    \
        return name(hypot)(a.x, a.y);                                                    \
    }

#define GPU_COMPLEX_F(name) name##f
#define GPU_COMPLEX_D(name) name
GPU_COMPLEX(float, float2, cuFloatComplex, GPU_COMPLEX_F)
GPU_COMPLEX(double, double2, cuDoubleComplex, GPU_COMPLEX_D)
#undef GPU_COMPLEX
#undef GPU_COMPLEX_F
#undef GPU_COMPLEX_D

typedef cuFloatComplex cuComplex;

static inline cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_cuDoubleComplex(a.x, a.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_cuFloatComplex((float)a.x, (float)a.y);
}

#endif
