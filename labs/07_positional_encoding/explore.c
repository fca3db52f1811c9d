// explore.c - experiments with your lab 7: the rows of the table, their effect on one sentence,
// and the effect of a distance with each of three encodings.
//
//     make plot LAB=7          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     sines.tsv cosines.tsv              the even and the odd channels, a row for each position
//     without.tsv with.tsv               one sentence without and with positions
//     circles.tsv                        four pairs of channels at each position
//     scores.tsv                         a score at three positions: added and rotated
//     alibi0.tsv ... reach0.tsv ...      the bias of each head, and the weights it alone gives, as
//                                        shares of each row's largest
//     distance.tsv slopes.tsv            the effect of a distance on a score
//
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 an exercise is not written yet.
// Start reading at main.

#include <math.h>

#include "01_simple_attention/attention.h"
#include "07_positional_encoding/positions.h"
#include "common/explore.h"
#include "common/rng.h"

enum { T = 6, C = 32, V = 5 };       // one sentence of T tokens out of V words
enum { PLACES = 64, CHANNELS = 64 }; // the picture of the encoding
enum { HS = 32, OFFSETS = 61 };      // scores against the offset
enum { PAIRS = 4, STEPS = 13 };      // the circles
enum { HEADS = 4, SPAN = 8 };        // the bias
enum { REACH = 24 };                 // and its weights
enum { FAR = 1001, WIDE = 512 };     // distances

static const char *const sentence[T] = {"the", "cat", "sat", "on", "the", "mat"};
static const size_t ids[T] = {0, 1, 2, 3, 0, 4};

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

// ---- 1. a row for each position ------------------------------------------------------------

static void the_encoding(const struct explore *e)
{
    static float table[PLACES * CHANNELS];
    float small[6 * 8];
    explore_title("1. A row for each position");
    explore_blank(small);
    explore_need(sinusoidal_encoding(small, 6, 8), "7.1 sinusoidal_encoding");
    explore_blank(table);
    explore_need(sinusoidal_encoding(table, PLACES, CHANNELS), "7.1 sinusoidal_encoding");

    printf("Two channels are one hand of a clock: the sine and cosine of its angle. The\n"
           "first hand turns by one radian per position, each further hand more "
           "slowly.\n\n");
    explore_show("sinusoidal_encoding, T = 6, C = 8", small, 6, 8, "position ", "c");

    // Interleaved channels would look like stripes, so sines and cosines get separate pictures.
    static const char *const files[2] = {"sines.tsv", "cosines.tsv"};
    static float half[PLACES * CHANNELS / 2];
    for (size_t odd = 0; odd < 2; odd++) {
        struct lab_names all;
        const char *channels[CHANNELS / 2];
        lab_names(&all, "", CHANNELS);
        for (size_t i = 0; i < PLACES * CHANNELS / 2; i++) {
            half[i] = table[2 * i + odd];
        }
        for (size_t i = 0; i < CHANNELS / 2; i++) {
            channels[i] = all.name[2 * i + odd];
        }
        explore_map(e, files[odd], half, PLACES, CHANNELS / 2, NULL, channels);
    }
}

// ---- 2. one sentence without and with positions --------------------------------------------

struct attention { // the results of one run
    float out[T * C], weights[T * T];
};

static struct attention attend(const float *x)
{
    struct attention a;
    float scores[T * T];
    explore_blank(scores);
    explore_need(attention_without_projections(a.out, a.weights, scores, x, T, C),
                 "7.5 attention_without_projections");
    return a;
}

static void print_weights(const char *title, const float *weights)
{
    explore_wrote(
        lab_print_matrix(stdout, title, weights, T, T, sentence, sentence, 8, 3),
        "the standard output");
    printf("\n");
}

// The largest difference between the outputs of the reversed sentence and the reversed outputs
// of the sentence.
static double reversal_gap(const float *tokens, const float *table)
{
    float x[T * C], reversed[T * C];
    for (size_t t = 0; t < T; t++) {
        memcpy(reversed + t * C, tokens + (T - 1 - t) * C, C * sizeof *reversed);
    }
    explore_blank(x);
    explore_need(add_positions(x, tokens, table, 1, T, C, T), "7.2 add_positions");
    struct attention forth = attend(x);
    explore_blank(x);
    explore_need(add_positions(x, reversed, table, 1, T, C, T), "7.2 add_positions");
    struct attention back = attend(x);
    double gap = 0;
    for (size_t i = 0; i < (size_t)T * C; i++) {
        const size_t mirror = (T - 1 - i / C) * C + i % C;
        gap = explore_larger(gap, fabs((double)back.out[i] - (double)forth.out[mirror]));
    }
    return gap;
}

