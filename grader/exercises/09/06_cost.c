// 06_cost.c - exercise 9.6, what serving costs: cases, known mistakes and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/exercise.h"

#include "09_generation/generation.h"

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

// ---- sums ---------------------------------------------------------------------------------

static bool fit(const struct decoder_sizes *s)
{
    return s->L > 0 && s->C > 0 && s->NH > 0 && s->NKV > 0 && s->H > 0 && s->V > 0 &&
           s->C % s->NH == 0 && s->NH % s->NKV == 0;
}

// A sum that returns value, an expression of the sizes by their names.
#define COST(more_are_0, value)                                                          \
    if (!fit(s) || (more_are_0)) {                                                       \
        return LAB_ESHAPE;                                                               \
    }                                                                                    \
    const size_t L = s->L, C = s->C, NH = s->NH, NKV = s->NKV, H = s->H, V = s->V;       \
    const size_t hs = C / NH, matrices = s->gated ? 3 : 2;                               \
    (void)L, (void)NKV, (void)H, (void)V, (void)hs, (void)matrices;                      \
    *result = value;                                                                     \
    return LAB_OK

#define WEIGHTS(name, value)                                                             \
    static lab_status name(size_t *result, const struct decoder_sizes *s)                \
    {                                                                                    \
        COST(false, value);                                                              \
    }
#define CACHE(name, value)                                                               \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t B,      \
                           size_t T, size_t number_bytes)                                \
    {                                                                                    \
        COST(B == 0 || T == 0 || number_bytes == 0, value);                              \
    }
#define FLOPS(name, value)                                                               \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t T)      \
    {                                                                                    \
        COST(T == 0, value);                                                             \
    }
#define STEP_BYTES(name, value)                                                          \
    static lab_status name(size_t *result, const struct decoder_sizes *s, size_t B,      \
                           size_t T, size_t weight_bytes, size_t number_bytes)           \
    {                                                                                    \
        COST(B == 0 || T == 0 || weight_bytes == 0 || number_bytes == 0, value);         \
    }

#define ALL_WEIGHTS (L * (2 * C * C + 2 * NKV * hs * C + matrices * H * C) + V * C)
#define A_CACHE (2 * L * NKV * hs * T) // in numbers, of one sequence

// What an int and an unsigned int keep of a sum, whichever part of it was one.
#define IN_INT(value) ((size_t)(int32_t)(uint32_t)(value))
#define IN_UNSIGNED(value) ((size_t)(uint32_t)(value))

#define TOO_NARROW                                                                       \
    "Large models have more than 2^32 weights and bytes. Use size_t for every "          \
    "variable, also for intermediate results."

// ---- decoder_weights ----------------------------------------------------------------------

WEIGHTS(weights_no_output, ALL_WEIGHTS - V * C)
WEIGHTS(weights_with_embedding, ALL_WEIGHTS + V * C)
WEIGHTS(weights_output_in_each, ALL_WEIGHTS + (L - 1) * V * C)
WEIGHTS(weights_two_matrices, ALL_WEIGHTS - L * (matrices - 2) * H * C)
WEIGHTS(weights_three_matrices, ALL_WEIGHTS + L * (3 - matrices) * H * C)
WEIGHTS(weights_one_matrix, ALL_WEIGHTS - L * (matrices - 1) * H * C)
WEIGHTS(weights_H_is_4C, ALL_WEIGHTS - L * matrices * (H - 4 * C) * C)
WEIGHTS(weights_square_kv, ALL_WEIGHTS + 2 * L * (C - NKV * hs) * C)
WEIGHTS(weights_kv_once, ALL_WEIGHTS - L * NKV * hs * C)
WEIGHTS(weights_kv_rounded, ALL_WEIGHTS - 2 * L * (NKV * hs - NKV / NH * C) * C)
WEIGHTS(weights_one_kv_head, ALL_WEIGHTS - 2 * L * (NKV - 1) * hs * C)
WEIGHTS(weights_no_w_o, ALL_WEIGHTS - L * C * C)
WEIGHTS(weights_no_attention, L *matrices *H *C + V * C)
WEIGHTS(weights_one_block, (ALL_WEIGHTS - V * C) / L + V * C)
WEIGHTS(weights_norms, ALL_WEIGHTS + 2 * L * C + C)
WEIGHTS(weights_int, IN_INT(ALL_WEIGHTS))
WEIGHTS(weights_unsigned, IN_UNSIGNED(ALL_WEIGHTS))

