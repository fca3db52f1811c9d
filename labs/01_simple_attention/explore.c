// explore.c - runs your attention.c on the handout's examples and on a few experiments, prints
// all intermediate numbers, and writes the data for plot.gp.
//
//     make explore LAB=1       builds, runs, prints
//     make plot LAB=1          builds, runs, draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     weights.tsv              the attention map of three tokens
//     averaging.tsv            the map of a plain average over the past
//     scores_xx.tsv            x x^T / sqrt(d), symmetric
//     scores_qk.tsv            q k^T / sqrt(d), not symmetric
//     why_scale.tsv            d, variance of q.k, entropy and largest weight, plain and scaled
//     dictionary.tsv           length of the query, the weight on each of four keys
//
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <math.h>
#include <stdio.h>

#include "01_simple_attention/attention.h"
#include "common/explore.h"
#include "common/rng.h"

enum { T = 3, C = 4, D = 4 };                        // the walk-through
enum { SYM_T = 5, SYM_D = 8 };                       // symmetric and not
enum { QUERIES = 128, KEYS = 64, LARGEST_D = 1024 }; // why scale
enum { ENTRIES = 4, RIGHT = 2 };                     // the dictionary

// ---- 1. the handout's small examples -------------------------------------------------------

static void products(void)
{
    const float a[] = {1, 2, 0, 3, 1, -1}, b[] = {4, 1, 0, 2, 5, -3};
    const float b_stored_transposed[] = {4, 0, 5, 1, 2, -3};
    float out[4];
    explore_blank(out);
    explore_need(matmul(out, a, b, 2, 2, 3), "1.1 matmul");
    explore_show("1.1  a b", out, 2, 2, "row ", "column ");
    explore_blank(out);
    explore_need(matmul_nt(out, a, b_stored_transposed, 2, 2, 3), "1.1 matmul_nt");
    explore_show("1.1  the same with b stored transposed", out, 2, 2, "row ", "column ");
}

static void layer(void)
{
    const float x[] = {1, 2, 3, 5}, w[] = {1, 0, 0, 1, 1, -1}, bias[] = {10, 20, 30};
    float y[6];
    explore_blank(y);
    explore_need(linear(y, x, w, bias, 2, 2, 3), "1.2 linear");
    explore_show("1.2  x w^T + bias", y, 2, 3, "token ", "o");
    explore_blank(y);
    explore_need(linear(y, x, w, NULL, 2, 2, 3), "1.2 linear");
    explore_show("1.2  x w^T", y, 2, 3, "token ", "o");
}

static void small_examples(void)
{
    explore_title("1. The small examples of the handout");
    putchar('\n');
    products();
    layer();

    const float q[] = {1, 0, 1, 0, 0, 2, 0, 2};
    const float k[] = {2, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, -3};
    const float v[] = {1, 0, 0, 1, 10, 20};
    float scores[6], weights[6], out[4];
    explore_blank(scores);
    explore_need(attention_scores(scores, q, k, 2, 3, 4), "1.3 attention_scores");
    explore_show("1.3  scores = q k^T / 2", scores, 2, 3, "query ", "key ");
    explore_blank(weights);
    explore_need(softmax_rows(weights, scores, 2, 3), "1.4 softmax_rows");
    explore_show("1.4  weights", weights, 2, 3, "query ", "key ");

    const float far[] = {1, 2, 3, 10001, 10002, 10003, -9999, -9998, -9997};
    float shares[9];
    explore_blank(shares);
    explore_need(softmax_rows(shares, far, 3, 3), "1.4 softmax_rows");
    explore_show("1.4  softmax of 1 2 3, of 10001 10002 10003, of -9999 -9998 -9997",
                 shares, 3, 3, "row ", "key ");

    explore_blank(out);
    explore_need(weighted_values(out, weights, v, 2, 3, 2), "1.5 weighted_values");
    explore_show("1.5  weights v", out, 2, 2, "output ", "i");
}

// ---- 2. three tokens, step by step ---------------------------------------------------------

