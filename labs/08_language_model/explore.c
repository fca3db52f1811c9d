// explore.c - experiments with your lab 8: the output of its layers, and the workbook's story
// model running on your functions.
//
//     make plot LAB=8          builds, runs and draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     gate.tsv                        a, then SwiGLU, GELU and ReLU of it, and the slope of SwiGLU
//     choices0.tsv ... choices3.tsv   probabilities of the next character, with four settings
//     bracket.tsv quote.tsv           maps of the heads that know what is open
//     heads.tsv                       these heads, and the one that finds a name, with one query
//     strips.tsv                      the weights of these queries, on every character
//     surprise.tsv                    the cost of every character, in bits
//
// The model is datasets/story_model.safetensors, or the file that STORY_MODEL names.
// Exit status: 0 done, 1 an exercise failed, or there is no model, 2 wrong arguments, 3 an exercise is
// not written yet. Start reading at main.

#include <math.h>
#include <stdlib.h>

#include "05_transformer_block/block.h"
#include "common/explore.h"
#include "programs/language/story.h"

// A story that the model has not seen, as the grammar of datasets/stories could write it.
static const char story[] =
    "Once there was a girl named Wilma. She had a red kite (a gift from her "
    "uncle). One cold morning it was gone. \"Where is my kite?\" asked Wilma.";
enum { T = sizeof story - 1, SHOWN = 12 };

// The story's model on your functions. tokens is the story.
struct reader {
    struct language model;
    struct alphabet alphabet;
    size_t tokens[T];
};

// The index of the n-th occurrence of part in the story, which must contain it.
static size_t place_of(const char *part, int n)
{
    const char *at = strstr(story, part);
    while (n-- > 1) {
        at = strstr(at + 1, part);
    }
    return (size_t)(at - story);
}

// ---- 1. from characters to tokens -----------------------------------------------------------

static void characters(void)
{
    static const char text[] = "the cat sat";
    enum { N = sizeof text - 1 };
    const uint8_t *read = (const uint8_t *)text;
    uint8_t bytes[256];
    size_t V, tokens[N], x[2 * 4], y[2 * 4];
    const size_t offsets[2] = {0, 6}; // 6 is the last one: 11 - 4 - 1
    explore_title("1. From characters to tokens");
    explore_need(vocabulary(bytes, &V, read, N), "8.1 vocabulary");
    explore_need(encode(tokens, read, bytes, N, V), "8.1 encode");
    explore_need(shifted_batch(x, y, tokens, offsets, N, 2, 4), "8.2 shifted_batch");

    printf("    text        ");
    for (size_t n = 0; n < N; n++) {
        printf("  %c", text[n]);
    }
    printf("\n    vocabulary  ");
    for (size_t i = 0; i < V; i++) {
        printf("  %c", bytes[i]);
    }
    printf("    V = %zu\n    tokens      ", V);
    for (size_t n = 0; n < N; n++) {
        printf("%3zu", tokens[n]);
    }
    printf("\n\n");
    for (size_t b = 0; b < 2; b++) {
        printf("    offset %zu     x ", offsets[b]);
        for (size_t t = 0; t < 4; t++) {
            printf(" %zu", x[b * 4 + t]);
        }
        printf("     y ");
        for (size_t t = 0; t < 4; t++) {
            printf(" %zu", y[b * 4 + t]);
        }
        printf("\n");
    }
    printf("\n");
}

// ---- 2. the layers --------------------------------------------------------------------------