static const struct mistake weights_mistakes[] = {
    {
        .id = "no-output-matrix",
        .what = "the output matrix is not counted",
        .why = "A step also multiplies by it, for the logits: add V C.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_no_output),
    },
    {
        .id = "embedding-counted",
        .what = "V C is counted twice, as if the step multiplied by the embedding",
        .why = "From the token embedding, a step only copies one row for each sequence. "
               "It multiplies only by the output matrix (V, C).",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_with_embedding),
    },
    {
        .id = "output-in-each-block",
        .what = "the output matrix is counted in every block",
        .why = "There is only one, after the last block: L (attention + MLP) + V C.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_output_in_each),
    },
    {
        .id = "gate-forgotten",
        .what = "the MLP has two matrices even if it is gated",
        .why = "SwiGLU has three: gate, up and down.",
        .source =
            "marin-community/levanter#660, bigscience-workshop/Megatron-DeepSpeed#283",
        .function = LIKE(decoder_weights, weights_two_matrices),
    },
    {
        .id = "always-gated",
        .what = "the MLP has three matrices even if it is not gated",
        .why = "Without a gate, there are two. Check gated.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_three_matrices),
    },
    {
        .id = "mlp-one-matrix",
        .what = "only one matrix of the MLP is counted",
        .why = "There are two, and three with a gate.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_one_matrix),
    },
    {
        .id = "H-is-4C",
        .what = "the MLP is counted as if H were 4C",
        .why = "That is right for GPT-2, but Llama's H is different: use sizes->H.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_H_is_4C),
    },
    {
        .id = "kv-matrices-square",
        .what = "w_k and w_v are counted as (C, C)",
        .why = "They give NKV heads of hs numbers: each is (NKV hs, C).",
        .source = "jranaraki/vllm-fit#8",
        .function = LIKE(decoder_weights, weights_square_kv),
    },
    {
        .id = "kv-once",
        .what = "only one of w_k and w_v is counted",
        .why = "Keys and values each have a matrix: 2 NKV hs C.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_kv_once),
    },
    {
        .id = "kv-rounded-away",
        .what = "NKV / NH is 0, so w_k and w_v are not counted",
        .why = "Integer division drops the fraction. Divide only where there is no "
               "remainder: hs = C / NH, then NKV * hs.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_kv_rounded),
    },
    {
        .id = "one-kv-head",
        .what = "w_k and w_v are counted with one head",
        .why = "They have NKV heads of hs rows: (NKV hs, C).",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_one_kv_head),
    },
    {
        .id = "no-w-o",
        .what = "only one (C, C) matrix is counted in the attention",
        .why = "w_q and w_o are both (C, C).",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_no_w_o),
    },
    {
        .id = "no-attention",
        .what = "the matrices of the attention are not counted",
        .why = "In each block there are w_q, w_k, w_v and w_o besides the MLP.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_no_attention),
    },
    {
        .id = "one-block",
        .what = "only one block is counted",
        .why = "Each of the L blocks has its own matrices.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_one_block),
    },
    {
        .id = "norms-counted",
        .what = "the gains of the norms are counted, too",
        .why = "Embedding rows, norms and biases are left out: a step multiplies no "
               "matrix by them, and they are few.",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_norms),
        .convention = true,
    },
    {
        .id = "int-overflow",
        .what = "the count overflows an int",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decoder_weights, weights_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the count overflows 32 bits",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decoder_weights, weights_unsigned),
    },
    {0},
};

// ---- cache_bytes --------------------------------------------------------------------------

CACHE(cache_half, A_CACHE / 2 * B * number_bytes)
CACHE(cache_all_heads, 2 * L * B * C * T * number_bytes)
CACHE(cache_one_head, A_CACHE / NKV * B * number_bytes)
CACHE(cache_C_for_hs, 2 * L * B * NKV * C * T * number_bytes)
CACHE(cache_rounded, 2 * L * B * (NKV / NH * C) * T * number_bytes)
CACHE(cache_one_layer, A_CACHE / L * B * number_bytes)
CACHE(cache_one_sequence, A_CACHE *number_bytes + 0 * B)
CACHE(cache_numbers, A_CACHE *B + 0 * number_bytes)
CACHE(cache_bits, A_CACHE *B *number_bytes * 8)
CACHE(cache_halved_bits, A_CACHE *B *number_bytes / 8)
CACHE(cache_one_token, A_CACHE / T * B * number_bytes)
CACHE(cache_int, IN_INT(A_CACHE *B *number_bytes))
CACHE(cache_unsigned, IN_UNSIGNED(A_CACHE *B *number_bytes))

