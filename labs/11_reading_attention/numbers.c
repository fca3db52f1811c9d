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
    // TODO 11.1: put the two bytes in the upper half of 32 bits, then copy these bits to
    // a float with memcpy (about 6 lines)
    return lab_todo(y, bytes, N);
}

lab_status float16_to_float(float *y, const uint8_t *bytes, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.1: extract sign, exponent and fraction from the bits; then three cases
    // (about 16 lines)
    return lab_todo(y, bytes, N);
}
