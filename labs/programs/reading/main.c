// main.c - the command line of read_model.
//
//     build/reader/labs/read_model build/pretrained/minilm --text "The cat sat on the mat."
//
// Start reading at main.

#include "programs/reading/read_model.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/blas_core.h"
#include "common/option_table.h"

enum { TEXTS_MOST = 64 };

struct settings {
    const char *folder, *out, *second;
    struct text texts[TEXTS_MOST];
    struct bytes files[TEXTS_MOST]; // what --text-file read
    size_t count;
    bool only_tokens, quiet;
};

static const struct option_table table;

static void add_text(struct settings *s, const char *what, const void *bytes, size_t size)
{
    if (s->count == TEXTS_MOST) {
        option_refuse(&table, "at most %d texts", TEXTS_MOST);
    }
    s->texts[s->count++] = (struct text){what, bytes, size};
}

static void take_folder(void *settings, const char *word)
{
    struct settings *s = settings;
    if (s->folder != NULL) {
        option_refuse(&table, "one folder, please: '%s' is the second", word);
    }
    s->folder = word;
}

static void take_text(void *settings, const struct option_row *row, const char *word)
{
    add_text(settings, row->name, word, strlen(word));
}

static void take_file(void *settings, const struct option_row *row, const char *word)
{
    struct settings *s = settings;
    struct bytes contents;
    (void)row;
    if (!file_read(&contents, word)) {
        reader_fail(READER_FAILED, "%s: there is no such file", word);
    }
    add_text(s, word, contents.at, contents.size);
    s->files[s->count - 1] = contents;
}

#define AT(member) offsetof(struct settings, member)
static const struct option_row rows[] = {
    {"--text", "TEXT", "the text; several are one batch, padded to the longest",
     OPTION_CALL, .take = take_text},
    {"--text-file", "FILE", "the same, from a file", OPTION_CALL, .take = take_file},
    {"--text2", "TEXT", "a second segment, which BERT reads after the text", OPTION_TEXT,
     AT(second)},
    {"--out", "FILE",
     "write the attention weights and hidden states to FILE (safetensors); "
     "build/attnmap FILE draws the weights",
     OPTION_TEXT, AT(out)},
    {"--tokens", NULL, "print the tokens, and do not run the model", OPTION_YES,
     AT(only_tokens)},
    {"--quiet", NULL, "do not print the tokens", OPTION_YES, AT(quiet)},
    {NULL},
};

static const struct option_table table = {
    .program = "read_model",
    .more = "see build/read_model --help",
    .before =
        "usage: read_model FOLDER --text TEXT [options]\n"
        "Runs BERT or GPT-2 with your functions of labs 2 to 5 and 11, and prints the\n"
        "tokens: place, number, name. FOLDER holds a model as it is published:\n"
        "config.json, model.safetensors, and tokenizer.json, or else vocab.txt (BERT) or\n"
        "vocab.json and merges.txt (GPT-2).\n\n",
    .rows = rows,
    .column = 22,
    .argument = take_folder,
    .after =
        "\n"
        "exit status: 0 done, 1 a file or an exercise is wrong, 2 the command line is\n"
        "             wrong\n",
};

static void check(const struct settings *s)
{
    if (s->folder == NULL) {
        option_refuse(&table, "name the folder of a model");
    }
    if (s->count == 0) {
        option_refuse(&table, "name a text: --text \"...\"");
    }
    if (s->second != NULL && s->count > 1) {
        option_refuse(&table, "--text2 needs exactly one --text");
    }
    if (s->out != NULL && s->only_tokens) {
        option_refuse(&table, "--tokens does not run the model, so --out has nothing "
                              "to write");
    }
}

static void run(const struct settings *s, const struct config *config,
                const struct tokenizer *tokenizer, const struct encoding *encodings)
{
    const size_t padding = tokenizer->special.padding;
    struct weights weights;
    struct batch batch = batch_new(
        encodings, s->count, padding < tokenizer->vocabulary.pieces.V ? padding : 0);
    weights_open(&weights, s->folder, config->family == BERT ? "bert." : "transformer.");
    (config->family == BERT ? bert_run : gpt2_run)(&batch, config, &weights);
    weights_close(&weights);
    batch_report(&batch, config);
    if (s->out != NULL) {
        batch_save(&batch, config, &tokenizer->vocabulary, s->out);
    }
    batch_free(&batch);
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    struct settings s = {0};
    struct encoding encodings[TEXTS_MOST];
    struct tokenizer tokenizer;
    option_table_read(&table, &s, argc, argv);
    check(&s);
    openblas_set_num_threads(1);
    const struct config config = config_read(s.folder);
    if (s.second != NULL && (config.family == GPT2 || config.types < 2)) {
        option_refuse(&table, "--text2: this model has no second segment");
    }
    tokenizer_open(&tokenizer, s.folder, &config);
    const struct text second = {"--text2", (const uint8_t *)s.second,
                                s.second == NULL ? 0 : strlen(s.second)};
    for (size_t b = 0; b < s.count; b++) {
        encodings[b] =
            tokenizer_encode(&tokenizer, &s.texts[b], s.second == NULL ? NULL : &second);
        if (!s.quiet) {
            tokens_print(&encodings[b], &tokenizer.vocabulary);
        }
    }
    if (!s.only_tokens) {
        run(&s, &config, &tokenizer, encodings);
    }
    for (size_t b = 0; b < s.count; b++) {
        encoding_free(&encodings[b]);
        free(s.files[b].at);
    }
    tokenizer_close(&tokenizer);
    return 0;
}
