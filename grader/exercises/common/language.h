// language.h - cases with lab 8's model: its tensors, weights and tokens.

#ifndef GRADER_COMMON_LANGUAGE_H
#define GRADER_COMMON_LANGUAGE_H

#include "exercises/exercise.h"

#include "common/language.h"

// The order in which adaptors get the sizes of a model.
#define MODEL_DIMS "B T C NH hs H V L"

// clang-format off
// The fields of struct language_params in order or, with another prefix, their gradients.
#define MODEL_PARAM_TENSORS(prefix, role, ...)                                           \
    {prefix "token_table", "V C",   role, F32, __VA_ARGS__},                             \
    {prefix "norm1",       "L C",   role, F32, __VA_ARGS__},                             \
    {prefix "w_q",         "L C C", role, F32, __VA_ARGS__},                             \
    {prefix "w_k",         "L C C", role, F32, __VA_ARGS__},                             \
    {prefix "w_v",         "L C C", role, F32, __VA_ARGS__},                             \
    {prefix "w_o",         "L C C", role, F32, __VA_ARGS__},                             \
    {prefix "norm2",       "L C",   role, F32, __VA_ARGS__},                             \
    {prefix "w_gate",      "L H C", role, F32, __VA_ARGS__},                             \
    {prefix "w_up",        "L H C", role, F32, __VA_ARGS__},                             \
    {prefix "w_down",      "L C H", role, F32, __VA_ARGS__},                             \
    {prefix "norm",        "C",     role, F32, __VA_ARGS__},                             \
    {prefix "w_out",       "V C",   role, F32, __VA_ARGS__}
// clang-format on

#define FORWARD_ARGUMENTS                                                                \
    float *loss, const struct language_activations *z,                                   \
        const struct language_params *params, const size_t *tokens,                      \
        const size_t *targets, const struct language_shape *shape
typedef lab_status forward_function(FORWARD_ARGUMENTS);

// Those of a case, with the prefix "params.".
struct language_params params_of_case(struct test_case *test);
struct language_shape shape_of_case(const struct test_case *test);

// Weights that keep everything at unit scale, and gains near 1. Matrices are (out, in) and are
// divided by the root of in.
void scale_block_params(struct test_case *test, const char *prefix);
void scale_model_params(struct test_case *test, const char *prefix);

// Draws "params." anew.
void draw_language_model(struct test_case *test, struct lab_rng *rng);

// Scales up rows whose mean square is below least^2 to that value. For a row of small numbers,
// 1 / rms is large and magnifies the rounding of the gradient.
void enlarge_rows(float *x, size_t N, size_t C, float least);

// Tokens below V, drawn.
void random_tokens(size_t *tokens, size_t count, size_t V, struct lab_rng *rng);

// Memory of one sequence for a forward pass in the judge, freed by forget_model.
struct scratch_model {
    struct language_activations z;
    void *floats, *mask, *positions;
};
struct scratch_model scratch_model(const struct language_shape *shape);
void forget_model(struct scratch_model *model);

#endif
