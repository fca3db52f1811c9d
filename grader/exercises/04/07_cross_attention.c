// 07_cross_attention.c - exercise 4.7, cross_attention: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/attention.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"

MAY(may_causal_when_square,
    p->mask != NULL ? p->mask[(b * T + t) * S + s] : T != S || s <= t)

struct cross {
    struct plan heads;
    struct cross_attention_params w;
    const float *queries, *keys; // the inputs: x and memory
    bool in_out, no_output_projection;
    size_t C;
};

static lab_status run_cross(const struct cross *a, float *out,
                            const struct cross_attention_buffers *z)
{
    const size_t T = a->heads.B * a->heads.T, S = a->heads.B * a->heads.S, C = a->C;
    project(z->q, a->queries, a->w.w_q, a->w.b_q, a->in_out, T, C, C);
    project(z->k, a->keys, a->w.w_k, a->w.b_k, a->in_out, S, C, C);
    project(z->v, a->keys, a->w.w_v, a->w.b_v, a->in_out, S, C, C);
    lab_status status = attend(&a->heads);
    if (status != LAB_OK) {
        return status;
    }
    if (a->no_output_projection) {
        memcpy(out, z->merged, T * C * sizeof *out);
    } else {
        project(out, z->merged, a->w.w_o, a->w.b_o, a->in_out, T, C, C);
    }
    return LAB_OK;
}

#define CROSS_ARGUMENTS                                                                  \
    float *out, float *weights, const struct cross_attention_buffers *buffers,           \
        const float *x, const float *memory,                                             \
        const struct cross_attention_params *params, const uint8_t *mask, size_t B,      \
        size_t T, size_t S, size_t C, size_t NH

