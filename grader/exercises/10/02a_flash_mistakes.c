// 02a_flash_mistakes.c - what goes wrong in 10.2, and other right ways.

#include "exercises/10/02_flash_attention.h"
#include "exercises/10/far_down.h"
#include "exercises/10/tiles.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

#define FLASH_ARGUMENTS                                                                  \
    float *out, float *logsumexp, const struct flash_buffers *z, const float *q,         \
        const float *k, const float *v, bool causal, size_t B, size_t NH, size_t T,      \
        size_t S, size_t hs, size_t Br, size_t Bc

// FLASH(name, change): right, with a change to x.
#define FLASH(name, change)                                                              \
    static lab_status name(FLASH_ARGUMENTS)                                              \
    {                                                                                    \
        (void)z;                                                                         \
        struct tiles x =                                                                 \
            right_tiles(out, logsumexp, q, k, v, causal, B, NH, T, S, hs, Br, Bc);       \
        if (hs > 0 && Br > 0 && Bc > 0) {                                                \
            change;                                                                      \
        }                                                                                \
        return run_tiles(&x);                                                            \
    }

// SEES(name, condition): which keys a query sees if the attention is causal. t0, s0: the first query
// and the first key of the tile.
#define SEES(name, condition)                                                            \
    static bool name(const struct tiles *x, size_t t, size_t s)                          \
    {                                                                                    \
        const ptrdiff_t T = (ptrdiff_t)x->T, S = (ptrdiff_t)x->S, at = (ptrdiff_t)t,     \
                        as = (ptrdiff_t)s, Br = (ptrdiff_t)x->Br, Bc = (ptrdiff_t)x->Bc, \
                        t0 = at / Br * Br, s0 = as / Bc * Bc;                            \
        (void)T, (void)S, (void)at, (void)as, (void)t0, (void)s0;                        \
        return !x->causal || (condition);                                                \
    }

SEES(sees_all, true)
SEES(sees_from_start, as <= at)
SEES(sees_before_itself, as < at + S - T)
SEES(sees_one_more, as <= at + S - T + 1)
SEES(sees_future, as >= at + S - T)
SEES(sees_within_tile, as - s0 <= at - t0 + S - T)
SEES(sees_tile_subtracted, as - s0 <= at - t0 + (s0 + S - t0 - T))
SEES(sees_own_tile, s0 / Bc < t0 / Br || (s0 / Bc == t0 / Br && as - s0 <= at - t0))
SEES(sees_wrapped, at + S < T || as <= at + S - T)
SEES(sees_whole_tiles, s0 <= t0 + Br - 1 + S - T)

static bool sees_as_causal(const struct tiles *x, size_t t, size_t s)
{
    return s + x->T <= t + x->S;
}

static bool visits_first(const struct tiles *x, size_t t0, size_t s0)
{
    (void)x, (void)t0;
    return s0 == 0;
}

