// math.h - the arithmetic that CUDA adds to C's: rsqrtf, __expf, min and max, __popc ...
//
// The fast forms (__expf ...) are as exact here as the plain ones. On a device they are
// less exact, and code that depends on the difference is wrong in both cases.

#ifndef GPU_SIMULATED_MATH_H
#define GPU_SIMULATED_MATH_H

#define GPU_INLINE static inline __attribute__((always_inline))
#define GPU_MEMBER inline __attribute__((always_inline))

#define GPU_MIN_MAX(T)                                                                   \
    GPU_INLINE constexpr T min(T a, T b)                                                 \
    {                                                                                    \
        return b < a ? b : a;                                                            \
    }                                                                                    \
    GPU_INLINE constexpr T max(T a, T b)                                                 \
    {                                                                                    \
        return a < b ? b : a;                                                            \
    }
GPU_MIN_MAX(int)
GPU_MIN_MAX(unsigned)
GPU_MIN_MAX(long)
GPU_MIN_MAX(unsigned long)
GPU_MIN_MAX(long long)
GPU_MIN_MAX(unsigned long long)
#undef GPU_MIN_MAX

// Mixed signed and unsigned arguments are compared as unsigned, as in CUDA's headers.
#define GPU_MIXED(S, U)                                                                  \
    GPU_INLINE constexpr U min(S a, U b)                                                 \
    {                                                                                    \
        return min((U)a, b);                                                             \
    }                                                                                    \
    GPU_INLINE constexpr U min(U a, S b)                                                 \
    {                                                                                    \
        return min(a, (U)b);                                                             \
    }                                                                                    \
    GPU_INLINE constexpr U max(S a, U b)                                                 \
    {                                                                                    \
        return max((U)a, b);                                                             \
    }                                                                                    \
    GPU_INLINE constexpr U max(U a, S b)                                                 \
    {                                                                                    \
        return max(a, (U)b);                                                             \
    }
GPU_MIXED(int, unsigned)
GPU_MIXED(long, unsigned long)
GPU_MIXED(long long, unsigned long long)
#undef GPU_MIXED

#define GPU_OLD_NAME(prefix, T)                                                          \
    GPU_INLINE constexpr T prefix##min(T a, T b)                                         \
    {                                                                                    \
        return min(a, b);                                                                \
    }                                                                                    \
    GPU_INLINE constexpr T prefix##max(T a, T b)                                         \
    {                                                                                    \
        return max(a, b);                                                                \
    }
GPU_OLD_NAME(u, unsigned)
GPU_OLD_NAME(ll, long long)
GPU_OLD_NAME(ull, unsigned long long)
#undef GPU_OLD_NAME

// For floating point these are fminf and fmaxf, which ignore NaN.
GPU_INLINE float min(float a, float b)
{
    return fminf(a, b);
}
GPU_INLINE float max(float a, float b)
{
    return fmaxf(a, b);
}
GPU_INLINE double min(double a, double b)
{
    return fmin(a, b);
}
GPU_INLINE double max(double a, double b)
{
    return fmax(a, b);
}
GPU_INLINE double min(float a, double b)
{
    return fmin((double)a, b);
}
GPU_INLINE double min(double a, float b)
{
    return fmin(a, (double)b);
}
GPU_INLINE double max(float a, double b)
{
    return fmax((double)a, b);
}
GPU_INLINE double max(double a, float b)
{
    return fmax(a, (double)b);
}

// The C library declares functions of these names for its own use, so they are macros here.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, sine, cosine) sincosf(x, sine, cosine)

// glibc declares these, too: sinpif and cospif from 2.41 on, rsqrtf and rsqrt from 2.42 on.
#define rsqrtf gpu_rsqrtf
#define rsqrt gpu_rsqrt
#define sinpif gpu_sinpif
#define cospif gpu_cospif

#define GPU_ONE_ARGUMENT(name, T, value)                                                 \
    GPU_INLINE T name(T x)                                                               \
    {                                                                                    \
        return value;                                                                    \
    }
