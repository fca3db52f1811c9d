// 03a_model_with_fault.c - exercise 9.3: prefill and decode_step with one fault. Start reading at
// run_call. 03b_model_mistakes.c names the faults.

#include "exercises/09/model.h"
#include "exercises/common/in_double.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"
#include "common/tokens.h"

// One call of either function. Its R rows are tokens of z->sequences[r]; prompt: all of one.
struct call {
    enum model_fault fault;
    const struct kv_cache *cache;
    const struct generation_buffers *z;
    const struct generation_params *params;
    const struct language_shape *s;
    size_t R;
    bool prompt;
};

// ---- where rows are -----------------------------------------------------------------------

// Where row r is stored.
static size_t place_of(const struct call *c, size_t r)
{
    const size_t in_call = c->prompt ? r : 0;
    return c->fault == MODEL_STARTS_ANEW
               ? in_call
               : c->cache->lengths[c->z->sequences[r]] + in_call;
}

// The position that row r is turned by.
static size_t position_of(const struct call *c, size_t r)
{
    const size_t in_call = c->prompt ? r : 0;
    return c->fault == MODEL_POSITION_0           ? 0
           : c->fault == MODEL_POSITION_IN_CALL   ? in_call
           : c->fault == MODEL_POSITION_ONE_MORE  ? place_of(c, r) + 1
           : c->fault == MODEL_POSITION_IS_LENGTH ? place_of(c, c->prompt ? 0 : r)
           : c->fault == MODEL_POSITION_OF_FIRST  ? c->cache->lengths[0] + in_call
                                                  : place_of(c, r);
}

// How many keys row r sees.
static size_t seen_by(const struct call *c, size_t r)
{
    size_t longest = 0;
    for (size_t b = 0; b < c->s->B; b++) {
        const size_t length = c->cache->lengths[b];
        longest = length > longest ? length : longest;
    }
    return c->fault == MODEL_NO_MASK            ? place_of(c, c->R - 1) + 1
           : c->fault == MODEL_ITSELF_UNSEEN    ? place_of(c, r)
           : c->fault == MODEL_WHOLE_CACHE_SEEN ? c->s->T
           : c->fault == MODEL_LONGEST_SEEN     ? longest + 1
           : c->fault == MODEL_OLD_UNSEEN       ? (c->prompt ? r : 0) + 1
                                                : place_of(c, r) + 1;
}

// The first row (NH, T, hs) of the cache of layer l that belongs to row r's sequence.
static size_t cache_of(const struct call *c, size_t l, size_t r)
{
    const size_t b = c->fault == MODEL_SEQUENCE_0 ? 0 : c->z->sequences[r];
    const size_t piece = c->fault == MODEL_CACHE_AS_BL     ? b * c->s->L + l
                         : c->fault == MODEL_LAYER_0_CACHE ? b
                                                           : l * c->s->B + b;
    return piece * c->s->T * c->s->C;
}

// ---- attention ----------------------------------------------------------------------------

static bool turns_new_keys(enum model_fault fault)
{
    return fault != MODEL_ROPE_ON_Q_ALONE && fault != MODEL_TURNED_WHEN_READ;
}

static void turn(const struct call *c, size_t r)
{
    const struct language_shape *s = c->s;
    const size_t C = s->C, hs = C / s->NH, position = position_of(c, r);
    const float *q = c->z->q + r * C, *k = c->z->k + r * C;
    float *q_turned = c->z->q_turned + r * C;
    must(rope(q_turned, q, &position, 1, s->NH, 1, hs));
    if (c->fault == MODEL_Q_UNTURNED) {
        memcpy(q_turned, q, C * sizeof *q);
    }
    must(rope(c->z->k_turned + r * C, k, &position, 1, s->NH, 1, hs));
}

static lab_status append(const struct call *c, size_t l, size_t r)
{
    const struct language_shape *s = c->s;
    const size_t C = s->C, hs = C / s->NH, at = cache_of(c, l, r);
    const size_t position = position_of(c, r), place = place_of(c, r);
    const float *k = c->z->k + r * C, *v = c->z->v + r * C;
    const float *k_turned = c->z->k_turned + r * C;
    LAB_TRY(cache_append(c->cache->keys + at, turns_new_keys(c->fault) ? k_turned : k,
                         &place, 1, s->NH, 1, s->T, hs));
    float *v_turned = borrow(C);
    must(rope(v_turned, v, &position, 1, s->NH, 1, hs));
    const lab_status status =
        cache_append(c->cache->values + at, c->fault == MODEL_ROPE_ON_V ? v_turned : v,
                     &place, 1, s->NH, 1, s->T, hs);
    free(v_turned);
    return status;
}

