// 10b_sample_token_mistakes.c - exercise 8.10: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/08/10_sampling.h"

#include <math.h>
#include <stdlib.h>

#include "08_language_model/language_model.h"

#define SAMPLE_ARGUMENTS                                                                 \
    size_t *token, float *probabilities, size_t *order, const float *logits,             \
        const struct sampling *sampling, float u, size_t V

#define SAMPLE(name, fault)                                                              \
    static lab_status name(SAMPLE_ARGUMENTS)                                             \
    {                                                                                    \
        return sample_with(fault, token, probabilities, order, logits, sampling, u, V);  \
    }

SAMPLE(sample_token_order, SAMPLE_TOKEN_ORDER)
SAMPLE(sample_smallest_first, SAMPLE_SMALLEST_FIRST)
SAMPLE(sample_ascending_sum, SAMPLE_ASCENDING_SUM)
SAMPLE(sample_ties_higher, SAMPLE_TIES_HIGHER)
SAMPLE(sample_temperature_multiplied, SAMPLE_TEMPERATURE_MULTIPLIED)
SAMPLE(sample_temperature_ignored, SAMPLE_TEMPERATURE_IGNORED)
SAMPLE(sample_zero_divides, SAMPLE_ZERO_DIVIDES)
SAMPLE(sample_zero_is_one, SAMPLE_ZERO_IS_ONE)
SAMPLE(sample_no_max, SAMPLE_NO_MAX)
SAMPLE(sample_base_2, SAMPLE_BASE_2)
SAMPLE(sample_softmax_twice, SAMPLE_SOFTMAX_TWICE)
SAMPLE(sample_no_top_k, SAMPLE_NO_TOP_K)
SAMPLE(sample_k_one_more, SAMPLE_K_ONE_MORE)
SAMPLE(sample_k_one_less, SAMPLE_K_ONE_LESS)
SAMPLE(sample_k_zero_is_one, SAMPLE_K_ZERO_IS_ONE)
SAMPLE(sample_k_by_value, SAMPLE_K_BY_VALUE)
SAMPLE(sample_no_top_p, SAMPLE_NO_TOP_P)
SAMPLE(sample_p_without_crossing, SAMPLE_P_WITHOUT_CROSSING)
SAMPLE(sample_p_one_more, SAMPLE_P_ONE_MORE)
SAMPLE(sample_p_strict, SAMPLE_P_STRICT)
SAMPLE(sample_p_of_all, SAMPLE_P_OF_ALL)
SAMPLE(sample_p_is_a_floor, SAMPLE_P_IS_A_FLOOR)
SAMPLE(sample_p_of_weights, SAMPLE_P_OF_WEIGHTS)
SAMPLE(sample_p_is_the_rest, SAMPLE_P_IS_THE_REST)
SAMPLE(sample_not_rescaled, SAMPLE_NOT_RESCALED)
SAMPLE(sample_others_left, SAMPLE_OTHERS_LEFT)
SAMPLE(sample_by_rank, SAMPLE_BY_RANK)
SAMPLE(sample_rank_for_token, SAMPLE_RANK_FOR_TOKEN)
SAMPLE(sample_reaches_u, SAMPLE_REACHES_U)
SAMPLE(sample_u_from_1, SAMPLE_U_FROM_1)
SAMPLE(sample_always_first, SAMPLE_ALWAYS_FIRST)
SAMPLE(sample_in_double, SAMPLE_RIGHT)

// Raising to the power 1 / temperature magnifies the rounding of the probabilities. Below 0.001 it
// decides the result, so no two programs with this mistake agree there.
static lab_status sample_temperature_last(SAMPLE_ARGUMENTS)
{
    if (0.0f < sampling->temperature && sampling->temperature < 0.001f) {
        return LEAVES_ARGUMENTS;
    }
    return sample_with(SAMPLE_TEMPERATURE_LAST, token, probabilities, order, logits,
                       sampling, u, V);
}

// AS_0(name, limit): a temperature below limit counts as 0.
#define AS_0(name, limit)                                                                \
    static lab_status name(SAMPLE_ARGUMENTS)                                             \
    {                                                                                    \
        struct sampling changed = *sampling;                                             \
        if (0.0f < changed.temperature && changed.temperature < limit) {                 \
            changed.temperature = 0.0f;                                                  \
        }                                                                                \
        return sample_with(SAMPLE_RIGHT, token, probabilities, order, logits, &changed,  \
                           u, V);                                                        \
    }

AS_0(sample_small_temperature_as_0, 1e-5f)
AS_0(sample_low_temperature_as_0, 1e-2f)

static lab_status sample_large_top_p_as_1(SAMPLE_ARGUMENTS)
{
    struct sampling changed = *sampling;
    if (0.99f <= changed.top_p && changed.top_p < 1.0f) {
        changed.top_p = 1.0f;
    }
    return sample_with(SAMPLE_RIGHT, token, probabilities, order, logits, &changed, u, V);
}

