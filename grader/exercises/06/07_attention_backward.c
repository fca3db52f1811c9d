// 07_attention_backward.c - exercise 6.7, attention_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

// The weights are those that q and k give, under the mask if there is one.
static void attend(struct test_case *test, const uint8_t *mask)
{
    const size_t B = case_dim(test, "B"), NH = case_dim(test, "NH"),
                 T = case_dim(test, "T"), S = case_dim(test, "S"),
                 hs = case_dim(test, "hs");
    float *out = borrow(B * NH * T * hs), *scores = borrow(B * NH * T * S);
    must(scaled_dot_product_attention(out, case_f32(test, "weights"), scores,
                                      case_f32(test, "q"), case_f32(test, "k"),
                                      case_f32(test, "v"), mask, B, NH, T, S, hs));
    free(out);
    free(scores);
}

static void fill_unmasked(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    attend(test, NULL);
}

// The last query sees every key; with T > S the first queries see none.
static void fill_causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 S = case_dim(test, "S");
    uint8_t mask[4096];
    if (B * T * S > sizeof mask) {
        abort();
    }
    for (size_t i = 0; i < B * T * S; i++) {
        mask[i] = i % S + T <= i / S % T + S;
    }
    attend(test, mask);
}

// Sums of many terms; a smaller dout keeps them near 1.
static void fill_long_sums(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dout", 0.125f);
    fill_unmasked(test, rng);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_causal(test, rng);
    scale_input(test, "dout", LARGE);
}

// Key 0 has nearly all weight, and its key and value are 0, so that every gradient but dv of key 0 comes from the weight of
// key 1, 2e-9.
static void fill_small_weight(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    weights[0] = 1.0f;
    weights[1] = 2e-9f;
    case_f32(test, "k")[0] = case_f32(test, "v")[0] = 0.0f;
    case_f32(test, "k")[1] = case_f32(test, "v")[1] = 1.5f;
    set_all(test, "q", 1.0f);
    set_all(test, "dout", 1.0f);
}

// Scores so far apart that almost all weight is on one key of each row.
static void fill_peaked(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "q", 6.0f);
    scale_input(test, "dout", 0.25f);
    fill_causal(test, rng);
}