GPU_ONE_ARGUMENT(rsqrtf, float, 1.0f / sqrtf(x))
GPU_ONE_ARGUMENT(rsqrt, double, 1.0 / sqrt(x))
GPU_ONE_ARGUMENT(__frcp_rn, float, 1.0f / x)
GPU_ONE_ARGUMENT(__fsqrt_rn, float, sqrtf(x))
GPU_ONE_ARGUMENT(__frsqrt_rn, float, 1.0f / sqrtf(x))
GPU_ONE_ARGUMENT(__saturatef, float, fminf(fmaxf(x, 0.0f), 1.0f))
GPU_ONE_ARGUMENT(normcdff, float, 0.5f * erfcf(-x * 0.70710678f))
GPU_ONE_ARGUMENT(normcdf, double, 0.5 * erfc(-x * 0.70710678118654752440))
#undef GPU_ONE_ARGUMENT

#define GPU_TWO_ARGUMENTS(name, T, value)                                                \
    GPU_INLINE T name(T x, T y)                                                          \
    {                                                                                    \
        return value;                                                                    \
    }
GPU_TWO_ARGUMENTS(__fdividef, float, x / y)
GPU_TWO_ARGUMENTS(fdividef, float, x / y)
GPU_TWO_ARGUMENTS(__fdiv_rn, float, x / y)
GPU_TWO_ARGUMENTS(__fadd_rn, float, x + y)
GPU_TWO_ARGUMENTS(__fsub_rn, float, x - y)
GPU_TWO_ARGUMENTS(__fmul_rn, float, x *y)
GPU_TWO_ARGUMENTS(__mul24, int, x *y)
GPU_TWO_ARGUMENTS(__umul24, unsigned, x *y)
#undef GPU_TWO_ARGUMENTS

// Rounded downwards, upwards or towards zero: the nearest result, and one step further if it lies on
// the other side of the exact one. rest has the sign of the exact result minus the rounded one, z.
#define GPU_DIRECTED(name, T, next, parameters, value, rest)                             \
    GPU_INLINE T name##_rd parameters                                                    \
    {                                                                                    \
        T z = value;                                                                     \
        return isfinite(z) && (rest) < 0 ? next(z, -(T)INFINITY) : z;                    \
    }                                                                                    \
    GPU_INLINE T name##_ru parameters                                                    \
    {                                                                                    \
        T z = value;                                                                     \
        return isfinite(z) && (rest) > 0 ? next(z, (T)INFINITY) : z;                     \
    }                                                                                    \
    GPU_INLINE T name##_rz parameters                                                    \
    {                                                                                    \
        T z = value;                                                                     \
        bool away = z < 0 ? (rest) > 0 : (rest) < 0;                                     \
        return isfinite(z) && away ? next(z, (T)0) : z;                                  \
    }
