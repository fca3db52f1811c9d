// expect.h - comparisons of numbers for the worked examples (labs/*/test_*.c), on top of
// Criterion.
//
// Criterion compares single floats. A lab compares matrices, and if one is wrong you want
// to know where: the index of the first difference, the value found there, and the value
// expected. A typical test reads
//
//     Test(attention, scores_match_pytorch)
//     {
//         float scores[3 * 3];
//         poison(scores, 3 * 3);
//         must_succeed(attention_scores(scores, q, k, 3, 3, 4));
//         expect_close(scores, expected, 3, 3, 1e-5f, 1e-5f);
//     }
//
// and fails with
//
//     scores[1][2] is 0.5 and should be 0.25 (7 of 9 places differ)
//
// Start reading at is_close.

#ifndef LAB_EXPECT_H
#define LAB_EXPECT_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

// |got - expected| <= atol + rtol * |expected|. An infinity is close only to the same
// infinity. NaN is close to nothing, not even to NaN, so an output that was never written
// never passes.
static inline bool is_close(float got, float expected, float atol, float rtol)
{
    if (!isfinite(got) || !isfinite(expected)) {
        return got == expected;
    }
    return fabsf(got - expected) <= atol + rtol * fabsf(expected);
}

// x as a message shows it: 0/0 is -nan on x86, and its sign means nothing.
static inline double shown(double x)
{
    return isnan(x) ? fabs(x) : x;
}

// Compares two (rows, columns) matrices. If they differ, describes the first difference in
// what, for example "[1][2] is 0.5 and should be 0.25 (7 of 9 places differ)".
static inline bool all_close(const float *got, const float *expected, size_t rows,
                             size_t columns, float atol, float rtol, char *what,
                             size_t what_size)
{
    size_t count = rows * columns;
    size_t differing = 0;
    size_t first = 0;
    for (size_t i = count; i-- > 0;) {
        if (!is_close(got[i], expected[i], atol, rtol)) {
            differing++;
            first = i;
        }
    }
    if (differing == 0) {
        return true;
    }
    snprintf(what, what_size,
             "[%zu][%zu] is %.9g and should be %.9g (%zu of %zu place%s differ%s)",
             first / columns, first % columns, shown((double)got[first]),
             shown((double)expected[first]), differing, count, count == 1 ? "" : "s",
             differing == 1 ? "s" : "");
    return false;
}

// Fills an output with NaN before a call. An element that the function never writes then
// stands out.
static inline void poison(float *output, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output[i] = NAN;
    }
}

// The next three are macros because Criterion reports the line on which they are used.

// Checks that two (rows, columns) matrices agree. If they don't, the test continues.
#define expect_close(got, expected, rows, columns, atol, rtol)                           \
    do {                                                                                 \
        char what_[160] = "";                                                            \
        cr_expect(                                                                       \
            all_close(got, expected, rows, columns, atol, rtol, what_, sizeof what_),    \
            "%s%s", #got, what_);                                                        \
    } while (0)

// Checks that the call returns LAB_OK; if not, the test ends here. For a stub the message
// is "matmul(out, a, b, 2, 3, 4): LAB_TODO, not written yet".
#define must_succeed(call) must_return_as(call, LAB_OK, #call)

// Checks that the call returns this status; if not, the test ends here.
#define must_return(call, wanted) must_return_as(call, wanted, #call)

#define must_return_as(call, wanted, text)                                               \
    do {                                                                                 \
        lab_status status_ = (call);                                                     \
        cr_assert(status_ == (wanted), "%s: %s, %s", text, lab_status_name(status_),     \
                  lab_status_message(status_));                                          \
    } while (0)

#endif
