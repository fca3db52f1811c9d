// tensor_file.c - the table of tensors in memory: lookup, add, close.
//
// tensor_read.c fills it from a file and tensor_save.c writes it to a file;
// tensor_internal.h declares what they share.

#define _POSIX_C_SOURCE 200809L

#include "common/tensor_file.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tensor_internal.h"
#include "common/utf8.h"

// ---- types and sizes ----------------------------------------------------------------------

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [LAB_F32] = {"F32", 4},   [LAB_F64] = {"F64", 8}, [LAB_BF16] = {"BF16", 2},
    [LAB_F16] = {"F16", 2},   [LAB_I64] = {"I64", 8}, [LAB_I32] = {"I32", 4},
    [LAB_I16] = {"I16", 2},   [LAB_I8] = {"I8", 1},   [LAB_U64] = {"U64", 8},
    [LAB_U32] = {"U32", 4},   [LAB_U16] = {"U16", 2}, [LAB_U8] = {"U8", 1},
    [LAB_BOOL] = {"BOOL", 1},
};

enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

const char *lab_dtype_name(enum lab_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t lab_dtype_size(enum lab_dtype dtype)
{
    return dtypes[dtype].size;
}

bool lab_tensor_find_dtype(const char *name, enum lab_dtype *dtype)
{
    for (int i = 0; i < DTYPES; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype = (enum lab_dtype)i;
            return true;
        }
    }
    return false;
}

// Stores a * b in product. Returns false on overflow.
static bool multiply(size_t *product, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool lab_tensor_measure(struct lab_tensor *tensor, size_t *bytes)
{
    tensor->count = 1;
    for (size_t i = 0; i < tensor->dims; i++) {
        if (!multiply(&tensor->count, tensor->count, tensor->shape[i])) {
            return false;
        }
    }
    return multiply(bytes, tensor->count, lab_dtype_size(tensor->dtype));
}

size_t lab_tensor_bytes(const struct lab_tensor *tensor)
{
    return tensor->count * lab_dtype_size(tensor->dtype);
}

// ---- errors -------------------------------------------------------------------------------

lab_status lab_tensor_fail(struct lab_tensor_file *file, lab_status status,
                           const char *format, ...)
{
    char *end = file->error + LAB_TENSOR_ERROR;
    char *next = file->error;
    next +=
        snprintf(next, LAB_TENSOR_ERROR, "%s%s", file->path, file->path[0] ? ": " : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(next, (size_t)(end - next), format, arguments);
    va_end(arguments);
    for (char *c = file->error; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?'; // names come from the file and may contain anything
        }
    }
    return status;
}

lab_status lab_tensor_no_memory(struct lab_tensor_file *file)
{
    return lab_tensor_fail(file, LAB_ENOMEM, "out of memory");
}

void lab_tensor_set_path(struct lab_tensor_file *file, const char *path)
{
    snprintf(file->path, sizeof file->path, "%s", path);
}

const char *lab_tensor_shape_text(char text[LAB_TENSOR_SHAPE_TEXT], size_t dims,
                                  const size_t *shape)
{
    size_t used = (size_t)snprintf(text, LAB_TENSOR_SHAPE_TEXT, "(");
    for (size_t i = 0; i < dims && used < LAB_TENSOR_SHAPE_TEXT; i++) {
        used += (size_t)snprintf(text + used, LAB_TENSOR_SHAPE_TEXT - used, "%s%zu",
                                 i ? ", " : "", shape[i]);
    }
    if (used < LAB_TENSOR_SHAPE_TEXT) {
        snprintf(text + used, LAB_TENSOR_SHAPE_TEXT - used, ")");
    }
    return text;
}

// ---- finding ------------------------------------------------------------------------------

const struct lab_tensor *lab_tensor_find(const struct lab_tensor_file *file,
                                         const char *name)
{
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->tensors[i].name, name) == 0) {
            return &file->tensors[i];
        }
    }
    return NULL;
}

const char *lab_tensor_note(const struct lab_tensor_file *file, const char *key)
{
    for (size_t i = 0; i < file->note_count; i++) {
        if (strcmp(file->notes[i].key, key) == 0) {
            return file->notes[i].value;
        }
    }
    return NULL;
}

static const void *expect(struct lab_tensor_file *file, const char *name,
                          enum lab_dtype dtype, size_t dims, const size_t *shape)
{
    const struct lab_tensor *tensor = lab_tensor_find(file, name);
    if (tensor == NULL) {
        lab_tensor_fail(file, LAB_EFORMAT, "there is no tensor '%.60s'", name);
        return NULL;
    }
    bool same = tensor->dtype == dtype && tensor->dims == dims;
    for (size_t i = 0; same && i < dims; i++) {
        same = tensor->shape[i] == shape[i];
    }
    if (!same) {
        char there[LAB_TENSOR_SHAPE_TEXT];
        char wanted[LAB_TENSOR_SHAPE_TEXT];
        lab_tensor_fail(file, LAB_EFORMAT, "tensor '%.60s' is %s %s, expected %s %s",
                        name, lab_dtype_name(tensor->dtype),
                        lab_tensor_shape_text(there, tensor->dims, tensor->shape),
                        lab_dtype_name(dtype),
                        lab_tensor_shape_text(wanted, dims, shape));
        return NULL;
    }
    return tensor->data;
}

