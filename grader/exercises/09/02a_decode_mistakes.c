// 02a_decode_mistakes.c - exercise 9.2: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/09/02_attention_decode.h"
#include "exercises/09/glance.h"

#include <math.h>
#include <string.h>

#include "09_generation/generation.h"

#define DECODE_ARGUMENTS                                                                 \
    float *out, float *weights, float *scores, const float *q, const float *keys,        \
        const float *values, const size_t *lengths, size_t B, size_t NH, size_t T_max,   \
        size_t hs

static bool decode_refuses(const size_t *lengths, size_t B, size_t NH, size_t T_max,
                           size_t hs)
{
    bool refused = B == 0 || NH == 0 || T_max == 0 || hs == 0;
    for (size_t b = 0; b < B; b++) {
        refused = refused || lengths[b] == 0 || lengths[b] > T_max;
    }
    return refused;
}

// DECODE(name, change): the right attention with a change to g, what head h of sequence b does.
#define DECODE(name, change)                                                             \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        (void)scores;                                                                    \
        if (decode_refuses(lengths, B, NH, T_max, hs)) {                                 \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < B * NH; i++) {                                            \
            const size_t b = i / NH, h = i % NH, length = lengths[b];                    \
            (void)h;                                                                     \
            struct glance g = right_glance(out + i * hs, weights + i * T_max,            \
                                           q + i * hs, keys + i * T_max * hs,            \
                                           values + i * T_max * hs, length, T_max, hs);  \
            change;                                                                      \
            if (g.S > T_max) {                                                           \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            LAB_TRY(glance(&g));                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

DECODE(decode_no_scale, g.scale = 1)
DECODE(decode_over_hs, g.scale = 1 / (double)hs)
DECODE(decode_multiplied, g.scale = sqrt((double)hs))
DECODE(decode_sqrt_C, g.scale = 1 / sqrt((double)(NH * hs)))
DECODE(decode_sqrt_NH, g.scale = 1 / sqrt((double)NH))
DECODE(decode_sqrt_length, g.scale = 1 / sqrt((double)length))
DECODE(decode_sqrt_T_max, g.scale = 1 / sqrt((double)T_max))
DECODE(decode_all_rows, g.S = T_max)
DECODE(decode_score_0, (g.S = T_max, g.no_score = length))
DECODE(decode_without_newest, g.S = length - 1)
DECODE(decode_one_more, g.S = length + 1)
DECODE(decode_first_key, g.S = 1)
DECODE(decode_as_sequence_0, g.S = lengths[0])
DECODE(decode_as_head, g.S = lengths[h % B])
DECODE(decode_i_mod_B, g.S = lengths[i % B])
DECODE(decode_root_cut_off, g.scale = 1 / floor(sqrt((double)hs)))
DECODE(decode_integer_scale, g.scale = (double)(1 / (size_t)sqrt((double)hs)))
DECODE(decode_base_2, g.softmax = BASE_2)
DECODE(decode_no_maximum, g.softmax = NO_MAXIMUM)
DECODE(decode_guarded_no_maximum, (g.softmax = NO_MAXIMUM, g.guarded = true))
DECODE(decode_unshifted_double, g.softmax = NO_MAXIMUM_IN_DOUBLE)
DECODE(decode_guarded_unshifted_double,
       (g.softmax = NO_MAXIMUM_IN_DOUBLE, g.guarded = true))
DECODE(decode_maximum_from_0, g.softmax = MAXIMUM_FROM_0)
DECODE(decode_maximum_from_1e4, g.softmax = MAXIMUM_FROM_1E4)
DECODE(decode_maximum_from_1e9, g.softmax = MAXIMUM_FROM_1E9)
DECODE(decode_guarded_from_0, (g.softmax = MAXIMUM_FROM_0, g.guarded = true))
DECODE(decode_guarded_from_1e4, (g.softmax = MAXIMUM_FROM_1E4, g.guarded = true))
DECODE(decode_guarded_from_1e9, (g.softmax = MAXIMUM_FROM_1E9, g.guarded = true))
DECODE(decode_not_divided, g.softmax = NOT_DIVIDED)
DECODE(decode_powers_kept, g.powers_kept = true)
DECODE(decode_scores_applied, g.scores_applied = true)
DECODE(decode_tail_left, g.tail_left = true)
DECODE(decode_values_are_keys, g.values = g.keys)
DECODE(decode_keys_are_values, g.keys = g.values)
DECODE(decode_head_0,
       (g.keys = keys + b * NH * T_max * hs, g.values = values + b * NH * T_max * hs))
DECODE(decode_sequence_0,
       (g.keys = keys + h * T_max * hs, g.values = values + h * T_max * hs))
DECODE(decode_packed,
       (g.keys = keys + i * length * hs, g.values = values + i * length * hs))
DECODE(decode_packed_by_functions,
       (g.keys = keys + i * length * hs, g.values = values + i * length * hs,
        g.by_functions = true))
DECODE(decode_k_not_transposed, (g.key_stride = 1, g.channel_stride = length))
DECODE(decode_token_major, (g.keys = keys + (b * T_max * NH + h) * hs,
                            g.values = values + (b * T_max * NH + h) * hs,
                            g.key_stride = g.value_stride = NH * hs))
DECODE(decode_values_token_major,
       (g.values = values + (b * T_max * NH + h) * hs, g.value_stride = NH * hs))
DECODE(decode_heads_first, (g.keys = keys + (h * B + b) * T_max * hs,
                            g.values = values + (h * B + b) * T_max * hs))
DECODE(decode_out_heads_first, g.out = out + (h * B + b) * hs)
DECODE(decode_weights_packed, g.weights = weights + i * length)
DECODE(decode_own_maximum, g.softmax = OWN_MAXIMUM)
DECODE(decode_own_sum, g.softmax = OWN_SUM)
DECODE(decode_own_row, g.softmax = OWN_ROW)
DECODE(decode_first_keys, g.S = g.S < GLANCE_LANES ? g.S : GLANCE_LANES)
DECODE(decode_own_warp, g.softmax = OWN_WARP)
DECODE(decode_first_warp, g.softmax = FIRST_WARP)
DECODE(decode_half_warp, g.softmax = HALF_WARP)

// The rows past the length get weight 0, but are multiplied by it.
static lab_status decode_0_times_nan(DECODE_ARGUMENTS)
{
    LAB_TRY(attention_decode(out, weights, scores, q, keys, values, lengths, B, NH, T_max,
                             hs));
    for (size_t j = 0; j < B * NH * hs; j++) {
        const size_t i = j / hs, c = j % hs;
        for (size_t s = lengths[i / NH]; s < T_max; s++) {
            out[j] += 0.0f * values[(i * T_max + s) * hs + c];
        }
    }
    return LAB_OK;
}

#define BEHIND_MEANS_NOTHING                                                             \
    "Rows from lengths[b] on are unwritten, or left over from an earlier text. "
#define PACKED_WHAT "the cache is read as if each head had only lengths[b] rows"
#define PACKED_WHY                                                                       \
    "Every head has room for T_max rows, however many it holds: head i starts at i * "   \
    "T_max * hs."
#define NO_MAXIMUM_WHY                                                                   \
    "expf overflows above 88, and exp above 709. Subtract the largest score of the row " \
    "first, as batched_softmax does."

const struct mistake attention_decode_mistakes[] = {
    SCALE_MISTAKES(attention_decode, decode),
    {
        .id = "sqrt-NH",
        .what = "the scores are divided by sqrt(NH) instead of sqrt(hs)",
        .why = "The scores of one head don't depend on the number of heads. They grow "
               "with the width of a head.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(attention_decode, decode_sqrt_NH),
    },
    {
        .id = "sqrt-length",
        .what = "the scores are divided by the root of the sequence's length",
        .why = "The scores grow with the width hs of a key, not with the number of keys.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sqrt_length),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T_max) instead of sqrt(hs)",
        .why = "The scores grow with the width hs of a key, not with the room in the "
               "cache.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sqrt_T_max),
    },
    {
        .id = "all-rows",
        .what = "the query sees all T_max rows of the cache",
        .why = BEHIND_MEANS_NOTHING "Go through s < lengths[b].",
        .source = "rajveer43/VeloxQuant-MLX#274",
        .function = LIKE(attention_decode, decode_all_rows),
    },
    {
        .id = "newest-not-seen",
        .what = "the query does not see the newest key, its own",
        .why = "Its row is lengths[b] - 1, and s < lengths[b] includes it: a token sees "
               "itself.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_without_newest),
    },
    {
        .id = "one-row-too-many",
        .what = "the query sees one row past the newest",
        .why = "lengths[b] already counts the newest token. " BEHIND_MEANS_NOTHING
               "Go through s < lengths[b].",
        .source = "EricLBuehler/mistral.rs#143",
        .function = LIKE(attention_decode, decode_one_more),
    },
    {
        .id = "oldest-only",
        .what = "the query sees only the oldest key",
        .why = "In a causal mask of one row, the query has number 0 and sees only key "
               "0. But this query belongs to the newest token and sees every key: no "
               "mask is needed.",
        .source = "pytorch/pytorch#108108, pytorch/pytorch#144858",
        .function = LIKE(attention_decode, decode_first_key),
    },
    {
        .id = "length-of-sequence-0",
        .what = "every sequence uses the length of sequence 0",
        .why = "The sequences of a batch differ in length: use lengths[b].",
        .source = NULL,
        .function = LIKE(attention_decode, decode_as_sequence_0),
    },
    {
        .id = "length-of-the-head",
        .what = "the length is indexed by the head, not by the sequence",
        .why = "If one loop counts all heads, i = b * NH + h, the sequence is i / NH.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_as_head),
    },
    {
        .id = "length-of-i-mod-B",
        .what = "row i = b * NH + h takes the length of sequence i % B",
        .why = "The heads of a sequence are contiguous: the sequence of row i is i / NH.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_i_mod_B),
    },
    {
        .id = "no-maximum",
        .what = "the softmax does not subtract the largest score",
        .why = NO_MAXIMUM_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_decode, decode_no_maximum),
    },
    {
        .id = "no-maximum-guarded",
        .what =
            "the softmax does not subtract the largest score (and a sum of 0 gives zeros)",
        .why = NO_MAXIMUM_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_decode, decode_guarded_no_maximum),
    },
    {
        .id = "no-maximum-in-double",
        .what =
            "the softmax does not subtract the largest score, and its exp is in double",
        .why = NO_MAXIMUM_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_decode, decode_unshifted_double),
    },
    {
        .id = "no-maximum-in-double-guarded",
        .what =
            "the softmax does not subtract the largest score, and its exp is in double (and a sum of 0 gives zeros)",
        .why = NO_MAXIMUM_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_decode, decode_guarded_unshifted_double),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest score starts at 0",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with the first score, or with -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_maximum_from_0),
    },
    LOW_START_MISTAKES(attention_decode, decode),
    {
        .id = "maximum-from-0-guarded",
        .what = "the search for the largest score starts at 0 (and a sum of 0 gives "
                "zeros)",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with the first score, or with -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_0),
    },
    {
        .id = "maximum-from-1e4-guarded",
        .what = "the search for the largest score starts at a number such as -10000 (and "
                "a sum of 0 gives zeros)",
        .why = LOW_START_WHY,
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_1e4),
    },
    {
        .id = "maximum-from-1e9-guarded",
        .what = "the search for the largest score starts at a number such as -1e9 (and a "
                "sum of 0 gives zeros)",
        .why = LOW_START_WHY,
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_1e9),
    },
    {
        .id = "not-divided",
        .what = "out is not divided by the sum of the exponentials",
        .why = "out mixes the values with the weights, whose sum is 1.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_not_divided),
    },
    {
        .id = "weights-not-divided",
        .what = "weights holds the exponentials, not divided by their sum",
        .why =
            "The weights of a head sum to 1. Divide them, then mix the values with them.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_powers_kept),
    },
    {
        .id = "scores-applied",
        .what = "out is computed from the scores, not from the weights",
        .why = "The last product is weights times values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_scores_applied),
    },
    {
        .id = "tail-not-written",
        .what = "the weights from lengths[b] on are not written",
        .why = "A row of weights has T_max numbers. Set the weights past the length to "
               "0.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_tail_left),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_values_are_keys),
    },
    {
        .id = "keys-are-values",
        .what = "the query is compared with the values, not with the keys",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_keys_are_values),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads of a sequence use the keys and values of its head 0",
        .why = "Head h of sequence b starts (b * NH + h) * T_max * hs after the first "
               "one.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Head h of sequence b starts (b * NH + h) * T_max * hs after the first "
               "one.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sequence_0),
    },
    {
        .id = "cache-packed",
        .what = PACKED_WHAT,
        .why = PACKED_WHY,
        .source = NULL,
        .function = LIKE(attention_decode, decode_packed),
    },
    {
        .id = "cache-packed-by-functions",
        .what = PACKED_WHAT,
        .why = PACKED_WHY,
        .source = NULL,
        .function = LIKE(attention_decode, decode_packed_by_functions),
    },
    {
        .id = "k-not-transposed",
        .what = "the keys are not transposed: their numbers are read as (hs,lengths[b])",
        .why = "Use matmul_nt, which reads each key as a row, in the order in which it "
               "is stored.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_k_not_transposed),
    },
    {
        .id = "cache-not-in-heads",
        .what = "keys and values are read as (B,T_max,NH,hs)",
        .why = "They are (B,NH,T_max,hs): the rows of one head are contiguous.",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(attention_decode, decode_token_major),
    },
    {
        .id = "values-not-in-heads",
        .what = "only the values are read as (B,T_max,NH,hs)",
        .why = "They are (B,NH,T_max,hs), like the keys.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_values_token_major),
    },
    {
        .id = "heads-first",
        .what = "keys and values are read as (NH,B,T_max,hs)",
        .why = "The heads of one sequence are contiguous: head i = b * NH + h.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_heads_first),
    },
    {
        .id = "out-heads-first",
        .what = "out is written as (NH,B,hs)",
        .why = "The heads of one sequence are contiguous: out is (B,NH,hs).",
        .source = NULL,
        .function = LIKE(attention_decode, decode_out_heads_first),
    },
    {
        .id = "weights-packed",
        .what = "the weights are written as if each head had only lengths[b] of them",
        .why = "Every row of weights has T_max numbers: head i starts at i * T_max.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_weights_packed),
    },
    {
        .id = "zero-times-nan",
        .what = "rows past the length are multiplied by weight 0 and added to out",
        .why = "0 times NaN is NaN. " BEHIND_MEANS_NOTHING "End the sum at lengths[b].",
        .source = NULL,
        .function = LIKE(attention_decode, decode_0_times_nan),
    },
    {
        .id = "score-0-behind",
        .what = "rows past the length count as keys with the score 0",
        .why = "exp(0) is not 0, so they get weight. End the softmax at lengths[b], or "
               "give them -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_score_0),
    },
    {
        .id = "own-maximum",
        .what = "every thread subtracts the largest score of its own keys, not of all",
        .why = LANES_WHY "the largest score of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(attention_decode, decode_own_maximum),
        .gpu = true,
    },
    {
        .id = "own-sum",
        .what = "every thread divides by the sum of its own exponentials",
        .why = LANES_WHY "the sum of all threads to each of them.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_own_sum),
        .gpu = true,
    },
    {
        .id = "own-row",
        .what = "every thread uses the maximum and the sum of its own keys, not of all",
        .why = LANES_WHY
        "the largest score, and then the sum, of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(attention_decode, decode_own_row),
        .gpu = true,
    },
    {
        .id = "first-block-of-keys",
        .what = "only the first BLOCK = 128 keys count",
        .why = "A thread has more than one key if there are more than BLOCK: for (s = "
               "threadIdx.x; s < length; s += BLOCK), not if (threadIdx.x < length).",
        .source = NULL,
        .function = LIKE(attention_decode, decode_first_keys),
        .gpu = true,
    },
    WARP_MISTAKES(attention_decode, decode),
    {0},
};

