// layers.h - shared by 11.4 and 11.5: the tensors of a layer of BERT and of a block of GPT-2.

#ifndef GRADER_11_LAYERS_H
#define GRADER_11_LAYERS_H

#include "exercises/exercise.h"

// The size that keeps every step near unit scale, as in a trained model. Fills; fill_bert draws a mask
// with padding.
void fill_bert(struct test_case *test, struct lab_rng *rng);
void fill_gpt2(struct test_case *test, struct lab_rng *rng);

#define FLOATS(name, shape, role)                                                        \
    {                                                                                    \
        name, shape, role, F32, 0, 0                                                     \
    }

// In the order of the fields of struct bert_buffers and bert_params. Heads have B NH T hs = B T C numbers.
#define BERT_BUFFER_TENSORS                                                              \
    FLOATS("q", "B T C", WORKSPACE), FLOATS("k", "B T C", WORKSPACE),                    \
        FLOATS("v", "B T C", WORKSPACE), FLOATS("q_heads", "B T C", WORKSPACE),          \
        FLOATS("k_heads", "B T C", WORKSPACE), FLOATS("v_heads", "B T C", WORKSPACE),    \
        FLOATS("scores", "B NH T T", WORKSPACE),                                         \
        FLOATS("out_heads", "B T C", WORKSPACE), FLOATS("merged", "B T C", WORKSPACE),   \
        FLOATS("attended", "B T C", WORKSPACE), FLOATS("middle", "B T C", WORKSPACE),    \
        FLOATS("hidden", "B T H", WORKSPACE), FLOATS("activated", "B T H", WORKSPACE),   \
        FLOATS("projected", "B T C", WORKSPACE)
#define BERT_PARAM_TENSORS                                                               \
    FLOATS("w_q", "C C", INPUT), FLOATS("b_q", "C", INPUT), FLOATS("w_k", "C C", INPUT), \
        FLOATS("b_k", "C", INPUT), FLOATS("w_v", "C C", INPUT),                          \
        FLOATS("b_v", "C", INPUT), FLOATS("w_o", "C C", INPUT),                          \
        FLOATS("b_o", "C", INPUT), FLOATS("ln1_gain", "C", INPUT),                       \
        FLOATS("ln1_bias", "C", INPUT), FLOATS("w_fc", "H C", INPUT),                    \
        FLOATS("b_fc", "H", INPUT), FLOATS("w_proj", "C H", INPUT),                      \
        FLOATS("b_proj", "C", INPUT), FLOATS("ln2_gain", "C", INPUT),                    \
        FLOATS("ln2_bias", "C", INPUT)

// In the order of the fields of struct gpt2_buffers and gpt2_params.
#define GPT2_BUFFER_TENSORS                                                              \
    FLOATS("ln1", "B T C", WORKSPACE), FLOATS("ln1_mean", "B T", WORKSPACE),             \
        FLOATS("ln1_rstd", "B T", WORKSPACE), FLOATS("qkv", "B T 3C", WORKSPACE),        \
        FLOATS("q", "B T C", WORKSPACE), FLOATS("k", "B T C", WORKSPACE),                \
        FLOATS("v", "B T C", WORKSPACE), FLOATS("q_heads", "B T C", WORKSPACE),          \
        FLOATS("k_heads", "B T C", WORKSPACE), FLOATS("v_heads", "B T C", WORKSPACE),    \
        FLOATS("scores", "B NH T T", WORKSPACE),                                         \
        FLOATS("out_heads", "B T C", WORKSPACE), FLOATS("merged", "B T C", WORKSPACE),   \
        {"mask", "B T T", WORKSPACE, U8, 0, 0}, FLOATS("attended", "B T C", WORKSPACE),  \
        FLOATS("middle", "B T C", WORKSPACE), FLOATS("ln2", "B T C", WORKSPACE),         \
        FLOATS("ln2_mean", "B T", WORKSPACE), FLOATS("ln2_rstd", "B T", WORKSPACE),      \
        FLOATS("hidden", "B T H", WORKSPACE), FLOATS("activated", "B T H", WORKSPACE),   \
        FLOATS("projected", "B T C", WORKSPACE)
#define GPT2_PARAM_TENSORS                                                               \
    FLOATS("ln1_gain", "C", INPUT), FLOATS("ln1_bias", "C", INPUT),                      \
        FLOATS("w_qkv", "C 3C", INPUT), FLOATS("b_qkv", "3C", INPUT),                    \
        FLOATS("w_o", "C C", INPUT), FLOATS("b_o", "C", INPUT),                          \
        FLOATS("ln2_gain", "C", INPUT), FLOATS("ln2_bias", "C", INPUT),                  \
        FLOATS("w_fc", "C H", INPUT), FLOATS("b_fc", "H", INPUT),                        \
        FLOATS("w_proj", "H C", INPUT), FLOATS("b_proj", "C", INPUT)

// Absolute and relative tolerance of the results.
#define LAYER_WEIGHTS_TOLERANCE 4e-6f, 4e-5f
#define LAYER_OUT_TOLERANCE 4e-5f, 4e-5f

#endif
