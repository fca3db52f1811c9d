// 04_bert_layer.c - exercise 11.4, a layer of BERT: cases and hints of bert_layer, and the exercise.
// post_norm is in 04a_post_norm.c.

#include "exercises/exercise.h"
#include "exercises/11/layers.h"
#include "exercises/11/04_bert_layer.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

static void fill_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_bert(test, rng);
    case_absent(test, "mask");
}

// Any keys may be forbidden, but each query sees its own.
static void fill_any_mask(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    fill_bert(test, rng);
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = lab_rng_int(rng, 0, 2) == 1 || i / T % T == i % T;
    }
}

// Some queries see no key: their attention is b_o alone.
static void fill_blind(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    fill_any_mask(test, rng);
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = mask[i] && i / T % 2 == 0;
    }
}

// A stream as small as its first eps is large: 1e-5 would show.
static void fill_quiet(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"x", "w_o", "b_o"};
    fill_no_mask(test, rng);
    for (size_t i = 0; i < 3; i++) {
        scale_input(test, names[i], 1e-3f);
    }
}

// The last norm makes out small or large.
static void scale_ln2(struct test_case *test, struct lab_rng *rng, float by)
{
    fill_no_mask(test, rng);
    scale_input(test, "ln2_gain", by);
    scale_input(test, "ln2_bias", by);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    scale_ln2(test, rng, TINY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    scale_ln2(test, rng, LARGE);
}

// The stream of a trained model is a few times as large as its branches.
static void fill_grown(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    scale_input(test, "x", 5.0f);
}

// The numbers that GELU reads are near -2.7, where its two forms differ most, and each channel adds up
// what they differ by. b_proj takes the sum of what GELU gives there away: left in, it would be most of
// the row, and the norm would divide the difference by it.
static void fill_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    const float gelu_there = -0.00936f;
    const size_t C = case_dim(test, "C"), H = case_dim(test, "H");
    fill_no_mask(test, rng);
    scale_input(test, "w_fc", 0.05f);
    set_all(test, "b_fc", -2.7f);
    float *w_proj = case_f32(test, "w_proj"), *b_proj = case_f32(test, "b_proj");
    lab_rng_randn(rng, w_proj, case_count(test, "w_proj"));
    for (size_t i = 0; i < case_count(test, "w_proj"); i++) {
        w_proj[i] = w_proj[i / H * H];
    }
    for (size_t c = 0; c < C; c++) {
        b_proj[c] = -gelu_there * (float)H * w_proj[c * H];
    }
}

