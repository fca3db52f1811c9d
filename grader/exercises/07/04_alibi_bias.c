// 04_alibi_bias.c - exercise 7.4, alibi_bias: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include <math.h>

#include "07_positional_encoding/positions.h"

#define BIAS_TOLERANCE 1e-7f, 4e-5f // a slope of floats, multiplied NH times

static const struct case_spec alibi_cases[] = {
    {.dims = "NH=1 T=1 S=1"},
    {.dims = "NH=1 T=2 S=2"},
    {.dims = "NH=2 T=3 S=3"},
    {.dims = "NH=3 T=3 S=3", .note = "as many heads as tokens"},
    {.dims = "NH=3 T=4 S=4", .note = "NH is not a power of two"},
    {.dims = "NH=2 T=1 S=4", .note = "one query after a cache"},
    {.dims = "NH=4 T=2 S=5",
     .note = "T < S: the last query has the position of the last key"},
    {.dims = "NH=2 T=5 S=3", .note = "T > S: the first queries come before every key"},
    {.dims = "NH=5..7 T=3..6 S=8..12", .draws = 2},
    {.dims = "NH=12 T=7 S=7", .note = "NH is not a power of two"},
    {.dims = "NH=16 T=9 S=9"},
    {.dims = "NH=8 T=2 S=257", .note = "large distances"},
    {.dims = "NH=8 T=5 S=7",
     .note = "T < S: the last query has the position of the last key"},
    {.dims = "NH=3 T=1 S=1"},
    {.dims = "NH=5 T=9 S=1", .note = "T > S: the first queries come before every key"},
    {.dims = "NH=6..9 T=8..12 S=3..7",
     .draws = 2,
     .note = "T > S: the first queries come before every key"},
    {.dims = "NH=2 T=259 S=3", .note = "T > S: the first queries come before every key"},
    // S - 1 is a multiple of 32: in the student archive the last key of query 0 begins a block (bank.h).
    // Elsewhere the large numbers of query 1 would hide a wrong one there. Head 0 has biases down to -4376.
    {.dims = "NH=2 T=2 S=70017", .note = "very large distances"},
    {.dims = "NH=259 T=2 S=3"},
    {.dims = "NH=17 T=65 S=67", .note = "larger, odd sizes"},
    {.dims = "NH=3 T=263 S=71", .note = "larger, T > S"},
    {.dims = "NH=256 T=2 S=3", .note = "exactly 256 heads"},
    {.dims = "NH=4 T=256 S=64", .note = "exactly 256 queries"},
    {.dims = "NH=2 T=64 S=256", .note = "exactly 256 keys"},
    {.dims = "NH=1 T=1 S=4", .note = "one head, one query after a cache"},
    {.dims = "NH=1 T=2 S=5", .note = "one head, T < S"},
    {.dims = "NH=0 T=3 S=3", .note = "a size of 0"},
    {.dims = "NH=2 T=0 S=3", .note = "a size of 0"},
    {.dims = "NH=2 T=3 S=0", .note = "a size of 0"},
    {0},
};

