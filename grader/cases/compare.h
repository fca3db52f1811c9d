// compare.h - compares results with the expected ones. NaN is never close to anything.

#ifndef GRADER_COMPARE_H
#define GRADER_COMPARE_H

#include "cases/case.h"

enum fault {
    NO_FAULT,
    NOT_RETURNED, // the call never came back
    WRONG_STATUS, // another lab_status than expected
    TOUCHED,      // an output was written although an error was returned
    UNWRITTEN,    // elements still hold the poison
    DIFFERENT,    // a value is not within its tolerance
};

struct difference {
    enum fault fault;
    const struct tensor *tensor; // the output in question
    size_t index;                // the first element that differs
    size_t wrong;                // how many differ
};

// Compares a student's results with the expected ones. Of several outputs that differ, one
// with unwritten elements is named first.
struct difference compare_case(const struct test_case *test);

// Compares one output; NO_FAULT for a tensor that is not judged.
struct difference compare_tensor(const struct tensor *tensor);

// |got - expected| <= atol + rtol |expected|; equal infinities are close.
bool close_enough(float got, float expected, float atol, float rtol);

// Do outputs made by case_call equal what the student got? NaN matches NaN here, and unwritten
// matches unwritten: this names mistakes and never gives a mark. or_right: an output in which the
// student is right may be another.
bool same_as_got(const struct test_case *test, lab_status status,
                 void *const output[MAX_TENSORS], bool or_right);

// The same of one element, whose value the other side is: float, uint8_t or size_t. rounding is
// same_rounding's: where large numbers cancel, a student who makes a known mistake in float is as
// far from it as what they got rounds. In calls where numbers stood in the outputs, a mistake's NaN
// means whatever wrong number comes of those.
bool same_value(const struct tensor *tensor, size_t i, const void *value, float rounding,
                bool numbers);
float same_rounding(const struct tensor *tensor);

// The largest distance between outputs made by case_call and what is expected, in tolerances;
// INFINITY for another status, a NaN, or a wrong integer. *where is the output that it was found
// in; NULL when the distance is 0 or the status differs. where may be NULL.
double distance(const struct test_case *test, lab_status status,
                void *const output[MAX_TENSORS], const struct tensor **where);

#endif
