// slips.h - finds places in a student's function where a slip of one word may be.
//
//     for (size_t s = 1; s < S; s++)     0 instead of 1
//     int sum = 0;                       double instead of int
//     int root = sqrtf(d);  1 / (int)sqrtf(d)    the same
//     exp2f(x)                           expf instead of exp2f
//     sum + 1e-6f  fmaxf(sum, 1e-6f)     1e-30f instead of 1e-6f
//     float sum = 0.0f;                  double instead of float
//     float max = 0.0f;  -1e9f  FLT_MIN  -INFINITY instead of 0.0f
//     memcpy(y, x, n)  memset(y, 0, n)   sizeof(float) * n or sizeof(size_t) * n instead of n
//     float sum;                         float sum = 0;
//     for (...; s < S - 1; ...)          S instead of S - 1
//     float sum = 1;                     0 instead of 1
//     expf(x + max)  -bias[o]            the other sign, not in an index, a size or a condition
//     if (x < max)  x < max ? ...        the other direction
//
// Most such places are right. repair.h tries which are not.

#ifndef GRADER_SLIPS_H
#define GRADER_SLIPS_H

#include <stdbool.h>
#include <stddef.h>

enum slip_kind {
    UNSET_VARIABLE, // first: its numbers can look like those of a known mistake
    LOOP_FROM_1,
    FRACTION_IN_INT,
    OTHER_BASE,
    SMALL_NUMBER,
    FLOAT_SUM,
    MAXIMUM_START,
    BYTES_OF_FLOATS,
    BYTES_OF_SIZES,
    LOOP_TOO_SHORT,
    START_AT_1,
    OTHER_SIGN,
    OTHER_DIRECTION,
    SLIP_KINDS
};

// text[at] to text[at + length - 1] becomes `by`.
struct slip {
    size_t at, length;
    const char *by;
};

enum { MOST_SLIPS = 8 };

// Looks into the functions of these names, and into the functions of the same text that they call, except
// those of which is_other is true. Returns the number of places, or 0 if there are more than MOST_SLIPS.
size_t find_slips(const char *text, const char *const *functions,
                  bool (*is_other)(const void *context, const char *name),
                  const void *context, enum slip_kind kind,
                  struct slip slips[MOST_SLIPS]);

// Is it a size_t, which counts more often than it sums?
bool slip_is_counter(const char *text, const struct slip *slip);

// The text with these places changed. Caller frees.
char *change_slips(const char *text, const struct slip *slips, size_t count);

// The number of the line of a place, from 1.
size_t slip_line(const char *text, const struct slip *slip);

#endif
