// 06_language_block.c - exercise 8.6, language_block: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"
#include "common/rng.h"

static void fill_block(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_block_params(test, "params.");
    enlarge_rows(case_f32(test, "x"), case_dim(test, "B") * case_dim(test, "T"),
                 case_dim(test, "C"), 0.7f);
}

// A stream that has grown, as it does after many blocks.
static void fill_grown(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    scale_input(test, "x", 10.0f);
}

// RMS norm scales channels 0 and 1 of every token, but does not change their signs.
static void fill_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    fill_block(test, rng);
    set_channel(test, "x", C, 0, -1.0f);
    set_channel(test, "x", C, 1, 1.0f);
    heads_far_from_0(case_f32(test, "params.w_q"), case_f32(test, "params.w_k"), C, C,
                     case_dim(test, "hs"));
}

static const struct case_spec language_block_cases[] = {
    {.dims = "B=1 T=1 C=2 NH=1 hs=2 H=1", .fill = fill_block, .note = "one token"},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3", .fill = fill_block},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5", .fill = fill_block},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=7", .draws = 2, .fill = fill_block},
    {.dims = "B=2 T=3 C=6 NH=3 hs=2 H=6", .fill = fill_block, .note = "T = NH, H = C"},
    {.dims = "B=1 T=5 C=8 NH=4 hs=2 H=7",
     .fill = fill_grown,
     .note = "a stream of size 10"},
    {.dims = "B=3 T=4 C=12 NH=2 hs=6 H=14", .fill = fill_block},
    {.dims = "B=2..3 T=5..7 C=16 NH=4 hs=4 H=14..31", .draws = 2, .fill = fill_block},
    {.dims = "B=2 T=33 C=12 NH=3 hs=4 H=32", .fill = fill_block, .note = "longer"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=5",
     .fill = fill_block,
     .note = "one token in each sequence"},
    {.dims = "B=2 T=3 C=4 NH=1 hs=4 H=5", .fill = fill_block, .note = "one head"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=1",
     .fill = fill_block,
     .note = "an MLP of width 1"},
    {.dims = "B=256 T=2 C=4 NH=2 hs=2 H=3", .fill = fill_block, .note = "256 sequences"},
    {.dims = "B=307 T=2 C=2 NH=1 hs=2 H=1",
     .fill = fill_grown,
     .note = "more than 300 sequences"},
    {.dims = "B=2 T=16 C=32 NH=2 hs=16 H=64",
     .fill = fill_block,
     .note = "T = hs = 16, C = 32, H = 64"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=5", .fill = fill_far_heads, .note = FAR_HEADS_NOTE},
    {.dims = "B=2 T=3 C=7 NH=3 hs=2 H=5", .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3 H=5", .note = "C / NH is odd"},
    {.dims = "B=0 T=3 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=2 hs=0 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=0 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=0", .note = "a size of 0"},
    {.dims = "B=1 T=192 C=4 NH=1 hs=4 H=3",
     .fill = fill_block,
     .note = "192 tokens",
     .memory_only = true},
    {0},
};

// BEGIN HANDED OUT
// This token changes in every sequence; the results of the tokens before it
// must not change.
static size_t changed_token(const struct test_case *test)
{
    return (case_dim(test, "T") + 1) / 2;
}
// END HANDED OUT

static void change_one_token(struct test_case *second, struct lab_rng *rng)
{
    const size_t T = case_dim(second, "T"), C = case_dim(second, "C");
    for (size_t b = 0; b < case_dim(second, "B"); b++) {
        lab_rng_randn(rng, case_f32(second, "x") + (b * T + changed_token(second)) * C,
                      C);
    }
}

// BEGIN HANDED OUT
static bool earlier_outputs_stay(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    const float *before = case_got(first, "out"), *after = case_got(second, "out");
    const size_t T = case_dim(first, "T"), C = case_dim(first, "C");
    for (size_t i = 0; i < case_count(first, "out"); i++) {
        const size_t b = i / (T * C), t = i / C % T;
        const float allowed = 1e-5f + 1e-5f * fabsf(before[i]);
        if (t < changed_token(first) && !(fabsf(after[i] - before[i]) <= allowed)) {
            snprintf(why, why_size,
                     "token %zu changed, and out[%zu][%zu][%zu] went from %.9g to %.9g",
                     changed_token(first), b, t, i % C, (double)before[i],
                     (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property language_block_properties[] = {
    {
        .id = "future-is-hidden",
        .claim = "changing token t+1 leaves outputs up to t unchanged",
        .dims = "B=2 T=5 C=8 NH=2 hs=4 H=3",
        .fill = fill_block,
        .change = change_one_token,
        HOLDS(earlier_outputs_stay),
    },
    {0},
};

enum block_fault {
    BLOCK_RIGHT,
    BLOCK_NO_NORM1,
    BLOCK_NO_NORM2,
    BLOCK_NORM1_FOR_BOTH,
    BLOCK_NORMS_SWAPPED,
    BLOCK_NORM2_OF_X,
    BLOCK_MLP_READS_NORMED1,
    BLOCK_POST_NORM,
    BLOCK_NO_ROPE,
    BLOCK_TURNED_UNUSED,
    BLOCK_ROPE_Q_ONLY,
    BLOCK_ROPE_ON_V,
    BLOCK_ROPE_BEFORE_SPLIT,
    BLOCK_POSITIONS_FROM_1,
    BLOCK_POSITIONS_0,
    BLOCK_NO_MASK,
    BLOCK_MASK_OF_FIRST,
    BLOCK_ITSELF_HIDDEN,
    BLOCK_NO_RESIDUAL1,
    BLOCK_NO_RESIDUAL2,
    BLOCK_NO_RESIDUALS,
    BLOCK_RESIDUAL_OF_NORMED1,
    BLOCK_RESIDUAL2_OF_X,
    BLOCK_RESIDUAL2_OF_NORMED2,
    BLOCK_NO_W_O,
    BLOCK_NOT_MERGED,
    BLOCK_NOT_SPLIT,
    BLOCK_QK_SWAPPED,
    BLOCK_V_OF_X,
    BLOCK_GATE_UP_SWAPPED,
    BLOCK_UP_AS_GATE,
};

static void linear(float *y, const float *x, const float *w, size_t B, size_t T, size_t I,
                   size_t O)
{
    must(batched_linear(y, x, w, NULL, B, T, I, O));
}

static void cut(enum block_fault fault, float *heads, const float *x, size_t B, size_t T,
                size_t C, size_t NH)
{
    if (fault == BLOCK_NOT_SPLIT) {
        memcpy(heads, x, B * T * C * sizeof *heads);
    } else {
        must(split_heads(heads, x, B, T, C, NH));
    }
}

// q_turned or k_turned, computed from the heads or, before the split, from x.
static void turn(enum block_fault fault, float *turned, float *heads, const float *x,
                 const size_t *positions, size_t B, size_t T, size_t C, size_t NH)
{
    if (fault == BLOCK_ROPE_BEFORE_SPLIT) {
        must(rope(heads, x, positions, B, 1, T, C));
        must(split_heads(turned, heads, B, T, C, NH));
    } else {
        must(rope(turned, heads, positions, B, NH, T, C / NH));
    }
}

static void set_positions(enum block_fault fault, const struct language_block_buffers *z,
                          size_t B, size_t T)
{
    for (size_t t = 0; t < T && fault != BLOCK_NO_ROPE; t++) {
        z->positions[t] = fault == BLOCK_POSITIONS_FROM_1 ? t + 1
                          : fault == BLOCK_POSITIONS_0    ? 0
                                                          : t;
    }
    for (size_t b = 0; b < (fault == BLOCK_MASK_OF_FIRST ? 1 : B); b++) {
        must(causal_mask(z->mask + b * T * T, T, T));
        for (size_t t = 0; t < T && fault == BLOCK_ITSELF_HIDDEN; t++) {
            z->mask[(b * T + t) * T + t] = 0;
        }
    }
}

// From normed1, or the array used instead, to attended.
static void attend(enum block_fault fault, float *weights,
                   const struct language_block_buffers *z, const float *from,
                   const float *x, const struct language_block_params *params, size_t B,
                   size_t T, size_t C, size_t NH)
{
    const bool swapped = fault == BLOCK_QK_SWAPPED;
    linear(z->q, from, swapped ? params->w_k : params->w_q, B, T, C, C);
    linear(z->k, from, swapped ? params->w_q : params->w_k, B, T, C, C);
    linear(z->v, fault == BLOCK_V_OF_X ? x : from, params->w_v, B, T, C, C);
    cut(fault, z->q_heads, z->q, B, T, C, NH);
    cut(fault, z->k_heads, z->k, B, T, C, NH);
    cut(fault, z->v_heads, z->v, B, T, C, NH);
    set_positions(fault, z, B, T);
    const float *q = z->q_heads, *k = z->k_heads, *v = z->v_heads;
    float *v_turned = borrow(B * T * C);
    if (fault != BLOCK_NO_ROPE) {
        turn(fault, z->q_turned, z->q_heads, z->q, z->positions, B, T, C, NH);
        q = fault == BLOCK_TURNED_UNUSED ? q : z->q_turned;
    }
    if (fault != BLOCK_NO_ROPE && fault != BLOCK_ROPE_Q_ONLY) {
        turn(fault, z->k_turned, z->k_heads, z->k, z->positions, B, T, C, NH);
        k = fault == BLOCK_TURNED_UNUSED ? k : z->k_turned;
    }
    if (fault == BLOCK_ROPE_ON_V) {
        must(rope(v_turned, z->v_heads, z->positions, B, NH, T, C / NH));
        v = v_turned;
    }
    must(scaled_dot_product_attention(z->out_heads, weights, z->scores, q, k, v,
                                      fault == BLOCK_NO_MASK ? NULL : z->mask, B, NH, T,
                                      T, C / NH));
    free(v_turned);
    if (fault == BLOCK_NOT_MERGED) {
        memcpy(z->merged, z->out_heads, B * T * C * sizeof(float));
    } else {
        must(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    }
    if (fault == BLOCK_NO_W_O) {
        memcpy(z->attended, z->merged, B * T * C * sizeof(float));
    } else {
        linear(z->attended, z->merged, params->w_o, B, T, C, C);
    }
}

// From normed2, or the array used instead, to projected.
static void feed(enum block_fault fault, const struct language_block_buffers *z,
                 const float *from, const struct language_block_params *params, size_t B,
                 size_t T, size_t C, size_t H)
{
    linear(z->gate, from, params->w_gate, B, T, C, H);
    linear(z->up, from, fault == BLOCK_UP_AS_GATE ? params->w_gate : params->w_up, B, T,
           C, H);
    const bool swapped = fault == BLOCK_GATE_UP_SWAPPED;
    must(swiglu(z->hidden, swapped ? z->up : z->gate, swapped ? z->gate : z->up,
                B * T * H));
    linear(z->projected, z->hidden, params->w_down, B, T, H, C);
}

// y = x + branch, or only branch without x.
static void add(float *y, const float *x, const float *branch, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = (x != NULL ? x[i] : 0.0f) + branch[i];
    }
}

// rmsnorm(x + attention(x)), then rmsnorm of that + mlp of that: the norms come last.
static lab_status post_norm(BLOCK_ARGUMENTS)
{
    const size_t N = B * T;
    attend(BLOCK_RIGHT, weights, z, x, x, params, B, T, C, NH);
    add(z->middle, x, z->attended, N * C);
    must(rmsnorm(z->normed1, z->rrms1, z->middle, params->norm1, N, C));
    feed(BLOCK_RIGHT, z, z->normed1, params, B, T, C, H);
    add(out, z->normed1, z->projected, N * C);
    must(rmsnorm(z->normed2, z->rrms2, out, params->norm2, N, C));
    memcpy(out, z->normed2, N * C * sizeof *out);
    return LAB_OK;
}

static lab_status block_with(enum block_fault fault, BLOCK_ARGUMENTS)
{
    const size_t N = B * T;
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0 ||
        C / NH % 2 != 0) {
        return LAB_ESHAPE;
    }
    if (fault == BLOCK_POST_NORM) {
        return post_norm(BLOCK_VALUES);
    }
    const bool norms_swapped = fault == BLOCK_NORMS_SWAPPED;
    if (fault != BLOCK_NO_NORM1) {
        must(rmsnorm(z->normed1, z->rrms1, x,
                     norms_swapped ? params->norm2 : params->norm1, N, C));
    }
    attend(fault, weights, z, fault == BLOCK_NO_NORM1 ? x : z->normed1, x, params, B, T,
           C, NH);
    add(z->middle,
        fault == BLOCK_NO_RESIDUAL1 || fault == BLOCK_NO_RESIDUALS ? NULL
        : fault == BLOCK_RESIDUAL_OF_NORMED1                       ? z->normed1
                                                                   : x,
        z->attended, N * C);
    if (fault != BLOCK_NO_NORM2) {
        const bool first = fault == BLOCK_NORM1_FOR_BOTH || norms_swapped;
        must(rmsnorm(z->normed2, z->rrms2, fault == BLOCK_NORM2_OF_X ? x : z->middle,
                     first ? params->norm1 : params->norm2, N, C));
    }
    feed(fault, z,
         fault == BLOCK_NO_NORM2            ? z->middle
         : fault == BLOCK_MLP_READS_NORMED1 ? z->normed1
                                            : z->normed2,
         params, B, T, C, H);
    add(out,
        fault == BLOCK_NO_RESIDUAL2 || fault == BLOCK_NO_RESIDUALS ? NULL
        : fault == BLOCK_RESIDUAL2_OF_X                            ? x
        : fault == BLOCK_RESIDUAL2_OF_NORMED2                      ? z->normed2
                                                                   : z->middle,
        z->projected, N * C);
    return LAB_OK;
}

#define BLOCK(name, fault)                                                               \
    static lab_status name(BLOCK_ARGUMENTS)                                              \
    {                                                                                    \
        return block_with(fault, BLOCK_VALUES);                                          \
    }

BLOCK(block_no_norm1, BLOCK_NO_NORM1)
BLOCK(block_no_norm2, BLOCK_NO_NORM2)
BLOCK(block_norm1_for_both, BLOCK_NORM1_FOR_BOTH)
BLOCK(block_norms_swapped, BLOCK_NORMS_SWAPPED)
BLOCK(block_norm2_of_x, BLOCK_NORM2_OF_X)
BLOCK(block_mlp_reads_normed1, BLOCK_MLP_READS_NORMED1)
BLOCK(block_post_norm, BLOCK_POST_NORM)
BLOCK(block_no_rope, BLOCK_NO_ROPE)
BLOCK(block_turned_unused, BLOCK_TURNED_UNUSED)
BLOCK(block_rope_q_only, BLOCK_ROPE_Q_ONLY)
BLOCK(block_rope_on_v, BLOCK_ROPE_ON_V)
BLOCK(block_rope_before_split, BLOCK_ROPE_BEFORE_SPLIT)
BLOCK(block_positions_from_1, BLOCK_POSITIONS_FROM_1)
BLOCK(block_positions_0, BLOCK_POSITIONS_0)
BLOCK(block_no_mask, BLOCK_NO_MASK)
BLOCK(block_mask_of_first, BLOCK_MASK_OF_FIRST)
BLOCK(block_itself_hidden, BLOCK_ITSELF_HIDDEN)
BLOCK(block_no_residual1, BLOCK_NO_RESIDUAL1)
BLOCK(block_no_residual2, BLOCK_NO_RESIDUAL2)
BLOCK(block_no_residuals, BLOCK_NO_RESIDUALS)
BLOCK(block_residual_of_normed1, BLOCK_RESIDUAL_OF_NORMED1)
BLOCK(block_residual2_of_x, BLOCK_RESIDUAL2_OF_X)
BLOCK(block_residual2_of_normed2, BLOCK_RESIDUAL2_OF_NORMED2)
BLOCK(block_no_w_o, BLOCK_NO_W_O)
BLOCK(block_not_merged, BLOCK_NOT_MERGED)
BLOCK(block_not_split, BLOCK_NOT_SPLIT)
BLOCK(block_qk_swapped, BLOCK_QK_SWAPPED)
BLOCK(block_v_of_x, BLOCK_V_OF_X)
BLOCK(block_gate_up_swapped, BLOCK_GATE_UP_SWAPPED)
BLOCK(block_up_as_gate, BLOCK_UP_AS_GATE)
BLOCK(block_by_pieces, BLOCK_RIGHT)

#define RESIDUAL_WHY                                                                     \
    "The stream runs past both branches: middle = x + attended, out = middle + "         \
    "projected."

static const struct mistake language_block_mistakes[] = {
    {
        .id = "no-norm1",
        .what = "the norm before the attention is missing",
        .why = "q, k and v are computed from normed1 = rmsnorm(x), not from x.",
        .source = NULL,
        .function = LIKE(language_block, block_no_norm1),
    },
    {
        .id = "no-norm2",
        .what = "the norm before the MLP is missing",
        .why =
            "gate and up are computed from normed2 = rmsnorm(middle), not from middle.",
        .source = NULL,
        .function = LIKE(language_block, block_no_norm2),
    },
    {
        .id = "norm1-for-both",
        .what = "both norms use the gain norm1",
        .why = "The norm before the MLP has its own gain, norm2.",
        .source = NULL,
        .function = LIKE(language_block, block_norm1_for_both),
    },
    {
        .id = "norms-swapped",
        .what = "the gains norm1 and norm2 are swapped",
        .why = "norm1 is the gain before the attention, norm2 the one before the MLP.",
        .source = NULL,
        .function = LIKE(language_block, block_norms_swapped),
    },
    {
        .id = "norm2-of-x",
        .what = "the second norm reads x, not middle",
        .why = "The MLP must see the attention's output: normed2 = rmsnorm(middle).",
        .source = NULL,
        .function = LIKE(language_block, block_norm2_of_x),
    },
    {
        .id = "mlp-reads-normed1",
        .what = "the MLP reads normed1 instead of normed2",
        .why = "gate and up are computed from normed2 = rmsnorm(middle).",
        .source = NULL,
        .function = LIKE(language_block, block_mlp_reads_normed1),
    },
    {
        .id = "post-norm",
        .what = "the norms come after the residuals, not before the branches",
        .why =
            "That is the form of the first transformer. In LLaMA each branch begins with "
            "a norm, and the stream itself is never normalized.",
        .source = "harvardnlp/annotated-transformer#1, #13",
        .function = LIKE(language_block, block_post_norm),
    },
    {
        .id = "no-rope",
        .what = "queries and keys are not rotated",
        .why = "Without rope the attention cannot use the distance between two tokens: "
               "q_turned = rope(q_heads), k_turned = rope(k_heads).",
        .source = NULL,
        .function = LIKE(language_block, block_no_rope),
    },
    {
        .id = "turned-unused",
        .what = "the attention reads q_heads and k_heads, which are not rotated",
        .why = "rope writes q_turned and k_turned: the attention takes these.",
        .source = NULL,
        .function = LIKE(language_block, block_turned_unused),
    },
    {
        .id = "rope-on-q-alone",
        .what = "only the queries are rotated, not the keys",
        .why =
            "A score depends on the distance because both are rotated, each by its own "
            "position.",
        .source = NULL,
        .function = LIKE(language_block, block_rope_q_only),
    },
    {
        .id = "rope-on-v",
        .what = "the values are rotated, too",
        .why = "Only the scores depend on positions. Do not rotate the values.",
        .source = NULL,
        .function = LIKE(language_block, block_rope_on_v),
    },
    {
        .id = "rope-before-split",
        .what = "rope is applied to whole rows, before they are cut into heads",
        .why =
            "The frequencies then run over C channels instead of hs, so each head gets "
            "different ones. Call split_heads first, then rope.",
        .source = "Lightricks/LTX-Video#224, rasbt/LLMs-from-scratch#411",
        .function = LIKE(language_block, block_rope_before_split),
    },
    {
        .id = "positions-from-1",
        .what = "the first token has position 1",
        .why = "Token t has position t, so the first token is not rotated.",
        .source = "Physical-Intelligence/openpi#762",
        .function = LIKE(language_block, block_positions_from_1),
    },
    {
        .id = "positions-0",
        .what = "every token has position 0",
        .why = "positions[t] = t for every t.",
        .source = NULL,
        .function = LIKE(language_block, block_positions_0),
    },
    {
        .id = "no-mask",
        .what = "there is no causal mask",
        .why =
            "A token that sees the next one can copy it: the loss falls, but the model "
            "learns nothing. Fill mask with causal_mask for every sequence.",
        .source = "keras-team/keras#23040",
        .function = LIKE(language_block, block_no_mask),
    },
    {
        .id = "itself-hidden",
        .what = "no token sees itself",
        .why = "Token t sees the tokens s <= t: causal_mask allows the diagonal, too.",
        .source = NULL,
        .function = LIKE(language_block, block_itself_hidden),
    },
    {
        .id = "mask-of-first-sequence",
        .what = "only the first sequence has a mask",
        .why = "mask is (B, T, T): call causal_mask for every sequence, at b * T * T.",
        .source = NULL,
        .function = LIKE(language_block, block_mask_of_first),
    },
    {
        .id = "no-first-residual",
        .what = "x is not added to the attention's output",
        .why = RESIDUAL_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block, block_no_residual1),
    },
    {
        .id = "no-second-residual",
        .what = "middle is not added to the MLP's output",
        .why = RESIDUAL_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block, block_no_residual2),
    },
    {
        .id = "no-residuals",
        .what = "there are no residuals",
        .why = RESIDUAL_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block, block_no_residuals),
    },
    {
        .id = "residual-of-normed1",
        .what = "the first residual takes normed1 instead of x",
        .why = RESIDUAL_WHY,
        .source = "pytorch/pytorch#61165, tracel-ai/burn#1056",
        .function = LIKE(language_block, block_residual_of_normed1),
    },
    {
        .id = "second-residual-of-x",
        .what = "the second residual takes x instead of middle",
        .why = RESIDUAL_WHY " With x, the attention's output is lost.",
        .source = NULL,
        .function = LIKE(language_block, block_residual2_of_x),
    },
    {
        .id = "residual-of-normed2",
        .what = "the second residual takes normed2 instead of middle",
        .why = RESIDUAL_WHY,
        .source = "pytorch/pytorch#61165, tracel-ai/burn#1056",
        .function = LIKE(language_block, block_residual2_of_normed2),
    },
    {
        .id = "no-w_o",
        .what = "the product with w_o is missing",
        .why = "attended = merged w_o^T mixes the heads.",
        .source = "jwallbridge/translob#4",
        .function = LIKE(language_block, block_no_w_o),
    },
    {
        .id = "heads-not-merged",
        .what = "the heads are not merged: out_heads is read as rows",
        .why = "out_heads is (B, NH, T, hs), merged is (B, T, C): the sizes agree, but "
               "the order does not. Call merge_heads.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(language_block, block_not_merged),
    },
    {
        .id = "heads-not-split",
        .what = "q, k and v are read as heads without being split",
        .why =
            "q is (B, T, C), q_heads is (B, NH, T, hs): the sizes agree, but the order "
            "does not. Call split_heads.",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(language_block, block_not_split),
    },
    {
        .id = "qk-swapped",
        .what = "w_q and w_k are swapped",
        .why = "q = normed1 w_q^T and k = normed1 w_k^T. A row of the scores is a query.",
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(language_block, block_qk_swapped),
    },
    {
        .id = "v-of-x",
        .what = "the values are computed from x, not from normed1",
        .why = "q, k and v all come from normed1.",
        .source = NULL,
        .function = LIKE(language_block, block_v_of_x),
    },
    {
        .id = "gate-and-up-swapped",
        .what = "gate and up are swapped in swiglu",
        .why = "hidden = swiglu(gate, up): gate goes through the sigmoid.",
        .source = "ml-explore/mlx-lm#767",
        .function = LIKE(language_block, block_gate_up_swapped),
    },
    {
        .id = "up-from-w_gate",
        .what = "up is computed with w_gate",
        .why = "up has its own matrix: up = normed2 w_up^T.",
        .source = NULL,
        .function = LIKE(language_block, block_up_as_gate),
    },
    {0},
};

static const struct mistake language_block_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(language_block, block_by_pieces)},
    {.id = "in-double", .function = LIKE(language_block, language_block_in_double)},
    {0},
};