// CROSS(name, change): the right cross attention with a change to a, to p (the plan of
// its heads) or to S.
#define CROSS(name, change)                                                              \
    static lab_status name(CROSS_ARGUMENTS)                                              \
    {                                                                                    \
        if (B == 0 || T == 0 || S == 0 || C == 0 || NH == 0 || C % NH != 0) {            \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t hs = C / NH;                                                        \
        struct cross a = {.w = *params, .queries = x, .keys = memory, .C = C};           \
        struct plan *p = &a.heads;                                                       \
        *p = (struct plan){                                                              \
            .out = buffers->merged,                                                      \
            .weights = weights,                                                          \
            .q = buffers->q,                                                             \
            .k = buffers->k,                                                             \
            .v = buffers->v,                                                             \
            .out_at = token_major(NH, T, hs),                                            \
            .q_at = token_major(NH, T, hs),                                              \
            .k_at = token_major(NH, S, hs),                                              \
            .v_at = token_major(NH, S, hs),                                              \
            .mask = mask,                                                                \
            .may = may_as_asked,                                                         \
            .B = B,                                                                      \
            .NH = NH,                                                                    \
            .T = T,                                                                      \
            .S = S,                                                                      \
            .hs = hs,                                                                    \
            .scale = 1 / sqrt((double)hs),                                               \
        };                                                                               \
        change;                                                                          \
        return run_cross(&a, out, buffers);                                              \
    }
// As many keys as queries: with T > S, these include the ones that struct room adds.
#define ONLY_T_KEYS (p->S = T, p->k_at = p->v_at = token_major(NH, T, hs))
#define KEYS_AS_THEY_LIE head_major(NH, S, hs)

CROSS(cross_self, (ONLY_T_KEYS, a.keys = x))
CROSS(cross_queries_from_memory, a.queries = memory)
CROSS(cross_T_for_S, ONLY_T_KEYS)
CROSS(cross_k_v_exchanged, (p->k = buffers->v, p->v = buffers->k))
CROSS(cross_same_projection, (a.w.w_k = a.w.w_v = a.w.w_q, a.w.b_k = a.w.b_v = a.w.b_q))
CROSS(cross_no_mask, p->may = may_all)
CROSS(cross_mask_inverted, p->may = may_inverted)
CROSS(cross_causal, p->may = may_causal)
CROSS(cross_empty_row_nan, p->softmax = EMPTY_ROW_NAN)
CROSS(cross_empty_row_uniform, p->softmax = EMPTY_ROW_UNIFORM)
CROSS(cross_sqrt_C, p->scale = 1 / sqrt((double)C))
CROSS(cross_no_scale, p->scale = 1)
CROSS(cross_q_as_it_lies, p->q_at = AS_IT_LIES)
CROSS(cross_k_v_as_they_lie, p->k_at = p->v_at = KEYS_AS_THEY_LIE)
CROSS(cross_all_as_they_lie, (p->q_at = AS_IT_LIES, p->k_at = p->v_at = KEYS_AS_THEY_LIE))
CROSS(cross_out_as_it_lies, p->out_at = AS_IT_LIES)
CROSS(cross_in_out, a.in_out = true)
CROSS(cross_no_output_projection, a.no_output_projection = true)
CROSS(cross_no_bias, a.w.b_q = a.w.b_k = a.w.b_v = a.w.b_o = NULL)
CROSS(cross_no_b_o, a.w.b_o = NULL)
CROSS(cross_v_by_w_k, (a.w.w_v = a.w.w_k, a.w.b_v = a.w.b_k))
CROSS(cross_v_by_w_k_alone, a.w.w_v = a.w.w_k)
CROSS(cross_v_with_b_k, a.w.b_v = a.w.b_k)
CROSS(cross_k_by_w_q, (a.w.w_k = a.w.w_q, a.w.b_k = a.w.b_q))
CROSS(cross_causal_when_square, p->may = may_causal_when_square)
CROSS(cross_right, (void)p)
CROSS(cross_in_float, p->softmax = IN_FLOAT)

// The steps of a cross attention, with T for S in some of them.
struct sizes {
    bool split, attended;
    bool k_projected, v_projected, k_split, v_split; // in one step of one tensor
};

// T for S in one step alone. With T < S the rest of its result is never written; with T > S it reads behind
// memory, or it writes behind a workspace.
static bool in_one_step(const struct sizes *T_for_S)
{
    return T_for_S->k_projected || T_for_S->v_projected || T_for_S->k_split ||
           T_for_S->v_split;
}

static lab_status cross_with_T_for_S(struct sizes T_for_S, CROSS_ARGUMENTS)
{
    if (B == 0 || T == 0 || S == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const size_t split = T_for_S.split ? T : S, attended = T_for_S.attended ? T : S;
    if ((split < attended && T < S) || (in_one_step(&T_for_S) && T > S)) {
        return LEAVES_ARGUMENTS; // reads what no step has written, or outside of a tensor
    }
    const struct cross_attention_buffers *z = buffers;
    const size_t k_rows = T_for_S.k_projected ? T : S,
                 v_rows = T_for_S.v_projected ? T : S;
    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, k_rows, C, C));
    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, v_rows, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T_for_S.k_split ? T : split, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T_for_S.v_split ? T : split, C, NH));
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, attended,
                                         C / NH));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
}

#define CROSS_T_FOR_S(name, ...)                                                         \
    static lab_status name(CROSS_ARGUMENTS)                                              \
    {                                                                                    \
        return cross_with_T_for_S((struct sizes){__VA_ARGS__}, out, weights, buffers, x, \
                                  memory, params, mask, B, T, S, C, NH);                 \
    }

CROSS_T_FOR_S(cross_T_for_S_k_projected, .k_projected = true)
CROSS_T_FOR_S(cross_T_for_S_v_projected, .v_projected = true)
CROSS_T_FOR_S(cross_T_for_S_k_split, .k_split = true)
CROSS_T_FOR_S(cross_T_for_S_v_split, .v_split = true)
CROSS_T_FOR_S(cross_T_for_S_split, .split = true)
CROSS_T_FOR_S(cross_T_for_S_attended, .attended = true)
CROSS_T_FOR_S(cross_T_for_S_split_attended, .split = true, .attended = true)

