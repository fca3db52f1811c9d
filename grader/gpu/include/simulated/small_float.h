// small_float.h - floating-point numbers of 16 bits: half and bfloat16, with their arithmetic.
//
// A sum, difference, product or quotient is computed in float and rounded once, to nearest, ties
// to even. That is exact: a float has more than twice the digits, so rounding twice changes
// nothing. A double or a whole number is rounded to an odd float first.

#ifndef GPU_SIMULATED_SMALL_FLOAT_H
#define GPU_SIMULATED_SMALL_FLOAT_H

#include "cuda_runtime.h"
#include "simulated/small_bits.h"

// E tells the two types apart.
template <int exponent_bits> struct gpu_small_raw {
    unsigned short x;
};
template <int exponent_bits> struct __attribute__((aligned(2))) gpu_small {
    unsigned short gpu_bits;

    gpu_small() = default;
    GPU_MEMBER gpu_small(float x) : gpu_bits(gpu_round_small<exponent_bits>(x))
    {
    }
    GPU_MEMBER gpu_small(double x) : gpu_small(gpu_round_to_odd(x))
    {
    }
    GPU_MEMBER gpu_small(gpu_small_raw<exponent_bits> raw) : gpu_bits(raw.x)
    {
    }
#define GPU_FROM_INTEGER(T, value)                                                       \
    GPU_MEMBER gpu_small(T x) : gpu_small(value)                                         \
    {                                                                                    \
    }
    GPU_FROM_INTEGER(int, (double)x)
    GPU_FROM_INTEGER(unsigned, (double)x)
    GPU_FROM_INTEGER(short, (float)x)
    GPU_FROM_INTEGER(unsigned short, (float)x)
    GPU_FROM_INTEGER(long, gpu_whole_to_odd((long long)x))
    GPU_FROM_INTEGER(unsigned long, gpu_whole_to_odd((unsigned long long)x))
    GPU_FROM_INTEGER(long long, gpu_whole_to_odd(x))
    GPU_FROM_INTEGER(unsigned long long, gpu_whole_to_odd(x))
#undef GPU_FROM_INTEGER
    GPU_MEMBER operator float() const
    {
        return gpu_widen_small<exponent_bits>(gpu_bits);
    }
    GPU_MEMBER operator gpu_small_raw<exponent_bits>() const
    {
        return gpu_small_raw<exponent_bits>{gpu_bits};
    }
};

template <int exponent_bits> struct __attribute__((aligned(4))) gpu_small2 {
    gpu_small<exponent_bits> x, y;

    gpu_small2() = default;
    GPU_MEMBER gpu_small2(gpu_small<exponent_bits> first, gpu_small<exponent_bits> second)
        : x(first), y(second)
    {
    }
};

// ---- one number ----------------------------------------------------------------------------

