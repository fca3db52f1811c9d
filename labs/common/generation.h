// generation.h - what lab 9 adds to lab 8's model: a cache of keys and values, workspaces,
// and matrices that may be stored as int8.
//
//   cache:    keys, values (L, B, NH, T_max, hs)    lengths (B): how many tokens each sequence has
//
//     layer 0 │ sequence 0 │ head 0   k0 k1 k2 k3 ·· ·· ·· ··     lengths[0] is 4, T_max is 8
//             │            │ head 1   k0 k1 k2 k3 ·· ·· ·· ··
//             │ sequence 1 │ head 0   k0 k1 ·· ·· ·· ·· ·· ··     lengths[1] is 2
//
// In the shape of this lab, B is the number of sequences that the cache holds and T the number of
// tokens that fit in each: T_max.
//
//     struct generation generation;
//     lab_status status = generation_new(&generation, &model.shape);
//     ...
//     const struct generation_params params = generation_params(&model.params);
//     status = prefill(logits, &generation.cache, &generation.buffers, &params, tokens, b, n,
//                      &model.shape);
//     ...
//     generation_free(&generation);
//
// This file and generation.c are given; you don't edit them. Start reading at struct kv_cache.

#ifndef LAB_GENERATION_H
#define LAB_GENERATION_H

#include <stddef.h>
#include <stdint.h>

#include "common/language.h"
#include "common/rows.h"
#include "common/status.h"

// ---- the parameters -----------------------------------------------------------------------

// A linear layer's weights (O, I), in one of two forms. If weights is not NULL, they are floats.
// Otherwise they are int8 with one scale for each row (9.8): weight (o, i) is rows[o, i] * scales[o].
struct generation_matrix {
    const float *weights; // (O, I), or NULL
    const int8_t *rows;   // (O, I)
    const float *scales;  // (O)
};

// The parameters of lab 8's model. Each block tensor holds all L blocks, one after the other.
struct generation_params {
    const float *token_table;                    // (V, C)
    const float *norm1, *norm2;                  // (L, C) each
    struct generation_matrix w_q, w_k, w_v, w_o; // (L, C, C) each
    struct generation_matrix w_gate, w_up;       // (L, H, C) each
    struct generation_matrix w_down;             // (L, C, H)
    const float *norm;                           // (C)
    struct generation_matrix w_out;              // (V, C)
};

// The parameters of one block.
struct generation_block {
    const float *norm1, *norm2;
    struct generation_matrix w_q, w_k, w_v, w_o, w_gate, w_up, w_down;
};

// The parameters of a model of lab 8, with all matrices in float. Copies only pointers.
struct generation_params generation_params(const struct language_params *params);

// Block l of params.
struct generation_block generation_block(const struct generation_params *params,
                                         const struct language_shape *shape, size_t l);

// y = x w^T, by lab 2's batched_linear or, if w is stored as int8, by lab 9's linear_int8. The
// function is given, in lab 9's model.c.
//
//   y (R, O) written    x (R, I) read    w (O, I) read
//
// Example: generation_linear(z->q, z->normed1, &block.w_q, R, C, C);
LAB_CHECKED lab_status generation_linear(float *y, const float *x,
                                         const struct generation_matrix *w, size_t R,
                                         size_t I, size_t O);

// ---- the cache and the workspaces ---------------------------------------------------------

struct kv_cache {
    float *keys, *values; // (L, B, NH, T_max, hs); keys are stored after RoPE
    size_t *lengths;      // (B)
};

// Results for R rows: the n tokens of one prompt, or one token of each of B sequences. R is the
// larger of B and T_max.
struct generation_buffers {
    float *stream;                     // (R, C): into and out of each block
    float *normed1, *rrms1;            // (R, C), (R)
    float *q, *k, *v;                  // (R, C), which is (R, NH, hs)
    float *q_turned, *k_turned;        // (R, C): after RoPE
    float *scores, *weights;           // (R, NH, T_max)
    float *merged, *attended, *middle; // (R, C)
    float *normed2, *rrms2;            // (R, C), (R)
    float *gate, *up, *hidden;         // (R, H)
    float *projected;                  // (R, C)
    float *normed, *rrms;              // (R, C), (R)
    float *logits;                     // (B, V)
    size_t *sequences, *positions;     // (R): each row's sequence and position
    size_t *next;                      // (B): tokens
};

extern const struct lab_row generation_buffers_rows[]; // the floats of generation_buffers
extern const struct lab_row kv_cache_rows[];           // keys and values

struct generation {
    struct language_shape shape;
    struct kv_cache cache;
    struct generation_buffers buffers;
    void *arena; // all of this
    size_t arena_bytes;
};

// Allocates a cache with all lengths 0, and workspaces, all NaN. The old contents of *generation
// are ignored. Returns the status of language_shape_check, or LAB_ENOMEM; *generation is then all
// zero and may be freed.
LAB_CHECKED lab_status generation_new(struct generation *generation,
                                      const struct language_shape *shape);

// Frees the memory and sets *generation to zero. A zero one may be freed again.
void generation_free(struct generation *generation);

// The number of floats of all tensors of one of the tables above.
size_t generation_count(const struct lab_row *rows, const struct language_shape *shape);

#endif
