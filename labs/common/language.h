// language.h - lab 8's model in one piece of memory.
//
// The same idea as model.h: one allocation, and tables that name every tensor in it. What differs
// is the model. The four pieces of P floats are laid out alike, so the optimizer sees P numbers in
// a row.
//
//   arena:  | params | grads | m | v | activations | their gradients | batch |
//             P        P       P   P
//
//     struct language model;
//     lab_status status = language_new(&model, &shape, true); // true: to be trained
//     ...
//     struct lab_rng rng;
//     lab_rng_seed(&rng, 42);
//     status = language_start(&model, &rng); // random weights
//     ...
//     language_free(&model);
//
// This file and language.c are given; you don't edit them. Start reading at struct
// language_shape, then at the tables in language.c.

#ifndef LAB_LANGUAGE_H
#define LAB_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dimensions.h"
#include "common/rng.h"
#include "common/rows.h"
#include "common/status.h"

// ---- sizes --------------------------------------------------------------------------------

struct language_shape {
    size_t B, T;     // sequences in a batch, tokens in a sequence
    size_t V, C;     // vocabulary, model width
    size_t NH, H, L; // heads, width inside the MLP, blocks
};

// LAB_ESHAPE if a size is 0, NH does not divide C, the width of a head is odd (RoPE turns pairs),
// or a product of sizes is too large for BLAS, which counts with int.
LAB_CHECKED lab_status language_shape_check(const struct language_shape *shape);

// The width inside the MLP that LLaMA would use: 8C/3, rounded up to a multiple of 64.
size_t language_default_width(size_t C);

// ---- named tensors ------------------------------------------------------------------------

// The parameters. Those of the blocks hold all L of them, one after the other; a second struct of
// this type points to the gradients. Linear weights are (out, in).
struct language_params {
    float *token_table;           // (V, C)
    float *norm1;                 // (L, C): gain of the norm before the attention
    float *w_q, *w_k, *w_v, *w_o; // (L, C, C) each
    float *norm2;                 // (L, C): gain of the norm before the MLP
    float *w_gate, *w_up;         // (L, H, C) each
    float *w_down;                // (L, C, H)
    float *norm;                  // (C): gain of the last norm
    float *w_out;                 // (V, C)
};

// What the forward pass computes. Every block keeps its own, for the backward pass.
struct language_activations {
    float *streams;         // (L+1, B, T, C): into block 0, ..., out of block L-1
    float *normed1, *rrms1; // (L, B, T, C), (L, B, T)
    float *q, *k, *v;       // (L, B, T, C)
    float *q_heads, *k_heads, *v_heads; // (L, B, NH, T, hs)
    float *q_turned, *k_turned;         // (L, B, NH, T, hs): after RoPE
    float *scores, *weights;            // (L, B, NH, T, T)
    float *out_heads;                   // (L, B, NH, T, hs)
    float *merged, *attended, *middle;  // (L, B, T, C)
    float *normed2, *rrms2;             // (L, B, T, C), (L, B, T)
    float *gate, *up, *hidden;          // (L, B, T, H)
    float *projected;                   // (L, B, T, C)
    float *normed, *rrms;               // (B, T, C), (B, T)
    float *logits, *probabilities;      // (B, T, V)
    uint8_t *mask;                      // (B, T, T): all blocks share it
    size_t *positions;                  // (T): all blocks share it
};

// The gradients of the activations, d(loss)/d(each). All blocks share them, except dstreams.
struct language_gradients {
    float *dlogits;                                       // (B, T, V)
    float *dnormed;                                       // (B, T, C): into the last norm
    float *dstreams;                                      // (L+1, B, T, C)
    float *dhidden, *dgate, *dup;                         // (B, T, H)
    float *dnormed2, *dmiddle;                            // (B, T, C)
    float *dmerged;                                       // (B, T, C)
    float *dout_heads, *dq_turned, *dk_turned, *dv_heads; // (B, NH, T, hs)
    float *dweights, *dscores;                            // (B, NH, T, T)
    float *dq_heads, *dk_heads;                           // (B, NH, T, hs)
    float *dq, *dk, *dv;                                  // (B, T, C)
    float *dnormed1;                                      // (B, T, C)
    float *dbranch; // (B, T, C): one summand of a gradient
};

