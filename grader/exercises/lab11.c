// lab11.c - how to call the functions of lab 11, reading a real model. 11/ has a file for each exercise;
// lab01.c explains their order.
//
// The tables of a tokenizer are arrays here; an adaptor makes their hash tables. Of ids and tokens,
// only the first `count` mean something, so an adaptor sets the others to 0.

#include "exercises/exercise.h"

#include <string.h>

#include "11_reading_attention/reading.h"

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(bfloat16_to_float, t[0], t[1], n[0])
ADAPTOR(float16_to_float, t[0], t[1], n[0])

static void forget_the_rest(size_t *tokens, const size_t *count, size_t N)
{
    for (size_t i = *count; i < N; i++) {
        tokens[i] = 0;
    }
}

// t: ids, count, word, text, ends; n: N, V, the bytes of text, unknown
static lab_status call_wordpiece(any_function f, void *const *t, const size_t *n)
{
    struct lab_pieces pieces;
    LAB_TRY(lab_pieces_open(&pieces, t[3], t[4], n[1]));
    const lab_status status =
        ((__typeof__(wordpiece) *)f)(t[0], t[1], t[2], &pieces, n[3], n[0]);
    if (status == LAB_OK) {
        forget_the_rest(t[0], t[1], n[0]);
    }
    lab_pieces_close(&pieces);
    return status;
}

// t: tokens, count, left, right, merged; n: N, M
static lab_status call_byte_pair_merge(any_function f, void *const *t, const size_t *n)
{
    struct lab_merges merges;
    LAB_TRY(lab_merges_open(&merges, t[2], t[3], t[4], n[1]));
    const lab_status status =
        ((__typeof__(byte_pair_merge) *)f)(t[0], t[1], &merges, n[0]);
    if (status == LAB_OK) {
        forget_the_rest(t[0], t[1], n[0]);
    }
    lab_merges_close(&merges);
    return status;
}

ADAPTOR(post_norm, t[0], t[1], t[2], t[3], t[4], n[0], n[1])

// The structs contain only pointers: the number of pointers in each.
enum {
    BERT_BUFFERS = sizeof(struct bert_buffers) / sizeof(void *),
    BERT_PARAMS = sizeof(struct bert_params) / sizeof(void *),
    GPT2_BUFFERS = sizeof(struct gpt2_buffers) / sizeof(void *),
};
_Static_assert(BERT_BUFFERS == 14 && BERT_PARAMS == 16 && GPT2_BUFFERS == 22 &&
                   sizeof(struct gpt2_params) / sizeof(void *) == 12,
               "the lists of tensors in 11/layers.h have other fields than the structs");

// t: out, weights, the workspaces, x, the parameters, mask; n: B T C NH H
static lab_status call_bert_layer(any_function f, void *const *t, const size_t *n)
{
    struct bert_buffers z;
    struct bert_params params;
    void *const *inputs = t + 2 + BERT_BUFFERS;
    memcpy(&z, t + 2, sizeof z);
    memcpy(&params, inputs + 1, sizeof params);
    return ((__typeof__(bert_layer) *)f)(t[0], t[1], &z, inputs[0], &params,
                                         inputs[1 + BERT_PARAMS], n[0], n[1], n[2], n[3],
                                         n[4]);
}

ADAPTOR(gelu_tanh, t[0], t[1], n[0])
ADAPTOR(linear_in_out, t[0], t[1], t[2], t[3], n[0], n[1], n[2])

// t: out, weights, the workspaces, x, the parameters; n: B T C NH H
static lab_status call_gpt2_block(any_function f, void *const *t, const size_t *n)
{
    struct gpt2_buffers z;
    struct gpt2_params params;
    void *const *inputs = t + 2 + GPT2_BUFFERS;
    memcpy(&z, t + 2, sizeof z);
    memcpy(&params, inputs + 1, sizeof params);
    return ((__typeof__(gpt2_block) *)f)(t[0], t[1], &z, inputs[0], &params, n[0], n[1],
                                         n[2], n[3], n[4]);
}

ADAPTOR(previous_token_share, t[0], t[1], n[0], n[1])
ADAPTOR(next_token_share, t[0], t[1], n[0], n[1])
ADAPTOR(first_token_share, t[0], t[1], n[0], n[1])
ADAPTOR(attention_entropy, t[0], t[1], n[0], n[1])
ADAPTOR(attention_distance, t[0], t[1], n[0], n[1])
ADAPTOR(induction_share, t[0], t[1], t[2], n[0], n[1])
ADAPTOR(attention_rollout, t[0], t[1], t[2], n[0], n[1], n[2])

// A head or a layer as a number that does not show which one it is: FNV-1a.
static size_t code_of(size_t layer, size_t head)
{
    const size_t numbers[] = {layer, head};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hash = (hash ^ numbers[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash >> 32);
}

// t: codes of next, it_to_cat, cls_layer. A report shows the right number beside the
// wrong one, and should not give the answer away.
static lab_status call_attention_findings(any_function f, void *const *t, const size_t *n)
{
    (void)n;
    size_t *next = t[0], *it_to_cat = t[1], *cls_layer = t[2];
    struct findings found;
    memset(&found, 0xff, sizeof found);
    LAB_TRY(((__typeof__(attention_findings) *)f)(&found));
    *next = code_of(found.next.layer, found.next.head);
    *it_to_cat = code_of(found.it_to_cat.layer, found.it_to_cat.head);
    *cls_layer = code_of(found.cls_layer, 0);
    return LAB_OK;
}

const struct entry lab_entries[] = {
    ENTRY(bfloat16_to_float),  ENTRY(float16_to_float),
    ENTRY(wordpiece),          ENTRY(byte_pair_merge),
    ENTRY(post_norm),          ENTRY(bert_layer),
    ENTRY(gelu_tanh),          ENTRY(linear_in_out),
    ENTRY(gpt2_block),         ENTRY(previous_token_share),
    ENTRY(next_token_share),   ENTRY(first_token_share),
    ENTRY(attention_entropy),  ENTRY(attention_distance),
    ENTRY(induction_share),    ENTRY(attention_rollout),
    ENTRY(attention_findings), {0},
};

#ifndef WORKER

const struct lab lab_11 = {
    .title = "Reading a real model",
    .exercises = lab_exercises,
};

#endif
