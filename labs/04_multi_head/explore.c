// explore.c - runs your heads.c: the reshape in memory, four heads on one sentence, the
// cost of narrow heads, the speed of one large projection, and a published trace beside
// the right numbers.
//
//     make plot LAB=4          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     head0.tsv ...                    one sentence, the map of every head
//     fused.tsv fused_setup.txt        one projection against three
//     published0.tsv right0.tsv ...    weights of the trace, as printed and as computed here
//
// Reads datasets/published_trace.safetensors, so run it in the workbook's folder.
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <cblas.h>
#include <math.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "common/explore.h"
#include "common/rng.h"
#include "common/tensor_file.h"
#include "common/timer.h"

static void scale(float *a, size_t n, double by)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)((double)a[i] * by);
    }
}

// ---- 1. the reshape in memory --------------------------------------------------------------

// The numbers are 10 * head + token, so each shows its place.
static void print_places(const char *title, const float *a, size_t n)
{
    printf("    %-26s", title);
    for (size_t i = 0; i < n; i++) {
        printf(" h%.0ft%.0f", floor((double)a[i] / 10), fmod((double)a[i], 10));
    }
    printf("\n");
}

static void print_view(const char *title, const struct view *view)
{
    bool contiguous;
    explore_need(view_is_contiguous(&contiguous, view), "4.1 view_is_contiguous");
    printf("    %-26s sizes", title);
    for (size_t a = 0; a < view->axes; a++) {
        printf(" %zu", view->size[a]);
    }
    printf("   strides");
    for (size_t a = 0; a < view->axes; a++) {
        printf(" %zu", view->stride[a]);
    }
    printf("   %scontiguous\n", contiguous ? "" : "not ");
}

static void reshape_in_memory(void)
{
    enum { TOKENS = 3, HEADS = 2, N = TOKENS * HEADS };
    float x[N], copy[N], back[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(10 * (i % HEADS) + i / HEADS);
    }
    struct view view, moved, merged;
    explore_title("1. The reshape in memory");
    explore_need(view_of(&view, x, (size_t[]){1, TOKENS, HEADS, 1}, 4), "4.1 view_of");
    explore_need(view_transpose(&moved, &view, 1, 2), "4.1 view_transpose");
    lab_status refused = view_as(&merged, &moved, (size_t[]){1, TOKENS, HEADS}, 3);
    if (refused != LAB_ESHAPE) {
        explore_need(refused, "4.1 view_as");
    }
    explore_blank(copy);
    explore_need(view_contiguous(copy, &moved), "4.1 view_contiguous");
    explore_blank(back);
    explore_need(merge_heads(back, copy, 1, TOKENS, HEADS, HEADS), "4.4 merge_heads");

    printf(
        "One sequence of 3 tokens with 2 heads of one number (hs = 1). h1t0 is head 1\n"
        "of token 0. view_transpose moves nothing in memory. view_contiguous makes a\n"
        "copy in the new order.\n\n");
    print_view("x (B,T,NH,hs)", &view);
    print_view("transposed (B,NH,T,hs)", &moved);
    printf("\n");
    print_places("x in memory", x, N);
    print_places("transposed, in memory", moved.data, N);
    print_places("after view_contiguous", copy, N);
    print_places("after merge_heads", back, N);
    printf("\nview_as of the transposed view to (B,T,C): %s\n\n",
           refused == LAB_ESHAPE ? "LAB_ESHAPE, copy it first"
                                 : "accepted, but it must return LAB_ESHAPE");
}

// ---- 2. what several heads look at ---------------------------------------------------------

enum { TOKENS = 6, CHANNELS = 32, HEADS = 4, WORDS = 5 };

