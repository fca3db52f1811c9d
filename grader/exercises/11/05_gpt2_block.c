// 05_gpt2_block.c - exercise 11.5, a block of GPT-2: cases, known mistakes and hints of gpt2_block, and
// the exercise. Its other functions are in 05a_gpt2_parts.c.

#include "exercises/exercise.h"
#include "exercises/11/05_gpt2_block.h"
#include "exercises/11/layers.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

// A residual stream that has grown, as it does over many blocks.
static void fill_grown(struct test_case *test, struct lab_rng *rng)
{
    fill_gpt2(test, rng);
    scale_input(test, "x", 10.0f);
}

// The numbers that GELU reads are near -2.7, where its two forms differ most, and each channel adds up
// what they differ by.
static void fill_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    fill_gpt2(test, rng);
    scale_input(test, "w_fc", 0.05f);
    set_all(test, "b_fc", -2.7f);
    float *w_proj = case_f32(test, "w_proj");
    lab_rng_randn(rng, w_proj, case_count(test, "w_proj"));
    for (size_t i = C; i < case_count(test, "w_proj"); i++) {
        w_proj[i] = w_proj[i % C];
    }
}

// All that is added to the stream is tiny, too.
static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    static const char *const added[] = {"x", "w_o", "b_o", "w_proj", "b_proj"};
    fill_gpt2(test, rng);
    for (size_t i = 0; i < 5; i++) {
        scale_input(test, added[i], TINY);
    }
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_gpt2(test, rng);
    scale_input(test, "x", LARGE);
}

// Layer norm leaves 1 and -1 in the channels of even tokens, and the reverse in odd ones. Every query reads channel 0
// alone, so the scores of odd keys are 20 lower. Nothing is added to the stream.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    static const char *const zero[] = {"w_qkv", "b_qkv", "w_o",    "b_o",
                                       "w_fc",  "b_fc",  "w_proj", "b_proj"};
    (void)rng;
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        set_all(test, zero[i], 0.0f);
    }
    const size_t C = case_dim(test, "C");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = (i / C + i % C) % 2 == 0 ? 1.0f : -1.0f;
    }
    set_all(test, "ln1_gain", 1.0f);
    set_all(test, "ln1_bias", 0.0f);
    case_f32(test, "b_qkv")[0] = sqrtf((float)C); // one head
    case_f32(test, "w_qkv")[C] = 10.0f;           // channel 0 to the keys' channel 0
}

// As heads_far_from_0, with matrices (in, out). Layer norm leaves -1 and 1 in channels 0 and 1.
static void fill_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C"), hs = C / case_dim(test, "NH");
    float *w = case_f32(test, "w_qkv");
    fill_gpt2(test, rng);
    for (size_t i = 0; i < 3 * C * C; i++) {
        w[i] = i % (3 * C) < 2 * C ? 0.0f : w[i];
    }
    for (size_t c = 0; c < C; c += hs) {
        w[c] = 0x1p51f;
        w[3 * C + C + c] = c / hs % 2 == 0 ? 0x1p51f : -0x1p51f;
    }
    for (size_t c = 0; c < 2 * C; c++) {
        case_f32(test, "b_qkv")[c] = 0.0f;
    }
    for (size_t c = 0; c < 2; c++) {
        case_f32(test, "ln1_gain")[c] = 0.0f;
        case_f32(test, "ln1_bias")[c] = c == 0 ? -1.0f : 1.0f;
    }
}

