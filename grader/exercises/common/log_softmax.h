// log_softmax.h - a softmax by way of its logarithm, for the mistakes of labs 1 to 4.

#ifndef GRADER_COMMON_LOG_SOFTMAX_H
#define GRADER_COMMON_LOG_SOFTMAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is written for a score x:
enum log_form {
    LOG_WEIGHT,      // (x - max) - log sum
    LOG_SUM_ROUNDED, // x - (max + log sum), in float
    LOG_SUM_LOST     // exp of that
};

// One row of S numbers. may is NULL or says which keys count; the others get 0. A row without a key that
// counts, or of only -INFINITY, gets zeros, or if nan, what the formula gives.
void softmax_by_log(enum log_form form, bool nan, float *weights, const float *scores,
                    const uint8_t *may, size_t S);

#define LOGARITHM_WHAT                                                                   \
    "the result is the logarithm of the weights (log-softmax), not the weights"
#define LOGARITHM_WHY                                                                    \
    "All numbers are 0 or negative. Weights are the exponentials, divided by their "     \
    "sum: positive numbers that sum to 1."
#define LOG_SUM_LOST_WHAT                                                                \
    "log sum is added to the maximum first, and beside a large maximum it is lost in "   \
    "rounding"
#define LOG_SUM_LOST_WHY                                                                 \
    "On paper, exp(x - (max + log sum)) is right. But near 1e7, floats are 1 apart, so " \
    "max + log sum is rounded to a whole number. Divide exp(x - max) by the sum, or "    \
    "subtract the maximum first: exp((x - max) - log sum)."

#endif