// Prints row 0 of the output as a sum of value rows, each times its weight.
static void show_row_0(const float *out, const float *weights, const float *v)
{
    printf("Output row 0 is a mixture of the value rows. Row 0 of the weights gives the\n"
           "proportions:\n\n");
    for (size_t s = 0; s < T; s++) {
        printf("    %s %.4f * (", s == 0 ? " " : "+", (double)weights[s]);
        for (size_t i = 0; i < D; i++) {
            printf("%s%7.4f", i == 0 ? "" : ", ", (double)v[s * D + i]);
        }
        printf(")   value %zu\n", s);
    }
    printf("    =          (");
    for (size_t i = 0; i < D; i++) {
        printf("%s%7.4f", i == 0 ? "" : ", ", (double)out[i]);
    }
    printf(")   output 0\n\n");
}

// PyTorch's manual_seed(42), then randn(3, 4) for x and randn(4, 4) for w_q, w_k and w_v.
struct story {
    float x[T * C], w_q[D * C], w_k[D * C], w_v[D * C];
};

static struct story make_story(void)
{
    struct story s;
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, s.x, T * C);
    lab_rng_randn(&rng, s.w_q, D * C);
    lab_rng_randn(&rng, s.w_k, D * C);
    lab_rng_randn(&rng, s.w_v, D * C);
    return s;
}

static void three_tokens(const struct explore *e)
{
    const struct story story = make_story();
    const float *x = story.x;
    const float *w_q = story.w_q, *w_k = story.w_k, *w_v = story.w_v;
    float q[T * D], k[T * D], v[T * D], scores[T * T], weights[T * T], out[T * D];

    explore_title("2. Three tokens, step by step");
    printf("The numbers are PyTorch's: manual_seed(42), then randn(3, 4) for x and\n"
           "randn(4, 4) for w_q, w_k and w_v, in this order.\n\n");
    explore_show("x (T, C): one row per token", x, T, C, "token ", "c");

    explore_blank(q);
    explore_need(linear(q, x, w_q, NULL, T, C, D), "1.2 linear");
    explore_blank(k);
    explore_need(linear(k, x, w_k, NULL, T, C, D), "1.2 linear");
    explore_blank(v);
    explore_need(linear(v, x, w_v, NULL, T, C, D), "1.2 linear");
    explore_show("q = x w_q^T: what each token looks for", q, T, D, "query ", "i");
    explore_show("k = x w_k^T: how other tokens find it", k, T, D, "key ", "i");
    explore_show("v = x w_v^T: what each token contributes", v, T, D, "value ", "i");

    explore_blank(scores);
    explore_need(attention_scores(scores, q, k, T, T, D), "1.3 attention_scores");
    explore_show(
        "scores = q k^T / sqrt(d), sqrt(d) = 2 here: a row per query, a column per key",
        scores, T, T, "query ", "key ");

    explore_blank(weights);
    explore_need(softmax_rows(weights, scores, T, T), "1.4 softmax_rows");
    explore_show("weights = softmax of each row", weights, T, T, "query ", "key ");
    printf("Every row sums to 1:");
    for (size_t t = 0; t < T; t++) {
        const float *row = weights + t * T;
        printf("%s row %zu sums to %.6f", t == 0 ? "" : ",", t,
               (double)row[0] + (double)row[1] + (double)row[2]);
    }
    printf(".\n\n");
    struct lab_names names;
    const char *const *tokens = lab_names(&names, "token ", T);
    explore_map(e, "weights.tsv", weights, T, T, tokens, tokens);

    explore_blank(out);
    explore_need(weighted_values(out, weights, v, T, T, D), "1.5 weighted_values");
    explore_show("output = weights v", out, T, D, "output ", "i");
    show_row_0(out, weights, v);

    float whole[T * D], whole_weights[T * T];
    explore_blank(whole);
    explore_blank(whole_weights);
    explore_blank(q);
    explore_blank(k);
    explore_blank(v);
    explore_blank(scores);
    explore_need(simple_attention(whole, whole_weights, q, k, v, scores, x, w_q, w_k, w_v,
                                  T, C, D),
                 "1.6 simple_attention");
    explore_map(e, "weights.tsv", whole_weights, T, T, tokens, tokens); // those of 1.6
    double apart = 0;
    for (size_t i = 0; i < T * D; i++) {
        apart = explore_larger(apart, fabsf(whole[i] - out[i]));
    }
    printf(
        "simple_attention, which does all steps in one call, differs by at most %g.\n\n",
        apart);
}

