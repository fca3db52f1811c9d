// explore.c - runs your causal.c: the handout's examples, one sentence with and without the
// mask, and the reason why a forbidden score is -INFINITY, not a large negative number.
//
//     make explore LAB=3       builds, runs, prints
//     make plot LAB=3          builds, runs, draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     mask_square.tsv mask_last.tsv mask_long.tsv   causal masks, T = S, T < S and T > S
//     open.tsv masked.tsv                           one sentence without and with the mask
//     finite.tsv                                    weight that leaks past a finite number
//     padding0.tsv ...                              causal and padding together, per sequence
//
// In the masks, 1 means "may attend" and a blank cell "may not".
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "common/explore.h"
#include "common/rng.h"

enum { T = 6, C = 8, V = 5 };   // one sentence of T tokens out of V words
enum { BATCH = 3, STEPS = 65 }; // padding; sizes of scores, eight to a factor of ten

static const char *const sentence[T] = {"the", "cat", "sat", "on", "the", "mat"};
static const size_t ids[T] = {0, 1, 2, 3, 0, 4};

// ---- 1. which query may see which key ------------------------------------------------------

static void print_mask(const char *title, const uint8_t *mask, size_t rows,
                       size_t columns)
{
    printf("%s\n           ", title);
    for (size_t s = 0; s < columns; s++) {
        printf(" %zu", s);
    }
    printf("  <- key\n");
    for (size_t t = 0; t < rows; t++) {
        printf("    query %zu", t);
        for (size_t s = 0; s < columns; s++) {
            printf(" %c", mask[t * columns + s] ? '1' : '.');
        }
        printf("\n");
    }
    printf("\n");
}

static void map_of_mask(const struct explore *e, const char *name, const uint8_t *mask,
                        size_t rows, size_t columns, const char *const *row_names,
                        const char *const *column_names)
{
    float map[T * T];
    for (size_t i = 0; i < rows * columns; i++) {
        map[i] = mask[i] ? 1 : NAN;
    }
    explore_map(e, name, map, rows, columns, row_names, column_names);
}

static void show_causal(const char *title, size_t rows, size_t columns)
{
    uint8_t mask[T * T];
    explore_need(causal_mask(mask, rows, columns), "3.1 causal_mask");
    print_mask(title, mask, rows, columns);
}

static void map_causal(const struct explore *e, const char *name, size_t rows,
                       size_t columns)
{
    uint8_t mask[T * T];
    explore_need(causal_mask(mask, rows, columns), "3.1 causal_mask");
    map_of_mask(e, name, mask, rows, columns, NULL, NULL);
}

static void who_may_look(const struct explore *e)
{
    explore_title("1. Which query may see which key (3.1)");
    printf(
        "1 = may attend, . = may not. Queries and keys are aligned at the end, so the\n"
        "last query is always the last token.\n\n");
    show_causal("T = 5, S = 5", 5, 5);
    show_causal("T = 2, S = 5: two new queries, three keys from before", 2, 5);
    show_causal("T = 1, S = 4: one new token sees the whole past", 1, 4);
    show_causal("T = 4, S = 2: the first two queries see nothing", 4, 2);

    map_causal(e, "mask_square.tsv", T, T);
    map_causal(e, "mask_last.tsv", 3, T);
    map_causal(e, "mask_long.tsv", T, 3);
}

// ---- 2. the handout's small examples -------------------------------------------------------

static void show_digits(const char *title, const float *a, size_t rows, size_t columns,
                        const char *row, const char *column)
{
    struct lab_names row_names, column_names;
    explore_wrote(lab_print_matrix(stdout, title, a, rows, columns,
                                   lab_names(&row_names, row, rows),
                                   lab_names(&column_names, column, columns), 10, 6),
                  "the standard output");
    printf("\n");
}

static void small_examples(void)
{
    const float scores[] = {2, 1, 4, 1, 3, 5, 0, 2, 1};
    const uint8_t mask[] = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    float filled[9], weights[9];
    explore_title("2. The small examples of the handout");
    putchar('\n');
    explore_blank(filled);
    explore_need(masked_fill(filled, scores, mask, 3, 3), "3.2 masked_fill");
    explore_show("3.2  scores, filled", filled, 3, 3, "query ", "key ");
    explore_blank(weights);
    explore_need(masked_softmax(weights, scores, mask, 3, 3), "3.3 masked_softmax");
    show_digits("3.3  weights", weights, 3, 3, "query ", "key ");

    const float x[] = {1, 0, 0, 1, 1, 1};
    const float w_q[] = {2, 0, 0, 1}, w_k[] = {1, 1, 0, 1}, w_v[] = {1, 0, 0, 1};
    float out[6], q[6], k[6], v[6], workspace[9];
    uint8_t causal[9];
    explore_blank(out);
    explore_blank(weights);
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(workspace);
    explore_need(causal_attention(out, weights, q, k, v, workspace, causal, x, w_q, w_k,
                                  w_v, 1, 3, 2),
                 "3.4 causal_attention");
    show_digits("3.4  weights", weights, 3, 3, "query ", "key ");
    show_digits("3.4  output", out, 3, 2, "output ", "i");

    const size_t lengths[] = {3, 2};
    uint8_t pad[6], both[18];
    explore_need(causal_mask(causal, 3, 3), "3.1 causal_mask");
    explore_need(padding_mask(pad, lengths, 2, 3), "3.5 padding_mask");
    explore_need(combine_masks(both, causal, pad, 2, 3, 3), "3.5 combine_masks");
    print_mask("3.5  padding and causal mask, length 3", both, 3, 3);
    print_mask("3.5  padding and causal mask, length 2", both + 9, 3, 3);
}