// BIAS(name, slope, value): head h has that slope. In value, behind is the distance from query
// t back to key s, negative if the key is in the future.
#define BIAS(name, slope_of_head, value)                                                 \
    static lab_status name(float *bias, size_t NH, size_t T, size_t S)                   \
    {                                                                                    \
        if (NH == 0 || T == 0 || S == 0) {                                               \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < NH * T * S; i++) {                                        \
            const size_t h = i / (T * S), t = i / S % T, s = i % S;                      \
            const double head = (double)h, heads = (double)NH;                           \
            const double behind = (double)(t + S) - (double)(T + s);                     \
            (void)head, (void)heads, (void)behind;                                       \
            const double slope = slope_of_head;                                          \
            bias[i] = (float)(value);                                                    \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define SLOPE exp2(-8 * (head + 1) / heads)
#define PAST(distance) ((distance) > 0 ? -slope * (distance) : 0)

// Slopes of the paper's code: those of the next lower power of two, then every second one of
// twice that many heads.
static double slope_of_the_paper(size_t h, size_t NH)
{
    size_t power = 1;
    while (2 * power <= NH) {
        power *= 2;
    }
    return h < power ? exp2(-8 * (double)(h + 1) / (double)power)
                     : exp2(-4 * (double)(2 * (h - power) + 1) / (double)power);
}

BIAS(bias_off_by_one, exp2(-8 * head / heads), PAST(behind))
BIAS(bias_positive, SLOPE, -PAST(behind))
BIAS(bias_from_the_start, SLOPE, PAST((double)t - (double)s))
BIAS(bias_shift_from_0, SLOPE, PAST((double)t + (S > T ? S - T : 0) - (double)s))
BIAS(bias_symmetric, SLOPE, -slope *fabs(behind))
BIAS(bias_signed, SLOPE, -slope *behind)
BIAS(bias_masked, SLOPE, behind < 0 ? -INFINITY : PAST(behind))
BIAS(bias_key_index, SLOPE, slope *(double)s)
BIAS(bias_key_from_the_end, SLOPE, slope *((double)s - (double)(S - 1)))
BIAS(bias_paper_slopes, slope_of_the_paper(h, NH), PAST(behind))
BIAS(bias_eight_heads, exp2(-(head + 1)), PAST(behind))
BIAS(bias_whole_number, exp2(-(double)(8 * (h + 1) / NH)), PAST(behind))
BIAS(bias_whole_number_ratio, exp2(-8 * (double)((h + 1) / NH)), PAST(behind))
BIAS(bias_whole_number_step, exp2(-(double)(8 / NH * (h + 1))), PAST(behind))
BIAS(bias_unsigned_exponent, INFINITY, PAST(behind))
BIAS(bias_base_e, exp(-8 * (head + 1) / heads), PAST(behind))
BIAS(bias_one_slope, exp2(-8 / heads), PAST(behind))
BIAS(bias_no_slope, 1, PAST(behind))
BIAS(bias_one_too_far, SLOPE, behind >= 0 ? -slope * (behind + 1) : 0)
BIAS(bias_unsigned, SLOPE, -slope *(double)(t + S - T - s)) // wraps around in the future
BIAS(bias_query_wraps, SLOPE, s <= t + S - T ? -slope * (double)(t + S - T - s) : 0)
BIAS(bias_transposed, SLOPE, PAST(-behind))

// bias is (T, NH, S).
static lab_status bias_queries_first(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < NH * T * S; i++) {
        const double head = (double)(i / S % NH), heads = (double)NH;
        const double behind = (double)(i / S / NH + S) - (double)(T + i % S);
        const double slope = SLOPE;
        bias[i] = (float)PAST(behind);
    }
    return LAB_OK;
}

static const struct mistake alibi_mistakes[] = {
    {
        .id = "slopes-off-by-one",
        .what = "the slopes are 2^(-8h/NH): head 0 has slope 1",
        .why = "Heads are counted from 1 in the paper: head h, counted from 0, has "
               "2^(-8(h+1)/NH), and the last one 2^-8.",
        .source = "paiml/aprender#2143",
        .function = LIKE(alibi_bias, bias_off_by_one),
    },
    {
        .id = "positive",
        .what = "the bias is positive: distant keys are preferred",
        .why = "The score must fall with the distance. The sign is minus.",
        .source = "meta-pytorch/attention-gym#86, explosion/curated-transformers#260",
        .function = LIKE(alibi_bias, bias_positive),
    },
    {
        .id = "shift-not-negative",
        .what = "if T > S, the shift S - T counts as 0",
        .why =
            "Query t is at position t + S - T of the S keys. With more queries than keys, S - T is "
            "negative, and the first queries come before every key. Add first: t + S, then "
            "compare it with T + s.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_shift_from_0),
    },
    {
        .id = "aligned-at-start",
        .what = "the distance is t - s, also when there are more keys than queries",
        .why =
            "If T < S, the queries are the last T of S positions: query t has position t "
            "+ (S - T).",
        .source = "lucidrains/x-transformers#103, keras-team/keras-hub#2861",
        .function = LIKE(alibi_bias, bias_from_the_start),
    },
    {
        .id = "symmetric",
        .what = "later keys are biased by their distance too",
        .why = "This variant is for attention without a causal mask. Here the bias of a "
               "later key is 0.",
        .source = "lucidrains/voicebox-pytorch#10, lucidrains/x-transformers#88",
        .function = LIKE(alibi_bias, bias_symmetric),
        .convention = true,
    },
    {
        .id = "signed",
        .what = "later keys get a positive bias",
        .why = "-slope * distance is positive if the distance is negative. A causal mask "
               "would hide this; here the bias of a later key is 0.",
        .source = "ofirpress/attention_with_linear_biases#5",
        .function = LIKE(alibi_bias, bias_signed),
        .convention = true,
    },
    {
        .id = "masked",
        .what = "later keys get -INFINITY: the bias includes the causal mask",
        .why = "Many programs combine both in one matrix. Here the bias of later keys is "
               "0, and the mask of lab 3 forbids them.",
        .source = "facebookresearch/multimodal#462",
        .function = LIKE(alibi_bias, bias_masked),
        .convention = true,
    },
    {
        .id = "query-wraps",
        .what = "if T > S, the position t + S - T of the first queries wraps around",
        .why = "These queries come before every key. A size_t cannot be negative: it "
               "becomes a number near 2^64. Compare s + T with t + S, or compute the "
               "distance in double.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_query_wraps),
    },
    {
        .id = "queries-first",
        .what = "the bias is written as (T, NH, S)",
        .why = "It is (NH, T, S): bias[(h * T + t) * S + s].",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_queries_first),
    },
    {
        .id = "key-index",
        .what = "the bias is slope * s, counted from the first key",
        .why = "Within a row, the biases of the allowed keys differ from this lab's by "
               "a constant, which does not change the softmax. The code of the ALiBi "
               "paper does this. Here the bias is -slope * distance.",
        .source = "ofirpress/attention_with_linear_biases#9",
        .function = LIKE(alibi_bias, bias_key_index),
        .convention = true,
    },
    {
        .id = "key-from-the-end",
        .what = "every query gets the bias of the last one",
        .why = "Within a row, the biases of the allowed keys differ from this lab's by "
               "a constant, which does not change the softmax. Here each query counts "
               "the distance from its own position.",
        .source = "mosaicml/llm-foundry#186, NVIDIA-NeMo/Speech#7105",
        .function = LIKE(alibi_bias, bias_key_from_the_end),
        .convention = true,
    },
    {
        .id = "paper-slopes",
        .what = "if NH is not a power of two, the slopes come from two powers of two",
        .why = "This is the rule of the paper's code and of models trained with it. This "
               "lab uses the paper's formula, 2^(-8(h+1)/NH), for every NH.",
        .source = "ml-explore/mlx#3071, baichuan-inc/Baichuan2#225",
        .function = LIKE(alibi_bias, bias_paper_slopes),
        .convention = true,
    },
    {
        .id = "eight-heads",
        .what = "the slopes are 1/2, 1/4, 1/8 ... for every NH",
        .why = "That is right for NH = 8. In general the exponent is -8(h+1)/NH: the "
               "last slope is always 1/256.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_eight_heads),
    },
    {
        .id = "whole-number-division",
        .what = "the exponent 8(h+1)/NH is rounded down",
        .why = "A size_t divided by a size_t has no fraction. Convert one of them to "
               "float first.",
        .source = "zju3dv/LoFTR#41",
        .function = LIKE(alibi_bias, bias_whole_number),
    },
    {
        .id = "whole-number-ratio",
        .what = "(h+1)/NH is rounded down: every slope but the last is 1",
        .why = "A size_t divided by a size_t has no fraction. Convert one of them to "
               "float first.",
        .source = "zju3dv/LoFTR#41",
        .function = LIKE(alibi_bias, bias_whole_number_ratio),
    },
    {
        .id = "unsigned-exponent",
        .what = "every bias of an earlier key is -INFINITY",
        .why = "The exponent is negative, and a size_t has no sign: -8 * (h + 1) is a "
               "number near 1.8e19, and 2 to that power is infinite. Write -8.0f.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_unsigned_exponent),
    },
    {
        .id = "base-e",
        .what = "the slopes are powers of e",
        .why = "The formula has 2^(...): exp2, not exp.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_base_e),
    },
    {
        .id = "one-slope",
        .what = "every head has the slope of head 0",
        .why = "Each head has its own slope: some heads look nearby, some far away.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_one_slope),
    },
    {
        .id = "no-slope",
        .what = "the bias is -distance in every head",
        .why = "The distance is multiplied by the slope of the head.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_no_slope),
    },
    {
        .id = "one-too-far",
        .what = "the distance is one too large: a token is at distance 1 from itself",
        .why = "A query has distance 0 to its own key: bias 0.",
        .source = "vllm-project/vllm#945",
        .function = LIKE(alibi_bias, bias_one_too_far),
    },
    {
        .id = "unsigned-wrap",
        .what = "later keys get a huge negative bias",
        .why = "The distance is a size_t and cannot be negative: it wraps around to "
               "1.8e19. Compare first: s + T < t + S.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_unsigned),
    },
    {
        .id = "transposed",
        .what = "later keys are biased instead of earlier ones",
        .why = "Row t is the query, column s the key; earlier keys have s < t + (S - T).",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_transposed),
    },
    {
        .id = "whole-number-step",
        .what = "8/NH is rounded down",
        .why =
            "An integer divided by a size_t has no fraction: with NH = 3, 8 / NH is 2. Write 8.0 / "
            "(double)NH.",
        .source = "zju3dv/LoFTR#41",
        .function = LIKE(alibi_bias, bias_whole_number_step),
    },
    {0},
};