static const struct case_spec block_cases[] = {
    {.dims = "B=1 T=1 C=4 NH=1 H=3", .fill = fill_gpt2},
    {.dims = "B=1 T=2 C=6 NH=2 H=5", .fill = fill_gpt2},
    {.dims = "B=2 T=3 C=8 NH=2 H=5", .draws = 2, .fill = fill_gpt2},
    {.dims = "B=2 T=3 C=6 NH=3 H=6", .fill = fill_gpt2, .note = "T = NH, H = C"},
    {.dims = "B=1 T=5 C=8 NH=4 H=24", .fill = fill_gpt2, .note = "H = 3C"},
    {.dims = "B=1 T=5 C=16 NH=4 H=7", .fill = fill_grown, .note = "a stream of size 10"},
    {.dims = "B=2 T=3 C=8 NH=2 H=64",
     .fill = fill_near_minus_2_7,
     .note = "GELU reads numbers near -2.7"},
    {.dims = "B=2..3 T=5..7 C=12 NH=4 H=14..31", .draws = 3, .fill = fill_gpt2},
    {.dims = "B=3 T=7 C=15 NH=5 H=60", .fill = fill_gpt2},
    {.dims = "B=5 T=3 C=10 NH=1 H=4", .fill = fill_gpt2, .note = "one head"},
    {.dims = "B=2 T=4 C=14 NH=14 H=9",
     .fill = fill_gpt2,
     .note = "a head for each channel"},
    {.dims = "B=1 T=67 C=16 NH=2 H=5", .fill = fill_gpt2, .note = "many tokens"},
    {.dims = "B=3 T=5 C=66 NH=6 H=131", .fill = fill_gpt2, .note = "larger, odd sizes"},
    {.dims = "B=3 T=1 C=6 NH=2 H=5",
     .fill = fill_gpt2,
     .note = "one token in each sequence"},
    {.dims = "B=2 T=3 C=1 NH=1 H=4", .fill = fill_gpt2, .note = "one channel"},
    {.dims = "B=2 T=3 C=6 NH=2 H=1", .fill = fill_gpt2, .note = "an MLP of width 1"},
    {.dims = "B=256 T=2 C=8 NH=2 H=3", .fill = fill_gpt2, .note = "256 sequences"},
    {.dims = "B=1 T=256 C=8 NH=2 H=3", .fill = fill_gpt2, .note = "256 tokens"},
    {.dims = "B=1 T=64 C=64 NH=4 H=64", .fill = fill_gpt2, .note = "T = C = H = 64"},
    {.dims = "B=3 T=1 C=6 NH=2 H=5", .fill = fill_far_heads, .note = FAR_HEADS_NOTE},
    {.dims = "B=1 T=1 C=4 NH=2 H=3",
     .fill = fill_tiny,
     .unit = TINY,
     .note = "a stream, and all that is added to it, near 1e-15"},
    {.dims = "B=1 T=1 C=4 NH=2 H=3",
     .fill = fill_large,
     .unit = LARGE,
     .note = "a stream near 1e6"},
    {.dims = "B=1 T=2 C=4 NH=1 H=2",
     .fill = fill_20_below,
     .unit = BELOW_20_UNIT,
     .note = BELOW_20_NOTE},
    {.dims = "B=2 T=3 C=7 NH=3 H=5", .fill = fill_gpt2, .note = "NH does not divide C"},
    {.dims = "B=0 T=3 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=0 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 H=0", .note = "a size of 0"},
    {0},
};

// ---- known mistakes -------------------------------------------------------------------------

#define BLOCK_ARGUMENTS                                                                  \
    float *out, float *weights, const struct gpt2_buffers *buffers, const float *x,      \
        const struct gpt2_params *params, size_t B, size_t T, size_t C, size_t NH,       \
        size_t H

// The ways to compute a block; all zero is correct.
struct recipe {
    bool out_in;                                       // every matrix read as (out, in)
    bool qkv_out_in, o_out_in, fc_out_in, proj_out_in; // one of them
    bool exact_gelu, relu;                             // which activation
    bool not_causal, mask_of_first, strictly_causal;   // who may see whom
    bool rows_of_qkv, interleaved, qk_swapped;         // how qkv is cut
    bool not_merged, no_w_o;                           // after the heads
    bool no_b_qkv, no_b_o, no_b_fc, no_b_proj;
    bool no_first, no_second, from_x, from_normed; // what is added to what
    bool norm_shared, norms_swapped, no_norm1, no_norm2, post_norm, ln2_reads_x;
    bool mlp_reads_ln1;
    bool sqrt_C, no_scale; // the scale of the scores
};

