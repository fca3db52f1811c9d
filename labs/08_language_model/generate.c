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
    // TODO 8.10: sort the tokens by their logits; exponentials of (logit - largest) /
    // temperature; count the tokens that top-k and top-p leave; probabilities of these;
    // go through them until their sum is above u (about 45 lines, helpers are welcome)
    return lab_todo(token, probabilities, order, logits, sampling, u, V);
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
    // TODO 8.11: for each new token language_forward on the last tokens, at most shape->T
    // of them, then sample_token from the logits of the last one (about 13 lines)
    return lab_todo(tokens, z, params, probabilities, order, uniforms, sampling, N, count,
                    shape);
}