BIAS(bias_by_pow, pow(2.0, -8.0 * (head + 1.0) / heads), fmin(0, -slope *behind))
BIAS(bias_in_float, powf(2.0f, -8.0f / (float)NH * ((float)h + 1.0f)), PAST(behind))

// Each slope is the previous one times the first, in float.
static lab_status bias_by_products(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    const float ratio = powf(2.0f, -8.0f / (float)NH);
    float slope = ratio;
    for (size_t h = 0; h < NH; h++) {
        for (long t = 0; t < (long)T; t++) {
            for (long s = 0; s < (long)S; s++) {
                const long distance = t + (long)S - (long)T - s;
                *bias++ = distance > 0 ? -slope * (float)distance : 0.0f;
            }
        }
        slope *= ratio;
    }
    return LAB_OK;
}

static const struct mistake alibi_alternatives[] = {
    {.id = "by-pow", .function = LIKE(alibi_bias, bias_by_pow)},
    {.id = "in-float", .function = LIKE(alibi_bias, bias_in_float)},
    {.id = "by-products", .function = LIKE(alibi_bias, bias_by_products)},
    {0},
};

static const struct part alibi_part[] = {
    {
        .function = "alibi_bias",
        .dims = "NH T S",
        .tensors = {{"bias", "NH T S", OUTPUT, F32, BIAS_TOLERANCE}},
        .cases = alibi_cases,
        .mistakes = alibi_mistakes,
        .alternatives = alibi_alternatives,
    },
    {0},
};

const struct exercise exercise_7_4 = {
    .id = "7.4",
    .name = "alibi_bias",
    .section = "7.4 Linear biases",
    .hints =
        {
            "First draw the distances of a 3 x 3 map, then of a 1 x 4 map. What is the "
            "position of the only query in the second map?",
            "Query t has position t + (S - T). slope = 2^(-8 (h + 1) / NH), with exp2f "
            "and a division of floats. The bias is -slope * distance for keys before the "
            "query, else 0; test s + T < t + S before you subtract.",
            "for each h:\n"
            "    slope = exp2f(-8.0f * (h + 1) / NH)\n"
            "    for each t, s:\n"
            "        if s + T < t + S: bias = -slope * (float)(t + S - T - s)\n"
            "        else: bias = 0",
        },
    .parts = alibi_part,
};