static void norms(void)
{
    const float x[] = {1, 2, 3, 6}, one[] = {1, 1, 1, 1}, none[4] = {0};
    const float dy[] = {1, 0, 1, -1}, gain[] = {1, 1, 2, 1};
    float rms[4], layer[4], dx[4], dgain[4] = {0}, rrms, mean, rstd;
    explore_title("2. The layers");
    explore_blank(rms);
    explore_need(rmsnorm(rms, &rrms, x, one, 1, 4), "8.3 rmsnorm");
    explore_blank(layer);
    explore_need(layernorm(layer, &mean, &rstd, x, one, none, 1, 4), "5.1 layernorm");
    explore_blank(dx);
    explore_need(rmsnorm_backward(dx, dgain, dy, x, &rrms, gain, 1, 4),
                 "8.3 rmsnorm_backward");

    printf("The row 1 2 3 6, with a gain of 1: rrms is %.6f\n\n"
           "    rmsnorm    %10.6f %10.6f %10.6f %10.6f\n"
           "    layernorm  %10.6f %10.6f %10.6f %10.6f\n\n"
           "Back, with dy = 1 0 1 -1 and gain = 1 1 2 1:\n\n"
           "    dx         %10.6f %10.6f %10.6f %10.6f\n"
           "    dgain      %10.6f %10.6f %10.6f %10.6f\n\n",
           (double)rrms, (double)rms[0], (double)rms[1], (double)rms[2], (double)rms[3],
           (double)layer[0], (double)layer[1], (double)layer[2], (double)layer[3],
           (double)dx[0], (double)dx[1], (double)dx[2], (double)dx[3], (double)dgain[0],
           (double)dgain[1], (double)dgain[2], (double)dgain[3]);
}

static void gate(const struct explore *e)
{
    enum { N = 241 };
    float a[N], one[N], y[N], other[N], slope[N], unused[N];
    for (size_t n = 0; n < N; n++) {
        a[n] = ((float)n - 120) / 20; // -6 to 6
        one[n] = 1;
    }
    explore_blank(y);
    explore_need(swiglu(y, a, one, N), "8.4 swiglu");
    explore_blank(slope);
    explore_blank(unused);
    explore_need(swiglu_backward(slope, unused, one, a, one, N), "8.4 swiglu_backward");
    explore_blank(other);
    explore_need(gelu(other, a, N), "5.2 gelu");

    printf("SwiGLU of a and b = 1, its slope (da for dy = 1), and lab 5's GELU:\n\n"
           "         a     swiglu      slope       gelu\n");
    for (size_t n = 20; n < N; n += 20) {
        printf("    %6.1f %10.6f %10.6f %10.6f\n", (double)a[n], (double)y[n],
               (double)slope[n], (double)other[n]);
    }
    printf("\n");

    struct lab_replacement table =
        explore_table(e, "gate.tsv", "a\tswiglu\tgelu\trelu\tslope");
    for (size_t n = 0; n < N; n++) {
        fprintf(table.file, "%.2f\t%.6f\t%.6f\t%.6f\t%.6f\n", (double)a[n], (double)y[n],
                (double)other[n], fmax((double)a[n], 0.0), (double)slope[n]);
    }
    explore_table_end(e, "gate.tsv", &table);
}

// ---- 3. the story model ---------------------------------------------------------------------

static struct reader open_model(void)
{
    const char *path = getenv("STORY_MODEL");
    path = path != NULL ? path : "datasets/story_model.safetensors";
    struct reader reader;
    struct story_settings settings = {0};
    explore_title("3. The story model reads");
    run_program = "explore";
    saved_settings(&settings, &reader.alphabet, path);
    settings.shape.B = 1;
    settings.shape.T = settings.shape.T < T ? T : settings.shape.T;
    story_settings_check(&settings, TRAIN_FAILED, "the model: ");
    explore_need(language_new(&reader.model, &settings.shape, false), "language_new");
    saved_parameters(&reader.model, path);
    explore_need(encode(reader.tokens, (const uint8_t *)story, reader.alphabet.bytes, T,
                        reader.alphabet.V),
                 "8.1 encode");

    printf("    %s: %zu parameters, V = %zu, C = %zu, NH = %zu, H = %zu, L = %zu\n\n"
           "    %s\n\n",
           path, reader.model.P, settings.shape.V, settings.shape.C, settings.shape.NH,
           settings.shape.H, settings.shape.L, story);
    return reader;
}

