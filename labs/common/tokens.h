// tokens.h - questions about tokens that several labs ask.

#ifndef LAB_TOKENS_H
#define LAB_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/dimensions.h"

// Are all tokens(count) below V?
bool tokens_below(const size_t *tokens, size_t count, size_t V);

// In how many of N rows the largest of V logits is the target's. Of equal logits the first counts;
// a row with a NaN is never right.
size_t count_right(const float *logits, const size_t *targets, size_t N, size_t V);

#endif
