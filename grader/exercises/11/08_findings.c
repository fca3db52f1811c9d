// 08_findings.c - exercise 11.8, findings: the call, known mistakes and hints.
//
// The function has no arguments to vary. Its answers are those of the solution, which measured
// datasets/the_cat.safetensors.

#include "exercises/exercise.h"

#include "11_reading_attention/reading.h"

static const struct case_spec findings_cases[] = {
    {.dims = "", .note = "heads and layers are shown as codes"},
    {0},
};

// FOUND(name, change): the findings with a change of found
#define FOUND(name, change)                                                              \
    static lab_status name(struct findings *found)                                       \
    {                                                                                    \
        LAB_TRY(attention_findings(found));                                              \
        change;                                                                          \
        return LAB_OK;                                                                   \
    }

static void shift(struct findings *found, size_t layers, size_t heads)
{
    found->next.layer += layers;
    found->next.head += heads;
    found->it_to_cat.layer += layers;
    found->it_to_cat.head += heads;
    found->cls_layer += layers;
}

static struct head swapped(struct head head)
{
    return (struct head){.layer = head.head, .head = head.layer};
}

// The numbers below are read off the measures of datasets/the_cat.safetensors (build/measure).
FOUND(findings_from_1, shift(found, 1, 1))
FOUND(findings_layers_from_1, shift(found, 1, 0))
FOUND(findings_heads_from_1, shift(found, 0, 1))
FOUND(findings_swapped, found->next = swapped(found->next);
      found->it_to_cat = swapped(found->it_to_cat))
FOUND(findings_previous, found->next = ((struct head){.layer = 0, .head = 2}))
FOUND(findings_cat_to_it, found->it_to_cat = ((struct head){.layer = 3, .head = 11}))
FOUND(findings_tokens_from_1, found->it_to_cat = ((struct head){.layer = 5, .head = 6}))
FOUND(findings_strongest, found->cls_layer = 2)

static const struct mistake findings_mistakes[] = {
    {
        .id = "from-1",
        .what = "layers and heads are counted from 1",
        .why = "The first layer is layer 0, and its first head is head 0.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_from_1),
        .convention = true,
    },
    {
        .id = "layers-from-1",
        .what = "layers are counted from 1",
        .why = "The first layer is layer 0.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_layers_from_1),
        .convention = true,
    },
    {
        .id = "heads-from-1",
        .what = "heads are counted from 1",
        .why = "The first head of a layer is head 0.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_heads_from_1),
        .convention = true,
    },
    {
        .id = "layer-and-head-swapped",
        .what = "layer and head are swapped",
        .why = "build/measure prints a row for each layer and a column for each head.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_swapped),
    },
    {
        .id = "previous-for-next",
        .what = "found->next holds the head that attends most to the previous token",
        .why =
            "next is the head with the largest next_token_share: build/measure with the "
            "name next.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_previous),
    },
    {
        .id = "cat-to-it",
        .what = "found->it_to_cat holds the head in which \"cat\" attends most to \"it\"",
        .why = "The query is the token that attends: \"it\" is the query, \"cat\" is the "
               "key.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_cat_to_it),
    },
    {
        .id = "tokens-from-1",
        .what = "it_to_cat is measured with the tokens after \"it\" and \"cat\"",
        .why = "Tokens are counted from 0: token 0 is [CLS], and token 1 is \"the\".",
        .source = NULL,
        .function = LIKE(attention_findings, findings_tokens_from_1),
    },
    {
        .id = "strongest-head",
        .what =
            "found->cls_layer holds the layer of the one head that attends most to [CLS]",
        .why = "cls_layer has the largest mean over its twelve heads.",
        .source = NULL,
        .function = LIKE(attention_findings, findings_strongest),
    },
    {0},
};

static const struct part findings_part[] = {
    {
        .function = "attention_findings",
        .dims = "",
        .tensors =
            {
                {"next", "1", OUTPUT, SIZE, 0, 0},
                {"it_to_cat", "1", OUTPUT, SIZE, 0, 0},
                {"cls_layer", "1", OUTPUT, SIZE, 0, 0},
            },
        .cases = findings_cases,
        .mistakes = findings_mistakes,
    },
    {0},
};

const struct exercise exercise_11_8 = {
    .id = "11.8",
    .name = "attention_findings",
    .section = "11.8 Findings",
    .hints =
        {
            "build/measure prints six rows of twelve numbers. The row is the layer, the "
            "column is the head, and both begin at 0.",
            "next: the largest number that build/measure prints for \"next\". it_to_cat: the "
            "largest one for \"key\", where the query is the token \"it\" and the key is the "
            "token \"cat\". cls_layer: the row with the largest mean for \"first\": [CLS] is "
            "the first token.",
            "build/measure FILE --src labs next\n"
            "build/measure FILE --src labs key --query 8 --key 2\n"
            "build/measure FILE --src labs first\n"
            "*found = (struct findings){.next = {row, column},\n"
            "    .it_to_cat = {row, column}, .cls_layer = row}",
        },
    .parts = findings_part,
};