FLASH(flash_no_scale, x.scale = 1)
FLASH(flash_over_hs, x.scale = 1 / (double)hs)
FLASH(flash_multiplied, x.scale = sqrt((double)hs))
FLASH(flash_sqrt_C, x.scale = 1 / sqrt((double)(NH * hs)))
FLASH(flash_sqrt_Bc, x.scale = 1 / sqrt((double)Bc))
FLASH(flash_no_mask, x.sees = sees_all)
FLASH(flash_score_0, x.score_0 = true)
FLASH(flash_always_causal, x.sees = sees_as_causal)
FLASH(flash_from_start, x.sees = sees_from_start)
FLASH(flash_before_itself, x.sees = sees_before_itself)
FLASH(flash_one_more, x.sees = sees_one_more)
FLASH(flash_future, x.sees = sees_future)
FLASH(flash_within_tile, x.sees = sees_within_tile)
FLASH(flash_tile_subtracted, x.sees = sees_tile_subtracted)
FLASH(flash_own_tile, x.sees = sees_own_tile)
FLASH(flash_wrapped, x.sees = sees_wrapped)
FLASH(flash_whole_tiles, x.sees = sees_whole_tiles)
FLASH(flash_ragged_dropped, x.keys_to = S / Bc * Bc)
FLASH(flash_padded, x.padded = (S + Bc - 1) / Bc * Bc - S)
FLASH(flash_first_tile, x.visits = visits_first)
FLASH(flash_last_tile, x.merging = REPLACED)
FLASH(flash_started_once, x.start = ONCE)
FLASH(flash_started_in_head, x.start = IN_EACH_HEAD)
FLASH(flash_old_left, x.merging = OLD_LEFT)
FLASH(flash_sum_left, x.merging = OLD_SUM_LEFT)
FLASH(flash_weighted_left, x.merging = OLD_WEIGHTED_LEFT)
FLASH(flash_tile_left, x.merging = TILE_LEFT)
FLASH(flash_inverted, x.merging = OLD_INVERTED)
FLASH(flash_last_maximum, x.merging = LAST_MAXIMUM)
FLASH(flash_from_0, x.merging = MAXIMUM_FROM_0)
FLASH(flash_from_0_guarded, (x.merging = MAXIMUM_FROM_0, x.log = EMPTY_0))
FLASH(flash_from_1e9, x.merging = MAXIMUM_FROM_1E9)
FLASH(flash_from_1e9_guarded, (x.merging = MAXIMUM_FROM_1E9, x.log = EMPTY_MAX))
FLASH(flash_no_maximum, x.merging = NO_MAXIMUM)
FLASH(flash_base_2, x.merging = BASE_2)
FLASH(flash_divided_each_time, x.merging = DIVIDED_EACH_TIME)
FLASH(flash_normal_each_time, (x.merging = DIVIDED_EACH_TIME, x.ending = NOT_DIVIDED))
FLASH(flash_softmaxes_added, (x.merging = SOFTMAX_OF_TILE, x.ending = NOT_DIVIDED))
FLASH(flash_softmaxes_averaged,
      (x.merging = SOFTMAX_OF_TILE, x.ending = DIVIDED_BY_TILES))
FLASH(flash_not_divided, x.ending = NOT_DIVIDED)
FLASH(flash_divided_by_last, x.ending = DIVIDED_BY_LAST)
FLASH(flash_empty_nan, x.ending = EMPTY_NAN)
FLASH(flash_log_sum, x.log = LOG_SUM)
FLASH(flash_max_only, x.log = MAX_ONLY)
FLASH(flash_max_and_sum, x.log = MAX_AND_SUM)
FLASH(flash_log_base_2, x.log = IN_BASE_2)
FLASH(flash_log_last_max, x.log = LAST_MAX_AND_LOG_SUM)
FLASH(flash_log_minus, x.log = LOG_SUM_MINUS_MAX)
FLASH(flash_log_subtracted, x.log = MAX_MINUS_LOG_SUM)
FLASH(flash_log_empty_0, x.log = EMPTY_0)
FLASH(flash_log_unscaled, x.log = UNSCALED)
FLASH(flash_values_are_keys, x.v = k)
FLASH(flash_keys_are_values, x.k = v)
FLASH(flash_head_0, x.k_at.h = x.v_at.h = 0)
FLASH(flash_sequence_0, x.k_at.b = x.v_at.b = 0)
FLASH(flash_first_keys, x.first_tile_k = true)
FLASH(flash_first_values, x.first_tile_v = true)
FLASH(flash_first_keys_and_values, x.first_tile_k = x.first_tile_v = true)
FLASH(flash_first_queries, x.first_tile_q = true)
FLASH(flash_tokens,
      (x.q_at = x.out_at = in_tokens(NH, T, hs), x.k_at = x.v_at = in_tokens(NH, S, hs)))
FLASH(flash_out_tokens, x.out_at = in_tokens(NH, T, hs))
FLASH(flash_k_not_transposed, (x.k_at.t = 1, x.channel_step = S))

#define SCALE_WHY                                                                        \
    "A score is the dot product of a query and a key, divided by sqrt(hs): once, and "   \
    "before exp."
#define RULE_WHY "Query t sees key s if s <= t + S - T, so the last query sees every key."
#define RESCALE_WHY                                                                      \
    "If a tile has a larger maximum, rescale the earlier result to it: multiply both "   \
    "the old sum and the old weighted values by exp(old maximum - new one), as "         \
    "online_softmax_merge does."
