// 07_rollout.c - exercise 11.7, attention_rollout: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/11/maps.h"
#include "exercises/common/own.h"

#include <stdlib.h>
#include <string.h>

#include "11_reading_attention/reading.h"

// All that reaches a token from others is near 1e-9.
static void fill_small(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    fill_weights(test, rng);
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i / T % T == i % T ? 1.0f : 0x1p-30f * weights[i];
    }
}

static const struct case_spec rollout_cases[] = {
    {.dims = "L=1 NH=1 T=1", .fill = fill_weights, .note = "one token"},
    {.dims = "L=1 NH=1 T=3", .fill = fill_weights, .note = "one layer of one head"},
    {.dims = "L=1 NH=3 T=4", .fill = fill_weights, .note = "one layer"},
    {.dims = "L=2 NH=1 T=3", .fill = fill_weights, .note = "two layers of one head"},
    {.dims = "L=2 NH=3 T=4", .fill = fill_one_key, .note = "each query has one key"},
    {.dims = "L=3 NH=2 T=5", .draws = 2, .fill = fill_weights},
    {.dims = "L=4 NH=4 T=4", .fill = fill_weights, .note = "all sizes are equal"},
    {.dims = "L=3 NH=5 T=6", .fill = fill_causal, .note = "no token sees a later one"},
    {.dims = "L=2..6 NH=2..7 T=7..13", .draws = 3, .fill = fill_weights},
    {.dims = "L=12 NH=2 T=9", .fill = fill_one_key, .note = "many layers"},
    {.dims = "L=16 NH=1 T=3", .fill = fill_weights, .note = "more than twelve layers"},
    {.dims = "L=2 NH=1 T=3",
     .fill = fill_small,
     .unit = 1e-9f,
     .note = "shares near 1e-9"},
    {.dims = "L=2 NH=12 T=65", .fill = fill_weights, .note = "many tokens"},
    {.dims = "L=3 NH=67 T=3", .fill = fill_causal, .note = "many heads"},
    {.dims = "L=2 NH=256 T=2", .fill = fill_causal, .note = "256 heads"},
    {.dims = "L=3 NH=2 T=1", .fill = fill_weights, .note = "one token, three layers"},
    {.dims = "L=2 NH=2 T=64", .fill = fill_weights, .note = "exactly 64 tokens"},
    {.dims = "L=3 NH=64 T=3", .fill = fill_causal, .note = "exactly 64 heads"},
    {.dims = "L=0 NH=2 T=3", .note = "a size of 0"},
    {.dims = "L=2 NH=0 T=3", .note = "a size of 0"},
    {.dims = "L=2 NH=2 T=0", .note = "a size of 0"},
    {0},
};

// The ways to compute a rollout; all zero is correct.
struct recipe {
    bool no_identity, identity_whole, identity_last; // what becomes of the identity
    bool sum_heads, first_head, largest_head;        // what becomes of the heads
    bool from_the_right, transposed;                 // which product
    bool no_first, no_last, same_layer, layers_of_one_head; // which layers
    bool normalized;        // rows divided by their sum again
    bool factor_transposed; // A_l times the transpose of the product so far
    bool not_carried_on;    // what came before stays layer 0's matrix
    bool over_factor,
        over_zeros; // written where what came before is read; set to 0 first
};

static double over_heads(const struct recipe *r, const float *weights, size_t NH,
                         size_t i, size_t T)
{
    double sum = 0.0, largest = 0.0;
    for (size_t h = 0; h < NH; h++) {
        const double w = (double)weights[h * T * T + i];
        sum += w;
        largest = w > largest ? w : largest;
    }
    return r->sum_heads      ? sum
           : r->first_head   ? (double)weights[i]
           : r->largest_head ? largest
                             : sum / (double)NH;
}

// a = the matrix of a layer
static void layer_matrix(double *a, const struct recipe *r, const float *weights,
                         size_t NH, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        const double mean = over_heads(r, weights, NH, i, T);
        const double self = i / T == i % T ? 1.0 : 0.0;
        a[i] = r->no_identity      ? mean
               : r->identity_whole ? mean + self
                                   : (mean + self) / 2.0;
    }
}

// c = a b
static void multiply(double *c, const double *a, const double *b, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        c[i] = 0.0;
        for (size_t k = 0; k < T; k++) {
            c[i] += a[i / T * T + k] * b[k * T + i % T];
        }
    }
}

// b = a b, number by number: what is written is read again. From zeros: b is set to 0 first.
static void multiply_in_place(double *b, const double *a, bool from_zeros, size_t T)
{
    if (from_zeros) {
        memset(b, 0, T * T * sizeof *b);
    }
    for (size_t i = 0; i < T * T; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < T; k++) {
            sum += a[i / T * T + k] * b[k * T + i % T];
        }
        b[i] = sum;
    }
}