// The rest of a sum by Knuth's TwoSum, of the others by one rounding of a product and a sum.
#define GPU_DIRECTED_OF(T, prefix, next, root, fma)                                      \
    GPU_DIRECTED(__##prefix##add, T, next, (T x, T y), x + y,                            \
                 (x - (z - (z - x))) + (y - (z - x)))                                    \
    GPU_DIRECTED(__##prefix##sub, T, next, (T x, T y), x - y,                            \
                 (x - (z - (z - x))) - (y + (z - x)))                                    \
    GPU_DIRECTED(__##prefix##mul, T, next, (T x, T y), x *y, fma(x, y, -z))              \
    GPU_DIRECTED(__##prefix##div, T, next, (T x, T y), x / y,                            \
                 (y < 0 ? -fma(-z, y, x) : fma(-z, y, x)))                               \
    GPU_DIRECTED(__##prefix##sqrt, T, next, (T x), root(x), fma(-z, z, x))
GPU_DIRECTED_OF(float, f, nextafterf, sqrtf, fmaf)
GPU_DIRECTED_OF(double, d, nextafter, sqrt, fma)
#undef GPU_DIRECTED_OF
#undef GPU_DIRECTED

GPU_INLINE double __dadd_rn(double x, double y)
{
    return x + y;
}
GPU_INLINE double __dmul_rn(double x, double y)
{
    return x * y;
}
GPU_INLINE double __ddiv_rn(double x, double y)
{
    return x / y;
}
GPU_INLINE double __dsqrt_rn(double x)
{
    return sqrt(x);
}
GPU_INLINE float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
GPU_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
GPU_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
GPU_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
GPU_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
GPU_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
GPU_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
GPU_INLINE int __float_as_int(float x)
{
    return __builtin_bit_cast(int, x);
}
GPU_INLINE unsigned __float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
GPU_INLINE float __int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}
GPU_INLINE float __uint_as_float(unsigned x)
{
    return __builtin_bit_cast(float, x);
}
GPU_INLINE long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
GPU_INLINE double __longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
GPU_INLINE int __float2int_rn(float x)
{
    return (int)rintf(x);
}
GPU_INLINE float __int2float_rn(int x)
{
    return (float)x;
}

GPU_INLINE unsigned __float2uint_rn(float x)
{
    return (unsigned)rintf(x);
}
GPU_INLINE int __float2int_rz(float x)
{
    return (int)x;
}
GPU_INLINE int __float2int_rd(float x)
{
    return (int)floorf(x);
}
GPU_INLINE int __float2int_ru(float x)
{
    return (int)ceilf(x);
}
GPU_INLINE float __uint2float_rn(unsigned x)
{
    return (float)x;
}
GPU_INLINE float __double2float_rn(double x)
{
    return (float)x;
}
GPU_INLINE int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
GPU_INLINE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
GPU_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
GPU_INLINE long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
GPU_INLINE int __hadd(int x, int y) // half of the sum, without overflow
{
    return (int)(((long long)x + y) >> 1);
}
GPU_INLINE int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
GPU_INLINE unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
GPU_INLINE unsigned __sad(int x, int y, unsigned z)
{
    long long difference = (long long)x - y;
    return (unsigned)(difference < 0 ? -difference : difference) + z;
}
GPU_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return (x > y ? x - y : y - x) + z;
}
// The sum of four products of bytes, and z.
GPU_INLINE int __dp4a(int x, int y, int z)
{
    for (int i = 0; i < 32; i += 8) {
        z += (signed char)(x >> i) * (signed char)(y >> i);
    }
    return z;
}
GPU_INLINE unsigned __dp4a(unsigned x, unsigned y, unsigned z)
{
    for (int i = 0; i < 32; i += 8) {
        z += (x >> i & 0xff) * (y >> i & 0xff);
    }
    return z;
}
// The bit that is the offset-th set bit of the mask, from base upwards; downwards if negative. All ones
// if there is none; for 0, base if it is set.
GPU_INLINE unsigned __fns(unsigned mask, unsigned base, int offset)
{
    int left = offset < 0 ? -offset : offset, step = offset < 0 ? -1 : 1;
    for (int bit = (int)base; bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1) != 0 && --left <= 0) {
            return (unsigned)bit;
        }
        if (offset == 0) {
            break;
        }
    }
    return ~0u;
}

// Arithmetic on the four bytes, or the two halves, of a word.
template <typename T, typename Function>
GPU_INLINE unsigned gpu_each_part(unsigned x, unsigned y, Function f)
{
    constexpr unsigned bits = 8 * sizeof(T), mask = (1u << bits) - 1;
    unsigned result = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        result |= ((unsigned)f((T)(x >> at & mask), (T)(y >> at & mask)) & mask) << at;
    }
    return result;
}
#define GPU_PARTS(name, T, value)                                                        \
    GPU_INLINE unsigned name(unsigned x, unsigned y)                                     \
    {                                                                                    \
        return gpu_each_part<T>(x, y, [](int a, int b) { return value; });               \
    }