// ---- 3. an average is attention too --------------------------------------------------------

static void averaging(const struct explore *e)
{
    const float b[] = {2, 7, 6, 4, 6, 5};
    // Scores that are 0 for the past and -INFINITY for the future: every key of the past
    // gets the same weight.
    const float no = -INFINITY;
    const float scores[] = {0, no, no, 0, 0, no, 0, 0, 0};
    float weights[9], out[6], map[9];

    explore_title("3. An average is attention too");
    printf("With equal scores for a token and all tokens before it, and -INFINITY for\n"
           "later tokens, attention is a running average.\n\n");
    explore_blank(weights);
    explore_need(softmax_rows(weights, scores, 3, 3), "1.4 softmax_rows");
    for (size_t i = 0; i < 9; i++) {
        map[i] = isinf(scores[i]) ? NAN : weights[i];
    }
    struct lab_names names;
    const char *const *tokens = lab_names(&names, "token ", 3);
    explore_map(e, "averaging.tsv", map, 3, 3, tokens, tokens);

    explore_blank(out);
    explore_need(weighted_values(out, weights, b, 3, 3, 2), "1.5 weighted_values");

    explore_show("weights", weights, 3, 3, "query ", "key ");
    explore_show("values b", b, 3, 2, "value ", "i");
    explore_show("output: each row is the mean of the values so far", out, 3, 2,
                 "output ", "i");
}

// ---- 4. why both q and k -------------------------------------------------------------------

static float largest_asymmetry(const float *scores, size_t n)
{
    float most = 0;
    for (size_t t = 0; t < n; t++) {
        for (size_t s = 0; s < t; s++) {
            most =
                (float)explore_larger(most, fabsf(scores[t * n + s] - scores[s * n + t]));
        }
    }
    return most;
}

// x x^T and q k^T of the three tokens above, as in the handout.
static void three_tokens_compared(void)
{
    const struct story s = make_story();
    float q[T * D], k[T * D], scores[T * T];
    explore_blank(scores);
    explore_need(attention_scores(scores, s.x, s.x, T, T, C), "1.3 attention_scores");
    explore_show("x x^T / sqrt(d)", scores, T, T, "token ", "token ");
    explore_blank(q);
    explore_need(linear(q, s.x, s.w_q, NULL, T, C, D), "1.2 linear");
    explore_blank(k);
    explore_need(linear(k, s.x, s.w_k, NULL, T, C, D), "1.2 linear");
    explore_blank(scores);
    explore_need(attention_scores(scores, q, k, T, T, D), "1.3 attention_scores");
    explore_show("q k^T / sqrt(d)", scores, T, T, "query ", "key ");
}

