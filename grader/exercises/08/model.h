// model.h - shared by the exercises of lab 8 that put the model together: tensors and fills.

#ifndef GRADER_08_MODEL_H
#define GRADER_08_MODEL_H

#include "exercises/common/language.h"
#include "exercises/common/own.h"
#include "exercises/exercise.h"

#include "08_language_model/language_model.h"

#define BLOCK_DIMS "B T C NH hs H"

// The tensors of a forward pass, and the gradients of parameters and activations.
#define FORWARD_TOLERANCE 4e-5f, 1e-4f
#define GRADIENT_TOLERANCE 4e-5f, 1e-4f

// clang-format off

// The fields of struct language_activations. `judged` is the role of those that a forward pass
// is judged on: its outputs, and the buffers that the backward pass reads. `other` is the role
// of the rest. B is "B " or, for one sequence, "".
#define ACTIVATION_TENSORS(B, judged, other, ...)                                        \
    {"z.streams",       "L1 " B "T C",      judged, F32, __VA_ARGS__},                   \
    {"z.normed1",       "L " B "T C",       judged, F32, __VA_ARGS__},                   \
    {"z.rrms1",         "L " B "T",         judged, F32, __VA_ARGS__},                   \
    {"z.q",             "L " B "T C",       other,  F32, 0, 0},                          \
    {"z.k",             "L " B "T C",       other,  F32, 0, 0},                          \
    {"z.v",             "L " B "T C",       other,  F32, 0, 0},                          \
    {"z.q_heads",       "L " B "NH T hs",   other,  F32, 0, 0},                          \
    {"z.k_heads",       "L " B "NH T hs",   other,  F32, 0, 0},                          \
    {"z.v_heads",       "L " B "NH T hs",   judged, F32, __VA_ARGS__},                   \
    {"z.q_turned",      "L " B "NH T hs",   judged, F32, __VA_ARGS__},                   \
    {"z.k_turned",      "L " B "NH T hs",   judged, F32, __VA_ARGS__},                   \
    {"z.scores",        "L " B "NH T T",    other,  F32, 0, 0},                          \
    {"z.weights",       "L " B "NH T T",    judged, F32, __VA_ARGS__},                   \
    {"z.out_heads",     "L " B "NH T hs",   other,  F32, 0, 0},                          \
    {"z.merged",        "L " B "T C",       judged, F32, __VA_ARGS__},                   \
    {"z.attended",      "L " B "T C",       other,  F32, 0, 0},                          \
    {"z.middle",        "L " B "T C",       judged, F32, __VA_ARGS__},                   \
    {"z.normed2",       "L " B "T C",       judged, F32, __VA_ARGS__},                   \
    {"z.rrms2",         "L " B "T",         judged, F32, __VA_ARGS__},                   \
    {"z.gate",          "L " B "T H",       judged, F32, __VA_ARGS__},                   \
    {"z.up",            "L " B "T H",       judged, F32, __VA_ARGS__},                   \
    {"z.hidden",        "L " B "T H",       judged, F32, __VA_ARGS__},                   \
    {"z.projected",     "L " B "T C",       other,  F32, 0, 0},                          \
    {"z.normed",        B "T C",            judged, F32, __VA_ARGS__},                   \
    {"z.rrms",          B "T",              judged, F32, __VA_ARGS__},                   \
    {"z.logits",        B "T V",            judged, F32, __VA_ARGS__},                   \
    {"z.probabilities", B "T V",            judged, F32, __VA_ARGS__},                   \
    {"z.mask",          B "T T",            other,  U8,  0, 0},                          \
    {"z.positions",     "T",                judged, SIZE, 0, 0}

// The fields of struct language_block_params or, with another prefix, their gradients.
#define BLOCK_PARAM_TENSORS(prefix, role, ...)                                           \
    {prefix "norm1",  "C",   role, F32, __VA_ARGS__},                                    \
    {prefix "w_q",    "C C", role, F32, __VA_ARGS__},                                    \
    {prefix "w_k",    "C C", role, F32, __VA_ARGS__},                                    \
    {prefix "w_v",    "C C", role, F32, __VA_ARGS__},                                    \
    {prefix "w_o",    "C C", role, F32, __VA_ARGS__},                                    \
    {prefix "norm2",  "C",   role, F32, __VA_ARGS__},                                    \
    {prefix "w_gate", "H C", role, F32, __VA_ARGS__},                                    \
    {prefix "w_up",   "H C", role, F32, __VA_ARGS__},                                    \
    {prefix "w_down", "C H", role, F32, __VA_ARGS__}

