// compare.h - compares results with the expected ones. NaN is never close to anything.

#ifndef GRADER_COMPARE_H
#define GRADER_COMPARE_H

#include "cases/case.h"

enum fault {
    NO_FAULT,
    NOT_RETURNED, // the call did not return
    WRONG_STATUS, // another lab_status than expected
    TOUCHED,      // an output was written although an error was returned
    UNWRITTEN,    // some elements were never written
    DIFFERENT,    // a value is not within its tolerance
};

struct difference {
    enum fault fault;
    const struct tensor *tensor; // the wrong output
    size_t index;                // the first element that differs
    size_t wrong;                // number of elements that differ
};

// Compares a student's results with the expected ones. If several outputs differ, reports
// one with unwritten elements first.
struct difference compare_case(const struct test_case *test);

// Compares one output; NO_FAULT for a tensor that is not judged.
struct difference compare_tensor(const struct tensor *tensor);

// |got - expected| <= atol + rtol |expected|; equal infinities are close.
bool close_enough(float got, float expected, float atol, float rtol);

// Is element i of the student's result right?
bool value_is_right(const struct tensor *tensor, size_t i);

// Returns true if the outputs of case_call equal the student's. Here NaN matches NaN, and
// unwritten matches unwritten, because this only names mistakes and never gives a mark.
// or_right: also accept outputs that differ if the student's are right.
bool same_as_got(const struct test_case *test, lab_status status,
                 void *const output[MAX_TENSORS], bool or_right);

// The same for one element, compared with other (float, uint8_t or size_t). rounding comes
// from same_rounding: if large numbers cancel, a student who makes a known mistake in float
// differs from it by the rounding. If the outputs held numbers before the call, a NaN of
// the mistake matches any wrong number.
bool same_value(const struct tensor *tensor, size_t i, const void *value, float rounding,
                bool numbers);
float same_rounding(const struct tensor *tensor);

// The largest distance of the outputs of case_call from the expected ones, in tolerances;
// INFINITY for a different status, a NaN or a wrong integer. *where is set to the output
// with this distance; NULL if the distance is 0 or the status differs. where may be NULL.
double distance(const struct test_case *test, lab_status status,
                void *const output[MAX_TENSORS], const struct tensor **where);

#endif