#define GPU_SMALL_OPERATOR(sign)                                                         \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small<exponent_bits> operator sign(gpu_small<exponent_bits> a,        \
                                                      gpu_small<exponent_bits> b)        \
    {                                                                                    \
        return gpu_small<exponent_bits>((float)a sign(float) b);                         \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small<exponent_bits> &operator sign##=(gpu_small<exponent_bits> &a,   \
                                                          gpu_small<exponent_bits> b)    \
    {                                                                                    \
        return a = a sign b;                                                             \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small2<exponent_bits> operator sign(gpu_small2<exponent_bits> a,      \
                                                       gpu_small2<exponent_bits> b)      \
    {                                                                                    \
        return gpu_small2<exponent_bits>(a.x sign b.x, a.y sign b.y);                    \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small2<exponent_bits> &operator sign##=(gpu_small2<exponent_bits> &a, \
                                                           gpu_small2<exponent_bits> b)  \
    {                                                                                    \
        return a = a sign b;                                                             \
    }
GPU_SMALL_OPERATOR(+)
GPU_SMALL_OPERATOR(-)
GPU_SMALL_OPERATOR(*)
GPU_SMALL_OPERATOR(/)
#undef GPU_SMALL_OPERATOR

#define GPU_SMALL_COMPARE(sign)                                                          \
    template <int exponent_bits>                                                         \
    GPU_INLINE bool operator sign(gpu_small<exponent_bits> a,                            \
                                  gpu_small<exponent_bits> b)                            \
    {                                                                                    \
        return (float)a sign(float) b;                                                   \
    }
GPU_SMALL_COMPARE(==)
GPU_SMALL_COMPARE(!=)
GPU_SMALL_COMPARE(<)
GPU_SMALL_COMPARE(>)
GPU_SMALL_COMPARE(<=)
GPU_SMALL_COMPARE(>=)
#undef GPU_SMALL_COMPARE

template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits> operator-(gpu_small<exponent_bits> a)
{
    return gpu_small<exponent_bits>(-(float)a);
}

#define GPU_SMALL_BINARY(name, value)                                                    \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small<exponent_bits> __h##name(gpu_small<exponent_bits> a,            \
                                                  gpu_small<exponent_bits> b)            \
    {                                                                                    \
        return value;                                                                    \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small2<exponent_bits> __h##name##2(gpu_small2<exponent_bits> a,       \
                                                      gpu_small2<exponent_bits> b)       \
    {                                                                                    \
        return gpu_small2<exponent_bits>(__h##name(a.x, b.x), __h##name(a.y, b.y));      \
    }
GPU_SMALL_BINARY(add, a + b)
GPU_SMALL_BINARY(sub, a - b)
GPU_SMALL_BINARY(mul, a *b)
GPU_SMALL_BINARY(div, a / b)
GPU_SMALL_BINARY(max, gpu_small<exponent_bits>(fmaxf(a, b)))
GPU_SMALL_BINARY(min, gpu_small<exponent_bits>(fminf(a, b)))
#undef GPU_SMALL_BINARY

#define GPU_SMALL_TEST(name, sign)                                                       \
    template <int exponent_bits>                                                         \
    GPU_INLINE bool __h##name(gpu_small<exponent_bits> a, gpu_small<exponent_bits> b)    \
    {                                                                                    \
        return a sign b;                                                                 \
    }
GPU_SMALL_TEST(eq, ==)
GPU_SMALL_TEST(ne, !=)
GPU_SMALL_TEST(lt, <)
GPU_SMALL_TEST(le, <=)
GPU_SMALL_TEST(gt, >)
GPU_SMALL_TEST(ge, >=)
#undef GPU_SMALL_TEST

// In double: a product of two is exact there, and so is nearly every sum.
template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits>
__hfma(gpu_small<exponent_bits> a, gpu_small<exponent_bits> b, gpu_small<exponent_bits> c)
{
    return gpu_small<exponent_bits>((float)((double)(float)a * (float)b + (float)c));
}
template <int exponent_bits>
GPU_INLINE gpu_small2<exponent_bits> __hfma2(gpu_small2<exponent_bits> a,
                                             gpu_small2<exponent_bits> b,
                                             gpu_small2<exponent_bits> c)
{
    return gpu_small2<exponent_bits>(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#define GPU_SMALL_UNARY(name, value)                                                     \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small<exponent_bits> name(gpu_small<exponent_bits> a)                 \
    {                                                                                    \
        float x = a;                                                                     \
        return gpu_small<exponent_bits>(value);                                          \
    }
GPU_SMALL_UNARY(__hneg, -x)
GPU_SMALL_UNARY(__habs, fabsf(x))
GPU_SMALL_UNARY(hexp, expf(x))
GPU_SMALL_UNARY(hexp2, exp2f(x))
GPU_SMALL_UNARY(hlog, logf(x))
GPU_SMALL_UNARY(hlog2, log2f(x))
GPU_SMALL_UNARY(hsqrt, sqrtf(x))
GPU_SMALL_UNARY(hrsqrt, 1.0f / sqrtf(x))
GPU_SMALL_UNARY(hrcp, 1.0f / x)
GPU_SMALL_UNARY(hsin, sinf(x))
GPU_SMALL_UNARY(hcos, cosf(x))
GPU_SMALL_UNARY(htanh, tanhf(x))
GPU_SMALL_UNARY(hfloor, floorf(x))
GPU_SMALL_UNARY(hceil, ceilf(x))
GPU_SMALL_UNARY(hrint, rintf(x))
GPU_SMALL_UNARY(htrunc, truncf(x))
GPU_SMALL_UNARY(hexp10, exp10f(x))
GPU_SMALL_UNARY(hlog10, log10f(x))
#undef GPU_SMALL_UNARY
// Two at once.
#define GPU_SMALL_UNARY2(name, one)                                                      \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small2<exponent_bits> name(gpu_small2<exponent_bits> a)               \
    {                                                                                    \
        return gpu_small2<exponent_bits>(one(a.x), one(a.y));                            \
    }
GPU_SMALL_UNARY2(__hneg2, __hneg)
GPU_SMALL_UNARY2(__habs2, __habs)
GPU_SMALL_UNARY2(h2exp, hexp)
GPU_SMALL_UNARY2(h2exp2, hexp2)
GPU_SMALL_UNARY2(h2log, hlog)
GPU_SMALL_UNARY2(h2log2, hlog2)
GPU_SMALL_UNARY2(h2sqrt, hsqrt)
GPU_SMALL_UNARY2(h2rsqrt, hrsqrt)
GPU_SMALL_UNARY2(h2rcp, hrcp)
GPU_SMALL_UNARY2(h2sin, hsin)
GPU_SMALL_UNARY2(h2cos, hcos)
GPU_SMALL_UNARY2(h2floor, hfloor)
GPU_SMALL_UNARY2(h2ceil, hceil)
#undef GPU_SMALL_UNARY2

// Of two pairs: 1 or 0 for each, or whether both hold.
#define GPU_SMALL_TEST2(name)                                                            \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small2<exponent_bits> __h##name##2(gpu_small2<exponent_bits> a,       \
                                                      gpu_small2<exponent_bits> b)       \
    {                                                                                    \
        return gpu_small2<exponent_bits>(__h##name(a.x, b.x) ? 1.0f : 0.0f,              \
                                         __h##name(a.y, b.y) ? 1.0f : 0.0f);             \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_INLINE bool __hb##name##2(gpu_small2<exponent_bits> a,                           \
                                  gpu_small2<exponent_bits> b)                           \
    {                                                                                    \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                               \
    }
GPU_SMALL_TEST2(eq)
GPU_SMALL_TEST2(ne)
GPU_SMALL_TEST2(lt)
GPU_SMALL_TEST2(le)
GPU_SMALL_TEST2(gt)
GPU_SMALL_TEST2(ge)
#undef GPU_SMALL_TEST2

// _rn: never fused with an addition; _sat: cut off at 0 and 1.
#define GPU_SMALL_VARIANTS(name)                                                         \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small<exponent_bits> __h##name##_rn(gpu_small<exponent_bits> a,       \
                                                       gpu_small<exponent_bits> b)       \
    {                                                                                    \
        return __h##name(a, b);                                                          \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small2<exponent_bits> __h##name##2_rn(gpu_small2<exponent_bits> a,    \
                                                         gpu_small2<exponent_bits> b)    \
    {                                                                                    \
        return __h##name##2(a, b);                                                       \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small<exponent_bits> __h##name##_sat(gpu_small<exponent_bits> a,      \
                                                        gpu_small<exponent_bits> b)      \
    {                                                                                    \
        return gpu_small<exponent_bits>(__saturatef((float)__h##name(a, b)));            \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_INLINE gpu_small2<exponent_bits> __h##name##2_sat(gpu_small2<exponent_bits> a,   \
                                                          gpu_small2<exponent_bits> b)   \
    {                                                                                    \
        return gpu_small2<exponent_bits>(__h##name##_sat(a.x, b.x),                      \
                                         __h##name##_sat(a.y, b.y));                     \
    }
GPU_SMALL_VARIANTS(add)
GPU_SMALL_VARIANTS(sub)
GPU_SMALL_VARIANTS(mul)
#undef GPU_SMALL_VARIANTS
template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits> __hfma_relu(gpu_small<exponent_bits> a,
                                                gpu_small<exponent_bits> b,
                                                gpu_small<exponent_bits> c)
{
    return __hmax(__hfma(a, b, c), gpu_small<exponent_bits>(0.0f));
}
template <int exponent_bits>
GPU_INLINE gpu_small2<exponent_bits> __hfma2_relu(gpu_small2<exponent_bits> a,
                                                  gpu_small2<exponent_bits> b,
                                                  gpu_small2<exponent_bits> c)
{
    return gpu_small2<exponent_bits>(__hfma_relu(a.x, b.x, c.x),
                                     __hfma_relu(a.y, b.y, c.y));
}
template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits> __hfma_sat(gpu_small<exponent_bits> a,
                                               gpu_small<exponent_bits> b,
                                               gpu_small<exponent_bits> c)
{
    return gpu_small<exponent_bits>(__saturatef((float)__hfma(a, b, c)));
}

template <int exponent_bits>
GPU_INLINE gpu_small2<exponent_bits> __lowhigh2highlow(gpu_small2<exponent_bits> a)
{
    return gpu_small2<exponent_bits>(a.y, a.x);
}

template <int exponent_bits>
GPU_INLINE gpu_small2<exponent_bits> __h2div(gpu_small2<exponent_bits> a,
                                             gpu_small2<exponent_bits> b)
{
    return gpu_small2<exponent_bits>(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
template <int exponent_bits>
GPU_INLINE bool operator==(gpu_small2<exponent_bits> a, gpu_small2<exponent_bits> b)
{
    return __hbeq2(a, b);
}
template <int exponent_bits>
GPU_INLINE bool operator!=(gpu_small2<exponent_bits> a, gpu_small2<exponent_bits> b)
{
    return __hbne2(a, b);
}

template <int exponent_bits> GPU_INLINE bool __hisnan(gpu_small<exponent_bits> a)
{
    return (float)a != (float)a;
}
template <int exponent_bits> GPU_INLINE int __hisinf(gpu_small<exponent_bits> a)
{
    return isinf((float)a) ? ((float)a > 0 ? 1 : -1) : 0;
}

// ---- two numbers ---------------------------------------------------------------------------

#define GPU_SMALL_OF_TWO(name, T, value)                                                 \
    template <int exponent_bits> GPU_INLINE T name(gpu_small2<exponent_bits> a)          \
    {                                                                                    \
        return value;                                                                    \
    }
GPU_SMALL_OF_TWO(__low2float, float, a.x)
GPU_SMALL_OF_TWO(__high2float, float, a.y)
#undef GPU_SMALL_OF_TWO

// ---- memory and warps ----------------------------------------------------------------------

template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits> gpu_small_of(unsigned bits)
{
    return gpu_small<exponent_bits>(gpu_small_raw<exponent_bits>{(unsigned short)bits});
}
#define GPU_SMALL_SHUFFLE(name, U)                                                       \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small<exponent_bits> name(                                            \
        unsigned mask, gpu_small<exponent_bits> value, U by, int width = 32)             \
    {                                                                                    \
        return gpu_small_of<exponent_bits>(                                              \
            name(mask, (unsigned)value.gpu_bits, by, width));                            \
    }                                                                                    \
    template <int exponent_bits>                                                         \
    GPU_MEMBER gpu_small2<exponent_bits> name(                                           \
        unsigned mask, gpu_small2<exponent_bits> value, U by, int width = 32)            \
    {                                                                                    \
        unsigned both = value.x.gpu_bits | (unsigned)value.y.gpu_bits << 16;             \
        both = name(mask, both, by, width);                                              \
        return gpu_small2<exponent_bits>(gpu_small_of<exponent_bits>(both),              \
                                         gpu_small_of<exponent_bits>(both >> 16));       \
    }
GPU_SMALL_SHUFFLE(__shfl_sync, int)
GPU_SMALL_SHUFFLE(__shfl_up_sync, unsigned)
GPU_SMALL_SHUFFLE(__shfl_down_sync, unsigned)
GPU_SMALL_SHUFFLE(__shfl_xor_sync, int)
#undef GPU_SMALL_SHUFFLE

template <int exponent_bits>
GPU_INLINE gpu_small<exponent_bits> atomicAdd(gpu_small<exponent_bits> *address,
                                              gpu_small<exponent_bits> value)
{
    unsigned short *at = &address->gpu_bits, seen = atomicCAS(at, 0, 0), old;
    do {
        old = seen;
        seen = atomicCAS(at, old, (gpu_small_of<exponent_bits>(old) + value).gpu_bits);
    } while (seen != old);
    return gpu_small_of<exponent_bits>(old);
}
template <int exponent_bits>
GPU_INLINE gpu_small2<exponent_bits> atomicAdd(gpu_small2<exponent_bits> *address,
                                               gpu_small2<exponent_bits> value)
{
    return gpu_small2<exponent_bits>(atomicAdd(&address->x, value.x),
                                     atomicAdd(&address->y, value.y));
}

#endif
