// 11_whole_model.h - shared by the files of 6.11: tensors, fills, tables.

#ifndef GRADER_06_11_WHOLE_MODEL_H
#define GRADER_06_11_WHOLE_MODEL_H

#include "exercises/exercise.h"

#include "06_copy_task/copy_task.h"

// clang-format off
#define MODEL_DIMS "B T T_max V C NH hs H L causal positions"

// The parameters or, with another prefix, their gradients, in the order of
// model_params_rows.
#define PARAM_TENSORS(prefix, role, atol, rtol)                                          \
    {prefix "token_table",    "V C",     role, F32, atol, rtol},                         \
    {prefix "position_table", "T_max C", role, F32, atol, rtol},                         \
    {prefix "ln1_gain",       "L C",     role, F32, atol, rtol},                         \
    {prefix "ln1_bias",       "L C",     role, F32, atol, rtol},                         \
    {prefix "w_qkv",          "L 3C C",  role, F32, atol, rtol},                         \
    {prefix "b_qkv",          "L 3C",    role, F32, atol, rtol},                         \
    {prefix "w_o",            "L C C",   role, F32, atol, rtol},                         \
    {prefix "b_o",            "L C",     role, F32, atol, rtol},                         \
    {prefix "ln2_gain",       "L C",     role, F32, atol, rtol},                         \
    {prefix "ln2_bias",       "L C",     role, F32, atol, rtol},                         \
    {prefix "w_fc",           "L H C",   role, F32, atol, rtol},                         \
    {prefix "b_fc",           "L H",     role, F32, atol, rtol},                         \
    {prefix "w_proj",         "L C H",   role, F32, atol, rtol},                         \
    {prefix "b_proj",         "L C",     role, F32, atol, rtol},                         \
    {prefix "w_out",          "V C",     role, F32, atol, rtol},                         \
    {prefix "b_out",          "V",       role, F32, atol, rtol}

// The activations in the order of model_activations_rows. `judged` is the role of those
// that the forward pass is judged on: the outputs, and what the backward pass reads.
// `other` is the role of the rest.
#define ACTIVATION_TENSORS(judged, other, atol, rtol)                                    \
    {"z.embedded",      "B T C",          other,  F32, 0, 0},                            \
    {"z.positioned",    "B T C",          other,  F32, 0, 0},                            \
    {"z.streams",       "L1 B T C",       judged, F32, atol, rtol},                      \
    {"z.ln1",           "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln1_mean",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.ln1_rstd",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.qkv",           "L B T 3C",       other,  F32, 0, 0},                            \
    {"z.q, z.k, z.v",   "3L B T C",       other,  F32, 0, 0},                            \
    {"z.q_heads, ...",  "3L B NH T hs",   judged, F32, atol, rtol},                      \
    {"z.scores",        "L B NH T T",     other,  F32, 0, 0},                            \
    {"z.weights",       "L B NH T T",     judged, F32, atol, rtol},                      \
    {"z.out_heads",     "L B NH T hs",    other,  F32, 0, 0},                            \
    {"z.merged",        "L B T C",        judged, F32, atol, rtol},                      \
    {"z.attended",      "L B T C",        other,  F32, 0, 0},                            \
    {"z.middle",        "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln2",           "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln2_mean",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.ln2_rstd",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.hidden",        "L B T H",        judged, F32, atol, rtol},                      \
    {"z.activated",     "L B T H",        judged, F32, atol, rtol},                      \
    {"z.projected",     "L B T C",        other,  F32, 0, 0},                            \
    {"z.logits",        "B T V",          judged, F32, atol, rtol},                      \
    {"z.probabilities", "B T V",          judged, F32, atol, rtol},                      \
    {"z.mask",          "B T T",          other,  U8,  0, 0}

// The inputs of a model.
#define RUN_TENSORS                                                                      \
    {"tokens",   "B T",   INPUT, SIZE, 0, 0},                                            \
    {"targets",  "B T",   INPUT, SIZE, 0, 0},                                            \
    {"uniforms", "B T C", INPUT, F32,  0, 0},                                            \
    {"dropout",  "1",     INPUT, F32,  0, 0}
// clang-format on

// Weights that keep everything at unit scale, as in PyTorch and in trained models; gains
// near 1. Matrices (out, in) are divided by the root of in.
void scale_params(struct test_case *test, const char *prefix, size_t C, size_t H);

void fill_model(struct test_case *test, struct lab_rng *rng);

