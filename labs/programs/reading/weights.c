// weights.c - tensors by name, from model.safetensors or from the files that
// model.safetensors.index.json lists.

#include "programs/reading/read_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_SIZE = 256, SHAPE_TEXT = 256 };

// ---- files --------------------------------------------------------------------------------

static void open_file(struct weights *w, const char *name)
{
    char path[PATH_SIZE];
    path_join(path, w->folder, name);
    w->files = realloc(w->files, (w->count + 1) * sizeof *w->files);
    if (w->files == NULL) {
        reader_fail(READER_FAILED, "out of memory");
    }
    struct lab_tensor_file *file = &w->files[w->count++];
    if (lab_tensor_file_open(file, path) != LAB_OK) {
        reader_fail(READER_FAILED, "%s", file->error);
    }
}

// A member of weight_map: the name of a tensor and of its file. Opens each file once.
static void open_shard(struct weights *w, const struct document *index, json_t *opened,
                       const char *tensor, const json_t *value)
{
    const char *name = json_string_value(value);
    if (name == NULL || *name == '\0' || *name == '.' || strchr(name, '/') != NULL) {
        document_fail(index, "weight_map: '%.60s' should have the name of a file",
                      tensor);
    }
    if (json_object_get(opened, name) == NULL) {
        json_object_set_new(opened, name, json_true());
        open_file(w, name);
    }
}

// True if the weights are in several files.
static bool open_shards(struct weights *w)
{
    struct document index;
    if (!document_open(&index, w->folder, "model.safetensors.index.json")) {
        document_close(&index);
        return false;
    }
    json_t *map = json_object_get(index.root, "weight_map"), *opened = json_object(),
           *value;
    const char *tensor;
    if (!json_is_object(map) || json_object_size(map) == 0) {
        document_fail(&index, "weight_map should be an object {...} of file names");
    }
    json_object_foreach(map, tensor, value)
    {
        open_shard(w, &index, opened, tensor, value);
    }
    json_decref(opened);
    document_close(&index);
    return true;
}

static bool exists(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    struct stat about;
    path_join(path, folder, name);
    return stat(path, &about) == 0 || errno != ENOENT;
}

void weights_open(struct weights *w, const char *folder, const char *prefix)
{
    *w = (struct weights){.folder = folder, .prefix = prefix};
    if (exists(folder, "model.safetensors")) {
        open_file(w, "model.safetensors");
    } else if (!open_shards(w)) {
        reader_fail(
            READER_FAILED, "%s: there is no model.safetensors in this folder%s", folder,
            exists(folder, "pytorch_model.bin")
                ? "; pytorch_model.bin is a Python pickle, which this program does not "
                  "read. Save the model again with model.save_pretrained(FOLDER)"
                : "");
    }
}

void weights_close(struct weights *w)
{
    for (size_t i = 0; i < w->count; i++) {
        lab_tensor_file_close(&w->files[i]);
    }
    for (size_t i = 0; i < w->converted_count; i++) {
        free(w->converted[i]);
    }
    free(w->files);
    free(w->converted);
    *w = (struct weights){0};
}

// ---- names --------------------------------------------------------------------------------

static const struct lab_tensor *find_exactly(const struct weights *w, const char *prefix,
                                             const char *name)
{
    char whole[NAME_SIZE + 32];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    const struct lab_tensor *found = NULL;
    for (size_t i = 0; i < w->count && found == NULL; i++) {
        found = lab_tensor_find(&w->files[i], whole);
    }
    return found;
}

// Old files call the gain and the bias of a norm gamma and beta.
static bool old_name(char old[NAME_SIZE], const char *name)
{
    static const char *const endings[][2] = {{"LayerNorm.weight", "LayerNorm.gamma"},
                                             {"LayerNorm.bias", "LayerNorm.beta"}};
    const size_t length = strlen(name);
    for (size_t i = 0; i < 2; i++) {
        const size_t end = strlen(endings[i][0]);
        if (length >= end && strcmp(name + length - end, endings[i][0]) == 0) {
            snprintf(old, NAME_SIZE, "%.*s%s", (int)(length - end), name, endings[i][1]);
            return true;
        }
    }
    return false;
}