static const struct case_spec layer_cases[] = {
    {.dims = "B=1 T=1 C=4 NH=1 H=3", .fill = fill_no_mask},
    {.dims = "B=1 T=2 C=6 NH=2 H=5", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=2 T=3 C=8 NH=2 H=5",
     .fill = fill_bert,
     .note = "a mask: the last keys are padding"},
    {.dims = "B=2 T=3 C=6 NH=3 H=6", .fill = fill_no_mask, .note = "T = NH, H = C"},
    {.dims = "B=2 T=4 C=8 NH=4 H=16",
     .fill = fill_any_mask,
     .note = "a mask that forbids any keys"},
    {.dims = "B=2 T=4 C=12 NH=3 H=7",
     .fill = fill_blind,
     .note = "some queries see no key: their attention is b_o"},
    {.dims = "B=1 T=5 C=9 NH=3 H=11",
     .fill = fill_quiet,
     .note = "a small stream, where an eps of 1e-5 would show"},
    {.dims = "B=1 T=5 C=16 NH=4 H=7",
     .fill = fill_grown,
     .note = "a stream larger than its branches"},
    {.dims = "B=2 T=3 C=12 NH=2 H=96",
     .fill = fill_near_minus_2_7,
     .note = "GELU reads numbers near -2.7"},
    {.dims = "B=2..3 T=5..7 C=12 NH=4 H=14..31", .draws = 3, .fill = fill_bert},
    {.dims = "B=3 T=6 C=15 NH=5 H=60", .fill = fill_any_mask},
    {.dims = "B=5 T=3 C=10 NH=1 H=4", .fill = fill_bert, .note = "one head"},
    {.dims = "B=2 T=2 C=14 NH=14 H=9",
     .fill = fill_no_mask,
     .note = "a head for each channel"},
    {.dims = "B=1 T=67 C=16 NH=2 H=5", .fill = fill_bert, .note = "many tokens"},
    {.dims = "B=3 T=5 C=66 NH=6 H=131", .fill = fill_bert, .note = "larger, odd sizes"},
    {.dims = "B=3 T=1 C=6 NH=2 H=5",
     .fill = fill_blind,
     .note = "one token in each sequence; some see no key"},
    {.dims = "B=2 T=3 C=1 NH=1 H=4", .fill = fill_no_mask, .note = "one channel"},
    {.dims = "B=2 T=3 C=6 NH=2 H=1", .fill = fill_bert, .note = "an MLP of width 1"},
    {.dims = "B=1 T=64 C=64 NH=4 H=64", .fill = fill_bert, .note = "T = C = H = 64"},
    {.dims = "B=1 T=1 C=4 NH=2 H=3",
     .fill = fill_tiny,
     .unit = TINY,
     .note = "ln2_gain and ln2_bias near 1e-15"},
    {.dims = "B=1 T=1 C=4 NH=2 H=3",
     .fill = fill_large,
     .unit = LARGE,
     .note = "ln2_gain and ln2_bias near 1e6"},
    {.dims = "B=2 T=3 C=7 NH=3 H=5",
     .fill = fill_no_mask,
     .note = "NH does not divide C"},
    {.dims = "B=0 T=3 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=0 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 H=0", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=4 H=6",
     .fill = fill_any_mask,
     .note = "a head for each channel, a mask"},
    {.dims = "B=3 T=5 C=6 NH=1 H=9", .fill = fill_no_mask, .note = "one head, no mask"},
    {.dims = "B=5 T=2 C=6 NH=2 H=1",
     .fill = fill_no_mask,
     .note = "more sequences than tokens, an MLP of width 1, no mask"},
    {.dims = "B=1 T=2 C=6 NH=1 H=5",
     .fill = fill_any_mask,
     .note = "one sequence of two tokens, one head, a mask"},
    {0},
};

// ---- known mistakes -------------------------------------------------------------------------

#define LAYER_ARGUMENTS                                                                  \
    float *out, float *weights, const struct bert_buffers *buffers, const float *x,      \
        const struct bert_params *params, const uint8_t *mask, size_t B, size_t T,       \
        size_t C, size_t NH, size_t H

// The ways to compute a layer; all zero is correct.
struct recipe {
    bool pre_norm, norm_branch;       // where the norms are
    bool no_first, no_second, from_x; // what the branches are added to
    bool norm_shared, norms_swapped;  // whose gain and bias
    bool no_norm1, no_norm2;          // a norm is left out
    bool mlp_reads_x, mlp_reads_attended;
    bool no_mask, mask_inverted, causal; // who may see whom
    bool lab5_eps;
    bool tanh, relu;       // which activation
    bool k_for_v, q_for_k; // which matrices
};

static void activate(const struct recipe *r, float *y, const float *x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        const double a = (double)x[i];
        y[i] =
            (float)(r->relu ? fmax(a, 0.0)
                    : r->tanh
                        ? a / 2 *
                              (1 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))
                        : a / 2 * (1 + erf(a / sqrt(2.0))));
    }
}

static void run_mlp(const struct recipe *r, float *y, const struct bert_buffers *z,
                    const float *x, const struct mlp_params *p, size_t N, size_t C,
                    size_t H)
{
    linear_by_rows(z->hidden, x, p->w_fc, p->b_fc, N, C, H);
    activate(r, z->activated, z->hidden, N * H);
    linear_by_rows(y, z->activated, p->w_proj, p->b_proj, N, H, C);
}