static void one_sentence(const struct explore *e)
{
    float embedding[V * C], tokens[T * C], x[T * C], table[T * C];
    const float nothing[T * C] = {0};
    struct lab_rng rng;
    lab_rng_seed(&rng, 42); // torch.manual_seed(42); nn.Embedding(5, 32)
    explore_blank(embedding);
    explore_need(lab_rng_embedding(&rng, embedding, V, C), "the embedding");
    for (size_t t = 0; t < T; t++) {
        memcpy(tokens + t * C, embedding + ids[t] * C, C * sizeof *tokens);
    }
    explore_title("2. One sentence without and with positions");
    explore_blank(table);
    explore_need(sinusoidal_encoding(table, T, C), "7.1 sinusoidal_encoding");
    explore_blank(x);
    explore_need(add_positions(x, tokens, table, 1, T, C, T), "7.2 add_positions");
    struct attention without = attend(tokens), with = attend(x);

    printf(
        "Every token is its own query, key and value. Without positions the two \"the\"\n"
        "have the same row. With positions each gives itself more weight than the "
        "other.\n\n");
    print_weights("weights without positions (rows: query, columns: key)",
                  without.weights);
    print_weights("weights with positions", with.weights);
    printf("Largest difference between the outputs of the reversed sentence and the\n"
           "reversed outputs of the sentence:\n\n"
           "    without positions   %.1e\n    with positions      %.1e\n\n",
           reversal_gap(tokens, nothing), reversal_gap(tokens, table));

    explore_map(e, "without.tsv", without.weights, T, T, sentence, sentence);
    explore_map(e, "with.tsv", with.weights, T, T, sentence, sentence);
}

// ---- 3. rotation ---------------------------------------------------------------------------

static void circles(const struct explore *e)
{
    float x[STEPS * 2 * PAIRS], out[STEPS * 2 * PAIRS];
    size_t positions[STEPS];
    for (size_t t = 0; t < STEPS; t++) {
        positions[t] = t;
        for (size_t c = 0; c < 2 * PAIRS; c++) {
            x[t * 2 * PAIRS + c] = c % 2 == 0; // every pair starts at (1, 0)
        }
    }
    explore_title("3. Rotation");
    explore_blank(out);
    explore_need(rope(out, x, positions, 1, 1, STEPS, 2 * PAIRS), "7.3 rope");

    printf("rope rotates each pair of channels by a different angle. The pairs of\n"
           "1 0 1 0 1 0 1 0 at the first positions:\n\n");
    explore_show("hs = 8", out, 4, 2 * PAIRS, "position ", "c");

    struct lab_replacement table = explore_table(e, "circles.tsv", "pair\tplace\tx\ty");
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t t = 0; t < STEPS; t++) {
            const float *pair = out + t * 2 * PAIRS + 2 * i;
            fprintf(table.file, "%zu\t%zu\t%.6f\t%.6f\n", i, t, (double)pair[0],
                    (double)pair[1]);
        }
    }
    explore_table_end(e, "circles.tsv", &table);
}

// The score of a query and a key: the key is at position start, the query offset positions later.
static double rotated_score(const float *q, const float *k, size_t start, size_t offset)
{
    float x[2 * HS], out[2 * HS];
    const size_t positions[2] = {start + offset, start};
    memcpy(x, q, HS * sizeof *x);
    memcpy(x + HS, k, HS * sizeof *x);
    explore_blank(out);
    explore_need(rope(out, x, positions, 1, 1, 2, HS), "7.3 rope");
    return product(out, out + HS, HS) / sqrt(HS);
}

static double added_score(const float *q, const float *k, const float *table,
                          size_t start, size_t offset)
{
    float q_there[HS], k_there[HS];
    explore_blank(q_there);
    explore_need(add_positions(q_there, q, table + (start + offset) * HS, 1, 1, HS, 1),
                 "7.2 add_positions");
    explore_blank(k_there);
    explore_need(add_positions(k_there, k, table + start * HS, 1, 1, HS, 1),
                 "7.2 add_positions");
    return product(q_there, k_there, HS) / sqrt(HS);
}