static void fill_cross(struct test_case *test, struct lab_rng *rng)
{
    static const char *const weights[] = {"w_q", "w_k", "w_v", "w_o"};
    for (size_t i = 0; i < 4; i++) {
        scale_input(test, weights[i], 1 / sqrt((double)case_dim(test, "C")));
    }
    fill_mixed_mask(test, rng);
}

static void fill_cross_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    case_absent(test, "mask");
}

// Narrow heads have some large scores, and a softmax magnifies what those have rounded.
static void fill_cross_narrow_heads(struct test_case *test, struct lab_rng *rng)
{
    fill_cross_no_mask(test, rng);
    scale_input(test, "x", 0.5);
    scale_input(test, "b_q", 0.5);
}

static void fill_cross_no_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_cross_no_mask(test, rng);
    case_absent(test, "b_q");
    case_absent(test, "b_k");
    case_absent(test, "b_v");
    case_absent(test, "b_o");
}

// Each bias can be NULL independently.
static void fill_cross_some_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    case_absent(test, "b_q");
    case_absent(test, "b_v");
}

static void fill_cross_other_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    case_absent(test, "b_k");
    case_absent(test, "b_o");
}

static void fill_cross_late_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    case_absent(test, "b_q");
    case_absent(test, "b_k");
}

static void fill_cross_early_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    case_absent(test, "b_v");
    case_absent(test, "b_o");
}

static void fill_cross_empty_rows(struct test_case *test, struct lab_rng *rng)
{
    fill_cross(test, rng);
    fill_empty_rows(test, rng);
}

static void fill_cross_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    fill_cross_no_bias(test, rng);
    set_channel(test, "x", C, 0, -1.0f);
    set_channel(test, "memory", C, 1, 1.0f);
    heads_far_from_0(case_f32(test, "w_q"), case_f32(test, "w_k"), C, C,
                     C / case_dim(test, "NH"));
}

static void fill_cross_every_size(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    fill_cross_no_bias(test, rng);
    tokens_of_every_size(test, "x", C);
    tokens_of_every_size(test, "memory", C);
    heads_of_every_size(case_f32(test, "w_q"), case_f32(test, "w_k"),
                        case_f32(test, "w_v"), C, C);
    unit_matrix(case_f32(test, "w_o"), C);
}