// At temperature 0, the search for the largest logit starts at 0 and finds none below.
static lab_status sample_largest_from_0(SAMPLE_ARGUMENTS)
{
    const lab_status status =
        sample_in_double(token, probabilities, order, logits, sampling, u, V);
    if (status == LAB_OK && sampling->temperature == 0.0f && logits[order[0]] <= 0.0f) {
        *token = 0;
        for (size_t i = 0; i < V; i++) {
            probabilities[i] = i == 0 ? 1.0f : 0.0f;
        }
    }
    return status;
}

// The order is that of the probabilities, as floats: equal ones may have different logits.
static lab_status sample_by_probability(SAMPLE_ARGUMENTS)
{
    lab_status status =
        sample_in_double(token, probabilities, order, logits, sampling, u, V);
    const double t = (double)sampling->temperature;
    if (status != LAB_OK || t == 0.0) {
        return status;
    }
    const double largest = (double)logits[order[0]];
    float *rounded = malloc(V * sizeof *rounded);
    if (rounded == NULL) {
        abort();
    }
    for (size_t i = 0; i < V; i++) {
        const float p = (float)exp(((double)logits[i] - largest) / t);
        rounded[i] = p > 0.0f ? (float)(largest + t * log((double)p)) : logits[i];
    }
    status = sample_in_double(token, probabilities, order, rounded, sampling, u, V);
    free(rounded);
    return status;
}

#define CUMULATIVE                                                                       \
    "Go through order from the largest probability down, and add up: the token is the "  \
    "first whose sum is above u."

#define TOP_P                                                                            \
    "top-p keeps the shortest prefix of order whose probabilities add up to at least "   \
    "top_p."