static void transpose(double *a, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        const size_t mirrored = i % T * T + i / T;
        if (i < mirrored) {
            const double kept = a[i];
            a[i] = a[mirrored];
            a[mirrored] = kept;
        }
    }
}

static void normalize_rows(double *a, size_t T)
{
    for (size_t t = 0; t < T; t++) {
        double sum = 0.0;
        for (size_t s = 0; s < T; s++) {
            sum += a[t * T + s];
        }
        for (size_t s = 0; s < T; s++) {
            a[t * T + s] /= sum;
        }
    }
}

static lab_status roll(const struct recipe *r, float *rollout, const float *weights,
                       size_t L, size_t NH, size_t T)
{
    if (L == 0 || NH == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    double *all = calloc(3 * T * T, sizeof *all), *a = all + T * T, *c = a + T * T;
    if (all == NULL) {
        return LAB_ENOMEM;
    }
    for (size_t t = 0; t < T; t++) {
        all[t * T + t] = 1.0;
    }
    const size_t first = r->no_first && L > 1, last = L - (r->no_last && L > 1);
    for (size_t l = first; l < last; l++) {
        const size_t heads = r->layers_of_one_head ? 1 : NH;
        layer_matrix(a, r, weights + (r->same_layer ? 0 : l) * heads * T * T, NH, T);
        if (l > first && (r->over_factor || r->over_zeros)) {
            multiply_in_place(all, a, r->over_zeros, T);
            continue;
        }
        if (r->factor_transposed && l > first) {
            transpose(all, T);
        }
        multiply(c, r->from_the_right ? all : a, r->from_the_right ? a : all, T);
        if (l == first || !r->not_carried_on) {
            memcpy(all, c, T * T * sizeof *all);
        }
    }
    if (r->normalized) {
        normalize_rows(all, T);
    }
    for (size_t i = 0; i < T * T; i++) {
        double value = all[r->transposed ? i % T * T + i / T : i];
        if (r->identity_last) {
            value = (value + (i / T == i % T ? 1.0 : 0.0)) / 2.0;
        }
        rollout[i] = (float)value;
    }
    free(all);
    return LAB_OK;
}

#define ROLLOUT(name, ...)                                                               \
    static lab_status name(float *rollout, float *z, const float *weights, size_t L,     \
                           size_t NH, size_t T)                                          \
    {                                                                                    \
        (void)z;                                                                         \
        return roll(&(struct recipe){__VA_ARGS__}, rollout, weights, L, NH, T);          \
    }

ROLLOUT(rollout_without_identity, .no_identity = true)
ROLLOUT(rollout_not_halved, .identity_whole = true)
ROLLOUT(rollout_identity_at_the_end, .no_identity = true, .identity_last = true)
ROLLOUT(rollout_sum_of_heads, .sum_heads = true)
ROLLOUT(rollout_head_0, .first_head = true)
ROLLOUT(rollout_largest, .largest_head = true, .normalized = true)
ROLLOUT(rollout_other_order, .from_the_right = true)
ROLLOUT(rollout_transposed, .transposed = true)
ROLLOUT(rollout_without_first, .no_first = true)
ROLLOUT(rollout_without_last, .no_last = true)
ROLLOUT(rollout_next_head, .layers_of_one_head = true)
ROLLOUT(rollout_layer_0, .same_layer = true)
ROLLOUT(rollout_normalized_at_the_end, .identity_whole = true, .normalized = true)
ROLLOUT(rollout_over_factor, .over_factor = true)
ROLLOUT(rollout_over_zeros, .over_zeros = true)
ROLLOUT(rollout_factor_transposed, .factor_transposed = true)
ROLLOUT(rollout_not_carried_on, .not_carried_on = true)
ROLLOUT(rollout_in_double, .no_first = false)

// The mean over all layers instead of their product.
static lab_status rollout_mean(float *rollout, float *z, const float *weights, size_t L,
                               size_t NH, size_t T)
{
    (void)z;
    if (L == 0 || NH == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T * T; i++) {
        double sum = 0.0;
        for (size_t n = 0; n < L * NH; n++) {
            sum += (double)weights[n * T * T + i];
        }
        rollout[i] = (float)((sum / (double)(L * NH) + (i / T == i % T)) / 2.0);
    }
    return LAB_OK;
}

#define OWN_BUFFER                                                                       \
    "A product reads its factors until its last number is written, so it needs another " \
    "buffer: z has room for two matrices."
#define HALVES "A layer's matrix is (mean of its heads + identity) / 2."

static const struct mistake rollout_mistakes[] = {
    {
        .id = "without-identity",
        .what = "the residual stream is left out: the identity is not added",
        .why = HALVES " The identity represents the residual stream, which bypasses the "
                      "attention.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_without_identity),
    },
    {
        .id = "not-halved",
        .what = "mean and identity are added, but not halved",
        .why = HALVES " Otherwise the rows of L layers sum to 2^L.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_not_halved),
    },
    {
        .id = "identity-at-the-end",
        .what = "the identity is added once, to the product of all layers",
        .why = HALVES " Each layer has its own residual connection.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_identity_at_the_end),
    },
    {
        .id = "sum-of-heads",
        .what = "the heads are added, not averaged",
        .why = "Divide the sum over the heads by NH.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_sum_of_heads),
    },
    {
        .id = "head-0",
        .what = "only head 0 of each layer counts",
        .why = "Take the mean over all NH heads of a layer.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_head_0),
    },
    {
        .id = "largest-head",
        .what = "the largest weight of the heads counts, not their mean",
        .why = "Some later work does this. Here, as in the paper, it is the mean.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_largest),
        .convention = true,
    },
    {
        .id = "other-order",
        .what = "the layers are multiplied in the wrong order",
        .why = "The input goes through layer 0 first, so its matrix is on the right: "
               "A_(L-1) ... A_1 A_0. Each new layer is multiplied from the left.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_other_order),
    },
    {
        .id = "transposed",
        .what = "rows and columns are swapped",
        .why = "A row is a token after the last layer, a column is a token of the input.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_transposed),
    },
    {
        .id = "without-layer-0",
        .what = "layer 0 is left out",
        .why = "All L layers count: begin with the matrix of layer 0.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_without_first),
    },
    {
        .id = "without-the-last-layer",
        .what = "the last layer is left out",
        .why = "All L layers count.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_without_last),
    },
    {
        .id = "layer-0-only",
        .what = "every layer has the weights of layer 0",
        .why = "Layer l begins at weights + l * NH * T * T.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_layer_0),
    },
    {
        .id = "next-head-for-layer",
        .what = "layer l is read from weights + l T T on, where head l of layer 0 begins",
        .why = "weights is (L, NH, T, T): layer l begins at l * NH * T * T.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_next_head),
    },
    {
        .id = "mean-of-layers",
        .what = "the layers are averaged, not multiplied",
        .why = "What a token reads in layer 1 is already a mixture from layer 0, so "
               "multiply the matrices.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_mean),
    },
    {
        .id = "over-its-factor",
        .what = "the product is written over its own factor, while that is still read",
        .why = OWN_BUFFER,
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_over_factor),
    },
    {
        .id = "over-its-factor-zeroed",
        .what = "the product is written over its own factor, which is set to 0 first",
        .why = OWN_BUFFER,
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_over_zeros),
    },
    {
        .id = "factor-transposed",
        .what = "a layer is multiplied by the transpose of the product so far",
        .why =
            "rollout = A_l rollout: the columns of rollout are the tokens of the input. "
            "matmul_nt would read its rows.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_factor_transposed),
    },
    {
        .id = "product-lost",
        .what = "the result is layer 0's matrix: the products are not kept",
        .why = "Each product takes the place of rollout: the next layer is multiplied by "
               "it.",
        .source = NULL,
        .function = LIKE(attention_rollout, rollout_not_carried_on),
    },
    {0},
};