#define ONCE_WHY                                                                         \
    "weighted and sum stay undivided until all tiles of keys have been merged. Divide "  \
    "once, after the loop."
#define LOG_WHY "logsumexp = max + log(sum), of the part of all keys."
#define START_WHY                                                                           \
    "Each tile of queries begins without keys: max -INFINITY, sum 0, weighted 0. Set them " \
    "before the loop over the tiles of keys."

const struct mistake flash_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = "NVIDIA/Megatron-LM#320, PAIR-code/tiny-transformers#71",
        .function = LIKE(flash_attention, flash_no_scale),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs: the scale is applied twice",
        .why = SCALE_WHY " partial_attention does it already.",
        .source = "lucidrains/x-transformers#190",
        .function = LIKE(flash_attention, flash_over_hs),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(hs)",
        .why = SCALE_WHY,
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(flash_attention, flash_multiplied),
    },
    {
        .id = "sqrt-C",
        .what = "the scores are divided by the root of the model width, NH hs",
        .why = "Each head multiplies vectors of hs numbers: sqrt(hs).",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(flash_attention, flash_sqrt_C),
    },
    {
        .id = "sqrt-Bc",
        .what = "the scores are divided by the root of Bc",
        .why = SCALE_WHY " The size of a tile makes no difference to the result.",
        .function = LIKE(flash_attention, flash_sqrt_Bc),
    },
    {
        .id = "causal-ignored",
        .what = "causal has no effect: every query sees every key",
        .why = RULE_WHY,
        .source = "triton-lang/triton#7216",
        .function = LIKE(flash_attention, flash_no_mask),
    },
    {
        .id = "mask-is-0",
        .what = "a forbidden key has the score 0, so it still gets a weight",
        .why =
            "exp(0 - max) is not 0. A forbidden key has no score: leave it out, or make "
            "it -INFINITY.",
        .source = NULL,
        .function = LIKE(flash_attention, flash_score_0),
    },
    {
        .id = "always-causal",
        .what = "the attention is causal even if causal is false",
        .why =
            "If causal is false, every query sees every key: any diagonal of Bc or more.",
        .function = LIKE(flash_attention, flash_always_causal),
    },
    {
        .id = "aligned-at-the-start",
        .what = "query t sees the keys s <= t, also where T and S differ",
        .why = RULE_WHY " The term S - T is missing.",
        .source = "gittensor-ai-lab/sparkinfer#3, NVIDIA/cutlass#2336, "
                  "Dao-AILab/flash-attention#282",
        .function = LIKE(flash_attention, flash_from_start),
    },
    {
        .id = "itself-unseen",
        .what = "query t sees the keys s < t + S - T: the newest key is missing",
        .why = RULE_WHY,
        .function = LIKE(flash_attention, flash_before_itself),
    },
    {
        .id = "one-key-more",
        .what = "query t sees the keys s <= t + S - T + 1: one key in the future",
        .why = RULE_WHY,
        .function = LIKE(flash_attention, flash_one_more),
    },
    {
        .id = "future-only",
        .what = "query t sees the keys s >= t + S - T",
        .why = RULE_WHY,
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(flash_attention, flash_future),
    },
    {
        .id = "tile-forgotten",
        .what = "the causal rule counts queries and keys from the start of their tiles",
        .why =
            "Query r of a tile is query t0 + r, and key c is key s0 + c. So diagonal is t0 + "
            "S - T - s0, another number for each tile.",
        .function = LIKE(flash_attention, flash_within_tile),
    },
    {
        .id = "tile-subtracted",
        .what = "diagonal has t0 and s0 with the wrong signs",
        .why = "s0 + c <= t0 + r + S - T, so diagonal = t0 + S - T - s0.",
        .function = LIKE(flash_attention, flash_tile_subtracted),
    },
    {
        .id = "tile-by-tile-rule",
        .what =
            "tile i of queries sees the tiles of keys before tile i, and c <= r in tile i",
        .why = "That is the causal rule only if Br = Bc and T = S. " RULE_WHY,
        .source = "Dao-AILab/flash-attention#436",
        .function = LIKE(flash_attention, flash_own_tile),
    },
    {
        .id = "whole-tiles",
        .what = "in a tile in which one query sees a key, all queries see all keys",
        .why = "A tile may be visited for its last query alone: each query has its own "
               "last key. " RULE_WHY,
        .source = "triton-lang/triton#7216",
        .function = LIKE(flash_attention, flash_whole_tiles),
    },
    {
        .id = "unsigned-wraps",
        .what = "queries that should see no key see every key",
        .why =
            "For t + S < T, t + S - T is negative, and as a size_t it is huge. Compare s + T "
            "<= t + S, or compute with ptrdiff_t.",
        .function = LIKE(flash_attention, flash_wrapped),
    },
    {
        .id = "ragged-tile-dropped",
        .what = "the keys of the last tile are missing where Bc does not divide S",
        .why = "There are S / Bc tiles, rounded up. The last one has S - s0 keys.",
        .source = "jax-ml/jax#27224",
        .function = LIKE(flash_attention, flash_ragged_dropped),
    },
    {
        .id = "padding-counted",
        .what =
            "the last tile is filled up with zeros, and they count as keys with the score 0",
        .why = "exp(0 - max) is not 0. Give the places past the last key the score "
               "-INFINITY, or end the loops there.",
        .source = "jax-ml/jax#27224, FluxML/NNkernels.jl#16",
        .function = LIKE(flash_attention, flash_padded),
    },
    {
        .id = "first-tile-only",
        .what = "only the first tile of keys counts",
        .why = "Merge the part of every tile of keys before you divide.",
        .function = LIKE(flash_attention, flash_first_tile),
    },
    {
        .id = "last-tile-only",
        .what = "each tile of keys replaces the result of the earlier tiles",
        .why = "online_softmax_merge adds a part to the earlier result. " START_WHY,
        .function = LIKE(flash_attention, flash_last_tile),
    },
    {
        .id = "started-once",
        .what = "a tile of queries starts with the results of the previous tile",
        .why = START_WHY,
        .function = LIKE(flash_attention, flash_started_once),
    },
    {
        .id = "started-once-a-head",
        .what = "a tile of queries starts with the results of the previous tile in the "
                "same head",
        .why = START_WHY,
        .function = LIKE(flash_attention, flash_started_in_head),
    },
    {
        .id = "old-not-rescaled",
        .what = "sum and weighted are not rescaled when a tile has a larger maximum",
        .why = RESCALE_WHY,
        .source = "PaddleJitLab/CUDATutorial#69, Dao-AILab/flash-attention#411",
        .function = LIKE(flash_attention, flash_old_left),
    },
    {
        .id = "sum-not-rescaled",
        .what = "the old sum is not rescaled, but weighted is",
        .why = RESCALE_WHY,
        .function = LIKE(flash_attention, flash_sum_left),
    },
    {
        .id = "weighted-not-rescaled",
        .what = "the old weighted values are not rescaled; sum is",
        .why = RESCALE_WHY,
        .source = "Dao-AILab/flash-attention#411",
        .function = LIKE(flash_attention, flash_weighted_left),
    },
    {
        .id = "tile-not-rescaled",
        .what = "a tile's exponentials stay relative to its own maximum",
        .why = "If the maximum so far is larger, multiply the tile's part by exp(its "
               "maximum - the larger one).",
        .source = "meta-pytorch/MSLK#242",
        .function = LIKE(flash_attention, flash_tile_left),
    },
    {
        .id = "factor-inverted",
        .what =
            "the old sum and weighted values are multiplied by exp(new maximum - old one)",
        .why =
            "The larger maximum makes every exponential smaller: exp(old - new). (Algorithm 1 "
            "of the FlashAttention-2 paper has this misprint in line 10.)",
        .source = "Dao-AILab/flash-attention#991, #333, deepseek-ai/FlashMLA#177",
        .function = LIKE(flash_attention, flash_inverted),
    },
    {
        .id = "maximum-of-last-tile",
        .what =
            "everything is rescaled to the last tile's maximum, not to the largest one",
        .why = "If an earlier tile had a score that is larger by 89, its exponential "
               "overflows. Keep the larger of the two.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(flash_attention, flash_last_maximum),
    },
    {
        .id = "maximum-from-0",
        .what = "the maximum of a query starts at 0",
        .why =
            "All scores may be far below 0, and then every exponential is 0. Start with "
            "-INFINITY.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(flash_attention, flash_from_0),
    },
    {
        .id = "maximum-from-0-guarded",
        .what =
            "the maximum of a query starts at 0, and log(sum) is left out where sum is 0",
        .why =
            "All scores may be far below 0, and then every exponential is 0. Start with "
            "-INFINITY.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(flash_attention, flash_from_0_guarded),
    },
    {
        .id = "maximum-from-1e9",
        .what = "the maximum of a query starts at a number such as -1e9",
        .why = FAR_DOWN_WHY,
        .function = LIKE(flash_attention, flash_from_1e9),
    },
    {
        .id = "maximum-from-1e9-guarded",
        .what = "the maximum of a query starts at a number such as -1e9, and log(sum) is "
                "left out where sum is 0",
        .why = FAR_DOWN_WHY,
        .function = LIKE(flash_attention, flash_from_1e9_guarded),
    },
    {
        .id = "no-maximum",
        .what = "the largest score is not subtracted before exp",
        .why = "exp overflows above 88.",
        .source = "pytorch/executorch#18407",
        .function = LIKE(flash_attention, flash_no_maximum),
    },
    {
        .id = "base-2",
        .what = "the exponentials are powers of 2, not of e",
        .why = "exp2f(x) is expf(x) only if x is multiplied by log2(e) = 1.4427 first.",
        .source = "sgl-project/sglang#40903",
        .function = LIKE(flash_attention, flash_base_2),
    },
    {
        .id = "divided-each-time",
        .what =
            "weighted is divided by sum after every tile, and then used as if it were "
            "undivided",
        .why = ONCE_WHY,
        .source = "Dao-AILab/flash-attention#1349",
        .function = LIKE(flash_attention, flash_divided_each_time),
    },
    {
        .id = "divided-in-the-loop",
        .what = "weighted is divided by sum after every tile, and not at the end",
        .why = ONCE_WHY,
        .source = "Dao-AILab/flash-attention#1349",
        .function = LIKE(flash_attention, flash_normal_each_time),
    },
    {
        .id = "softmaxes-added",
        .what = "out adds up the softmaxes of the tiles, each divided by its own sum",
        .why = "The weights of all tiles together must sum to 1. " ONCE_WHY,
        .source =
            "flashinfer-ai/flashinfer#533 (a variant without softmax adds its parts)",
        .function = LIKE(flash_attention, flash_softmaxes_added),
    },
    {
        .id = "softmaxes-averaged",
        .what = "out is the mean of the softmaxes of the tiles",
        .why = "A tile with larger scores counts for more. " ONCE_WHY,
        .function = LIKE(flash_attention, flash_softmaxes_averaged),
    },
    {
        .id = "not-divided",
        .what = "out is not divided by the sum of the exponentials",
        .why = "out = weighted / sum. " ONCE_WHY,
        .function = LIKE(flash_attention, flash_not_divided),
    },
    {
        .id = "divided-by-last-sum",
        .what = "out is divided by the sum of the last tile alone",
        .why = "Divide by the sum of all keys: that of the merged part, not of the last "
               "tile.",
        .function = LIKE(flash_attention, flash_divided_by_last),
    },
    {
        .id = "empty-nan",
        .what = "a query that sees no key gets NaN in out",
        .why = "Its sum is 0, and 0 / 0 is NaN. The contract says that out is 0.",
        .source = "Dao-AILab/flash-attention#1778, tracel-ai/burn#4694",
        .function = LIKE(flash_attention, flash_empty_nan),
    },
    {
        .id = "logsumexp-without-max",
        .what = "logsumexp is log(sum), without max",
        .why = LOG_WHY " sum contains exp(score - max), so the max must be added again.",
        .source = "Dao-AILab/flash-attention#404",
        .function = LIKE(flash_attention, flash_log_sum),
    },
    {
        .id = "logsumexp-without-log-sum",
        .what = "logsumexp is max alone",
        .why = LOG_WHY,
        .source = "Dao-AILab/flash-attention#1884",
        .function = LIKE(flash_attention, flash_max_only),
    },
    {
        .id = "logsumexp-without-log",
        .what = "logsumexp is max + sum, without the log",
        .why = LOG_WHY,
        .function = LIKE(flash_attention, flash_max_and_sum),
    },
    {
        .id = "logsumexp-base-2",
        .what = "logsumexp is in base 2",
        .why =
            "Some kernels compute with 2^x and store it like this. Here it is the natural "
            "logarithm: multiply by ln(2) = 0.6931.",
        .source = "flashinfer-ai/flashinfer#4547, sgl-project/sglang#40903",
        .function = LIKE(flash_attention, flash_log_base_2),
        .convention = true,
    },
    {
        .id = "logsumexp-of-last-max",
        .what = "logsumexp uses the maximum of the last tile",
        .why = LOG_WHY,
        .function = LIKE(flash_attention, flash_log_last_max),
    },
    {
        .id = "logsumexp-minus-max",
        .what = "logsumexp is log(sum) - max",
        .why = LOG_WHY,
        .function = LIKE(flash_attention, flash_log_minus),
    },
    {
        .id = "logsumexp-subtracted",
        .what = "logsumexp is max - log(sum)",
        .why = LOG_WHY,
        .source = NULL,
        .function = LIKE(flash_attention, flash_log_subtracted),
    },
    {
        .id = "logsumexp-empty-0",
        .what = "a query that sees no key gets the logsumexp 0",
        .why = "The log of a sum of 0 is -INFINITY. With 0, this part would get a share "
               "when parts are combined.",
        .source = "flashinfer-ai/flashinfer#3943, NVIDIA/Megatron-LM#6910",
        .function = LIKE(flash_attention, flash_log_empty_0),
    },
    {
        .id = "logsumexp-unscaled",
        .what = "logsumexp uses the largest dot product, without 1/sqrt(hs)",
        .why = LOG_WHY " max is the largest score, and a score is scaled.",
        .source = "flashinfer-ai/flashinfer#4401",
        .function = LIKE(flash_attention, flash_log_unscaled),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values.",
        .function = LIKE(flash_attention, flash_values_are_keys),
    },
    {
        .id = "keys-are-values",
        .what = "the queries are compared with the values, not with the keys",
        .why = "The keys determine the weights, and the weights mix the values.",
        .function = LIKE(flash_attention, flash_keys_are_values),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads of a sequence use the keys and values of its head 0",
        .why = "Head h of sequence b starts (b * NH + h) * S * hs after the first one.",
        .function = LIKE(flash_attention, flash_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Head h of sequence b starts (b * NH + h) * S * hs after the first one.",
        .function = LIKE(flash_attention, flash_sequence_0),
    },
    {
        .id = "keys-of-first-tile",
        .what = "every tile has the keys of the first tile, with its own values",
        .why = "Both the keys and the values of a tile begin s0 rows into the head.",
        .function = LIKE(flash_attention, flash_first_keys),
    },
    {
        .id = "values-of-first-tile",
        .what = "every tile has the values of the first tile, with its own keys",
        .why = "Both the keys and the values of a tile begin s0 rows into the head.",
        .function = LIKE(flash_attention, flash_first_values),
    },
    {
        .id = "first-tile-again",
        .what = "every tile has the keys and values of the first tile",
        .why = "The keys and values of a tile begin s0 rows into the head.",
        .function = LIKE(flash_attention, flash_first_keys_and_values),
    },
    {
        .id = "queries-of-first-tile",
        .what = "every tile of queries has the queries of the first one",
        .why = "The queries of a tile begin t0 rows into the head.",
        .function = LIKE(flash_attention, flash_first_queries),
    },
    {
        .id = "not-in-heads",
        .what = "q, k, v and out are read as (B,T,NH,hs)",
        .why = "They are (B,NH,T,hs): the rows of one head are contiguous. "
               "(FlashAttention's own library has the other order.)",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(flash_attention, flash_tokens),
    },
    {
        .id = "out-not-in-heads",
        .what = "out is written as (B,T,NH,hs)",
        .why = "out is (B,NH,T,hs), like q.",
        .function = LIKE(flash_attention, flash_out_tokens),
    },
    {
        .id = "k-not-transposed",
        .what = "k is read as (hs,S)",
        .why = "Number i of key s is k[s * hs + i].",
        .function = LIKE(flash_attention, flash_k_not_transposed),
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(flash_attention, flash_half_warp),
        .gpu = true,
    },
    {0},
};