static const struct case_spec cross_cases[] = {
    {.dims = "B=1 T=1 S=1 C=1 NH=1", .fill = fill_cross_no_bias},
    {.dims = "B=1 T=2 S=3 C=2 NH=1",
     .fill = fill_cross_no_bias,
     .note = "one head, no mask, no bias"},
    {.dims = "B=1 T=2 S=3 C=4 NH=2", .fill = fill_cross_no_mask, .note = "no mask"},
    {.dims = "B=2 T=3 S=3 C=6 NH=3", .fill = fill_cross_no_mask, .note = "T = S = NH"},
    {.dims = "B=1 T=4 S=4 C=6 NH=2", .fill = fill_cross_no_mask, .note = "T = S"},
    {.dims = "B=2 T=4 S=4 C=6 NH=2", .fill = fill_cross, .note = "T = S"},
    {.dims = "B=2 T=2 S=5 C=6 NH=3", .draws = 2, .fill = fill_cross},
    {.dims = "B=2 T=3 S=5 C=8 NH=2",
     .fill = fill_cross_empty_rows,
     .note = "some queries have no allowed key: out is b_o there"},
    {.dims = "B=2..3 T=4..5 S=6..8 C=12 NH=4", .draws = 2, .fill = fill_cross},
    {.dims = "B=2 T=9 S=13 C=15 NH=3", .fill = fill_cross},
    {.dims = "B=1 T=3 S=2 C=2 NH=1", .fill = fill_cross_no_bias, .note = "T > S"},
    {.dims = "B=1 T=4 S=1 C=6 NH=2", .fill = fill_cross_no_mask, .note = "one key"},
    {.dims = "B=2 T=5 S=3 C=8 NH=2", .fill = fill_cross, .note = "T > S"},
    {.dims = "B=3 T=7..9 S=4..6 C=15 NH=5",
     .draws = 2,
     .fill = fill_cross_empty_rows,
     .note = "T > S, and some queries have no allowed key"},
    {.dims = "B=1 T=3 S=1031 C=6 NH=2", .fill = fill_cross},
    {.dims = "B=1 T=263 S=5 C=6 NH=2", .fill = fill_cross, .note = "T > S"},
    {.dims = "B=259 T=2 S=3 C=4 NH=2", .fill = fill_cross},
    {.dims = "B=2 T=5 S=4 C=201 NH=3", .fill = fill_cross_some_bias, .note = "T > S"},
    {.dims = "B=2 T=3 S=4 C=6 NH=2",
     .fill = fill_cross_late_bias,
     .note = "b_v and b_o alone"},
    {.dims = "B=2 T=3 S=4 C=6 NH=2",
     .fill = fill_cross_early_bias,
     .note = "b_q and b_k alone"},
    {.dims = "B=2 T=2 S=2 C=4 NH=2", .fill = fill_cross, .note = "all sizes are 2"},
    {.dims = "B=2 T=3 S=7 C=67 NH=67", .fill = fill_cross_other_bias},
    {.dims = "B=17 T=19 S=23 C=63 NH=21",
     .fill = fill_cross_narrow_heads,
     .note = "larger, odd sizes"},
    {.dims = "B=2 T=67 S=71 C=65 NH=5",
     .fill = fill_cross_empty_rows,
     .note = "larger, odd sizes"},
    {.dims = "B=2 T=71 S=67 C=75 NH=5", .fill = fill_cross, .note = "larger, T > S"},
    {.dims = "B=3 T=1 S=5 C=6 NH=2", .fill = fill_cross, .note = "one query"},
    {.dims = "B=3 T=4 S=1 C=6 NH=2",
     .fill = fill_cross_empty_rows,
     .note = "one key, which some queries may not see"},
    {.dims = "B=2 T=3 S=4 C=1 NH=1", .fill = fill_cross, .note = "one channel"},
    {.dims = "B=3 T=2 S=4 C=5 NH=1", .fill = fill_cross, .note = "one head"},
    {.dims = "B=256 T=2 S=3 C=4 NH=2",
     .fill = fill_cross,
     .note = "exactly 256 sequences"},
    {.dims = "B=1 T=256 S=5 C=6 NH=2", .fill = fill_cross, .note = "exactly 256 queries"},
    {.dims = "B=1 T=3 S=256 C=6 NH=2", .fill = fill_cross, .note = "exactly 256 keys"},
    {.dims = "B=2 T=3 S=8 C=64 NH=64", .fill = fill_cross_other_bias, .note = "64 heads"},
    {.dims = "B=1 T=2 S=3 C=256 NH=256",
     .fill = fill_cross_other_bias,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "B=2 T=64 S=64 C=64 NH=4", .fill = fill_cross, .note = "T = S = C = 64"},
    {.dims = "B=2 T=3 S=4 C=6 NH=2",
     .fill = fill_cross_far_heads,
     .note = FAR_HEADS_NOTE},
    {.dims = "B=1 T=3 S=2 C=8 NH=2",
     .fill = fill_cross_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = HEADS_OF_EVERY_SIZE_NOTE},
    {.dims = "B=2 T=3 S=4 C=7 NH=2", .note = "NH does not divide C"},
    {.dims = "B=2 T=3 S=4 C=6 NH=0", .note = "a size of 0"},
    {.dims = "B=0 T=3 S=4 C=6 NH=2", .note = "a size of 0"},
    {.dims = "B=2 T=0 S=4 C=6 NH=2", .note = "a size of 0"},
    {.dims = "B=2 T=3 S=0 C=6 NH=2", .note = "a size of 0"},
    {.dims = "B=2 T=3 S=4 C=0 NH=2", .note = "a size of 0"},
    {.dims = "B=1 T=1 S=3 C=4 NH=2", .fill = fill_cross, .note = "one query"},
    {0},
};

