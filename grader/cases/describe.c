// describe.c - what can be said of a wrong output that matches no known mistake.

#include "cases/describe.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wrapped.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/numbers.h"
#include "cases/poison.h"
#include "worker/contents.h"

// ---- NaN ----------------------------------------------------------------------------------

// A NaN keeps its bits in arithmetic, except that it becomes quiet, and perhaps its sign. So they say
// where it comes from.
enum { SIGN = 1u << 31, QUIET = 1u << 22 };
enum origin { UNSET, GUARD, COMPUTED, ORIGINS };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static enum origin origin_of(float nan)
{
    const uint32_t bits = bits_of(nan) & ~(uint32_t)(SIGN | QUIET);
    return bits == (POISON_WORD & ~(uint32_t)QUIET)  ? UNSET
           : bits == (GUARD_WORD & ~(uint32_t)QUIET) ? GUARD
                                                     : COMPUTED;
}

// The number of computed NaNs of each origin.
static size_t count_nan(const struct tensor *tensor, size_t of[ORIGINS])
{
    size_t nans = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        const float *got = (const float *)tensor->got + i;
        if (isnan(*got) && !poison_intact(got, sizeof *got)) {
            of[origin_of(*got)]++;
            nans++;
        }
    }
    return nans;
}

// The number of values that must be NaN.
static size_t count_due_nan(const struct tensor *tensor)
{
    size_t nans = 0;
    for (size_t i = 0; tensor->may_be_nan && i < tensor->count; i++) {
        nans += isnan(((const float *)tensor->expected)[i]);
    }
    return nans;
}

// Is exactly what must be NaN NaN? Then the cause lies in the other values.
static bool nan_where_due(const struct tensor *tensor)
{
    const float *got = (const float *)tensor->got,
                *expected = (const float *)tensor->expected;
    bool same = true;
    for (size_t i = 0; same && i < tensor->count; i++) {
        same = isnan(got[i]) == isnan(expected[i]);
    }
    return same;
}

// "the value", "all 4 values", "2 of the 4 values". Caller frees.
static char *how_many(size_t count, const struct tensor *tensor)
{
    return tensor->count == 1 ? grader_print("the value")
           : count == tensor->count
               ? grader_print("all %zu values", count)
               : grader_print("%zu of the %zu values", count, tensor->count);
}

static void describe_nan(FILE *file, const struct tensor *tensor, size_t nans,
                         const size_t of[ORIGINS])
{
    const char *cause =
        of[UNSET] == nans
            ? "an element of an output or a workspace was read before it was set"
        : of[GUARD] == nans
            ? "a library call read beyond the end of a tensor: check the pointers and the "
              "sizes it gets"
            : "look for 0/0, inf - inf, the root or logarithm of a negative number, or "
              "reading an element before it is set";
    char *who = how_many(nans, tensor);
    char *line = grader_print("%s %s NaN: %s", who, nans == 1 ? "is" : "are", cause);
    print_wrapped(file, "  ", line, show_width());
    free(line);
    free(who);
}

// ---- bytes --------------------------------------------------------------------------------

// Returns true if the first `bytes` bytes of an element of `size` bytes were set and the others were not.
static bool begins_set(const uint8_t *got, const uint8_t *expected, size_t bytes,
                       size_t size)
{
    bool set = true;
    for (size_t i = 0; set && i < size; i++) {
        const uint8_t poison = contents_byte(POISON_WORD, i);
        set = i >= bytes       ? got[i] == poison
              : i == bytes - 1 ? got[i] == expected[i] && got[i] != poison
                               : got[i] == expected[i];
    }
    return set;
}

// 1 or 2 bytes of 0, and perhaps a sum since then.
static bool begins_zeroed(const uint8_t *got)
{
    float value;
    memcpy(&value, got, sizeof value);
    const uint32_t bits = bits_of(value) & ~(uint32_t)(SIGN | QUIET);
    const uint32_t poison = POISON_WORD & ~(uint32_t)QUIET;
    return bits == (poison & 0xffffff00u) || bits == (poison & 0xffff0000u);
}

static bool partly_set(const struct tensor *tensor, size_t i)
{
    const size_t size = tensor->element_size;
    const uint8_t *got = (const uint8_t *)tensor->got + i * size;
    bool partly = tensor->spec->type == F32 && begins_zeroed(got);
    // Three bytes of 1, 2 or 4 and one of the NaN are an infinity, but so is a division by 0.
    const bool infinite =
        tensor->spec->type == F32 && isinf(((const float *)tensor->got)[i]);
    for (size_t bytes = 1; !partly && !infinite && bytes < size; bytes++) {
        partly =
            begins_set(got, (const uint8_t *)tensor->expected + i * size, bytes, size);
    }
    return partly;
}

bool sets_single_bytes(const struct test_case *test, const struct tensor *tensor)
{
    bool partly = false;
    for (size_t i = 0; test->contents == POISONED && !partly && i < tensor->count; i++) {
        partly = !value_is_right(tensor, i) && partly_set(tensor, i);
    }
    return partly;
}

// ---- numbers ------------------------------------------------------------------------------

// Returns true if got = ratio * expected for all elements (ratio not 1).
static bool constant_ratio(const struct tensor *tensor, double *ratio)
{
    const float *got = tensor->got, *expected = tensor->expected;
    double dot = 0, square = 0;
    size_t nonzero = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(got[i]) || !isfinite(expected[i])) {
            return false;
        }
        nonzero += expected[i] != 0;
        dot += (double)got[i] * (double)expected[i];
        square += (double)expected[i] * (double)expected[i];
    }
    *ratio = square > 0 ? dot / square : 0;
    // A single wrong number changes the ratio only slightly, so the ratio alone is not
    // enough.
    double slack = fmin(1e-4, 0.1 * fabs(*ratio - 1));
    for (size_t i = 0; i < tensor->count; i++) {
        double scaled = *ratio * (double)expected[i];
        if (!(fabs((double)got[i] - scaled) <=
              (double)tensor->atol + slack * fabs(scaled))) {
            return false;
        }
    }
    return nonzero > 1 && *ratio != 0;
}

// Returns true if a square matrix is the transpose of the expected one.
static bool transposed(const struct tensor *tensor)
{
    size_t n = tensor->columns;
    if (tensor->rows != n || n < 2 || tensor->count != n * n) {
        return false;
    }
    for (size_t i = 0; i < n * n; i++) {
        size_t mirror = i % n * n + i / n;
        if (!close_enough(((const float *)tensor->got)[i],
                          ((const float *)tensor->expected)[mirror], tensor->atol,
                          tensor->rtol)) {
            return false;
        }
    }
    return true;
}

void describe_output(FILE *file, const struct tensor *tensor)
{
    double ratio;
    if (tensor->spec->type != F32) {
        return;
    }
    size_t of[ORIGINS] = {0};
    const size_t nans = count_nan(tensor, of), due = count_due_nan(tensor);
    if (due > 0) {
        if (!nan_where_due(tensor)) {
            char *who = how_many(due, tensor);
            fprintf(file,
                    "  %s must be NaN in this call: see the function's comment in the "
                    "header\n",
                    who);
            free(who);
        }
    } else if (nans > 0) {
        describe_nan(file, tensor, nans, of);
    } else if (transposed(tensor)) {
        fprintf(file,
                "  the values are right but transposed: rows and columns are swapped\n");
    } else if (constant_ratio(tensor, &ratio)) {
        fprintf(file, "  every value is %.7g times what it should be\n", ratio);
    }
}