// keys and values (NH, T, hs) as row r reads them.
static void read_cache(const struct call *c, size_t l, size_t r, float *keys,
                       float *values)
{
    const struct language_shape *s = c->s;
    const size_t T = s->T, hs = s->C / s->NH, at = cache_of(c, l, r);
    const size_t old = place_of(c, c->prompt ? 0 : r);
    const size_t skipped = c->fault == MODEL_OLD_UNSEEN ? old : 0;
    for (size_t i = 0; i < s->NH * T; i++) {
        const size_t t = i % T;
        const float *key = c->cache->keys + at + (i + skipped) * hs,
                    *value = c->cache->values + at + (i + skipped) * hs;
        if (t + skipped >= T) {
            continue;
        }
        memcpy(keys + i * hs, key, hs * sizeof *key);
        memcpy(values + i * hs, c->fault == MODEL_VALUES_ARE_KEYS ? key : value,
               hs * sizeof *key);
        if (c->fault == MODEL_TURNED_WHEN_READ || c->fault == MODEL_TURNED_TWICE) {
            must(rope(keys + i * hs, key, &t, 1, 1, 1, hs));
        }
    }
}

static void attend_in_double(const struct call *c, size_t r, size_t seen,
                             const float *keys, const float *values)
{
    const size_t T = c->s->T, hs = c->s->C / c->s->NH;
    for (size_t h = 0; h < c->s->NH; h++) {
        float *weights = c->z->weights + (r * c->s->NH + h) * T;
        const float *q = c->z->q_turned + r * c->s->C + h * hs;
        weigh_in_double(weights, q, keys + h * T * hs, seen, T, hs);
        for (size_t i = 0; i < hs; i++) {
            c->z->merged[r * c->s->C + h * hs + i] =
                (float)dot_in_double(weights, 1, values + h * T * hs + i, hs, seen);
        }
    }
}

static lab_status attend(const struct call *c, size_t l, size_t r)
{
    const struct language_shape *s = c->s;
    const size_t NH = s->NH, T = s->T, C = s->C, seen = seen_by(c, r);
    float *keys = borrow(T * C), *values = borrow(T * C);
    lab_status status = LAB_OK;
    read_cache(c, l, r, keys, values);
    if (c->fault == MODEL_IN_DOUBLE) {
        attend_in_double(c, r, seen, keys, values);
    } else {
        status = attention_decode(c->z->merged + r * C, c->z->weights + r * NH * T,
                                  c->z->scores + r * NH * T, c->z->q_turned + r * C, keys,
                                  values, &seen, 1, NH, T, C / NH);
    }
    free(keys);
    free(values);
    return status;
}

// Right: n rows of one sequence, from row r on, by lab 4's functions and a copy of the cache.
static void attend_by_heads(const struct call *c, size_t l, size_t r, size_t n)
{
    const size_t NH = c->s->NH, T = c->s->T, C = c->s->C, hs = C / NH;
    const size_t first = place_of(c, r), S = first + n, at = cache_of(c, l, r) / C * NH;
    float *q = borrow(n * C), *k = borrow(n * C), *v = borrow(n * C),
          *out = borrow(n * C);
    float *keys = borrow(S * C), *values = borrow(S * C);
    float *weights = borrow(NH * n * S), *scores = borrow(NH * n * S);
    uint8_t *mask = calloc(n * S, 1);
    if (mask == NULL) {
        abort();
    }
    must(split_heads(out, c->z->q + r * C, 1, n, C, NH));
    must(rope(q, out, c->z->positions + r, 1, NH, n, hs));
    must(split_heads(out, c->z->k + r * C, 1, n, C, NH));
    must(rope(k, out, c->z->positions + r, 1, NH, n, hs));
    must(split_heads(v, c->z->v + r * C, 1, n, C, NH));
    must(cache_append(c->cache->keys + at * hs, k, &first, 1, NH, n, T, hs));
    must(cache_append(c->cache->values + at * hs, v, &first, 1, NH, n, T, hs));
    for (size_t i = 0; i < NH * S; i++) {
        const size_t row = at + i / S * T + i % S;
        memcpy(keys + i * hs, c->cache->keys + row * hs, hs * sizeof *keys);
        memcpy(values + i * hs, c->cache->values + row * hs, hs * sizeof *values);
    }
    for (size_t i = 0; i < n * S; i++) {
        mask[i] = i % S <= first + i / S;
    }
    must(scaled_dot_product_attention(out, weights, scores, q, keys, values, mask, 1, NH,
                                      n, S, hs));
    must(merge_heads(c->z->merged + r * C, out, 1, n, C, NH));
    free(q), free(k), free(v), free(out);
    free(keys), free(values), free(weights), free(scores), free(mask);
}

