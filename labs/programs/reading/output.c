// output.c - the tokens on the terminal, the numbers in a safetensors file, which build/attnmap
// draws.

#include "programs/reading/read_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Control characters of a name become question marks.
void tokens_print(const struct encoding *encoding, const struct vocabulary *vocabulary)
{
    size_t length;
    for (size_t t = 0; t < encoding->tokens.count; t++) {
        const char *name = vocabulary_name(vocabulary, encoding->tokens.at[t], &length);
        printf("%4zu %6zu  ", t, encoding->tokens.at[t]);
        for (size_t i = 0; i < length; i++) {
            const unsigned char c = (unsigned char)name[i];
            putchar(c < 32 || c == 127 ? '?' : c);
        }
        putchar('\n');
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        reader_fail(READER_FAILED, "the standard output: %s", strerror(errno));
    }
}

// The names of T tokens, as a JSON list. The caller frees it.
static char *names_text(const size_t *tokens, size_t T,
                        const struct vocabulary *vocabulary)
{
    json_t *list = json_array();
    size_t length;
    for (size_t t = 0; t < T; t++) {
        const char *name = vocabulary_name(vocabulary, tokens[t], &length);
        if (json_array_append_new(list, json_stringn(name, length)) != 0) {
            reader_fail(READER_FAILED, "out of memory");
        }
    }
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    if (text == NULL) {
        reader_fail(READER_FAILED, "out of memory");
    }
    return text;
}

static void add(struct lab_tensor_file *file, const char *name, enum lab_dtype dtype,
                const void *data, size_t axes, const size_t *shape)
{
    if (lab_tensor_file_add(file, name, dtype, data, axes, shape) != LAB_OK) {
        reader_fail(READER_FAILED, "out of memory");
    }
}

// The tokens of one text are "tokens", those of several "tokens.0", "tokens.1", ...
static void add_names(struct lab_tensor_file *file, const struct batch *batch,
                      const struct vocabulary *vocabulary)
{
    for (size_t b = 0; b < batch->B; b++) {
        char key[40],
            *text = names_text(batch->tokens + b * batch->T, batch->T, vocabulary);
        snprintf(key, sizeof key, batch->B == 1 ? "tokens" : "tokens.%zu", b);
        if (lab_tensor_file_add_note(file, key, text) != LAB_OK) {
            reader_fail(READER_FAILED, "out of memory");
        }
        free(text);
    }
}

void batch_save(const struct batch *batch, const struct config *c,
                const struct vocabulary *vocabulary, const char *path)
{
    const size_t B = batch->B, T = batch->T, one = B == 1;
    const size_t attentions[] = {c->L, B, c->NH, T, T}, flat[] = {c->L, c->NH, T, T};
    const size_t hidden[] = {c->L + 1, B, T, c->C}, rows[] = {c->L + 1, T, c->C};
    struct lab_tensor_file file = {0};
    int64_t *ids = reader_allocate(B * T, sizeof *ids);
    for (size_t n = 0; n < B * T; n++) {
        ids[n] = (int64_t)batch->tokens[n];
    }
    add(&file, "attentions", LAB_F32, batch->attentions, 5 - one,
        one ? flat : attentions);
    add(&file, "hidden_states", LAB_F32, batch->hidden, 4 - one, one ? rows : hidden);
    add(&file, "ids", LAB_I64, ids, 2 - one, (size_t[]){one ? T : B, T});
    add_names(&file, batch, vocabulary);
    if (lab_tensor_file_save(&file, path) != LAB_OK) {
        reader_fail(READER_FAILED, "%s", file.error);
    }
    lab_tensor_file_close(&file);
    free(ids);
}