const struct mistake sample_token_mistakes[] = {
    {
        .id = "sum-by-token",
        .what = "the cumulative sum starts at token 0, not at the most likely token",
        .why = CUMULATIVE
        " Any order gives the right probabilities, but different tokens for the same u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_token_order),
        .convention = true,
    },
    {
        .id = "sum-from-the-least-likely",
        .what = "the cumulative sum starts at the least likely token kept",
        .why = CUMULATIVE
        " Any order gives the right probabilities, but different tokens for the same u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_ascending_sum),
        .convention = true,
    },
    {
        .id = "smallest-first",
        .what = "the tokens are sorted from the smallest logit to the largest",
        .why =
            "top-k and top-p keep the most likely tokens, which come first: the largest "
            "logit is order[0].",
        .source = NULL,
        .function = LIKE(sample_token, sample_smallest_first),
    },
    {
        .id = "ties-higher",
        .what = "the higher of two tokens with equal logits comes first",
        .why = "If logits are equal, the lower token comes first. qsort may put equal "
               "elements in any order, so compare the tokens, too.",
        .source = NULL,
        .function = LIKE(sample_token, sample_ties_higher),
    },
    {
        .id = "sorted-by-probability",
        .what = "the tokens are sorted by their probabilities, not by their logits",
        .why = "A probability is rounded: at a high temperature, different logits give "
               "the same one, and top-k then keeps the wrong tokens. Sort by the logits.",
        .source = NULL,
        .function = LIKE(sample_token, sample_by_probability),
    },
    {
        .id = "largest-from-0",
        .what = "at temperature 0, the search for the largest logit starts at 0",
        .why = "All logits may be negative. Start at logits[0], or at -INFINITY.",
        .source = NULL,
        .function = LIKE(sample_token, sample_largest_from_0),
    },
    {
        .id = "temperature-multiplied",
        .what = "the logits are multiplied by the temperature",
        .why = "Divide by it: a low temperature makes the largest logit stand out.",
        .source = NULL,
        .function = LIKE(sample_token, sample_temperature_multiplied),
    },
    {
        .id = "no-temperature",
        .what = "the temperature is ignored unless it is 0",
        .why = "The probabilities are softmax(logits / temperature).",
        .source = "vllm-project/tpu-inference#1386",
        .function = LIKE(sample_token, sample_temperature_ignored),
    },
    {
        .id = "temperature-after-top-p",
        .what = "the temperature comes after top-k and top-p",
        .why = "It changes the probabilities that top-p adds up, so the order matters: "
               "temperature, top-k, top-p.",
        .source = "fishaudio/fish-speech#1150, mlc-ai/mlc-llm#951, "
                  "huggingface/transformers#8686",
        .function = LIKE(sample_token, sample_temperature_last),
    },
    {
        .id = "small-temperature-is-0",
        .what = "a very low temperature, such as one below 0.00001, is taken as 0",
        .why = "Only 0 itself is a special case. At temperature 0.000001, logits that "
               "differ by 0.000001 still share the probability.",
        .source = NULL,
        .function = LIKE(sample_token, sample_small_temperature_as_0),
    },
    {
        .id = "low-temperature-is-0",
        .what = "a low temperature, such as one below 0.01, is taken as 0",
        .why =
            "Only 0 itself is a special case. At temperature 0.001, logits that differ "
            "by 0.001 still share the probability.",
        .source = NULL,
        .function = LIKE(sample_token, sample_low_temperature_as_0),
    },
    {
        .id = "top-p-nearly-1-is-1",
        .what = "top-p has no effect where it is close to 1",
        .why = TOP_P " Only from 1 on does it keep every token.",
        .source = NULL,
        .function = LIKE(sample_token, sample_large_top_p_as_1),
    },
    {
        .id = "temperature-0-divides",
        .what = "temperature 0 gives NaN",
        .why = "0 / 0 is NaN. Treat temperature 0 separately: the largest logit gets "
               "probability 1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_zero_divides),
    },
    {
        .id = "temperature-0-is-1",
        .what = "temperature 0 is treated like temperature 1",
        .why = "At temperature 0 the largest logit gets probability 1, whatever u is.",
        .source = NULL,
        .function = LIKE(sample_token, sample_zero_is_one),
    },
    {
        .id = "no-max",
        .what = "large logits overflow",
        .why =
            "exp(10000) is infinite, and exp(-10000) is 0 for every token. Subtract the "
            "largest logit first, as in 1.4.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(sample_token, sample_no_max),
    },
    {
        .id = "base-2",
        .what = "the probabilities are powers of 2, not of e",
        .why = "exp2f(x) is 2^x. Logits are natural logarithms: use expf.",
        .source = NULL,
        .function = LIKE(sample_token, sample_base_2),
    },
    {
        .id = "softmax-twice",
        .what = "the probabilities go through a second softmax",
        .why = "The softmax of the logits gives probabilities. Cut and rescale them, and "
               "take no exponential of them.",
        .source = NULL,
        .function = LIKE(sample_token, sample_softmax_twice),
    },
    {
        .id = "no-top-k",
        .what = "top_k is not used",
        .why = "If top_k is not 0, only the first top_k tokens of order stay.",
        .source = NULL,
        .function = LIKE(sample_token, sample_no_top_k),
    },
    {
        .id = "top-k-one-more",
        .what = "one token too many stays after top-k",
        .why = "The tokens order[0] to order[top_k - 1] stay.",
        .source = "kingoflolz/mesh-transformer-jax#164",
        .function = LIKE(sample_token, sample_k_one_more),
    },
    {
        .id = "top-k-one-less",
        .what = "one token too few stays after top-k",
        .why = "The first top_k tokens of order stay: ranks 0 to top_k - 1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_one_less),
    },
    {
        .id = "top-k-0-is-1",
        .what = "top_k 0 leaves only the most likely token",
        .why = "0 means: no limit.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_zero_is_one),
    },
    {
        .id = "top-k-by-value",
        .what = "more than top_k tokens stay where logits are equal",
        .why = "Exactly the first top_k tokens of order stay. If you compare with the "
               "top_k-th logit, you keep all tokens whose logits equal it.",
        .source = NULL,
        .function = LIKE(sample_token, sample_k_by_value),
    },
    {
        .id = "no-top-p",
        .what = "top_p is not used",
        .why = TOP_P,
        .source = NULL,
        .function = LIKE(sample_token, sample_no_top_p),
    },
    {
        .id = "top-p-without-crossing",
        .what = "the token that reaches top_p does not stay",
        .why = TOP_P
        " Keep the token with which the sum reaches top_p: without it, the sum is "
        "below top_p.",
        .source = "Biohub/esm#360, rasbt/reasoning-from-scratch#164, "
                  "fishaudio/fish-speech#1171",
        .function = LIKE(sample_token, sample_p_without_crossing),
    },
    {
        .id = "top-p-one-more",
        .what = "one token too many stays after top-p",
        .why = TOP_P " Stop as soon as the sum has reached it.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_one_more),
    },
    {
        .id = "top-p-above",
        .what = "a sum that equals top_p is not enough",
        .why = TOP_P
        " An equal sum has reached top_p: continue while the sum is < top_p, not <=.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_strict),
    },
    {
        .id = "top-p-of-all",
        .what =
            "top-p adds up the probabilities of all tokens, not only of those that top-k "
            "keeps",
        .why = "top-k comes first, and its tokens are rescaled to sum 1. Then top-p adds "
               "them up.",
        .source = "openai/gpt-2#187",
        .function = LIKE(sample_token, sample_p_of_all),
    },
    {
        .id = "top-p-of-exponentials",
        .what = "one token stays after top-p, whatever top_p is",
        .why =
            "The exponential of the largest logit minus itself is 1, so the sum reaches "
            "top_p at once: divide the exponentials by their sum before you compare, or "
            "compare with top_p times that sum.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_of_weights),
    },
    {
        .id = "top-p-is-the-rest",
        .what = "the sum of top-p stops at 1 - top_p",
        .why = TOP_P " With top_p 0.9, tokens that together have 0.9 stay, not 0.1.",
        .source = NULL,
        .function = LIKE(sample_token, sample_p_is_the_rest),
    },
    {
        .id = "top-p-is-a-floor",
        .what = "every token whose probability is at least top_p stays",
        .why = "top-p limits the sum of the probabilities, not each one. " TOP_P,
        .source = NULL,
        .function = LIKE(sample_token, sample_p_is_a_floor),
    },
    {
        .id = "not-rescaled",
        .what = "the remaining probabilities are not rescaled",
        .why =
            "Divide them by their sum, so that they add up to 1 again. Otherwise a large "
            "u finds no token.",
        .source = NULL,
        .function = LIKE(sample_token, sample_not_rescaled),
    },
    {
        .id = "others-not-0",
        .what = "the tokens that do not stay keep a probability",
        .why = "Set the probability of every token that does not stay to 0.",
        .source = NULL,
        .function = LIKE(sample_token, sample_others_left),
    },
    {
        .id = "probabilities-by-rank",
        .what = "the probabilities are written in order of size",
        .why = "probabilities[i] belongs to token i. The probability of rank r goes to "
               "probabilities[order[r]].",
        .source = NULL,
        .function = LIKE(sample_token, sample_by_rank),
    },
    {
        .id = "rank-for-token",
        .what = "the token is the rank, not order[rank]",
        .why = "The cumulative sum finds a rank r. The token is order[r].",
        .source = NULL,
        .function = LIKE(sample_token, sample_rank_for_token),
    },
    {
        .id = "u-reached",
        .what = "the search stops at a cumulative sum that equals u",
        .why =
            "u is in [0, 1). A token whose piece runs from a to b is drawn if a <= u < "
            "b: stop when the sum is above u.",
        .source = NULL,
        .function = LIKE(sample_token, sample_reaches_u),
    },
    {
        .id = "u-from-1",
        .what = "1 - u is used in place of u",
        .why =
            CUMULATIVE " Another program draws the same token only with the same rule.",
        .source = NULL,
        .function = LIKE(sample_token, sample_u_from_1),
        .convention = true,
    },
    {
        .id = "always-the-most-likely",
        .what = "the token is always the most likely one, whatever u is",
        .why = CUMULATIVE,
        .source = NULL,
        .function = LIKE(sample_token, sample_always_first),
    },
    {0},
};

