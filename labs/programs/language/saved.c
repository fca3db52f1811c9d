// saved.c - a model in a safetensors file.
//
//   vocabulary (V)               U8: the bytes that the tokens stand for
//   token_table ... w_out        the parameters, as common/language.c names them: BF16 in a model,
//                                F32 in a run
//   adam_m.NAME, adam_v.NAME     only in a run: Adam's moments
//   generator.word (624)         only in a run: the random generator, I64
//   __metadata__                 sizes and settings as text; checksums
//
// docs/formats.md lists all of it. Floats in the metadata have enough digits to restore the
// same bits.

#include "programs/language/story.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tensor_file.h"
#include "programs/train/stored.h"

static const char kind_of_model[] = "language model of the attention workbook, 1";
static const char kind_of_run[] = "language training run of the attention workbook, 1";

enum { NAME_SIZE = 64 };

// ---- reading the metadata -----------------------------------------------------------------

static const char *note(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = lab_tensor_note(file, key);
    if (text == NULL) {
        train_fail(TRAIN_FAILED,
                   "%s: not a language model: its __metadata__ has no \"%s\"", path, key);
    }
    return text;
}

static size_t note_size(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = note(file, path, key);
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > SIZE_MAX) {
        train_fail(TRAIN_FAILED, "%s: damaged: \"%s\" is '%.40s', not a number", path,
                   key, text);
    }
    return (size_t)value;
}

static double note_real(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = note(file, path, key);
    char *end;
    const double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(value)) {
        train_fail(TRAIN_FAILED, "%s: damaged: \"%s\" is '%.40s', not a number", path,
                   key, text);
    }
    return value;
}

static void open_saved(struct lab_tensor_file *file, const char *path)
{
    if (lab_tensor_file_open(file, path) != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
    const char *kind = note(file, path, "kind");
    if (strcmp(kind, kind_of_model) != 0 && strcmp(kind, kind_of_run) != 0) {
        train_fail(TRAIN_FAILED, "%s: not a language model, but '%.60s'", path, kind);
    }
}

static void read_alphabet(struct alphabet *alphabet, struct lab_tensor_file *file,
                          const char *path, size_t V)
{
    const uint8_t *bytes = lab_tensor_u8(file, "vocabulary", 1, &V);
    if (bytes == NULL) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
    if (V > 256) {
        train_fail(TRAIN_FAILED, "%s: damaged: %zu different bytes", path, V);
    }
    for (size_t i = 1; i < V; i++) {
        if (bytes[i] <= bytes[i - 1]) {
            train_fail(TRAIN_FAILED, "%s: damaged: the vocabulary does not ascend", path);
        }
    }
    memcpy(alphabet->bytes, bytes, V);
    alphabet->V = V;
}

void saved_settings(struct story_settings *settings, struct alphabet *alphabet,
                    const char *path)
{
    struct lab_tensor_file file;
    open_saved(&file, path);
    struct language_shape *s = &settings->shape;
    s->B = note_size(&file, path, "B");
    s->T = note_size(&file, path, "T");
    s->V = note_size(&file, path, "V");
    s->C = note_size(&file, path, "C");
    s->NH = note_size(&file, path, "NH");
    s->H = note_size(&file, path, "H");
    s->L = note_size(&file, path, "L");
    settings->lr = note_real(&file, path, "lr");
    settings->max_norm = (float)note_real(&file, path, "clip");
    settings->weight_decay = note_real(&file, path, "weight_decay");
    settings->warmup = note_size(&file, path, "warmup");
    settings->total = note_size(&file, path, "total");
    settings->seed = note_size(&file, path, "seed");
    read_alphabet(alphabet, &file, path, s->V);
    lab_tensor_file_close(&file);
}

// ---- reading the numbers ------------------------------------------------------------------

static void copy_tensor(float *to, struct lab_tensor_file *file, const char *prefix,
                        const struct lab_row *row, const struct language_shape *shape)
{
    char name[NAME_SIZE];
    size_t size[LAB_AXES];
    const size_t axes = language_row_shape(size, row, shape);
    snprintf(name, sizeof name, "%s%s", prefix, row->name);
    if (!stored_read(to, file, name, axes, size)) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
}

static void copy_tensors(float *piece, const struct language *model,
                         struct lab_tensor_file *file, const char *prefix)
{
    struct language_params params = model->params;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        float *at = *lab_row_pointer(&params, row);
        copy_tensor(piece + (at - model->param), file, prefix, row, &model->shape);
    }
}

void saved_parameters(struct language *model, const char *path)
{
    struct lab_tensor_file file;
    open_saved(&file, path);
    copy_tensors(model->param, model, &file, "");
    lab_tensor_file_close(&file);
}