// out = norm(x + branch), or what the recipe makes of it; no_stream: x is left out.
static void combine(const struct recipe *r, bool no_stream, bool no_norm, float *out,
                    const float *x, const float *branch, const float *gain,
                    const float *bias, size_t N, size_t C)
{
    const double eps = r->lab5_eps ? 1e-5 : (double)BERT_EPS;
    float *sum = borrow(N * C);
    for (size_t i = 0; i < N * C; i++) {
        sum[i] = (no_stream || r->norm_branch ? 0.0f : x[i]) + branch[i];
    }
    if (no_norm) {
        memcpy(out, sum, N * C * sizeof *out);
    } else {
        norm_rows(out, sum, gain, bias, eps, C, N, C);
    }
    for (size_t i = 0; i < N * C && r->norm_branch && !no_stream; i++) {
        out[i] += x[i];
    }
    free(sum);
}

// The mask of the recipe; the caller frees it. NULL: every key allowed.
static uint8_t *mask_of(const struct recipe *r, const uint8_t *mask, size_t B, size_t T)
{
    if (r->no_mask || (mask == NULL && !r->causal)) {
        return NULL;
    }
    uint8_t *changed = malloc(B * T * T);
    for (size_t i = 0; changed != NULL && i < B * T * T; i++) {
        const bool may = mask == NULL || mask[i] != 0;
        changed[i] = (r->mask_inverted ? !may : may) && !(r->causal && i % T > i / T % T);
    }
    return changed;
}

static lab_status pre_norm_layer(const struct recipe *r, LAYER_ARGUMENTS)
{
    const struct bert_buffers *z = buffers;
    const size_t N = B * T;
    norm_rows(z->projected, x, params->ln1_gain, params->ln1_bias, (double)BERT_EPS, C, N,
              C);
    LAB_TRY(cross_attention(z->attended, weights, &z->attention, z->projected,
                            z->projected, &params->attention, mask, B, T, T, C, NH));
    for (size_t i = 0; i < N * C; i++) {
        z->middle[i] = x[i] + z->attended[i];
    }
    norm_rows(z->attended, z->middle, params->ln2_gain, params->ln2_bias,
              (double)BERT_EPS, C, N, C);
    run_mlp(r, z->projected, z, z->attended, &params->mlp, N, C, H);
    for (size_t i = 0; i < N * C; i++) {
        out[i] = z->middle[i] + z->projected[i];
    }
    return LAB_OK;
}

static lab_status layer_with(const struct recipe *r, LAYER_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    if (r->pre_norm) {
        return pre_norm_layer(r, out, weights, buffers, x, params, mask, B, T, C, NH, H);
    }
    const struct bert_buffers *z = buffers;
    struct bert_params p = *params;
    const float *gains[] = {p.ln1_gain, p.ln2_gain}, *biases[] = {p.ln1_bias, p.ln2_bias};
    const int first = r->norms_swapped, second = r->norm_shared ? first : !first;
    if (r->k_for_v) {
        p.attention.w_v = p.attention.w_k;
        p.attention.b_v = p.attention.b_k;
    }
    if (r->q_for_k) {
        p.attention.w_k = p.attention.w_q;
        p.attention.b_k = p.attention.b_q;
    }
    uint8_t *own = mask_of(r, mask, B, T);
    const lab_status status = cross_attention(z->attended, weights, &z->attention, x, x,
                                              &p.attention, own, B, T, T, C, NH);
    free(own);
    LAB_TRY(status);
    combine(r, r->no_first, r->no_norm1, z->middle, x, z->attended, gains[first],
            biases[first], B * T, C);
    const float *read = r->mlp_reads_x          ? x
                        : r->mlp_reads_attended ? z->attended
                                                : z->middle;
    run_mlp(r, z->projected, z, read, &p.mlp, B * T, C, H);
    combine(r, r->no_second, r->no_norm2, out, r->from_x ? x : z->middle, z->projected,
            gains[second], biases[second], B * T, C);
    return LAB_OK;
}

#define LAYER(name, ...)                                                                 \
    static lab_status name(LAYER_ARGUMENTS)                                              \
    {                                                                                    \
        return layer_with(&(struct recipe){__VA_ARGS__}, out, weights, buffers, x,       \
                          params, mask, B, T, C, NH, H);                                 \
    }