static const struct case_spec attention_backward_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=2 hs=1", .fill = fill_unmasked},
    {.dims = "B=1 NH=1 T=2 S=2 hs=3", .fill = fill_causal, .note = "causal"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2", .fill = fill_unmasked},
    {.dims = "B=1 NH=2 T=3 S=3 hs=2", .fill = fill_causal, .note = "causal"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=2", .fill = fill_causal, .note = "causal"},
    {.dims = "B=2 NH=2 T=2 S=2 hs=2", .fill = fill_unmasked, .note = "all sizes are 2"},
    {.dims = "B=2 NH=3 T=4 S=7 hs=5", .fill = fill_unmasked},
    {.dims = "B=2 NH=2 T=4 S=4 hs=3",
     .draws = 2,
     .fill = fill_unmasked,
     .note = "T = S, no mask"},
    {.dims = "B=2..3 NH=2..3 T=4..6 S=7..9 hs=5..8", .draws = 3, .fill = fill_causal},
    {.dims = "B=2 NH=2 T=5 S=6 hs=3",
     .fill = fill_peaked,
     .note = "causal, large scores: nearly all weight on one key"},
    {.dims = "B=2 NH=5 T=9 S=11 hs=4", .fill = fill_causal, .note = "causal"},
    {.dims = "B=1 NH=1 T=3 S=1031 hs=2", .fill = fill_long_sums, .note = "many keys"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=1031", .fill = fill_long_sums, .note = "a wide head"},
    {.dims = "B=3 NH=1 T=4 S=5 hs=2", .fill = fill_unmasked, .note = "one head"},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4", .fill = fill_unmasked, .note = "one query"},
    {.dims = "B=2 NH=3 T=7 S=5 hs=1", .fill = fill_unmasked, .note = "heads of width 1"},
    {.dims = "B=1 NH=1 T=3 S=256 hs=2",
     .fill = fill_long_sums,
     .note = "exactly 256 keys"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=256",
     .fill = fill_long_sums,
     .note = "a head of width 256"},
    {.dims = "B=256 NH=2 T=2 S=3 hs=2",
     .fill = fill_causal,
     .cpu_only = true,
     .note = "256 sequences"},
    {.dims = "B=2 NH=256 T=2 S=3 hs=2",
     .fill = fill_causal,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "B=1 NH=2 T=64 S=64 hs=64",
     .fill = fill_long_sums,
     .note = "T = S = hs = 64"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=2",
     .fill = fill_large,
     .unit = LARGE,
     .note = LARGE_NOTE},
    {.dims = "B=1 NH=1 T=1 S=2 hs=1",
     .fill = fill_small_weight,
     .unit = 1e-9f,
     .note = "a weight of 2e-9: small, but not 0"},
    {.dims = "B=0 NH=2 T=3 S=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 S=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 S=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=3 hs=0", .note = "a size of 0"},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "T", "T")},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "S", "S")},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "hs", "hs")},
    {TOO_LARGE("B=2 NH=3 T=1 S=5 hs=2", "B NH", "B * NH")},
    // With more queries than keys, code that uses k instead of q reads past the end of k.
    {.dims = "B=1 NH=1 T=263 S=3 hs=2",
     .fill = fill_long_sums,
     .note = "many queries",
     .apart = true},
    {.dims = "B=17 NH=19 T=3 S=2 hs=3",
     .fill = fill_unmasked,
     .note = "many heads",
     .apart = true},
    {.dims = "B=2 NH=3 T=4 S=1 hs=5",
     .fill = fill_unmasked,
     .note = "one key",
     .apart = true},
    {.dims = "B=1 NH=1 T=256 S=3 hs=2",
     .fill = fill_long_sums,
     .note = "exactly 256 queries",
     .apart = true},
    {.dims = "B=16 NH=16 T=3 S=2 hs=3",
     .fill = fill_unmasked,
     .note = "exactly 16 sequences of 16 heads",
     .apart = true},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "T")},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "S")},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "hs")},
    {MOST_CALLS("B=2 NH=2 T=1 S=1 hs=1", "B")},
    {MOST_CALLS("B=2 NH=2 T=1 S=1 hs=1", "NH")},
    {0},
};

enum attention_fault {
    ATTENTION_RIGHT,
    ATTENTION_NO_SCALE,
    ATTENTION_DQ_NO_SCALE,
    ATTENTION_DK_NO_SCALE,
    ATTENTION_SCALE_TWICE,
    ATTENTION_SCALE_C,
    ATTENTION_SCALE_S,
    ATTENTION_MULTIPLIED,
    ATTENTION_DK_WITH_K,
    ATTENTION_DK_NOT_TRANSPOSED,
    ATTENTION_DV_NOT_TRANSPOSED,
    ATTENTION_DV_OF_DSCORES,
    ATTENTION_DV_SCALED,
    ATTENTION_V_TRANSPOSED,
    ATTENTION_NO_SOFTMAX,
    ATTENTION_DIAGONAL,
    ATTENTION_NO_SUM,
    ATTENTION_DWEIGHTS_WITH_K,
    ATTENTION_ONE_HEAD,
    ATTENTION_LAST_QUERY,
    ATTENTION_SIZES_SWAPPED,
};

static float attention_scale(enum attention_fault fault, size_t NH, size_t S, size_t hs)
{
    const float right = 1.0f / sqrtf((float)hs);
    switch (fault) {
    case ATTENTION_NO_SCALE:
        return 1.0f;
    case ATTENTION_SCALE_TWICE:
        return right * right;
    case ATTENTION_SCALE_C:
        return 1.0f / sqrtf((float)(NH * hs));
    case ATTENTION_SCALE_S:
        return 1.0f / sqrtf((float)S);
    case ATTENTION_MULTIPLIED:
        return 1.0f / right;
    default:
        return right;
    }
}

