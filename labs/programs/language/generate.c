// generate.c - continues a text with a trained language model (make generate LAB=8, or LAB=9).
//
//     build/generate --prompt "Once" --temperature 0.8 --top-p 0.9 --seed 1
//     build/generate --lab 9 --int8
//
// A character is printed as soon as it is known, on a terminal a word (wrapped.c). It comes from a call of 8.11 generate, or in lab 9's
// program from its cache (labs/programs/cached). Both write the same text. Start reading at main.

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
#include "common/parallel.h"
#include "common/plural.h"
#include "common/timer.h"
#include "programs/language/wrapped.h"
#include "programs/language/writer.h"

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

#define AT(member) offsetof(struct writer_options, member)
static const struct option_row rows[] = {
    {"--model", "FILE",
     "a model or a checkpoint of lab 8 (datasets/story_model.safetensors)", OPTION_TEXT,
     AT(model)},
    {"--prompt", "TEXT",
     "how the text begins; \\n is a newline (default: a newline, if the model's alphabet "
     "has one)",
     OPTION_TEXT, AT(prompt)},
    {"--length", "N", "characters to write (400; with a cache, as many as fit)",
     OPTION_SIZE, AT(count), 1, 10000000},
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
    {"--int8", NULL, "store the matrices as int8 (lab 9)", OPTION_YES, AT(int8)},
    {"--no-cache", NULL, "read the whole text again for each character (lab 9)",
     OPTION_YES, AT(no_cache)},
    {"--threads", "N", "threads for each character (1; lab 9)", OPTION_SIZE, AT(threads),
     1, LAB_THREADS_MOST},
    {"--quiet", NULL, "print only the text, without its time", OPTION_YES, AT(quiet)},
    {NULL},
};

static const struct option_table table = {
    .program = "generate",
    .more = "see build/generate --help",
    .before = "usage: generate [options]\n"
              "Lets lab 8's language model continue a text. With --lab 9 (make generate\n"
              "LAB=9), lab 9's cache makes it faster, and the text is the same.\n\n",
    .rows = rows,
    .column = 20,
    .after =
        "\n"
        "With the cache, the prompt must fit into the context. If the text becomes\n"
        "longer, each further character reads the end of it again, as without a cache:\n"
        "a token's keys and values depend on the tokens before it, so dropping the first\n"
        "changes all others.\n"
        "\n"
        "exit status: 0 done, 1 a file or an exercise is wrong, 2 the command line is\n"
        "             wrong, 130 stopped by Ctrl-C\n",
};