static const struct mistake cross_mistakes[] = {
    {
        .id = "self-attention",
        .what = "keys and values are computed from x: this is self-attention",
        .why = "k and v come from memory, with S rows for each sequence. Only q comes "
               "from x. The weights have S columns.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_self),
    },
    {
        .id = "queries-from-memory",
        .what = "the queries are computed from memory",
        .why = "q comes from x, with T rows for each sequence. k and v come from memory.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_queries_from_memory),
    },
    {
        .id = "T-for-S",
        .what = "memory is read as T tokens long, not S",
        .why = "For keys and values, use S where q has T: in their projections, in "
               "split_heads, and as the fourth size of scaled_dot_product_attention.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S),
    },
    {
        .id = "T-for-S-in-attention",
        .what = "scaled_dot_product_attention is called with T keys, not S",
        .why = "There are S keys and values, so its sizes are B, NH, T, S, hs.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_attended),
    },
    {
        .id = "T-for-S-after-projections",
        .what = "k and v are split into heads, and used, as if they were T tokens long",
        .why =
            "They have S rows for each sequence, like memory. Pass S to split_heads, and "
            "S as the fourth size of scaled_dot_product_attention.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_split_attended),
    },
    {
        .id = "T-for-S-in-split",
        .what = "k and v are split into heads as if they were T tokens long",
        .why =
            "They have S rows for each sequence, like memory. Pass S to split_heads for "
            "k and v, and T for q.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_split),
    },
    {
        .id = "T-for-S-in-k-projected",
        .what = "only T rows of k are computed for each sequence, not S",
        .why = "memory has S rows for each sequence. Pass S to batched_linear for k.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_k_projected),
    },
    {
        .id = "T-for-S-in-v-projected",
        .what = "only T rows of v are computed for each sequence, not S",
        .why = "memory has S rows for each sequence. Pass S to batched_linear for v.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_v_projected),
    },
    {
        .id = "T-for-S-in-k-split",
        .what = "k is split into heads as if it were T tokens long",
        .why =
            "It has S rows for each sequence, like memory. Pass S to split_heads for k.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_k_split),
    },
    {
        .id = "T-for-S-in-v-split",
        .what = "v is split into heads as if it were T tokens long",
        .why =
            "It has S rows for each sequence, like memory. Pass S to split_heads for v.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_T_for_S_v_split),
    },
    {
        .id = "v-by-w_k",
        .what = "the values are projected with w_k and b_k",
        .why = "Use w_v and b_v for the values. With w_k and b_k you compute the "
               "keys again.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_v_by_w_k),
    },
    {
        .id = "v-by-w_k-alone",
        .what = "the values are projected with w_k (and with b_v)",
        .why = "Use w_v for the values.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_v_by_w_k_alone),
    },
    {
        .id = "v-with-b_k",
        .what = "the values get the bias b_k",
        .why = "Each projection has its own bias: use b_v for the values.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_v_with_b_k),
    },
    {
        .id = "k-by-w_q",
        .what = "the keys are projected with w_q",
        .why = "Use w_k and b_k for the keys. (A wrong bias would not show: "
               "it adds the same number to all scores of a query, which does not change "
               "the softmax.)",
        .source = NULL,
        .function = LIKE(cross_attention, cross_k_by_w_q),
    },
    {
        .id = "k-v-exchanged",
        .what = "keys and values are swapped",
        .why = "Use w_k for the keys, which give the scores, and w_v for the values, "
               "which the weights mix.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_k_v_exchanged),
    },
    {
        .id = "same-projection",
        .what = "w_q and b_q are used for q, k and v",
        .why = "There are three projections here, each with its own weight and bias.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_same_projection),
    },
    {
        .id = "mask-ignored",
        .what = "the mask has no effect",
        .why = "Pass the mask to scaled_dot_product_attention.",
        .source = "paiml/entrenar#310",
        .function = LIKE(cross_attention, cross_no_mask),
    },
    {
        .id = "mask-inverted",
        .what = "the weight is on the forbidden keys",
        .why = "1 in the mask means \"may attend\".",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(cross_attention, cross_mask_inverted),
    },
    {
        .id = "causal",
        .what = "a causal mask is used instead of the given one",
        .why = "memory is another sequence, so its tokens do not come after those of x. "
               "Use only the given mask, if any.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_causal),
    },
    {
        .id = "causal-when-square",
        .what = "without a mask the attention is causal where T = S",
        .why = "If mask is NULL, every key is allowed, whatever the sizes.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_causal_when_square),
    },
    {
        .id = "fully-masked-nan",
        .what = "a query without an allowed key gets NaN instead of weights 0",
        .why = "masked_softmax of lab 3 gives zeros for such a query, and then out "
               "is b_o.",
        .source = "pytorch/pytorch#131060, tracel-ai/burn#4694",
        .function = LIKE(cross_attention, cross_empty_row_nan),
    },
    {
        .id = "fully-masked-uniform",
        .what = "a query without an allowed key gets the same weight on every key",
        .why = "masked_softmax of lab 3 gives zeros, as required.",
        .source = "NVIDIA/apex#1390",
        .function = LIKE(cross_attention, cross_empty_row_uniform),
    },
    {
        .id = "sqrt-C",
        .what = "the scores are divided by sqrt(C) instead of sqrt(hs)",
        .why = SQRT_C_WHY,
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(cross_attention, cross_sqrt_C),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "scaled_dot_product_attention of exercise 4.5 does this.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(cross_attention, cross_no_scale),
    },
    {
        .id = "q-not-transposed",
        .what = "only q is not transposed: its heads and tokens are swapped",
        .why = "All three go through split_heads: q with T, k and v with S.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(cross_attention, cross_q_as_it_lies),
    },
    {
        .id = "k-v-not-transposed",
        .what = "k and v are not transposed: their heads and tokens are swapped",
        .why = "All three go through split_heads: q with T, k and v with S.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(cross_attention, cross_k_v_as_they_lie),
    },
    {
        .id = "reshape-alone",
        .what = "q, k and v are reshaped to heads, not transposed",
        .why = "Use split_heads for all three.",
        .source = "hyunwoongko/transformer#15, reczoo/FuxiCTR#30",
        .function = LIKE(cross_attention, cross_all_as_they_lie),
    },
    {
        .id = "merged-by-reshape",
        .what = "the heads are merged by a reshape alone",
        .why = "The weights are right; use merge_heads before the output projection.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(cross_attention, cross_out_as_it_lies),
    },
    {
        .id = "in-out",
        .what = "the weights are read as (in,out): not transposed",
        .why = "All four are square, so all shapes fit. They are stored as (out,in), as "
               "batched_linear needs them.",
        .source = "nntile/nntile#370",
        .function = LIKE(cross_attention, cross_in_out),
    },
    {
        .id = "no-output-projection",
        .what = "the output projection is missing: out is the merged heads",
        .why = "The last step is batched_linear with w_o and b_o.",
        .source = "jwallbridge/translob#4",
        .function = LIKE(cross_attention, cross_no_output_projection),
    },
    {
        .id = "no-bias",
        .what = "no bias is added",
        .why = "Pass the four biases to batched_linear, which accepts NULL.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_no_bias),
    },
    {
        .id = "no-b_o",
        .what = "b_o is not added",
        .why = "The output projection has a bias, too.",
        .source = NULL,
        .function = LIKE(cross_attention, cross_no_b_o),
    },
    {0},
};