// y (N, O) = x (N, I) w + bias, sums in double; w (I, O), or (O, I) if flipped.
static void product(float *y, const float *x, const float *w, const float *bias,
                    bool flipped, size_t N, size_t I, size_t O)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias == NULL ? 0.0 : (double)bias[o];
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[n * I + i] * (double)w[flipped ? o * I + i : i * O + o];
            }
            y[n * O + o] = (float)sum;
        }
    }
}

static void normalize(bool skip, float *y, const float *x, const float *gain,
                      const float *bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance += pow((double)x[n * C + c] - mean, 2) / (double)C;
        }
        const double rstd = 1.0 / sqrt(variance + 1e-5);
        for (size_t c = 0; c < C; c++) {
            const size_t i = n * C + c;
            y[i] = skip ? x[i]
                        : (float)(((double)x[i] - mean) * rstd * (double)gain[c] +
                                  (double)bias[c]);
        }
    }
}

// Where channel c of q, k or v (part 0, 1, 2) of head h is, in qkv (B T, 3C).
static size_t place_of(const struct recipe *r, size_t row, size_t part, size_t h,
                       size_t c, size_t C, size_t hs, size_t rows)
{
    if (r->qk_swapped && part < 2) {
        part = 1 - part;
    }
    if (r->rows_of_qkv) { // three blocks of rows, each (B T, C)
        return part * rows * C + row * C + h * hs + c;
    }
    if (r->interleaved) { // q, k and v of a head side by side
        return row * 3 * C + (h * 3 + part) * hs + c;
    }
    return row * 3 * C + part * C + h * hs + c;
}

// Head h of query t of sequence b: its row of weights, and its hs channels of merged.
static void attend_head(const struct recipe *r, float *weights_t, float *merged_h,
                        const float *qkv, size_t b, size_t t, size_t h, size_t B,
                        size_t T, size_t C, size_t hs)
{
    const bool all = r->not_causal || (r->mask_of_first && b > 0);
    const size_t seen = all ? T : t + 1 - (r->strictly_causal && t > 0);
    const double scale = r->no_scale ? 1.0 : 1.0 / sqrt((double)(r->sqrt_C ? C : hs));
    double max = -INFINITY, sum = 0.0;
    memset(weights_t, 0, T * sizeof *weights_t);
    for (size_t s = 0; s < seen; s++) {
        double dot = 0.0;
        for (size_t c = 0; c < hs; c++) {
            dot += (double)qkv[place_of(r, b * T + t, 0, h, c, C, hs, B * T)] *
                   (double)qkv[place_of(r, b * T + s, 1, h, c, C, hs, B * T)];
        }
        weights_t[s] = (float)(dot * scale);
        max = fmax(max, (double)weights_t[s]);
    }
    for (size_t s = 0; s < seen; s++) {
        weights_t[s] = (float)exp((double)weights_t[s] - max);
        sum += (double)weights_t[s];
    }
    for (size_t s = 0; s < seen; s++) {
        weights_t[s] = (float)((double)weights_t[s] / sum);
    }
    for (size_t c = 0; c < hs; c++) {
        double value = 0.0;
        for (size_t s = 0; s < seen; s++) {
            value += (double)weights_t[s] *
                     (double)qkv[place_of(r, b * T + s, 2, h, c, C, hs, B * T)];
        }
        merged_h[c] = (float)value;
    }
}

