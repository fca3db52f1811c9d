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

void collect(void **t, struct test_case *test, const struct tensor_spec *specs,
             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = specs[i].name;
        t[i] = specs[i].type == U8     ? (void *)case_u8(test, name)
               : specs[i].type == SIZE ? (void *)case_size(test, name)
                                       : (void *)case_f32(test, name);
    }
}

static void scale_named(struct test_case *test, const char *prefix, const char *name,
                        float by)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    scale_input(test, whole, by);
}

static void make_gain(struct test_case *test, const char *prefix, const char *name)
{
    char whole[64];
    scale_named(test, prefix, name, 0.3f);
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    shift_input(test, whole, 1.0f);
}

void scale_block_params(struct test_case *test, const char *prefix)
{
    static const char *const matrices[] = {"w_q", "w_k", "w_v", "w_o", "w_gate", "w_up"};
    const float C = (float)case_dim(test, "C"), H = (float)case_dim(test, "H");
    make_gain(test, prefix, "norm1");
    make_gain(test, prefix, "norm2");
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        scale_named(test, prefix, matrices[i], 1.0f / sqrtf(C));
    }
    scale_named(test, prefix, "w_down", 1.0f / sqrtf(H));
}

void scale_model_params(struct test_case *test, const char *prefix)
{
    const float C = (float)case_dim(test, "C");
    scale_block_params(test, prefix);
    make_gain(test, prefix, "norm");
    scale_named(test, prefix, "w_out", 1.5f / sqrtf(C));
}

void scale_grads(struct test_case *test, const struct tensor_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale_input(test, specs[i].name, 0.25f);
    }
}

struct language_shape shape_of_case(const struct test_case *test)
{
    return (struct language_shape){
        .B = case_dim(test, "B"),
        .T = case_dim(test, "T"),
        .V = case_dim(test, "V"),
        .C = case_dim(test, "C"),
        .NH = case_dim(test, "NH"),
        .H = case_dim(test, "H"),
        .L = case_dim(test, "L"),
    };
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
        draw_tokens(tokens, count, V, rng);
        if (count > 1) {
            tokens[count - 1] = tokens[0];
        }
    }
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

struct scratch_model scratch_model(const struct language_shape *shape)
{
    struct language_shape one = *shape;
    one.B = 1;
    struct scratch_model model = {
        .floats = borrow(language_count(language_activations_rows, &one)),
        .mask = calloc(one.T * one.T, 1),
        .positions = calloc(one.T, sizeof(size_t)),
    };
    if (model.mask == NULL || model.positions == NULL) {
        abort();
    }
    language_lay_out(&model.z, language_activations_rows, &one, model.floats);
    model.z.mask = model.mask;
    model.z.positions = model.positions;
    return model;
}

void forget_model(struct scratch_model *model)
{
    free(model->floats);
    free(model->mask);
    free(model->positions);
}