#define GPU_BOTH_PARTS(name, sign, value)                                                \
    GPU_PARTS(name##4, sign char, value)                                                 \
    GPU_PARTS(name##2, sign short, value)
GPU_BOTH_PARTS(__vadd, unsigned, a + b)
GPU_BOTH_PARTS(__vsub, unsigned, a - b)
GPU_BOTH_PARTS(__vavgu, unsigned, (a + b + 1) >> 1)
GPU_BOTH_PARTS(__vhaddu, unsigned, (a + b) >> 1)
GPU_BOTH_PARTS(__vmaxu, unsigned, a > b ? a : b)
GPU_BOTH_PARTS(__vminu, unsigned, a < b ? a : b)
GPU_BOTH_PARTS(__vmaxs, signed, a > b ? a : b)
GPU_BOTH_PARTS(__vmins, signed, a < b ? a : b)
GPU_BOTH_PARTS(__vabsdiffu, unsigned, a > b ? a - b : b - a)
GPU_BOTH_PARTS(__vcmpeq, unsigned, a == b ? -1 : 0)
GPU_BOTH_PARTS(__vcmpne, unsigned, a != b ? -1 : 0)
GPU_BOTH_PARTS(__vcmpgtu, unsigned, a > b ? -1 : 0)
GPU_BOTH_PARTS(__vcmpltu, unsigned, a < b ? -1 : 0)
GPU_BOTH_PARTS(__vcmpgts, signed, a > b ? -1 : 0)
GPU_BOTH_PARTS(__vseteq, unsigned, a == b)
#undef GPU_BOTH_PARTS
#undef GPU_PARTS

// Other conversions: their rounding is in the name.
#define GPU_CONVERT(name, T, U, value)                                                   \
    GPU_INLINE U name(T x)                                                               \
    {                                                                                    \
        return (U)(value);                                                               \
    }
GPU_CONVERT(__float2uint_rz, float, unsigned, x)
GPU_CONVERT(__float2uint_rd, float, unsigned, floorf(x))
GPU_CONVERT(__float2uint_ru, float, unsigned, ceilf(x))
GPU_CONVERT(__float2ll_rn, float, long long, rintf(x))
GPU_CONVERT(__float2ll_rz, float, long long, x)
GPU_CONVERT(__float2ull_rn, float, unsigned long long, rintf(x))
GPU_CONVERT(__float2ull_rz, float, unsigned long long, x)
GPU_CONVERT(__double2int_rn, double, int, rint(x))
GPU_CONVERT(__double2int_rz, double, int, x)
GPU_CONVERT(__double2int_rd, double, int, floor(x))
GPU_CONVERT(__double2int_ru, double, int, ceil(x))
GPU_CONVERT(__double2uint_rn, double, unsigned, rint(x))
GPU_CONVERT(__double2ll_rn, double, long long, rint(x))
GPU_CONVERT(__double2ll_rz, double, long long, x)
GPU_CONVERT(__int2double_rn, int, double, x)
GPU_CONVERT(__uint2double_rn, unsigned, double, x)
GPU_CONVERT(__ll2float_rn, long long, float, x)
GPU_CONVERT(__ull2float_rn, unsigned long long, float, x)
GPU_CONVERT(__ll2double_rn, long long, double, x)
GPU_CONVERT(__ull2double_rn, unsigned long long, double, x)
GPU_CONVERT(__drcp_rn, double, double, 1 / x)
GPU_CONVERT(rcbrtf, float, float, 1 / cbrtf(x))
GPU_CONVERT(rcbrt, double, double, 1 / cbrt(x))
#undef GPU_CONVERT
GPU_INLINE double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}
GPU_INLINE float sinpif(float x)
{
    return (float)sin(3.14159265358979323846 * remainder((double)x, 2));
}
GPU_INLINE float cospif(float x)
{
    return (float)cos(3.14159265358979323846 * remainder((double)x, 2));
}
GPU_INLINE void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
// x with erfc(x) = y, by Newton's method from an estimate: for small y, of erfc's tail.
GPU_INLINE double erfcinv(double y)
{
    if (!(y > 0 && y < 2)) {
        return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    }
    double tail = y < 1 ? y : 2 - y, log_of_tail = -log(tail);
    double x = tail > 0.1 ? 0.886 * (1 - tail)
                          : sqrt(log_of_tail - 0.5 * log(3.14159265358979 * log_of_tail));
    for (int i = 0; i < 10; i++) {
        x += (erfc(x) - tail) / (1.12837916709551257 * exp(-x * x));
    }
    return y < 1 ? x : -x;
}
GPU_INLINE double erfinv(double y)
{
    double x = erfcinv(1 - y), slope = 1.12837916709551257 * exp(-x * x);
    return y == 0 || slope == 0 ? (y == 0 ? y : x) : x - (erf(x) - y) / slope;
}
GPU_INLINE double normcdfinv(double p)
{
    return -1.41421356237309505 * erfcinv(2 * p);
}
GPU_INLINE float erfcinvf(float y)
{
    return (float)erfcinv(y);
}
GPU_INLINE float erfinvf(float y)
{
    return (float)erfinv(y);
}
GPU_INLINE float normcdfinvf(float p)
{
    return (float)normcdfinv(p);
}
GPU_INLINE float norm3df(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}
GPU_INLINE float norm4df(float x, float y, float z, float w)
{
    return sqrtf(x * x + y * y + z * z + w * w);
}
GPU_INLINE float rhypotf(float x, float y)
{
    return 1 / hypotf(x, y);
}
GPU_INLINE float rnorm3df(float x, float y, float z)
{
    return 1 / norm3df(x, y, z);
}
GPU_INLINE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
GPU_INLINE int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
GPU_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}
GPU_INLINE unsigned long long __brevll(unsigned long long x)
{
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; bit++) {
        reversed |= (x >> bit & 1) << (63 - bit);
    }
    return reversed;
}