// The fields of struct language_block_buffers.
#define BLOCK_BUFFER_TENSORS(judged, other, ...)                                         \
    {"z.normed1",   "B T C",     judged, F32, __VA_ARGS__},                              \
    {"z.rrms1",     "B T",       judged, F32, __VA_ARGS__},                              \
    {"z.q",         "B T C",     other,  F32, 0, 0},                                     \
    {"z.k",         "B T C",     other,  F32, 0, 0},                                     \
    {"z.v",         "B T C",     other,  F32, 0, 0},                                     \
    {"z.q_heads",   "B NH T hs", other,  F32, 0, 0},                                     \
    {"z.k_heads",   "B NH T hs", other,  F32, 0, 0},                                     \
    {"z.v_heads",   "B NH T hs", judged, F32, __VA_ARGS__},                              \
    {"z.q_turned",  "B NH T hs", judged, F32, __VA_ARGS__},                              \
    {"z.k_turned",  "B NH T hs", judged, F32, __VA_ARGS__},                              \
    {"z.scores",    "B NH T T",  other,  F32, 0, 0},                                     \
    {"z.out_heads", "B NH T hs", other,  F32, 0, 0},                                     \
    {"z.merged",    "B T C",     judged, F32, __VA_ARGS__},                              \
    {"z.attended",  "B T C",     other,  F32, 0, 0},                                     \
    {"z.middle",    "B T C",     judged, F32, __VA_ARGS__},                              \
    {"z.normed2",   "B T C",     judged, F32, __VA_ARGS__},                              \
    {"z.rrms2",     "B T",       judged, F32, __VA_ARGS__},                              \
    {"z.gate",      "B T H",     judged, F32, __VA_ARGS__},                              \
    {"z.up",        "B T H",     judged, F32, __VA_ARGS__},                              \
    {"z.hidden",    "B T H",     judged, F32, __VA_ARGS__},                              \
    {"z.projected", "B T C",     other,  F32, 0, 0},                                     \
    {"z.mask",      "B T T",     other,  U8,  0, 0},                                     \
    {"z.positions", "T",         judged, SIZE, 0, 0}

// The fields of struct language_gradients, from dhidden on.
#define GRADIENT_WORKSPACES                                                              \
    {"dz.dhidden",    "B T H",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dgate",      "B T H",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dup",        "B T H",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dnormed2",   "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dmiddle",    "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dmerged",    "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dout_heads", "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dq_turned",  "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dk_turned",  "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dv_heads",   "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dweights",   "B NH T T",  WORKSPACE, F32, 0, 0},                                \
    {"dz.dscores",    "B NH T T",  WORKSPACE, F32, 0, 0},                                \
    {"dz.dq_heads",   "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dk_heads",   "B NH T hs", WORKSPACE, F32, 0, 0},                                \
    {"dz.dq",         "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dk",         "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dv",         "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dnormed1",   "B T C",     WORKSPACE, F32, 0, 0},                                \
    {"dz.dbranch",    "B T C",     WORKSPACE, F32, 0, 0}
// clang-format on

// The arguments of the four functions, for declarations and for calls.
#define BLOCK_ARGUMENTS                                                                  \
    float *out, float *weights, const struct language_block_buffers *z, const float *x,  \
        const struct language_block_params *params, size_t B, size_t T, size_t C,        \
        size_t NH, size_t H
#define BLOCK_VALUES out, weights, z, x, params, B, T, C, NH, H
#define FORWARD_VALUES loss, z, params, tokens, targets, shape
#define BLOCK_BACKWARD_ARGUMENTS                                                         \
    float *dx, const struct language_block_grads *grads,                                 \
        const struct language_gradients *dz, const float *dout, const float *x,          \
        const struct language_block_params *params, const float *weights,                \
        const struct language_block_buffers *z, size_t B, size_t T, size_t C, size_t NH, \
        size_t H
#define BLOCK_BACKWARD_VALUES dx, grads, dz, dout, x, params, weights, z, B, T, C, NH, H
#define BACKWARD_ARGUMENTS                                                               \
    const struct language_params *grads, const struct language_gradients *dz,            \
        const struct language_activations *z, const struct language_params *params,      \
        const size_t *tokens, const size_t *targets, const struct language_shape *shape
#define BACKWARD_VALUES grads, dz, z, params, tokens, targets, shape

// Multiplies every number of these tensors by 0.25: the old values of a gradient.
void scale_grads(struct test_case *test, const struct tensor_spec *specs, size_t count);

// A model and its inputs: parameters, tokens and targets.
void fill_model(struct test_case *test, struct lab_rng *rng);
// Blocks that add little, so that many of them do not magnify rounding.
void fill_many_blocks(struct test_case *test, struct lab_rng *rng);
void fill_bad_last_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_last_target(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_target(struct test_case *test, struct lab_rng *rng);

// Functions with the same contracts, with every sum in double and rounded once.
lab_status language_block_in_double(BLOCK_ARGUMENTS);
lab_status language_forward_in_double(FORWARD_ARGUMENTS);
lab_status language_block_backward_in_double(BLOCK_BACKWARD_ARGUMENTS);
lab_status language_backward_in_double(BACKWARD_ARGUMENTS);

#endif
