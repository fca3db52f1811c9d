// 06_cost.c - exercise 9.6, what serving costs: cases and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/09/06_cost.h"

// ---- cases --------------------------------------------------------------------------------

#define GPT2_SMALL "L=12 C=768 NH=12 NKV=12 H=3072 V=50257 gated=0"
#define GPT2_XL "L=48 C=1600 NH=25 NKV=25 H=6400 V=50257 gated=0"
#define LLAMA2_7B "L=32 C=4096 NH=32 NKV=32 H=11008 V=32000 gated=1"
#define LLAMA3_8B "L=32 C=4096 NH=32 NKV=8 H=14336 V=128256 gated=1"
#define LLAMA3_70B "L=80 C=8192 NH=64 NKV=8 H=28672 V=128256 gated=1"
#define ALL_DIFFERENT "L=7 C=30 NH=6 NKV=3 H=11 V=13 gated=0"
#define ALL_DIFFERENT_GATED "L=7 C=30 NH=6 NKV=3 H=11 V=13 gated=1"
#define DRAWN "L=2..9 C=240 NH=12 NKV=4 H=300..999 V=1000..1999 gated=0..1"
#define DRAWN_MULTI_QUERY "L=2..9 C=90 NH=5 NKV=1 H=100..199 V=20..29 gated=0..1"
// the products pass 2^53, to where a double counts exactly
#define HUGE "L=127 C=3000003 NH=3 NKV=1 H=9999991 V=1000003 gated=1"

// COST_CASES(more, much): for every function; the values of its own sizes, small and huge.
#define COST_CASES(more, much)                                                           \
    {.dims = "L=1 C=1 NH=1 NKV=1 H=1 V=1 gated=0" more},                                 \
        {.dims = "L=1 C=2 NH=2 NKV=1 H=1 V=1 gated=1" more},                             \
        {.dims = "L=3 C=1 NH=1 NKV=1 H=1 V=2 gated=1" more},                             \
        {.dims = ALL_DIFFERENT more}, {.dims = ALL_DIFFERENT_GATED more},                \
        {.dims = DRAWN more, .draws = 3},                                                \
        {.dims = DRAWN_MULTI_QUERY more, .draws = 2, .note = "multi-query attention"},   \
        {.dims = "L=3 C=35 NH=7 NKV=7 H=11 V=13 gated=1" more,                           \
         .note = "as many heads of keys as of queries"},                                 \
    {                                                                                    \
        .dims = HUGE much, .note = "more than a double counts exactly"                   \
    }

// NH must divide C, and NKV must divide NH; no size is 0.
#define COST_REFUSED(more)                                                               \
    {.dims = "L=2 C=32 NH=5 NKV=5 H=11 V=13 gated=0" more,                               \
     .note = "NH does not divide C"},                                                    \
        {.dims = "L=2 C=3 NH=6 NKV=3 H=11 V=13 gated=1" more, .note = "NH is above C"},  \
        {.dims = "L=2 C=30 NH=6 NKV=4 H=11 V=13 gated=1" more,                           \
         .note = "NKV does not divide NH"},                                              \
        {.dims = "L=2 C=30 NH=6 NKV=12 H=11 V=13 gated=0" more,                          \
         .note = "NKV is above NH"},                                                     \
        {.dims = "L=0 C=30 NH=6 NKV=3 H=11 V=13 gated=0" more, .note = "a size of 0"},   \
        {.dims = "L=2 C=0 NH=6 NKV=3 H=11 V=13 gated=0" more, .note = "a size of 0"},    \
        {.dims = "L=2 C=30 NH=0 NKV=3 H=11 V=13 gated=1" more, .note = "a size of 0"},   \
        {.dims = "L=2 C=30 NH=6 NKV=0 H=11 V=13 gated=0" more, .note = "a size of 0"},   \
        {.dims = "L=2 C=30 NH=6 NKV=3 H=0 V=13 gated=0" more, .note = "a size of 0"},    \
    {                                                                                    \
        .dims = "L=2 C=30 NH=6 NKV=3 H=11 V=0 gated=1" more, .note = "a size of 0"       \
    }

static const struct case_spec weights_cases[] = {
    COST_CASES("", ""),
    {.dims = GPT2_SMALL, .note = "GPT-2 small"},
    {.dims = GPT2_XL, .note = "GPT-2 XL"},
    {.dims = LLAMA2_7B, .note = "Llama 2 7B"},
    {.dims = LLAMA3_8B, .note = "Llama 3 8B"},
    {.dims = LLAMA3_70B, .note = "Llama 3 70B"},
    COST_REFUSED(""),
    {0},
};

