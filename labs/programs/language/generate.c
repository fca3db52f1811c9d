// generate.c - continues a text with a trained language model (make generate LAB=8).
//
//     build/generate --prompt "Once" --temperature 0.8 --top-p 0.9 --seed 1
//
// Every character comes from 8.11 generate, one call for each, and is printed as soon as it is
// known. Start reading at main.

#define _POSIX_C_SOURCE 200809L

#include "programs/language/story.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/blas_core.h"
#include "common/option_table.h"
#include "common/timer.h"

struct options {
    const char *model, *prompt;
    float temperature, top_p;
    size_t top_k, count, seed, context;
    bool quiet;
};

static const struct option_table table;

// In a prompt \n is a newline, which is hard to type in a shell.
static char *unescape(const char *word)
{
    char *text = malloc(strlen(word) + 1), *to = text;
    if (text == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    for (const char *at = word; *at != '\0'; at++) {
        const bool newline = at[0] == '\\' && at[1] == 'n';
        *to++ = newline ? '\n' : *at;
        at += newline;
    }
    *to = '\0';
    return text;
}

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {"--model", "FILE",
     "a model or a checkpoint of lab 8 (datasets/story_model.safetensors)", OPTION_TEXT,
     AT(model)},
    {"--prompt", "TEXT", "how the text begins; \\n is a newline (\\n)", OPTION_TEXT,
     AT(prompt)},
    {"--length", "N", "characters to write (400)", OPTION_SIZE, AT(count), 1, 10000000},
    {"--temperature", "X", "below 1: safer, above 1: more varied, 0: the likeliest (0.8)",
     OPTION_FLOAT, AT(temperature)},
    {"--top-k", "N", "choose only among the N likeliest; 0: no limit (0)", OPTION_SIZE,
     AT(top_k), 0, 256},
    {"--top-p", "X", "choose only among the likeliest whose probabilities reach X (1)",
     OPTION_FLOAT, AT(top_p)},
    {"--seed", "N", "the seed of the random draws (1)", OPTION_SIZE, AT(seed), 0,
     UINT32_MAX},
    {"--context", "N", "read at most the last N characters (as trained)", OPTION_SIZE,
     AT(context), 1, 65536},
    {"--quiet", NULL, "print only the text, without its time", OPTION_YES, AT(quiet)},
    {NULL},
};

static const struct option_table table = {
    .program = "generate",
    .more = "see generate --help",
    .before = "usage: generate [options]\n"
              "Lets lab 8's language model continue a text.\n\n",
    .rows = rows,
    .column = 20,
    .after =
        "\n"
        "exit status: 0 done, 1 a file or an exercise is wrong, 2 the command line is wrong,\n"
        "             130 stopped by Ctrl-C\n",
};

static void check(const struct options *o)
{
    if (!(o->temperature >= 0) || !isfinite(o->temperature)) {
        option_refuse(&table, "--temperature must be 0 or more");
    }
    if (!(o->top_p > 0 && o->top_p <= 1)) {
        option_refuse(&table, "--top-p must be above 0 and at most 1");
    }
    if (*o->prompt == '\0') {
        option_refuse(&table,
                      "--prompt is empty; the model needs at least one character");
    }
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        train_fail(TRAIN_FAILED, "out of memory: %zu times %zu bytes", count, size);
    }
    return memory;
}

static void write_text(const uint8_t *text, size_t length)
{
    if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0) {
        train_fail(TRAIN_FAILED, "the standard output: %s", strerror(errno));
    }
}

// Writes o->count characters after the prompt, and returns the number written.
static size_t write_story(const struct options *o, const struct language *m,
                          const struct alphabet *alphabet, const struct corpus *prompt)
{
    const struct sampling sampling = {o->temperature, o->top_k, o->top_p};
    size_t *tokens = allocate(prompt->N + o->count, sizeof *tokens);
    float *uniforms = allocate(o->count, sizeof *uniforms);
    float *probabilities = allocate(alphabet->V, sizeof *probabilities);
    size_t *order = allocate(alphabet->V, sizeof *order);
    size_t done = 0;
    struct lab_rng rng;
    memcpy(tokens, prompt->stream, prompt->N * sizeof *tokens);
    lab_rng_seed(&rng, o->seed);
    lab_rng_rand(&rng, uniforms, o->count);
    for (; done < o->count && !run_interrupted; done++) {
        const lab_status status =
            generate(tokens, &m->activations, &m->params, probabilities, order,
                     &uniforms[done], &sampling, prompt->N + done, 1, &m->shape);
        if (status != LAB_OK) {
            train_fail(TRAIN_FAILED, "8.11 generate: %s; see make check LAB=8",
                       lab_status_message(status));
        }
        write_text(&alphabet->bytes[tokens[prompt->N + done]], 1);
    }
    free(tokens);
    free(uniforms);
    free(probabilities);
    free(order);
    return done;
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    struct options o = {.model = "datasets/story_model.safetensors",
                        .prompt = "\\n",
                        .temperature = 0.8f,
                        .top_p = 1,
                        .count = 400,
                        .seed = 1};
    struct story_settings settings = {0};
    struct alphabet alphabet = {0};
    struct language model;
    run_program = "generate";
    option_table_read(&table, &o, argc, argv);
    check(&o);
    openblas_set_num_threads(1);
    saved_settings(&settings, &alphabet, o.model);
    settings.shape.B = 1;
    if (o.context > 0) {
        settings.shape.T = o.context;
    }
    story_settings_check(&settings, TRAIN_FAILED, "the model: ");
    if (language_new(&model, &settings.shape, false) != LAB_OK) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    saved_parameters(&model, o.model);
    char *text = unescape(o.prompt);
    struct corpus prompt =
        corpus_encode((const uint8_t *)text, strlen(text), &alphabet, "--prompt");
    run_catch_interrupts();
    write_text((const uint8_t *)text, strlen(text));
    const double start = lab_seconds();
    const size_t done = write_story(&o, &model, &alphabet, &prompt);
    const double took = lab_seconds() - start;
    write_text((const uint8_t *)"\n", 1);
    if (!o.quiet) {
        fprintf(stderr, "%zu characters in %.2f s: %.0f a second\n", done, took,
                (double)done / took);
    }
    free(prompt.stream);
    free(text);
    language_free(&model);
    return run_interrupted ? TRAIN_INTERRUPTED : 0;
}
