// blocks.c - the summary of long outputs that a bank keeps; shared by its writer and its
// reader.

#include "bank/blocks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bank/bank.h"
#include "cases/case.h"

// An infinity counts as a large number, because it would hide the rest of a sum. It adds nothing to
// the tolerance, because a large one would hide the rest, too.
static double number_of(float value)
{
    static const double in_place_of_infinity = 1 << 20;
    return isinf(value) ? copysign(in_place_of_infinity, (double)value) : (double)value;
}

// FNV-1a over the bits. -0 and 0 are equal.
static double hash(const float *values, size_t count)
{
    uint64_t state = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i++) {
        float value = values[i] == 0.0f ? 0.0f : values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        state = (state ^ bits) * UINT64_C(1099511628211);
    }
    return (double)(state >> 32);
}

struct block_sum bank_sum(const struct tensor *tensor, const float *values, size_t block)
{
    const size_t length = bank_block(tensor), first = block * length;
    size_t count = tensor->count - first < length ? tensor->count - first : length;
    struct block_sum result = {0, 0};
    if (bank_is_exact(tensor)) {
        result.sum = hash(values + first, count);
        return result;
    }
    for (size_t i = 0; i < count; i++) {
        double weight = 1.0 + (double)i / (double)length;
        double value = number_of(values[first + i]);
        result.sum += weight * value;
        if (!isinf(values[first + i])) {
            result.tolerance +=
                weight * ((double)tensor->atol + (double)tensor->rtol * fabs(value));
        }
    }
    return result;
}

double bank_brief(double x, double tolerance)
{
    if (!isfinite(x) || !isnormal(tolerance)) {
        return x;
    }
    const double step = ldexp(1.0, ilogb(tolerance / 16));
    const double brief = step * rint(x / step);
    // The largest float must not become infinite.
    return fabs(brief) > (double)FLT_MAX && fabs(x) <= (double)FLT_MAX
               ? step * trunc(x / step)
               : brief;
}

size_t bank_kept(size_t count)
{
    return count <= WHOLE ? count : SAMPLE;
}

// One number from each of SAMPLE segments of equal length. The position in the segment is
// pseudo-random, because a row of a matrix may be as long as a segment.
size_t bank_kept_place(size_t count, size_t i)
{
    if (count <= WHOLE) {
        return i;
    }
    size_t begin = i * count / SAMPLE, end = (i + 1) * count / SAMPLE;
    uint64_t chance = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return begin + (size_t)(chance >> 32) % (end - begin);
}
