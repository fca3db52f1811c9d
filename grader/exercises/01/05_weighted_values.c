// 05_weighted_values.c - exercise 1.5, weighted_values: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "01_simple_attention/attention.h"

// Positive weights that sum to 1 in every row, as from a softmax.
static void shares(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t t = 0; t < case_dim(test, "T"); t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = fabsf(weights[t * S + s]);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, 1.0f / sum);
    }
}

// Weights of both signs, about 1/S: the student archive need not store normals that are only scaled.
static void scaled(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "weights", 1.0f / (float)case_dim(test, "S"));
}

// Row t attends only to key t % S, so its output is that value row.
static void one_key_each(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i / S % S == i % S ? 1.0f : 0.0f;
    }
}

// A weight of 1 does not mean that the others are 0.
static void first_is_1(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    for (size_t t = 0; t < case_dim(test, "T"); t++) {
        case_f32(test, "weights")[t * S] = 1.0f;
    }
}

static void tiny_values(struct test_case *test, struct lab_rng *rng)
{
    shares(test, rng);
    make_whole(test, "v");
    scale_input(test, "v", TINY * TINY);
}

static void large_values(struct test_case *test, struct lab_rng *rng)
{
    shares(test, rng);
    scale_input(test, "v", LARGE);
}

// Equal results take no room in the student archive.
static void only_ones(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const inputs[] = {"weights", "v"};
    for (size_t input = 0; input < sizeof inputs / sizeof inputs[0]; input++) {
        for (size_t i = 0; i < case_count(test, inputs[input]); i++) {
            case_f32(test, inputs[input])[i] = 1.0f;
        }
    }
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "weights", 1);
    repeat_numbers(test, "v", 2);
}

static const struct case_spec values_cases[] = {
    {"T=1 S=1 dv=1", 1, "one key", one_key_each},
    {"T=1 S=2 dv=1", 1, "all attention on one key", one_key_each},
    {"T=3 S=2 dv=2", 1, "all attention on one key", one_key_each},
    {"T=1 S=2 dv=3", 1, NULL, shares},
    {"T=2 S=3 dv=1", 1, "values of width 1", shares},
    {"T=2..4 S=5..7 dv=8..10", 3, NULL, shares},
    {"T=8..10 S=2..4 dv=5..7", 3, NULL, shares},
    {"T=3 S=65 dv=4", 1, "many keys", shares},
    {.dims = "T=4 S=5 dv=3",
     .fill = first_is_1,
     .note = "any weights, negative ones too"},
    {"T=7 S=5 dv=3", 1, NULL, shares},
    {"T=3 S=3 dv=3", 1, "every size is the same", shares},
    {"T=5 S=5 dv=2", 1, "as many keys as queries", shares},
    {"T=3 S=4 dv=4", 1, "v is square", shares},
    {"T=67 S=131 dv=71", 1, "all sizes past 64", shares},
    {"T=1031 S=3 dv=67", 1, "more than 1024 queries", scaled},
    {"T=67 S=1031 dv=3", 1, "more than 1024 keys", scaled},
    {"T=67 S=3 dv=1031", 1, "values wider than 1024", scaled},
    {.dims = "T=5 S=1 dv=3", .fill = shares, .note = "one key"},
    {.dims = "T=256 S=3 dv=64", .fill = scaled, .note = "exactly 256 queries"},
    {.dims = "T=64 S=256 dv=3", .fill = scaled, .note = "exactly 256 keys"},
    {.dims = "T=64 S=3 dv=256", .fill = scaled, .note = "values of width 256"},
    {.dims = "T=0 S=3 dv=2", .note = "no queries: LAB_ESHAPE"},
    {.dims = "T=2 S=0 dv=3", .note = "no keys: LAB_ESHAPE"},
    {.dims = "T=2 S=3 dv=0", .note = "values of width 0: LAB_ESHAPE"},
    {"T=2055 S=2 dv=3", 1, "more than 2048 queries", shares, .gpu_only = true},
    // More than a block of threads has along both: it reads its weights in several parts, for several groups
    // of columns.
    {"T=2 S=263 dv=261", 1, "many keys, many columns", scaled, .gpu_only = true},
    // 48 KiB of shared memory hold 12288 floats.
    {"T=1 S=12301 dv=2", 1, "more than 12288 keys", scaled, .gpu_only = true},
    {MOST("T=2 S=1 dv=1", "T")},
    {MOST("T=1 S=2 dv=1", "S")},
    {MOST("T=1 S=1 dv=2", "dv")},
    // With grid and block exchanged, more threads than a block can have.
    {.dims = "T=1 S=1 dv=32801",
     .note = "more than 32768 columns",
     .fill = only_ones,
     .gpu_only = true,
     .launch_only = true},
    {.dims = "T=3 S=4 dv=2",
     .note = "values near 1e-12",
     .fill = tiny_values,
     .unit = TINY * TINY},
    {.dims = "T=3 S=4 dv=2", .note = LARGE_NOTE, .fill = large_values, .unit = LARGE},
    {TOO_LARGE("T=3 S=2 dv=5", "T", "T")},
    {TOO_LARGE("T=3 S=2 dv=5", "S", "S")},
    {TOO_LARGE("T=3 S=2 dv=5", "dv", "dv")},
    {MORE_THAN_16_BITS("T=65543 S=1 dv=1", repeated, "65543 queries")},
    {MORE_THAN_16_BITS("T=1 S=65543 dv=1", repeated, "65543 keys")},
    {MORE_THAN_16_BITS("T=1 S=1 dv=65543", repeated, "values of width 65543")},
    {0},
};