static const struct part language_block_part[] = {
    {
        .function = "language_block",
        .passes_status_on = true,
        .dims = BLOCK_DIMS,
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, FORWARD_TOLERANCE},
                {"weights", "B NH T T", OUTPUT, F32, FORWARD_TOLERANCE},
                BLOCK_BUFFER_TENSORS(OUTPUT, WORKSPACE, FORWARD_TOLERANCE),
                {"x", "B T C", INPUT, F32, 0, 0},
                BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0),
            },
        .stages =
            "z.normed1 z.q:z.normed1 z.k:z.normed1 z.v:z.normed1 z.q_heads:z.q "
            "z.k_heads:z.k z.v_heads:z.v z.positions z.q_turned:z.q_heads,z.positions "
            "z.k_turned:z.k_heads,z.positions z.mask "
            "weights:z.q_turned,z.k_turned,z.mask "
            "z.out_heads:weights,z.v_heads z.merged:z.out_heads z.attended:z.merged "
            "z.middle:z.attended z.normed2:z.middle z.gate:z.normed2 z.up:z.normed2 "
            "z.hidden:z.gate,z.up z.projected:z.hidden out:z.middle,z.projected",
        .cases = language_block_cases,
        .properties = language_block_properties,
        .mistakes = language_block_mistakes,
        .alternatives = language_block_alternatives,
    },
    {0},
};