#define CACHE_SHAPE                                                                       \
    "Keys and values are two tensors of the shape (L, B, NKV, T, hs), with number_bytes " \
    "for each number."

static const struct mistake cache_mistakes[] = {
    {
        .id = "keys-only",
        .what = "half: only the keys or only the values are counted",
        .why = CACHE_SHAPE,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_half),
    },
    {
        .id = "query-heads",
        .what = "the cache is counted with NH heads",
        .why =
            "It stores the heads of keys and values, NKV. That is what grouped queries "
            "are for. " CACHE_SHAPE,
        .source = "hahnyuan/LLM-Viewer#12, KolosalAI/model-memory-calculator#2",
        .function = LIKE(cache_bytes, cache_all_heads),
    },
    {
        .id = "one-head",
        .what = "the cache is counted with one head",
        .why = CACHE_SHAPE,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_one_head),
    },
    {
        .id = "C-for-hs",
        .what = "each head is counted with C numbers",
        .why = "A head has hs = C / NH numbers. " CACHE_SHAPE,
        .source = "jranaraki/vllm-fit#2",
        .function = LIKE(cache_bytes, cache_C_for_hs),
    },
    {
        .id = "rounded-away",
        .what = "NKV / NH is 0, so the cache has 0 bytes",
        .why = "Integer division drops the fraction. Divide only where there is no "
               "remainder: hs = C / NH, then NKV * hs.",
        .source = NULL,
        .function = LIKE(cache_bytes, cache_rounded),
    },
    {
        .id = "one-layer",
        .what = "the cache of one layer only",
        .why = CACHE_SHAPE " Each of the L layers has its own keys.",
        .source = NULL,
        .function = LIKE(cache_bytes, cache_one_layer),
    },
    {
        .id = "one-sequence",
        .what = "the cache of one sequence only",
        .why = CACHE_SHAPE " Each of the B sequences has its own text.",
        .source = NULL,
        .function = LIKE(cache_bytes, cache_one_sequence),
    },
    {
        .id = "one-token",
        .what = "the cache of one token only",
        .why = CACHE_SHAPE " Each of the T tokens has its own key.",
        .source = NULL,
        .function = LIKE(cache_bytes, cache_one_token),
    },
    {
        .id = "numbers-not-bytes",
        .what = "numbers are counted, not bytes",
        .why = CACHE_SHAPE,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_numbers),
    },
    {
        .id = "bits",
        .what = "bits are counted, not bytes",
        .why = CACHE_SHAPE,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_bits),
    },
    {
        .id = "bytes-taken-for-bits",
        .what = "number_bytes is taken as bits, and divided by 8",
        .why = "number_bytes is in bytes already: 2 for bfloat16. " CACHE_SHAPE,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_halved_bits),
    },
    {
        .id = "int-overflow",
        .what = "the bytes overflow an int",
        .why = TOO_NARROW,
        .source = "1bit-MONSTER/1bit-MONSTER#974",
        .function = LIKE(cache_bytes, cache_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the bytes overflow 32 bits",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(cache_bytes, cache_unsigned),
    },
    {0},
};

// ---- decode_flops -------------------------------------------------------------------------

FLOPS(flops_multiplications, ALL_WEIGHTS + 2 * L * C * T)
FLOPS(flops_weights_once, ALL_WEIGHTS + 4 * L * C * T)
FLOPS(flops_no_attention, 2 * ALL_WEIGHTS + 0 * T)
FLOPS(flops_attention_once, 2 * ALL_WEIGHTS + 2 * L * C * T)
FLOPS(flops_eight, 2 * ALL_WEIGHTS + 8 * L * C * T)
FLOPS(flops_kv_heads, 2 * ALL_WEIGHTS + 4 * L * NKV * hs * T)
FLOPS(flops_one_head, 2 * ALL_WEIGHTS + 4 * L * hs * T)
FLOPS(flops_one_layer, 2 * ALL_WEIGHTS + 4 * C * T)
FLOPS(flops_all_queries, 2 * ALL_WEIGHTS + 4 * L * C * T * T)
FLOPS(flops_prefill, 2 * ALL_WEIGHTS * T + 4 * L * C * T)
FLOPS(flops_not_itself, 2 * ALL_WEIGHTS + 4 * L * C * (T - 1))
FLOPS(flops_no_weights, 4 * L * C * T)
FLOPS(flops_int, IN_INT(2 * ALL_WEIGHTS + 4 * L * C * T))
FLOPS(flops_unsigned, IN_UNSIGNED(2 * ALL_WEIGHTS + 4 * L * C * T))

