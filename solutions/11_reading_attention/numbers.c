// numbers.c - numbers of two bytes, as floats.
//
//                sign  exponent   fraction
//   float          1       8         23       0 01111111 10010010000111111011011
//   bfloat16       1       8          7       0 01111111 1001001
//   half           1       5         10       0 01111    1001001000
// A bfloat16 is the upper half of a float. A half has a shorter exponent. Start reading at
// bfloat16_to_float.

#include "11_reading_attention/reading.h"

#include <math.h>
#include <string.h>

// ---- 11.1  bfloat16 and half --------------------------------------------------------------

lab_status bfloat16_to_float(float *y, const uint8_t *bytes, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.1 bfloat16_to_float: put the two bytes in the upper half of 32 bits,
    // then copy these bits to a float with memcpy (about 6 lines)
    for (size_t n = 0; n < N; n++) {
        const uint32_t low = bytes[2 * n], high = bytes[2 * n + 1];
        const uint32_t bits = high << 24 | low << 16;
        memcpy(&y[n], &bits, sizeof y[n]);
    }
    return LAB_OK;
    // END SOLUTION 11.1
}

lab_status float16_to_float(float *y, const uint8_t *bytes, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.1 float16_to_float: extract sign, exponent and fraction from the bits; then
    // three cases (about 16 lines)
    for (size_t n = 0; n < N; n++) {
        const unsigned low = bytes[2 * n], high = bytes[2 * n + 1],
                       half = high << 8 | low;
        const int exponent = (int)(half >> 10 & 0x1f);
        const float fraction = (float)(half & 0x3ff) / 1024.0f;

        float size = 0.0f;
        if (exponent == 0) {
            size = ldexpf(fraction, -14);
        } else if (exponent < 31) {
            size = ldexpf(1.0f + fraction, exponent - 15);
        } else {
            size = fraction == 0.0f ? INFINITY : NAN;
        }
        y[n] = half >> 15 != 0 ? -size : size;
    }
    return LAB_OK;
    // END SOLUTION 11.1
}
