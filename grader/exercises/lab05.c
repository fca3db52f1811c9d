// lab05.c - how to call the functions of lab 5, the transformer block. 05/ has a file for
// each exercise; lab01.c explains their order. Start reading at 05/01_layernorm.c.

#include "exercises/exercise.h"
#include "exercises/05/block_tensors.h"

#include "05_transformer_block/block.h"
#ifdef GPU
#include "05_transformer_block/block_gpu.h"
#endif

GPU_ADAPTOR(layernorm, t[0], t[1], t[2], t[3], t[4], t[5], n[0], n[1])
GPU_ADAPTOR(gelu, t[0], t[1], n[0])
GPU_ADAPTOR(residual_add, t[0], t[1], t[2], n[0])
GPU_ADAPTOR(dropout, t[0], t[1], t[2], *(const float *)HOST(3), n[0] != 0, n[1])
ADAPTOR(block_parameter_count, t[0], n[0], n[1])
ADAPTOR(stack_parameter_count, t[0], n[0], n[1], n[2])
ADAPTOR(gpt2_parameter_count, t[0], n[0], n[1], n[2], n[3])

#ifndef GPU // compositions have no GPU variant

static lab_status call_mlp(any_function f, void *const *t, const size_t *n)
{
    const struct mlp_params params = {t[2], t[3], t[4], t[5]};
    return ((__typeof__(mlp) *)f)(t[0], t[6], t[7], t[1], &params, n[0], n[1], n[2]);
}

_Static_assert((int)BLOCK_TENSORS <= (int)MAX_TENSORS, "a block has more tensors");

static struct block_buffers buffers_of(void *const *t)
{
    return (struct block_buffers){
        .ln1 = t[LN1],
        .ln1_mean = t[LN1_MEAN],
        .ln1_rstd = t[LN1_RSTD],
        .attention = {.qkv = t[QKV],
                      .q = t[Q],
                      .k = t[K],
                      .v = t[V],
                      .q_heads = t[Q_HEADS],
                      .k_heads = t[K_HEADS],
                      .v_heads = t[V_HEADS],
                      .scores = t[SCORES],
                      .out_heads = t[OUT_HEADS],
                      .merged = t[MERGED],
                      .mask = t[MASK]},
        .attended = t[ATTENDED],
        .middle = t[MIDDLE],
        .ln2 = t[LN2],
        .ln2_mean = t[LN2_MEAN],
        .ln2_rstd = t[LN2_RSTD],
        .hidden = t[HIDDEN],
        .activated = t[ACTIVATED],
        .projected = t[PROJECTED],
    };
}

// The part of layer l in a tensor with count numbers per layer; NULL stays NULL.
static const float *layer_of(const void *tensor, size_t l, size_t count)
{
    return tensor == NULL ? NULL : (const float *)tensor + l * count;
}

static struct block_params params_of(void *const *t, size_t l, size_t C, size_t H)
{
    return (struct block_params){
        .ln1_gain = layer_of(t[LN1_GAIN], l, C),
        .ln1_bias = layer_of(t[LN1_BIAS], l, C),
        .attention = {.w_qkv = layer_of(t[W_QKV], l, 3 * C * C),
                      .b_qkv = layer_of(t[B_QKV], l, 3 * C),
                      .w_o = layer_of(t[W_O], l, C * C),
                      .b_o = layer_of(t[B_O], l, C)},
        .ln2_gain = layer_of(t[LN2_GAIN], l, C),
        .ln2_bias = layer_of(t[LN2_BIAS], l, C),
        .mlp = {.w_fc = layer_of(t[W_FC], l, H * C),
                .b_fc = layer_of(t[B_FC], l, H),
                .w_proj = layer_of(t[W_PROJ], l, C * H),
                .b_proj = layer_of(t[B_PROJ], l, C)},
    };
}

static lab_status call_transformer_block(any_function f, void *const *t, const size_t *n)
{
    const struct block_buffers buffers = buffers_of(t);
    const struct block_params params = params_of(t, 0, n[3], n[5]);
    return ((__typeof__(transformer_block) *)f)(t[OUT], t[WEIGHTS], &buffers, t[X],
                                                &params, n[0] != 0, n[1], n[2], n[3],
                                                n[4], n[5]);
}

enum { MOST_LAYERS = 68 }; // maximum of all cases

static lab_status call_transformer_stack(any_function f, void *const *t, const size_t *n)
{
    const struct block_buffers buffers = buffers_of(t);
    struct block_params params[MOST_LAYERS];
    for (size_t l = 0; l < MOST_LAYERS && l < n[6]; l++) {
        params[l] = params_of(t, l, n[3], n[5]);
    }
    return ((__typeof__(transformer_stack) *)f)(t[OUT], t[WEIGHTS], &buffers, t[X],
                                                params, n[0] != 0, n[1], n[2], n[3], n[4],
                                                n[5], n[6]);
}

#endif

const struct entry lab_entries[] = {
    GPU_ENTRY(layernorm),
    GPU_ENTRY(gelu),
    ENTRY(mlp),
    GPU_ENTRY(dropout),
    GPU_ENTRY(residual_add),
    ENTRY(transformer_block),
    ENTRY(transformer_stack),
    ENTRY(block_parameter_count),
    ENTRY(stack_parameter_count),
    ENTRY(gpt2_parameter_count),
    {0},
};

#ifndef WORKER

const struct lab lab_05 = {
    .title = "Transformer block",
    .exercises = lab_exercises,
};

#endif