static void attend(const struct recipe *r, float *out, float *weights,
                   const struct gpt2_buffers *z, const float *x,
                   const struct gpt2_params *p, size_t B, size_t T, size_t C, size_t NH)
{
    const struct attention_buffers *a = &z->attention;
    product(a->qkv, x, p->w_qkv, r->no_b_qkv ? NULL : p->b_qkv,
            r->out_in || r->qkv_out_in, B * T, C, 3 * C);
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                const size_t row = (b * NH + h) * T + t, hs = C / NH;
                const size_t at = r->not_merged ? row * hs : (b * T + t) * C + h * hs;
                attend_head(r, weights + row * T, a->merged + at, a->qkv, b, t, h, B, T,
                            C, hs);
            }
        }
    }
    if (r->no_w_o) {
        memcpy(out, a->merged, B * T * C * sizeof *out);
        return;
    }
    product(out, a->merged, p->w_o, r->no_b_o ? NULL : p->b_o, r->out_in || r->o_out_in,
            B * T, C, C);
}

static void run_mlp(const struct recipe *r, float *out, const struct gpt2_buffers *z,
                    const float *x, const struct gpt2_params *p, size_t N, size_t C,
                    size_t H)
{
    product(z->hidden, x, p->w_fc, r->no_b_fc ? NULL : p->b_fc, r->out_in || r->fc_out_in,
            N, C, H);
    for (size_t i = 0; i < N * H; i++) {
        const double a = (double)z->hidden[i];
        z->activated[i] = (float)(r->relu         ? fmax(a, 0.0)
                                  : r->exact_gelu ? a / 2 * (1 + erf(a / sqrt(2.0)))
                                                  : gelu_tanh_of(a));
    }
    product(out, z->activated, p->w_proj, r->no_b_proj ? NULL : p->b_proj,
            r->out_in || r->proj_out_in, N, H, C);
}

static void add(float *y, const float *x, const float *branch, bool without_x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        y[i] = (without_x ? 0.0f : x[i]) + branch[i];
    }
}

static lab_status block_with(const struct recipe *r, BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const struct gpt2_buffers *z = buffers;
    const struct gpt2_params *p = params;
    const size_t N = B * T;
    const float *gains[] = {p->ln1_gain, p->ln2_gain},
                *biases[] = {p->ln1_bias, p->ln2_bias};
    const int first = r->norms_swapped, second = r->norm_shared ? first : !first;
    if (r->post_norm) {
        attend(r, z->attended, weights, z, x, p, B, T, C, NH);
        add(z->ln1, x, z->attended, false, N * C);
        normalize(false, z->middle, z->ln1, gains[0], biases[0], N, C);
        run_mlp(r, z->projected, z, z->middle, p, N, C, H);
        add(z->ln2, z->middle, z->projected, false, N * C);
        normalize(false, out, z->ln2, gains[1], biases[1], N, C);
        return LAB_OK;
    }
    normalize(r->no_norm1, z->ln1, x, gains[first], biases[first], N, C);
    attend(r, z->attended, weights, z, z->ln1, p, B, T, C, NH);
    add(z->middle, r->from_normed ? z->ln1 : x, z->attended, r->no_first, N * C);
    normalize(r->no_norm2, z->ln2, r->ln2_reads_x ? x : z->middle, gains[second],
              biases[second], N, C);
    run_mlp(r, z->projected, z, r->mlp_reads_ln1 ? z->ln1 : z->ln2, p, N, C, H);
    add(out,
        r->from_x        ? x
        : r->from_normed ? z->ln2
                         : z->middle,
        z->projected, r->no_second, N * C);
    return LAB_OK;
}

#define BLOCK(name, ...)                                                                 \
    static lab_status name(BLOCK_ARGUMENTS)                                              \
    {                                                                                    \
        return block_with(&(struct recipe){__VA_ARGS__}, out, weights, buffers, x,       \
                          params, B, T, C, NH, H);                                       \
    }

