// compare.c - compares the outputs of one case.

#include "cases/compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/poison.h"

// An infinity is close only to itself, and NaN to nothing. There is no branch, so that the compiler
// compares many numbers at once.
bool close_enough(float got, float expected, float atol, float rtol)
{
    const float size = fabsf(expected);
    const bool near = fabsf(got - expected) <= atol + rtol * size;
    return (got == expected) | (near & (size <= FLT_MAX));
}

// Is NaN the right value of this element? Not an unwritten one: poison is a NaN, too.
static bool nan_is_due(const struct tensor *tensor, size_t i)
{
    return tensor->may_be_nan && tensor->spec->type == F32 &&
           isnan(((const float *)tensor->expected)[i]);
}

static bool is_nan(const float *value)
{
    return isnan(*value) && !poison_intact(value, sizeof *value);
}

static bool element_close(const struct tensor *tensor, size_t i, const void *got)
{
    if (nan_is_due(tensor, i)) {
        return is_nan((const float *)got + i);
    }
    switch (tensor->spec->type) {
    case F32:
        return close_enough(((const float *)got)[i], ((const float *)tensor->expected)[i],
                            tensor->atol, tensor->rtol);
    case U8:
        return ((const uint8_t *)got)[i] == ((const uint8_t *)tensor->expected)[i];
    case I8:
        return ((const int8_t *)got)[i] == ((const int8_t *)tensor->expected)[i];
    case SIZE:
        return ((const size_t *)got)[i] == ((const size_t *)tensor->expected)[i];
    case DIFFERENCE:
        return ((const ptrdiff_t *)got)[i] == ((const ptrdiff_t *)tensor->expected)[i];
    }
    return false;
}

// An output with initial contents that not all blocks have written does not count at all: a sum without some
// of its blocks is incomplete.
static bool counts(const struct tensor *tensor, size_t i)
{
    return !tensor->partial || (tensor->data == NULL && !never_set(tensor, i));
}

bool value_is_right(const struct tensor *tensor, size_t i)
{
    return element_close(tensor, i, tensor->got) || !counts(tensor, i);
}

// The number of elements of an F32 tensor that are not close, if none may be NaN.
static size_t count_far(const struct tensor *tensor)
{
    const float *got = tensor->got, *expected = tensor->expected;
    const float atol = tensor->atol, rtol = tensor->rtol;
    unsigned far = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        far += !close_enough(got[i], expected[i], atol, rtol);
    }
    return far;
}

static size_t count_wrong(const struct tensor *tensor)
{
    if (tensor->spec->type == F32 && !tensor->may_be_nan && !tensor->partial) {
        return count_far(tensor);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        wrong += !value_is_right(tensor, i);
    }
    return wrong;
}

struct difference compare_tensor(const struct tensor *tensor)
{
    struct difference difference = {NO_FAULT, tensor, 0, 0};
    if (tensor_is_judged(tensor)) {
        difference.wrong = count_wrong(tensor);
    }
    if (difference.wrong > 0) {
        while (value_is_right(tensor, difference.index)) {
            difference.index++;
        }
        difference.fault = still_unset(tensor, difference.index) ? UNWRITTEN : DIFFERENT;
    }
    return difference;
}

static struct difference compare_outputs(const struct test_case *test)
{
    struct difference first = {NO_FAULT, NULL, 0, 0};
    for (size_t i = 0; i < test->tensors; i++) {
        struct difference difference = compare_tensor(&test->tensor[i]);
        bool worse = difference.fault == UNWRITTEN && first.fault == DIFFERENT;
        if (difference.fault != NO_FAULT && (first.fault == NO_FAULT || worse)) {
            first = difference;
        }
    }
    return first;
}

static bool is_partial(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].partial) {
            return true;
        }
    }
    return false;
}

static bool untouched(const struct test_case *test, const struct tensor *tensor)
{
    size_t bytes = tensor->count * tensor->element_size;
    void *before = grader_alloc(bytes);
    case_fill(test, tensor, before);
    bool same = memcmp(tensor->got, before, bytes) == 0;
    free(before);
    return same;
}

static struct difference compare_untouched(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor_is_judged(tensor) && !untouched(test, tensor)) {
            return (struct difference){TOUCHED, tensor, 0, 0};
        }
    }
    return (struct difference){NO_FAULT, NULL, 0, 0};
}

struct difference compare_case(const struct test_case *test)
{
    if (test->progress != RETURNED) {
        return (struct difference){NOT_RETURNED, NULL, 0, 0};
    }
    if (test->got_status != (int)test->expected_status) {
        return (struct difference){WRONG_STATUS, NULL, 0, 0};
    }
    if (test->most) { // no kernel has run
        return (struct difference){NO_FAULT, NULL, 0, 0};
    }
    return test->expected_status == LAB_OK || is_partial(test) ? compare_outputs(test)
                                                               : compare_untouched(test);
}