static void read_generator(struct lab_rng *rng, struct lab_tensor_file *file,
                           const char *path)
{
    const int64_t *word =
        lab_tensor_i64(file, "generator.word", 1, (size_t[]){LAB_RNG_WORDS});
    if (word == NULL) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
    *rng = (struct lab_rng){.next = note_size(file, path, "generator.next")};
    bool good = rng->next <= LAB_RNG_WORDS;
    for (size_t i = 0; i < LAB_RNG_WORDS; i++) {
        good = good && 0 <= word[i] && word[i] <= UINT32_MAX;
        rng->word[i] = (uint32_t)word[i];
    }
    if (!good) {
        train_fail(TRAIN_FAILED, "%s: damaged: no state of the random generator", path);
    }
}

void saved_run(struct language *model, const char *path)
{
    struct lab_tensor_file file;
    open_saved(&file, path);
    if (strcmp(note(&file, path, "kind"), kind_of_run) != 0) {
        train_fail(TRAIN_FAILED,
                   "%s is a finished model; --resume needs a file that --save wrote",
                   path);
    }
    copy_tensors(model->param, model, &file, "");
    copy_tensors(model->m, model, &file, "adam_m.");
    copy_tensors(model->v, model, &file, "adam_v.");
    model->step = note_size(&file, path, "step");
    read_generator(&model->rng, &file, path);
    lab_tensor_file_close(&file);
}

// ---- writing ------------------------------------------------------------------------------

static bool add_size(struct lab_tensor_file *file, const char *key, size_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    return lab_tensor_file_add_note(file, key, text) == LAB_OK;
}

static bool add_real(struct lab_tensor_file *file, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return lab_tensor_file_add_note(file, key, text) == LAB_OK;
}

static bool add_settings(struct lab_tensor_file *file, const char *kind,
                         const struct language *model,
                         const struct story_settings *settings,
                         const struct alphabet *alphabet)
{
    const struct language_shape *s = &settings->shape;
    return lab_tensor_file_add_note(file, "kind", kind) == LAB_OK &&
           add_size(file, "B", s->B) && add_size(file, "T", s->T) &&
           add_size(file, "V", s->V) && add_size(file, "C", s->C) &&
           add_size(file, "NH", s->NH) && add_size(file, "H", s->H) &&
           add_size(file, "L", s->L) && add_real(file, "lr", settings->lr) &&
           add_real(file, "clip", settings->max_norm) &&
           add_real(file, "weight_decay", settings->weight_decay) &&
           add_size(file, "warmup", settings->warmup) &&
           add_size(file, "total", settings->total) &&
           add_size(file, "seed", settings->seed) &&
           add_size(file, "step", model->step) &&
           lab_tensor_file_add(file, "vocabulary", LAB_U8, alphabet->bytes, 1,
                               &alphabet->V) == LAB_OK;
}

// Writes one tensor for each parameter. piece has the layout of model->param; its numbers have
// `width` bytes.
static bool add_tensors(struct lab_tensor_file *file, const struct language *model,
                        const char *prefix, enum lab_dtype dtype, const void *piece)
{
    struct language_params params = model->params;
    bool good = true;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        char name[NAME_SIZE];
        size_t size[LAB_AXES];
        const size_t axes = language_row_shape(size, row, &model->shape);
        const size_t at = (size_t)(*lab_row_pointer(&params, row) - model->param);
        snprintf(name, sizeof name, "%s%s", prefix, row->name);
        good =
            good && lab_tensor_file_add(file, name, dtype,
                                        (const char *)piece + at * lab_dtype_size(dtype),
                                        axes, size) == LAB_OK;
    }
    return good;
}

bool model_save(char *error, const char *path, const struct language *model,
                const struct story_settings *settings, const struct alphabet *alphabet)
{
    struct lab_tensor_file file = {0};
    uint16_t *halves = stored_halves(model->param, model->P);
    const bool good = halves != NULL &&
                      add_settings(&file, kind_of_model, model, settings, alphabet) &&
                      add_tensors(&file, model, "", LAB_BF16, halves);
    const bool written = stored_write(error, path, &file, good);
    free(halves);
    return written;
}

bool run_save(char *error, const char *path, const struct language *model,
              const struct story_settings *settings, const struct alphabet *alphabet)
{
    struct lab_tensor_file file = {0};
    int64_t word[LAB_RNG_WORDS];
    for (size_t i = 0; i < LAB_RNG_WORDS; i++) {
        word[i] = model->rng.word[i];
    }
    const bool good = add_settings(&file, kind_of_run, model, settings, alphabet) &&
                      add_tensors(&file, model, "", LAB_F32, model->param) &&
                      add_tensors(&file, model, "adam_m.", LAB_F32, model->m) &&
                      add_tensors(&file, model, "adam_v.", LAB_F32, model->v) &&
                      lab_tensor_file_add(&file, "generator.word", LAB_I64, word, 1,
                                          (size_t[]){LAB_RNG_WORDS}) == LAB_OK &&
                      add_size(&file, "generator.next", model->rng.next);
    return stored_write(error, path, &file, good);
}
