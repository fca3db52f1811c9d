// explore.c - experiments with your lab 5: the effect of eps, three curves called GELU, the
// stream in 24 blocks, and the parameters of GPT-2.
//
//     make plot LAB=5          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     eps.tsv       one row of numbers at ever smaller sizes, normalized
//     gelu.tsv      GELU, its tanh form, ReLU, and their differences
//     depth.tsv     size of the stream after each block, and its cosine with the input
//     change.tsv    size of each branch, relative to the stream
//     share.tsv     parameters of the four GPT-2 sizes, by part
//
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <math.h>

#include "05_transformer_block/block.h"
#include "common/explore.h"
#include "common/rng.h"

static double root_mean_square(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum / (double)n);
}

// ---- 1. where eps matters ------------------------------------------------------------------

enum { EPS_STEPS = 61 }; // ten for each factor of ten

static void where_eps_counts(const struct explore *e)
{
    static const float row[4] = {1, 2, 3, 6}, gain[4] = {1, 1, 1, 1}, bias[4] = {0};
    struct {
        double size, inside, outside, without;
    } rows[EPS_STEPS];
    explore_title("1. Where eps matters");
    for (size_t n = 0; n < EPS_STEPS; n++) {
        const double size = pow(10, 1 - (double)n / 10);
        float x[4], y[4], mean, rstd;
        for (size_t c = 0; c < 4; c++) {
            x[c] = row[c] * (float)size;
        }
        explore_blank(y);
        explore_need(layernorm(y, &mean, &rstd, x, gain, bias, 1, 4), "5.1 layernorm");
        const double std = size * sqrt(3.5); // of the row 1 2 3 6: variance 3.5
        rows[n].size = size;
        rows[n].inside = (double)y[3];
        rows[n].outside = 3 * size / (std + (double)LAYERNORM_EPS);
        rows[n].without = 3 / sqrt(3.5);
    }

    printf(
        "The last number of the row 1 2 3 6, multiplied by a size and normalized. Inside\n"
        "the root (yours), eps shrinks small rows. Outside, it would hardly change "
        "them.\n\n"
        "          size      eps inside     eps outside\n");
    for (size_t n = 0; n < EPS_STEPS; n += 10) {
        printf("    %10g   %13.6f   %13.6f\n", rows[n].size, rows[n].inside,
               rows[n].outside);
    }
    printf("\n");

    struct lab_replacement table =
        explore_table(e, "eps.tsv", "size\tinside\toutside\twithout");
    for (size_t n = 0; n < EPS_STEPS; n++) {
        fprintf(table.file, "%.6g\t%.6g\t%.6g\t%.6g\n", rows[n].size, rows[n].inside,
                rows[n].outside, rows[n].without);
    }
    explore_table_end(e, "eps.tsv", &table);
}

// ---- 2. three curves called GELU -----------------------------------------------------------

enum { CURVE_STEPS = 241 }; // from -6 to 6

