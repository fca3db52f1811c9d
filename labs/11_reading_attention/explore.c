// explore.c - experiments with your lab 11: numbers, words, norms and measures that you can check by
// hand, and the measures of all heads of the story model (lab 8) and of a real BERT.
//
//     make explore LAB=11      builds, runs, prints
//     make plot LAB=11         builds, runs, draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     gelu.tsv                 x, lab 5's GELU, and that of 11.5
//     measures.tsv             measure, layer, head, and the value
//     bert.tsv                 the same for a real BERT, first and entropy only
//     last.tsv rollout.tsv     maps: the last layer's mean over its heads, and the rollout
//
// The story model is datasets/story_model.safetensors, or the file that STORY_MODEL names. An exercise
// that is not written yet is named, and the program goes on. Exit status: 0 done, 1 an exercise
// failed, or the model cannot be read, 2 wrong arguments. Start reading at main.

#include "11_reading_attention/reading.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "05_transformer_block/block.h"
#include "08_language_model/language_model.h"
#include "common/explore.h"
#include "common/tensor_file.h"
#include "programs/language/story.h"

// Like explore_need, but an exercise that is not written yet is only named.
static bool written(lab_status status, const char *what)
{
    if (status == LAB_TODO) {
        printf("    %s is not written yet\n\n", what);
        return false;
    }
    explore_need(status, what);
    return true;
}

// make plot shows errors only.
static void without_picture(const char *picture)
{
    fflush(stdout);
    fprintf(stderr, "%s.png is not drawn: an exercise that it needs is not written yet\n",
            picture);
}

// ---- numbers of two bytes -------------------------------------------------------------------

// The bits of two bytes, lower byte first, in groups: sign, exponent, fraction.
static void print_bits(const uint8_t *bytes, unsigned exponent)
{
    const unsigned bits = (unsigned)bytes[1] << 8 | bytes[0];
    for (unsigned i = 0; i < 16; i++) {
        printf("%s%u", i == 1 || i == 1 + exponent ? " " : "", bits >> (15 - i) & 1);
    }
}

static void show_numbers(const char *name, unsigned exponent, const uint8_t *bytes,
                         const float *y, size_t N)
{
    for (size_t n = 0; n < N; n++) {
        printf("    %-9s %02x %02x   ", name, bytes[2 * n], bytes[2 * n + 1]);
        print_bits(bytes + 2 * n, exponent);
        printf("   %.9g\n", (double)y[n]);
    }
    printf("\n");
}

static void numbers(void)
{
    enum { N = 5 };
    static const uint8_t brain[2 * N] = {0x49, 0x40, 0x80, 0x3f, 0x49,
                                         0xc0, 0x01, 0x00, 0x80, 0x7f};
    static const uint8_t half[2 * N] = {0x48, 0x42, 0x00, 0x3c, 0x48,
                                        0xc2, 0x01, 0x00, 0x00, 0x7c};
    float y[N];
    explore_title("1. Numbers of two bytes");
    explore_blank(y);
    if (written(bfloat16_to_float(y, brain, N), "11.1 bfloat16_to_float")) {
        show_numbers("bfloat16", 8, brain, y, N);
    }
    explore_blank(y);
    if (written(float16_to_float(y, half, N), "11.1 float16_to_float")) {
        show_numbers("half", 5, half, y, N);
    }
}

// ---- words ----------------------------------------------------------------------------------

static const char *const vocabulary_of_words[] = {
    "[UNK]", "t",   "tire", "tired", "##ness", "##n",  "##e",
    "##s",   "##d", "ness", "cat",   "##cat",  "##ly",
};
enum {
    WORD_PIECES = sizeof vocabulary_of_words / sizeof *vocabulary_of_words,
    UNKNOWN = 0,
    LONGEST_WORD = 32
};