#define ATTENTION_FLOPS                                                                    \
    "In each layer, each of the NH heads takes T dot products of hs numbers and a sum of " \
    "T rows of hs: 2 C T and 2 C T operations, because NH hs is C."

static const struct mistake flops_mistakes[] = {
    {
        .id = "multiplications-only",
        .what = "half: only the multiplications are counted",
        .why = "Each weight and each number of the cache takes a multiplication and an "
               "addition: 2 operations.",
        .source = "microsoft/Swin-Transformer#340",
        .function = LIKE(decode_flops, flops_multiplications),
    },
    {
        .id = "weights-once",
        .what = "one operation is counted for each weight",
        .why = "A product takes a multiplication and an addition for each weight: 2 "
               "operations.",
        .source = NULL,
        .function = LIKE(decode_flops, flops_weights_once),
    },
    {
        .id = "no-attention",
        .what = "the attention over the cache is not counted",
        .why = ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_no_attention),
    },
    {
        .id = "attention-half",
        .what =
            "half of the attention is counted: q k^T or weights v is missing, or their "
            "additions",
        .why = ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_attention_once),
    },
    {
        .id = "attention-twice",
        .what = "the attention is counted twice",
        .why = ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_eight),
    },
    {
        .id = "key-heads",
        .what = "the attention is counted with NKV heads",
        .why =
            "Heads that share a key each multiply by it, so the operations are those of "
            "NH heads. Only the memory is saved.",
        .source = NULL,
        .function = LIKE(decode_flops, flops_kv_heads),
    },
    {
        .id = "one-head",
        .what = "the attention of one head only",
        .why = ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_one_head),
    },
    {
        .id = "one-layer",
        .what = "the attention of one layer only",
        .why = ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_one_layer),
    },
    {
        .id = "all-queries",
        .what = "the attention is counted for T queries",
        .why = "A step has one query, that of the newest token. The cache exists so that "
               "the others need not be computed again. " ATTENTION_FLOPS,
        .source = NULL,
        .function = LIKE(decode_flops, flops_all_queries),
    },
    {
        .id = "all-tokens",
        .what = "the matrices are counted for T tokens",
        .why = "A step multiplies them by one row, that of the newest token.",
        .source = NULL,
        .function = LIKE(decode_flops, flops_prefill),
    },
    {
        .id = "not-itself",
        .what = "T - 1 keys are counted",
        .why = "The new token sees itself, and T counts it already.",
        .source = NULL,
        .function = LIKE(decode_flops, flops_not_itself),
    },
    {
        .id = "no-weights",
        .what = "only the attention over the cache is counted",
        .why = "A step also multiplies by every weight: add 2 decoder_weights.",
        .source = NULL,
        .function = LIKE(decode_flops, flops_no_weights),
    },
    {
        .id = "int-overflow",
        .what = "the operations overflow an int",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decode_flops, flops_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the operations overflow 32 bits",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decode_flops, flops_unsigned),
    },
    {0},
};

// ---- decode_bytes -------------------------------------------------------------------------

STEP_BYTES(bytes_weights_B_times, B *(ALL_WEIGHTS *weight_bytes + A_CACHE * number_bytes))
STEP_BYTES(bytes_one_sequence, ALL_WEIGHTS *weight_bytes + A_CACHE * number_bytes + 0 * B)
STEP_BYTES(bytes_no_cache, ALL_WEIGHTS *weight_bytes + 0 * (B + T + number_bytes))
STEP_BYTES(bytes_no_weights, A_CACHE *B *number_bytes + 0 * weight_bytes)
STEP_BYTES(bytes_half_cache, ALL_WEIGHTS *weight_bytes + A_CACHE / 2 * B * number_bytes)
STEP_BYTES(bytes_cache_twice, ALL_WEIGHTS *weight_bytes + 2 * A_CACHE * B * number_bytes)
STEP_BYTES(bytes_query_heads,
           ALL_WEIGHTS *weight_bytes + 2 * L * C * T * B * number_bytes)
STEP_BYTES(bytes_swapped, ALL_WEIGHTS *number_bytes + A_CACHE * B * weight_bytes)
STEP_BYTES(bytes_all_weight_bytes, (ALL_WEIGHTS + A_CACHE * B) * weight_bytes)
STEP_BYTES(bytes_all_number_bytes, (ALL_WEIGHTS + A_CACHE * B) * number_bytes)
STEP_BYTES(bytes_weight_numbers, ALL_WEIGHTS + A_CACHE * B * number_bytes)
STEP_BYTES(bytes_multiplied_twice,
           ALL_WEIGHTS *weight_bytes + A_CACHE * B * number_bytes * number_bytes)
