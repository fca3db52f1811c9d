// small_bits.h - the bits of half and bfloat16, for kernels and for cuBLAS.

#ifndef GPU_SIMULATED_SMALL_BITS_H
#define GPU_SIMULATED_SMALL_BITS_H

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