#define VALUES_ARGUMENTS                                                                 \
    float *out, const float *weights, const float *v, size_t T, size_t S, size_t dv

// VALUES(name, result): a function of the weighted values that returns result.
#define VALUES(name, result)                                                             \
    static lab_status name(VALUES_ARGUMENTS)                                             \
    {                                                                                    \
        (void)weights, (void)v;                                                          \
        return result;                                                                   \
    }

// What a product needs to make weights v.
#define WEIGHTS_AND_V out, by_rows(weights, S), by_rows(v, dv), T, dv, S

// Weights that are all 1.
static struct matrix all_ones(void)
{
    static const float one = 1.0f;
    return (struct matrix){&one, 0, 0};
}

VALUES(values_weights_transposed,
       plain_product(out, by_columns(weights, T), by_rows(v, dv), T, dv, S))
VALUES(values_v_transposed,
       plain_product(out, by_rows(weights, S), by_columns(v, S), T, dv, S))
VALUES(values_out_transposed, transposed_product(WEIGHTS_AND_V))
VALUES(values_mean, product(WEIGHTS_AND_V, 1.0 / (double)S))
VALUES(values_unweighted,
       product(out, all_ones(), by_rows(v, dv), T, dv, S, 1.0 / (double)S))
VALUES(values_rounded,
       round_to_places(out, weighted_values(out, weights, v, T, S, dv), T, dv))
VALUES(values_from_1, product_from_1(WEIGHTS_AND_V))
VALUES(values_whole_sum, product_of_whole_sums(WEIGHTS_AND_V))
VALUES(values_unset, unset(out, T, dv, S))

static lab_status values_last_key(VALUES_ARGUMENTS)
{
    if (T == 0 || S == 0 || dv == 0) {
        return LAB_ESHAPE;
    }
    return plain_product(out, by_rows(weights + S - 1, S), by_rows(v + (S - 1) * dv, dv),
                         T, dv, 1);
}

