// model.c - see model.h.

#include "exercises/09/model.h"
#include "exercises/common/own.h"

#include <string.h>

#include "08_language_model/language_model.h"

// Row t of the cache of sequence b, in layer l and head h.
static float *row_of(struct test_case *test, const char *name, size_t l, size_t b,
                     size_t h, size_t t)
{
    const struct language_shape s = shape_of_case(test);
    return case_f32(test, name) +
           (((l * s.B + b) * s.NH + h) * s.T + t) * case_dim(test, "hs");
}

void remember_text(struct test_case *test, float *logits, const size_t *tokens, size_t b,
                   size_t N, size_t n)
{
    const size_t hs = case_dim(test, "hs"), bytes = hs * sizeof(float);
    const struct language_params params = params_of_case(test);
    struct language_shape s = shape_of_case(test);
    struct scratch_model model = scratch_model(&s);
    s.B = 1;
    s.T = N + n;
    must(language_forward(NULL, &model.z, &params, tokens, NULL, &s));
    for (size_t row = 0; row < s.L * s.NH * s.T; row++) { // (L, NH, N + n)
        const size_t l = row / s.T / s.NH, h = row / s.T % s.NH, t = row % s.T;
        if (t < N) {
            memcpy(row_of(test, "cache.keys", l, b, h, t), model.z.k_turned + row * hs,
                   bytes);
            memcpy(row_of(test, "cache.values", l, b, h, t), model.z.v_heads + row * hs,
                   bytes);
        }
    }
    memcpy(logits, model.z.logits + (s.T - 1) * s.V, s.V * sizeof *logits);
    forget_model(&model);
}