// False if 11.2 is not written.
static bool cut_word(const struct lab_pieces *pieces, const char *word)
{
    size_t ids[LONGEST_WORD], count = 0;
    if (!written(
            wordpiece(ids, &count, (const uint8_t *)word, pieces, UNKNOWN, strlen(word)),
            "11.2 wordpiece")) {
        return false;
    }
    printf("    %-11s", word);
    for (size_t i = 0; i < count; i++) {
        printf(" %s", vocabulary_of_words[ids[i]]);
    }
    printf("\n");
    return true;
}

static void pieces(void)
{
    static const char *const words[] = {"tiredness", "tires", "tiredly",
                                        "catness",   "ly",    "cattire"};
    uint8_t text[256];
    size_t ends[WORD_PIECES], size = 0;
    struct lab_pieces table;
    for (size_t v = 0; v < WORD_PIECES; v++) {
        const size_t length = strlen(vocabulary_of_words[v]);
        memcpy(text + size, vocabulary_of_words[v], length);
        size += length;
        ends[v] = size;
    }
    explore_need(lab_pieces_open(&table, text, ends, WORD_PIECES), "lab_pieces_open");
    explore_title("2. Words in pieces");
    bool done = true;
    for (size_t i = 0; done && i < sizeof words / sizeof *words; i++) {
        done = cut_word(&table, words[i]);
    }
    if (done) {
        printf("\n");
    }
    lab_pieces_close(&table);
}

// The tokens of the handout, and its pairs by their ranks.
enum { L, O, W, E, R, LO, LOW, ER, OW };
static const char *const names_of_tokens[] = {"l",  "o",   "w",  "e", "r",
                                              "lo", "low", "er", "ow"};
enum { PAIRS = 4, LETTERS = 5 };
static const size_t pair_left[PAIRS] = {L, LO, E, O};
static const size_t pair_right[PAIRS] = {O, W, R, W};
static const size_t pair_merged[PAIRS] = {LO, LOW, ER, OW};

static void pairs(void)
{
    explore_title("3. Merging pairs: l o w e r, with the first M pairs of the table");
    for (size_t M = 0; M <= PAIRS; M++) {
        size_t tokens[LETTERS] = {L, O, W, E, R}, count = 0;
        struct lab_merges merges;
        explore_need(lab_merges_open(&merges, pair_left, pair_right, pair_merged, M),
                     "lab_merges_open");
        const bool done = written(byte_pair_merge(tokens, &count, &merges, LETTERS),
                                  "11.3 byte_pair_merge");
        lab_merges_close(&merges);
        if (!done) {
            return;
        }
        printf("    M = %zu  ", M);
        for (size_t i = 0; i < count; i++) {
            printf(" %s", names_of_tokens[tokens[i]]);
        }
        printf("\n");
    }
    printf("\n");
}

// ---- norms and GELU -------------------------------------------------------------------------

static void norms(void)
{
    enum { C = 4 };
    static const float x[C] = {1, 1, 2, 2}, branch[C] = {0, 1, 1, 4};
    static const float gain[C] = {1, 1, 2, 1}, bias[C] = {0, 0, 0, 1};
    explore_title("4. x = 1 1 2 2, branch = 0 1 1 4, gain = 1 1 2 1, bias = 0 0 0 1");
    for (int power = 0; power <= 3; power++) {
        const float size = powf(10, (float)-power);
        float small_x[C], small_branch[C], sum[C], y[C], lab5[C], mean, rstd;
        for (size_t c = 0; c < C; c++) {
            small_x[c] = x[c] * size;
            small_branch[c] = branch[c] * size;
            sum[c] = small_x[c] + small_branch[c];
        }
        explore_blank(y);
        explore_blank(lab5);
        if (!written(post_norm(y, small_x, small_branch, gain, bias, 1, C),
                     "11.4 post_norm") ||
            !written(layernorm(lab5, &mean, &rstd, sum, gain, bias, 1, C),
                     "5.1 layernorm")) {
            return;
        }
        if (power == 0) {
            printf(
                "    x and branch times    post_norm                                lab 5\n");
        }
        printf("    %18g ", (double)size);
        for (size_t c = 0; c < C; c++) {
            printf(" %9.6f", (double)y[c]);
        }
        printf("    %9.6f ... %9.6f\n", (double)lab5[0], (double)lab5[C - 1]);
    }
    printf("\n");
}