static const struct lab_tensor *find(const struct weights *w, const char *name)
{
    char old[NAME_SIZE];
    const struct lab_tensor *found = find_exactly(w, "", name);
    if (found == NULL) {
        found = find_exactly(w, w->prefix, name);
    }
    if (found == NULL && old_name(old, name)) {
        found = find_exactly(w, "", old);
        found = found == NULL ? find_exactly(w, w->prefix, old) : found;
    }
    return found;
}

// ---- numbers ------------------------------------------------------------------------------

// "(3, 4)"
static const char *shape_text(char text[SHAPE_TEXT], size_t axes, const size_t *shape)
{
    size_t at = (size_t)snprintf(text, SHAPE_TEXT, "(");
    for (size_t i = 0; i < axes; i++) {
        at += (size_t)snprintf(text + at, SHAPE_TEXT - at, "%s%zu", i == 0 ? "" : ", ",
                               shape[i]);
    }
    snprintf(text + at, SHAPE_TEXT - at, ")");
    return text;
}

static void convert(float *y, const struct lab_tensor *tensor)
{
    if (tensor->dtype == LAB_BF16) {
        student_must_succeed(bfloat16_to_float(y, tensor->data, tensor->count),
                             "11.1 bfloat16_to_float");
    } else if (tensor->dtype == LAB_F16) {
        student_must_succeed(float16_to_float(y, tensor->data, tensor->count),
                             "11.1 float16_to_float");
    } else if (tensor->dtype == LAB_F64) {
        for (size_t i = 0; i < tensor->count; i++) {
            y[i] = (float)((const double *)tensor->data)[i];
        }
    } else {
        reader_fail(READER_FAILED,
                    "the tensor '%.100s' has the type %s, but should be "
                    "F32, F16, BF16 or F64",
                    tensor->name, lab_dtype_name(tensor->dtype));
    }
}

static const float *as_floats(struct weights *w, const struct lab_tensor *tensor)
{
    if (tensor->dtype == LAB_F32) {
        return tensor->data;
    }
    float *floats = reader_floats(tensor->dims, tensor->shape);
    w->converted = realloc(w->converted, (w->converted_count + 1) * sizeof *w->converted);
    if (w->converted == NULL) {
        reader_fail(READER_FAILED, "out of memory");
    }
    w->converted[w->converted_count++] = floats;
    convert(floats, tensor);
    return floats;
}

static const float *weights_find(struct weights *w, const char *name, size_t axes,
                                 const size_t *shape)
{
    char wanted[SHAPE_TEXT], got[SHAPE_TEXT];
    const struct lab_tensor *tensor = find(w, name);
    shape_text(wanted, axes, shape);
    if (tensor == NULL) {
        reader_fail(READER_FAILED,
                    "%s: no tensor has the name '%s' or '%s%s'; its shape would be %s",
                    w->folder, name, w->prefix, name, wanted);
    }
    if (tensor->dims != axes || memcmp(tensor->shape, shape, axes * sizeof *shape) != 0) {
        reader_fail(READER_FAILED,
                    "%s: the tensor '%.100s' has the shape %s; config.json asks for %s",
                    w->folder, tensor->name, shape_text(got, tensor->dims, tensor->shape),
                    wanted);
    }
    return as_floats(w, tensor);
}

const float *weights_vector(struct weights *w, size_t size, const char *format, ...)
{
    char name[NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return weights_find(w, name, 1, &size);
}

const float *weights_matrix(struct weights *w, size_t rows, size_t columns,
                            const char *format, ...)
{
    char name[NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return weights_find(w, name, 2, (size_t[]){rows, columns});
}
