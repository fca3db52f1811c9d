// model.h - a small transformer in one piece of memory.
//
// Everything a model needs lies in one allocation, the arena, and three tables say what
// lies where: one row for each tensor, with its name, the pointer that it belongs to, and
// its shape. Code that walks over all parameters (a checkpoint, a gradient check, a
// count) walks over the table; nobody numbers tensors by hand.
//
//   arena:  | params | grads | m | v | activations | their gradients | batch, mask |
//             P        P       P   P
//
// The four P-long pieces are laid out alike, so parameter i, its gradient and Adam's two
// moments of it stand at the same index: the optimiser and the clipping see P numbers in a
// row and need no names. What is passed between the functions of lab 6 is pointers with
// names:
//
//   struct model_params       the parameters, and a second one for their gradients
//   struct model_activations  what forward computes and backward needs again
//   struct model_gradients    the gradients of those activations
//
// model_new allocates and model_free frees; nothing else does. A training step allocates
// nothing.
//
//     struct model model;
//     lab_status status = model_new(&model, &shape);
//     ...
//     struct lab_rng rng;
//     lab_rng_seed(&rng, 42);
//     status = model_start(&model, &rng); // the weights PyTorch would start with
//     ...
//     model_free(&model);
//
// This file and model.c are given, not to be edited. Start reading at struct model_shape,
// then at the tables in model.c.

#ifndef LAB_MODEL_H
#define LAB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "05_transformer_block/block.h"
#include "common/dimensions.h"
#include "common/rng.h"
#include "common/rows.h"
#include "common/status.h"
#include "common/tokens.h"

// ---- sizes --------------------------------------------------------------------------------

// The position encoding that is added to the embedding of a token.
enum positions {
    POSITIONS_NONE,
    POSITIONS_LEARNED, // rows of a table that is trained
    POSITIONS_SINUSOIDAL, // a table that is computed once: Vaswani et al. (2017), section 3.5
};

struct model_shape {
    size_t B, T;  // sequences in a batch, tokens in a sequence
    size_t T_max; // rows of the position table: T must not be larger, if there is a table
    size_t V, C;  // vocabulary, model width
    size_t NH, H, L; // heads, width inside the MLP, blocks
    bool causal;
    enum positions positions;
    float dropout; // of embedding + position, while training; 0: none
};

// LAB_ESHAPE when a size is 0, NH does not divide C, T > T_max with positions other than
// NONE, or a product of sizes is too large for BLAS, which counts with int (C and H up to
// 2^20, B T, 3C, H and V up to 2^31 - 1). LAB_EVALUE when positions is not one of the
// three, or dropout is outside of [0, 1). Everything below wants a shape that passes.
LAB_CHECKED lab_status model_shape_check(const struct model_shape *shape);

// ---- named tensors ------------------------------------------------------------------------

// The parameters; those of the blocks hold all L of them, one after the other. A second
// one of these points to the gradients. Linear weights are (out, in).
struct model_params {
    float *token_table;    // (V, C)
    float *position_table; // (T_max, C), or NULL: not there, or not trained (gradients)
    float *ln1_gain, *ln1_bias; // (L, C)
    float *w_qkv, *b_qkv;       // (L, 3C, C), (L, 3C)
    float *w_o, *b_o;           // (L, C, C), (L, C)
    float *ln2_gain, *ln2_bias; // (L, C)
    float *w_fc, *b_fc;         // (L, H, C), (L, H)
    float *w_proj, *b_proj;     // (L, C, H), (L, C)
    float *w_out, *b_out;       // (V, C), (V)
};

// What the forward pass computes. Every block keeps its own, for the way back.
struct model_activations {
    float *embedded;   // (B, T, C): of the tokens alone
    float *positioned; // (B, T, C): embedded + position; before dropout
    float *streams;    // (L+1, B, T, C): into block 0, ..., out of block L-1
    float *ln1, *ln1_mean, *ln1_rstd;   // (L, B, T, C), (L, B, T), (L, B, T)
    float *qkv;                         // (L, B, T, 3C)
    float *q, *k, *v;                   // (L, B, T, C)
    float *q_heads, *k_heads, *v_heads; // (L, B, NH, T, hs)
    float *scores, *weights;            // (L, B, NH, T, T)
    float *out_heads;                   // (L, B, NH, T, hs)
    float *merged, *attended, *middle;  // (L, B, T, C)
    float *ln2, *ln2_mean, *ln2_rstd;   // (L, B, T, C), (L, B, T), (L, B, T)
    float *hidden, *activated;          // (L, B, T, H)
    float *projected;                   // (L, B, T, C)
    float *logits, *probabilities;      // (B, T, V)
    uint8_t *mask;                      // (B, T, T): the blocks share it
};