// ---- the tables ---------------------------------------------------------------------------

// Each table ends with a row without a name; rows.h says what a row is.
extern const struct lab_row language_params_rows[];
extern const struct lab_row language_activations_rows[];
extern const struct lab_row language_gradients_rows[];

// The sizes of a row's tensor (returns the number of axes), and the number of its floats.
size_t language_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                          const struct language_shape *shape);
size_t language_row_count(const struct lab_row *row, const struct language_shape *shape);

// The number of floats of all tensors of a table; P for language_params_rows.
size_t language_count(const struct lab_row *rows, const struct language_shape *shape);

// Points every pointer of a table into memory(language_count floats), in the table's order. mask
// and positions of the activations are no floats: language_new points to them.
void language_lay_out(void *tensors, const struct lab_row *rows,
                      const struct language_shape *shape, float *memory);

// ---- one block ----------------------------------------------------------------------------

struct language_block_params {
    const float *norm1;                 // (C)
    const float *w_q, *w_k, *w_v, *w_o; // (C, C) each
    const float *norm2;                 // (C)
    const float *w_gate, *w_up;         // (H, C) each
    const float *w_down;                // (C, H)
};

struct language_block_grads {
    float *norm1;                 // (C)
    float *w_q, *w_k, *w_v, *w_o; // (C, C) each
    float *norm2;                 // (C)
    float *w_gate, *w_up;         // (H, C) each
    float *w_down;                // (C, H)
};

// The results between x and out of one block. Shapes as in struct language_activations, without L.
struct language_block_buffers {
    float *normed1, *rrms1;
    float *q, *k, *v;
    float *q_heads, *k_heads, *v_heads;
    float *q_turned, *k_turned;
    float *scores;
    float *out_heads;
    float *merged, *attended, *middle;
    float *normed2, *rrms2;
    float *gate, *up, *hidden;
    float *projected;
    uint8_t *mask;
    size_t *positions;
};

// Block l of the tensors above.
struct language_block_params language_block_params(const struct language_params *params,
                                                   const struct language_shape *shape,
                                                   size_t l);
struct language_block_grads language_block_grads(const struct language_params *grads,
                                                 const struct language_shape *shape,
                                                 size_t l);
struct language_block_buffers
language_block_buffers(const struct language_activations *activations,
                       const struct language_shape *shape, size_t l);

// ---- a whole model ------------------------------------------------------------------------

struct language {
    struct language_shape shape; // B and T are the most that fit; a call may use fewer
    size_t P;                    // the number of parameters
    float *param, *grad;         // (P): params and grads point into these
    float *m, *v;                // (P): Adam's moments
    size_t step;                 // the number of steps taken
    struct language_params params, grads;
    struct language_activations activations;
    struct language_gradients gradients;
    size_t *inputs, *targets, *offsets; // (B, T), (B, T), (B): the batch
    struct lab_rng rng;                 // draws the offsets of the batches
    void *arena;                        // all of this
    size_t arena_bytes;
};

// Allocates a model: parameters, gradients and moments 0, everything computed NaN. *model is
// overwritten, whatever it held. Returns what language_shape_check returns, or LAB_ENOMEM; then
// *model is all zero and may be freed. trained: false leaves out gradients and moments, which
// only training needs (grad, m, v and gradients are NULL then).
LAB_CHECKED lab_status language_new(struct language *model,
                                    const struct language_shape *shape, bool trained);

// Frees the memory and sets *model to zero. Does nothing to a zero one.
void language_free(struct language *model);

// Draws the first weights from rng, one tensor after the other in the order of the table: every
// matrix and the token table normal with standard deviation 0.02, w_o and w_down with 0.02 /
// sqrt(2L) (Radford et al., Language Models are Unsupervised Multitask Learners (2019), section
// 2.3); every gain 1. Moments and step become 0; model->rng becomes a copy of what rng is then.
LAB_CHECKED lab_status language_start(struct language *model, struct lab_rng *rng);

#endif