const struct exercise exercise_8_6 = {
    .id = "8.6",
    .name = "language_block",
    .section = "8.6 A block in LLaMA's form",
    .uses = {"8.3", "8.4", "7.3", "2.3", "3.1", "4.3", "4.4", "4.5"},
    .hints =
        {
            "This is lab 5's block with different parts. Write one call for each buffer "
            "of z, in the order of the struct.",
            "rmsnorm, three batched_linear, three split_heads, positions, two rope, "
            "causal_mask for each sequence, scaled_dot_product_attention, merge_heads, "
            "batched_linear, residual_add; rmsnorm, two batched_linear, swiglu, "
            "batched_linear, residual_add.",
            "rmsnorm(z->normed1, z->rrms1, x, params->norm1, N, C)\n"
            "batched_linear(z->q, z->normed1, params->w_q, NULL, B, T, C, C), and "
            "likewise k and v\n"
            "split_heads(z->q_heads, z->q, B, T, C, NH), and likewise k and v\n"
            "z->positions[t] = t; causal_mask(z->mask + b * T * T, T, T)\n"
            "rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs), and likewise k\n"
            "scaled_dot_product_attention(z->out_heads, weights, z->scores, "
            "z->q_turned,\n"
            "    z->k_turned, z->v_heads, z->mask, B, NH, T, T, hs)\n"
            "merge_heads, batched_linear with w_o, residual_add(z->middle, x, "
            "z->attended, N * C)\n"
            "rmsnorm to normed2; w_gate and w_up; swiglu(z->hidden, z->gate, z->up, "
            "N * H)\n"
            "batched_linear with w_down (I = H, O = C), residual_add(out, z->middle, "
            "...)",
        },
    .parts = language_block_part,
};