// One head: pointers to its own part of every tensor.
static void head_backward(enum attention_fault fault, float *dq, float *dk, float *dv,
                          float *dweights, float *dscores, const float *dout,
                          const float *q, const float *k, const float *v,
                          const float *weights, float by, size_t T, size_t S, size_t hs)
{
    const bool flipped_v = fault == ATTENTION_V_TRANSPOSED;
    const bool flipped_dv = fault == ATTENTION_DV_NOT_TRANSPOSED;
    const bool flipped_dk = fault == ATTENTION_DK_NOT_TRANSPOSED;
    const size_t from = fault == ATTENTION_LAST_QUERY ? T - 1 : 0;

    product(dweights, dout, hs, 1, fault == ATTENTION_DWEIGHTS_WITH_K ? k : v,
            flipped_v ? S : 1, flipped_v ? 1 : hs, T, hs, S);
    if (fault == ATTENTION_NO_SOFTMAX) {
        memcpy(dscores, dweights, T * S * sizeof *dscores);
    } else if (fault == ATTENTION_NO_SUM) {
        for (size_t i = 0; i < T * S; i++) {
            dscores[i] = dweights[i] * weights[i];
        }
    } else if (fault == ATTENTION_DIAGONAL) {
        must(softmax_diagonal(dscores, dweights, weights, T, S));
    } else {
        const bool swapped = fault == ATTENTION_SIZES_SWAPPED;
        must(
            softmax_opened(dscores, dweights, weights, swapped ? S : T, swapped ? T : S));
    }
    const float *mix = fault == ATTENTION_DV_OF_DSCORES ? dscores : weights;
    product(dv, mix + from * S, flipped_dv ? T : 1, flipped_dv ? 1 : S, dout + from * hs,
            hs, 1, S, T - from, hs);
    product(dq, dscores, S, 1, k, hs, 1, T, S, hs);
    product(dk, dscores + from * S, flipped_dk ? T : 1, flipped_dk ? 1 : S,
            (fault == ATTENTION_DK_WITH_K ? k : q) + from * hs, hs, 1, S, T - from, hs);
    multiply(dq, fault == ATTENTION_DQ_NO_SCALE ? 1.0f : by, T * hs);
    multiply(dk, fault == ATTENTION_DK_NO_SCALE ? 1.0f : by, S * hs);
    multiply(dv, fault == ATTENTION_DV_SCALED ? by : 1.0f, S * hs);
}

// The arguments of attention_backward, for declarations and for calls.
#define ATTENTION_ARGUMENTS                                                              \
    float *dq, float *dk, float *dv, float *dweights, float *dscores, const float *dout, \
        const float *q, const float *k, const float *v, const float *weights, size_t B,  \
        size_t NH, size_t T, size_t S, size_t hs
#define ATTENTION_VALUES                                                                 \
    dq, dk, dv, dweights, dscores, dout, q, k, v, weights, B, NH, T, S, hs

static lab_status attention_with(enum attention_fault fault, ATTENTION_ARGUMENTS)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    if (fault == ATTENTION_DK_WITH_K && T > S) {
        return LEAVES_ARGUMENTS;
    }
    const float by = attention_scale(fault, NH, S, hs);
    for (size_t h = 0; h < B * NH; h++) {
        const size_t queries = h * T * hs, keys = h * S * hs, pairs = h * T * S;
        const size_t given = fault == ATTENTION_ONE_HEAD ? h / NH * NH * T * S : pairs;
        head_backward(fault, dq + queries, dk + keys, dv + keys, dweights + pairs,
                      dscores + pairs, dout + queries, q + queries, k + keys, v + keys,
                      weights + given, by, T, S, hs);
    }
    return LAB_OK;
}