static void gelus(const struct explore *e)
{
    enum { N = 241 };
    float x[N], exact[N], with_tanh[N];
    double most = 0;
    for (size_t n = 0; n < N; n++) {
        x[n] = ((float)n - 120) / 20; // -6 to 6
    }
    explore_title("5. Two GELUs");
    explore_blank(with_tanh);
    explore_blank(exact);
    if (!written(gelu_tanh(with_tanh, x, N), "11.5 gelu_tanh") ||
        !written(gelu(exact, x, N), "5.2 gelu")) {
        without_picture("gelu");
        return;
    }
    printf("         x       erf (5.2)    tanh (11.5)    difference\n");
    for (size_t n = 0; n < N; n++) {
        most = explore_larger(most, fabs((double)(with_tanh[n] - exact[n])));
        if (n % 20 == 0 && n >= 60 && n <= 180) {
            printf("    %6g %15.6f %14.6f %13.6f\n", (double)x[n], (double)exact[n],
                   (double)with_tanh[n], (double)(with_tanh[n] - exact[n]));
        }
    }
    printf("    the largest difference is %.2g\n\n", most);
    struct lab_replacement table = explore_table(e, "gelu.tsv", "x\terf\ttanh");
    for (size_t n = 0; n < N; n++) {
        fprintf(table.file, "%.2f\t%.7f\t%.7f\n", (double)x[n], (double)exact[n],
                (double)with_tanh[n]);
    }
    explore_table_end(e, "gelu.tsv", &table);
}

// ---- measures -------------------------------------------------------------------------------

enum { MEASURES = 6 };
static const char *const measure_names[MEASURES] = {
    "previous", "next", "first", "induction", "entropy", "distance",
};

// All measures of N heads: y (MEASURES, N). False if one of them is not written.
static bool measure(float *y, const float *weights, const size_t *tokens, size_t N,
                    size_t T)
{
    return written(previous_token_share(y, weights, N, T), "11.6 previous_token_share") &&
           written(next_token_share(y + N, weights, N, T), "11.6 next_token_share") &&
           written(first_token_share(y + 2 * N, weights, N, T),
                   "11.6 first_token_share") &&
           written(induction_share(y + 3 * N, weights, tokens, N, T),
                   "11.6 induction_share") &&
           written(attention_entropy(y + 4 * N, weights, N, T),
                   "11.6 attention_entropy") &&
           written(attention_distance(y + 5 * N, weights, N, T),
                   "11.6 attention_distance");
}

static void three_tokens(void)
{
    static const float head[] = {0.5f, 0.5f, 0, 0.75f, 0, 0.25f, 0.25f, 0.5f, 0.25f};
    static const size_t tokens[] = {7, 4, 7};
    float y[MEASURES];
    explore_title("6. A head of three tokens");
    explore_show("weights", head, 3, 3, "query ", "key ");
    explore_blank(y);
    if (!measure(y, head, tokens, 1, 3)) {
        return;
    }
    for (size_t i = 0; i < MEASURES; i++) {
        printf("    %-10s %9.6f\n", measure_names[i], (double)y[i]);
    }
    printf("\n");
}

static void two_layers(void)
{
    static const float weights[] = {1, 0, 0, 1, 0, 0, 0, 1, 0, //
                                    1, 0, 0, 0, 1, 0, 0, 1, 0};
    float rollout[9], z[18];
    explore_title("7. A rollout of two layers");
    explore_blank(rollout);
    if (written(attention_rollout(rollout, z, weights, 2, 1, 3),
                "11.7 attention_rollout")) {
        explore_show("rollout", rollout, 3, 3, "token ", "input ");
    }
}

// ---- the story model ------------------------------------------------------------------------

static const char story[] =
    "Once there was a girl named Wilma. She had a red kite (a gift from her "
    "uncle). One cold morning it was gone. \"Where is my kite?\" asked Wilma.";
