// story.c - build/trained/SRC/03: runs a trained language model with the attention of SRC on a text, and
// writes the weights of all heads.
//
//     make plot LAB=3 TEXT="Once there was a girl"
//     make plot LAB=3 TEXT="Once there was a girl" MASK=0      every query sees every key
//     make plot LAB=3 TEXT="Once there was a girl" SCALE=0     without the division by sqrt(hs)
//     make plot LAB=7 TEXT="Once there was a girl" ROPE=0      without positions
//
// Prints what the model predicts, as it was trained and with what is switched off. Exit status: see
// --help. Start reading at main.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"
#include "programs/language/story.h"
#include "programs/trained/steps.h"
#include "programs/trained/trained.h"

enum { LIKELY = 4 }; // characters that are listed

struct options {
    const char *model, *steps, *source, *text, *out;
    struct switches switches;
};

// What a run found.
struct result {
    float *logits, *weights;
    double bits; // per character of the text, after the first
};

// ---- the text ------------------------------------------------------------------------------

static size_t read_text(size_t **tokens, const char *text,
                        const struct alphabet *alphabet, size_t T_max)
{
    const size_t T = strlen(text);
    if (T < 2 || T > T_max) {
        train_fail(TRAIN_USAGE, "a text of 2 to %zu characters, please; this one has %zu",
                   T_max, T);
    }
    *tokens = room_for(T, sizeof **tokens);
    for (size_t t = 0; t < T; t++) {
        const uint8_t *found = memchr(alphabet->bytes, text[t], alphabet->V);
        if (found == NULL) {
            char known[257] = "";
            memcpy(known, alphabet->bytes, alphabet->V);
            known[strcspn(known, "\n")] = ' '; // a newline would break the message
            train_fail(TRAIN_USAGE,
                       "the model does not know character %zu of the text, only%s", t + 1,
                       known);
        }
        (*tokens)[t] = (size_t)(found - alphabet->bytes);
    }
    return T;
}

// ---- running -------------------------------------------------------------------------------

static double log_sum(const float *logits, size_t V)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < V; i++) {
        largest = fmax(largest, (double)logits[i]);
    }
    for (size_t i = 0; i < V; i++) {
        sum += exp((double)logits[i] - largest);
    }
    return largest + log(sum);
}

static struct result run(const struct steps *steps, const struct language *model,
                         const size_t *tokens, const struct switches *switches)
{
    const struct language_shape *s = &model->shape;
    const size_t T = s->T;
    struct result result = {room_for(T * s->V, sizeof(float)),
                            room_for(s->L * s->NH * T * T, sizeof(float)), 0};
    const char *failed;
    const lab_status status =
        story_run(result.logits, result.weights, &failed, steps, model, tokens, switches);
    if (status != LAB_OK) {
        run_failed(failed, status);
    }
    for (size_t t = 0; t + 1 < T; t++) {
        const float *row = result.logits + t * s->V;
        result.bits += (log_sum(row, s->V) - (double)row[tokens[t + 1]]) / log(2);
    }
    result.bits /= (double)(T - 1);
    return result;
}

// ---- what it says --------------------------------------------------------------------------

static void print_likely(const struct result *result, const struct alphabet *alphabet,
                         size_t T)
{
    const float *row = result->logits + (T - 1) * alphabet->V;
    const double sum = log_sum(row, alphabet->V);
    bool listed[256] = {false};
    for (size_t n = 0; n < LIKELY && n < alphabet->V; n++) {
        size_t best = alphabet->V;
        for (size_t i = 0; i < alphabet->V; i++) {
            if (!listed[i] && (best == alphabet->V || row[i] > row[best])) {
                best = i;
            }
        }
        char label[8];
        listed[best] = true;
        printf("  %s %.3f", label_of(label, alphabet->bytes[best]),
               exp((double)row[best] - sum));
    }
}

static void print_result(const char *name, const struct result *result,
                         const struct alphabet *alphabet, size_t T)
{
    printf("  %-20s %8.3f             ", name, result->bits);
    print_likely(result, alphabet, T);
    putchar('\n');
}

