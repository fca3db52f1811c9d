// sampling.h - next tokens that do not depend on rounding.

#ifndef GRADER_COMMON_SAMPLING_H
#define GRADER_COMMON_SAMPLING_H

#include "exercises/common/language.h"
#include "exercises/exercise.h"

#include "common/sampling.h"

// A number in [0, 1).
double uniform(struct lab_rng *rng);

// softmax(logits / temperature), sorted, the largest first; the caller frees it.
double *sorted_softmax(const float *logits, double temperature, size_t V);

// A number in the middle half of entry `rank` of the cumulative sum of the first `count` entries of
// p, which are rescaled to sum 1.
double inside(const double *p, size_t rank, size_t count, struct lab_rng *rng);

// Chooses a u for the next token, in the middle of a token's share, and gives the token. Returns
// false if these logits do not do: two of them, or a sum and top_p, lie too close.
bool choose_token(float *u, size_t *token, const float *logits,
                  const struct sampling *sampling, size_t V, struct lab_rng *rng);

// Would one of the tokens be another without top-p, without top-k (with a top-k of 1, if it is V or more), or
// with the temperature applied twice (1, if it is 0)?
struct sampling_counts {
    bool top_p, top_k, temperature;
};

// Does every setting count that could?
bool settings_count(const struct sampling *sampling,
                    const struct sampling_counts *counts);

// As generate of 8.11: draws the count tokens behind the first N, and chooses the u of each.
// forward is lab 8's language_forward. Returns false if one of the tokens is not clear.
// counts may be NULL.
bool continue_text(float *uniforms, size_t *tokens, size_t N, size_t count,
                   forward_function *forward, const struct language_params *params,
                   const struct language_shape *shape, const struct sampling *sampling,
                   struct lab_rng *rng, struct sampling_counts *counts);

#endif