// ---- other right ones ---------------------------------------------------------------------

FLASH(flash_in_double, (void)0)

// The first form of FlashAttention: weighted is always divided by the sum so far. Another size of
// tiles, and the keys from the last to the first, each a tile.
static lab_status flash_divided_always(FLASH_ARGUMENTS)
{
    (void)z, (void)Br, (void)Bc;
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)hs);
    memset(out, 0, B * NH * T * hs * sizeof *out);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        float max = -INFINITY, sum = 0.0f, *out_n = out + n * hs;
        for (size_t s = S; s-- > 0;) {
            if (causal && s + T > t + S) {
                continue;
            }
            float score = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                score += scale * q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            const float m = fmaxf(max, score), old = expf(max - m) * sum;
            const float new = expf(score - m);
            sum = old + new;
            max = m;
            for (size_t c = 0; c < hs; c++) {
                out_n[c] = (old * out_n[c] + new *v[(i * S + s) * hs + c]) / sum;
            }
        }
        logsumexp[n] = max + logf(sum);
    }
    return LAB_OK;
}

// With 2^x: the scores are multiplied by log2(e), as on a GPU. The lane of a warp adds up every 32nd
// key.
static lab_status flash_with_exp2(FLASH_ARGUMENTS)
{
    (void)z, (void)Br, (void)Bc;
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    enum { LANES = 32 };
    const float ln2 = 0.693147181f, log2e = 1.44269504f;
    const float scale = log2e / sqrtf((float)hs);
    float *scores = borrow(S);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        const size_t seen = !causal ? S : t + 1 + S > T ? t + 1 + S - T : 0;
        float max = -INFINITY, sums[LANES] = {0}, sum = 0.0f;
        for (size_t s = 0; s < seen; s++) {
            scores[s] = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                scores[s] += q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            max = fmaxf(max, scores[s]);
        }
        memset(out + n * hs, 0, hs * sizeof *out);
        for (size_t s = 0; s < seen; s++) {
            const float e = exp2f(scores[s] * scale - max * scale);
            sums[s % LANES] += e;
            for (size_t c = 0; c < hs; c++) {
                out[n * hs + c] += e * v[(i * S + s) * hs + c];
            }
        }
        for (size_t lane = 0; lane < LANES; lane++) {
            sum += sums[lane];
        }
        for (size_t c = 0; seen > 0 && c < hs; c++) {
            out[n * hs + c] *= 1.0f / sum;
        }
        logsumexp[n] = (max * scale + log2f(sum)) * ln2;
    }
    free(scores);
    return LAB_OK;
}

