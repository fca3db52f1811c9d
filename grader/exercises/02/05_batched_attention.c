// 05_batched_attention.c - exercise 2.5, batched_attention: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"

#define ATTENTION_PARAMETERS                                                             \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        const float *x, const float *w_q, const float *w_k, const float *w_v, size_t B,  \
        size_t T, size_t C
#define ATTENTION_ARGUMENTS out, weights, q, k, v, scores, x, w_q, w_k, w_v, B, T, C

typedef lab_status softmax_function(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S);

// Right: rows one by one.
static lab_status softmax_over_keys(float *weights, const float *scores, size_t B,
                                    size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, ROW_MAX, ZEROS);
}

// The ways in which the attention below can differ from the right one; all zero: right.
struct departure {
    float scale;               // 0: 1/sqrt(C)
    softmax_function *softmax; // NULL: over the keys
    bool swapped;              // k q^T
    bool first_keys;           // keys of sequence 0 for all
    bool first_values;         // values of sequence 0 for all
    bool weights_in_out;       // projections read as (in, out)
    bool same_projection;      // w_q for q, k and v
    bool weights_transposed;   // weights^T v
    bool values_transposed;    // v read as (C,T)
    bool scale_queries;        // right: q / sqrt(C) before the product
    bool scale_first;          // the scores of sequence 0 alone are scaled
    bool scale_from_1;         // all scores but the first are scaled
};

static lab_status attend(const struct departure *departure, ATTENTION_PARAMETERS)
{
    if (no_size(B, T, C)) {
        return LAB_ESHAPE;
    }
    const struct layout rows = {T * C, C, 1}, columns = {T * C, 1, C},
                        map = {T * T, T, 1};
    const struct layout out_in = {0, 1, C}, in_out = {0, C, 1};
    const struct layout projection = departure->weights_in_out ? in_out : out_in;
    const bool same = departure->same_projection;
    multiply(q, rows, x, rows, w_q, projection, B, T, C, C);
    multiply(k, rows, x, rows, same ? w_q : w_k, projection, B, T, C, C);
    multiply(v, rows, x, rows, same ? w_q : w_v, projection, B, T, C, C);

    const float scale =
        departure->scale != 0.0f ? departure->scale : 1.0f / sqrtf((float)C);
    for (size_t i = 0; i < B * T * C && departure->scale_queries; i++) {
        q[i] *= scale;
    }
    struct layout keys = columns;
    keys.matrix = departure->first_keys ? 0 : T * C;
    if (departure->swapped) {
        multiply(scores, map, k, rows, q, columns, B, T, T, C);
    } else {
        multiply(scores, map, q, rows, k, keys, B, T, T, C);
    }
    const size_t scaled = (departure->scale_first ? 1 : B) * T * T;
    for (size_t i = departure->scale_from_1; i < scaled && !departure->scale_queries;
         i++) {
        scores[i] *= scale;
    }

    softmax_function *softmax = departure->softmax;
    const lab_status status =
        (softmax != NULL ? softmax : softmax_over_keys)(weights, scores, B, T, T);

    const struct layout map_transposed = {T * T, 1, T};
    const struct layout rows_of_T = {T * C, 1, T};
    struct layout values = departure->values_transposed ? rows_of_T : rows;
    values.matrix = departure->first_values ? 0 : T * C;
    multiply(out, rows, weights, departure->weights_transposed ? map_transposed : map, v,
             values, B, T, C, T);
    return status;
}

// ATTENTION(name, .scale = 1.0f): the attention with this difference from the right one.
#define ATTENTION(name, ...)                                                             \
    static lab_status name(ATTENTION_PARAMETERS)                                         \
    {                                                                                    \
        return attend(&(struct departure){__VA_ARGS__}, ATTENTION_ARGUMENTS);            \
    }