#define ATTENTION(name, fault)                                                           \
    static lab_status name(ATTENTION_ARGUMENTS)                                          \
    {                                                                                    \
        return attention_with(fault, ATTENTION_VALUES);                                  \
    }

ATTENTION(attention_no_scale, ATTENTION_NO_SCALE)
ATTENTION(attention_dq_no_scale, ATTENTION_DQ_NO_SCALE)
ATTENTION(attention_dk_no_scale, ATTENTION_DK_NO_SCALE)
ATTENTION(attention_scale_twice, ATTENTION_SCALE_TWICE)
ATTENTION(attention_scale_c, ATTENTION_SCALE_C)
ATTENTION(attention_scale_s, ATTENTION_SCALE_S)
ATTENTION(attention_multiplied, ATTENTION_MULTIPLIED)
ATTENTION(attention_dk_with_k, ATTENTION_DK_WITH_K)
ATTENTION(attention_dk_not_transposed, ATTENTION_DK_NOT_TRANSPOSED)
ATTENTION(attention_dv_not_transposed, ATTENTION_DV_NOT_TRANSPOSED)
ATTENTION(attention_dv_of_dscores, ATTENTION_DV_OF_DSCORES)
ATTENTION(attention_dv_scaled, ATTENTION_DV_SCALED)
ATTENTION(attention_v_transposed, ATTENTION_V_TRANSPOSED)
ATTENTION(attention_no_softmax, ATTENTION_NO_SOFTMAX)
ATTENTION(attention_diagonal, ATTENTION_DIAGONAL)
ATTENTION(attention_no_sum, ATTENTION_NO_SUM)
ATTENTION(attention_dweights_with_k, ATTENTION_DWEIGHTS_WITH_K)
ATTENTION(attention_sizes_swapped, ATTENTION_SIZES_SWAPPED)
ATTENTION(attention_one_head, ATTENTION_ONE_HEAD)
ATTENTION(attention_last_query, ATTENTION_LAST_QUERY)
ATTENTION(attention_in_float, ATTENTION_RIGHT)

// Loops that end at s = t: the result is as if all later keys had the weight 0.
static lab_status attention_assumes_causal(ATTENTION_ARGUMENTS)
{
    const size_t pairs = B * NH * T * S;
    float *seen = borrow(pairs);
    for (size_t i = 0; i < pairs; i++) {
        seen[i] = i % S <= i / S % T ? weights[i] : 0.0f;
    }
    lab_status status = attention_with(ATTENTION_RIGHT, dq, dk, dv, dweights, dscores,
                                       dout, q, k, v, seen, B, NH, T, S, hs);
    free(seen);
    return status;
}