LAYER(layer_pre_norm, .pre_norm = true)
LAYER(layer_norm_branch, .norm_branch = true)
LAYER(layer_without_first, .no_first = true)
LAYER(layer_without_second, .no_second = true)
LAYER(layer_without_residuals, .no_first = true, .no_second = true)
LAYER(layer_second_from_x, .from_x = true)
LAYER(layer_norm_shared, .norm_shared = true)
LAYER(layer_norms_swapped, .norms_swapped = true)
LAYER(layer_without_norm1, .no_norm1 = true)
LAYER(layer_without_norm2, .no_norm2 = true)
LAYER(layer_without_norms, .no_norm1 = true, .no_norm2 = true)
LAYER(layer_mlp_reads_x, .mlp_reads_x = true)
LAYER(layer_mlp_reads_attended, .mlp_reads_attended = true)
LAYER(layer_without_mask, .no_mask = true)
LAYER(layer_mask_inverted, .mask_inverted = true)
LAYER(layer_causal, .causal = true)
LAYER(layer_lab5_eps, .lab5_eps = true)
LAYER(layer_tanh, .tanh = true)
LAYER(layer_relu, .relu = true)
LAYER(layer_k_for_v, .k_for_v = true)
LAYER(layer_q_for_k, .q_for_k = true)
LAYER(layer_by_rows, .relu = false)

static const struct mistake layer_mistakes[] = {
    {
        .id = "pre-norm",
        .what =
            "this is a pre-norm layer: each branch reads a normalized copy of the stream",
        .why = "Lab 5 and GPT-2 do this. BERT normalizes after each addition: "
               "post_norm(x, attention(x)).",
        .source = NULL,
        .function = LIKE(bert_layer, layer_pre_norm),
        .convention = true,
    },
    {
        .id = "branch-normalized",
        .what = "the branch is normalized, then added to the stream",
        .why = "Add first, then normalize the sum: that is what post_norm does.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_norm_branch),
    },
    {
        .id = "no-first-residual",
        .what = "x is not added to the attention",
        .why = "middle = post_norm(x, attended): the sum of both is normalized.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_first),
    },
    {
        .id = "no-second-residual",
        .what = "middle is not added to the MLP's output",
        .why = "out = post_norm(middle, projected): the sum of both is normalized.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_second),
    },
    {
        .id = "no-residual",
        .what = "there is no residual: the branches replace the stream",
        .why =
            "post_norm adds its two inputs: x and attended, then middle and projected.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_residuals),
    },
    {
        .id = "second-from-x",
        .what = "the MLP's output is added to x, so the attention's output is lost",
        .why = "out = post_norm(middle, projected).",
        .source = NULL,
        .function = LIKE(bert_layer, layer_second_from_x),
    },
    {
        .id = "norm-shared",
        .what = "the second norm uses the gain and bias of the first",
        .why = "The second norm needs ln2_gain and ln2_bias.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_norm_shared),
    },
    {
        .id = "norms-swapped",
        .what = "the two norms are swapped",
        .why = "ln1 comes after the attention, ln2 after the MLP.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_norms_swapped),
    },
    {
        .id = "no-first-norm",
        .what = "x + attended is not normalized",
        .why = "middle = post_norm(x, attended).",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_norm1),
    },
    {
        .id = "no-second-norm",
        .what = "middle + projected is not normalized",
        .why = "out = post_norm(middle, projected).",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_norm2),
    },
    {
        .id = "no-norms",
        .what = "neither sum is normalized",
        .why = "Call post_norm instead of residual_add.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_norms),
    },
    {
        .id = "mlp-reads-x",
        .what = "the MLP reads x, so it does not see the attention's output",
        .why = "The MLP reads middle.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_mlp_reads_x),
    },
    {
        .id = "mlp-reads-attended",
        .what = "the MLP reads the attention's output, without x and the norm",
        .why = "The MLP reads middle.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_mlp_reads_attended),
    },
    {
        .id = "mask-ignored",
        .what = "the mask has no effect: padding is attended to",
        .why = "Pass mask to cross_attention.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_without_mask),
    },
    {
        .id = "mask-inverted",
        .what = "the mask is inverted",
        .why = "1 means: may attend, as in labs 3 and 4. Pass it on unchanged.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_mask_inverted),
    },
    {
        .id = "causal",
        .what = "no token sees a later one",
        .why = "BERT reads in both directions. Only GPT-2 is causal.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_causal),
    },
    {
        .id = "lab-5s-eps",
        .what = "the norms use lab 5's eps, 1e-5",
        .why = "BERT's eps is 1e-12: call post_norm, not layernorm.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_lab5_eps),
    },
    {
        .id = "tanh",
        .what = "the GELU is the tanh form",
        .why = "BERT has the exact GELU: lab 5's mlp computes it.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_tanh),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "the activation is ReLU",
        .why = "BERT has the exact GELU: lab 5's mlp computes it.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_relu),
        .convention = true,
    },
    {
        .id = "values-by-w_k",
        .what = "the values are projected with w_k and b_k",
        .why = "Pass &params->attention unchanged.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_k_for_v),
    },
    {
        .id = "keys-by-w_q",
        .what = "the keys are projected with w_q and b_q",
        .why = "Pass &params->attention unchanged.",
        .source = NULL,
        .function = LIKE(bert_layer, layer_q_for_k),
    },
    {0},
};

