// explore.c - runs your batching.c: a batch in memory, the handout's examples, independent
// sequences, and the speed of one large product against many small ones.
//
//     make explore LAB=2       builds, runs, prints
//     make plot LAB=2          builds, runs, draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     sequence0.tsv ...        the attention map of each sequence of one batch
//     throughput.tsv           B, GFLOP/s of one product over B*T rows, of B products
//     throughput_setup.txt     one line: the library, its threads, the sizes
//
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <cblas.h>
#include <math.h>

#include "02_batching/batching.h"
#include "common/explore.h"
#include "common/rng.h"
#include "common/timer.h"

enum { B = 3, T = 5, C = 8 };                          // the batch to look at
enum { LARGEST_B = 128, ROWS = 8, WIDTH = 256 };       // throughput: B, T, I = O
enum { BATCHES = 8, RUNS_MOST = 101, RUNS_LEAST = 5 }; // B = 1, 2, 4 ... 128
static const double SECONDS_EACH = 0.12;               // per B, both ways together

// ---- 1. a batch in memory ------------------------------------------------------------------

static void print_numbers(const char *title, const float *a, size_t n)
{
    printf("    %-34s", title);
    for (size_t i = 0; i < n; i++) {
        printf(" %03.0f", (double)a[i]);
    }
    printf("\n");
}

// x(2,2,3) holds the digits b t c, so every element shows its place.
static void batch_in_memory(void)
{
    float x[12], last_two[12], all_three[12];
    for (size_t b = 0; b < 2; b++) {
        for (size_t t = 0; t < 2; t++) {
            for (size_t c = 0; c < 3; c++) {
                float digits = (float)(100 * b + 10 * t + c);
                x[(b * 2 + t) * 3 + c] = digits;
                last_two[(b * 3 + c) * 2 + t] = digits;
                all_three[(c * 2 + t) * 2 + b] = digits;
            }
        }
    }
    explore_title("1. A batch in memory");
    printf(
        "x has the shape (B, T, C) = (2, 2, 3). Each number consists of its indices:\n"
        "012 is sequence 0, token 1, channel 2. Three layouts of the same numbers:\n\n");
    print_numbers("x (B, T, C)", x, 12);
    print_numbers("last two axes transposed (B, C, T)", last_two, 12);
    print_numbers("all three transposed (C, T, B)", all_three, 12);
    printf("\nIn the first two, the left half is sequence 0 and the right half is\n"
           "sequence 1. In the third, neighbors come from different sequences, and a\n"
           "product would mix them.\n\n");
}

// ---- 2. the handout's small examples -------------------------------------------------------

static void products(void)
{
    const float a[] = {1, 2, 0, 3, 1, -1}, b[] = {4, 1, 0, 2, 5, -3};
    const float b_stored_transposed[] = {4, 0, 5, 1, 2, -3};
    float out[4];
    explore_blank(out);
    explore_need(matmul(out, a, b, 2, 2, 3), "2.1 matmul");
    explore_show("2.1  a b", out, 2, 2, "row ", "column ");
    explore_blank(out);
    explore_need(matmul_nt(out, a, b_stored_transposed, 2, 2, 3), "2.1 matmul_nt");
    explore_show("2.1  the same with b stored transposed", out, 2, 2, "row ", "column ");

    const float pair_a[] = {1, 2, 3, -1};
    const float pair_b[] = {1, 0, 0, 1, 1, 1, 2, 0, 1, 1, 0, 5};
    float pair[6];
    explore_blank(pair);
    explore_need(batched_matmul_nt(pair, pair_a, pair_b, 2, 1, 3, 2),
                 "2.2 batched_matmul_nt");
    explore_show("2.2  a[i] b[i]^T", pair, 2, 3, "i = ", "column ");
}