// merged, of all rows.
static lab_status attend_all(const struct call *c, size_t l)
{
    const size_t at_once = c->prompt ? c->R : 1;
    if (c->fault == MODEL_BY_HEADS) {
        for (size_t r = 0; r < c->R; r += at_once) {
            attend_by_heads(c, l, r, at_once);
        }
        return LAB_OK;
    }
    const bool all_first = c->fault == MODEL_NO_MASK;
    const bool too_early = c->fault == MODEL_ATTENDS_FIRST;
    for (size_t r = 0; r < c->R; r++) {
        turn(c, r);
        LAB_TRY(too_early ? attend(c, l, r) : LAB_OK);
        LAB_TRY(append(c, l, r));
        LAB_TRY(all_first || too_early ? LAB_OK : attend(c, l, r));
    }
    for (size_t r = 0; all_first && r < c->R; r++) {
        LAB_TRY(attend(c, l, r));
    }
    return LAB_OK;
}

// ---- the blocks ---------------------------------------------------------------------------

static void linear(const struct call *c, float *y, const float *x,
                   const struct generation_matrix *w, size_t R, size_t I, size_t O)
{
    float *floats = floats_of(w, O, I);
    if (c->fault == MODEL_IN_DOUBLE) {
        linear_in_double(y, x, floats, R, I, O);
    } else {
        must(batched_linear(y, x, floats, NULL, 1, R, I, O));
    }
    free(floats);
}

static void norm(const struct call *c, float *y, float *rrms, const float *x,
                 const float *gain, size_t R)
{
    if (c->fault == MODEL_IN_DOUBLE) {
        rmsnorm_in_double(y, rrms, x, gain, R, c->s->C);
    } else {
        must(rmsnorm(y, rrms, x, gain, R, c->s->C));
    }
}

// y = x + branch; without x, if there is none.
static void add(float *y, const float *x, const float *branch, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = (x != NULL ? x[i] : 0.0f) + branch[i];
    }
}

static void feed(const struct call *c, const struct generation_block *block)
{
    const struct generation_buffers *z = c->z;
    const size_t R = c->R, C = c->s->C, H = c->s->H;
    const bool swapped = c->fault == MODEL_GATE_UP_SWAPPED;
    const float *from = z->middle;
    if (c->fault != MODEL_NO_NORM2) {
        norm(c, z->normed2, z->rrms2,
             c->fault == MODEL_NORM2_OF_STREAM ? z->stream : z->middle,
             c->fault == MODEL_NORM1_FOR_BOTH ? block->norm1 : block->norm2, R);
        from = z->normed2;
    }
    linear(c, z->gate, from, &block->w_gate, R, C, H);
    linear(c, z->up, from, c->fault == MODEL_UP_AS_GATE ? &block->w_gate : &block->w_up,
           R, C, H);
    must(swiglu(z->hidden, swapped ? z->up : z->gate, swapped ? z->gate : z->up, R * H));
    linear(c, z->projected, z->hidden, &block->w_down, R, H, C);
    add(z->stream,
        c->fault == MODEL_NO_RESIDUALS           ? NULL
        : c->fault == MODEL_RESIDUAL2_OF_NORMED2 ? z->normed2
                                                 : z->middle,
        z->projected, R * C);
}

