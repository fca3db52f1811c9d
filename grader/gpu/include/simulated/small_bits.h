// small_bits.h - the bits of half and bfloat16, for kernels and for cuBLAS.

#ifndef GPU_SIMULATED_SMALL_BITS_H
#define GPU_SIMULATED_SMALL_BITS_H

// Rounds x to a float. If x lies between two floats, the result is the one whose last bit is 1. It is
// never the middle between two numbers of 16 bits, so rounding it to 16 bits gives the same as
// rounding x. (The nearest float may be such a middle.)
static inline __attribute__((always_inline)) float gpu_round_to_odd(double x)
{
    const float nearest = (float)x;
    const unsigned bits = __builtin_bit_cast(unsigned, nearest);
    if ((double)nearest == x || x != x || (bits & 1) != 0) {
        return nearest;
    }
    const bool beyond = x < 0 ? (double)nearest < x : (double)nearest > x;
    return __builtin_bit_cast(float, beyond ? bits - 1 : bits + 1);
}

// The same for whole numbers of up to 64 bits, which may lie between two doubles.
static inline __attribute__((always_inline)) double gpu_whole_to_odd(unsigned long long x)
{
    const int dropped = 11; // of 64 bits, a double keeps 53
    if (x >> (64 - dropped) == 0) {
        return (double)x;
    }
    return (double)(x >> dropped | ((x & ((1u << dropped) - 1)) != 0)) * (1 << dropped);
}
static inline __attribute__((always_inline)) double gpu_whole_to_odd(long long x)
{
    return x < 0 ? -gpu_whole_to_odd(0 - (unsigned long long)x)
                 : gpu_whole_to_odd((unsigned long long)x);
}

// The bits of a number with E bits of exponent and 15 - E of mantissa.
template <int exponent_bits>
static inline __attribute__((always_inline)) unsigned short gpu_round_small(float x)
{
    const int mantissa = 15 - exponent_bits, drop = 23 - mantissa,
              bias = (1 << (exponent_bits - 1)) - 1;
    unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 16 & 0x8000u;
    unsigned size = bits & 0x7fffffffu;
    const unsigned infinity = ((1u << exponent_bits) - 1) << mantissa;
    if (size > 0x7f800000u) {
        return 0x7fff; // NaN
    }
    const int smallest =
        127 - bias; // a float's exponent, one below the smallest normal number's
    int exponent = (int)(size >> 23);
    if (exponent_bits < 8 && exponent <= smallest) { // subnormal: count its units
        int shift = drop + smallest + 1 - exponent;
        if (shift > 24 + 1) {
            return (unsigned short)sign;
        }
        unsigned number = exponent == 0 ? 0 : (size & 0x7fffffu) | 0x800000u;
        unsigned half = 1u << (shift - 1), rest = number & ((1u << shift) - 1);
        unsigned units = number >> shift;
        units += rest > half || (rest == half && (units & 1) != 0);
        return (unsigned short)(sign | units);
    }
    size += (1u << (drop - 1)) - 1 + (size >> drop & 1);
    unsigned result = exponent_bits < 8
                          ? (size >> drop) - ((unsigned)smallest << mantissa)
                          : size >> drop;
    return (unsigned short)(sign | (result >= infinity ? infinity : result));
}

template <int exponent_bits>
static inline __attribute__((always_inline)) float gpu_widen_small(unsigned short bits)
{
    const int mantissa = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    unsigned sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
    if (exponent_bits == 8) {
        return __builtin_bit_cast(float, sign | size << 16);
    }
    unsigned exponent = size >> mantissa;
    if (exponent == 0) {
        float number =
            (float)size *
            __builtin_bit_cast(float, (unsigned)(127 + 1 - bias - mantissa) << 23);
        return sign != 0 ? -number : number;
    }
    unsigned wide = exponent == (1u << exponent_bits) - 1 ? 0x7f800000u
                                                          : (exponent + 127 - bias) << 23;
    return __builtin_bit_cast(
        float, sign | wide | (size & ((1u << mantissa) - 1)) << (23 - mantissa));
}

#endif
