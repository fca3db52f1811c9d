// variants.h - variants of lab 6's model for experiments: other positions of the layer
// norm, other position encodings. Nothing here is judged.
//
//   block.c       a block, forward and backward, built from your functions of labs 2 to 7
//   encodings.c   trains with five position encodings, and tests longer sequences, too
//   depth.c       the gradient in each of 24 blocks, pre-norm and post-norm
//   main.c        variants encodings TABLE, variants depth TABLE
//   no_rope.c     another program: the trainer of lab 8 without RoPE
//
// Start reading at block.c.

#ifndef LAB_VARIANTS_H
#define LAB_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "06_copy_task/copy_task.h"
#include "common/model.h"

// The differences from lab 6; all zero gives lab 6's block. Always causal.
struct variant {
    bool post_norm;       // layernorm(x + branch(x)) instead of x + branch(layernorm(x))
    const size_t *places; // (T): positions for lab 7's rope, or NULL
    const float *bias;    // (NH, T, T): added to the scores (lab 7's alibi_bias), or NULL
};

// One block of sizes s, forward and backward, like transformer_block of lab 5 and
// block_backward of lab 6. A post-norm block stores the inputs of its norms in z->middle
// and z->ln2, and the output of the first norm in z->ln1.
LAB_CHECKED lab_status variant_block(float *out, float *weights,
                                     const struct block_buffers *z, const float *x,
                                     const struct block_params *params,
                                     const struct variant *v,
                                     const struct model_shape *s);
LAB_CHECKED lab_status variant_block_backward(
    float *dx, const struct block_grads *grads, const struct model_gradients *dz,
    const float *dout, const float *x, const struct block_params *params,
    const float *weights, const struct block_buffers *z, const struct variant *v,
    const struct model_shape *s);

// The experiments write a table with a header line to file. On failure they print one line
// and exit with status 1.
void encodings(FILE *file);
void depth(FILE *file);

// Exits unless status is LAB_OK.
void variants_need(lab_status status, const char *what);

#endif
