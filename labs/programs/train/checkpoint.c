// checkpoint.c - saves and loads a run as a safetensors file.
//
//   token_table ... b_out        the parameters, as common/model.c names them
//   adam_m.NAME, adam_v.NAME     Adam's moments of each
//   generator.word (624)         the random generator, I64
//   generator.normal ()          F64
//   __metadata__                 everything else as text: sizes, task, step, ...; and checksums
//
// A trained model (--model) has only the parameters, as bfloat16, and the metadata.
// docs/formats.md, "Checkpoints", lists all of it.
//
// Floats are stored bit for bit, and floats in the metadata with enough digits to restore
// the same bits. So a resumed run continues exactly where it was saved.

#include "programs/train/train.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tensor_file.h"
#include "programs/train/stored.h"

static const char kind[] = "checkpoint of the attention workbook, 1";
static const char kind_of_model[] = "task model of the attention workbook, 1";

enum { NAME_SIZE = 64 };

// ---- the metadata -------------------------------------------------------------------------

static const char *note(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = lab_tensor_note(file, key);
    if (text == NULL) {
        train_fail(TRAIN_FAILED,
                   "%s: not a checkpoint of build/train: its __metadata__ has no \"%s\"",
                   path, key);
    }
    return text;
}

static size_t note_size(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = note(file, path, key);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > SIZE_MAX) {
        train_fail(TRAIN_FAILED, "%s: damaged: \"%s\" is '%.40s' and should be a number",
                   path, key, text);
    }
    return (size_t)value;
}

static double note_real(const struct lab_tensor_file *file, const char *path,
                        const char *key)
{
    const char *text = note(file, path, key);
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(value)) {
        train_fail(TRAIN_FAILED, "%s: damaged: \"%s\" is '%.40s' and should be a number",
                   path, key, text);
    }
    return value;
}

static void open_kind(struct lab_tensor_file *file, const char *path,
                      const char *expected)
{
    if (lab_tensor_file_open(file, path) != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
    if (strcmp(note(file, path, "kind"), expected) != 0) {
        train_fail(TRAIN_FAILED, "%s: is '%.60s' and should be '%s'", path,
                   note(file, path, "kind"), expected);
    }
}

static void read_settings(struct settings *settings, const char *path,
                          const char *expected)
{
    struct lab_tensor_file file;
    open_kind(&file, path, expected);
    struct model_shape *s = &settings->shape;
    s->B = note_size(&file, path, "B");
    s->T = note_size(&file, path, "T");
    s->T_max = note_size(&file, path, "T_max");
    s->V = note_size(&file, path, "V");
    s->C = note_size(&file, path, "C");
    s->NH = note_size(&file, path, "NH");
    s->H = note_size(&file, path, "H");
    s->L = note_size(&file, path, "L");
    s->causal = note_size(&file, path, "causal") != 0;
    s->dropout = (float)note_real(&file, path, "dropout");
    settings->training.adam.lr = note_real(&file, path, "lr");
    settings->training.max_norm = (float)note_real(&file, path, "clip");
    settings->rows = note_size(&file, path, "rows");
    settings->seed = note_size(&file, path, "seed");
    if (!positions_by_name(&s->positions, note(&file, path, "positions")) ||
        !task_by_name(&settings->task, note(&file, path, "task"))) {
        train_fail(TRAIN_FAILED, "%s: damaged: unknown positions or task", path);
    }
    lab_tensor_file_close(&file);
    char where[512];
    snprintf(where, sizeof where, "%.500s: ", path);
    settings_check(settings, TRAIN_FAILED, where);
}

void checkpoint_settings(struct settings *settings, const char *path)
{
    read_settings(settings, path, kind);
}

void task_model_settings(struct settings *settings, const char *path)
{
    read_settings(settings, path, kind_of_model);
}

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

static bool add_settings(struct lab_tensor_file *file, const char *as,
                         const struct settings *settings)
{
    const struct model_shape *s = &settings->shape;
    return lab_tensor_file_add_note(file, "kind", as) == LAB_OK &&
           lab_tensor_file_add_note(file, "task", task_name(settings->task)) == LAB_OK &&
           lab_tensor_file_add_note(file, "positions", positions_name(s->positions)) ==
               LAB_OK &&
           add_size(file, "B", s->B) && add_size(file, "T", s->T) &&
           add_size(file, "T_max", s->T_max) && add_size(file, "V", s->V) &&
           add_size(file, "C", s->C) && add_size(file, "NH", s->NH) &&
           add_size(file, "H", s->H) && add_size(file, "L", s->L) &&
           add_size(file, "causal", s->causal) && add_real(file, "dropout", s->dropout) &&
           add_real(file, "lr", settings->training.adam.lr) &&
           add_real(file, "clip", settings->training.max_norm) &&
           add_size(file, "rows", settings->rows) &&
           add_size(file, "seed", settings->seed);
}

// ---- the numbers --------------------------------------------------------------------------

// Parameters, m and v have the same layout, so one row describes all three.
static const char *const prefixes[] = {"", "adam_m.", "adam_v."};

static void copy_row(struct lab_tensor_file *file, const char *prefix,
                     const struct lab_row *row, const struct model_shape *shape,
                     float *to)
{
    char name[NAME_SIZE];
    size_t size[LAB_AXES];
    const size_t axes = model_row_shape(size, row, shape);
    snprintf(name, sizeof name, "%s%s", prefix, row->name);
    if (!stored_read(to, file, name, axes, size)) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
}

// Reads the parameters, and with moments also those, which have the same layout.
static void copy_rows(struct model *model, struct lab_tensor_file *file, bool moments)
{
    float *const pieces[] = {model->param, model->m, model->v};
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        if (model_row_count(row, &model->shape) == 0) {
            continue;
        }
        const size_t start =
            (size_t)(*lab_row_pointer(&model->params, row) - model->param);
        for (size_t i = 0; i < (moments ? 3 : 1); i++) {
            copy_row(file, prefixes[i], row, &model->shape, pieces[i] + start);
        }
    }
}