static const char beginning[] = "Once there was a boy";
enum { STORY = sizeof story - 1, BEGINNING = sizeof beginning - 1 };

// The model on your functions, and the characters that it knows.
struct reader {
    struct language model;
    struct alphabet alphabet;
    size_t tokens[STORY];
};

static struct reader open_model(void)
{
    const char *path = getenv("STORY_MODEL");
    path = path != NULL ? path : "datasets/story_model.safetensors";
    struct reader reader;
    struct story_settings settings = {0};
    run_program = "explore";
    saved_settings(&settings, &reader.alphabet, path);
    settings.shape.B = 1;
    settings.shape.T = settings.shape.T < STORY ? STORY : settings.shape.T;
    story_settings_check(&settings, TRAIN_FAILED, "the model: ");
    explore_need(language_new(&reader.model, &settings.shape, false), "language_new");
    saved_parameters(&reader.model, path);
    return reader;
}

// The attention weights of a text: (L, NH, T, T). NULL if a function of lab 8 is not written.
static const float *read_text(struct reader *reader, const char *text, size_t T)
{
    struct language_shape shape = reader->model.shape;
    shape.T = T;
    const bool done =
        written(encode(reader->tokens, (const uint8_t *)text, reader->alphabet.bytes, T,
                       reader->alphabet.V),
                "8.1 encode") &&
        written(language_forward(NULL, &reader->model.activations, &reader->model.params,
                                 reader->tokens, NULL, &shape),
                "8.7 language_forward");
    return done ? reader->model.activations.weights : NULL;
}

// A row for each layer, a column for each head, and which head has the largest value.
static void show_measure(const char *name, const float *y, size_t layers, size_t NH)
{
    size_t largest = 0;
    for (size_t n = 1; n < layers * NH; n++) {
        largest = y[n] > y[largest] ? n : largest;
    }
    if (y[largest] == 0.0f) {
        printf("    %s: 0 in every head\n\n", name);
        return;
    }
    printf("    %s: largest in layer %zu, head %zu\n", name, largest / NH, largest % NH);
    for (size_t n = 0; n < layers * NH; n++) {
        printf("%s%9.4f%s", n % NH == 0 ? "   " : "", (double)y[n],
               n % NH == NH - 1 ? "\n" : "");
    }
    printf("\n");
}

// A line for each head.
static void write_heads(struct lab_replacement *table, const char *name, const float *y,
                        size_t layers, size_t NH)
{
    for (size_t n = 0; n < layers * NH; n++) {
        fprintf(table->file, "%s\t%zu\t%zu\t%.6f\n", name, n / NH, n % NH, (double)y[n]);
    }
}

static void all_heads(const struct explore *e, struct reader *reader)
{
    const size_t layers = reader->model.shape.L, NH = reader->model.shape.NH,
                 N = layers * NH;
    explore_title("8. The measures of all heads of the story model");
    printf("    %s\n\n", story);
    const float *weights = read_text(reader, story, STORY);
    float *y = malloc(MEASURES * N * sizeof *y);
    if (y == NULL) {
        explore_need(LAB_ENOMEM, "the measures");
    }
    explore_blank_numbers(y, MEASURES * N);
    if (weights != NULL && measure(y, weights, reader->tokens, N, STORY)) {
        struct lab_replacement table =
            explore_table(e, "measures.tsv", "measure\tlayer\thead\tvalue");
        for (size_t i = 0; i < MEASURES; i++) {
            show_measure(measure_names[i], y + i * N, layers, NH);
            write_heads(&table, measure_names[i], y + i * N, layers, NH);
        }
        explore_table_end(e, "measures.tsv", &table);
    } else {
        without_picture("measures");
    }
    free(y);
}

// The names of the characters of the beginning: a space would be invisible.
static void name_characters(char names[BEGINNING][8], const char *pointers[BEGINNING])
{
    for (size_t t = 0; t < BEGINNING; t++) {
        snprintf(names[t], sizeof names[t], "%s",
                 beginning[t] == ' ' ? "␣" : (char[]){beginning[t], '\0'});
        pointers[t] = names[t];
    }
}

