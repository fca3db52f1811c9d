// 06b_flops_and_bytes.c - exercise 9.6: known mistakes and other right forms of decode_flops and
// decode_bytes.

#include "exercises/09/06_cost.h"

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

const struct mistake flops_mistakes[] = {
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

const struct mistake bytes_mistakes[] = {
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

FLOPS(flops_in_pairs, 2 * (ALL_WEIGHTS + L * NH * T * hs + L * NH * T * hs))
STEP_BYTES(bytes_by_sequence, B *A_CACHE *number_bytes + weight_bytes * (V * C) +
                                  weight_bytes * (ALL_WEIGHTS - V * C))

const struct mistake flops_alternatives[] = {
    {.id = "in-pairs", .function = LIKE(decode_flops, flops_in_pairs)},
    {0},
};
const struct mistake bytes_alternatives[] = {
    {.id = "by-sequence", .function = LIKE(decode_bytes, bytes_by_sequence)},
    {0},
};