// ---- 3. one sentence with and without the mask ---------------------------------------------

struct model {
    float x[T * C], w_q[C * C], w_k[C * C], w_v[C * C];
};

static struct model make_model(void)
{
    struct model m;
    float embedding[V * C];
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, embedding, V * C);
    for (size_t t = 0; t < T; t++) {
        memcpy(m.x + t * C, embedding + ids[t] * C, C * sizeof *m.x);
    }
    lab_rng_randn(&rng, m.w_q, C * C);
    lab_rng_randn(&rng, m.w_k, C * C);
    lab_rng_randn(&rng, m.w_v, C * C);
    for (size_t i = 0; i < C * C; i++) { // keeps q and k near unit size
        m.w_q[i] /= sqrtf((float)C);
        m.w_k[i] /= sqrtf((float)C);
    }
    return m;
}

struct attention { // what one run leaves behind
    float out[T * C], weights[T * T];
};

// Attention without a mask: the functions that causal_attention calls, with a mask of ones.
static struct attention open_attention(const struct model *m)
{
    struct attention a;
    float q[T * C], k[T * C], v[T * C], scores[T * T];
    uint8_t all[T * T];
    memset(all, 1, sizeof all);
    explore_blank(q);
    explore_need(batched_linear(q, m->x, m->w_q, NULL, 1, T, C, C), "2.3 batched_linear");
    explore_blank(k);
    explore_need(batched_linear(k, m->x, m->w_k, NULL, 1, T, C, C), "2.3 batched_linear");
    explore_blank(v);
    explore_need(batched_linear(v, m->x, m->w_v, NULL, 1, T, C, C), "2.3 batched_linear");
    explore_blank(scores);
    explore_need(batched_matmul_nt(scores, q, k, 1, T, T, C), "2.2 batched_matmul_nt");
    for (size_t i = 0; i < T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }
    explore_need(masked_softmax(a.weights, scores, all, T, T), "3.3 masked_softmax");
    explore_need(batched_matmul(a.out, a.weights, v, 1, T, C, T), "2.2 batched_matmul");
    return a;
}

static struct attention masked_attention(const struct model *m)
{
    struct attention a;
    float q[T * C], k[T * C], v[T * C], scores[T * T];
    uint8_t mask[T * T];
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(scores);
    explore_need(causal_attention(a.out, a.weights, q, k, v, scores, mask, m->x, m->w_q,
                                  m->w_k, m->w_v, 1, T, C),
                 "3.4 causal_attention");
    return a;
}

static void print_weights(const char *title, const float *weights)
{
    explore_wrote(
        lab_print_matrix(stdout, title, weights, T, T, sentence, sentence, 8, 4),
        "the standard output");
    printf("\n");
}

// Prints for which tokens the outputs of a and b agree in every bit.
static void print_same_rows(const char *what, const float *a, const float *b)
{
    printf("    %-14s", what);
    for (size_t t = 0; t < T; t++) {
        bool same = memcmp(a + t * C, b + t * C, C * sizeof *a) == 0;
        printf("  %s %s", sentence[t], same ? "same" : "new ");
    }
    printf("\n");
}

static void one_sentence(const struct explore *e)
{
    struct model m = make_model();
    struct attention open = open_attention(&m);
    struct attention masked = masked_attention(&m);

    explore_title("3. One sentence with and without the mask");
    printf("The two \"the\" have the same embedding. Without the mask their rows are\n"
           "equal, because nothing depends on the position. With the mask the first\n"
           "one sees only itself.\n\n");
    print_weights("weights without a mask (rows: query, columns: key)", open.weights);
    print_weights("weights with the causal mask", masked.weights);

    float map[T * T];
    for (size_t i = 0; i < T * T; i++) {
        // The future is blank where the weight is exactly 0, and only there.
        map[i] = i % T > i / T && masked.weights[i] == 0 ? NAN : masked.weights[i];
    }
    explore_map(e, "open.tsv", open.weights, T, T, sentence, sentence);
    explore_map(e, "masked.tsv", map, T, T, sentence, sentence);

    for (size_t c = 0; c < C; c++) {
        m.x[(T - 1) * C + c] += 1; // another last word
    }
    struct attention open_after = open_attention(&m);
    struct attention masked_after = masked_attention(&m);
    printf("Replace the last word, \"mat\", by another one. Which outputs change?\n\n");
    print_same_rows("without a mask", open.out, open_after.out);
    print_same_rows("causal", masked.out, masked_after.out);
    printf("\n");
}