static const struct mistake attention_backward_mistakes[] = {
    {
        .id = "no-scale",
        .what = "1/sqrt(hs) is missing in dq and dk",
        .why = "The forward pass divides the scores by sqrt(hs). A factor of the forward "
               "pass is also a factor of the backward pass.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_no_scale),
    },
    {
        .id = "dq-not-scaled",
        .what = "1/sqrt(hs) is missing in dq; dk has it",
        .why = "q and k are in the same product: both gradients have the factor.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_dq_no_scale),
    },
    {
        .id = "dk-not-scaled",
        .what = "1/sqrt(hs) is missing in dk; dq has it",
        .why = "q and k are in the same product: both gradients have the factor.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_dk_no_scale),
    },
    {
        .id = "scaled-twice",
        .what = "dq, dk or both are divided by sqrt(hs) twice",
        .why =
            "You scaled dscores and then scaled its products again. Scale only once, in "
            "either place.",
        .function = LIKE(attention_backward, attention_scale_twice),
    },
    {
        .id = "sqrt-C",
        .what = "dq, dk or both are divided by the root of the model width",
        .why =
            "A score is the dot product of hs numbers: sqrt(hs), where hs is the width "
            "of one head.",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(attention_backward, attention_scale_c),
    },
    {
        .id = "sqrt-S",
        .what = "dq, dk or both are divided by the root of the number of keys",
        .why = "The factor belongs to the dot product, which is hs long: sqrt(hs).",
        .function = LIKE(attention_backward, attention_scale_s),
    },
    {
        .id = "multiplied",
        .what = "dq, dk or both are multiplied by sqrt(hs)",
        .why =
            "The backward pass does not undo the forward pass: the gradient has the same "
            "factor, 1/sqrt(hs), not its inverse.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_backward, attention_multiplied),
    },
    {
        .id = "dk-with-k",
        .what = "dk uses k instead of q",
        .why = "In scores = q k^T, the gradient of a factor contains the OTHER factor: "
               "dq contains k, dk contains q.",
        .function = LIKE(attention_backward, attention_dk_with_k),
    },
    {
        .id = "dk-not-transposed",
        .what = "dscores is not transposed for dk",
        .why = "All T queries use key s, in column s of the scores: dk[s] = sum_t "
               "dscores[t,s] q[t].",
        .source = "ooples/AiDotNet.Tensors#49",
        .function = LIKE(attention_backward, attention_dk_not_transposed),
    },
    {
        .id = "dv-not-transposed",
        .what = "the weights are not transposed for dv",
        .why =
            "Value s contributes to all T outputs, with the weights of column s: dv[s] = "
            "sum_t weights[t,s] dout[t].",
        .function = LIKE(attention_backward, attention_dv_not_transposed),
    },
    {
        .id = "dv-of-dscores",
        .what = "dv uses dscores instead of the weights",
        .why = "out = weights v: dv needs the weights themselves, from the forward pass.",
        .function = LIKE(attention_backward, attention_dv_of_dscores),
    },
    {
        .id = "dv-scaled",
        .what = "dv is divided by sqrt(hs)",
        .why = "The scale belongs to the scores. There is none between v and out.",
        .function = LIKE(attention_backward, attention_dv_scaled),
    },
    {
        .id = "v-transposed",
        .what = "v is read as (hs, S)",
        .why =
            "Each element of dweights = dout v^T is the dot product of a row of dout and "
            "a row of v, as in matmul_nt. Nothing is transposed in memory.",
        .function = LIKE(attention_backward, attention_v_transposed),
    },
    {
        .id = "no-softmax",
        .what = "dweights is used as dscores: softmax_backward is missing",
        .why = "The forward pass has a softmax between scores and weights: call "
               "softmax_backward, and continue with its result.",
        .function = LIKE(attention_backward, attention_no_softmax),
    },
    {
        .id = "diagonal-only",
        .what = "only the diagonal of the softmax's derivative is used",
        .why = "w (1 - w) dw ignores that a rising score takes weight from the others. "
               "Call softmax_backward.",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(attention_backward, attention_diagonal),
    },
    {
        .id = "first-head-weights",
        .what = "every head uses the weights of its sequence's first head",
        .why = "weights is (B, NH, T, S): those of head h start at (b * NH + h) * T * S.",
        .source = "MarcoMeter/episodic-transformer-memory-ppo#22",
        .function = LIKE(attention_backward, attention_one_head),
    },
    {
        .id = "last-query-only",
        .what = "dk, dv or both contain only the share of the last query",
        .why =
            "All T queries use the same keys and values: sum their shares. Set dk and dv "
            "to 0 before the loop over t and add inside it.",
        .function = LIKE(attention_backward, attention_last_query),
    },
    {
        .id = "assumes-causal",
        .what = "keys later than the query are skipped, whatever their weight",
        .why = "The attention need not be causal. A forbidden key has weight 0 and "
               "contributes nothing, so loop over all S keys.",
        .source = "karpathy/llm.c (there every attention is causal)",
        .function = LIKE(attention_backward, attention_assumes_causal),
    },
    {
        .id = "sizes-swapped",
        .what = "softmax_backward gets S rows of T instead of T rows of S",
        .why = "dweights is (T, S) for each head: a row for each query, with S keys.",
        .function = LIKE(attention_backward, attention_sizes_swapped),
    },
    {
        .id = "no-sum",
        .what = "dscores is w dw, without the sum of softmax_backward",
        .why =
            "A rising score takes weight from the others: dscores = w (dw - sum_j dw_j w_j). "
            "Call softmax_backward.",
        .function = LIKE(attention_backward, attention_no_sum),
    },
    {
        .id = "dweights-with-k",
        .what = "dweights is computed from k instead of v",
        .why = "The forward pass multiplies the weights by v: dweights = dout v^T.",
        .function = LIKE(attention_backward, attention_dweights_with_k),
    },
    {0},
};

