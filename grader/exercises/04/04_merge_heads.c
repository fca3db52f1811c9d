// 04_merge_heads.c - exercise 4.4, merge_heads: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/heads.h"

#include "04_multi_head/heads.h"

MOVE(merge_move, B_T_NH_HS, B_NH_T_HS)
MOVE(merge_reshape, B_T_NH_HS, B_T_NH_HS)
MOVE(merge_as_split, B_NH_T_HS, B_T_NH_HS)
MOVE(merge_interleaved, B_T_HS_NH, B_NH_T_HS)
MOVE(merge_head_major, B_T_NH_HS, NH_B_T_HS)
MOVE(merge_token_major, T_B_NH_HS, B_NH_T_HS)
MOVE(merge_sequence_0_only, T_NH_HS, NH_T_HS)
MOVE(merge_from_sequence_0, B_T_NH_HS, NH_T_HS)
MOVE(merge_into_sequence_0, T_NH_HS, B_NH_T_HS)

static const struct mistake merge_heads_mistakes[] = {
    {
        .id = "reshape-alone",
        .what = "the numbers are copied in memory order: reshaped, not transposed",
        .why = "Token 0 then gets the first tokens of head 0 instead of its own heads. "
               "You may not notice, because training still works. Swap tokens and heads "
               "before you merge them.",
        .source =
            "jsbaan/transformer-from-scratch#6, ajhalthor/Transformer-Neural-Network#8",
        .function = LIKE(merge_heads, merge_reshape),
    },
    {
        .id = "split-again",
        .what = "this is split_heads again, not its inverse",
        .why = "Here x is (B,NH,T,hs), so its row is (b*NH + h)*T + t, and the row of "
               "out is (b*T + t)*NH + h. Your result is right only if T = NH.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_as_split),
    },
    {
        .id = "interleaved",
        .what = "the heads of a token are interleaved, channel by channel",
        .why = "The heads of a token come one after the other: channel i of head h is "
               "channel h*hs + i.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_interleaved),
        .convention = true,
    },
    {
        .id = "head-major",
        .what = "x is read as (NH,B,T,hs)",
        .why = "The sequence is the first axis of x: (B,NH,T,hs).",
        .source = "lsdefine/attention-is-all-you-need-keras#36",
        .function = LIKE(merge_heads, merge_head_major),
        .convention = true,
    },
    {
        .id = "token-major",
        .what = "the tokens come in front of the sequences: (T,B,C)",
        .why = "out is (B,T,C): all tokens of sequence 0, then those of sequence 1.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_token_major),
        .convention = true,
    },
    {
        .id = "sequence-0-only",
        .what = "sequence 0 is right, and the others are never written",
        .why =
            "b is missing in the rows of both tensors: (b*NH + h)*T + t in x, (b*T + t)*NH + h in "
            "out.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_sequence_0_only),
    },
    {
        .id = "from-sequence-0",
        .what = "every sequence gets the numbers of sequence 0",
        .why = "b is missing in the row of x: it is (b*NH + h)*T + t.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_from_sequence_0),
    },
    {
        .id = "into-sequence-0",
        .what =
            "every sequence is written over sequence 0, and the others stay unwritten",
        .why = "b is missing in the row of out: it is (b*T + t)*NH + h.",
        .source = NULL,
        .function = LIKE(merge_heads, merge_into_sequence_0),
    },
    {0},
};

static lab_status merge_by_views(float *out, const float *x, size_t B, size_t T, size_t C,
                                 size_t NH)
{
    if (NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    struct view view;
    LAB_TRY(view_of(&view, x, (size_t[]){B, NH, T, C / NH}, 4));
    LAB_TRY(view_transpose(&view, &view, 1, 2));
    return view_contiguous(out, &view);
}

static const struct mistake merge_heads_alternatives[] = {
    {.id = "loops", .function = LIKE(merge_heads, merge_move)},
    {.id = "views", .function = LIKE(merge_heads, merge_by_views)},
    {0},
};

static const struct part merge_heads_part[] = {
    {
        .function = "merge_heads",
        .dims = "B T C NH hs",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, 0, 0},
                {"x", "B NH T hs", INPUT, F32, 0, 0},
            },
        .cases = heads_cases,
        .mistakes = merge_heads_mistakes,
        .alternatives = merge_heads_alternatives,
    },
    {0},
};

const struct exercise exercise_4_4 = {
    .id = "4.4",
    .name = "merge_heads",
    .section = "4.4 Merging the heads",
    .hints =
        {
            "This is 4.3 with source and target swapped.",
            "Row (b*NH + h)*T + t of x becomes row (b*T + t)*NH + h of out.",
            "for each b, t, h:\n"
            "    memcpy(out + ((b*T + t)*NH + h)*hs,\n"
            "           x + ((b*NH + h)*T + t)*hs, hs floats)",
        },
    .gpu_hints =
        {
            "This is 4.3 with other axes: out is now (B,T,NH,hs), so compute its indices "
            "from i in that order.",
            "c = i % hs, h = i / hs % NH, t = i / hs / NH % T, and b is the rest. In x, "
            "the number is at ((b*NH + h)*T + t)*hs + c.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
            "if (i >= count) return\n"
            "c = i % hs; h = i / hs % NH; t = i / hs / NH % T; b = i / hs / NH / T\n"
            "out_dev[i] = x_dev[((b*NH + h)*T + t)*hs + c]",
        },
    .parts = merge_heads_part,
};