static void head_grid(const struct explore *e)
{
    static const char *const sentence[TOKENS] = {"the", "cat", "sat", "on", "the", "mat"};
    static const size_t ids[TOKENS] = {0, 1, 2, 3, 0, 4};
    enum { T = TOKENS, C = CHANNELS, NH = HEADS };
    static float embedding[WORDS * C], x[T * C], out[T * C], weights[NH * T * T];
    static float w_qkv[3 * C * C], w_o[C * C];
    static float qkv[3 * T * C], scores[NH * T * T], merged[T * C], out_heads[T * C];
    static float q[T * C], k[T * C], v[T * C], q_h[T * C], k_h[T * C], v_h[T * C];
    static uint8_t mask[T * T];

    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, embedding, WORDS * C);
    lab_rng_randn(&rng, w_qkv, 3 * C * C);
    lab_rng_randn(&rng, w_o, C * C);
    scale(w_qkv, 3 * C * C, 1.3 / sqrt(C)); // keeps q and k near unit size
    scale(w_o, C * C, 1 / sqrt(C));
    for (size_t t = 0; t < T; t++) {
        memcpy(x + t * C, embedding + ids[t] * C, C * sizeof *x);
    }

    const struct attention_buffers buffers = {.qkv = qkv,
                                              .q = q,
                                              .k = k,
                                              .v = v,
                                              .q_heads = q_h,
                                              .k_heads = k_h,
                                              .v_heads = v_h,
                                              .scores = scores,
                                              .out_heads = out_heads,
                                              .merged = merged,
                                              .mask = mask};
    const struct attention_params params = {.w_qkv = w_qkv, .w_o = w_o};
    explore_title("2. Four heads, one sentence");
    explore_blank(out);
    explore_blank(weights);
    explore_need(
        multi_head_attention(out, weights, &buffers, x, &params, true, 1, T, C, C, NH),
        "4.6 multi_head_attention");

    printf("C = %d channels, NH = %d heads of hs = %d. The weights are random, so each\n"
           "head prefers different words. make plot LAB=4 draws all four.\n\n",
           C, NH, C / NH);
    for (size_t h = 0; h < NH; h++) {
        char name[32], title[32];
        float map[T * T];
        for (size_t i = 0; i < T * T; i++) {
            map[i] = i % T > i / T ? NAN : weights[h * T * T + i];
        }
        snprintf(name, sizeof name, "head%zu.tsv", h);
        explore_map(e, name, map, T, T, sentence, sentence);
        snprintf(title, sizeof title, "weights of head %zu", h);
        if (h < 2) {
            explore_wrote(lab_print_matrix(stdout, title, weights + h * T * T, T, T,
                                           sentence, sentence, 8, 4),
                          "the standard output");
            printf("\n");
        }
    }
}

// ---- 3. how wide is a head? ----------------------------------------------------------------

enum { WIDTH = 768, LENGTH = 256, WIDTHS = 7, RUNS = 15 };

static float *room(size_t n)
{
    float *a = calloc(n, sizeof *a);
    if (a == NULL) {
        explore_need(LAB_ENOMEM, "4. room for the measurements");
    }
    return a;
}

static void head_width(void)
{
    static const size_t heads[WIDTHS] = {1, 3, 6, 12, 24, 48, 96};
    static const struct {
        const char *name;
        size_t C, NH;
    } models[] = {
        {"GPT-2, 124 million", 768, 12},  {"GPT-2, 355 million", 1024, 16},
        {"GPT-2, 774 million", 1280, 20}, {"GPT-2, 1558 million", 1600, 25},
        {"GPT-3, 6.7 billion", 4096, 32}, {"GPT-3, 175 billion", 12288, 96},
    };
    float *q = room(LENGTH * WIDTH), *k = room(LENGTH * WIDTH), *v = room(LENGTH * WIDTH);
    float *out = room(LENGTH * WIDTH), *scores = room(96 * LENGTH * LENGTH);
    float *weights = room(96 * LENGTH * LENGTH);
    struct lab_rng rng;
    double seconds[WIDTHS][RUNS];

    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, q, LENGTH * WIDTH);
    lab_rng_randn(&rng, k, LENGTH * WIDTH);
    lab_rng_randn(&rng, v, LENGTH * WIDTH);
    openblas_set_num_threads(1);
    explore_title("3. How wide is a head?");
    for (size_t run = 0; run < RUNS; run++) { // they take turns
        for (size_t i = 0; i < WIDTHS; i++) {
            double start = lab_seconds();
            explore_need(scaled_dot_product_attention(out, weights, scores, q, k, v, NULL,
                                                      1, heads[i], LENGTH, LENGTH,
                                                      WIDTH / heads[i]),
                         "4.5 scaled_dot_product_attention");
            seconds[i][run] = lab_seconds() - start;
        }
    }

    printf("Published models, hs = C / NH:\n\n");
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        printf("    %-22s C = %5zu   NH = %2zu   hs = %3zu\n", models[i].name,
               models[i].C, models[i].NH, models[i].C / models[i].NH);
    }
    printf(
        "\nAttention without the projections, T = %d, C = %d split into NH heads. The\n"
        "products cost the same in each row of the table, 4 T T C operations. But the\n"
        "number of scores, and so the cost of the softmax, grows with NH. (OpenBLAS\n"
        "core %s, 1 thread, medians of %d alternating runs.)\n\n"
        "       NH    hs   numbers in scores       ms\n",
        LENGTH, WIDTH, openblas_get_corename(), RUNS);
    for (size_t i = 0; i < WIDTHS; i++) {
        printf("    %5zu %5zu   %17zu   %6.2f\n", heads[i], WIDTH / heads[i],
               heads[i] * LENGTH * LENGTH, 1e3 * lab_median(seconds[i], RUNS));
    }
    printf("\n");
    free(q), free(k), free(v), free(out), free(scores), free(weights);
}

