// model.c - lab 8's model, one new token at a time.
//
//   tokens (R) ─> stream (R,C) ─> block 0 ─> ... ─> block L-1 ─> norm, w_out ─> logits
//                                    │
//                     keys and values of the R rows ─> cache of this layer
// A row is a token of any sequence. It needs to know only its sequence and its position. So
// the n tokens of a prompt (prefill) and the next token of each of B sequences (decode_step) go
// through the same blocks.
//
// Start reading at prefill.

#include "09_generation/generation.h"

#include "02_batching/batching.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "common/tokens.h"

// This function is given.
lab_status generation_linear(float *y, const float *x, const struct generation_matrix *w,
                             size_t R, size_t I, size_t O)
{
    if (w->weights == NULL) {
        return linear_int8(y, x, w->rows, w->scales, R, I, O);
    }
    return batched_linear(y, x, w->weights, NULL, 1, R, I, O);
}

// ---- 9.3  prefill and decode steps --------------------------------------------------------

lab_status prefill(float *logits, const struct kv_cache *cache,
                   const struct generation_buffers *z,
                   const struct generation_params *params, const size_t *tokens, size_t b,
                   size_t n, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (n == 0 || b >= shape->B || n > shape->T || cache->lengths[b] > shape->T - n) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, n, shape->V)) {
        return LAB_EVALUE;
    }
    // TODO 9.3: every row's sequence and position; the embedding; the blocks, each of
    // which appends to the cache; then the logits of the last row (about 13 lines, and 45
    // that decode_step uses, too)
    return lab_todo(logits, cache, z, params, tokens, b, n, shape);
}

lab_status decode_step(float *logits, const struct kv_cache *cache,
                       const struct generation_buffers *z,
                       const struct generation_params *params, const size_t *tokens,
                       const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    for (size_t b = 0; b < shape->B; b++) {
        if (cache->lengths[b] >= shape->T) {
            return LAB_ESHAPE;
        }
    }
    if (!tokens_below(tokens, shape->B, shape->V)) {
        return LAB_EVALUE;
    }
    // TODO 9.3: as prefill, but row b is the next token of sequence b, and every row has
    // logits (about 12 lines)
    return lab_todo(logits, cache, z, params, tokens, shape);
}

// ---- 9.7  many tokens ---------------------------------------------------------------------

// Does each prompt have tokens, and is there room for count more? This function is given.
static bool prompts_fit(const size_t *lengths, size_t count,
                        const struct language_shape *shape)
{
    for (size_t b = 0; b < shape->B; b++) {
        if (lengths[b] == 0 || count > shape->T || lengths[b] > shape->T - count) {
            return false;
        }
    }
    return true;
}

lab_status generate_cached(size_t *tokens, const struct kv_cache *cache,
                           const struct generation_buffers *z,
                           const struct generation_params *params, float *probabilities,
                           size_t *order, const float *uniforms, const size_t *lengths,
                           const struct sampling *sampling, size_t count,
                           const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (count == 0 || !prompts_fit(lengths, count, shape)) {
        return LAB_ESHAPE;
    }
    const size_t B = shape->B, T = shape->T, V = shape->V;
    for (size_t b = 0; b < B; b++) {
        if (!tokens_below(tokens + b * T, lengths[b], V)) {
            return LAB_EVALUE;
        }
    }
    if (!sampling_allowed(sampling, uniforms, B * count)) {
        return LAB_EVALUE;
    }
    // TODO 9.7: an empty cache, and a prefill for each prompt; then repeat: a token for
    // each sequence, and one decode_step for all, except after the last tokens (about 20
    // lines)
    return lab_todo(tokens, cache, z, params, probabilities, order, uniforms, lengths,
                    sampling, count, shape);
}