// The gradients of the activations, d(loss)/d(each). Every block overwrites all but
// dstreams.
struct model_gradients {
    float *dlogits;                                     // (B, T, V)
    float *dstreams;                                    // (L+1, B, T, C)
    float *dactivated, *dhidden;                        // (B, T, H)
    float *dln2, *dmiddle;                              // (B, T, C)
    float *dmerged;                                     // (B, T, C)
    float *dout_heads, *dq_heads, *dk_heads, *dv_heads; // (B, NH, T, hs)
    float *dweights, *dscores;                          // (B, NH, T, T)
    float *dq, *dk, *dv;                                // (B, T, C)
    float *dqkv;                                        // (B, T, 3C)
    float *dln1;                                        // (B, T, C)
    float *dbranch;                                     // (B, T, C): into a layer norm
    float *dpositioned;                                 // (B, T, C)
};

// ---- the tables ---------------------------------------------------------------------------

// Each table ends with a row without a name; rows.h says what a row is.
extern const struct lab_row model_params_rows[];
extern const struct lab_row model_activations_rows[];
extern const struct lab_row model_gradients_rows[];

// Writes the sizes of a row's tensor into size and returns how many axes there are; 0 for
// the position table of a model that does not train one: it is not there.
size_t model_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                       const struct model_shape *shape);

// How many floats a row's tensor has, and all of a table's together. The latter is P for
// model_params_rows: 13610 for the copy task's model.
size_t model_row_count(const struct lab_row *row, const struct model_shape *shape);
size_t model_count(const struct lab_row *rows, const struct model_shape *shape);

// Points every row's pointer into memory(model_count floats), one tensor after the other,
// in the order of the table. Does not touch the memory. A tensor that is not there gets
// NULL.
// Example: model_lay_out(&params, model_params_rows, &shape, memory);
void model_lay_out(void *tensors, const struct lab_row *rows,
                   const struct model_shape *shape, float *memory);

// ---- one block ----------------------------------------------------------------------------

// The parameters of one block that may be written: its gradients.
struct block_grads {
    float *ln1_gain, *ln1_bias; // (C)
    float *w_qkv, *b_qkv;       // (3C, C), (3C)
    float *w_o, *b_o;           // (C, C), (C)
    float *ln2_gain, *ln2_bias; // (C)
    float *w_fc, *b_fc;         // (H, C), (H)
    float *w_proj, *b_proj;     // (C, H), (C)
};

// Block l of the tensors above, in the forms that transformer_block and block_backward
// take.
struct block_params model_block_params(const struct model_params *params,
                                       const struct model_shape *shape, size_t l);
struct block_grads model_block_grads(const struct model_params *grads,
                                     const struct model_shape *shape, size_t l);
struct block_buffers model_block_buffers(const struct model_activations *activations,
                                         const struct model_shape *shape, size_t l);

// The way back of lab 4's split_qkv: q, k, v (N, C) -> qkv (N, 3C).
void join_qkv(float *qkv, const float *q, const float *k, const float *v, size_t N,
              size_t C);

// ---- a whole model ------------------------------------------------------------------------

struct model {
    struct model_shape shape; // B and T are the most that fit; a call may be given fewer
    size_t P;                 // how many parameters
    float *param, *grad;      // (P): params and grads point into these
    float *m, *v;             // (P): Adam's moments
    size_t step;              // how many steps have been taken
    struct model_params params, grads;
    struct model_activations activations;
    struct model_gradients gradients;
    size_t *inputs, *targets; // (B, T): the batch
    float *uniforms;          // (B, T, C): for dropout
    struct lab_rng rng;       // what uniforms are drawn from
    void *arena;              // all of this
    size_t arena_bytes;
};

// Allocates a model: parameters, gradients and moments 0, everything computed NaN, so that
// an unwritten value shows. *model is overwritten, whatever it held. Returns what
// model_shape_check returns, or LAB_ENOMEM; *model is all zero then and may be freed.
LAB_CHECKED lab_status model_new(struct model *model, const struct model_shape *shape);

// Frees the memory and sets *model to zero. Does nothing to a zero one.
void model_free(struct model *model);

// Draws the first weights from rng, as PyTorch does when the modules are made in this
// order: Embedding(V, C), Embedding(T_max, C) if learned, for each block LayerNorm(C),
// Linear(C, 3C), Linear(C, C), LayerNorm(C), Linear(C, H), Linear(H, C), and at last
// Linear(C, V). The moments become 0, and so does step. model->rng becomes a copy of what
// rng is then.
LAB_CHECKED lab_status model_start(struct model *model, struct lab_rng *rng);

// The uniforms of one training step, (B, T, C), drawn from model->rng as torch.rand(B, T,
// C): what model_forward takes. NULL, and nothing drawn, when the shape has no dropout.
const float *model_draw_uniforms(struct model *model);

#endif