// "MASK=0 SCALE=0", or "as trained".
static const char *name_of(char name[32], const struct switches *switches)
{
    snprintf(name, 32, "%s%s%s", switches->mask ? "" : " MASK=0",
             switches->scale ? "" : " SCALE=0", switches->rope ? "" : " ROPE=0");
    return name[0] == ' ' ? name + 1 : "as trained";
}

// ---- the command line ----------------------------------------------------------------------

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {"--text", "TEXT", "what the model reads", OPTION_TEXT, AT(text)},
    {"--no-mask", NULL, "let every query see every key", OPTION_NO, AT(switches.mask)},
    {"--no-scale", NULL, "do not divide the scores by sqrt(hs)", OPTION_NO,
     AT(switches.scale)},
    {"--no-rope", NULL, "do not rotate queries and keys by their positions (lab 7)",
     OPTION_NO, AT(switches.rope)},
    {"--out", "FILE", "write the weights of all heads, for build/attnmap", OPTION_TEXT,
     AT(out)},
    {"--model", "FILE", "the model (datasets/story_model.safetensors)", OPTION_TEXT,
     AT(model)},
    {"--steps", "FILE", "its other steps (datasets/story_model.steps)", OPTION_TEXT,
     AT(steps)},
    {"--src", "DIR", "the folder that the output names as its source (labs)", OPTION_TEXT,
     AT(source)},
    {NULL},
};

static const struct option_table table = {
    .program = "trained",
    .more = "see trained --help",
    .before =
        "usage: trained --text TEXT [options]\n"
        "Runs a trained language model with your attention. make plot LAB=3 TEXT=\"...\"\n"
        "draws what it finds.\n\n",
    .rows = rows,
    .column = 20,
    .after =
        "\nexit status: 0 done, 1 a function is not written yet or a file is wrong,\n"
        "             2 the command line is wrong\n",
};

static void check(const struct options *o)
{
    if (o->text == NULL) {
        option_refuse(&table, "which text? --text \"Once there was a girl\"");
    }
    if (!o->switches.rope && lab_attention.turn == NULL) {
        option_refuse(&table, "ROPE=0 is for lab 7, whose function rotates the queries");
    }
}

int main(int argc, char **argv)
{
    const struct switches all = {true, true, true};
    struct options o = {.model = "datasets/story_model.safetensors",
                        .steps = "datasets/story_model.steps",
                        .source = "labs",
                        .switches = all};
    struct story_settings settings = {0};
    struct alphabet alphabet;
    struct language model;
    size_t *tokens;
    char name[32];
    run_program = "make plot"; // which runs this program
    option_table_read(&table, &o, argc, argv);
    check(&o);
    saved_settings(&settings, &alphabet, o.model);
    const size_t T = read_text(&tokens, o.text, &alphabet, settings.shape.T);
    settings.shape.B = 1;
    settings.shape.T = T;
    if (language_new(&model, &settings.shape, false) != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s: the model does not fit into memory", o.model);
    }
    saved_parameters(&model, o.model);
    struct steps *steps = steps_read(o.steps);

    const bool changed = strcmp(name_of(name, &o.switches), "as trained") != 0;
    struct result trained = run(steps, &model, tokens, &all);
    struct result asked = changed ? run(steps, &model, tokens, &o.switches) : trained;
    printf("The story model, with %s %s\n", whose(o.source), lab_attention.functions);
    printf("  %-20s %s   %s\n", "", "bits per character", "after the text");
    print_result("as trained", &trained, &alphabet, T);
    if (changed) {
        print_result(name_of(name, &o.switches), &asked, &alphabet, T);
        free(asked.logits);
    }
    if (o.out != NULL) {
        save_weights(o.out, asked.weights, o.text, settings.shape.L, settings.shape.NH,
                     T);
    }
    if (changed) {
        free(asked.weights);
    }
    free(trained.logits);
    free(trained.weights);
    free(tokens);
    steps_free(steps);
    language_free(&model);
    return finish();
}
