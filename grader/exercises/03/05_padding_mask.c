// 05_padding_mask.c - exercise 3.5, padding_mask: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/common/inputs.h"

#include <string.h>

#include "03_causal_mask/causal.h"
#include "common/rng.h"

// Lengths from 0 to S. If possible, neighbors differ, and one is neither 0 nor S.
static void fill_lengths(struct test_case *test, struct lab_rng *rng)
{
    size_t B = case_dim(test, "B"), S = case_dim(test, "S");
    size_t *lengths = case_size(test, "lengths");
    for (size_t b = 0; b < B; b++) {
        lengths[b] = lab_rng_next32(rng) % (S + 1);
    }
    for (size_t b = 1; b < B; b++) {
        if (lengths[b] == lengths[b - 1]) {
            lengths[b] = (lengths[b] + 1) % (S + 1);
        }
    }
    lengths[0] = S / 2;
}

static void fill_lengths_none(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[1] = 0;
}

static void fill_lengths_all(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[1] = case_dim(test, "S");
}

static void fill_lengths_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[case_dim(test, "B") - 1] = case_dim(test, "S") + 1;
}

static void fill_first_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[0] = case_dim(test, "S") + 1;
}

static void fill_middle_far_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[case_dim(test, "B") / 2] = case_dim(test, "S") + 1000;
}

// The lower 32 bits are a length that fits.
static void fill_beyond_32_bits(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[1] = (size_t)1 << 32 | 1;
}

static void fill_lengths_last(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        case_size(test, "lengths")[b] = case_dim(test, "S") - 2 * b;
    }
}

static void repeated_lengths(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        case_size(test, "lengths")[b] = b * 3 % 11 < 6;
    }
}

static const struct case_spec padding_mask_cases[] = {
    {.dims = "B=1 S=1", .fill = fill_lengths},
    {.dims = "B=1 S=3", .fill = fill_lengths},
    {.dims = "B=2 S=3", .fill = fill_lengths},
    {.dims = "B=2 S=4", .fill = fill_lengths_none, .note = "a sequence of length 0"},
    {.dims = "B=2 S=5", .fill = fill_lengths_all, .note = "a sequence without padding"},
    {.dims = "B=3 S=3", .fill = fill_lengths, .note = "B = S"},
    {.dims = "B=5 S=2", .fill = fill_lengths, .note = "more sequences than keys"},
    {.dims = "B=4..6 S=7..12", .draws = 3, .fill = fill_lengths},
    {.dims = "B=3 S=4",
     .fill = fill_lengths_too_long,
     .note = "the last length is larger than S"},
    {.dims = "B=4 S=1", .fill = fill_lengths, .note = "one key"},
    {.dims = "B=256 S=64", .fill = fill_lengths_none, .note = "exactly 256 sequences"},
    {.dims = "B=64 S=256", .fill = fill_lengths_all, .note = "exactly 256 keys"},
    {.dims = "B=3 S=4", .fill = fill_first_too_long, .note = "length 0 is larger than S"},
    {.dims = "B=3 S=4", .fill = fill_middle_far_too_long, .note = "length 1 is S + 1000"},
    {.dims = "B=2 S=3", .fill = fill_beyond_32_bits, .note = "length 1 is 4294967297"},
    {.dims = "B=67 S=71", .fill = fill_lengths_none, .note = "all sizes past 64"},
    {.dims = "B=521 S=131", .fill = fill_lengths_all, .note = "more than 512 sequences"},
    {.dims = "B=67 S=1031", .fill = fill_lengths_all, .note = "more than 1024 keys"},
    {.dims = "B=2 S=65540",
     .fill = fill_lengths_last,
     .note = "lengths that 16 bits do not hold"},
    {.dims = "B=0 S=3", .note = "a size of 0"},
    {.dims = "B=3 S=0", .note = "a size of 0"},
    {MORE_THAN_16_BITS("B=65543 S=1", repeated_lengths, "65543 sequences")},
    {0},
};

