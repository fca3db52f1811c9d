// explore.c - lab 3 from the outside: who may look at whom, what that does to one sentence,
// and why a forbidden score is -INFINITY and not a large negative number.
//
//     make plot LAB=3          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     mask_square.tsv mask_last.tsv mask_long.tsv   causal masks, T = S, T < S and T > S
//     open.tsv masked.tsv                           one sentence without and with the mask
//     finite.tsv                                    weight that leaks past -1e4
//     padding0.tsv ...                              causal and padding together, per sequence
//
// In the masks 1 is "may attend" and a blank cell "may not".
// Exit status: 0 done, 1 an exercise is not written yet or failed, 2 wrong arguments.
// Start reading at main.

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "common/explore.h"
#include "common/rng.h"

enum { T = 6, C = 8, V = 5 };   // one sentence of T tokens out of V words
enum { BATCH = 3, STEPS = 41 }; // padding; sizes of scores, ten to a factor of ten

static const char *const sentence[T] = {"the", "cat", "sat", "on", "the", "mat"};
static const size_t ids[T] = {0, 1, 2, 3, 0, 4};

// ---- 1. who may look at whom ---------------------------------------------------------------

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

static void who_may_look(const struct explore *e)
{
    uint8_t square[T * T], last[3 * T], longer[T * 3];
    explore_need(causal_mask(square, T, T), "3.1 causal_mask");
    explore_need(causal_mask(last, 3, T), "3.1 causal_mask");
    explore_need(causal_mask(longer, T, 3), "3.1 causal_mask");

    printf(
        "1. Who may look at whom\n"
        "-----------------------\n"
        "1 = may attend, . = may not. Queries and keys are aligned at the end: the last\n"
        "query is the last token, whatever came before it.\n\n");
    print_mask("T = S = 6", square, T, T);
    print_mask("T = 3, S = 6: three new queries, three keys from before", last, 3, T);
    print_mask("T = 6, S = 3: the first three queries see nothing", longer, T, 3);

    map_of_mask(e, "mask_square.tsv", square, T, T, NULL, NULL);
    map_of_mask(e, "mask_last.tsv", last, 3, T, NULL, NULL);
    map_of_mask(e, "mask_long.tsv", longer, T, 3, NULL, NULL);
}

// ---- 2. one sentence with and without the mask ---------------------------------------------

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

static struct attention open_attention(const struct model *m)
{
    struct attention a;
    float q[T * C], k[T * C], v[T * C], scores[T * T];
    explore_need(batched_attention(a.out, a.weights, q, k, v, scores, m->x, m->w_q,
                                   m->w_k, m->w_v, 1, T, C),
                 "2.5 batched_attention");
    return a;
}

static struct attention masked_attention(const struct model *m)
{
    struct attention a;
    float q[T * C], k[T * C], v[T * C], scores[T * T];
    uint8_t mask[T * T];
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

// Says for which tokens the outputs of a and b agree in every bit.
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

    printf("2. One sentence with and without the mask\n"
           "-----------------------------------------\n"
           "The two \"the\" have the same embedding. Without the mask their rows are "
           "equal:\n"
           "nothing tells their places apart. With the mask the first sees only "
           "itself.\n\n");
    print_weights("weights without a mask (rows: query, columns: key)", open.weights);
    print_weights("weights with the causal mask", masked.weights);

    float map[T * T];
    for (size_t i = 0; i < T * T; i++) {
        map[i] = i % T > i / T ? NAN : masked.weights[i];
    }
    explore_map(e, "open.tsv", open.weights, T, T, sentence, sentence);
    explore_map(e, "masked.tsv", map, T, T, sentence, sentence);

    for (size_t c = 0; c < C; c++) {
        m.x[(T - 1) * C + c] += 1; // another last word
    }
    struct attention open_after = open_attention(&m);
    struct attention masked_after = masked_attention(&m);
    printf("Another last word in place of \"mat\": which outputs changed?\n\n");
    print_same_rows("without a mask", open.out, open_after.out);
    print_same_rows("causal", masked.out, masked_after.out);
    printf("\n");
}

// ---- 3. minus infinity, or a large negative number -----------------------------------------

// How much of a row's weight goes to keys that the mask forbids; the worst row counts.
static double leak(const float *scores, const uint8_t *mask)
{
    uint8_t all[T * T];
    float weights[T * T];
    double worst = 0;
    memset(all, 1, sizeof all);
    explore_need(masked_softmax(weights, scores, all, T, T), "3.3 masked_softmax");
    for (size_t t = 0; t < T; t++) {
        double sum = 0;
        for (size_t s = 0; s < T; s++) {
            sum += mask[t * T + s] ? 0 : (double)weights[t * T + s];
        }
        worst = fmax(worst, sum);
    }
    return worst;
}