static const struct mistake values_mistakes[] = {
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(weighted_values, values_rounded),
    },
    {
        .id = "weights-transposed",
        .what = "the weights are read as if they were stored (S,T)",
        .why = "Output row t uses row t of the weights, whose elements are weights[t * "
               "S + s].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_weights_transposed),
    },
    {
        .id = "v-transposed",
        .what = "v is read as if it were stored (dv,S)",
        .why = "v is (S,dv), one value row per key, so element (s, i) is v[s * dv + i]. "
               "Unlike in the scores, nothing is transposed.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_v_transposed),
    },
    {
        .id = "out-transposed",
        .what = "the output is written transposed, as (dv,T)",
        .why = "out is (T,dv), one row per query, so element (t, i) is out[t * dv + i].",
        .source = "karpathy/llm.c#531",
        .function = LIKE(weighted_values, values_out_transposed),
    },
    {
        .id = "mean",
        .what = "the weighted sum is also divided by S",
        .why = "The weights of a row already sum to 1, so the weighted sum is already "
               "an average.",
        .function = LIKE(weighted_values, values_mean),
    },
    {
        .id = "unweighted",
        .what = "every output row is the plain mean of the values: the weights are "
                "not used",
        .why = "Multiply each value row by its weight, weights[t * S + s], before "
               "adding it.",
        .function = LIKE(weighted_values, values_unweighted),
    },
    {
        .id = "last-key-only",
        .what = "each key's share overwrites the one before, so only the last key counts",
        .why = "out[t,i] is a sum over s. Set it to 0 first, then add (+=) every "
               "key's share.",
        .function = LIKE(weighted_values, values_last_key),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(weighted_values, values_unset),
    },
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY("for (size_t s = 0; s < S; s++)"),
        .function = LIKE(weighted_values, values_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(weighted_values, values_whole_sum),
    },
    {0},
};

VALUES(values_in_float, float_product(WEIGHTS_AND_V))
// Row by row: adds each value row, times its weight, to the output row.
VALUES(values_row_by_row, matmul_by_outer_products(out, weights, v, T, dv, S))

static const struct mistake values_alternatives[] = {
    {.id = "float-sums", .function = LIKE(weighted_values, values_in_float)},
    {.id = "row-by-row", .function = LIKE(weighted_values, values_row_by_row)},
    {0},
};

static const struct part values_parts[] = {
    {
        .function = "weighted_values",
        .dims = "T S dv",
        .tensors = {{"out", "T dv", OUTPUT, F32, 2e-5f, 1e-5f},
                    {.name = "weights", .shape = "T S"},
                    {.name = "v", .shape = "S dv"}},
        .cases = values_cases,
        .mistakes = values_mistakes,
        .alternatives = values_alternatives,
    },
    {0},
};

const struct exercise exercise_1_5 = {
    .id = "1.5",
    .name = "weighted_values",
    .section = "1.5 Weighted values",
    .gpu_section = "1.5 Your choice",
    .uses = {"1.1"},
    .hints =
        {
            "Output row 0 is the first weight times value row 0, plus the second weight "
            "times value row 1, and so on. Which function of 1.1 does that?",
            "out[t,i] = sum over s of weights[t,s] * v[s,i]: the plain product of "
            "(T,S) and (S,dv). Nothing is transposed.",
            "return matmul(out, weights, v, ...) with the sizes in matmul's order:\n"
            "    rows of out: T\n"
            "    columns of out: dv\n"
            "    terms of each sum: S",
        },
    .gpu_hints =
        {
            "This is the plain product again. Which numbers does 1.1 read more often "
            "than necessary, and which threads read them?",
            "As in 1.3, but v is not transposed: v_tile[y][x] = v[s0 + y][c], and sum += "
            "weights_tile[y][s] * v_tile[s][x].",
            "In pseudocode: the loops of 1.3 with t0 over rows, s0 over keys;\n"
            "    weights_tile[y][x] = weights[(t0 + y) * S + s0 + x] or 0\n"
            "    v_tile[y][x] = v[(s0 + y) * dv + c] or 0,  c = blockIdx.x * TILE + x\n"
            "    barrier; sum += weights_tile[y][s] * v_tile[s][x]; barrier\n"
            "    or, shorter and slower: return matmul_gpu(out_dev, weights_dev, "
            "v_dev, T, dv, S, stream)",
        },
    .parts = values_parts,
};
