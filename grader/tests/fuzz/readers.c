// readers.c - which program reads which file. Start reading at readers.

#define _GNU_SOURCE

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tensor_file.h"

int read_model_main(int argc, char **argv);
int attnmap_main(int argc, char **argv);

// ---- tensor files alone -------------------------------------------------------------------

// Reads a tensor file, writes it, and reads it again.
static int tensor_file_main(int argc, char **argv)
{
    struct lab_tensor_file file, again;
    if (argc != 2 || lab_tensor_file_open(&file, argv[1]) != LAB_OK) {
        return 1;
    }
    if (lab_tensor_file_save(&file, argv[1]) != LAB_OK ||
        lab_tensor_file_open(&again, argv[1]) != LAB_OK || again.count != file.count) {
        abort(); // a file that can be read can be written
    }
    lab_tensor_file_close(&file);
    lab_tensor_file_close(&again);
    return 0;
}

// ---- the readers --------------------------------------------------------------------------

enum { FILES = 6, OPTIONS = 8 };

// The input is written to the folder as file. Beside it are others, from a folder of datasets/models.
// "@" before an option's name stands for the folder.
struct reader {
    const char *name, *file, *model, *others[FILES];
    int (*program)(int argc, char **argv);
    const char *options[OPTIONS];
};

#define TEXT "The cat's \xc3\xa9t\xc3\xa9 \xe4\xb8\xad 42 unaffordable \xf0\x9f\x98\x80!"
#define TOKENS "--text", TEXT, "--tokens"
#define RUN "--text", "a cat", "--text", "the", "--out", "@out.safetensors"

static const struct reader readers[] = {
    {"tensors", "in.safetensors", NULL, {NULL}, tensor_file_main, {"@in.safetensors"}},
    {"map", "in", NULL, {NULL}, attnmap_main, {"@in", "--out", "@out.html"}},
    {"map-numbers",
     "in",
     NULL,
     {NULL},
     attnmap_main,
     {"@in", "--layer", "mean", "--head", "mean", "--out", "@out.tsv"}},
    {"map-frames",
     "in",
     NULL,
     {NULL},
     attnmap_main,
     {"@in", "--head", "mean", "--compare", "@in", "--out", "@out.npy"}},
    {"bert-config",
     "config.json",
     "tiny-bert-float16",
     {"model.safetensors", "vocab.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", RUN}},
    {"bert-weights",
     "model.safetensors",
     "tiny-bert-float16",
     {"config.json", "vocab.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", RUN}},
    {"bert-vocabulary",
     "vocab.txt",
     "tiny-bert-float16",
     {"config.json", "tokenizer_config.json"},
     read_model_main,
     {"@", TOKENS}},
    {"bert-settings",
     "tokenizer_config.json",
     "tiny-bert-float16",
     {"config.json", "vocab.txt"},
     read_model_main,
     {"@", TOKENS}},
    {"bert-tokenizer",
     "tokenizer.json",
     "tiny-bert",
     {"config.json", "tokenizer_config.json"},
     read_model_main,
     {"@", TOKENS}},
    {"bert-text",
     "text",
     "tiny-bert-float16",
     {"config.json", "vocab.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", "--text-file", "@text", "--text2", TEXT, "--tokens"}},
    {"gpt2-config",
     "config.json",
     "tiny-gpt2-bfloat16",
     {"model.safetensors", "vocab.json", "merges.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", RUN}},
    {"gpt2-weights",
     "model.safetensors",
     "tiny-gpt2-bfloat16",
     {"config.json", "vocab.json", "merges.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", RUN}},
    {"gpt2-index",
     "model.safetensors.index.json",
     "tiny-gpt2-sharded",
     {"config.json", "tokenizer.json", "tokenizer_config.json",
      "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"},
     read_model_main,
     {"@", RUN}},
    {"gpt2-vocabulary",
     "vocab.json",
     "tiny-gpt2-bfloat16",
     {"config.json", "merges.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", TOKENS}},
    {"gpt2-merges",
     "merges.txt",
     "tiny-gpt2-bfloat16",
     {"config.json", "vocab.json", "tokenizer_config.json"},
     read_model_main,
     {"@", TOKENS}},
    {"gpt2-tokenizer",
     "tokenizer.json",
     "tiny-gpt2",
     {"config.json", "tokenizer_config.json"},
     read_model_main,
     {"@", TOKENS}},
    {"gpt2-text",
     "text",
     "tiny-gpt2-bfloat16",
     {"config.json", "vocab.json", "merges.txt", "tokenizer_config.json"},
     read_model_main,
     {"@", "--text-file", "@text", "--tokens"}},
};

const struct reader *reader_find(const char *name)
{
    const size_t count = sizeof readers / sizeof readers[0];
    for (size_t i = 0; i < count; i++) {
        if (name != NULL && strcmp(name, readers[i].name) == 0) {
            return &readers[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        puts(readers[i].name);
    }
    exit(2);
}

// ---- its folder ---------------------------------------------------------------------------

enum { PATH = 4096 };
static char folder[PATH / 4];

static void remove_folder(void)
{
    char command[PATH];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) {
        fprintf(stderr, "could not remove %s\n", folder);
    }
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fuzz.XXXXXX", parent == NULL ? "/tmp" : parent);
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(2);
    }
    atexit(remove_folder);
}

static void clear_folder(void)
{
    char command[PATH];
    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    if (system(command) != 0) {
        exit(2);
    }
}

void reader_prepare(const struct reader *reader)
{
    char from[PATH], to[PATH], here[PATH / 2];
    if (getcwd(here, sizeof here) == NULL) {
        exit(2);
    }
    if (*folder == '\0') {
        make_folder();
    }
    clear_folder();
    for (size_t i = 0; i < FILES && reader->others[i] != NULL; i++) {
        snprintf(from, sizeof from, "%s/datasets/models/%s/%s", here, reader->model,
                 reader->others[i]);
        snprintf(to, sizeof to, "%s/%s", folder, reader->others[i]);
        if (symlink(from, to) != 0) {
            perror(to);
            exit(2);
        }
    }
}

// ---- a run --------------------------------------------------------------------------------

static void write_input(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

void reader_run(const struct reader *reader, const uint8_t *bytes, size_t size)
{
    char words[OPTIONS + 1][PATH / 2], *argv[OPTIONS + 2];
    int argc = 1;
    snprintf(words[0], sizeof words[0], "%s/%s", folder, reader->file);
    write_input(words[0], bytes, size);
    argv[0] = words[0];
    for (; argc <= OPTIONS && reader->options[argc - 1] != NULL; argc++) {
        const char *option = reader->options[argc - 1];
        snprintf(words[argc], sizeof words[argc], *option == '@' ? "%s/%s" : "%.0s%s",
                 folder, *option == '@' ? option + 1 : option);
        argv[argc] = words[argc];
    }
    argv[argc] = NULL;
    const int status = run_inside(reader->program, argc, argv);
    if (status != 0 && status != 1) {
        fprintf(stderr, "%s: exit status %d\n", reader->name, status);
        abort();
    }
}