static void scores_by_offset(const struct explore *e)
{
    static const size_t starts[3] = {0, 37, 500};
    static float table[(500 + OFFSETS) * HS];
    double added[OFFSETS][3], rotated[OFFSETS][3];
    float q[HS], k[HS];
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    lab_rng_randn(&rng, q, HS);
    lab_rng_randn(&rng, k, HS);
    explore_blank(table);
    explore_need(sinusoidal_encoding(table, 500 + OFFSETS, HS),
                 "7.1 sinusoidal_encoding");
    for (size_t d = 0; d < OFFSETS; d++) {
        for (size_t i = 0; i < 3; i++) {
            added[d][i] = added_score(q, k, table, starts[i], d);
            rotated[d][i] = rotated_score(q, k, starts[i], d);
        }
    }

    printf(
        "The score of one query and one key, hs = 32, the key at position 0, 37 or "
        "500:\n\n"
        "    query after key        added: 0      37     500     rotated: 0      37     500\n");
    for (size_t d = 0; d < OFFSETS; d += 10) {
        printf("    %9zu positions  %8.4f%8.4f%8.4f       %8.4f%8.4f%8.4f\n", d,
               added[d][0], added[d][1], added[d][2], rotated[d][0], rotated[d][1],
               rotated[d][2]);
    }
    printf("\nWith rotation, only the offset matters.\n\n");

    struct lab_replacement file = explore_table(
        e, "scores.tsv",
        "offset\tadded_0\tadded_37\tadded_500\trotated_0\trotated_37\trotated_500");
    for (size_t d = 0; d < OFFSETS; d++) {
        fprintf(file.file, "%zu\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\n", d, added[d][0],
                added[d][1], added[d][2], rotated[d][0], rotated[d][1], rotated[d][2]);
    }
    explore_table_end(e, "scores.tsv", &file);
}

// The error of the cosine of a float angle, over the pairs of a head of width 64.
static void float_angles(void)
{
    printf(
        "Why angles need double: the largest error of a sine or cosine of a float angle\n"
        "(hs = 64, all pairs, ten positions starting with the one shown)\n\n"
        "    position   error\n");
    for (size_t place = 10; place <= 100000; place *= 10) {
        double worst = 0;
        for (size_t t = place; t < place + 10; t++) {
            for (size_t c = 0; c < 64; c += 2) {
                const double angle = (double)t * pow(10000.0, -(double)c / 64);
                // all in float
                const float rounded = (float)t * powf(10000.0F, -(float)c / 64);
                worst = fmax(worst, fabs(cos(angle) - cos((double)rounded)));
                worst = fmax(worst, fabs(sin(angle) - sin((double)rounded)));
            }
        }
        printf("    %8zu   %.6f\n", place, worst);
    }
    printf("\n");
}

// ---- 4. a slope for each head --------------------------------------------------------------

static void slopes(const struct explore *e)
{
    float bias[HEADS * SPAN * SPAN];
    explore_title("4. A slope for each head");
    explore_blank(bias);
    explore_need(alibi_bias(bias, HEADS, SPAN, SPAN), "7.4 alibi_bias");

    printf("The bias of the last query in each of %d heads; its own key is on the "
           "right.\n\n",
           HEADS);
    float last[HEADS * SPAN];
    for (size_t h = 0; h < HEADS; h++) {
        memcpy(last + h * SPAN, bias + (h + 1) * SPAN * SPAN - SPAN, SPAN * sizeof *last);
    }
    explore_show("bias[h][7]", last, HEADS, SPAN, "head ", "key ");

    for (size_t h = 0; h < HEADS; h++) {
        char name[32];
        float *map = bias + h * SPAN * SPAN;
        for (size_t i = 0; i < SPAN * SPAN; i++) {
            map[i] = i % SPAN > i / SPAN ? NAN : map[i]; // the causal mask hides these
        }
        snprintf(name, sizeof name, "alibi%zu.tsv", h);
        explore_map(e, name, map, SPAN, SPAN, NULL, NULL);
    }

    // All scores are equal, so only the bias decides where a head looks.
    static float long_bias[HEADS * REACH * REACH], weights[REACH * REACH];
    explore_blank(long_bias);
    explore_need(alibi_bias(long_bias, HEADS, REACH, REACH), "7.4 alibi_bias");
    printf(
        "When all scores are equal, the weights of the last of %d queries for the last\n"
        "%d keys:\n\n",
        REACH, SPAN);
    for (size_t h = 0; h < HEADS; h++) {
        char name[32];
        float *map = long_bias + h * REACH * REACH;
        for (size_t i = 0; i < (size_t)REACH * REACH; i++) {
            map[i] = i % REACH > i / REACH ? -INFINITY : map[i];
        }
        explore_need(softmax_rows(weights, map, REACH, REACH), "1.4 softmax_rows");
        memcpy(last + h * SPAN, weights + REACH * REACH - SPAN, SPAN * sizeof *last);
        // The picture shows each weight as a share of the row's largest, which is the query's own
        // key: the weights themselves also fall because later rows have more keys.
        for (size_t t = 0; t < REACH; t++) {
            const float largest = weights[t * REACH + t];
            for (size_t s = 0; s < REACH; s++) {
                float *weight = &weights[t * REACH + s];
                *weight = s > t ? NAN : *weight / largest;
            }
        }
        snprintf(name, sizeof name, "reach%zu.tsv", h);
        explore_map(e, name, weights, REACH, REACH, NULL, NULL);
    }
    static const char *const keys[SPAN] = {"key 16", "key 17", "key 18", "key 19",
                                           "key 20", "key 21", "key 22", "key 23"};
    struct lab_names heads;
    explore_wrote(lab_print_matrix(stdout, "weights[h][23]", last, HEADS, SPAN,
                                   lab_names(&heads, "head ", HEADS), keys, 8, 4),
                  "the standard output");
    printf("\n");
}