// Blanks the keys that come after a query.
static void blank_future(float *map)
{
    for (size_t t = 0; t < BEGINNING; t++) {
        for (size_t s = t + 1; s < BEGINNING; s++) {
            map[t * BEGINNING + s] = NAN;
        }
    }
}

static void through_all_layers(const struct explore *e, struct reader *reader)
{
    enum { T = BEGINNING };
    const size_t layers = reader->model.shape.L, NH = reader->model.shape.NH;
    static float rollout[T * T], z[2 * T * T], last[T * T];
    char names[T][8];
    const char *pointers[T];
    explore_title("9. The rollout of the story model");
    const float *weights = read_text(reader, beginning, T);
    explore_blank(rollout);
    if (weights == NULL || !written(attention_rollout(rollout, z, weights, layers, NH, T),
                                    "11.7 attention_rollout")) {
        without_picture("rollout");
        return;
    }
    for (size_t i = 0; i < (size_t)T * T; i++) {
        last[i] = 0;
        for (size_t h = 0; h < NH; h++) {
            last[i] += weights[((layers - 1) * NH + h) * T * T + i] / (float)NH;
        }
    }
    printf("    the last character and where it comes from: the mean of the last layer,\n"
           "    and the rollout\n\n");
    name_characters(names, pointers);
    for (size_t s = 0; s < T; s++) {
        printf("    %s %8.4f %8.4f\n", names[s], (double)last[(T - 1) * T + s],
               (double)rollout[(T - 1) * T + s]);
    }
    printf("\n");
    blank_future(last);
    blank_future(rollout);
    explore_map(e, "last.tsv", last, T, T, pointers, pointers);
    explore_map(e, "rollout.tsv", rollout, T, T, pointers, pointers);
}

// ---- a real BERT ----------------------------------------------------------------------------

// Two measures of the weights that a BERT of 6 layers of 12 heads had for one sentence. You find the
// others yourself (11.8).
static void real_bert(const struct explore *e)
{
    enum { LAYERS = 6, NH = 12, T = 13, N = LAYERS * NH };
    static const char path[] = "datasets/the_cat.safetensors";
    struct lab_tensor_file file;
    float first[N], entropy[N];
    explore_title("10. A real BERT reads: The cat sat on the mat because it was tired.");
    explore_need(lab_tensor_file_open(&file, path), path);
    const float *weights =
        lab_tensor_f32(&file, "attentions", 4, (const size_t[]){LAYERS, NH, T, T});
    explore_need(weights == NULL ? LAB_EVALUE : LAB_OK, path);
    explore_blank(first);
    explore_blank(entropy);
    if (written(first_token_share(first, weights, N, T), "11.6 first_token_share") &&
        written(attention_entropy(entropy, weights, N, T), "11.6 attention_entropy")) {
        show_measure("first", first, LAYERS, NH);
        show_measure("entropy", entropy, LAYERS, NH);
        struct lab_replacement table =
            explore_table(e, "bert.tsv", "measure\tlayer\thead\tvalue");
        write_heads(&table, "first", first, LAYERS, NH);
        write_heads(&table, "entropy", entropy, LAYERS, NH);
        explore_table_end(e, "bert.tsv", &table);
    } else {
        without_picture("bert");
    }
    lab_tensor_file_close(&file);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 11};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, numbers());
    EXPLORE_PART(&e, pieces());
    EXPLORE_PART(&e, pairs());
    EXPLORE_PART(&e, norms());
    EXPLORE_PART(&e, gelus(&e));
    EXPLORE_PART(&e, three_tokens());
    EXPLORE_PART(&e, two_layers());
    struct reader reader = open_model();
    EXPLORE_PART(&e, all_heads(&e, &reader));
    EXPLORE_PART(&e, through_all_layers(&e, &reader));
    language_free(&reader.model);
    EXPLORE_PART(&e, real_bert(&e));
    return explore_end(&e);
}