ATTENTION(attention_no_scale, .scale = 1.0f)
ATTENTION(attention_scale_T, .scale = 1.0f / sqrtf((float)T))
ATTENTION(attention_scale_B, .scale = 1.0f / sqrtf((float)B))
ATTENTION(attention_scale_C, .scale = 1.0f / (float)C)
ATTENTION(attention_times_root, .scale = sqrtf((float)C))
ATTENTION(attention_scale_first, .scale_first = true)
ATTENTION(attention_scale_from_1, .scale_from_1 = true)
ATTENTION(attention_swapped, .swapped = true)
ATTENTION(attention_first_keys, .first_keys = true)
ATTENTION(attention_first_values, .first_values = true)
ATTENTION(attention_over_queries, .softmax = softmax_over_queries)
ATTENTION(attention_over_batch, .softmax = softmax_over_batch)
ATTENTION(attention_over_map, .softmax = softmax_over_map)
ATTENTION(attention_over_all, .softmax = softmax_over_all)
ATTENTION(attention_no_max, .softmax = softmax_no_max)
ATTENTION(attention_no_max_no_guard, .softmax = softmax_no_max_no_guard)
ATTENTION(attention_in_out, .weights_in_out = true)
ATTENTION(attention_same_projection, .same_projection = true)
ATTENTION(attention_weights_transposed, .weights_transposed = true)
ATTENTION(attention_values_transposed, .values_transposed = true)

// Also right.
ATTENTION(attention_loops, .scale = 0)
ATTENTION(attention_scaled_queries, .scale_queries = true)

// Right: all steps for one sequence, then all steps for the next.
static lab_status attention_per_sequence(ATTENTION_PARAMETERS)
{
    for (size_t i = 0; i < B; i++) {
        const size_t rows = i * T * C, map = i * T * T;
        const lab_status status =
            attend(&(struct departure){0}, out + rows, weights + map, q + rows, k + rows,
                   v + rows, scores + map, x + rows, w_q, w_k, w_v, 1, T, C);
        if (status != LAB_OK) {
            return status;
        }
    }
    return B == 0 ? LAB_ESHAPE : LAB_OK;
}

// Projections of size / sqrt(C) keep q, k and v at unit scale for any C. Otherwise the
// scores would grow with C, and one key would get all the weight in every row.
static void scale_projections(struct test_case *test, float size)
{
    const size_t C = case_dim(test, "C");
    const char *names[] = {"w_q", "w_k", "w_v"};
    for (size_t i = 0; i < 3; i++) {
        float *w = case_f32(test, names[i]);
        for (size_t j = 0; j < C * C; j++) {
            w[j] *= size / sqrtf((float)C);
        }
    }
}

static void unit_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 1.0f);
}

// For wide tokens and long sequences. Even scores that are wrongly multiplied stay small
// enough to be the same in any order of summation.
static void flat_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 0.3f);
}

static void sharp_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_projections(test, 1.4f);
}

// Scores in the hundreds: exp overflows unless the maximum is subtracted. Whole numbers,
// B = T = 4 and C = 16 make every score exact in any order of summation, also if it is
// scaled wrongly. (A rounding error in a large score would be visible in its weight.)
// With w_k = w_q every row has a large positive score, that of the token with itself.
static void scores_in_hundreds(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const char *names[] = {"x", "w_q", "w_v"};
    for (size_t i = 0; i < 3; i++) {
        float *input = case_f32(test, names[i]);
        for (size_t j = 0; j < case_count(test, names[i]); j++) {
            input[j] = rintf(2.0f * input[j]);
        }
    }
    memcpy(case_f32(test, "w_k"), case_f32(test, "w_q"),
           case_count(test, "w_q") * sizeof(float));
}

// All scores of a sequence are near 2500, or near -2500 in every other sequence. Channel
// 0 of x is 1 and channel 1 is the sign. Component 0 of the queries uses channel 0, and
// that of the keys uses channel 1. Component 1 gives the differences, whole numbers. The
// scores are exact for the same reasons.
static void far_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const float sign = i / (T * C) % 2 == 0 ? 1.0f : -1.0f;
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        const size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// Each token's score with itself is 2500 above its other scores, so the largest is at the
// start, in the middle or at the end of its row. The first T channels of x identify the
// token, and w_q and w_k use only these.
static void own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const size_t t = i / C % T, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        const size_t o = i / C, c = i % C;
        w_q[i] = o == c && c < T ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c && c < T ? 100.0f : 0.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// C = 1 does not come first. If a student's function computed the factor once and kept
