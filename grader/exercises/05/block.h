// block.h - shared by 5.6 and 5.7: inputs, tensors, a block in plain loops.

#ifndef GRADER_05_BLOCK_H
#define GRADER_05_BLOCK_H

#include "exercises/exercise.h"

#include "05_transformer_block/block.h"
#include "exercises/05/block_tensors.h"

// Weights of the size that keeps every step near unit scale, as a trained model has them.
void fill_block(struct test_case *test, struct lab_rng *rng);

void fill_without_biases(struct test_case *test, struct lab_rng *rng);
void fill_without_b_qkv(struct test_case *test, struct lab_rng *rng);
void fill_without_b_o(struct test_case *test, struct lab_rng *rng);

// One head of width 4. Nothing is added to the stream, in which the tokens of the second sequence are near
// 1e-12 and 1e12, and every second score of the first is 20 lower.
void fill_stream_of_every_size(struct test_case *test, struct lab_rng *rng);
#define STREAM_OF_EVERY_SIZE_NOTE                                                        \
    "a stream from 1e-12 to 1e12; some scores are 20 below the largest"
#define STREAM_OF_EVERY_SIZE_UNIT 1e-20f

#define BLOCK_ARGUMENTS                                                                  \
    float *out, float *weights, const struct block_buffers *buffers, const float *x,     \
        const struct block_params *params, bool causal, size_t B, size_t T, size_t C,    \
        size_t NH, size_t H

// What an addition adds to, or what the MLP's norm reads.
enum stream { AS_ASKED, FROM_X, FROM_NORMED, FROM_ATTENDED, FROM_NOTHING };

lab_status block_in_plain_loops(BLOCK_ARGUMENTS);
// The same with x * scale + shift in place of (x - mean) * rstd * gain + bias.
lab_status block_with_folded_norms(BLOCK_ARGUMENTS);

// The tensors of a block. The argument is the prefix of all shapes with one part per layer:
// empty, or "L ".
#define BLOCK_TENSOR_SPECS(out_name, L, out_tolerance, weights_tolerance)                \
    {                                                                                    \
        [OUT] = {out_name, L "B T C", OUTPUT, F32, out_tolerance},                       \
        [WEIGHTS] = {"weights", L "B NH T T", OUTPUT, F32, weights_tolerance},           \
        [X] = {"x", "B T C", INPUT, F32, 0, 0}, [LN1_GAIN] = {"ln1_gain", L "C", INPUT,  \
                                                              F32,        0,     0},     \
        [LN1_BIAS] = {"ln1_bias", L "C", INPUT, F32, 0, 0},                              \
        [W_QKV] = {"w_qkv", L "3C C", INPUT, F32, 0, 0}, [B_QKV] = {"b_qkv", L "3C",     \
                                                                    INPUT,   F32,        \
                                                                    0,       0},         \
        [W_O] = {"w_o", L "C C", INPUT, F32, 0, 0}, [B_O] = {"b_o", L "C", INPUT,        \
                                                             F32,   0,     0},           \
        [LN2_GAIN] = {"ln2_gain", L "C", INPUT, F32, 0, 0}, [LN2_BIAS] = {"ln2_bias",    \
                                                                          L "C",         \
                                                                          INPUT,         \
                                                                          F32,           \
                                                                          0,             \
                                                                          0},            \
        [W_FC] = {"w_fc", L "H C", INPUT, F32, 0, 0}, [B_FC] = {"b_fc", L "H", INPUT,    \
                                                                F32,    0,     0},       \
        [W_PROJ] = {"w_proj", L "C H", INPUT, F32, 0, 0}, [B_PROJ] = {"b_proj", L "C",   \
                                                                      INPUT,    F32,     \
                                                                      0,        0},      \
        [LN1] = {"ln1", "B T C", WORKSPACE, F32, 0, 0}, [LN1_MEAN] = {"ln1_mean", "B T", \
                                                                      WORKSPACE,  F32,   \
                                                                      0,          0},    \
        [LN1_RSTD] = {"ln1_rstd", "B T", WORKSPACE, F32, 0, 0},                          \
        [QKV] = {"qkv", "B T 3C", WORKSPACE, F32, 0, 0}, [Q] = {"q", "B T C", WORKSPACE, \
                                                                F32, 0,       0},        \
        [K] = {"k", "B T C", WORKSPACE, F32, 0, 0}, [V] = {"v", "B T C", WORKSPACE,      \
                                                           F32, 0,       0},             \
        [Q_HEADS] = {"q_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},                    \
        [K_HEADS] = {"k_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},                    \
        [V_HEADS] = {"v_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},                    \
        [SCORES] = {"scores", "B NH T T", WORKSPACE, F32, 0, 0},                         \
        [OUT_HEADS] = {"out_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},                \
        [MERGED] = {"merged", "B T C", WORKSPACE, F32, 0, 0}, [MASK] = {"mask",          \
                                                                        "B T T",         \
                                                                        WORKSPACE,       \
                                                                        U8,              \
                                                                        0,               \
                                                                        0},              \
        [ATTENDED] = {"attended", "B T C", WORKSPACE, F32, 0, 0}, [MIDDLE] = {"middle",  \
                                                                              "B T C",   \
                                                                              WORKSPACE, \
                                                                              F32,       \
                                                                              0,         \
                                                                              0},        \
        [LN2] = {"ln2", "B T C", WORKSPACE, F32, 0, 0}, [LN2_MEAN] = {"ln2_mean", "B T", \
                                                                      WORKSPACE,  F32,   \
                                                                      0,          0},    \
        [LN2_RSTD] = {"ln2_rstd", "B T", WORKSPACE, F32, 0, 0}, [HIDDEN] = {"hidden",    \
                                                                            "B T H",     \
                                                                            WORKSPACE,   \
                                                                            F32,         \
                                                                            0,           \
                                                                            0},          \
        [ACTIVATED] = {"activated", "B T H", WORKSPACE, F32, 0, 0},                      \
        [PROJECTED] = {"projected", "B T C", WORKSPACE, F32, 0, 0},                      \
    }

#endif