static const struct mistake cross_alternatives[] = {
    {.id = "without-copies", .function = LIKE(cross_attention, cross_right)},
    {.id = "in-float", .function = LIKE(cross_attention, cross_in_float)},
    {0},
};

static void turn_memory(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *memory = case_f32(second, "memory");
    for (size_t i = 0; i < case_count(second, "memory"); i++) {
        memory[i] *= -2.0f;
    }
}

static const struct property cross_properties[] = {
    {
        .id = "forbidden-keys",
        .claim = FORBIDDEN_KEYS_CLAIM,
        .dims = "B=2 T=3 S=5 C=6 NH=3",
        .change = turn_memory,
        HOLDS(forbidden_keys_weigh_nothing),
        .fill = fill_cross_empty_rows,
    },
    {0},
};

static const struct part cross_part[] = {
    {
        .function = "cross_attention",
        .passes_status_on = true,
        .dims = "B T S C NH",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T S", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"q", "B T C", WORKSPACE, F32, 0, 0},
                {"k", "B S C", WORKSPACE, F32, 0, 0},
                {"v", "B S C", WORKSPACE, F32, 0, 0},
                {"q_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"k_heads", "B NH S C/NH", WORKSPACE, F32, 0, 0},
                {"v_heads", "B NH S C/NH", WORKSPACE, F32, 0, 0},
                {"scores", "B NH T S", WORKSPACE, F32, 0, 0},
                {"out_heads", "B NH T C/NH", WORKSPACE, F32, 0, 0},
                {"merged", "B T C", WORKSPACE, F32, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                {"memory", "B S C", INPUT, F32, 0, 0},
                {"w_q", "C C", INPUT, F32, 0, 0},
                {"b_q", "C", INPUT, F32, 0, 0},
                {"w_k", "C C", INPUT, F32, 0, 0},
                {"b_k", "C", INPUT, F32, 0, 0},
                {"w_v", "C C", INPUT, F32, 0, 0},
                {"b_v", "C", INPUT, F32, 0, 0},
                {"w_o", "C C", INPUT, F32, 0, 0},
                {"b_o", "C", INPUT, F32, 0, 0},
                {"mask", "B T S", INPUT, U8, 0, 0},
            },
        .stages = "q k v q_heads:q k_heads:k v_heads:v scores:q_heads,k_heads "
                  "weights:scores out_heads:weights,v_heads merged:out_heads out:merged",
        .cases = cross_cases,
        .properties = cross_properties,
        .mistakes = cross_mistakes,
        .alternatives = cross_alternatives,
    },
    {0},
};

const struct exercise exercise_4_7 = {
    .id = "4.7",
    .name = "cross_attention",
    .section = "4.7 Cross-attention",
    .uses = {"2.3", "4.3", "4.4", "4.5"},
    .hints =
        {
            "This is 4.6 with three separate projections. Two of them read memory, which "
            "has S tokens.",
            "q from x with T rows; k and v from memory with S rows; split_heads "
            "with T for q and with S for k and v; scaled_dot_product_attention takes "
            "both sizes.",
            "batched_linear(q, x, w_q, b_q, B, T, C, C)\n"
            "batched_linear(k, memory, w_k, b_k, B, S, C, C), and v\n"
            "split_heads(q_heads, q, B, T, C, NH); k_heads and v_heads with S\n"
            "scaled_dot_product_attention(out_heads, weights, scores, q_heads,\n"
            "    k_heads, v_heads, mask, B, NH, T, S, C/NH)\n"
            "merge_heads, batched_linear with w_o, both with T",
        },
    .parts = cross_part,
};