// it, the factor would be 1 in all later calls, which looks like a missing division.
static const struct case_spec attention_cases[] = {
    {.dims = "B=1 T=1 C=2", .fill = unit_scores},
    {.dims = "B=2 T=1 C=3", .note = "one token: its weight is 1", .fill = unit_scores},
    {.dims = "B=1 T=2 C=3", .note = "one sequence", .fill = unit_scores},
    {.dims = "B=2 T=3 C=5", .fill = unit_scores},
    {.dims = "B=3 T=2 C=4", .fill = sharp_scores},
    {.dims = "B=3 T=3 C=3", .note = "every size is the same", .fill = unit_scores},
    {.dims = "B=2 T=7 C=5", .note = "more tokens than channels", .fill = unit_scores},
    {.dims = "B=2..4 T=5..6 C=7..9", .draws = 4, .fill = unit_scores},
    {.dims = "B=3 T=7 C=11", .note = "sharper weights", .fill = sharp_scores},
    {.dims = "B=4 T=4 C=16",
     .note = "scores in the hundreds",
     .fill = scores_in_hundreds},
    {.dims = "B=5 T=9 C=17", .note = "larger, odd sizes", .fill = unit_scores},
    {.dims = "B=2 T=3 C=1", .note = "width 1", .fill = unit_scores},
    {.dims = "B=4 T=4 C=16", .note = "all scores near 2500 or -2500", .fill = far_scores},
    {.dims = "B=4 T=4 C=16",
     .note = "each token's own score far above the rest",
     .fill = own_score_huge},
    {.dims = "B=2 T=5 C=4", .note = FAR_FROM_0_NOTE, .fill = tokens_far_from_0},
    {.dims = "B=3 T=67 C=71", .note = "larger than 64", .fill = flat_scores},
    {.dims = "B=2 T=131 C=67", .note = "larger than 64", .fill = flat_scores},
    {.dims = "B=521 T=3 C=2", .note = "more than 512 sequences", .fill = unit_scores},
    {.dims = "B=67 T=1 C=3", .note = "one token: its weight is 1", .fill = unit_scores},
    {.dims = "B=1 T=263 C=3", .note = "more than 256 tokens", .fill = flat_scores},
    {.dims = "B=1 T=1031 C=2",
     .note = "more than 1024 tokens",
     .fill = flat_scores,
     .cpu_only = true},
    {.dims = "B=2 T=3 C=257", .note = "wider than 256", .fill = flat_scores},
    {.dims = "B=256 T=3 C=2", .fill = unit_scores, .note = "exactly 256 sequences"},
    {.dims = "B=1 T=256 C=3", .fill = flat_scores, .note = "exactly 256 tokens"},
    {.dims = "B=2 T=3 C=256", .fill = flat_scores, .note = "exactly 256 wide"},
    {.dims = "B=2 T=64 C=64", .fill = flat_scores, .note = "T = C = 64"},
    {.dims = "B=1 T=3 C=4",
     .fill = tokens_20_below,
     .note = BELOW_20_NOTE,
     .unit = 10.0f * BELOW_20_UNIT},
    {.dims = "B=0 T=2 C=3", .note = "a size is zero"},
    {.dims = "B=2 T=0 C=3", .note = "a size is zero"},
    {.dims = "B=2 T=3 C=0", .note = "a size is zero"},
    {TOO_LARGE("B=2 T=4 C=3", "B", "B")},
    {TOO_LARGE("B=2 T=3 C=4", "T", "T")},
    {TOO_LARGE("B=2 T=3 C=4", "C", "C")},
    {TOO_LARGE("B=2 T=3 C=4", "B T", "B * T")},
    {TOO_LARGE_FOR_BLAS("B=2 T=3 C=4", "C", "C")},
    {TOO_LARGE_FOR_BLAS("B=2 T=3 C=4", "B T", "B * T")},
    {0},
};

static void change_sequence(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

// BEGIN HANDED OUT
static bool other_outputs_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size) &&
           others_unchanged(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "single-key",
        .claim = "a single token in its sequence gives itself weight 1",
        .dims = "B=5 T=1 C=3",
        .change = change_sequence,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "sequences-apart",
        .claim = "changing one sequence does not change the outputs of the others",
        .dims = "B=3 T=4 C=2",
        .change = change_sequence,
        HOLDS(other_outputs_unchanged),
    },
    {0},
};