const float *lab_tensor_f32(struct lab_tensor_file *file, const char *name, size_t dims,
                            const size_t *shape)
{
    return expect(file, name, LAB_F32, dims, shape);
}

const uint16_t *lab_tensor_bf16(struct lab_tensor_file *file, const char *name,
                                size_t dims, const size_t *shape)
{
    return expect(file, name, LAB_BF16, dims, shape);
}

const uint8_t *lab_tensor_u8(struct lab_tensor_file *file, const char *name, size_t dims,
                             const size_t *shape)
{
    return expect(file, name, LAB_U8, dims, shape);
}

const int64_t *lab_tensor_i64(struct lab_tensor_file *file, const char *name, size_t dims,
                              const size_t *shape)
{
    return expect(file, name, LAB_I64, dims, shape);
}

// ---- the lists ----------------------------------------------------------------------------

// Makes room for one more element in list(count). Doubles the list if count is a power of
// two.
static bool make_room(void **list, size_t count, size_t element_size)
{
    if ((count & (count - 1)) != 0) {
        return true;
    }
    size_t room = count == 0 ? 1 : 2 * count;
    void *larger = realloc(*list, room * element_size);
    if (larger != NULL) {
        *list = larger;
    }
    return larger != NULL;
}

lab_status lab_tensor_append(struct lab_tensor_file *file, const char *name,
                             struct lab_tensor tensor)
{
    void *list = file->tensors;
    bool room = make_room(&list, file->count, sizeof tensor);
    file->tensors = list;
    tensor.name = room ? strdup(name) : NULL;
    if (tensor.name == NULL) {
        return lab_tensor_no_memory(file);
    }
    file->tensors[file->count++] = tensor;
    return LAB_OK;
}

lab_status lab_tensor_append_note(struct lab_tensor_file *file, const char *key,
                                  const char *value)
{
    void *list = file->notes;
    bool room = make_room(&list, file->note_count, sizeof file->notes[0]);
    file->notes = list;
    struct lab_tensor_note note = {room ? strdup(key) : NULL,
                                   room ? strdup(value) : NULL};
    if (note.key == NULL || note.value == NULL) {
        free(note.key);
        free(note.value);
        return lab_tensor_no_memory(file);
    }
    file->notes[file->note_count++] = note;
    return LAB_OK;
}

void lab_tensor_file_close(struct lab_tensor_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->tensors[i].name);
    }
    for (size_t i = 0; i < file->note_count; i++) {
        free(file->notes[i].key);
        free(file->notes[i].value);
    }
    free(file->tensors);
    free(file->notes);
    free(file->storage);
    file->tensors = NULL;
    file->notes = NULL;
    file->storage = NULL;
    file->count = 0;
    file->note_count = 0;
}

// ---- adding -------------------------------------------------------------------------------

static bool is_utf8(const char *text)
{
    return text[lab_utf8_prefix(text)] == '\0';
}

lab_status lab_tensor_file_add(struct lab_tensor_file *file, const char *name,
                               enum lab_dtype dtype, const void *data, size_t dims,
                               const size_t *shape)
{
    if (name[0] == '\0' || strcmp(name, LAB_TENSOR_METADATA) == 0 || !is_utf8(name)) {
        return lab_tensor_fail(file, LAB_EVALUE,
                               "the name '%.60s' is empty, reserved or not UTF-8", name);
    }
    if (lab_tensor_find(file, name) != NULL) {
        return lab_tensor_fail(file, LAB_EVALUE, "there is a tensor '%.60s' already",
                               name);
    }
    if (dims > LAB_TENSOR_DIMS) {
        return lab_tensor_fail(file, LAB_ESHAPE,
                               "'%.60s' has %zu axes; at most %d are allowed", name, dims,
                               LAB_TENSOR_DIMS);
    }
    struct lab_tensor tensor = {.dtype = dtype, .dims = dims, .data = data};
    for (size_t i = 0; i < dims; i++) {
        tensor.shape[i] = shape[i];
    }
    size_t bytes = 0;
    if (!lab_tensor_measure(&tensor, &bytes)) {
        return lab_tensor_fail(file, LAB_ESHAPE,
                               "'%.60s' has more bytes than can be counted", name);
    }
    return lab_tensor_append(file, name, tensor);
}

lab_status lab_tensor_file_add_note(struct lab_tensor_file *file, const char *key,
                                    const char *value)
{
    if (!is_utf8(key) || !is_utf8(value)) {
        return lab_tensor_fail(file, LAB_EVALUE, "'%.60s' or its value is not UTF-8",
                               key);
    }
    if (lab_tensor_note(file, key) != NULL) {
        return lab_tensor_fail(file, LAB_EVALUE, "there is a note '%.60s' already", key);
    }
    return lab_tensor_append_note(file, key, value);
}