static void symmetric_or_not(const struct explore *e)
{
    explore_title("4. Why both q and k");
    printf("x x^T compares the tokens directly, and it is symmetric: token 1 looks at\n"
           "token 2 exactly as much as 2 looks at 1. q k^T is not symmetric.\n\n");
    three_tokens_compared();

    // Five tokens for the picture.
    float x[SYM_T * SYM_D], w_q[SYM_D * SYM_D], w_k[SYM_D * SYM_D];
    float q[SYM_T * SYM_D], k[SYM_T * SYM_D], own[SYM_T * SYM_T], both[SYM_T * SYM_T];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    lab_rng_randn(&rng, x, SYM_T * SYM_D);
    lab_rng_randn(&rng, w_q, SYM_D * SYM_D);
    lab_rng_randn(&rng, w_k, SYM_D * SYM_D);
    for (size_t i = 0; i < SYM_D * SYM_D; i++) { // keeps q and k near unit size
        w_q[i] /= sqrtf((float)SYM_D);
        w_k[i] /= sqrtf((float)SYM_D);
    }

    explore_blank(own);
    explore_need(attention_scores(own, x, x, SYM_T, SYM_T, SYM_D),
                 "1.3 attention_scores");
    explore_blank(q);
    explore_need(linear(q, x, w_q, NULL, SYM_T, SYM_D, SYM_D), "1.2 linear");
    explore_blank(k);
    explore_need(linear(k, x, w_k, NULL, SYM_T, SYM_D, SYM_D), "1.2 linear");
    explore_blank(both);
    explore_need(attention_scores(both, q, k, SYM_T, SYM_T, SYM_D),
                 "1.3 attention_scores");
    printf("The picture shows the same for five tokens. There the largest difference\n"
           "between (t, s) and (s, t) is %.4f for x x^T and %.4f for q k^T.\n\n",
           (double)largest_asymmetry(own, SYM_T), (double)largest_asymmetry(both, SYM_T));

    explore_map(e, "scores_xx.tsv", own, SYM_T, SYM_T, NULL, NULL);
    explore_map(e, "scores_qk.tsv", both, SYM_T, SYM_T, NULL, NULL);
}

// ---- 5. why scale --------------------------------------------------------------------------

struct spread {
    double entropy; // nats, mean over the queries; ln(KEYS) when all weights are equal
    double largest; // the largest weight of a query, mean over the queries
};

static struct spread spread_of(const float *weights)
{
    struct spread mean = {0, 0};
    for (size_t t = 0; t < QUERIES; t++) {
        const float *row = weights + t * KEYS;
        double entropy = 0, largest = 0;
        for (size_t s = 0; s < KEYS; s++) {
            double w = (double)row[s];
            entropy -= w > 0 ? w * log(w) : 0;
            largest = w > largest ? w : largest;
        }
        mean.entropy += entropy / QUERIES;
        mean.largest += largest / QUERIES;
    }
    return mean;
}

static double variance_of(const float *a, size_t n)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++) {
        mean += (double)a[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        variance += ((double)a[i] - mean) * ((double)a[i] - mean) / (double)n;
    }
    return variance;
}

struct width_row { // one line of the table, for one d
    size_t d;
    double variance;
    struct spread plain, scaled;
};

static struct width_row measure_width(struct lab_rng *rng, size_t d)
{
    static float q[QUERIES * LARGEST_D], k[KEYS * LARGEST_D];
    static float products[QUERIES * KEYS], scores[QUERIES * KEYS],
        weights[QUERIES * KEYS];
    struct width_row row = {.d = d};

    lab_rng_randn(rng, q, QUERIES * d);
    lab_rng_randn(rng, k, KEYS * d);
    explore_blank(products);
    explore_need(matmul_nt(products, q, k, QUERIES, KEYS, d), "1.1 matmul_nt");
    row.variance = variance_of(products, QUERIES * KEYS);
    explore_blank(weights);
    explore_need(softmax_rows(weights, products, QUERIES, KEYS), "1.4 softmax_rows");
    row.plain = spread_of(weights);
    explore_blank(scores);
    explore_need(attention_scores(scores, q, k, QUERIES, KEYS, d),
                 "1.3 attention_scores");
    explore_blank(weights);
    explore_need(softmax_rows(weights, scores, QUERIES, KEYS), "1.4 softmax_rows");
    row.scaled = spread_of(weights);
    return row;
}