static const struct mistake attention_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "Without 1/sqrt(C) the scores grow with the width, and the softmax gives "
               "nearly all weight to one key. Multiply every score by 1.0f / "
               "sqrtf((float)C) before the softmax.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(batched_attention, attention_no_scale),
    },
    {
        .id = "scale-first-sequence",
        .what = "only the scores of sequence 0 are divided by sqrt(C)",
        .why = "There are B * T * T scores, T * T for each sequence. The loop that "
               "divides must run over all of them.",
        .function = LIKE(batched_attention, attention_scale_first),
    },
    {
        .id = "scale-from-1",
        .what = "the first score, scores[0], is not divided by sqrt(C)",
        .why = "Indices in C start at 0: for (size_t i = 0; i < B * T * T; i++).",
        .function = LIKE(batched_attention, attention_scale_from_1),
    },
    {
        .id = "scale-sqrt-T",
        .what = "the scores are divided by sqrt(T), the length, not by sqrt(C)",
        .why = "q . k is a sum of C products, so its standard deviation is sqrt(C). The "
               "number of tokens doesn't matter.",
        .function = LIKE(batched_attention, attention_scale_T),
    },
    {
        .id = "scale-sqrt-B",
        .what = "the scores are divided by sqrt(B), the batch, not by sqrt(C)",
        .why = "q . k is a sum of C products, so its standard deviation is sqrt(C). "
               "The result of a sequence must not depend on the other sequences in "
               "the batch.",
        .function = LIKE(batched_attention, attention_scale_B),
    },
    {
        .id = "scale-C",
        .what = "the scores are divided by C instead of sqrt(C)",
        .why = "A sum of C products has standard deviation sqrt(C). If you divide by C, "
               "the scores are too close together and the weights too even.",
        .function = LIKE(batched_attention, attention_scale_C),
    },
    {
        .id = "times-root",
        .what = "the scores are multiplied by sqrt(C) instead of divided",
        .why =
            "Divide by sqrt(C), or multiply by 1 / sqrt(C), which is C to the power -1/2.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(batched_attention, attention_times_root),
    },
    {
        .id = "swapped",
        .what = "queries and keys are swapped: the scores are k q^T",
        .why = "Row t of the scores belongs to query t: scores = q k^T, so q is the "
               "first argument of batched_matmul_nt.",
        .function = LIKE(batched_attention, attention_swapped),
    },
    {
        .id = "first-keys",
        .what = "every sequence looks at the keys of sequence 0, not at its own",
        .why = "Sequences are independent: the queries of sequence b use the keys of "
               "sequence b, at k + b * T * C.",
        .function = LIKE(batched_attention, attention_first_keys),
    },
    {
        .id = "first-values",
        .what = "every sequence mixes the values of sequence 0, not its own",
        .why = "Sequences are independent: the weights of sequence b mix the values of "
               "sequence b, at v + b * T * C.",
        .function = LIKE(batched_attention, attention_first_values),
    },
    {
        .id = "values-transposed",
        .what = "v is read as if it were stored (C,T)",
        .why =
            "Row s of v is the value of key s: weights v, with batched_matmul. Only the "
            "scores need batched_matmul_nt, which takes its second factor transposed.",
        .function = LIKE(batched_attention, attention_values_transposed),
    },
    {
        .id = "over-queries",
        .what = "the softmax runs down the columns, not along the rows: the weights of "
                "each key sum to 1",
        .why = "A query distributes its weight over the keys: each row of the weights "
               "sums to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(batched_attention, attention_over_queries),
    },
    {
        .id = "over-batch",
        .what = "the softmax runs over the batch, not over the keys",
        .why = "Sequences do not compete with each other: each row of the weights sums "
               "to 1.",
        .function = LIKE(batched_attention, attention_over_batch),
    },
    {
        .id = "over-map",
        .what = "the softmax runs over the whole map of a sequence, not over each row",
        .why = "Each query has its own softmax: each of the T rows sums to 1.",
        .function = LIKE(batched_attention, attention_over_map),
    },
    {
        .id = "over-all",
        .what = "the softmax runs over the whole batch, not over each row",
        .why = "Each query of each sequence has its own softmax: each of the B * T rows "
               "sums to 1.",
        .function = LIKE(batched_attention, attention_over_all),
    },
    {
        .id = "no-max",
        .what = "the maximum of the row is not subtracted before exp",
        .why = "expf overflows above 88.7, and inf/inf is NaN. Subtract the row's "
               "maximum first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_attention, attention_no_max),
    },
    {
        .id = "no-max-no-guard",
        .what = "the maximum is not subtracted, and some rows are divided by a sum of 0",
        .why =
            "expf overflows above 88.7 and gives 0 far below zero; inf/inf and 0/0 are "
            "NaN. Subtract the row's maximum first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_attention, attention_no_max_no_guard),
    },
    {
        .id = "in-out",
        .what = "the projection weights are read as (in, out) instead of (out, in)",
        .why = "Row o of w_q holds the weights of output o: q = x w_q^T. The weights are "
               "square here, so all sizes fit.",
        .source = "nntile/nntile#370",
        .function = LIKE(batched_attention, attention_in_out),
    },
    {
        .id = "same-projection",
        .what = "q, k and v all come from w_q: w_k and w_v are never used",
        .why = "There are three weights: w_q for the queries, w_k for the keys, w_v for "
               "the values.",
        .function = LIKE(batched_attention, attention_same_projection),
    },
    {
        .id = "weights-transposed",
        .what = "the values are mixed with the columns of the weights, not with the rows",
        .why = "out[t] is the sum over s of weights[t][s] v[s]: call batched_matmul with "
               "the weights first. Nothing is transposed.",
        .function = LIKE(batched_attention, attention_weights_transposed),
    },
    {0},
};