BLOCK(block_out_in, .out_in = true)
BLOCK(block_qkv_out_in, .qkv_out_in = true)
BLOCK(block_o_out_in, .o_out_in = true)
BLOCK(block_fc_out_in, .fc_out_in = true)
BLOCK(block_proj_out_in, .proj_out_in = true)
BLOCK(block_exact_gelu, .exact_gelu = true)
BLOCK(block_relu, .relu = true)
BLOCK(block_not_causal, .not_causal = true)
BLOCK(block_mask_of_first, .mask_of_first = true)
BLOCK(block_strictly_causal, .strictly_causal = true)
BLOCK(block_rows_of_qkv, .rows_of_qkv = true)
BLOCK(block_interleaved, .interleaved = true)
BLOCK(block_qk_swapped, .qk_swapped = true)
BLOCK(block_not_merged, .not_merged = true)
BLOCK(block_no_w_o, .no_w_o = true)
BLOCK(block_no_b_qkv, .no_b_qkv = true)
BLOCK(block_no_b_o, .no_b_o = true)
BLOCK(block_no_b_fc, .no_b_fc = true)
BLOCK(block_no_b_proj, .no_b_proj = true)
BLOCK(block_no_biases, .no_b_qkv = true, .no_b_o = true, .no_b_fc = true,
      .no_b_proj = true)
BLOCK(block_no_first, .no_first = true)
BLOCK(block_no_second, .no_second = true)
BLOCK(block_no_residuals, .no_first = true, .no_second = true)
BLOCK(block_from_x, .from_x = true)
BLOCK(block_from_normed, .from_normed = true)
BLOCK(block_norm_shared, .norm_shared = true)
BLOCK(block_norms_swapped, .norms_swapped = true)
BLOCK(block_no_norm1, .no_norm1 = true)
BLOCK(block_no_norm2, .no_norm2 = true)
BLOCK(block_post_norm, .post_norm = true)
BLOCK(block_mlp_reads_ln1, .mlp_reads_ln1 = true)
BLOCK(block_ln2_reads_x, .ln2_reads_x = true)
BLOCK(block_sqrt_C, .sqrt_C = true)
BLOCK(block_no_scale, .no_scale = true)
BLOCK(block_in_double, .out_in = false)

#define IN_OUT                                                                           \
    "GPT-2 stores each matrix as (in, out): w[i][o]. Lab 2's are (out, in). Call "       \
    "linear_in_out."
#define STREAM "middle = x + attended, out = middle + projected."