static void load_generator(struct lab_rng *rng, struct lab_tensor_file *file,
                           const char *path)
{
    const int64_t *word =
        lab_tensor_i64(file, "generator.word", 1, (size_t[]){LAB_RNG_WORDS});
    const struct lab_tensor *normal = lab_tensor_find(file, "generator.normal");
    if (word == NULL) {
        train_fail(TRAIN_FAILED, "%s", file->error);
    }
    bool good = normal != NULL && normal->dtype == LAB_F64 && normal->count == 1;
    for (size_t i = 0; i < LAB_RNG_WORDS; i++) {
        good = good && 0 <= word[i] && word[i] <= UINT32_MAX;
        rng->word[i] = (uint32_t)word[i];
    }
    rng->next = note_size(file, path, "generator.next");
    rng->has_normal = note_size(file, path, "generator.has_normal") != 0;
    if (!good || rng->next > LAB_RNG_WORDS) {
        train_fail(TRAIN_FAILED, "%s: damaged: invalid state of the random generator",
                   path);
    }
    memcpy(&rng->normal, normal->data, sizeof rng->normal);
}

void checkpoint_load(struct model *model, const char *path)
{
    struct lab_tensor_file file;
    open_kind(&file, path, kind);
    copy_rows(model, &file, true);
    model->step = note_size(&file, path, "step");
    load_generator(&model->rng, &file, path);
    lab_tensor_file_close(&file);
}

void task_model_load(struct model *model, const char *path)
{
    struct lab_tensor_file file;
    open_kind(&file, path, kind_of_model);
    copy_rows(model, &file, false);
    model->step = note_size(&file, path, "step");
    lab_tensor_file_close(&file);
}

// One tensor for each parameter. numbers has the layout of model->param.
static bool add_rows(struct lab_tensor_file *file, const char *prefix,
                     const struct model *model, enum lab_dtype type, const void *numbers)
{
    struct model_params params = model->params;
    bool good = true;
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        char name[NAME_SIZE];
        size_t size[LAB_AXES];
        if (model_row_count(row, &model->shape) == 0) {
            continue;
        }
        const size_t axes = model_row_shape(size, row, &model->shape);
        const size_t at = (size_t)(*lab_row_pointer(&params, row) - model->param);
        snprintf(name, sizeof name, "%s%s", prefix, row->name);
        good =
            good && lab_tensor_file_add(file, name, type,
                                        (const char *)numbers + at * lab_dtype_size(type),
                                        axes, size) == LAB_OK;
    }
    return good;
}

static bool add_numbers(struct lab_tensor_file *file, const struct model *model,
                        const int64_t *word)
{
    const float *const pieces[] = {model->param, model->m, model->v};
    bool good = true;
    for (size_t i = 0; i < 3; i++) {
        good = good && add_rows(file, prefixes[i], model, LAB_F32, pieces[i]);
    }
    return good &&
           lab_tensor_file_add(file, "generator.word", LAB_I64, word, 1,
                               (size_t[]){LAB_RNG_WORDS}) == LAB_OK &&
           lab_tensor_file_add(file, "generator.normal", LAB_F64, &model->rng.normal, 0,
                               NULL) == LAB_OK &&
           add_size(file, "generator.next", model->rng.next) &&
           add_size(file, "generator.has_normal", model->rng.has_normal);
}

bool checkpoint_save(char *error, const char *path, const struct model *model,
                     const struct settings *settings)
{
    struct lab_tensor_file file = {0};
    int64_t word[LAB_RNG_WORDS];
    for (size_t i = 0; i < LAB_RNG_WORDS; i++) {
        word[i] = model->rng.word[i];
    }
    const bool good = add_settings(&file, kind, settings) &&
                      add_numbers(&file, model, word) &&
                      add_size(&file, "step", model->step);
    return stored_write(error, path, &file, good);
}

bool task_model_save(char *error, const char *path, const struct model *model,
                     const struct settings *settings)
{
    struct lab_tensor_file file = {0};
    uint16_t *halves = stored_halves(model->param, model->P);
    const bool good = halves != NULL && add_settings(&file, kind_of_model, settings) &&
                      add_rows(&file, "", model, LAB_BF16, halves) &&
                      add_size(&file, "step", model->step);
    const bool written = stored_write(error, path, &file, good);
    free(halves);
    return written;
}
