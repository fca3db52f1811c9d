// 03b_model_mistakes.c - exercise 9.3: the known mistakes of prefill and decode_step, each the model
// with one fault (03a_model_with_fault.c), and other right solutions.

#include "exercises/exercise.h"
#include "exercises/09/model.h"

#include "09_generation/generation.h"

#define BOTH(name, fault)                                                                \
    PREFILL(prefill_##name, fault)                                                       \
    DECODE(decode_##name, fault)
#define PREFILL(name, fault)                                                             \
    static lab_status name(PREFILL_ARGUMENTS)                                            \
    {                                                                                    \
        return prefill_with(fault, PREFILL_VALUES);                                      \
    }
#define DECODE(name, fault)                                                              \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        return decode_with(fault, DECODE_VALUES);                                        \
    }

BOTH(position_0, MODEL_POSITION_0)
PREFILL(prefill_position_in_call, MODEL_POSITION_IN_CALL)
BOTH(position_one_more, MODEL_POSITION_ONE_MORE)
PREFILL(prefill_position_is_length, MODEL_POSITION_IS_LENGTH)
BOTH(position_of_first, MODEL_POSITION_OF_FIRST)
BOTH(rope_on_q_alone, MODEL_ROPE_ON_Q_ALONE)
BOTH(rope_on_v, MODEL_ROPE_ON_V)
BOTH(turned_when_read, MODEL_TURNED_WHEN_READ)
BOTH(turned_twice, MODEL_TURNED_TWICE)
PREFILL(prefill_starts_anew, MODEL_STARTS_ANEW)
BOTH(lengths_left, MODEL_LENGTHS_LEFT)
BOTH(lengths_by_layer, MODEL_LENGTHS_BY_LAYER)
BOTH(lengths_one_more, MODEL_LENGTHS_ONE_MORE)
PREFILL(prefill_lengths_of_all, MODEL_LENGTHS_OF_ALL)
PREFILL(prefill_length_plus_1, MODEL_LENGTH_PLUS_1)
PREFILL(prefill_length_set, MODEL_LENGTH_SET)
BOTH(layer_0_cache, MODEL_LAYER_0_CACHE)
BOTH(sequence_0, MODEL_SEQUENCE_0)
BOTH(cache_as_bl, MODEL_CACHE_AS_BL)
PREFILL(prefill_no_mask, MODEL_NO_MASK)
BOTH(old_unseen, MODEL_OLD_UNSEEN)
BOTH(itself_unseen, MODEL_ITSELF_UNSEEN)
BOTH(whole_cache_seen, MODEL_WHOLE_CACHE_SEEN)
DECODE(decode_longest_seen, MODEL_LONGEST_SEEN)
BOTH(values_are_keys, MODEL_VALUES_ARE_KEYS)
BOTH(first_params, MODEL_FIRST_PARAMS)
BOTH(no_norm1, MODEL_NO_NORM1)
BOTH(no_norm2, MODEL_NO_NORM2)
BOTH(no_w_o, MODEL_NO_W_O)
BOTH(no_residuals, MODEL_NO_RESIDUALS)
BOTH(gate_up_swapped, MODEL_GATE_UP_SWAPPED)
BOTH(no_last_norm, MODEL_NO_LAST_NORM)
BOTH(up_as_gate, MODEL_UP_AS_GATE)
BOTH(k_as_q, MODEL_K_AS_Q)
BOTH(norm1_for_both, MODEL_NORM1_FOR_BOTH)
BOTH(norm2_of_stream, MODEL_NORM2_OF_STREAM)
BOTH(residual_of_normed1, MODEL_RESIDUAL_OF_NORMED1)
BOTH(residual2_of_normed2, MODEL_RESIDUAL2_OF_NORMED2)
BOTH(q_unturned, MODEL_Q_UNTURNED)
BOTH(tied, MODEL_TIED)
BOTH(logits_of_first, MODEL_LOGITS_OF_FIRST)
BOTH(first_token_for_all, MODEL_FIRST_TOKEN_FOR_ALL)
BOTH(by_pieces, MODEL_RIGHT)
BOTH(by_heads, MODEL_BY_HEADS)
BOTH(in_double, MODEL_IN_DOUBLE)

// All that follows from an unwritten row is NaN. In the calls with caches of one token, other mistakes give NaN,
// too, and nothing else: there it is no evidence.
static lab_status prefill_attends_first(PREFILL_ARGUMENTS)
{
    return shape->T == 1 ? LEAVES_ARGUMENTS
                         : prefill_with(MODEL_ATTENDS_FIRST, PREFILL_VALUES);
}

static lab_status decode_attends_first(DECODE_ARGUMENTS)
{
    return shape->T == 1 ? LEAVES_ARGUMENTS
                         : decode_with(MODEL_ATTENDS_FIRST, DECODE_VALUES);
}

#define POSITION_WHY                                                                     \
    "RoPE rotates a token by its position in its own sequence: lengths[b] before the "   \
    "call, and one more for each token of a prompt."
#define CACHE_WHY                                                                        \
    "keys and values are (L, B, NH, T_max, hs): those of layer l and sequence b start "  \
    "at (l * B + b) * NH * T_max * hs."
#define LENGTHS_WHY                                                                      \
    "Every layer stores its rows after the same lengths[b] tokens. Advance lengths "     \
    "once, after the last layer."

// What both functions can do wrong. `name` begins with prefill_ or decode_.
#define MODEL_MISTAKES(like, name)                                                       \
    {                                                                                    \
        .id = "position-0",                                                              \
        .what = "queries and keys are not rotated, or all are rotated as at position 0", \
        .why = POSITION_WHY,                                                             \
        .source = NULL,                                                                  \
        .function = LIKE(like, name##position_0),                                        \
    },                                                                                   \
        {                                                                                \
            .id = "position-one-more",                                                   \
            .what = "the positions are one too large",                                   \
            .why = POSITION_WHY,                                                         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##position_one_more),                             \
        },                                                                               \
        {                                                                                \
            .id = "position-of-sequence-0",                                              \
            .what = "every sequence gets the positions of sequence 0",                   \
            .why = POSITION_WHY,                                                         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##position_of_first),                             \
        },                                                                               \
        {                                                                                \
            .id = "rope-on-q-alone",                                                     \
            .what = "keys are stored, and read, without RoPE",                           \
            .why = "The old keys in the cache are rotated: store k_turned, not k.",      \
            .source = NULL,                                                              \
            .function = LIKE(like, name##rope_on_q_alone),                               \
        },                                                                               \
        {                                                                                \
            .id = "rope-on-v",                                                           \
            .what = "the values are rotated, too",                                       \
            .why = "Only the scores depend on positions. Store v unchanged.",            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##rope_on_v),                                     \
        },                                                                               \
        {                                                                                \
            .id = "turned-when-read",                                                    \
            .what = "keys are stored without RoPE and rotated when they are read",       \
            .why = "The cache holds keys after RoPE, so each is rotated only once.",     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##turned_when_read),                              \
            .convention = true,                                                          \
        },                                                                               \
        {                                                                                \
            .id = "turned-twice",                                                        \
            .what = "keys from the cache are rotated again",                             \
            .why = "The cache holds keys after RoPE: use them unchanged.",               \
            .source = NULL,                                                              \
            .function = LIKE(like, name##turned_twice),                                  \
        },                                                                               \
        {                                                                                \
            .id = "lengths-left",                                                        \
            .what = "lengths is not advanced",                                           \
            .why = LENGTHS_WHY " Without that, the next call overwrites these rows.",    \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_left),                                  \
        },                                                                               \
        {                                                                                \
            .id = "lengths-by-layer",                                                    \
            .what = "lengths is advanced in every layer",                                \
            .why = LENGTHS_WHY,                                                          \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_by_layer),                              \
        },                                                                               \
        {                                                                                \
            .id = "lengths-first",                                                       \
            .what = "lengths is advanced before the layers",                             \
            .why = LENGTHS_WHY,                                                          \
            .source = NULL,                                                              \
            .function = LIKE(like, name##lengths_one_more),                              \
        },                                                                               \
        {                                                                                \
            .id = "layer-0-cache",                                                       \
            .what = "every layer uses the cache of layer 0",                             \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##layer_0_cache),                                 \
        },                                                                               \
        {                                                                                \
            .id = "sequence-0",                                                          \
            .what = "every sequence uses the cache of sequence 0",                       \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##sequence_0),                                    \
        },                                                                               \
        {                                                                                \
            .id = "cache-as-BL",                                                         \
            .what = "the cache is read as (B, L, NH, T_max, hs)",                        \
            .why = CACHE_WHY,                                                            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##cache_as_bl),                                   \
        },                                                                               \
        {                                                                                \
            .id = "old-unseen",                                                          \
            .what = "the new tokens do not see those that were in the cache",            \
            .why = "Token i sees lengths[b] + i + 1 keys: all from row 0 of the cache.", \
            .source = NULL,                                                              \
            .function = LIKE(like, name##old_unseen),                                    \
        },                                                                               \
        {                                                                                \
            .id = "itself-unseen",                                                       \
            .what = "a token does not see itself",                                       \
            .why = "It also sees its own key, once that is stored: position + 1 keys.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##itself_unseen),                                 \
        },                                                                               \
        {                                                                                \
            .id = "attends-first",                                                       \
            .what = "a token attends before its own key and value are in the cache",     \
            .why = "It then reads an unwritten row: cache_append first, for keys and "   \
                   "values, then attention_decode.",                                     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##attends_first),                                 \
        },                                                                               \
        {                                                                                \
            .id = "whole-cache-seen",                                                    \
            .what = "a token sees all T_max rows of the cache",                          \
            .why = "It sees position + 1 keys. Rows past them have no meaning.",         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##whole_cache_seen),                              \
        },                                                                               \
        {                                                                                \
            .id = "values-are-keys",                                                     \
            .what = "the keys are read instead of the values",                           \
            .why = "Weights mix the rows of cache->values.",                             \
            .source = NULL,                                                              \
            .function = LIKE(like, name##values_are_keys),                               \
        },                                                                               \
        {                                                                                \
            .id = "block-0-params",                                                      \
            .what = "every block uses the parameters of block 0",                        \
            .why = "Block l has its own: generation_block(params, shape, l).",           \
            .source = NULL,                                                              \
            .function = LIKE(like, name##first_params),                                  \
        },                                                                               \
        {                                                                                \
            .id = "no-norm1",                                                            \
            .what = "the norm before the attention is missing",                          \
            .why = "q, k and v are computed from normed1 = rmsnorm(stream).",            \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_norm1),                                      \
        },                                                                               \
        {                                                                                \
            .id = "no-norm2",                                                            \
            .what = "the norm before the MLP is missing",                                \
            .why = "gate and up are computed from normed2 = rmsnorm(middle).",           \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_norm2),                                      \
        },                                                                               \
        {                                                                                \
            .id = "no-w-o",                                                              \
            .what = "the output projection w_o is missing",                              \
            .why = "attended = merged w_o^T, and attended is added to the stream.",      \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_w_o),                                        \
        },                                                                               \
        {                                                                                \
            .id = "no-residuals",                                                        \
            .what = "both residuals are missing",                                        \
            .why = "middle = stream + attended, and then stream = middle + projected.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_residuals),                                  \
        },                                                                               \
        {                                                                                \
            .id = "gate-up-swapped",                                                     \
            .what = "gate and up are swapped in swiglu",                                 \
            .why = "swiglu(hidden, gate, up, ...): the gate goes through the sigmoid.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##gate_up_swapped),                               \
        },                                                                               \
        {                                                                                \
            .id = "no-final-norm",                                                       \
            .what = "the norm before the output layer is missing",                       \
            .why = "logits = normed w_out^T, and normed = rmsnorm(stream) with the "     \
                   "gain params->norm.",                                                 \
            .source = NULL,                                                              \
            .function = LIKE(like, name##no_last_norm),                                  \
        },                                                                               \
        {                                                                                \
            .id = "up-as-gate",                                                          \
            .what = "up is computed with w_gate",                                        \
            .why = "gate = normed2 w_gate^T and up = normed2 w_up^T: two matrices.",     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##up_as_gate),                                    \
        },                                                                               \
        {                                                                                \
            .id = "k-as-q",                                                              \
            .what = "the keys are computed with w_q",                                    \
            .why = "k = normed1 w_k^T. Only the queries use w_q.",                       \
            .source = NULL,                                                              \
            .function = LIKE(like, name##k_as_q),                                        \
        },                                                                               \
        {                                                                                \
            .id = "norm1-for-both",                                                      \
            .what = "both norms of a block have the gain of the first",                  \
            .why = "normed2 = rmsnorm(middle) with the gain norm2.",                     \
            .source = NULL,                                                              \
            .function = LIKE(like, name##norm1_for_both),                                \
        },                                                                               \
        {                                                                                \
            .id = "norm2-of-stream",                                                     \
            .what =                                                                      \
                "the second norm reads the stream, not middle: the MLP does not see "    \
                "the attention's output",                                                \
            .why = "normed2 = rmsnorm(middle), and middle = stream + attended.",         \
            .source = NULL,                                                              \
            .function = LIKE(like, name##norm2_of_stream),                               \
        },                                                                               \
        {                                                                                \
            .id = "residual-of-normed1",                                                 \
            .what = "attended is added to normed1, not to the stream",                   \
            .why = "middle = stream + attended.",                                        \
            .source = NULL,                                                              \
            .function = LIKE(like, name##residual_of_normed1),                           \
        },                                                                               \
        {                                                                                \
            .id = "residual2-of-normed2",                                                \
            .what = "projected is added to normed2, not to middle",                      \
            .why = "stream = middle + projected.",                                       \
            .source = NULL,                                                              \
            .function = LIKE(like, name##residual2_of_normed2),                          \
        },                                                                               \
        {                                                                                \
            .id = "q-unturned",                                                          \
            .what = "the queries are not rotated",                                       \
            .why = "RoPE rotates queries and keys: pass q_turned to attention_decode.",  \
            .source = NULL,                                                              \
            .function = LIKE(like, name##q_unturned),                                    \
        },                                                                               \
    {                                                                                    \
        .id = "tied", .what = "the output layer uses the token table",                   \
        .why = "GPT-2 ties the two. This model has its own matrix, w_out.",              \
        .source = NULL, .function = LIKE(like, name##tied), .convention = true,          \
    }

const struct mistake prefill_mistakes[] = {
    {
        .id = "position-in-call",
        .what = "positions are counted from the first token of this call",
        .why = POSITION_WHY " The second part of a prompt continues where the first "
                            "ended.",
        .source = NULL,
        .function = LIKE(prefill, prefill_position_in_call),
    },
    {
        .id = "position-is-length",
        .what = "every token of the call has the position of the first",
        .why = POSITION_WHY,
        .source = NULL,
        .function = LIKE(prefill, prefill_position_is_length),
    },
    {
        .id = "starts-anew",
        .what = "the earlier tokens of the sequence are overwritten",
        .why = "The new rows go after those: row lengths[b] + i.",
        .source = NULL,
        .function = LIKE(prefill, prefill_starts_anew),
    },
    {
        .id = "no-mask",
        .what = "every token of the prompt sees all of them",
        .why = "Token i sees the first lengths[b] + i + 1 keys, those up to itself.",
        .source = NULL,
        .function = LIKE(prefill, prefill_no_mask),
    },
    {
        .id = "lengths-of-all",
        .what = "the lengths of all sequences are advanced",
        .why = "Only sequence b gets tokens: lengths[b] += n.",
        .source = NULL,
        .function = LIKE(prefill, prefill_lengths_of_all),
    },
    {
        .id = "length-set",
        .what = "the length becomes n, as if the sequence had been empty",
        .why = "The new rows come after those of earlier calls: lengths[b] += n.",
        .source = NULL,
        .function = LIKE(prefill, prefill_length_set),
    },
    {
        .id = "length-plus-1",
        .what = "the length grows by 1, however many tokens are read",
        .why = "The call stores n rows: lengths[b] += n.",
        .source = NULL,
        .function = LIKE(prefill, prefill_length_plus_1),
    },
    {
        .id = "first-logits",
        .what = "the logits are those of the first token of the call",
        .why = "The last one predicts the next token: row n - 1 of the stream.",
        .source = NULL,
        .function = LIKE(prefill, prefill_logits_of_first),
    },
    {
        .id = "first-token-for-all",
        .what = "every row is the embedding of tokens[0]",
        .why = "Row i is the embedding of tokens[i].",
        .source = NULL,
        .function = LIKE(prefill, prefill_first_token_for_all),
    },
    MODEL_MISTAKES(prefill, prefill_),
    {0},
};

const struct mistake decode_mistakes[] = {
    {
        .id = "longest-seen",
        .what = "every sequence sees as many keys as the longest one",
        .why = "The lengths may differ: sequence b sees lengths[b] + 1 keys.",
        .source = NULL,
        .function = LIKE(decode_step, decode_longest_seen),
    },
    {
        .id = "first-logits",
        .what = "every sequence gets the logits of sequence 0",
        .why = "Row b of the stream gives row b of the logits.",
        .source = NULL,
        .function = LIKE(decode_step, decode_logits_of_first),
    },
    {
        .id = "first-token-for-all",
        .what = "every row is the embedding of tokens[0]",
        .why = "Row b is the embedding of tokens[b].",
        .source = NULL,
        .function = LIKE(decode_step, decode_first_token_for_all),
    },
    MODEL_MISTAKES(decode_step, decode_),
    {0},
};

const struct mistake prefill_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(prefill, prefill_by_pieces)},
    {.id = "by-heads", .function = LIKE(prefill, prefill_by_heads)},
    {.id = "in-double", .function = LIKE(prefill, prefill_in_double)},
    {0},
};

const struct mistake decode_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(decode_step, decode_by_pieces)},
    {.id = "by-heads", .function = LIKE(decode_step, decode_by_heads)},
    {.id = "in-double", .function = LIKE(decode_step, decode_in_double)},
    {0},
};