static const struct mistake layer_alternatives[] = {
    {.id = "norms-and-mlp-in-double", .function = LIKE(bert_layer, layer_by_rows)},
    {0},
};

static const struct part layer_parts[] = {
    POST_NORM_PART,
    {
        .function = "bert_layer",
        .passes_status_on = true,
        .dims = "B T C NH H",
        .tensors = {{"out", "B T C", OUTPUT, F32, LAYER_OUT_TOLERANCE},
                    {"weights", "B NH T T", OUTPUT, F32, LAYER_WEIGHTS_TOLERANCE},
                    BERT_BUFFER_TENSORS,
                    FLOATS("x", "B T C", INPUT),
                    BERT_PARAM_TENSORS,
                    {"mask", "B T T", INPUT, U8, 0, 0}},
        .stages =
            "q k v q_heads:q k_heads:k v_heads:v scores:q_heads,k_heads weights:scores "
            "out_heads:weights,v_heads merged:out_heads attended:merged "
            "middle:attended hidden:middle activated:hidden projected:activated "
            "out:middle,projected",
        .cases = layer_cases,
        .mistakes = layer_mistakes,
        .alternatives = layer_alternatives,
    },
    {0},
};

const struct exercise exercise_11_4 = {
    .id = "11.4",
    .name = "bert_layer",
    .section = "11.4 A layer of BERT",
    .uses = {"4.7", "5.3"},
    .hints =
        {
            "Which function of lab 4 takes a mask and separate matrices for q, k and "
            "v? What is its memory here?",
            "post_norm: s = x + branch, then lab 5's layer norm of each row of s with "
            "BERT_EPS. bert_layer: attended = cross_attention of x with memory x; middle = "
            "post_norm(x, attended); projected = mlp(middle); out = post_norm(middle, "
            "projected). ln1 belongs to the first norm, ln2 to the second.",
            "post_norm, for each row n:\n"
            "    for each c: y[n][c] = x[n][c] + branch[n][c];  mean = their mean\n"
            "    squares = sum of (y[n][c] - mean)^2\n"
            "    rstd = 1 / sqrt(squares / C + BERT_EPS)\n"
            "    for each c: y[n][c] = (y[n][c] - mean) * rstd * gain[c] + bias[c]\n"
            "bert_layer:\n"
            "    cross_attention(attended, weights, &buffers->attention, x, x,\n"
            "                    &params->attention, mask, B, T, T, C, NH)\n"
            "    post_norm(middle, x, attended, ln1_gain, ln1_bias, B * T, C)\n"
            "    mlp(projected, hidden, activated, middle, &params->mlp, B * T, C, H)\n"
            "    post_norm(out, middle, projected, ln2_gain, ln2_bias, B * T, C)",
        },
    .parts = layer_parts,
};