float same_rounding(const struct tensor *tensor)
{
    float most = 0.0f;
    for (size_t i = 0; tensor->spec->type == F32 && i < tensor->count; i++) {
        float size = fabsf(((const float *)tensor->got)[i]);
        most = isfinite(size) && size > most ? size : most;
    }
    return 1e-6f * most;
}

// Where results are far smaller than the largest, rounding would hide that the student's number is 0 and wrong, and
// the mistake's is right.
static bool zero_for_right(const struct tensor *tensor, size_t i, float got, float mine)
{
    const float right = ((const float *)tensor->expected)[i];
    return got == 0.0f && mine != 0.0f && !element_close(tensor, i, tensor->got) &&
           close_enough(mine, right, tensor->atol, tensor->rtol);
}

bool same_value(const struct tensor *tensor, size_t i, const void *value, float rounding,
                bool numbers)
{
    if (tensor->spec->type != F32) {
        return memcmp(value, (const char *)tensor->got + i * tensor->element_size,
                      tensor->element_size) == 0;
    }
    if (nan_is_due(tensor, i)) {
        return is_nan(value) == is_nan((const float *)tensor->got + i);
    }
    float mine = *(const float *)value, got = ((const float *)tensor->got)[i];
    bool unset = poison_intact(&mine, sizeof mine);
    if (numbers && isnan(mine) && !unset) {
        return !element_close(tensor, i, tensor->got);
    }
    if (unset || poison_intact(&got, sizeof got)) {
        return unset && poison_intact(&got, sizeof got);
    }
    if (isnan(mine) || isnan(got)) {
        return isnan(mine) && isnan(got);
    }
    // Even if no rounding is allowed, a mistake's function may round differently.
    bool exact = tensor->atol == 0 && tensor->rtol == 0;
    float atol = tensor->atol > rounding ? tensor->atol : rounding;
    return close_enough(got, mine, exact ? 0.0f : atol, exact ? 3e-7f : tensor->rtol) &&
           (exact || !zero_for_right(tensor, i, got, mine));
}

// How many elements from `first` on have equal values in both, before the first that differs or is NaN.
// 0 if they are no floats.
static size_t count_equal(const struct tensor *tensor, const void *one, const void *other,
                          size_t first)
{
    const float *a = one, *b = other;
    size_t i = first;
    while (tensor->spec->type == F32 && i < tensor->count && a[i] == b[i]) {
        i++;
    }
    return i - first;
}

static bool same_tensor(const struct test_case *test, const struct tensor *tensor,
                        const char *values)
{
    size_t i = count_equal(tensor, values, tensor->got, 0);
    if (i == tensor->count) {
        return true;
    }
    float rounding = same_rounding(tensor);
    for (; i < tensor->count; i++) {
        if (!same_value(tensor, i, values + i * tensor->element_size, rounding,
                        test->contents != POISONED)) {
            return false;
        }
    }
    return true;
}

bool same_as_got(const struct test_case *test, lab_status status,
                 void *const output[MAX_TENSORS], bool or_right)
{
    if (test->progress != RETURNED || test->got_status != (int)status) {
        return false;
    }
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor_is_judged(tensor) && !same_tensor(test, tensor, output[i]) &&
            !(or_right && compare_tensor(tensor).fault == NO_FAULT)) {
            return false;
        }
    }
    return true;
}

// At least `least`: a gap that is clearly below it is not divided.
static double element_distance(const struct tensor *tensor, size_t i, const void *output,
                               double least)
{
    if (tensor->spec->type != F32 || nan_is_due(tensor, i)) {
        return element_close(tensor, i, output) ? least : INFINITY;
    }
    double mine = ((const float *)output)[i];
    double expected = ((const float *)tensor->expected)[i];
    double tolerance = tensor->atol + tensor->rtol * fabs(expected);
    double apart = fabs(mine - expected);
    if (mine == expected || (apart <= 0.999 * least * tolerance && apart < INFINITY)) {
        return least;
    }
    double gap = apart / tolerance;
    return isnan(gap) ? INFINITY : gap > least ? gap : least;
}

static double tensor_distance(const struct tensor *tensor, const void *output,
                              double least)
{
    const size_t count = tensor->count;
    for (size_t i = 0; i < count; i++) {
        i += count_equal(tensor, output, tensor->expected, i);
        if (i < count) {
            least = element_distance(tensor, i, output, least);
        }
    }
    return least;
}

double distance(const struct test_case *test, lab_status status,
                void *const output[MAX_TENSORS], const struct tensor **where)
{
    const struct tensor *farthest = NULL;
    double largest = status != test->expected_status ? INFINITY : 0;
    for (size_t i = 0;
         status == test->expected_status && status == LAB_OK && i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor_is_judged(tensor)) {
            const double gap = tensor_distance(tensor, output[i], largest);
            farthest = gap > largest ? tensor : farthest;
            largest = gap > largest ? gap : largest;
        }
    }
    if (where != NULL) {
        *where = farthest;
    }
    return largest;
}