static void layer_and_softmax(void)
{
    const float x[] = {1, 2, 3, 5, 0, 1, -1, 4};
    const float w[] = {1, 0, 0, 1, 1, -1}, bias[] = {10, 20, 30};
    float y[12];
    explore_blank(y);
    explore_need(batched_linear(y, x, w, bias, 2, 2, 2, 3), "2.3 batched_linear");
    explore_show("2.3  x w^T + bias, the rows of both sequences", y, 4, 3, "row ", "o");

    const float no = -INFINITY;
    const float scores[] = {1, 2, 3, 0, 0, 0, 1001, 1002, 1003, no, no, no};
    float weights[12];
    explore_blank(weights);
    explore_need(batched_softmax(weights, scores, 2, 2, 3), "2.4 batched_softmax");
    explore_show("2.4  weights, the rows of both sequences", weights, 4, 3, "row ",
                 "key ");
}

static void two_sequences(void)
{
    const float x[] = {1, 0, 0, 1, 2, 0, 0, 1}, identity[] = {1, 0, 0, 1};
    float q[8], k[8], v[8], scores[8], weights[8], out[8];
    explore_blank(out);
    explore_blank(weights);
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(scores);
    explore_need(batched_attention(out, weights, q, k, v, scores, x, identity, identity,
                                   identity, 2, 2, 2),
                 "2.5 batched_attention");
    explore_show("2.5  weights of sequence 0", weights, 2, 2, "query ", "key ");
    explore_show("2.5  weights of sequence 1", weights + 4, 2, 2, "query ", "key ");
    explore_show("2.5  output of sequence 0", out, 2, 2, "output ", "c");
    explore_show("2.5  output of sequence 1", out + 4, 2, 2, "output ", "c");
}

static void small_examples(void)
{
    explore_title("2. The small examples of the handout");
    putchar('\n');
    products();
    layer_and_softmax();
    two_sequences();
}

// ---- 3. sequences do not talk --------------------------------------------------------------

static size_t equal_bits(const float *a, const float *b, size_t n)
{
    size_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        equal += memcmp(a + i, b + i, sizeof *a) == 0;
    }
    return equal;
}

static void sequences_do_not_talk(const struct explore *e)
{
    float x[B * T * C], w_q[C * C], w_k[C * C], w_v[C * C];
    float q[B * T * C], k[B * T * C], v[B * T * C], scores[B * T * T];
    float before[B * T * C], after[B * T * C], weights[B * T * T],
        weights_after[B * T * T];

    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, x, B * T * C);
    lab_rng_randn(&rng, w_q, C * C);
    lab_rng_randn(&rng, w_k, C * C);
    lab_rng_randn(&rng, w_v, C * C);
    for (size_t i = 0; i < C * C; i++) { // keeps q and k near unit size
        w_q[i] *= 1.3F / sqrtf((float)C);
        w_k[i] *= 1.3F / sqrtf((float)C);
    }

    explore_title("3. Sequences do not see each other");
    explore_blank(before);
    explore_blank(weights);
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(scores);
    explore_need(
        batched_attention(before, weights, q, k, v, scores, x, w_q, w_k, w_v, B, T, C),
        "2.5 batched_attention");
    x[(1 * T + 2) * C + 3] += 1; // sequence 1, token 2, channel 3
    explore_blank(after);
    explore_blank(weights_after);
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(scores);
    explore_need(batched_attention(after, weights_after, q, k, v, scores, x, w_q, w_k,
                                   w_v, B, T, C),
                 "2.5 batched_attention");

    printf("Attention over a batch of %d sequences of %d tokens, then again with ONE\n"
           "number of sequence 1 changed. Outputs that did not change in any bit:\n\n",
           B, T);
    for (size_t b = 0; b < B; b++) {
        size_t equal = equal_bits(before + b * T * C, after + b * T * C, T * C);
        printf("    sequence %zu   %2zu of %d%s\n", b, equal, T * C,
               b == 1 ? "   (the changed one)" : "");
    }
    printf("\n");

    for (size_t b = 0; b < B; b++) {
        char title[64], name[64];
        snprintf(title, sizeof title, "weights of sequence %zu, before the change", b);
        explore_show(title, weights + b * T * T, T, T, "query ", "key ");
        snprintf(name, sizeof name, "sequence%zu.tsv", b);
        explore_map(e, name, weights + b * T * T, T, T, NULL, NULL);
    }
}

// ---- 4. one large product or many small ones -----------------------------------------------

