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

// BEGIN SOLUTION 9.3 helper
// merged[r] = attention of row r, which is first appended to the cache of layer l. A row (C) has
// the layout (NH, hs), so there is nothing to split or merge.
static lab_status attend(const struct kv_cache *cache, const struct generation_buffers *z,
                         size_t l, size_t r, const struct language_shape *s)
{
    const size_t T = s->T, C = s->C, NH = s->NH, hs = C / NH;
    const size_t *position = z->positions + r;
    float *keys = cache->keys + (l * s->B + z->sequences[r]) * T * C;
    float *values = cache->values + (l * s->B + z->sequences[r]) * T * C;

    LAB_TRY(rope(z->q_turned + r * C, z->q + r * C, position, 1, NH, 1, hs));
    LAB_TRY(rope(z->k_turned + r * C, z->k + r * C, position, 1, NH, 1, hs));
    LAB_TRY(cache_append(keys, z->k_turned + r * C, position, 1, NH, 1, T, hs));
    LAB_TRY(cache_append(values, z->v + r * C, position, 1, NH, 1, T, hs));

    const size_t seen = *position + 1;
    return attention_decode(z->merged + r * C, z->weights + r * NH * T,
                            z->scores + r * NH * T, z->q_turned + r * C, keys, values,
                            &seen, 1, NH, T, hs);
}

// Block l on the R rows of z->stream, as lab 8's language_block.
static lab_status cached_block(const struct kv_cache *cache,
                               const struct generation_buffers *z,
                               const struct generation_params *params, size_t l, size_t R,
                               const struct language_shape *s)
{
    const size_t C = s->C, H = s->H;
    const struct generation_block block = generation_block(params, s, l);
    LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->stream, block.norm1, R, C));
    LAB_TRY(generation_linear(z->q, z->normed1, &block.w_q, R, C, C));
    LAB_TRY(generation_linear(z->k, z->normed1, &block.w_k, R, C, C));
    LAB_TRY(generation_linear(z->v, z->normed1, &block.w_v, R, C, C));
    for (size_t r = 0; r < R; r++) { // in order: a token sees those before it
        LAB_TRY(attend(cache, z, l, r, s));
    }
    LAB_TRY(generation_linear(z->attended, z->merged, &block.w_o, R, C, C));
    LAB_TRY(residual_add(z->middle, z->stream, z->attended, R * C));

    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, block.norm2, R, C));
    LAB_TRY(generation_linear(z->gate, z->normed2, &block.w_gate, R, C, H));
    LAB_TRY(generation_linear(z->up, z->normed2, &block.w_up, R, C, H));
    LAB_TRY(swiglu(z->hidden, z->gate, z->up, R * H));
    LAB_TRY(generation_linear(z->projected, z->hidden, &block.w_down, R, H, C));
    return residual_add(z->stream, z->middle, z->projected, R * C);
}

// All blocks, for R tokens whose sequences and positions are in z.
static lab_status all_blocks(const struct kv_cache *cache,
                             const struct generation_buffers *z,
                             const struct generation_params *params, const size_t *tokens,
                             size_t R, const struct language_shape *s)
{
    LAB_TRY(embedding(z->stream, tokens, params->token_table, R, s->C, s->V));
    for (size_t l = 0; l < s->L; l++) {
        LAB_TRY(cached_block(cache, z, params, l, R, s));
    }
    return LAB_OK;
}
// END SOLUTION 9.3

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
    // BEGIN SOLUTION 9.3 prefill: every row's sequence and position; the embedding; the blocks,
    // each of which appends to the cache; then the logits of the last row (about 13 lines, and 45
    // that decode_step uses, too)
    const size_t C = shape->C;
    for (size_t i = 0; i < n; i++) {
        z->sequences[i] = b;
        z->positions[i] = cache->lengths[b] + i;
    }
    LAB_TRY(all_blocks(cache, z, params, tokens, n, shape));
    LAB_TRY(rmsnorm(z->normed, z->rrms, z->stream + (n - 1) * C, params->norm, 1, C));
    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, shape->V));
    cache->lengths[b] += n;
    return LAB_OK;
    // END SOLUTION 9.3
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
    // BEGIN SOLUTION 9.3 decode_step: as prefill, but row b is the next token of sequence b, and
    // every row has logits (about 12 lines)
    const size_t B = shape->B, C = shape->C;
    for (size_t b = 0; b < B; b++) {
        z->sequences[b] = b;
        z->positions[b] = cache->lengths[b];
    }
    LAB_TRY(all_blocks(cache, z, params, tokens, B, shape));
    LAB_TRY(rmsnorm(z->normed, z->rrms, z->stream, params->norm, B, C));
    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, shape->V));
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b]++;
    }
    return LAB_OK;
    // END SOLUTION 9.3
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
    // BEGIN SOLUTION 9.7 generate_cached: an empty cache, and a prefill for each prompt; then repeat:
    // a token for each sequence, and one decode_step for all, except after the last tokens
    // (about 20 lines)
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b] = 0;
        LAB_TRY(prefill(z->logits + b * V, cache, z, params, tokens + b * T, b,
                        lengths[b], shape));
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
        }
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(sample_token(z->next + b, probabilities, order, z->logits + b * V,
                                 sampling, uniforms[b * count + i], V));
            tokens[b * T + lengths[b] + i] = z->next[b];
        }
    }
    return LAB_OK;
    // END SOLUTION 9.7
}