static void why_scale(const struct explore *e)
{
    struct width_row rows[16];
    size_t count = 0;

    explore_title("5. Why divide by sqrt(d)");
    printf(
        "q and k are unit normal numbers: %d queries and %d keys. The variance of q.k\n"
        "grows like d. Without the division, the softmax soon gives all weight to one\n"
        "key: its entropy falls from ln(%d) = %.2f (all equal) towards 0 (one key).\n\n",
        QUERIES, KEYS, KEYS, log(KEYS));
    printf("%6s  %12s   %-21s   %-21s\n", "", "", "       entropy", "    largest weight");
    printf("%6s  %12s   %10s %10s   %10s %10s\n", "d", "var of q.k", "plain", "scaled",
           "plain", "scaled");

    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    for (size_t d = 1; d <= LARGEST_D; d *= 2) {
        struct width_row r = measure_width(&rng, d);
        printf("%6zu  %12.2f   %10.3f %10.3f   %10.3f %10.3f\n", d, r.variance,
               r.plain.entropy, r.scaled.entropy, r.plain.largest, r.scaled.largest);
        rows[count++] = r;
    }
    printf("\n");

    struct lab_replacement table = explore_table(
        e, "why_scale.tsv",
        "d\tvariance\tentropy_plain\tentropy_scaled\tlargest_plain\tlargest_scaled");
    for (size_t i = 0; i < count; i++) {
        const struct width_row *r = rows + i;
        fprintf(table.file, "%zu\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", r->d, r->variance,
                r->plain.entropy, r->scaled.entropy, r->plain.largest, r->scaled.largest);
    }
    explore_table_end(e, "why_scale.tsv", &table);
}

// ---- 6. a dictionary that can be differentiated --------------------------------------------

enum { LENGTHS = 9 }; // 0.25, 0.5, 1 ... 64

static void dictionary(const struct explore *e)
{
    const float keys[ENTRIES * ENTRIES] = {1, 0, 0, 0, 0, 1, 0, 0,
                                           0, 0, 1, 0, 0, 0, 0, 1};
    const float values[ENTRIES] = {10, 20, 30, 40};
    float scores[ENTRIES], weights[LENGTHS][ENTRIES], answer[LENGTHS], length[LENGTHS];

    explore_title("6. A dictionary that can be differentiated");
    for (size_t n = 0; n < LENGTHS; n++) {
        float query[ENTRIES] = {0};
        length[n] = ldexpf(0.25F, (int)n);
        query[RIGHT] = length[n];
        explore_blank(scores);
        explore_need(attention_scores(scores, query, keys, 1, ENTRIES, ENTRIES),
                     "1.3 attention_scores");
        explore_need(softmax_rows(weights[n], scores, 1, ENTRIES), "1.4 softmax_rows");
        explore_need(weighted_values(&answer[n], weights[n], values, 1, ENTRIES, 1),
                     "1.5 weighted_values");
    }

    printf("Four keys along four axes have the values 10 20 30 40. The query points\n"
           "along key %d and grows longer. The answer goes from the mean, 25, to 30.\n\n"
           "  length     key 0    key 1    key 2    key 3    answer\n",
           RIGHT);
    for (size_t n = 0; n < LENGTHS; n++) {
        printf("%8.2f ", (double)length[n]);
        for (size_t s = 0; s < ENTRIES; s++) {
            printf("  %7.4f", (double)weights[n][s]);
        }
        printf("    %6.2f\n", (double)answer[n]);
    }
    printf("\n");

    struct lab_replacement table =
        explore_table(e, "dictionary.tsv", "length\tkey 0\tkey 1\tkey 2\tkey 3\tanswer");
    for (size_t n = 0; n < LENGTHS; n++) {
        fprintf(table.file, "%g", (double)length[n]);
        for (size_t s = 0; s < ENTRIES; s++) {
            fprintf(table.file, "\t%.6g", (double)weights[n][s]);
        }
        fprintf(table.file, "\t%.6g\n", (double)answer[n]);
    }
    explore_table_end(e, "dictionary.tsv", &table);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 1};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, small_examples());
    EXPLORE_PART(&e, three_tokens(&e));
    EXPLORE_PART(&e, averaging(&e));
    EXPLORE_PART(&e, symmetric_or_not(&e));
    EXPLORE_PART(&e, why_scale(&e));
    EXPLORE_PART(&e, dictionary(&e));
    return explore_end(&e);
}
