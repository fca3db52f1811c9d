// half.c - IEEE 754 halves. Student archives leave this file out: it would give away 11.1.

#include "programs/attnmap/half.h"

#include <math.h>

double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}