static const struct mistake rollout_alternatives[] = {
    {.id = "in-double", .function = LIKE(attention_rollout, rollout_in_double)},
    {.id = "normalized-at-the-end",
     .function = LIKE(attention_rollout, rollout_normalized_at_the_end)},
    {0},
};

static const struct part rollout_part[] = {
    {
        .function = "attention_rollout",
        .dims = "L NH T",
        .tensors = {{"rollout", "T T", OUTPUT, F32, 2e-6f, 2e-5f},
                    {"z", "2T T", WORKSPACE, F32, 0, 0},
                    {"weights", "L NH T T", INPUT, F32, 0, 0}},
        .cases = rollout_cases,
        .mistakes = rollout_mistakes,
        .alternatives = rollout_alternatives,
    },
    {0},
};

const struct exercise exercise_11_7 = {
    .id = "11.7",
    .name = "attention_rollout",
    .section = "11.7 Rollout through all layers",
    .hints =
        {
            "Write down the matrix of one layer first. What does its row t say about "
            "token t after the layer?",
            "A_l = (mean over h of weights[l][h] + identity) / 2. Start with A_0; for each "
            "further layer: rollout = A_l rollout. Lab 2's matmul needs another buffer for "
            "its result: z has room for two.",
            "mix(a, l): a[i] = (sum over h of weights[(l * NH + h) * T * T + i] / NH\n"
            "                   + (i / T == i % T)) / 2\n"
            "mix(rollout, 0)\n"
            "for l = 1 ... L - 1:\n"
            "    mix(z, l)\n"
            "    matmul(z + T * T, z, rollout, T, T, T)\n"
            "    memcpy(rollout, z + T * T, T * T * sizeof *rollout)",
        },
    .parts = rollout_part,
};
