// generate.c - from logits to the next token, and from token to token.
//
//   logits (V) ─ temperature ─ top-k ─ top-p ─> probabilities (V) ── u ──> token
//       ^                                                                    │
//       └──────── model <── the last T tokens <── tokens, one more each time ┘
//
// Start reading at sample_token.

#include "08_language_model/language_model.h"

#include <math.h>
#include <stdbool.h>

#include "common/tokens.h"

static bool all_finite(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

// ---- 8.10  one token ----------------------------------------------------------------------

// BEGIN SOLUTION 8.10 helper
// order (V) = the tokens, with the largest logit first. This insertion sort moves a token only past
// smaller logits, so tokens with equal logits stay in ascending order.
static void sort_by_logit(size_t *order, const float *logits, size_t V)
{
    for (size_t token = 0; token < V; token++) {
        size_t place = token;
        while (place > 0 && logits[order[place - 1]] < logits[token]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = token;
    }
}

// The sum of the first count values in this order, in double: it is compared with another sum.
static double sum_in_order(const float *values, const size_t *order, size_t count)
{
    double sum = 0.0;
    for (size_t n = 0; n < count; n++) {
        sum += values[order[n]];
    }
    return sum;
}

// The number of tokens of order that top_k and top_p keep. weights are proportional to p.
static size_t count_kept(const float *weights, const size_t *order,
                         const struct sampling *sampling, size_t V)
{
    const size_t k = sampling->top_k;
    const size_t most = 0 < k && k < V ? k : V;
    if (sampling->top_p == 1.0f) {
        return most;
    }
    const double enough = sampling->top_p * sum_in_order(weights, order, most);
    double sum = 0.0;
    size_t kept = 0;
    while (kept < most && sum < enough) {
        sum += weights[order[kept++]];
    }
    return kept; // at least 1, because enough is above 0
}
// END SOLUTION 8.10

lab_status sample_token(size_t *token, float *probabilities, size_t *order,
                        const float *logits, const struct sampling *sampling, float u,
                        size_t V)
{
    if (V == 0) {
        return LAB_ESHAPE;
    }
    if (!sampling_allowed(sampling, &u, 1) || !all_finite(logits, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.10 sample_token: sort the tokens by their logits; exponentials of (logit -
    // largest) / temperature; count the tokens that top-k and top-p leave; probabilities of these;
    // go through them until their sum is above u (about 45 lines, helpers are welcome)
    sort_by_logit(order, logits, V);
    const float largest = logits[order[0]];
    const float temperature = sampling->temperature;
    for (size_t i = 0; i < V; i++) {
        probabilities[i] =
            temperature > 0.0f ? expf((logits[i] - largest) / temperature) : 0.0f;
    }
    probabilities[order[0]] = 1.0f; // also for temperature 0

    const size_t kept =
        temperature > 0.0f ? count_kept(probabilities, order, sampling, V) : 1;
    const double total = sum_in_order(probabilities, order, kept);
    double sum = 0.0;
    size_t n = 0;
    do { // ends: the sum reaches total, and u is below 1
        sum += probabilities[order[n++]];
    } while (sum <= u * total);
    *token = order[n - 1];

    for (n = 0; n < V; n++) {
        const float weight = n < kept ? probabilities[order[n]] : 0.0f;
        probabilities[order[n]] = (float)(weight / total);
    }
    return LAB_OK;
    // END SOLUTION 8.10
}

// ---- 8.11  many tokens --------------------------------------------------------------------

lab_status generate(size_t *tokens, const struct language_activations *z,
                    const struct language_params *params, float *probabilities,
                    size_t *order, const float *uniforms, const struct sampling *sampling,
                    size_t N, size_t count, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (N == 0 || count == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, shape->V) ||
        !sampling_allowed(sampling, uniforms, count)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.11 generate: for each new token language_forward on the last tokens, at most
    // shape->T of them, then sample_token from the logits of the last one (about 13 lines)
    struct language_shape context = *shape;
    context.B = 1;
    for (size_t i = 0; i < count; i++) {
        const size_t length = N + i;
        context.T = length < shape->T ? length : shape->T;
        LAB_TRY(language_forward(NULL, z, params, tokens + length - context.T, NULL,
                                 &context));
        LAB_TRY(sample_token(tokens + length, probabilities, order,
                             z->logits + (context.T - 1) * shape->V, sampling,
                             uniforms[i], shape->V));
    }
    return LAB_OK;
    // END SOLUTION 8.11
}