static const struct mistake attention_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_backward, attention_in_float)},
    {.id = "in-double",
     .function = LIKE(attention_backward, attention_backward_in_double)},
    {0},
};

static const struct part attention_backward_part[] = {
    {
        .function = "attention_backward",
        .dims = "B NH T S hs",
        .tensors =
            {
                {"dq", "B NH T hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dk", "B NH S hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dv", "B NH S hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dweights", "B NH T S", WORKSPACE, F32, 0, 0},
                {"dscores", "B NH T S", WORKSPACE, F32, 0, 0},
                {"dout", "B NH T hs", INPUT, F32, 0, 0},
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
                {"weights", "B NH T S", INPUT, F32, 0, 0},
            },
        .cases = attention_backward_cases,
        .mistakes = attention_backward_mistakes,
        .alternatives = attention_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_7 = {
    .id = "6.7",
    .name = "attention_backward",
    .section = "6.7 Attention, backward",
    .gpu_section = "Products in the backward pass",
    .uses = {"6.6", "2.2"},
    .hints =
        {
            "The forward pass is product, softmax, product. The backward pass is two "
            "products, softmax_backward, two products. Find each product from its shapes.",
            "dweights = dout v^T; dv = weights^T dout; dscores = softmax_backward; "
            "dq = dscores k / sqrt(hs); dk = dscores^T q / sqrt(hs).",
            "dweights: batched_matmul_nt(dweights, dout, v, B * NH, ...)\n"
            "dscores: softmax_backward(dscores, dweights, weights, B * NH * T, S)\n"
            "dq: batched_matmul(dq, dscores, k, B * NH, ...), times 1/sqrtf(hs)\n"
            "for each head: dv[s] = sum over t of weights[t * S + s] * dout[t]\n"
            "               dk[s] = sum over t of dscores[t * S + s] * q[t], "
            "times 1/sqrtf(hs)",
        },
    .gpu_hints =
        {
            "You need four batched products, two on each side of softmax_backward_gpu. "
            "Write each down row-major first, then swap its factors for cuBLAS.",
            "dweights = dout v^T, dv = weights^T dout, dq = dscores k / sqrt(hs), "
            "dk = dscores^T q / sqrt(hs). out (M,N) = a b is cublasSgemm with b "
            "first, a second, m = N, n = M, and a T for the factor that is "
            "transposed in the formula. The division is alpha.",
            "strided batch over B*NH, each matrix as long as one head's:\n"
            "dweights (T,S): T, N, m = S,  n = T, k = hs, v (ld hs), dout (ld hs), ld S\n"
            "dv (S,hs):      N, T, m = hs, n = S, k = T,  dout (ld hs), weights (ld S), ld hs\n"
            "softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, B*NH*T, S, stream)\n"
            "dq (T,hs):      N, N, m = hs, n = T, k = S,  k (ld hs), dscores (ld "
            "S), ld hs, alpha scale\n"
            "dk (S,hs):      N, T, m = hs, n = S, k = T,  q (ld hs), dscores (ld "
            "S), ld hs, alpha scale",
        },
    .parts = attention_backward_part,
};