// ---- 4. one projection or three ------------------------------------------------------------

enum { FUSED_C = 256, ROW_COUNTS = 10, MOST_ROWS = 512, RUNS_MOST = 201, RUNS_LEAST = 9 };
static const double SECONDS_EACH = 0.15; // per number of rows, all ways together

struct projection { // microseconds
    double fused, fused_and_split, three;
};

// Medians of alternating runs, so a slow moment of the machine affects all of them.
static struct projection time_projections(size_t rows)
{
    enum { C = FUSED_C };
    static float x[MOST_ROWS * C], w[3 * C * C], qkv[3 * MOST_ROWS * C];
    static float q[MOST_ROWS * C], k[MOST_ROWS * C], v[MOST_ROWS * C];
    struct lab_rng rng;
    lab_rng_seed(&rng, rows);
    lab_rng_randn(&rng, x, rows * C);
    lab_rng_randn(&rng, w, 3 * C * C);

    double fused[RUNS_MOST], split[RUNS_MOST], three[RUNS_MOST];
    size_t runs = 0;
    double begin = lab_seconds();
    while (runs < RUNS_LEAST ||
           (runs < RUNS_MOST && lab_seconds() - begin < SECONDS_EACH)) {
        double start = lab_seconds();
        explore_need(batched_linear(qkv, x, w, NULL, 1, rows, C, 3 * C),
                     "2.3 batched_linear");
        double projected = lab_seconds();
        explore_need(split_qkv(q, k, v, qkv, 1, rows, C), "4.2 split_qkv");
        double cut = lab_seconds();
        lab_status status = batched_linear(q, x, w, NULL, 1, rows, C, C);
        if (status == LAB_OK) {
            status = batched_linear(k, x, w + C * C, NULL, 1, rows, C, C);
        }
        if (status == LAB_OK) {
            status = batched_linear(v, x, w + 2 * C * C, NULL, 1, rows, C, C);
        }
        double end = lab_seconds();
        explore_need(status, "2.3 batched_linear");
        fused[runs] = projected - start;
        split[runs] = cut - start;
        three[runs++] = end - cut;
    }
    return (struct projection){1e6 * lab_median(fused, runs),
                               1e6 * lab_median(split, runs),
                               1e6 * lab_median(three, runs)};
}

static void one_projection_or_three(const struct explore *e)
{
    struct projection results[ROW_COUNTS];
    char setup[256];

    openblas_set_num_threads(1);
    snprintf(setup, sizeof setup, "OpenBLAS core %s, 1 thread, C = %d, medians",
             openblas_get_corename(), FUSED_C);
    explore_title("4. One projection or three");
    time_projections(MOST_ROWS); // warms up
    printf(
        "q, k and v as one product with 3C columns, and as three products with C. The\n"
        "number of operations is the same.\n%s of alternating runs.\n\n"
        "              microseconds\n"
        "   B*T     fused   fused + split     three   three / (fused + split)\n",
        setup);
    for (size_t i = 0; i < ROW_COUNTS; i++) {
        size_t rows = (size_t)1 << i;
        results[i] = time_projections(rows);
        printf("%6zu %9.1f   %13.1f %9.1f   %23.2f\n", rows, results[i].fused,
               results[i].fused_and_split, results[i].three,
               results[i].three / results[i].fused_and_split);
    }
    printf("\n");

    struct lab_replacement table =
        explore_table(e, "fused.tsv", "rows\tfused_us\tfused_and_split_us\tthree_us");
    for (size_t i = 0; i < ROW_COUNTS; i++) {
        fprintf(table.file, "%zu\t%.5g\t%.5g\t%.5g\n", (size_t)1 << i, results[i].fused,
                results[i].fused_and_split, results[i].three);
    }
    explore_table_end(e, "fused.tsv", &table);
    table = explore_table(e, "fused_setup.txt", setup);
    explore_table_end(e, "fused_setup.txt", &table);
}

// ---- 5. a published trace ------------------------------------------------------------------

