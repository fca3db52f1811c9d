// model.c - see model.h.

#include "exercises/exercise.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

void scale_grads(struct test_case *test, const struct tensor_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale_input(test, specs[i].name, 0.25f);
    }
}

// The last token equals the first one, and the targets are drawn separately.
void fill_model(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"tokens", "targets"};
    const size_t V = case_dim(test, "V");
    scale_model_params(test, "params.");
    enlarge_rows(case_f32(test, "params.token_table"), V, case_dim(test, "C"), 0.7f);
    for (size_t i = 0; i < 2; i++) {
        size_t *tokens = case_size(test, names[i]), count = case_count(test, names[i]);
        random_tokens(tokens, count, V, rng);
        if (count > 1) {
            tokens[count - 1] = tokens[0];
        }
    }
}

void fill_many_blocks(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    scale_input(test, "params.w_o", 0.1f);
    scale_input(test, "params.w_down", 0.1f);
}

static void fill_bad(struct test_case *test, struct lab_rng *rng, const char *name,
                     bool last)
{
    fill_model(test, rng);
    case_size(test, name)[last ? case_count(test, name) - 1 : 0] = case_dim(test, "V");
}

void fill_bad_last_token(struct test_case *test, struct lab_rng *rng)
{
    fill_bad(test, rng, "tokens", true);
}

void fill_bad_first_token(struct test_case *test, struct lab_rng *rng)
{
    fill_bad(test, rng, "tokens", false);
}

void fill_bad_last_target(struct test_case *test, struct lab_rng *rng)
{
    fill_bad(test, rng, "targets", true);
}

void fill_bad_first_target(struct test_case *test, struct lab_rng *rng)
{
    fill_bad(test, rng, "targets", false);
}