static const struct mistake block_mistakes[] = {
    {
        .id = "out-in",
        .what = "every matrix is read as (out, in)",
        .why = IN_OUT,
        .source = NULL,
        .function = LIKE(gpt2_block, block_out_in),
    },
    {
        .id = "w_qkv-out-in",
        .what = "w_qkv is read as (out, in)",
        .why = IN_OUT,
        .source = NULL,
        .function = LIKE(gpt2_block, block_qkv_out_in),
    },
    {
        .id = "w_o-out-in",
        .what = "w_o is read as (out, in)",
        .why = IN_OUT " w_o is square, so its shape does not show the mistake.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_o_out_in),
    },
    {
        .id = "w_fc-out-in",
        .what = "w_fc is read as (out, in)",
        .why = IN_OUT,
        .source = NULL,
        .function = LIKE(gpt2_block, block_fc_out_in),
    },
    {
        .id = "w_proj-out-in",
        .what = "w_proj is read as (out, in)",
        .why = IN_OUT,
        .source = NULL,
        .function = LIKE(gpt2_block, block_proj_out_in),
    },
    {
        .id = "exact-gelu",
        .what = "the GELU is lab 5's, with erf",
        .why = "GPT-2 was trained with the tanh form: gelu_tanh.",
        .source = "karpathy/nanoGPT#2",
        .function = LIKE(gpt2_block, block_exact_gelu),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "the activation is ReLU",
        .why = "GPT-2's is gelu_tanh.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_relu),
        .convention = true,
    },
    {
        .id = "not-causal",
        .what = "tokens see later ones",
        .why = "GPT-2 is causal: give each sequence lab 3's causal_mask.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_not_causal),
    },
    {
        .id = "mask-of-first-sequence",
        .what = "only the first sequence has a mask",
        .why = "mask is (B, T, T): call causal_mask for every sequence, at b * T * T.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_mask_of_first),
    },
    {
        .id = "itself-hidden",
        .what = "no token sees itself, except the first",
        .why = "Query t sees the keys 0 ... t: lab 3's causal_mask.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_strictly_causal),
    },
    {
        .id = "qkv-cut-by-rows",
        .what = "qkv is cut into three blocks of rows",
        .why = "q, k and v are channels of each row: lab 4's split_qkv.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_rows_of_qkv),
    },
    {
        .id = "qkv-by-heads",
        .what = "qkv is read as if q, k and v of a head were next to each other",
        .why =
            "Some models store it like this. GPT-2 stores all of q, then all of k, then "
            "all of v: lab 4's split_qkv, then split_heads.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_interleaved),
        .convention = true,
    },
    {
        .id = "qk-swapped",
        .what = "queries and keys are swapped",
        .why = "The first C columns of qkv are q, the next k, the last v.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_qk_swapped),
    },
    {
        .id = "heads-not-merged",
        .what = "the outputs of the heads are read as (B, T, C), without merge_heads",
        .why = "They are (B, NH, T, hs). merge_heads puts the heads of a token next to "
               "each other.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_not_merged),
    },
    {
        .id = "no-w_o",
        .what = "the attention's output does not go through w_o and b_o",
        .why = "attended = merged w_o + b_o.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_w_o),
    },
    {
        .id = "no-b_qkv",
        .what = "b_qkv is not added",
        .why = "Every product of GPT-2 has a bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_b_qkv),
    },
    {
        .id = "no-b_o",
        .what = "b_o is not added",
        .why = "Every product of GPT-2 has a bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_b_o),
    },
    {
        .id = "no-b_fc",
        .what = "b_fc is not added",
        .why = "Every product of GPT-2 has a bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_b_fc),
    },
    {
        .id = "no-b_proj",
        .what = "b_proj is not added",
        .why = "Every product of GPT-2 has a bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_b_proj),
    },
    {
        .id = "no-biases",
        .what = "no bias is added",
        .why = "Every product of GPT-2 has a bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_biases),
    },
    {
        .id = "no-first-residual",
        .what = "the attention replaces x",
        .why = STREAM,
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_first),
    },
    {
        .id = "no-second-residual",
        .what = "the MLP's output replaces the stream",
        .why = STREAM,
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_second),
    },
    {
        .id = "no-residual",
        .what = "the branches replace the stream",
        .why = STREAM,
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_residuals),
    },
    {
        .id = "second-from-x",
        .what = "the MLP's output is added to x, so the attention's output is lost",
        .why = STREAM,
        .source = NULL,
        .function = LIKE(gpt2_block, block_from_x),
    },
    {
        .id = "residuals-from-normed",
        .what = "the branches are added to the normalized copies",
        .why = "The stream itself is never normalized: " STREAM,
        .source = NULL,
        .function = LIKE(gpt2_block, block_from_normed),
    },
    {
        .id = "norm-shared",
        .what = "the second norm uses the gain and bias of the first",
        .why = "The second norm needs ln2_gain and ln2_bias.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_norm_shared),
    },
    {
        .id = "norms-swapped",
        .what = "the two norms are swapped",
        .why = "ln1 comes before the attention, ln2 before the MLP.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_norms_swapped),
    },
    {
        .id = "no-first-norm",
        .what = "the attention reads the stream itself",
        .why = "It reads layernorm 1 of x.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_norm1),
    },
    {
        .id = "no-second-norm",
        .what = "the MLP reads the stream itself",
        .why = "It reads layernorm 2 of middle.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_norm2),
    },
    {
        .id = "post-norm",
        .what = "this is a post-norm block",
        .why = "BERT normalizes after each addition. GPT-2 normalizes the input of each "
               "branch.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_post_norm),
        .convention = true,
    },
    {
        .id = "ln2-reads-x",
        .what = "the MLP does not see the attention's output: layernorm 2 reads x",
        .why = "It reads layernorm 2 of middle.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_ln2_reads_x),
    },
    {
        .id = "mlp-reads-ln1",
        .what = "the MLP reads layernorm 1, as the attention does",
        .why = "It reads layernorm 2 of middle.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_mlp_reads_ln1),
    },
    {
        .id = "sqrt-C",
        .what = "the scores are divided by sqrt(C)",
        .why = "A head has hs = C / NH channels: divide by sqrt(hs).",
        .source = NULL,
        .function = LIKE(gpt2_block, block_sqrt_C),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "Lab 4's scaled_dot_product_attention does it.",
        .source = NULL,
        .function = LIKE(gpt2_block, block_no_scale),
    },
    {0},
};