static void check(const struct writer_options *o)
{
    if (!(o->temperature >= 0) || !isfinite(o->temperature)) {
        option_refuse(&table, "--temperature must be 0 or more");
    }
    if (!(o->top_p > 0 && o->top_p <= 1)) {
        option_refuse(&table, "--top-p must be above 0 and at most 1");
    }
    if (o->prompt != NULL && *o->prompt == '\0') {
        option_refuse(&table,
                      "--prompt is empty; the model needs at least one character");
    }
    if (cached_writer == NULL && (o->int8 || o->no_cache || o->threads > 0)) {
        option_refuse(&table, "--int8, --no-cache and --threads are for --lab 9");
    }
    if (o->int8 && o->no_cache) {
        option_refuse(&table, "--int8 needs the cache; leave --no-cache out");
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

// 8.11 reads the whole text again for each token.
static void next_without_cache(struct story_text *text)
{
    const struct language *m = text->model;
    const lab_status status = generate(
        text->tokens, &m->activations, &m->params, text->probabilities, text->order,
        &text->uniforms[text->N - text->prompt], &text->sampling, text->N, 1, &m->shape);
    if (status != LAB_OK) {
        puts(""); // the prompt stands there
        train_fail(TRAIN_FAILED, "8.11 generate: %s; see make check LAB=8",
                   lab_status_message(status));
    }
    text->N++;
}

static struct story_text begin_text(const struct writer_options *o,
                                    const struct language *model,
                                    const struct corpus *prompt)
{
    const size_t V = model->shape.V;
    struct story_text text = {
        .options = o,
        .model = model,
        .sampling = {o->temperature, o->top_k, o->top_p},
        .tokens = allocate(prompt->N + o->count, sizeof *text.tokens),
        .N = prompt->N,
        .uniforms = allocate(o->count, sizeof *text.uniforms),
        .probabilities = allocate(V, sizeof *text.probabilities),
        .order = allocate(V, sizeof *text.order),
        .prompt = prompt->N,
    };
    struct lab_rng rng;
    memcpy(text.tokens, prompt->stream, prompt->N * sizeof *text.tokens);
    lab_rng_seed(&rng, o->seed);
    lab_rng_rand(&rng, text.uniforms, o->count);
    return text;
}

static void free_text(struct story_text *text)
{
    free(text->tokens);
    free(text->uniforms);
    free(text->probabilities);
    free(text->order);
}

// Writes o->count characters after the prompt, and returns the number written. without: 8.11's way.
static size_t write_story(struct wrapped *wrapped, struct story_text *text,
                          const struct alphabet *alphabet, bool without)
{
    const size_t end = text->N + text->options->count;
    while (text->N < end && !run_interrupted) {
        (without ? next_without_cache : cached_writer->next)(text);
        wrapped_write(wrapped, &alphabet->bytes[text->tokens[text->N - 1]], 1);
    }
    return text->N - text->prompt;
}

enum { USUAL_LENGTH = 400 };

// How many characters to write if nobody says so: what the cache has room for, but not more than
// USUAL_LENGTH.
static size_t usual_length(const struct language_shape *shape, size_t prompt,
                           bool without)
{
    return !without && prompt < shape->T && shape->T - prompt < USUAL_LENGTH
               ? shape->T - prompt
               : USUAL_LENGTH;
}

// Without the cache, a text may be longer than the context: the model then reads its end.
static void warn_of_long_prompt(size_t prompt, size_t context)
{
    if (prompt > context) {
        fprintf(stderr,
                "generate: the prompt has %zu characters; the model reads the last %zu\n",
                prompt, context);
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    struct writer_options o = {.model = "datasets/story_model.safetensors",
                               .temperature = 0.8f,
                               .top_p = 1,
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
    char *text = o.prompt != NULL ? unescape(o.prompt) : NULL;
    struct corpus prompt = corpus_prompt(text, &alphabet);
    run_catch_interrupts();
    const bool without = cached_writer == NULL || o.no_cache;
    if (without && !o.quiet) {
        warn_of_long_prompt(prompt.N, settings.shape.T);
    }
    const double start = lab_seconds();
    const bool usual = o.count == 0;
    if (usual) {
        o.count = usual_length(&settings.shape, prompt.N, without);
    }
    struct story_text story = begin_text(&o, &model, &prompt);
    if (!without) {
        cached_writer->start(&story);
    }
    struct wrapped wrapped = {.columns = wrapped_columns()};
    for (size_t i = 0; i < prompt.N; i++) {
        wrapped_write(&wrapped, &alphabet.bytes[prompt.stream[i]], 1);
    }
    const size_t done = write_story(&wrapped, &story, &alphabet, without);
    const double took = lab_seconds() - start;
    wrapped_write(&wrapped, (const uint8_t *)"\n", 1);
    if (!without) {
        cached_writer->end(&story);
    }
    if (!o.quiet) {
        const bool full = usual && o.count < USUAL_LENGTH && done == o.count;
        fprintf(stderr, "%zu character%s in %.2f s: %.0f a second%s\n", done,
                plural((double)done), took, (double)done / took,
                full ? "; the cache is full (ARGS='--length 1000' writes more)" : "");
    }
    free_text(&story);
    free(prompt.stream);
    free(text);
    language_free(&model);
    return run_interrupted ? TRAIN_INTERRUPTED : 0;
}