DECODE(decode_plain, (void)g)
DECODE(decode_in_float, g.softmax = IN_FLOAT)

// One key after another. When a larger score comes, it rescales the sums.
static lab_status decode_online(DECODE_ARGUMENTS)
{
    if (decode_refuses(lengths, B, NH, T_max, hs)) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) {
        float max = -INFINITY, sum = 0.0f, *out_i = out + i * hs;
        memset(out_i, 0, hs * sizeof *out);
        memset(weights + i * T_max, 0, T_max * sizeof *weights);
        for (size_t s = 0; s < lengths[i / NH]; s++) {
            const size_t row = i * T_max + s;
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += scale * q[i * hs + c] * keys[row * hs + c];
            }
            const float larger = fmaxf(max, dot), old = expf(max - larger),
                        new = expf(dot - larger);
            scores[row] = dot;
            sum = sum * old + new;
            for (size_t c = 0; c < hs; c++) {
                out_i[c] = out_i[c] * old + new *values[row * hs + c];
            }
            max = larger;
        }
        for (size_t c = 0; c < hs; c++) {
            out_i[c] /= sum;
        }
        for (size_t s = 0; s < lengths[i / NH]; s++) {
            weights[i * T_max + s] = expf(scores[i * T_max + s] - max) / sum;
        }
    }
    return LAB_OK;
}

const struct mistake attention_decode_alternatives[] = {
    {.id = "in-double", .function = LIKE(attention_decode, decode_plain)},
    {.id = "in-float", .function = LIKE(attention_decode, decode_in_float)},
    {.id = "online", .function = LIKE(attention_decode, decode_online)},
    {0},
};