// Runs the model on the first `length` characters of the story.
static struct language_shape read_story(const struct reader *reader, size_t length)
{
    struct language_shape shape = reader->model.shape;
    shape.T = length;
    explore_need(language_forward(NULL, &reader->model.activations, &reader->model.params,
                                  reader->tokens, NULL, &shape),
                 "8.7 language_forward");
    return shape;
}

// A character as a name: a space would be invisible, and gnuplot uses " for itself. The two strokes of
// U+2033 look like it, before a word and behind it.
static const char *visible(char text[8], char character)
{
    if (character == ' ') {
        return "␣";
    }
    if (character == '"') {
        return "″";
    }
    snprintf(text, 8, "%s", character == '\n' ? "¶" : (char[]){character, '\0'});
    return text;
}

// ---- 4. temperature -------------------------------------------------------------------------

static void choices(const struct explore *e, const struct reader *reader)
{
    static const struct sampling settings[4] = {
        {1.0f, 0, 1.0f}, {0.5f, 0, 1.0f}, {2.0f, 0, 1.0f}, {1.0f, 0, 0.9f}};
    static const char *const names[4] = {"temperature 1", "temperature 0.5",
                                         "temperature 2", "top-p 0.9"};
    const size_t V = reader->alphabet.V, length = place_of("cold", 1);
    explore_title("4. The next character after \"%.20s\"", story + length - 20);
    const struct language_shape shape = read_story(reader, length);
    const float *logits = reader->model.activations.logits + (length - 1) * shape.V;
    float p[4][256];
    size_t order[256], token;
    explore_blank(p);
    for (size_t i = 0; i < 256; i++) {
        order[i] = i;
    }
    for (size_t i = 0; i < 4; i++) {
        explore_need(sample_token(&token, p[i], order, logits, &settings[i], 0.5f, V),
                     "8.10 sample_token");
    }

    printf("           temperature 1     0.5       2    top-p 0.9\n");
    char text[8];
    for (size_t n = 0; n < SHOWN && n < V; n++) {
        const size_t i = order[n];
        printf("    '%c'       %8.4f %8.4f %8.4f     %8.4f\n",
               reader->alphabet.bytes[i] == '\n' ? ' ' : reader->alphabet.bytes[i],
               (double)p[0][i], (double)p[1][i], (double)p[2][i], (double)p[3][i]);
    }
    printf("\n");
    for (size_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "choices%zu.tsv", i);
        struct lab_replacement table = explore_table(e, name, names[i]);
        for (size_t n = 0; n < SHOWN && n < V; n++) {
            fprintf(table.file, "%zu\t%s\t%.6f\n", n,
                    visible(text, (char)reader->alphabet.bytes[order[n]]),
                    (double)p[i][order[n]]);
        }
        explore_table_end(e, name, &table);
    }
}

// ---- 5. heads -------------------------------------------------------------------------------

struct head {
    size_t l, h;
    double weight; // the mean weight for which it was chosen
};

// What a head should do: the mean weight that the queries first ... last - 1 give to the keys
// from ... to - 1.
struct duty {
    const char *what;
    size_t first, last, from, to;
};

static const float *weights_of(const struct reader *reader, size_t l, size_t h)
{
    return reader->model.activations.weights + (l * reader->model.shape.NH + h) * T * T;
}

static double weight_on(const float *weights, const struct duty *duty, size_t query)
{
    double sum = 0.0;
    for (size_t key = duty->from; key < duty->to; key++) {
        sum += (double)weights[query * T + key];
    }
    return sum;
}

static double mean_weight(const float *weights, const struct duty *duty)
{
    double sum = 0.0;
    for (size_t t = duty->first; t < duty->last; t++) {
        sum += weight_on(weights, duty, t);
    }
    return sum / (double)(duty->last - duty->first);
}