// PADDING(name, condition): a padding_mask with another condition for "is a token".
#define PADDING(name, condition)                                                         \
    static lab_status name(uint8_t *mask, const size_t *lengths, size_t B, size_t S)     \
    {                                                                                    \
        if (B == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t b = 0; b < B; b++) {                                                 \
            if (lengths[b] > S) {                                                        \
                return LAB_ESHAPE;                                                       \
            }                                                                            \
        }                                                                                \
        for (size_t b = 0; b < B; b++) {                                                 \
            for (size_t s = 0; s < S; s++) {                                             \
                mask[b * S + s] = condition;                                             \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

PADDING(padding_one_more, s <= lengths[b])
PADDING(padding_one_less, s + 1 < lengths[b])
PADDING(padding_inverted, s >= lengths[b])
PADDING(padding_next_sequence, s < lengths[(b + 1) % B])
PADDING(padding_first_sequence, s < lengths[0])
PADDING(padding_in_front, s + lengths[b] >= S)

static const struct mistake padding_mask_mistakes[] = {
    {
        .id = "one-more",
        .what = "the mask allows one key too many: the first padding counts as a token",
        .why = "The tokens of a sequence of length n are keys 0 to n - 1: s < "
               "lengths[b], not s <= lengths[b].",
        .source = "Wangpeiyi9979/ESD#6",
        .function = LIKE(padding_mask, padding_one_more),
    },
    {
        .id = "one-less",
        .what = "the mask allows one key too few: the last token counts as padding",
        .why =
            "The tokens of a sequence of length n are keys 0 to n - 1: s < lengths[b].",
        .source = NULL,
        .function = LIKE(padding_mask, padding_one_less),
    },
    {
        .id = "inverted",
        .what = "0 and 1 are swapped: the mask marks the padding",
        .why = "Here 1 means \"may attend\", so tokens get 1. PyTorch's key_padding_mask "
               "is the opposite.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(padding_mask, padding_inverted),
    },
    {
        .id = "next-length",
        .what = "the mask gives every sequence the length of the next one, not its own",
        .why = "Row b of the mask belongs to lengths[b].",
        .source = "lsdefine/attention-is-all-you-need-keras#36, line/lighthouse#77",
        .function = LIKE(padding_mask, padding_next_sequence),
    },
    {
        .id = "first-length",
        .what = "the mask gives every sequence the length of sequence 0, not its own",
        .why = "Each row has its own length: lengths[b].",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(padding_mask, padding_first_sequence),
    },
    {
        .id = "padding-in-front",
        .what = "the mask allows the last keys, as if the padding came first",
        .why = "This lab pads at the end, so the first lengths[b] keys are the tokens. "
               "(Programs that generate text often put the padding first.)",
        .source = NULL,
        .function = LIKE(padding_mask, padding_in_front),
        .convention = true,
    },
    {0},
};

static lab_status padding_by_runs(uint8_t *mask, const size_t *lengths, size_t B,
                                  size_t S)
{
    if (B == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] > S) {
            return LAB_ESHAPE;
        }
    }
    memset(mask, 0, B * S);
    for (size_t b = 0; b < B; b++) {
        memset(mask + b * S, 1, lengths[b]);
    }
    return LAB_OK;
}

static const struct mistake padding_mask_alternatives[] = {
    {.id = "runs-of-ones", .function = LIKE(padding_mask, padding_by_runs)},
    {0},
};

// COMBINE(name, condition): a combine_masks that allows what the condition allows. It sees the
// attention mask and the padding of key s, of key s in sequence 0, and of the query's position.
#define COMBINE(name, condition)                                                         \
    static lab_status name(uint8_t *mask, const uint8_t *attention,                      \
                           const uint8_t *padding, size_t B, size_t T, size_t S)         \
    {                                                                                    \
        if (B == 0 || T == 0 || S == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < B * T * S; i++) {                                         \
            const size_t b = i / (T * S), t = i / S % T, s = i % S;                      \
            const bool allowed = attention[t * S + s];                                   \
            const bool key = padding[b * S + s], key_0 = padding[s];                     \
            const bool query = t < S && padding[b * S + t];                              \
            (void)allowed, (void)key, (void)key_0, (void)query;                          \
            mask[i] = condition;                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// padding[b][t] is outside padding if t >= S.
#define COMBINE_INSIDE(name, inside)                                                     \
    static lab_status name(uint8_t *mask, const uint8_t *attention,                      \
                           const uint8_t *padding, size_t B, size_t T, size_t S)         \
    {                                                                                    \
        return B > 0 && S > 0 && T > S ? LEAVES_ARGUMENTS                                \
                                       : inside(mask, attention, padding, B, T, S);      \
    }

COMBINE(combine_with_or, allowed || key)
COMBINE(combine_inside_queries, allowed &&query)
COMBINE(combine_inside_queries_too, allowed &&key &&query)
COMBINE_INSIDE(combine_queries, combine_inside_queries)
COMBINE_INSIDE(combine_queries_too, combine_inside_queries_too)
COMBINE(combine_first_rows, allowed &&key &&t < S)
COMBINE(combine_first_sequence, allowed &&key_0)
COMBINE(combine_attention_only, allowed)
COMBINE(combine_padding_only, key)

static void repeated_masks(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const masks[] = {"attention", "padding"};
    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < case_count(test, masks[m]); i++) {
            case_u8(test, masks[m])[i] = (i + 1) * (3 + m) % 11 < 6;
        }
    }
}

// T <= S except in the special cases, so reading padding[b][t] by mistake stays inside
// the tensor, and the values show the mistake. With T > S it crashes.
static const struct case_spec combine_masks_cases[] = {
    {.dims = "B=1 T=1 S=1"},
    {.dims = "B=1 T=2 S=2"},
    {.dims = "B=2 T=2 S=3"},
    {.dims = "B=2 T=4 S=4"},
    {.dims = "B=3 T=3 S=3", .note = "every size is the same"},
    {.dims = "B=3..4 T=4..6 S=7..11", .draws = 3},
    {.dims = "B=3 T=67 S=71", .note = "larger than 64"},
    {.dims = "B=521 T=2 S=131", .note = "more than 512 sequences"},
    {.dims = "B=2 T=131 S=521", .note = "more than 512 keys"},
    {.dims = "B=1 T=257 S=263", .note = "more than 256 queries"},
    {.dims = "B=3 T=1 S=5", .note = "one query"},
    {.dims = "B=256 T=3 S=5", .note = "exactly 256 sequences"},
    {.dims = "B=1 T=256 S=256", .note = "exactly 256 queries and keys"},
    {.dims = "B=0 T=2 S=3", .note = "a size of 0"},
    {.dims = "B=2 T=0 S=3", .note = "a size of 0"},
    {.dims = "B=2 T=3 S=0", .note = "a size of 0"},
    {.dims = "B=2 T=5 S=3", .note = "more queries than keys", .apart = true},
    {.dims = "B=3 T=263 S=67",
     .note = "many more queries than keys",
     .apart = true,
     .cpu_only = true},
    {.dims = "B=3 T=4 S=1", .note = "one key", .apart = true},
    {MORE_THAN_16_BITS("B=65543 T=1 S=1", repeated_masks, "65543 sequences")},
    {MORE_THAN_16_BITS("B=1 T=1 S=65543", repeated_masks, "65543 keys")},
    {0},
};

static const struct mistake combine_masks_mistakes[] = {
    {
        .id = "first-rows",
        .what = "only the first S queries see anything",
        .why = "There are T queries, and T may be larger than S. The loops over t and s "
               "have different ends.",
        .function = LIKE(combine_masks, combine_first_rows),
    },
    {
        .id = "or",
        .what = "the masks are combined with OR instead of AND",
        .why = "A key is allowed if both masks allow it. You would use OR for masks that "
               "mark the forbidden keys.",
        .source =
            "jadore801120/attention-is-all-you-need-pytorch#217, keras-team/keras-io#482",
        .function = LIKE(combine_masks, combine_with_or),
    },
    {
        .id = "queries",
        .what = "the padding is applied to the queries, not to the keys",
        .why = "padding[b][t] clears rows, so tokens still attend to padded keys. Use "
               "padding[b][s], which is the same for every query.",
        .source = "hyunwoongko/transformer#40, keras-team/keras-io#1046",
        .function = LIKE(combine_masks, combine_queries),
    },
    {
        .id = "queries-too",
        .what = "the padding is applied to the queries as well, not only to the keys",
        .why = "Don't change the rows of padded queries; later code ignores their "
               "outputs. Use padding[b][s] only.",
        .source = "Kyubyong/transformer#3",
        .function = LIKE(combine_masks, combine_queries_too),
        .convention = true,
    },
    {
        .id = "first-sequence",
        .what = "every sequence gets the padding of sequence 0, not its own",
        .why = "The padding mask has a row for each sequence: padding[b * S + s].",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(combine_masks, combine_first_sequence),
    },
    {
        .id = "attention-only",
        .what = "the padding mask has no effect",
        .why = "Every sequence then attends to its padding. Both masks must allow a key.",
        .source = "huangjia2019/llm-gpt#7",
        .function = LIKE(combine_masks, combine_attention_only),
    },
    {
        .id = "padding-only",
        .what = "the attention mask has no effect",
        .why = "Without the causal mask, the future is visible. Both masks must allow "
               "a key.",
        .source = "keras-team/keras#23040",
        .function = LIKE(combine_masks, combine_padding_only),
    },
    {0},
};

// Copies the shared mask, then clears columns.
static lab_status combine_by_striking(uint8_t *mask, const uint8_t *attention,
                                      const uint8_t *padding, size_t B, size_t T,
                                      size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        uint8_t *mask_b = mask + b * T * S;
        memcpy(mask_b, attention, T * S);
        for (size_t s = 0; s < S; s++) {
            for (size_t t = 0; t < T && padding[b * S + s] == 0; t++) {
                mask_b[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;
}

static lab_status combine_multiplied(uint8_t *mask, const uint8_t *attention,
                                     const uint8_t *padding, size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T * S; i++) {
        mask[i] = (uint8_t)(attention[i % (T * S)] * padding[i / (T * S) * S + i % S]);
    }
    return LAB_OK;
}

static const struct mistake combine_masks_alternatives[] = {
    {.id = "striking", .function = LIKE(combine_masks, combine_by_striking)},
    {.id = "multiplied", .function = LIKE(combine_masks, combine_multiplied)},
    {0},
};

static const struct part padding_part[] = {
    {
        .function = "padding_mask",
        .dims = "B S",
        .tensors =
            {
                {"mask", "B S", OUTPUT, U8, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = padding_mask_cases,
        .mistakes = padding_mask_mistakes,
        .alternatives = padding_mask_alternatives,
    },
    {
        .function = "combine_masks",
        .dims = "B T S",
        .tensors =
            {
                {"mask", "B T S", OUTPUT, U8, 0, 0},
                {"attention", "T S", INPUT, U8, 0, 0},
                {"padding", "B S", INPUT, U8, 0, 0},
            },
        .cases = combine_masks_cases,
        .mistakes = combine_masks_mistakes,
        .alternatives = combine_masks_alternatives,
    },
    {0},
};

const struct exercise exercise_3_5 = {
    .id = "3.5",
    .name = "padding_mask",
    .section = "3.5 Padding",
    .hints =
        {
            "padding_mask is about keys only, with one row for each sequence. "
            "combine_masks repeats the (T, S) mask for each sequence and clears that "
            "sequence's padding.",
            "padding: mask[b][s] = s < lengths[b]. combined: mask[b][t][s] = "
            "attention[t][s] AND padding[b][s]; the padding does not depend on the "
            "query t.",
            "for each b, s:\n"
            "    mask[b * S + s] = s < lengths[b]\n"
            "for each b, t, s:\n"
            "    mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s]",
        },
    .parts = padding_part,
};