// The shape has dropout, but uniforms is NULL, because these are not training steps.
void fill_with_uniforms(struct test_case *test, struct lab_rng *rng);

void fill_model_bad_token(struct test_case *test, struct lab_rng *rng);
void fill_model_bad_target(struct test_case *test, struct lab_rng *rng);
extern const struct case_spec model_forward_cases[];
extern const struct mistake model_forward_mistakes[];
extern const struct mistake model_forward_alternatives[];

// clang-format off
#define BLOCK_PARAM_TENSORS(prefix, role, atol, rtol)                                    \
    {prefix "ln1_gain", "C",    role, F32, atol, rtol},                                  \
    {prefix "ln1_bias", "C",    role, F32, atol, rtol},                                  \
    {prefix "w_qkv",    "3C C", role, F32, atol, rtol},                                  \
    {prefix "b_qkv",    "3C",   role, F32, atol, rtol},                                  \
    {prefix "w_o",      "C C",  role, F32, atol, rtol},                                  \
    {prefix "b_o",      "C",    role, F32, atol, rtol},                                  \
    {prefix "ln2_gain", "C",    role, F32, atol, rtol},                                  \
    {prefix "ln2_bias", "C",    role, F32, atol, rtol},                                  \
    {prefix "w_fc",     "H C",  role, F32, atol, rtol},                                  \
    {prefix "b_fc",     "H",    role, F32, atol, rtol},                                  \
    {prefix "w_proj",   "C H",  role, F32, atol, rtol},                                  \
    {prefix "b_proj",   "C",    role, F32, atol, rtol}

#define BLOCK_WORKSPACE_TENSORS                                                          \
    {"dz.dactivated",         "B T H",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dhidden",            "B T H",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dln2",               "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dmiddle",            "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dmerged",            "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dout_heads",         "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dq_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dk_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dv_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dweights",           "B NH T T",  WORKSPACE, F32, 0, 0},                        \
    {"dz.dscores",            "B NH T T",  WORKSPACE, F32, 0, 0},                        \
    {"dz.dq, dz.dk, dz.dv",   "3B T C",    WORKSPACE, F32, 0, 0},                        \
    {"dz.dqkv",               "B T 3C",    WORKSPACE, F32, 0, 0},                        \
    {"dz.dln1",               "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dbranch",            "B T C",     WORKSPACE, F32, 0, 0}

#define BLOCK_BUFFER_TENSORS                                                             \
    {"z.ln1",            "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln1_mean",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.ln1_rstd",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.attention.qkv",  "B T 3C",     INPUT, F32, 0, 0},                                \
    {"z.attention.q, k, v",  "3B T C", INPUT, F32, 0, 0},                                \
    {"z.attention.q_heads, ...", "3B NH T hs", INPUT, F32, 0, 0},                        \
    {"z.attention.scores",    "B NH T T",  INPUT, F32, 0, 0},                            \
    {"z.attention.out_heads", "B NH T hs", INPUT, F32, 0, 0},                            \
    {"z.attention.merged",    "B T C",     INPUT, F32, 0, 0},                            \
    {"z.attention.mask",      "B T T",     INPUT, U8, 0, 0},                             \
    {"z.attended",       "B T C",      INPUT, F32, 0, 0},                                \
    {"z.middle",         "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln2",            "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln2_mean",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.ln2_rstd",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.hidden",         "B T H",      INPUT, F32, 0, 0},                                \
    {"z.activated",      "B T H",      INPUT, F32, 0, 0},                                \
    {"z.projected",      "B T C",      INPUT, F32, 0, 0}
// clang-format on

void scale_grads(struct test_case *test, const struct tensor_spec *specs, size_t count);

// H is not 3C, T is not NH, and hs is not NH, so each fault gives different numbers.
extern const struct case_spec block_backward_cases[];

extern const struct mistake block_backward_mistakes[];
extern const struct mistake block_backward_alternatives[];
extern const struct case_spec model_backward_cases[];
extern const struct mistake model_backward_mistakes[];
extern const struct mistake model_backward_alternatives[];

// In lab06.c, for the worker and for the cases: builds structs of pointers from consecutive
// tensors.
struct block_params block_params_from_tensors(void *const *t);

struct block_buffers block_buffers_from_tensors(void *const *t, size_t N, size_t C);
size_t params_from_tensors(struct model_params *params, void *const *t);
size_t activations_from_tensors(struct model_activations *z, void *const *t,
                                const struct model_shape *s);

#endif
