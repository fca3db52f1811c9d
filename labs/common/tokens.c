// tokens.c - compares tokens with a vocabulary, and predictions with targets.

#include "common/tokens.h"

#include <math.h>

bool tokens_below(const size_t *tokens, size_t count, size_t V)
{
    for (size_t i = 0; i < count; i++) {
        if (tokens[i] >= V) {
            return false;
        }
    }
    return true;
}

size_t count_right(const float *logits, const size_t *targets, size_t N, size_t V)
{
    size_t right = 0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        size_t best = 0;
        bool has_nan = false;
        for (size_t i = 0; i < V; i++) {
            has_nan = has_nan || isnan(logits_n[i]);
            best = logits_n[i] > logits_n[best] ? i : best;
        }
        right += !has_nan && best == targets[n];
    }
    return right;
}