static void minus_infinity(const struct explore *e)
{
    static const float finite = -1e4F;
    struct model m = make_model();
    float q[T * C], k[T * C], scores[T * T], infinite[T * T], filled[T * T], added[T * T];
    uint8_t mask[T * T];

    explore_need(batched_linear(q, m.x, m.w_q, NULL, 1, T, C, C), "2.3 batched_linear");
    explore_need(batched_linear(k, m.x, m.w_k, NULL, 1, T, C, C), "2.3 batched_linear");
    explore_need(batched_matmul_nt(scores, q, k, 1, T, T, C), "2.2 batched_matmul_nt");
    explore_need(causal_mask(mask, T, T), "3.1 causal_mask");
    float largest = 0;
    for (size_t i = 0; i < T * T; i++) {
        largest = fmaxf(largest, fabsf(scores[i]));
    }

    struct {
        double size, infinite, filled, added;
    } rows[STEPS];
    for (size_t n = 0; n < STEPS; n++) {
        double size = pow(10, 2 + (double)n / 10); // 100 ... 1e6
        float scaled[T * T];
        for (size_t i = 0; i < T * T; i++) {
            scaled[i] = scores[i] / largest * (float)size;
            filled[i] = mask[i] ? scaled[i] : finite;
            added[i] = mask[i] ? scaled[i] : scaled[i] + finite;
        }
        explore_need(masked_fill(infinite, scaled, mask, T, T), "3.2 masked_fill");
        rows[n].size = size;
        rows[n].infinite = leak(infinite, mask);
        rows[n].filled = leak(filled, mask);
        rows[n].added = leak(added, mask);
    }

    printf("3. Minus infinity, or a large negative number\n"
           "---------------------------------------------\n"
           "How much of a row goes to FORBIDDEN keys, in the worst row, as the scores "
           "grow.\n"
           "-1e4 holds while it is far below every score; -INFINITY always holds.\n\n"
           "    largest score      -INFINITY    -1e4 filled in    -1e4 added\n");
    for (size_t n = 0; n < STEPS; n += 5) {
        printf("    %13.0f   %12g   %14g   %11g\n", rows[n].size, rows[n].infinite,
               rows[n].filled, rows[n].added);
    }

    // A row without any allowed key.
    const float three[3] = {1, 2, 3}, flat[3] = {finite, finite, finite};
    const uint8_t none[3] = {0, 0, 0}, all[3] = {1, 1, 1};
    float zeros[3], uniform[3];
    explore_need(masked_softmax(zeros, three, none, 1, 3), "3.3 masked_softmax");
    explore_need(masked_softmax(uniform, flat, all, 1, 3), "3.3 masked_softmax");
    printf("\nA query with no allowed key: weights %.2f %.2f %.2f with -INFINITY and "
           "this lab's\n"
           "rule, %.2f %.2f %.2f with -1e4: forbidden keys, all of them, get "
           "everything.\n\n",
           (double)zeros[0], (double)zeros[1], (double)zeros[2], (double)uniform[0],
           (double)uniform[1], (double)uniform[2]);

    struct lab_replacement table =
        explore_table(e, "finite.tsv", "largest_score\tinfinite\tfilled\tadded");
    for (size_t n = 0; n < STEPS; n++) {
        fprintf(table.file, "%.6g\t%.6g\t%.6g\t%.6g\n", rows[n].size, rows[n].infinite,
                rows[n].filled, rows[n].added);
    }
    explore_table_end(e, "finite.tsv", &table);
}

// ---- 4. padding ----------------------------------------------------------------------------

static void padding(const struct explore *e)
{
    static const char *const tokens[BATCH][T] = {
        {"the", "cat", "sat", "on", "the", "mat"},
        {"the", "cat", "sat", "down", "<pad>", "<pad>"},
        {"the", "mat", "<pad>", "<pad>", "<pad>", "<pad>"},
    };
    const size_t lengths[BATCH] = {6, 4, 2};
    uint8_t causal[T * T], pad[BATCH * T], both[BATCH * T * T];

    explore_need(causal_mask(causal, T, T), "3.1 causal_mask");
    explore_need(padding_mask(pad, lengths, BATCH, T), "3.5 padding_mask");
    explore_need(combine_masks(both, causal, pad, BATCH, T, T), "3.5 combine_masks");

    printf(
        "4. Sequences of different lengths\n"
        "---------------------------------\n"
        "Three sequences of 6, 4 and 2 tokens, filled up to 6. Nobody may look at the\n"
        "filling: its columns are empty.\n\n");
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

    who_may_look(&e);
    one_sentence(&e);
    minus_infinity(&e);
    padding(&e);
    return explore_end();
}