enum { B = 2, T = 3, C_IN = 4, C = 6, NH = 3, HS = 2, X = B * T, MAPS = B * NH * T * T };

struct trace {
    const float *x, *q, *k, *v;             // (B,T,C_IN), (B,T,C)
    const float *scores, *weights, *merged; // (B,NH,T,T) twice, (B,T,C)
};

static const float *need_tensor(struct lab_tensor_file *file, const char *name,
                                size_t dims, const size_t *shape)
{
    const float *data = lab_tensor_f32(file, name, dims, shape);
    if (data == NULL) {
        fprintf(stderr, "explore: %s\n", file->error);
        exit(1);
    }
    return data;
}

static struct trace open_trace(struct lab_tensor_file *file)
{
    static const size_t in[] = {B, T, C_IN}, out[] = {B, T, C}, maps[] = {B, NH, T, T};
    if (lab_tensor_file_open(file, "datasets/published_trace.safetensors") != LAB_OK) {
        fprintf(stderr, "explore: %s\n", file->error);
        exit(1);
    }
    return (struct trace){
        .x = need_tensor(file, "x", 3, in),
        .q = need_tensor(file, "q", 3, out),
        .k = need_tensor(file, "k", 3, out),
        .v = need_tensor(file, "v", 3, out),
        .scores = need_tensor(file, "scores", 4, maps),
        .weights = need_tensor(file, "weights", 4, maps),
        .merged = need_tensor(file, "merged", 3, out),
    };
}

static double largest_gap(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = explore_larger(largest, fabs((double)a[i] - (double)b[i]));
    }
    return largest;
}

// Solves a(C_IN,C_IN) u = b in place: b becomes u. a is symmetric and positive.
static void solve(double a[C_IN][C_IN], double b[C_IN])
{
    for (size_t p = 0; p < C_IN; p++) {
        for (size_t r = 0; r < C_IN; r++) {
            const double factor = r == p ? 0 : a[r][p] / a[p][p];
            for (size_t c = 0; c < C_IN; c++) {
                a[r][c] -= factor * a[p][c];
            }
            b[r] -= factor * b[p];
        }
    }
    for (size_t p = 0; p < C_IN; p++) {
        b[p] /= a[p][p];
    }
}

// Finds w(C,C_IN) with x w^T as close as possible to y(B*T,C). Each output has 4 unknowns
// and 6 equations; least squares solves x^T x u = x^T y. Returns the largest difference.
static double recover(float *w, const float *x, const float *y)
{
    double worst = 0;
    for (size_t o = 0; o < C; o++) {
        double a[C_IN][C_IN] = {{0}}, b[C_IN] = {0};
        for (size_t n = 0; n < X; n++) {
            for (size_t i = 0; i < C_IN; i++) {
                for (size_t j = 0; j < C_IN; j++) {
                    a[i][j] += (double)x[n * C_IN + i] * (double)x[n * C_IN + j];
                }
                b[i] += (double)x[n * C_IN + i] * (double)y[n * C + o];
            }
        }
        solve(a, b);
        for (size_t n = 0; n < X; n++) {
            double sum = 0;
            for (size_t i = 0; i < C_IN; i++) {
                sum += (double)x[n * C_IN + i] * b[i];
            }
            worst = fmax(worst, fabs(sum - (double)y[n * C + o]));
        }
        for (size_t i = 0; i < C_IN; i++) {
            w[o * C_IN + i] = (float)b[i];
        }
    }
    return worst;
}

// Computes the trace again with the recovered weights, by multi_head_attention. w_o is
// the identity, so out is the merged heads.
static void run_again(float *scores, float *weights, float *merged, const float *x,
                      const float *w_qkv)
{
    float w_o[C * C] = {0}, qkv[3 * X * C], joined[X * C], out_heads[X * C];
    float q[X * C], k[X * C], v[X * C], q_h[X * C], k_h[X * C], v_h[X * C];
    uint8_t mask[B * T * T];
    for (size_t i = 0; i < C; i++) {
        w_o[i * C + i] = 1;
    }
    float workspace[MAPS];
    const struct attention_buffers buffers = {.qkv = qkv,
                                              .q = q,
                                              .k = k,
                                              .v = v,
                                              .q_heads = q_h,
                                              .k_heads = k_h,
                                              .v_heads = v_h,
                                              .scores = workspace,
                                              .out_heads = out_heads,
                                              .merged = joined,
                                              .mask = mask};
    const struct attention_params params = {.w_qkv = w_qkv, .w_o = w_o};
    explore_need(multi_head_attention(merged, weights, &buffers, x, &params, true, B, T,
                                      C_IN, C, NH),
                 "4.6 multi_head_attention");
    // your attention may leave anything in its buffers, so compute the scores here
    explore_blank(q);
    explore_need(batched_linear(q, x, w_qkv, NULL, B, T, C_IN, C), "2.3 batched_linear");
    explore_blank(k);
    explore_need(batched_linear(k, x, w_qkv + C * C_IN, NULL, B, T, C_IN, C),
                 "2.3 batched_linear");
    explore_blank(q_h);
    explore_need(split_heads(q_h, q, B, T, C, NH), "4.3 split_heads");
    explore_blank(k_h);
    explore_need(split_heads(k_h, k, B, T, C, NH), "4.3 split_heads");
    explore_need(batched_matmul_nt(scores, q_h, k_h, B * NH, T, T, HS),
                 "2.2 batched_matmul_nt");
}