static double tanh_form(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double sigmoid_form(double x)
{
    return x / (1 + exp(-1.702 * x));
}

static void three_curves(const struct explore *e)
{
    static const float shown[] = {-4, -2.7f, -2, -1, -0.5f, 0, 0.5f, 1, 2, 2.7f, 4};
    enum { SHOWN = sizeof shown / sizeof shown[0] };
    float x[CURVE_STEPS], y[CURVE_STEPS], shown_y[SHOWN];
    for (size_t i = 0; i < CURVE_STEPS; i++) {
        x[i] = -6 + (float)i / 20;
    }
    explore_title("2. GELU, its tanh form, and ReLU");
    explore_blank(y);
    explore_need(gelu(y, x, CURVE_STEPS), "5.2 gelu");
    explore_blank(shown_y);
    explore_need(gelu(shown_y, shown, SHOWN), "5.2 gelu");

    printf("             x        GELU   tanh - GELU    sigmoid - GELU    ReLU - GELU\n");
    for (size_t i = 0; i < SHOWN; i++) {
        const double value = (double)shown[i], exact = (double)shown_y[i];
        printf("    %10.2f   %9.6f   %11.6f   %15.6f   %12.6f\n", value, exact,
               tanh_form(value) - exact, sigmoid_form(value) - exact,
               fmax(value, 0) - exact);
    }
    printf("\n");

    struct lab_replacement table =
        explore_table(e, "gelu.tsv", "x\tgelu\ttanh\trelu\tsigmoid");
    for (size_t i = 0; i < CURVE_STEPS; i++) {
        const double value = (double)x[i];
        fprintf(table.file, "%.3f\t%.8g\t%.8g\t%.8g\t%.8g\n", value, (double)y[i],
                tanh_form(value), fmax(value, 0), sigmoid_form(value));
    }
    explore_table_end(e, "gelu.tsv", &table);
}

// ---- 3. 24 blocks --------------------------------------------------------------------------

// The sizes of the experiment; RUNS is the number of runs with different random numbers.
enum { T = 16, C = 64, NH = 4, H = 4 * C, L = 24, RUNS = 8, N = T * C };

// Parameters of one block before training: only matrices, which keep unit size.
struct fresh {
    float w_qkv[3 * C * C], w_o[C * C], w_fc[H * C], w_proj[C * H];
    float ones[C], zeros[H > 3 * C ? H : 3 * C];
};

static void draw_matrix(struct lab_rng *rng, float *w, size_t out, size_t in)
{
    lab_rng_randn(rng, w, out * in);
    for (size_t i = 0; i < out * in; i++) {
        w[i] /= sqrtf((float)in);
    }
}

static struct block_params draw_block(struct fresh *f, struct lab_rng *rng)
{
    draw_matrix(rng, f->w_qkv, 3 * C, C);
    draw_matrix(rng, f->w_o, C, C);
    draw_matrix(rng, f->w_fc, H, C);
    draw_matrix(rng, f->w_proj, C, H);
    memset(f->zeros, 0, sizeof f->zeros);
    for (size_t c = 0; c < C; c++) {
        f->ones[c] = 1;
    }
    return (struct block_params){
        .ln1_gain = f->ones,
        .ln1_bias = f->zeros,
        .attention = {f->w_qkv, f->zeros, f->w_o, f->zeros},
        .ln2_gain = f->ones,
        .ln2_bias = f->zeros,
        .mlp = {f->w_fc, f->zeros, f->w_proj, f->zeros},
    };
}

struct room {
    float ln1[N], ln1_mean[T], ln1_rstd[T], qkv[3 * N], q[N], k[N], v[N];
    float q_heads[N], k_heads[N], v_heads[N], scores[NH * T * T], out_heads[N], merged[N];
    float attended[N], middle[N], ln2[N], ln2_mean[T], ln2_rstd[T];
    float hidden[T * H], activated[T * H], projected[N], weights[NH * T * T];
    uint8_t mask[T * T];
};

static struct block_buffers buffers_in(struct room *r)
{
    return (struct block_buffers){
        .ln1 = r->ln1,
        .ln1_mean = r->ln1_mean,
        .ln1_rstd = r->ln1_rstd,
        .attention = {.qkv = r->qkv,
                      .q = r->q,
                      .k = r->k,
                      .v = r->v,
                      .q_heads = r->q_heads,
                      .k_heads = r->k_heads,
                      .v_heads = r->v_heads,
                      .scores = r->scores,
                      .out_heads = r->out_heads,
                      .merged = r->merged,
                      .mask = r->mask},
        .attended = r->attended,
        .middle = r->middle,
        .ln2 = r->ln2,
        .ln2_mean = r->ln2_mean,
        .ln2_rstd = r->ln2_rstd,
        .hidden = r->hidden,
        .activated = r->activated,
        .projected = r->projected,
    };
}

// The position of the layer norm.
enum way { PRE_NORM, POST_NORM, NO_NORM, WAYS };

// The sizes of the two branches of a block, relative to the stream.
struct change {
    double attention, mlp;
};

// The block of this lab.
static struct change pre_norm(float *out, const float *x, struct room *r,
                              const struct block_params *params)
{
    const struct block_buffers buffers = buffers_in(r);
    explore_need(
        transformer_block(out, r->weights, &buffers, x, params, true, 1, T, C, NH, H),
        "5.6 transformer_block");
    return (struct change){root_mean_square(r->attended, N) / root_mean_square(x, N),
                           root_mean_square(r->projected, N) /
                               root_mean_square(r->middle, N)};
}

// The first transformer's block, or one without any layer norm, from the same functions.
static struct change other_norm(bool normed, float *out, const float *x, struct room *r,
                                const struct block_params *params)
{
    const struct block_buffers b = buffers_in(r);
    explore_need(multi_head_attention(b.attended, r->weights, &b.attention, x,
                                      &params->attention, true, 1, T, C, C, NH),
                 "4.6 multi_head_attention");
    explore_need(residual_add(b.middle, x, b.attended, N), "5.5 residual_add");
    const float *middle = b.middle;
    if (normed) {
        explore_need(layernorm(b.ln1, b.ln1_mean, b.ln1_rstd, b.middle, params->ln1_gain,
                               params->ln1_bias, T, C),
                     "5.1 layernorm");
        middle = b.ln1;
    }
    explore_need(mlp(b.projected, b.hidden, b.activated, middle, &params->mlp, T, C, H),
                 "5.3 mlp");
    explore_need(residual_add(normed ? b.ln2 : out, middle, b.projected, N),
                 "5.5 residual_add");
    if (normed) {
        explore_need(layernorm(out, b.ln2_mean, b.ln2_rstd, b.ln2, params->ln2_gain,
                               params->ln2_bias, T, C),
                     "5.1 layernorm");
    }
    return (struct change){root_mean_square(b.attended, N) / root_mean_square(x, N),
                           root_mean_square(b.projected, N) /
                               root_mean_square(middle, N)};
}

// The cosine between the tokens' old and new values, over all tokens.
static double left_of_input(const float *input, const float *stream)
{
    double sum = 0;
    for (size_t t = 0; t < T; t++) {
        double dot = 0;
        for (size_t c = 0; c < C; c++) {
            dot += (double)input[t * C + c] * (double)stream[t * C + c];
        }
        sum += dot / (root_mean_square(input + t * C, C) *
                      root_mean_square(stream + t * C, C) * C);
    }
    return sum / T;
}

struct depth {
    double size[L + 1], left[L + 1]; // after block l; [0] is the input
    struct change change[L + 1];     // [0] is not used
};

// Adds one run to the sums in d.
static void go_down(struct depth *d, enum way way, uint64_t seed)
{
    static struct fresh fresh;
    static struct room room;
    float input[N], streams[2][N];
    struct lab_rng rng;
    lab_rng_seed(&rng, seed);
    lab_rng_randn(&rng, input, N);
    const float *x = input;
    d->size[0] += root_mean_square(input, N);
    d->left[0] += 1;
    for (size_t l = 1; l <= L; l++) {
        const struct block_params params = draw_block(&fresh, &rng);
        float *out = streams[l % 2];
        const struct change change =
            way == PRE_NORM ? pre_norm(out, x, &room, &params)
                            : other_norm(way == POST_NORM, out, x, &room, &params);
        d->size[l] += root_mean_square(out, N);
        d->left[l] += left_of_input(input, out);
        d->change[l].attention += change.attention;
        d->change[l].mlp += change.mlp;
        x = out;
    }
}

static void twenty_four_blocks(const struct explore *e)
{
    static struct depth depth[WAYS];
    explore_title("3. The stream in %d blocks before training", L);
    for (enum way way = 0; way < WAYS; way++) {
        for (uint64_t run = 0; run < RUNS; run++) {
            go_down(&depth[way], way, 42 + run);
        }
    }
    const struct depth *pre = &depth[PRE_NORM], *post = &depth[POST_NORM],
                       *no = &depth[NO_NORM];

    printf(
        "size: root mean square of the stream. left: cosine between the stream and the\n"
        "input x. attn, mlp: size of each branch's output, relative to the stream.\n"
        "Means over %d random draws of all parameters.\n\n"
        "               pre-norm                          post-norm              no norm\n"
        "    block    size    left   attn    mlp       size    left   attn    mlp       size\n",
        RUNS);
    for (size_t l = 0; l <= L; l += l < 4 ? 1 : 4) {
        printf("    %5zu  %6.2f  %6.3f", l, pre->size[l] / RUNS, pre->left[l] / RUNS);
        printf(l == 0 ? "               " : "  %5.3f  %5.3f",
               pre->change[l].attention / RUNS, pre->change[l].mlp / RUNS);
        printf("     %6.2f  %6.3f", post->size[l] / RUNS, post->left[l] / RUNS);
        printf(l == 0 ? "               " : "  %5.3f  %5.3f",
               post->change[l].attention / RUNS, post->change[l].mlp / RUNS);
        printf("  %9.4g\n", no->size[l] / RUNS);
    }
    printf("\nThe gradient of each block needs the backward pass of lab 6:\n"
           "make experiment NAME=depth.\n\n");

    struct lab_replacement table =
        explore_table(e, "depth.tsv", "block\tpre\tpost\tnone\tpre_left\tpost_left");
    for (size_t l = 0; l <= L; l++) {
        fprintf(table.file, "%zu\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", l, pre->size[l] / RUNS,
                post->size[l] / RUNS, no->size[l] / RUNS, pre->left[l] / RUNS,
                post->left[l] / RUNS);
    }
    explore_table_end(e, "depth.tsv", &table);

    table = explore_table(e, "change.tsv",
                          "block\tpre_attention\tpre_mlp\tpost_attention\tpost_mlp");
    for (size_t l = 1; l <= L; l++) {
        fprintf(table.file, "%zu\t%.6g\t%.6g\t%.6g\t%.6g\n", l,
                pre->change[l].attention / RUNS, pre->change[l].mlp / RUNS,
                post->change[l].attention / RUNS, post->change[l].mlp / RUNS);
    }
    explore_table_end(e, "change.tsv", &table);
}

// ---- 4. where the parameters are -----------------------------------------------------------

static void where_the_parameters_are(const struct explore *e)
{
    static const struct {
        const char *name;
        size_t C, L;
    } sizes[] = {
        {"small", 768, 12}, {"medium", 1024, 24}, {"large", 1280, 36}, {"XL", 1600, 48}};
    enum { SIZES = 4, VOCABULARY = 50257, PLACES = 1024 };
    struct {
        size_t total, tokens, places, attention, mlp, norms;
    } rows[SIZES];
    explore_title("4. Where the parameters of GPT-2 are");
    for (size_t i = 0; i < SIZES; i++) {
        const size_t width = sizes[i].C, layers = sizes[i].L;
        explore_need(
            gpt2_parameter_count(&rows[i].total, VOCABULARY, PLACES, width, layers),
            "5.8 parameter_count");
        rows[i].tokens = VOCABULARY * width;
        rows[i].places = PLACES * width;
        rows[i].attention = layers * (4 * width * width + 4 * width);
        rows[i].norms = layers * 4 * width + 2 * width;
        rows[i].mlp = rows[i].total - rows[i].tokens - rows[i].places -
                      rows[i].attention - rows[i].norms;
    }

    printf(
        "                 total      tokens   positions    attention         MLP     norms\n");
    for (size_t i = 0; i < SIZES; i++) {
        printf("    %-6s  %10zu  %10zu  %10zu  %11zu  %10zu  %8zu\n", sizes[i].name,
               rows[i].total, rows[i].tokens, rows[i].places, rows[i].attention,
               rows[i].mlp, rows[i].norms);
    }
    printf("\n");

    struct lab_replacement table = explore_table(
        e, "share.tsv", "name\ttotal\ttokens\tpositions\tattention\tmlp\tnorms");
    for (size_t i = 0; i < SIZES; i++) {
        fprintf(table.file, "%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\n", sizes[i].name,
                rows[i].total, rows[i].tokens, rows[i].places, rows[i].attention,
                rows[i].mlp, rows[i].norms);
    }
    explore_table_end(e, "share.tsv", &table);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 5};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, where_eps_counts(&e));
    EXPLORE_PART(&e, three_curves(&e));
    EXPLORE_PART(&e, twenty_four_blocks(&e));
    EXPLORE_PART(&e, where_the_parameters_are(&e));
    return explore_end(&e);
}