static const struct case_spec cache_cases[] = {
    COST_CASES(" B=5 T=17..29 number_bytes=3", " B=211 T=999983 number_bytes=3"),
    {.dims = GPT2_SMALL " B=1 T=1024 number_bytes=4", .note = "GPT-2 small"},
    {.dims = GPT2_XL " B=9 T=1024 number_bytes=4", .note = "GPT-2 XL"},
    {.dims = LLAMA2_7B " B=1 T=4096 number_bytes=2", .note = "Llama 2 7B"},
    {.dims = LLAMA3_8B " B=1 T=8192 number_bytes=2", .note = "Llama 3 8B"},
    {.dims = LLAMA3_8B " B=37 T=8191 number_bytes=1", .note = "Llama 3 8B, int8"},
    {.dims = LLAMA3_70B " B=3 T=131072 number_bytes=2", .note = "Llama 3 70B"},
    COST_REFUSED(" B=4 T=5 number_bytes=2"),
    {.dims = ALL_DIFFERENT " B=0 T=5 number_bytes=2", .note = "a size of 0"},
    {.dims = ALL_DIFFERENT " B=4 T=0 number_bytes=2", .note = "a size of 0"},
    {.dims = ALL_DIFFERENT " B=4 T=5 number_bytes=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec flops_cases[] = {
    COST_CASES(" T=17..29", " T=999983"),
    {.dims = "L=127 C=3000003 NH=3 NKV=1 H=9999991 V=1000004 gated=1 T=999983",
     .note = "more than a double counts exactly"},
    {.dims = ALL_DIFFERENT " T=1", .note = "the first token"},
    {.dims = GPT2_SMALL " T=1024", .note = "GPT-2 small"},
    {.dims = GPT2_XL " T=1000", .note = "GPT-2 XL"},
    {.dims = LLAMA2_7B " T=4096", .note = "Llama 2 7B"},
    {.dims = LLAMA3_8B " T=8192", .note = "Llama 3 8B"},
    {.dims = LLAMA3_70B " T=131072", .note = "Llama 3 70B"},
    COST_REFUSED(" T=5"),
    {.dims = ALL_DIFFERENT " T=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec bytes_cases[] = {
    COST_CASES(" B=5 T=17..29 weight_bytes=2 number_bytes=3",
               " B=211 T=999983 weight_bytes=4 number_bytes=3"),
    {.dims = GPT2_SMALL " B=1 T=1024 weight_bytes=4 number_bytes=4",
     .note = "GPT-2 small"},
    {.dims = GPT2_XL " B=9 T=1024 weight_bytes=4 number_bytes=2", .note = "GPT-2 XL"},
    {.dims = LLAMA2_7B " B=1 T=4096 weight_bytes=2 number_bytes=2", .note = "Llama 2 7B"},
    {.dims = LLAMA3_8B " B=1 T=8192 weight_bytes=1 number_bytes=2",
     .note = "Llama 3 8B with int8 weights"},
    {.dims = LLAMA3_8B " B=37 T=8191 weight_bytes=2 number_bytes=1",
     .note = "Llama 3 8B with an int8 cache"},
    {.dims = LLAMA3_70B " B=3 T=131072 weight_bytes=2 number_bytes=2",
     .note = "Llama 3 70B"},
    COST_REFUSED(" B=4 T=5 weight_bytes=1 number_bytes=2"),
    {.dims = ALL_DIFFERENT " B=0 T=5 weight_bytes=1 number_bytes=2",
     .note = "a size of 0"},
    {.dims = ALL_DIFFERENT " B=4 T=0 weight_bytes=1 number_bytes=2",
     .note = "a size of 0"},
    {.dims = ALL_DIFFERENT " B=4 T=5 weight_bytes=0 number_bytes=2",
     .note = "a size of 0"},
    {.dims = ALL_DIFFERENT " B=4 T=5 weight_bytes=1 number_bytes=0",
     .note = "a size of 0"},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

#define SIZES "L C NH NKV H V gated"

static const struct part cost_parts[] = {
    {
        .function = "decoder_weights",
        .dims = SIZES,
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = weights_cases,
        .mistakes = weights_mistakes,
        .alternatives = weights_alternatives,
    },
    {
        .function = "cache_bytes",
        .dims = SIZES " B T number_bytes",
        .tensors = {{"bytes", "1", OUTPUT, SIZE, 0, 0}},
        .cases = cache_cases,
        .mistakes = cache_mistakes,
        .alternatives = cache_alternatives,
    },
    {
        .function = "decode_flops",
        .dims = SIZES " T",
        .tensors = {{"flops", "1", OUTPUT, SIZE, 0, 0}},
        .cases = flops_cases,
        .mistakes = flops_mistakes,
        .alternatives = flops_alternatives,
    },
    {
        .function = "decode_bytes",
        .dims = SIZES " B T weight_bytes number_bytes",
        .tensors = {{"bytes", "1", OUTPUT, SIZE, 0, 0}},
        .cases = bytes_cases,
        .mistakes = bytes_mistakes,
        .alternatives = bytes_alternatives,
    },
    {0},
};

const struct exercise exercise_9_6 = {
    .id = "9.6",
    .name = "serving_cost",
    .section = "9.6 What serving costs",
    .hints =
        {
            "Which counts use NH heads, and which only NKV? What is read once for all "
            "sequences, and what once for each?",
            "hs = C / NH. Weights: L (2 C C + 2 NKV hs C + 2 or 3 H C) + V C. Cache: two "
            "tensors of (L, B, NKV, T, hs). Operations: 2 for each weight, and in each "
            "layer 2 C T for q k^T and 2 C T for weights v. Bytes: the weights once, and "
            "the cache.",
            "size_t everywhere; hs = C / NH\n"
            "*count = L * (2 * C * C + 2 * NKV * hs * C + (gated ? 3 : 2) * H * C) + V * C\n"
            "*bytes = 2 * L * B * NKV * T * hs * number_bytes\n"
            "*flops = 2 * weights + 4 * L * C * T\n"
            "*bytes = weights * weight_bytes + cache",
        },
    .parts = cost_parts,
};
