// model.c - the whole language model, forward and backward.
//
//   tokens ─> streams[0] ─ block 0 ─> streams[1] ... streams[L] ─ rmsnorm ─> normed ─> logits ─> loss
//   dtable <─ dstreams[0] <─ block 0 ─ dstreams[1] ... dstreams[L] <─────── dnormed <─ dlogits <──┘
//
// A block, with the names of its buffers:
//
//   x ─┬────────────────────────────────────────────(+)─ middle ─┬──────────────────────────(+)─> out
//      └ normed1 ┬ q ─ rope ─┐                       │           └ normed2 ┬ gate ┐          │
//                ├ k ─ rope ─┤ attention ─ merged ─ attended               └ up ──┴ hidden ─ projected
//                └ v ────────┘
//
// The layers of labs 1 to 7 and of layers.c do the work; this file only calls them in order. The
// backward pass calls their backward functions in the opposite order.
//
// Start reading at language_block.

#include "08_language_model/language_model.h"

#include <limits.h>
#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "common/tokens.h"

// Are the sizes of a block valid? BLAS counts the B * T rows with an int.
static bool block_fits(size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    return B > 0 && T > 0 && C > 0 && NH > 0 && H > 0 && C % NH == 0 && C / NH % 2 == 0 &&
           B <= INT_MAX / T;
}

// ---- 8.6  one block -----------------------------------------------------------------------

lab_status language_block(float *out, float *weights,
                          const struct language_block_buffers *z, const float *x,
                          const struct language_block_params *params, size_t B, size_t T,
                          size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    // TODO 8.6: rmsnorm, q k v, heads, rope, attention, w_o and the first residual;
    // rmsnorm, w_gate and w_up, swiglu, w_down and the second residual; LAB_TRY around
    // every call (about 35 lines, a helper for the attention is welcome)
    return lab_todo(out, weights, z, x, params, B, T, C, NH, H);
}

// ---- 8.7  the whole model -----------------------------------------------------------------

lab_status language_forward(float *loss, const struct language_activations *z,
                            const struct language_params *params, const size_t *tokens,
                            const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || (loss == NULL) != (targets == NULL) ||
        (targets != NULL && !tokens_below(targets, B * T, V))) {
        return LAB_EVALUE;
    }
    // TODO 8.7: embedding; language_block for each l, with language_block_params and
    // language_block_buffers; the last rmsnorm; batched_linear to the logits;
    // cross_entropy, if there are targets (about 19 lines)
    return lab_todo(loss, z, params, tokens, targets, shape);
}

// ---- 8.8  backward ------------------------------------------------------------------------

lab_status language_block_backward(float *dx, const struct language_block_grads *grads,
                                   const struct language_gradients *dz, const float *dout,
                                   const float *x,
                                   const struct language_block_params *params,
                                   const float *weights,
                                   const struct language_block_buffers *z, size_t B,
                                   size_t T, size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    // TODO 8.8: follow language_block from its last line to its first; normed1 and
    // normed2 were used several times, so their gradients are sums; LAB_TRY around every
    // call (about 50 lines, helpers are welcome)
    return lab_todo(dx, grads, dz, dout, x, params, weights, z, B, T, C, NH, H);
}

lab_status language_backward(const struct language_params *grads,
                             const struct language_gradients *dz,
                             const struct language_activations *z,
                             const struct language_params *params, const size_t *tokens,
                             const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || !tokens_below(targets, B * T, V)) {
        return LAB_EVALUE;
    }
    // TODO 8.8: follow language_forward from its last line to its first (about 19 lines)
    return lab_todo(grads, dz, z, params, tokens, targets, shape);
}

// ---- 8.9  how good the model is -----------------------------------------------------------

lab_status held_out_loss(double *loss, const struct language_activations *z,
                         const struct language_params *params, const size_t *stream,
                         size_t N, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (N < 2) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(stream, N, shape->V)) {
        return LAB_EVALUE;
    }
    // TODO 8.9: language_forward on one window after the other, the last perhaps shorter;
    // add up each window's mean times its tokens, in double (about 12 lines)
    return lab_todo(loss, z, params, stream, N, shape);
}

lab_status perplexity(double *perplexity, double loss)
{
    if (!(loss >= 0.0)) { // written this way, it refuses NaN too
        return LAB_EVALUE;
    }
    // TODO 8.9: exp (1 line)
    return lab_todo(perplexity, loss);
}

lab_status bits_per_character(double *bits, double loss)
{
    if (!(loss >= 0.0)) {
        return LAB_EVALUE;
    }
    // TODO 8.9: divide by the natural logarithm of 2 (1 line)
    return lab_todo(bits, loss);
}