static lab_status run_block(const struct call *c, size_t l)
{
    const struct generation_buffers *z = c->z;
    const size_t R = c->R, C = c->s->C;
    const struct generation_block block =
        generation_block(c->params, c->s, c->fault == MODEL_FIRST_PARAMS ? 0 : l);
    const float *from = z->stream;
    if (c->fault != MODEL_NO_NORM1) {
        norm(c, z->normed1, z->rrms1, z->stream, block.norm1, R);
        from = z->normed1;
    }
    linear(c, z->q, from, &block.w_q, R, C, C);
    linear(c, z->k, from, c->fault == MODEL_K_AS_Q ? &block.w_q : &block.w_k, R, C, C);
    linear(c, z->v, from, &block.w_v, R, C, C);
    LAB_TRY(attend_all(c, l));
    if (c->fault == MODEL_NO_W_O) {
        memcpy(z->attended, z->merged, R * C * sizeof(float));
    } else {
        linear(c, z->attended, z->merged, &block.w_o, R, C, C);
    }
    add(z->middle,
        c->fault == MODEL_NO_RESIDUALS          ? NULL
        : c->fault == MODEL_RESIDUAL_OF_NORMED1 ? z->normed1
                                                : z->stream,
        z->attended, R * C);
    feed(c, &block);
    return LAB_OK;
}

// Adds the new tokens to the lengths.
static void advance(const struct call *c)
{
    size_t *lengths = c->cache->lengths;
    for (size_t b = 0; b < c->s->B; b++) {
        const bool is_there = !c->prompt || b == c->z->sequences[0];
        if ((c->fault == MODEL_STARTS_ANEW || c->fault == MODEL_LENGTH_SET) && is_there) {
            lengths[b] = 0;
        }
        if (is_there || c->fault == MODEL_LENGTHS_OF_ALL) {
            lengths[b] += c->prompt && c->fault != MODEL_LENGTH_PLUS_1 ? c->R : 1;
        }
    }
}

// The logits of `count` rows, from row `first` on.
static void end_call(const struct call *c, float *logits, size_t first, size_t count)
{
    const struct generation_buffers *z = c->z;
    const size_t C = c->s->C, V = c->s->V;
    const struct generation_matrix tied = {.weights = c->params->token_table};
    const float *last = z->stream + first * C;
    if (c->fault != MODEL_NO_LAST_NORM) {
        norm(c, z->normed, z->rrms, last, c->params->norm, count);
        last = z->normed;
    }
    linear(c, logits, last, c->fault == MODEL_TIED ? &tied : &c->params->w_out, count, C,
           V);
    for (size_t i = V; c->fault == MODEL_LOGITS_OF_FIRST && i < count * V; i++) {
        logits[i] = logits[i % V];
    }
}

// z->sequences is set.
static lab_status run_call(struct call *c, float *logits, const size_t *tokens)
{
    const struct language_shape *s = c->s;
    must(embedding(c->z->stream, tokens, c->params->token_table, c->R, s->C, s->V));
    for (size_t r = 0; c->fault == MODEL_FIRST_TOKEN_FOR_ALL && r < c->R; r++) {
        memcpy(c->z->stream + r * s->C, c->z->stream, s->C * sizeof(float));
    }
    if (c->fault == MODEL_LENGTHS_ONE_MORE) {
        advance(c);
    }
    for (size_t l = 0; l < s->L; l++) {
        for (size_t r = 0; r < c->R; r++) {
            c->z->positions[r] = position_of(c, r);
        }
        LAB_TRY(run_block(c, l));
        if (c->fault == MODEL_LENGTHS_BY_LAYER) {
            advance(c);
        }
    }
    const bool first = !c->prompt || c->fault == MODEL_LOGITS_OF_FIRST;
    end_call(c, logits, first ? 0 : c->R - 1, c->prompt ? 1 : c->R);
    if (c->fault != MODEL_LENGTHS_LEFT && c->fault != MODEL_LENGTHS_ONE_MORE &&
        c->fault != MODEL_LENGTHS_BY_LAYER) {
        advance(c);
    }
    return LAB_OK;
}

lab_status prefill_with(enum model_fault fault, PREFILL_ARGUMENTS)
{
    LAB_TRY(language_shape_check(shape));
    if (n == 0 || b >= shape->B || n > shape->T || cache->lengths[b] > shape->T - n) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, n, shape->V)) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < n; i++) {
        z->sequences[i] = b;
    }
    struct call call = {fault, cache, z, params, shape, n, true};
    return run_call(&call, logits, tokens);
}

lab_status decode_with(enum model_fault fault, DECODE_ARGUMENTS)
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
    for (size_t b = 0; b < shape->B; b++) {
        z->sequences[b] = b;
    }
    struct call call = {fault, cache, z, params, shape, shape->B, false};
    return run_call(&call, logits, tokens);
}
