// 03a_model_mistakes.c - exercise 9.3: prefill and decode_step with one fault, and the known
// mistakes. Start reading at run_call, then at the tables.

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

static lab_status append(const struct call *c, size_t l, size_t r)
{
    const struct language_shape *s = c->s;
    const size_t C = s->C, hs = C / s->NH, at = cache_of(c, l, r);
    const size_t position = position_of(c, r), place = place_of(c, r);
    const float *q = c->z->q + r * C, *k = c->z->k + r * C, *v = c->z->v + r * C;
    float *q_turned = c->z->q_turned + r * C, *k_turned = c->z->k_turned + r * C;
    must(rope(q_turned, q, &position, 1, s->NH, 1, hs));
    if (c->fault == MODEL_Q_UNTURNED) {
        memcpy(q_turned, q, C * sizeof *q);
    }
    must(rope(k_turned, k, &position, 1, s->NH, 1, hs));
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
    for (size_t r = 0; r < c->R; r++) {
        LAB_TRY(append(c, l, r));
        LAB_TRY(all_first ? LAB_OK : attend(c, l, r));
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
        if (c->fault == MODEL_STARTS_ANEW && is_there) {
            lengths[b] = 0;
        }
        if (is_there || c->fault == MODEL_LENGTHS_OF_ALL) {
            lengths[b] += c->prompt ? c->R : 1;
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

// ---- the mistakes -------------------------------------------------------------------------

#define BOTH(name, fault)                                                                \
    PREFILL(prefill_##name, fault)                                                       \
    DECODE(decode_##name, fault)
#define PREFILL(name, fault)                                                             \
    static lab_status name(PREFILL_ARGUMENTS)                                            \
    {                                                                                    \
        return prefill_with(fault, PREFILL_VALUES);                                      \
    }
#define DECODE(name, fault)                                                              \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        return decode_with(fault, DECODE_VALUES);                                        \
    }

BOTH(position_0, MODEL_POSITION_0)
PREFILL(prefill_position_in_call, MODEL_POSITION_IN_CALL)
BOTH(position_one_more, MODEL_POSITION_ONE_MORE)
PREFILL(prefill_position_is_length, MODEL_POSITION_IS_LENGTH)
BOTH(position_of_first, MODEL_POSITION_OF_FIRST)
BOTH(rope_on_q_alone, MODEL_ROPE_ON_Q_ALONE)
BOTH(rope_on_v, MODEL_ROPE_ON_V)
BOTH(turned_when_read, MODEL_TURNED_WHEN_READ)
BOTH(turned_twice, MODEL_TURNED_TWICE)
PREFILL(prefill_starts_anew, MODEL_STARTS_ANEW)
BOTH(lengths_left, MODEL_LENGTHS_LEFT)
BOTH(lengths_by_layer, MODEL_LENGTHS_BY_LAYER)
BOTH(lengths_one_more, MODEL_LENGTHS_ONE_MORE)
PREFILL(prefill_lengths_of_all, MODEL_LENGTHS_OF_ALL)
BOTH(layer_0_cache, MODEL_LAYER_0_CACHE)
BOTH(sequence_0, MODEL_SEQUENCE_0)
BOTH(cache_as_bl, MODEL_CACHE_AS_BL)
PREFILL(prefill_no_mask, MODEL_NO_MASK)
BOTH(old_unseen, MODEL_OLD_UNSEEN)
BOTH(itself_unseen, MODEL_ITSELF_UNSEEN)
BOTH(whole_cache_seen, MODEL_WHOLE_CACHE_SEEN)
DECODE(decode_longest_seen, MODEL_LONGEST_SEEN)
BOTH(values_are_keys, MODEL_VALUES_ARE_KEYS)
BOTH(first_params, MODEL_FIRST_PARAMS)
BOTH(no_norm1, MODEL_NO_NORM1)
BOTH(no_norm2, MODEL_NO_NORM2)
BOTH(no_w_o, MODEL_NO_W_O)
BOTH(no_residuals, MODEL_NO_RESIDUALS)
BOTH(gate_up_swapped, MODEL_GATE_UP_SWAPPED)
BOTH(no_last_norm, MODEL_NO_LAST_NORM)
BOTH(up_as_gate, MODEL_UP_AS_GATE)
BOTH(k_as_q, MODEL_K_AS_Q)
BOTH(norm1_for_both, MODEL_NORM1_FOR_BOTH)
BOTH(norm2_of_stream, MODEL_NORM2_OF_STREAM)
BOTH(residual_of_normed1, MODEL_RESIDUAL_OF_NORMED1)
BOTH(residual2_of_normed2, MODEL_RESIDUAL2_OF_NORMED2)
BOTH(q_unturned, MODEL_Q_UNTURNED)
BOTH(tied, MODEL_TIED)
BOTH(logits_of_first, MODEL_LOGITS_OF_FIRST)
BOTH(first_token_for_all, MODEL_FIRST_TOKEN_FOR_ALL)
BOTH(by_pieces, MODEL_RIGHT)
BOTH(by_heads, MODEL_BY_HEADS)
BOTH(in_double, MODEL_IN_DOUBLE)

#define POSITION_WHY                                                                     \
    "RoPE rotates a token by its position in its own sequence: lengths[b] before the "   \
    "call, and one more for each token of a prompt."
#define CACHE_WHY                                                                        \
    "keys and values are (L, B, NH, T_max, hs): those of layer l and sequence b start "  \
    "at (l * B + b) * NH * T_max * hs."
#define LENGTHS_WHY                                                                      \
    "Every layer stores its rows after the same lengths[b] tokens. Advance lengths "     \
    "once, after the last layer."

// What both functions can do wrong. `name` begins with prefill_ or decode_.
#define MODEL_MISTAKES(like, name)                                                       \
    {                                                                                    \
        .id = "position-0",                                                              \
        .what = "queries and keys are not rotated, or all are rotated as at position 0", \
        .why = POSITION_WHY,                                                             \
        .source = NULL,                                                                  \
        .function = LIKE(like, name##position_0),                                        \
    },                                                                                   \
        {                                                                                \
            .id = "position-one-more",                                                   \
            .what = "the positions are one too large",                                   \
            .why = POSITION_WHY,                                                         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##position_one_more),                             \
        },                                                                               \
        {                                                                                \
            .id = "position-of-sequence-0",                                              \
            .what = "every sequence gets the positions of sequence 0",                   \
            .why = POSITION_WHY,                                                         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##position_of_first),                             \
        },                                                                               \
        {                                                                                \
            .id = "rope-on-q-alone",                                                     \
            .what = "keys are stored, and read, without RoPE",                           \
            .why = "The old keys in the cache are rotated: store k_turned, not k.",      \
            .source = NULL,                                                              \
            .function = LIKE(like, name##rope_on_q_alone),                               \
        },                                                                               \
        {                                                                                \
            .id = "rope-on-v",                                                           \
            .what = "the values are rotated, too",                                       \
            .why = "Only the scores depend on positions. Store v unchanged.",            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##rope_on_v),                                     \
        },                                                                               \
        {                                                                                \
            .id = "turned-when-read",                                                    \
            .what = "keys are stored without RoPE and rotated when they are read",       \
            .why = "The cache holds keys after RoPE, so each is rotated only once.",     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##turned_when_read),                              \
            .convention = true,                                                          \
        },                                                                               \
        {                                                                                \
            .id = "turned-twice",                                                        \
            .what = "keys from the cache are rotated again",                             \
            .why = "The cache holds keys after RoPE: use them unchanged.",               \
            .source = NULL,                                                              \
            .function = LIKE(like, name##turned_twice),                                  \
        },                                                                               \
        {                                                                                \
            .id = "lengths-left",                                                        \
            .what = "lengths is not advanced",                                           \
            .why = LENGTHS_WHY " Without that, the next call overwrites these rows.",    \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_left),                                  \
        },                                                                               \
        {                                                                                \
            .id = "lengths-by-layer",                                                    \
            .what = "lengths is advanced in every layer",                                \
            .why = LENGTHS_WHY,                                                          \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_by_layer),                              \
        },                                                                               \
        {                                                                                \
            .id = "lengths-first",                                                       \
            .what = "lengths is advanced before the layers",                             \
            .why = LENGTHS_WHY,                                                          \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_one_more),                              \
        },                                                                               \
        {                                                                                \
            .id = "layer-0-cache",                                                       \
            .what = "every layer uses the cache of layer 0",                             \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##layer_0_cache),                                 \
        },                                                                               \
        {                                                                                \
            .id = "sequence-0",                                                          \
            .what = "every sequence uses the cache of sequence 0",                       \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##sequence_0),                                    \
        },                                                                               \
        {                                                                                \
            .id = "cache-as-BL",                                                         \
            .what = "the cache is read as (B, L, NH, T_max, hs)",                        \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##cache_as_bl),                                   \
        },                                                                               \
        {                                                                                \
            .id = "old-unseen",                                                          \
            .what = "the new tokens do not see those that were in the cache",            \
            .why = "Token i sees lengths[b] + i + 1 keys: all from row 0 of the cache.", \
            .source = NULL,                                                              \
            .function = LIKE(like, name##old_unseen),                                    \
        },                                                                               \
        {                                                                                \
            .id = "itself-unseen",                                                       \
            .what = "a token does not see itself",                                       \
            .why = "It also sees its own key, once that is stored: position + 1 keys.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##itself_unseen),                                 \
        },                                                                               \
        {                                                                                \
            .id = "whole-cache-seen",                                                    \
            .what = "a token sees all T_max rows of the cache",                          \
            .why = "It sees position + 1 keys. Rows past them have no meaning.",         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##whole_cache_seen),                              \
        },                                                                               \
        {                                                                                \
            .id = "values-are-keys",                                                     \
            .what = "the keys are read instead of the values",                           \
            .why = "Weights mix the rows of cache->values.",                             \
            .source = NULL,                                                              \
            .function = LIKE(like, name##values_are_keys),                               \
        },                                                                               \
        {                                                                                \
            .id = "block-0-params",                                                      \
            .what = "every block uses the parameters of block 0",                        \
            .why = "Block l has its own: generation_block(params, shape, l).",           \
            .source = NULL,                                                              \
            .function = LIKE(like, name##first_params),                                  \
        },                                                                               \
        {                                                                                \
            .id = "no-norm1",                                                            \
            .what = "the norm before the attention is missing",                          \
            .why = "q, k and v are computed from normed1 = rmsnorm(stream).",            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_norm1),                                      \
        },                                                                               \
        {                                                                                \
            .id = "no-norm2",                                                            \
            .what = "the norm before the MLP is missing",                                \
            .why = "gate and up are computed from normed2 = rmsnorm(middle).",           \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_norm2),                                      \
        },                                                                               \
        {                                                                                \
            .id = "no-w-o",                                                              \
            .what = "the output projection w_o is missing",                              \
            .why = "attended = merged w_o^T, and attended is added to the stream.",      \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_w_o),                                        \
        },                                                                               \
        {                                                                                \
            .id = "no-residuals",                                                        \
            .what = "both residuals are missing",                                        \
            .why = "middle = stream + attended, and then stream = middle + projected.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_residuals),                                  \
        },                                                                               \
        {                                                                                \
            .id = "gate-up-swapped",                                                     \
            .what = "gate and up are swapped in swiglu",                                 \
            .why = "swiglu(hidden, gate, up, ...): the gate goes through the sigmoid.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##gate_up_swapped),                               \
        },                                                                               \
        {                                                                                \
            .id = "no-final-norm",                                                       \
            .what = "the norm before the output layer is missing",                       \
            .why = "logits = normed w_out^T, and normed = rmsnorm(stream) with the "     \
                   "gain params->norm.",                                                 \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_last_norm),                                  \
        },                                                                               \
        {                                                                                \
            .id = "up-as-gate",                                                          \
            .what = "up is computed with w_gate",                                        \
            .why = "gate = normed2 w_gate^T and up = normed2 w_up^T: two matrices.",     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##up_as_gate),                                    \
        },                                                                               \
        {                                                                                \
            .id = "k-as-q",                                                              \
            .what = "the keys are computed with w_q",                                    \
            .why = "k = normed1 w_k^T. Only the queries use w_q.",                       \
            .source = NULL,                                                              \
            .function = LIKE(like, name##k_as_q),                                        \
        },                                                                               \
        {                                                                                \
            .id = "norm1-for-both",                                                      \
            .what = "both norms of a block have the gain of the first",                  \
            .why = "normed2 = rmsnorm(middle) with the gain norm2.",                     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##norm1_for_both),                                \
        },                                                                               \
        {                                                                                \
            .id = "norm2-of-stream",                                                     \
            .what =                                                                      \
                "the second norm reads the stream, not middle: the MLP does not see "    \
                "the attention's output",                                                \
            .why = "normed2 = rmsnorm(middle), and middle = stream + attended.",         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##norm2_of_stream),                               \
        },                                                                               \
        {                                                                                \
            .id = "residual-of-normed1",                                                 \
            .what = "attended is added to normed1, not to the stream",                   \
            .why = "middle = stream + attended.",                                        \
            .source = NULL,                                                              \
            .function = LIKE(like, name##residual_of_normed1),                           \
        },                                                                               \
        {                                                                                \
            .id = "residual2-of-normed2",                                                \
            .what = "projected is added to normed2, not to middle",                      \
            .why = "stream = middle + projected.",                                       \
            .source = NULL,                                                              \
            .function = LIKE(like, name##residual2_of_normed2),                          \
        },                                                                               \
        {                                                                                \
            .id = "q-unturned",                                                          \
            .what = "the queries are not rotated",                                       \
            .why = "RoPE rotates queries and keys: pass q_turned to attention_decode.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##q_unturned),                                    \
        },                                                                               \
    {                                                                                    \
        .id = "tied", .what = "the output layer uses the token table",                   \
        .why = "GPT-2 ties the two. This model has its own matrix, w_out.",              \
        .source = NULL, .function = LIKE(like, name##tied), .convention = true,          \
    }

const struct mistake prefill_mistakes[] = {
    {
        .id = "position-in-call",
        .what = "positions are counted from the first token of this call",
        .why = POSITION_WHY " The second part of a prompt continues where the first "
                            "ended.",
        .source = NULL,
        .function = LIKE(prefill, prefill_position_in_call),
    },
    {
        .id = "position-is-length",
        .what = "every token of the call has the position of its first one",
        .why = POSITION_WHY,
        .source = NULL,
        .function = LIKE(prefill, prefill_position_is_length),
    },
    {
        .id = "starts-anew",
        .what = "the earlier tokens of the sequence are overwritten",
        .why = "The new rows go after those: row lengths[b] + i.",
        .source = NULL,
        .function = LIKE(prefill, prefill_starts_anew),
    },
    {
        .id = "no-mask",
        .what = "every token of the prompt sees all of them",
        .why = "Token i sees the first lengths[b] + i + 1 keys, those up to itself.",
        .source = NULL,
        .function = LIKE(prefill, prefill_no_mask),
    },
    {
        .id = "lengths-of-all",
        .what = "the lengths of all sequences are advanced",
        .why = "Only sequence b gets tokens: lengths[b] += n.",
        .source = NULL,
        .function = LIKE(prefill, prefill_lengths_of_all),
    },
    {
        .id = "first-logits",
        .what = "the logits are those of the first token of the call",
        .why = "The last one predicts the next token: row n - 1 of the stream.",
        .source = NULL,
        .function = LIKE(prefill, prefill_logits_of_first),
    },
    {
        .id = "first-token-for-all",
        .what = "every row is the embedding of tokens[0]",
        .why = "Row i is the embedding of tokens[i].",
        .source = NULL,
        .function = LIKE(prefill, prefill_first_token_for_all),
    },
    MODEL_MISTAKES(prefill, prefill_),
    {0},
};

const struct mistake decode_mistakes[] = {
    {
        .id = "longest-seen",
        .what = "every sequence sees as many keys as the longest one",
        .why = "The lengths may differ: sequence b sees lengths[b] + 1 keys.",
        .source = NULL,
        .function = LIKE(decode_step, decode_longest_seen),
    },
    {
        .id = "first-logits",
        .what = "every sequence gets the logits of sequence 0",
        .why = "Row b of the stream gives row b of the logits.",
        .source = NULL,
        .function = LIKE(decode_step, decode_logits_of_first),
    },
    {
        .id = "first-token-for-all",
        .what = "every row is the embedding of tokens[0]",
        .why = "Row b is the embedding of tokens[b].",
        .source = NULL,
        .function = LIKE(decode_step, decode_first_token_for_all),
    },
    MODEL_MISTAKES(decode_step, decode_),
    {0},
};

const struct mistake prefill_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(prefill, prefill_by_pieces)},
    {.id = "by-heads", .function = LIKE(prefill, prefill_by_heads)},
    {.id = "in-double", .function = LIKE(prefill, prefill_in_double)},
    {0},
};

const struct mistake decode_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(decode_step, decode_by_pieces)},
    {.id = "by-heads", .function = LIKE(decode_step, decode_by_heads)},
    {.id = "in-double", .function = LIKE(decode_step, decode_in_double)},
    {0},
};
