// language.c - see language.h.

#include "exercises/common/language.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"

struct language_params params_of_case(struct test_case *test)
{
    static const struct tensor_spec specs[] = {
        MODEL_PARAM_TENSORS("params.", INPUT, 0, 0)};
    void *t[MAX_TENSORS];
    struct language_params params;
    collect(t, test, specs, sizeof specs / sizeof specs[0]);
    memcpy(&params, t, sizeof params);
    return params;
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

void enlarge_rows(float *x, size_t N, size_t C, float least)
{
    for (float *row = x; row < x + N * C; row += C) {
        double square = 0.0;
        for (size_t c = 0; c < C; c++) {
            square += (double)row[c] * (double)row[c] / (double)C;
        }
        const double by = (double)least / sqrt(square);
        for (size_t c = 0; c < C && by > 1.0; c++) {
            row[c] = (float)((double)row[c] * by);
        }
    }
}

void draw_language_model(struct test_case *test, struct lab_rng *rng)
{
    static const struct tensor_spec specs[] = {
        MODEL_PARAM_TENSORS("params.", INPUT, 0, 0)};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        const char *name = specs[i].name;
        lab_rng_randn(rng, case_f32(test, name), case_count(test, name));
    }
    scale_model_params(test, "params.");
    enlarge_rows(case_f32(test, "params.token_table"), case_dim(test, "V"),
                 case_dim(test, "C"), 0.7f);
}

void random_tokens(size_t *tokens, size_t count, size_t V, struct lab_rng *rng)
{
    for (size_t i = 0; i < count && V > 0; i++) {
        tokens[i] = lab_rng_next32(rng) % V;
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