static double seconds_of_one(float *y, const float *x, const float *w, size_t batch)
{
    double start = lab_seconds();
    lab_status status = batched_linear(y, x, w, NULL, batch, ROWS, WIDTH, WIDTH);
    double seconds = lab_seconds() - start;
    explore_need(status, "2.3 batched_linear");
    return seconds;
}

static double seconds_of_many(float *y, const float *x, const float *w, size_t batch)
{
    lab_status status = LAB_OK;
    double start = lab_seconds();
    for (size_t b = 0; b < batch && status == LAB_OK; b++) {
        status =
            matmul_nt(y + b * ROWS * WIDTH, x + b * ROWS * WIDTH, w, ROWS, WIDTH, WIDTH);
    }
    double seconds = lab_seconds() - start;
    explore_need(status, "2.1 matmul_nt");
    return seconds;
}

struct throughput { // GFLOP/s
    double one, many;
};

static double fastest(const double *seconds, size_t runs)
{
    double least = seconds[0];
    for (size_t i = 1; i < runs; i++) {
        least = seconds[i] < least ? seconds[i] : least;
    }
    return least;
}

// The fastest of several runs, because other programs can only make a run slower. The two ways
// alternate, so a slow moment of the machine affects both.
static struct throughput measure(size_t batch)
{
    static float x[LARGEST_B * ROWS * WIDTH], w[WIDTH * WIDTH],
        y[LARGEST_B * ROWS * WIDTH];
    struct lab_rng rng;
    lab_rng_seed(&rng, batch);
    lab_rng_randn(&rng, x, batch * ROWS * WIDTH);
    lab_rng_randn(&rng, w, WIDTH * WIDTH);

    double one[RUNS_MOST], many[RUNS_MOST];
    seconds_of_one(y, x, w, batch); // warms the caches
    seconds_of_many(y, x, w, batch);
    size_t runs = 0;
    double start = lab_seconds();
    while (runs < RUNS_LEAST ||
           (runs < RUNS_MOST && lab_seconds() - start < SECONDS_EACH)) {
        one[runs] = seconds_of_one(y, x, w, batch);
        many[runs] = seconds_of_many(y, x, w, batch);
        runs++;
    }
    double gflop = 2e-9 * (double)batch * ROWS * WIDTH * WIDTH;
    return (struct throughput){gflop / fastest(one, runs), gflop / fastest(many, runs)};
}

static void throughput(const struct explore *e)
{
    struct throughput results[BATCHES];
    char setup[256];

    openblas_set_num_threads(1);
    snprintf(setup, sizeof setup, "OpenBLAS core %s, 1 thread, T = %d, I = O = %d",
             openblas_get_corename(), ROWS, WIDTH);
    explore_title("4. One large product or many small ones");
    printf("The same linear layer over B sequences: batched_linear (one product over\n"
           "B*T rows) against a loop of B calls of matmul_nt. The best of several runs.\n"
           "%s.\n\n"
           "                   GFLOP/s\n"
           "     B   one product   B products   ratio\n",
           setup);
    for (size_t i = 0; i < BATCHES; i++) {
        size_t batch = (size_t)1 << i;
        results[i] = measure(batch);
        printf("%6zu   %11.1f   %10.1f   %5.2f\n", batch, results[i].one, results[i].many,
               results[i].one / results[i].many);
    }
    printf(
        "\nBefore it multiplies, BLAS copies w into an order that suits the registers.\n"
        "A loop of B products makes that copy once per %d rows. One product over B*T\n"
        "rows makes it once.\n",
        ROWS);

    struct lab_replacement table =
        explore_table(e, "throughput.tsv", "B\tone_product_gflops\tB_products_gflops");
    for (size_t i = 0; i < BATCHES; i++) {
        fprintf(table.file, "%zu\t%.4g\t%.4g\n", (size_t)1 << i, results[i].one,
                results[i].many);
    }
    explore_table_end(e, "throughput.tsv", &table);
    table = explore_table(e, "throughput_setup.txt", setup);
    explore_table_end(e, "throughput_setup.txt", &table);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 2};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, batch_in_memory());
    EXPLORE_PART(&e, small_examples());
    EXPLORE_PART(&e, sequences_do_not_talk(&e));
    EXPLORE_PART(&e, throughput(&e));
    return explore_end(&e);
}
