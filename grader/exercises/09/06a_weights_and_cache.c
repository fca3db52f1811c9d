// 06a_weights_and_cache.c - exercise 9.6: known mistakes and other right forms of decoder_weights and
// cache_bytes.

#include "exercises/09/06_cost.h"

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
WEIGHTS(weights_one_row_a_head, ALL_WEIGHTS - 2 * L * NKV * (hs - 1) * C)
WEIGHTS(weights_no_w_o, ALL_WEIGHTS - L * C * C)
WEIGHTS(weights_no_attention, L *matrices *H *C + V * C)
WEIGHTS(weights_one_block, (ALL_WEIGHTS - V * C) / L + V * C)
WEIGHTS(weights_norms, ALL_WEIGHTS + 2 * L * C + C)
WEIGHTS(weights_int, IN_INT(ALL_WEIGHTS))
WEIGHTS(weights_unsigned, IN_UNSIGNED(ALL_WEIGHTS))

const struct mistake weights_mistakes[] = {
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
    {
        .id = "kv-without-hs",
        .what = "w_k and w_v are counted with one row for each head",
        .why = "A head has hs = C / NH rows: w_k and w_v are (NKV hs, C).",
        .source = NULL,
        .function = LIKE(decoder_weights, weights_one_row_a_head),
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

const struct mistake cache_mistakes[] = {
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
            "The cache stores only NKV heads: grouped queries exist for that. " CACHE_SHAPE,
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

// ---- other right ones -----------------------------------------------------------------------

// By layers, and the heads from C NKV / NH.
WEIGHTS(weights_by_heads,
        C *(V + 2 * L * (C + C * NKV / NH)) + L * H * C * (2 + (size_t)s->gated))
CACHE(cache_by_token, B *T *number_bytes *(2 * L * (C * NKV / NH)))

const struct mistake weights_alternatives[] = {
    {.id = "by-heads", .function = LIKE(decoder_weights, weights_by_heads)},
    {0},
};
const struct mistake cache_alternatives[] = {
    {.id = "by-token", .function = LIKE(cache_bytes, cache_by_token)},
    {0},
};