// Prints the mean weight of every head, and returns the best head.
static struct head find_head(const struct reader *reader, const struct duty *duty)
{
    const struct language_shape *s = &reader->model.shape;
    struct head best = {0};
    printf("%s:\n\n              ", duty->what);
    for (size_t h = 0; h < s->NH; h++) {
        printf("  head %zu", h);
    }
    for (size_t l = 0; l < s->L; l++) {
        printf("\n    block %zu   ", l);
        for (size_t h = 0; h < s->NH; h++) {
            const double weight = mean_weight(weights_of(reader, l, h), duty);
            printf(" %7.3f", weight);
            if (weight > best.weight) {
                best = (struct head){l, h, weight};
            }
        }
    }
    printf("\n\n");
    return best;
}

// The map of one head for the characters from ... to - 1, which are both queries and keys.
static void map_of_part(const struct explore *e, const struct reader *reader,
                        const char *file, struct head head, size_t from, size_t to)
{
    const float *weights = weights_of(reader, head.l, head.h);
    const size_t n = to - from;
    static float map[T * T];
    static char text[T][8];
    const char *names[T];
    for (size_t i = 0; i < n; i++) {
        names[i] = visible(text[i], story[from + i]);
        for (size_t j = 0; j < n; j++) {
            map[i * n + j] = j > i ? NAN : weights[(from + i) * T + from + j];
        }
    }
    explore_map(e, file, map, n, n, names, names);
}

// The query of a duty that gives the most weight to its keys.
static size_t best_query(const float *weights, const struct duty *duty)
{
    size_t best = duty->first;
    for (size_t t = duty->first; t < duty->last; t++) {
        if (weight_on(weights, duty, t) > weight_on(weights, duty, best)) {
            best = t;
        }
    }
    return best;
}

enum { DUTIES = 4 };

static void heads(const struct explore *e, const struct reader *reader)
{
    const size_t bracket = place_of("(", 1), closed = place_of(")", 1);
    const size_t quote = place_of("\"", 1), unquote = place_of("\"", 2);
    const size_t name = place_of("Wilma", 1), again = place_of("Wilma", 2);
    const size_t kite = place_of("kite", 1), asked = place_of("kite", 2);
    const struct duty duties[] = {
        {"Between ( and ), the mean weight on the (", bracket + 2, closed, bracket,
         bracket + 1},
        {"Between the quotation marks, the mean weight on the first one", quote + 2,
         unquote, quote, quote + 1},
        {"While the second \"Wilma\" is predicted, the mean weight on the first \"Wilma.\"",
         again - 1, again + 4, name, name + 6},
        {"While the second \"kite\" is predicted, the mean weight on the first one",
         asked - 1, asked + 3, kite, kite + 4},
    };
    struct head best[DUTIES];
    explore_title("5. What heads look at");
    (void)read_story(reader, T);
    for (size_t i = 0; i < DUTIES; i++) {
        best[i] = find_head(reader, &duties[i]);
    }
    map_of_part(e, reader, "bracket.tsv", best[0], bracket - 2, closed + 2);
    map_of_part(e, reader, "quote.tsv", best[1], quote - 1, unquote + 7);

    char text[8];
    struct lab_replacement chosen =
        explore_table(e, "heads.tsv", "block\thead\tmean\tquery");
    for (size_t i = 0; i < DUTIES; i++) {
        fprintf(chosen.file, "%zu\t%zu\t%.4f\t%zu\n", best[i].l, best[i].h,
                best[i].weight,
                best_query(weights_of(reader, best[i].l, best[i].h), &duties[i]));
    }
    explore_table_end(e, "heads.tsv", &chosen);
    struct lab_replacement table =
        explore_table(e, "strips.tsv", "strip\tplace\tcharacter\tweight");
    for (size_t i = 0; i < DUTIES; i++) {
        const float *weights = weights_of(reader, best[i].l, best[i].h);
        const size_t query = best_query(weights, &duties[i]);
        for (size_t s = 0; s < T; s++) {
            fprintf(table.file, "%zu\t%zu\t%s\t%.6f\n", i, s, visible(text, story[s]),
                    (double)weights[query * T + s]);
        }
    }
    explore_table_end(e, "strips.tsv", &table);
}