static const struct mistake block_alternatives[] = {
    {.id = "in-double", .function = LIKE(gpt2_block, block_in_double)},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

static const struct part block_parts[] = {
    GELU_TANH_PART,
    LINEAR_IN_OUT_PART,
    {
        .function = "gpt2_block",
        .passes_status_on = true,
        .dims = "B T C NH H",
        .tensors = {{"out", "B T C", OUTPUT, F32, LAYER_OUT_TOLERANCE},
                    {"weights", "B NH T T", OUTPUT, F32, LAYER_WEIGHTS_TOLERANCE},
                    GPT2_BUFFER_TENSORS,
                    FLOATS("x", "B T C", INPUT),
                    GPT2_PARAM_TENSORS},
        .stages =
            "ln1 qkv:ln1 q:qkv k:qkv v:qkv q_heads:q k_heads:k v_heads:v mask "
            "scores:q_heads,k_heads weights:scores,mask out_heads:weights,v_heads "
            "merged:out_heads attended:merged middle:attended ln2:middle hidden:ln2 "
            "activated:hidden projected:activated out:middle,projected",
        .cases = block_cases,
        .mistakes = block_mistakes,
        .alternatives = block_alternatives,
    },
    {0},
};

const struct exercise exercise_11_5 = {
    .id = "11.5",
    .name = "gpt2_block",
    .section = "11.5 A block of GPT-2",
    .uses = {"2.1", "3.1", "4.2", "4.3", "4.4", "4.5", "5.1", "5.5"},
    .hints =
        {
            "Put lab 5's block and lab 4's multi_head_attention side by side. Which lines call "
            "batched_linear? Only these change, and the GELU.",
            "linear_in_out: matmul(y, x, w, N, O, I), then the bias to every row. The block: "
            "layernorm 1; w_qkv; split_qkv; split_heads three times; causal_mask for each "
            "sequence; scaled_dot_product_attention; merge_heads; w_o; residual_add; "
            "layernorm 2; w_fc; gelu_tanh; w_proj; residual_add.",
            "layernorm(ln1, ln1_mean, ln1_rstd, x, ln1_gain, ln1_bias, B * T, C)\n"
            "linear_in_out(qkv, ln1, w_qkv, b_qkv, B * T, C, 3 * C)\n"
            "split_qkv(q, k, v, qkv, B, T, C); split_heads(q_heads, q, B, T, C, NH); k; v\n"
            "for each b: causal_mask(mask + b * T * T, T, T)\n"
            "scaled_dot_product_attention(out_heads, weights, scores, q_heads, k_heads,\n"
            "                             v_heads, mask, B, NH, T, T, C / NH)\n"
            "merge_heads(merged, ...); linear_in_out(attended, merged, w_o, b_o, B * T, C, C)\n"
            "residual_add(middle, x, attended, B * T * C)\n"
            "then layernorm 2 of middle, w_fc (C to H), gelu_tanh, w_proj (H to C), and\n"
            "residual_add(out, middle, projected, B * T * C)",
        },
    .parts = block_parts,
};