// ---- 5. the effect of a distance on a score ------------------------------------------------

// similarity[d]: the product of a query 1 0 1 0 ... at position 0 and the same key at position d,
// both rotated, divided by the product at distance 0.
static void rotated_similarity(double *similarity)
{
    enum { WIDTH = 64 };
    static float x[FAR * WIDTH], rotated[FAR * WIDTH];
    static size_t positions[FAR];
    for (size_t d = 0; d < FAR; d++) {
        positions[d] = d;
        for (size_t c = 0; c < WIDTH; c += 2) {
            x[d * WIDTH + c] = 1;
        }
    }
    explore_blank(rotated);
    explore_need(rope(rotated, x, positions, 1, 1, FAR, WIDTH), "7.3 rope");
    for (size_t d = 0; d < FAR; d++) {
        similarity[d] = product(rotated, rotated + d * WIDTH, WIDTH) / (WIDTH / 2);
    }
}

static void distances(const struct explore *e)
{
    static const size_t widths[2] = {64, WIDE};
    static float table[FAR * WIDE], bias[8 * FAR];
    static double similarity[FAR][2], rotated[FAR];
    explore_title("5. The effect of a distance on a score");
    for (size_t i = 0; i < 2; i++) {
        const size_t width = widths[i];
        explore_blank(table);
        explore_need(sinusoidal_encoding(table, FAR, width), "7.1 sinusoidal_encoding");
        for (size_t d = 0; d < FAR; d++) { // a row multiplied by itself is width / 2
            similarity[d][i] =
                product(table, table + d * width, width) / ((double)width / 2);
        }
    }
    rotated_similarity(rotated);
    explore_blank(bias);
    explore_need(alibi_bias(bias, 8, 1, FAR), "7.4 alibi_bias");

    printf(
        "similarity: row 0 times row d of the encoding, divided by row 0 times itself\n"
        "(C = %zu). rope: the same for a query and a key of 1 0 1 0 ..., rotated.\n"
        "Next to them, the bias of the first and the last of eight ALiBi heads.\n\n"
        "    distance  similarity      rope    head 0    head 7\n",
        widths[0]);
    static const size_t shown[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const size_t d = shown[i];
        printf("    %8zu   %8.3f  %8.3f  %8.2f  %8.2f\n", d, similarity[d][0], rotated[d],
               (double)bias[FAR - 1 - d], (double)bias[8 * FAR - 1 - d]);
    }
    printf("\n");

    struct lab_replacement file =
        explore_table(e, "distance.tsv", "distance\twidth_64\twidth_512\trope_64");
    for (size_t d = 0; d < FAR; d++) {
        fprintf(file.file, "%zu\t%.6f\t%.6f\t%.6f\n", d, similarity[d][0],
                similarity[d][1], rotated[d]);
    }
    explore_table_end(e, "distance.tsv", &file);

    file = explore_table(e, "slopes.tsv", "distance\tbias of heads 0 to 7");
    for (size_t d = 0; d < FAR; d++) {
        fprintf(file.file, "%zu", d);
        for (size_t h = 0; h < 8; h++) {
            fprintf(file.file, "\t%.6f", (double)bias[(h + 1) * FAR - 1 - d]);
        }
        fprintf(file.file, "\n");
    }
    explore_table_end(e, "slopes.tsv", &file);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 7};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, the_encoding(&e));
    EXPLORE_PART(&e, one_sentence(&e));
    EXPLORE_PART(&e, circles(&e));
    EXPLORE_PART(&e, scores_by_offset(&e));
    EXPLORE_PART(&e, float_angles());
    EXPLORE_PART(&e, slopes(&e));
    EXPLORE_PART(&e, distances(&e));
    return explore_end(&e);
}