// ---- 6. surprise ----------------------------------------------------------------------------

static void surprise(const struct explore *e, const struct reader *reader)
{
    explore_title("6. What is surprising");
    const struct language_shape shape = read_story(reader, T);
    const float *logits = reader->model.activations.logits;
    float p[256];
    double cost[T] = {0}, sum = 0.0, loss, bits;
    const struct sampling plain = {1.0f, 0, 1.0f};
    for (size_t t = 0; t + 1 < T; t++) {
        size_t order[256], token;
        explore_need(
            sample_token(&token, p, order, logits + t * shape.V, &plain, 0.0f, shape.V),
            "8.10 sample_token");
        const double chance = fmax((double)p[reader->tokens[t + 1]], 1e-30);
        explore_need(bits_per_character(&cost[t + 1], -log(chance)),
                     "8.9 bits_per_character");
        sum += cost[t + 1];
    }
    explore_need(held_out_loss(&loss, &reader->model.activations, &reader->model.params,
                               reader->tokens, T, &reader->model.shape),
                 "8.9 held_out_loss");
    explore_need(bits_per_character(&bits, loss), "8.9 bits_per_character");

    printf(
        "Each character of the story costs -log2 of its probability. Here are those that\n"
        "cost 1 bit or more, each with the characters before it:\n\n");
    for (size_t t = 1; t < T; t++) {
        if (cost[t] >= 1.0) {
            const size_t from = t < 24 ? 0 : t - 24;
            printf("    %*s%.*s[%c]  %5.2f bits\n", (int)(24 - (t - from)), "",
                   (int)(t - from), story + from, story[t], cost[t]);
        }
    }
    printf(
        "\n    all of it: %.2f bits, %.4f bits a character; held_out_loss says %.4f\n\n",
        sum, sum / (T - 1), bits);

    char text[8];
    struct lab_replacement table =
        explore_table(e, "surprise.tsv", "place\tcharacter\tbits");
    for (size_t t = 0; t < T; t++) {
        fprintf(table.file, "%zu\t%s\t%.4f\n", t, visible(text, story[t]), cost[t]);
    }
    explore_table_end(e, "surprise.tsv", &table);
}

// ---- 7. it writes ---------------------------------------------------------------------------

static void write_on(const struct reader *reader)
{
    enum { PROMPT = 28, COUNT = 100 }; // "Once there was a girl named "
    static const struct sampling settings[3] = {
        {0.0f, 0, 1.0f}, {0.8f, 0, 1.0f}, {2.0f, 0, 1.0f}};
    size_t tokens[PROMPT + COUNT], order[256];
    float uniforms[COUNT], p[256];
    uint8_t text[PROMPT + COUNT];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    lab_rng_rand(&rng, uniforms, COUNT);
    explore_title("7. The model writes, at three temperatures");
    for (size_t i = 0; i < 3; i++) {
        memcpy(tokens, reader->tokens, PROMPT * sizeof *tokens);
        explore_need(generate(tokens, &reader->model.activations, &reader->model.params,
                              p, order, uniforms, &settings[i], PROMPT, COUNT,
                              &reader->model.shape),
                     "8.11 generate");
        explore_need(decode(text, tokens, reader->alphabet.bytes, PROMPT + COUNT,
                            reader->alphabet.V),
                     "8.1 decode");
        printf("temperature %.1f:\n%.*s\n\n", (double)settings[i].temperature,
               (int)(PROMPT + COUNT), (const char *)text);
    }
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 8};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, characters());
    EXPLORE_PART(&e, norms());
    EXPLORE_PART(&e, gate(&e));
    struct reader reader = open_model();
    EXPLORE_PART(&e, choices(&e, &reader));
    EXPLORE_PART(&e, heads(&e, &reader));
    EXPLORE_PART(&e, surprise(&e, &reader));
    EXPLORE_PART(&e, write_on(&reader));
    language_free(&reader.model);
    return explore_end(&e);
}