static void maps_of_trace(const struct explore *e, const char *name, const float *weights)
{
    for (size_t h = 0; h < NH; h++) {
        char file[32];
        float map[T * T];
        for (size_t i = 0; i < T * T; i++) {
            map[i] = i % T > i / T ? NAN : weights[h * T * T + i]; // sequence 0
        }
        snprintf(file, sizeof file, "%s%zu.tsv", name, h);
        explore_map(e, file, map, T, T, NULL, NULL);
    }
}

static void published_trace(const struct explore *e)
{
    struct lab_tensor_file file;
    struct trace printed = open_trace(&file);
    float w_qkv[3 * C * C_IN], scores[MAPS], weights[MAPS], merged[X * C], mine[MAPS];

    explore_title("5. A published trace");
    printf(
        "datasets/published_trace.txt: B = %d, T = %d, C_in = %d, C = %d, NH = %d,\n"
        "hs = %d, causal. It has four decimals, so each printed number is off by up to\n"
        "5e-05.\n\n"
        "x times the weights found by least squares, against the printed tensors:\n",
        B, T, C_IN, C, NH, HS);
    const struct {
        const char *name;
        const float *printed;
    } parts[] = {{"q", printed.q}, {"k", printed.k}, {"v", printed.v}};
    for (size_t i = 0; i < 3; i++) {
        printf("    %s   largest difference %.1e\n", parts[i].name,
               recover(w_qkv + i * C * C_IN, printed.x, parts[i].printed));
    }
    run_again(scores, weights, merged, printed.x, w_qkv);
    printf(
        "\nWith these weights, your multi_head_attention differs from the notebook by\n"
        "up to\n"
        "    %.2f in the scores, %.2f in the weights, %.2f in the merged heads\n\n",
        largest_gap(scores, printed.scores, MAPS),
        largest_gap(weights, printed.weights, MAPS),
        largest_gap(merged, printed.merged, X * C));
    explore_show("sequence 0, head 0: weights as printed", printed.weights, T, T,
                 "query ", "key ");
    explore_show("sequence 0, head 0: the right weights", weights, T, T, "query ",
                 "key ");
    maps_of_trace(e, "published", printed.weights);
    maps_of_trace(e, "right", weights);

    lab_status status = published_scores(mine, printed.q, printed.k, B, T, C, NH);
    if (status == LAB_TODO) {
        printf("Where does the difference come from? Exercise 4.8 is not written yet.\n");
    } else {
        explore_need(status, "4.8 published_scores");
        printf("Your published_scores differs from the printed scores by up to\n"
               "    %.1e with the printed q and k\n",
               largest_gap(mine, printed.scores, MAPS));
        float q[X * C], k[X * C];
        explore_blank(q);
        explore_need(batched_linear(q, printed.x, w_qkv, NULL, B, T, C_IN, C),
                     "2.3 batched_linear");
        explore_blank(k);
        explore_need(batched_linear(k, printed.x, w_qkv + C * C_IN, NULL, B, T, C_IN, C),
                     "2.3 batched_linear");
        explore_blank(mine);
        explore_need(published_scores(mine, q, k, B, T, C, NH), "4.8 published_scores");
        printf("    %.1e with q and k from the weights found by least squares\n",
               largest_gap(mine, printed.scores, MAPS));
    }
    lab_tensor_file_close(&file);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 4};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, reshape_in_memory());
    EXPLORE_PART(&e, head_grid(&e));
    EXPLORE_PART(&e, head_width());
    EXPLORE_PART(&e, one_projection_or_three(&e));
    EXPLORE_PART(&e, published_trace(&e));
    return explore_end(&e);
}