static const struct mistake attention_alternatives[] = {
    {.id = "loops",
     .what = "loops instead of BLAS",
     .function = LIKE(batched_attention, attention_loops)},
    {.id = "scaled-queries",
     .what = "the queries are scaled before the product",
     .function = LIKE(batched_attention, attention_scaled_queries)},
    {.id = "per-sequence",
     .what = "one sequence after the other",
     .function = LIKE(batched_attention, attention_per_sequence)},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "batched_attention",
        .dims = "B T C",
        .tensors = {{"out", "B T C", OUTPUT, F32, 2e-5f, 2e-5f},
                    {"weights", "B T T", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "q", .shape = "B T C", .role = WORKSPACE},
                    {.name = "k", .shape = "B T C", .role = WORKSPACE},
                    {.name = "v", .shape = "B T C", .role = WORKSPACE},
                    {.name = "scores", .shape = "B T T", .role = WORKSPACE},
                    {.name = "x", .shape = "B T C"},
                    {.name = "w_q", .shape = "C C"},
                    {.name = "w_k", .shape = "C C"},
                    {.name = "w_v", .shape = "C C"}},
        .stages = "q k v scores:q,k weights:scores out:weights,v",
        .cases = attention_cases,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

const struct exercise exercise_2_5 = {
    .id = "2.5",
    .name = "batched_attention",
    .section = "2.5 Attention over a batch",
    .gpu_section = "2.5 Attention in one stream",
    .uses = {"2.2", "2.3", "2.4"},
    .gpu_uses = {"1.4", "2.2", "2.3"},
    .hints = {"You have already written every step. Write the shape next to each one. "
              "Which function turns (B,T,C) and (B,T,C) into (B,T,T)?",
              "q, k, v = batched_linear of x without bias; scores = "
              "batched_matmul_nt of q and k, "
              "over sqrt(C); weights = batched_softmax; out = batched_matmul of "
              "weights and v.",
              "batched_linear(q, x, w_q, NULL, B, T, C, C); the same for k and v\n"
              "batched_matmul_nt(scores, q, k, B, T, T, C)\n"
              "for i below B * T * T: scores[i] *= 1.0f / sqrtf((float)C)\n"
              "batched_softmax(weights, scores, B, T, T)\n"
              "batched_matmul(out, weights, v, B, T, C, T)\n"
              "each call in LAB_TRY; return LAB_OK"},
    .gpu_hints =
        {"You need three calls of 2.3, one cuBLAS call for all scores, lab 1's softmax "
         "over B * T rows, and one cuBLAS call for all outputs. Write down the shapes "
         "that cuBLAS sees.",
         "scores^T = k q^T: OP_T, OP_N, sizes T, T, C, k before q, leading dimensions C, "
         "C, T, strides T*C, T*C, T*T, alpha = 1/sqrt(C). out^T = v^T weights^T: "
         "OP_N, OP_N, sizes C, T, T, v before weights, leading dimensions C, T, C.",
         "cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, T, T, C, "
         "&scale, k_dev, C, T*C, q_dev, C, T*C, &zero, scores_dev, T, T*T, B)\n"
         "softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream)\n"
         "cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, C, T, T, &one, "
         "v_dev, C, T*C, weights_dev, T, T*T, &zero, out_dev, C, T*C, B)"},
    .parts = attention_parts,
};