// ---- 4. minus infinity, or a large negative number -----------------------------------------

enum { FILLS = 3 };
static const float fills[FILLS] = {-1e4F, -1e9F, -INFINITY};

// The weights of a row with two allowed scores and a forbidden key. Overwrites the
// forbidden score with fill, then computes an ordinary softmax.
static void softmax_of_filled(float weights[3], float first, float second, float fill)
{
    const uint8_t all[3] = {1, 1, 1};
    const float scores[3] = {first, second, fill};
    explore_need(masked_softmax(weights, scores, all, 1, 3), "3.3 masked_softmax");
}

static void minus_infinity(const struct explore *e)
{
    static const char *const names[FILLS] = {"-1e4", "-1e9", "-INFINITY"};
    float weights[3];

    explore_title("4. Minus infinity, or a large negative number");
    printf("Two allowed scores, -12000 and -11999, and a forbidden score, filled with\n\n"
           "                 weights\n"
           "                 allowed   allowed   forbidden\n");
    for (size_t f = 0; f < FILLS; f++) {
        softmax_of_filled(weights, -12000, -11999, fills[f]);
        printf("    %-9s   %8.6f  %8.6f   %8.6f\n", names[f], (double)weights[0],
               (double)weights[1], (double)weights[2]);
    }
    printf(
        "\nA finite number works only while it is below the allowed scores. -INFINITY\n"
        "always works.\n\n");

    // A query with no allowed key.
    const float three[3] = {1, 2, 3};
    const uint8_t none[3] = {0, 0, 0};
    explore_blank(weights);
    explore_need(masked_softmax(weights, three, none, 1, 3), "3.3 masked_softmax");
    printf(
        "A query without an allowed key has weights %.2f %.2f %.2f in this lab. Filled",
        (double)weights[0], (double)weights[1], (double)weights[2]);
    const uint8_t all[3] = {1, 1, 1};
    const float flat[3] = {-1e4F, -1e4F, -1e4F};
    explore_blank(weights);
    explore_need(masked_softmax(weights, flat, all, 1, 3), "3.3 masked_softmax");
    printf("\nwith -1e4 it has %.2f %.2f %.2f: forbidden keys get all the weight.\n\n",
           (double)weights[0], (double)weights[1], (double)weights[2]);

    double below[STEPS];
    float leaks[STEPS][FILLS];
    for (size_t n = 0; n < STEPS; n++) {
        below[n] = pow(10, 2 + (double)n / 8); // 100 ... 1e10
        for (size_t f = 0; f < FILLS; f++) {
            softmax_of_filled(weights, (float)-below[n], (float)(1 - below[n]), fills[f]);
            leaks[n][f] = weights[2];
        }
    }
    struct lab_replacement table =
        explore_table(e, "finite.tsv", "below\tminus_1e4\tminus_1e9\tinfinite");
    for (size_t n = 0; n < STEPS; n++) {
        fprintf(table.file, "%.6g\t%.6g\t%.6g\t%.6g\n", below[n], (double)leaks[n][0],
                (double)leaks[n][1], (double)leaks[n][2]);
    }
    explore_table_end(e, "finite.tsv", &table);
}

// ---- 5. padding ----------------------------------------------------------------------------

static void padding(const struct explore *e)
{
    static const char *const tokens[BATCH][T] = {
        {"the", "cat", "sat", "on", "the", "mat"},
        {"the", "cat", "sat", "down", "<pad>", "<pad>"},
        {"the", "mat", "<pad>", "<pad>", "<pad>", "<pad>"},
    };
    const size_t lengths[BATCH] = {6, 4, 2};
    uint8_t causal[T * T], pad[BATCH * T], both[BATCH * T * T];

    explore_title("5. Sequences of different lengths");
    explore_need(causal_mask(causal, T, T), "3.1 causal_mask");
    explore_need(padding_mask(pad, lengths, BATCH, T), "3.5 padding_mask");
    explore_need(combine_masks(both, causal, pad, BATCH, T, T), "3.5 combine_masks");

    printf("Three sequences of 6, 4 and 2 tokens, padded to 6. No query may look at the\n"
           "padding, so its columns are empty.\n\n");
    for (size_t b = 0; b < BATCH; b++) {
        char title[64], name[64];
        snprintf(title, sizeof title, "sequence %zu, length %zu", b, lengths[b]);
        print_mask(title, both + b * T * T, T, T);
        snprintf(name, sizeof name, "padding%zu.tsv", b);
        map_of_mask(e, name, both + b * T * T, T, T, tokens[b], tokens[b]);
    }
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 3};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, who_may_look(&e));
    EXPLORE_PART(&e, small_examples());
    EXPLORE_PART(&e, one_sentence(&e));
    EXPLORE_PART(&e, minus_infinity(&e));
    EXPLORE_PART(&e, padding(&e));
    return explore_end(&e);
}
