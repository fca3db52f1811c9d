// model.c - lab 6: the whole model, forward and backward.
//
//   tokens ─> embedded ─> + position ─> streams[0] ─ block 0 ─> streams[1] ... ─> logits ─> loss
//   dtable <─────────── dpositioned <─ dstreams[0] <─ block 0 ─ dstreams[1] ... <─ dlogits <──┘
//
// The backward pass calls the backward function of every forward function, in the opposite
// order, and passes it the values from the forward pass. Where the forward pass used a value
// several times (the residuals, the positions of every sequence), the gradients add up.
//
// Start reading at model_forward.

#include "06_copy_task/copy_task.h"

#include <limits.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"

// ---- forward ------------------------------------------------------------------------------

lab_status model_forward(float *loss, const struct model_activations *z,
                         const struct model_params *params, const size_t *tokens,
                         const size_t *targets, const float *uniforms,
                         const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(model_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || (loss == NULL) != (targets == NULL) ||
        (targets != NULL && !tokens_below(targets, B * T, V))) {
        return LAB_EVALUE;
    }
    // TODO 6.11: embedding; positions, if there are any; dropout (training if there are
    // uniforms); transformer_block for each l, with model_block_params and
    // model_block_buffers; batched_linear to the logits; cross_entropy, if there are
    // targets; LAB_TRY around every call (about 30 lines)
    return lab_todo(loss, z, params, tokens, targets, uniforms, shape);
}

// ---- back through one block ---------------------------------------------------------------

lab_status block_backward(float *dx, const struct block_grads *grads,
                          const struct model_gradients *dz, const float *dout,
                          const float *x, const struct block_params *params,
                          const float *weights, const struct block_buffers *z, size_t B,
                          size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0 ||
        B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 6.11: follow transformer_block from its last line to its first: w_proj, gelu,
    // w_fc, ln2 and the second residual; w_o, heads, attention, heads, qkv, ln1 and the
    // first residual; LAB_TRY around every call (about 45 lines, two helpers are welcome)
    return lab_todo(dx, grads, dz, dout, x, params, weights, z, B, T, C, NH, H);
}

// ---- the whole backward pass --------------------------------------------------------------

lab_status model_backward(const struct model_params *grads,
                          const struct model_gradients *dz,
                          const struct model_activations *z,
                          const struct model_params *params, const size_t *tokens,
                          const size_t *targets, const float *uniforms,
                          const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(model_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || !tokens_below(targets, B * T, V)) {
        return LAB_EVALUE;
    }
    // TODO 6.11: follow model_forward from its last line to its first; apply dropout to
    // the gradient with the same uniforms; every sequence adds to the gradient of the
    // positions (about 20 lines)
    return lab_todo(grads, dz, z, params, tokens, targets, uniforms, shape);
}