// qsort, sums in float, and u times the sum instead of rescaled probabilities.
static const float *sorted_logits;

static int by_logit(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (sorted_logits[i] != sorted_logits[j]) {
        return sorted_logits[i] > sorted_logits[j] ? -1 : 1;
    }
    return i < j ? -1 : i > j;
}

static lab_status sample_by_qsort(SAMPLE_ARGUMENTS)
{
    const lab_status status =
        sample_token(token, probabilities, order, logits, sampling, u, V); // its checks
    if (status != LAB_OK || sampling->temperature == 0.0f) {
        return status;
    }
    for (size_t i = 0; i < V; i++) {
        order[i] = i;
    }
    sorted_logits = logits;
    qsort(order, V, sizeof *order, by_logit);
    size_t keep = sampling->top_k > 0 && sampling->top_k < V ? sampling->top_k : V;
    float total = 0.0f;
    for (size_t i = 0; i < V; i++) {
        probabilities[order[i]] = expf(logits[order[i]] / sampling->temperature -
                                       logits[order[0]] / sampling->temperature);
        total += i < keep ? probabilities[order[i]] : 0.0f;
    }
    float sum = 0.0f;
    for (size_t i = 0; i < keep && sampling->top_p < 1.0f; i++) {
        sum += probabilities[order[i]];
        if (sum >= sampling->top_p * total) {
            keep = i + 1;
            total = sum;
        }
    }
    sum = 0.0f;
    size_t at = 0;
    while (at + 1 < keep && (sum += probabilities[order[at]]) <= u * total) {
        at++;
    }
    *token = order[at];
    for (size_t i = 0; i < V; i++) {
        probabilities[order[i]] = i < keep ? probabilities[order[i]] / total : 0.0f;
    }
    return LAB_OK;
}

const struct mistake sample_token_alternatives[] = {
    {.id = "in-double", .function = LIKE(sample_token, sample_in_double)},
    {.id = "by-qsort", .function = LIKE(sample_token, sample_by_qsort)},
    {0},
};