STEP_BYTES(bytes_int, IN_INT(ALL_WEIGHTS *weight_bytes + A_CACHE * B * number_bytes))
STEP_BYTES(bytes_unsigned,
           IN_UNSIGNED(ALL_WEIGHTS *weight_bytes + A_CACHE * B * number_bytes))

static const struct mistake bytes_mistakes[] = {
    {
        .id = "weights-for-each-sequence",
        .what = "the weights are counted once for each sequence",
        .why = "A step reads each weight once, and multiplies all B rows by it. That "
               "is why batching is cheap.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_weights_B_times),
    },
    {
        .id = "one-sequence",
        .what = "the cache of one sequence only",
        .why = "Sequences share only the weights: the caches of all B are read.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_one_sequence),
    },
    {
        .id = "no-cache",
        .what = "the cache is not counted",
        .why = "Every key and value is read in each step: add cache_bytes.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_no_cache),
    },
    {
        .id = "no-weights",
        .what = "the weights are not counted",
        .why =
            "Every weight is read in each step: add decoder_weights times weight_bytes.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_no_weights),
    },
    {
        .id = "half-the-cache",
        .what = "half of the cache is counted: keys or values",
        .why = "A step reads both. cache_bytes counts both already.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_half_cache),
    },
    {
        .id = "cache-twice",
        .what = "the cache is counted twice",
        .why = "cache_bytes counts keys and values already.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_cache_twice),
    },
    {
        .id = "query-heads",
        .what = "the cache is counted with NH heads",
        .why = "It stores NKV heads, and heads that share a key read it once.",
        .source = "hahnyuan/LLM-Viewer#12",
        .function = LIKE(decode_bytes, bytes_query_heads),
    },
    {
        .id = "bytes-swapped",
        .what = "weight_bytes and number_bytes are swapped",
        .why = "weight_bytes is for the weights, number_bytes for the cache.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_swapped),
    },
    {
        .id = "weight-bytes-for-all",
        .what = "the cache is counted with weight_bytes",
        .why = "The cache may have another type than the weights: number_bytes.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_all_weight_bytes),
    },
    {
        .id = "number-bytes-for-all",
        .what = "the weights are counted with number_bytes",
        .why = "The weights may have another type than the cache: weight_bytes.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_all_number_bytes),
    },
    {
        .id = "weights-not-in-bytes",
        .what = "the number of weights is added, not their bytes",
        .why = "Multiply decoder_weights by weight_bytes.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_weight_numbers),
    },
    {
        .id = "number-bytes-twice",
        .what = "the cache is multiplied by number_bytes twice",
        .why = "cache_bytes is in bytes already.",
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_multiplied_twice),
    },
    {
        .id = "int-overflow",
        .what = "the bytes overflow an int",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_int),
    },
    {
        .id = "unsigned-overflow",
        .what = "the bytes overflow 32 bits",
        .why = TOO_NARROW,
        .source = NULL,
        .function = LIKE(decode_bytes, bytes_unsigned),
    },
    {0},
};

// ---- other right ones -----------------------------------------------------------------------

// By layers, and the heads from C NKV / NH.
WEIGHTS(weights_by_heads,
        C *(V + 2 * L * (C + C * NKV / NH)) + L * H * C * (2 + (size_t)s->gated))
CACHE(cache_by_token, B *T *number_bytes *(2 * L * (C * NKV / NH)))
FLOPS(flops_in_pairs, 2 * (ALL_WEIGHTS + L * NH * T * hs + L * NH * T * hs))
STEP_BYTES(bytes_by_sequence, B *A_CACHE *number_bytes + weight_bytes * (V * C) +
                                  weight_bytes * (ALL_WEIGHTS - V * C))

static const struct mistake weights_alternatives[] = {
    {.id = "by-heads", .function = LIKE(decoder_weights, weights_by_heads)},
    {0},
};
static const struct mistake cache_alternatives[] = {
    {.id = "by-token", .function = LIKE(cache_bytes, cache_by_token)},
    {0},
};
static const struct mistake flops_alternatives[] = {
    {.id = "in-pairs", .function = LIKE(decode_flops, flops_in_pairs)},
    {0},
};
static const struct mistake bytes_alternatives[] = {
    {.id = "by-sequence", .function = LIKE(decode_bytes, bytes_by_sequence)},
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