// As lab 4 does it: the scores of a head, a softmax of each row, the product with v.
static lab_status flash_with_weights(FLASH_ARGUMENTS)
{
    (void)z;
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    float *weights = borrow(T * S);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        float max = -INFINITY, sum = 0.0f, *row = weights + t * S;
        for (size_t s = 0; s < S; s++) {
            row[s] = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                row[s] += q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            row[s] = causal && s + T > t + S ? -INFINITY : row[s] / sqrtf((float)hs);
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = row[s] == -INFINITY ? 0.0f : expf(row[s] - max);
            sum += row[s];
        }
        logsumexp[n] = max + logf(sum);
        memset(out + n * hs, 0, hs * sizeof *out);
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            for (size_t c = 0; c < hs; c++) {
                out[n * hs + c] += row[s] / sum * v[(i * S + s) * hs + c];
            }
        }
    }
    free(weights);
    return LAB_OK;
}

const struct mistake flash_alternatives[] = {
    {.id = "in-double", .function = LIKE(flash_attention, flash_in_double)},
    {.id = "divided-always", .function = LIKE(flash_attention, flash_divided_always)},
    {.id = "with-exp2", .function = LIKE(flash_attention, flash_with_exp2)},
    {.id = "with-weights", .function = LIKE(flash_attention, flash_with_weights)},
    {0},
};
