// variants.h - the model of lab 6 with other parts: another place for the layer norm, other
// position encodings. For experiments; nothing here is judged.
//
//   block.c       a block, there and back, put together from your functions of labs 2 to 7
//   encodings.c   trains with five ways to tell places, looks at longer sequences too
//   depth.c       the gradient in each of 24 blocks, pre-norm and post-norm
//   main.c        variants encodings TABLE, variants depth TABLE
//
// Start reading at block.c.

#ifndef LAB_VARIANTS_H
#define LAB_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "06_copy_task/copy_task.h"
#include "common/model.h"

// What is not as in lab 6; all zero is lab 6's block. Always causal.
struct variant {
    bool post_norm;       // layernorm(x + branch(x)) in place of x + branch(layernorm(x))
    const size_t *places; // (T): queries and keys turn by these (lab 7's rope), or NULL
    const float *bias;    // (NH, T, T): added to the scores (lab 7's alibi_bias), or NULL
};

// One block of sizes s, and its way back; as transformer_block of lab 5 and block_backward of
// lab 6. A post-norm block keeps the sums that its norms read in z->middle and z->ln2, and the
// first norm's output in z->ln1.
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

// The experiments write their table to file, with a line of names first. what failed in them is
// said in one line, and the program ends with status 1.
void encodings(FILE *file);
void depth(FILE *file);

// Goes on only when status is LAB_OK.
void variants_need(lab_status status, const char *what);

#endif
