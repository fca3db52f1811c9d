// 03_split_heads.c - exercise 4.3, split_heads: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/heads.h"

#include "04_multi_head/heads.h"

MOVE(split_move, B_NH_T_HS, B_T_NH_HS)
MOVE(split_reshape, B_T_NH_HS, B_T_NH_HS)
MOVE(split_interleaved_heads, B_NH_T_HS, B_T_HS_NH)
MOVE(split_channels_first, B_NH_HS_T, B_T_NH_HS)
MOVE(split_head_major, NH_B_T_HS, B_T_NH_HS)
MOVE(split_exchanged, EXCHANGED, B_T_NH_HS)
MOVE(split_merged, B_T_NH_HS, B_NH_T_HS)
MOVE(split_sequence_0_only, NH_T_HS, T_NH_HS)
MOVE(split_from_sequence_0, B_NH_T_HS, T_NH_HS)
MOVE(split_into_sequence_0, NH_T_HS, B_T_NH_HS)

static const struct mistake split_heads_mistakes[] = {
    {
        .id = "reshape-alone",
        .what = "the numbers are copied in memory order: reshaped, not transposed",
        .why = "The shape (B,NH,T,hs) fits the same memory, but then head 0 gets whole "
               "tokens with all their heads. Swap heads and tokens.",
        .source = "hyunwoongko/transformer#15, reczoo/FuxiCTR#30",
        .function = LIKE(split_heads, split_reshape),
    },
    {
        .id = "interleaved",
        .what = "head h gets every NH-th channel, not hs consecutive channels",
        .why = "Head h of a token consists of its channels h*hs to h*hs + hs - 1.",
        .source = NULL,
        .function = LIKE(split_heads, split_interleaved_heads),
        .convention = true,
    },
    {
        .id = "channels-first",
        .what = "each head is (hs,T) instead of (T,hs)",
        .why = "Only heads and tokens swap places. The hs channels of a head stay "
               "together, as the last axis.",
        .source = NULL,
        .function = LIKE(split_heads, split_channels_first),
    },
    {
        .id = "head-major",
        .what = "the heads come in front of the sequences: (NH,B,T,hs)",
        .why = "The sequence is the first axis: (B,NH,T,hs). Otherwise a mask or a "
               "product for each sequence would use the wrong one.",
        .source = "lsdefine/attention-is-all-you-need-keras#36",
        .function = LIKE(split_heads, split_head_major),
        .convention = true,
    },
    {
        .id = "NH-hs-exchanged",
        .what = "there are hs heads of width NH instead of NH heads of width hs",
        .why = "hs = C / NH is the number of channels in each head. You have swapped the "
               "two somewhere.",
        .source = NULL,
        .function = LIKE(split_heads, split_exchanged),
    },
    {
        .id = "merged-instead",
        .what =
            "x is read as (B,NH,T,hs) and written as (B,T,NH,hs): that is merge_heads",
        .why = "Splitting goes the other way. Read row (b*T + t)*NH + h, and write row "
               "(b*NH + h)*T + t.",
        .source = NULL,
        .function = LIKE(split_heads, split_merged),
    },
    {
        .id = "sequence-0-only",
        .what = "sequence 0 is right, and the others are never written",
        .why =
            "b is missing in the rows of both tensors: (b*T + t)*NH + h in x, (b*NH + h)*T + t in "
            "out.",
        .source = NULL,
        .function = LIKE(split_heads, split_sequence_0_only),
    },
    {
        .id = "from-sequence-0",
        .what = "every sequence gets the numbers of sequence 0",
        .why = "b is missing in the row of x: it is (b*T + t)*NH + h.",
        .source = NULL,
        .function = LIKE(split_heads, split_from_sequence_0),
    },
    {
        .id = "into-sequence-0",
        .what =
            "every sequence is written over sequence 0, and the others stay unwritten",
        .why = "b is missing in the row of out: it is (b*NH + h)*T + t.",
        .source = NULL,
        .function = LIKE(split_heads, split_into_sequence_0),
    },
    {0},
};

static lab_status split_by_views(float *out, const float *x, size_t B, size_t T, size_t C,
                                 size_t NH)
{
    if (NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    struct view view;
    LAB_TRY(view_of(&view, x, (size_t[]){B, T, NH, C / NH}, 4));
    LAB_TRY(view_transpose(&view, &view, 1, 2));
    return view_contiguous(out, &view);
}

static const struct mistake split_heads_alternatives[] = {
    {.id = "loops", .function = LIKE(split_heads, split_move)},
    {.id = "views", .function = LIKE(split_heads, split_by_views)},
    {0},
};

static const struct part split_heads_part[] = {
    {
        .function = "split_heads",
        .dims = "B T C NH hs",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, 0, 0}, // copied, never computed
                {"x", "B T C", INPUT, F32, 0, 0},
            },
        .cases = heads_cases,
        .mistakes = split_heads_mistakes,
        .alternatives = split_heads_alternatives,
    },
    {0},
};

const struct exercise exercise_4_3 = {
    .id = "4.3",
    .name = "split_heads",
    .section = "4.3 Splitting the heads",
    .hints =
        {
            "hs numbers always stay together. Number the rows of hs numbers in both "
            "tensors. Which row is head h of token t in x, and which in out?",
            "In x: row (b*T + t)*NH + h. In out: row (b*NH + h)*T + t. Each row has hs = "
            "C / NH numbers.",
            "for each b, t, h:\n"
            "    memcpy(out + ((b*NH + h)*T + t)*hs,\n"
            "           x + ((b*T + t)*NH + h)*hs, hs floats)",
        },
    .gpu_hints =
        {
            "Let each thread write one number of out, in memory order. Then neighboring "
            "threads write neighboring numbers. Where is thread i's number in x?",
            "i counts the numbers of (B,NH,T,hs): c = i % hs, t = i / hs % T, "
            "h = i / hs / T % NH, and b is the rest. In x, the number is at "
            "((b*T + t)*NH + h)*hs + c.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
            "if (i >= count) return\n"
            "c = i % hs; t = i / hs % T; h = i / hs / T % NH; b = i / hs / T / NH\n"
            "out_dev[i] = x_dev[((b*T + t)*NH + h)*hs + c]",
        },
    .parts = split_heads_part,
};