// Where an address points to. Shared memory has addresses of 32 bits, too.
GPU_INLINE bool __isShared(const void *address)
{
    return (size_t)address - GPU_SHARED_WINDOW < 0x200000;
}
GPU_INLINE bool __isGlobal(const void *address)
{
    return !__isShared(address);
}
GPU_INLINE size_t __cvta_generic_to_shared(const void *address)
{
    return (size_t)address - GPU_SHARED_WINDOW;
}
GPU_INLINE void *__cvta_shared_to_generic(size_t address)
{
    return (void *)(address + GPU_SHARED_WINDOW);
}

#define __builtin_assume(x) ((void)0)
#define __brkpt() ((void)0)
#define __prof_trigger(x) ((void)0)

GPU_INLINE unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++) {
        reversed |= (x >> bit & 1) << (31 - bit);
    }
    return reversed;
}
// The four bytes that the digits of the selector name, of the eight in x and y.
GPU_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned long long bytes = x | (unsigned long long)y << 32;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return result;
}
GPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
GPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}

// Reads and writes that say which cache they want; here ordinary ones.
#define GPU_LOAD(name)                                                                   \
    template <typename T> GPU_INLINE T name(const T *address)                            \
    {                                                                                    \
        return *address;                                                                 \
    }
#define GPU_STORE(name)                                                                  \
    template <typename T> GPU_INLINE void name(T *address, T value)                      \
    {                                                                                    \
        *address = value;                                                                \
    }
GPU_LOAD(__ldg)
GPU_LOAD(__ldcg)
GPU_LOAD(__ldca)
GPU_LOAD(__ldcs)
GPU_LOAD(__ldlu)
GPU_LOAD(__ldcv)
GPU_STORE(__stwb)
GPU_STORE(__stcg)
GPU_STORE(__stcs)
GPU_STORE(__stwt)
#undef GPU_LOAD
#undef GPU_STORE

#endif
