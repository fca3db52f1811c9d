// tensor_file.c - safetensors, read with suspicion and written whole.
//
// Reading goes: length of the header, header as JSON, one entry after the other, then the
// layout as a whole (no overlap, no hole), and only then the data. Start reading at load.

#define _POSIX_C_SOURCE 200809L

#include "common/tensor_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/print.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(size_t) == 8,
               "tensor files are little endian and may be larger than 4 GiB");

enum { LENGTH_BYTES = 8, ALIGNMENT = 64 };

static const char metadata_key[] = "__metadata__";

// ---- types and errors ---------------------------------------------------------------------

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [LAB_F32] = {"F32", 4},
    [LAB_F64] = {"F64", 8},
    [LAB_I64] = {"I64", 8},
    [LAB_U8] = {"U8", 1},
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

// Writes "path: message" into error, on one line, and returns status.
__attribute__((format(printf, 3, 4))) static lab_status
fail(struct lab_tensor_file *file, lab_status status, const char *format, ...)
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
            *c = '?'; // names come from the file and may hold anything
        }
    }
    return status;
}

static void set_path(struct lab_tensor_file *file, const char *path)
{
    snprintf(file->path, sizeof file->path, "%s", path);
}

// "(3, 4)" into text.
static const char *shape_text(char text[128], size_t dims, const size_t *shape)
{
    size_t used = (size_t)snprintf(text, 128, "(");
    for (size_t i = 0; i < dims && used < 128; i++) {
        used +=
            (size_t)snprintf(text + used, 128 - used, "%s%zu", i ? ", " : "", shape[i]);
    }
    if (used < 128) {
        snprintf(text + used, 128 - used, ")");
    }
    return text;
}

// ---- what names and shapes may be ---------------------------------------------------------

// One UTF-8 character: its length in bytes, or 0 when it is none (cut short, overlong, a
// surrogate, above U+10FFFF).
static size_t utf8_length(const unsigned char *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = c[0] < 0x80             ? 1
                    : (c[0] & 0xe0) == 0xc0 ? 2
                    : (c[0] & 0xf0) == 0xe0 ? 3
                    : (c[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    if (length < 2) {
        return length;
    }
    uint32_t point = c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) { // also true of the zero that ends the string
            return 0;
        }
        point = point << 6 | (c[i] & 0x3f);
    }
    bool allowed = point >= least[length] && point <= 0x10ffff &&
                   !(point >= 0xd800 && point <= 0xdfff);
    return allowed ? length : 0;
}

// Where text stops being UTF-8: its first bad byte, or its end.
static size_t utf8_prefix(const char *text)
{
    size_t at = 0;
    while (text[at] != '\0') {
        size_t length = utf8_length((const unsigned char *)text + at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}

static bool is_utf8(const char *text)
{
    return text[utf8_prefix(text)] == '\0';
}

// Puts a * b into product unless it does not fit.
static bool multiply(size_t *product, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, product);
}

// Sets count from shape, and bytes from count. False when either does not fit a size_t.
static bool measure(struct lab_tensor *tensor, size_t *bytes)
{
    tensor->count = 1;
    for (size_t i = 0; i < tensor->dims; i++) {
        if (!multiply(&tensor->count, tensor->count, tensor->shape[i])) {
            return false;
        }
    }
    return multiply(bytes, tensor->count, lab_dtype_size(tensor->dtype));
}

static size_t bytes_of(const struct lab_tensor *tensor)
{
    return tensor->count * lab_dtype_size(tensor->dtype);
}

// ---- the lists ----------------------------------------------------------------------------

// Makes room for one more element in list(count), doubling when count is a power of two.
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

static lab_status append_tensor(struct lab_tensor_file *file, const char *name,
                                struct lab_tensor tensor)
{
    void *list = file->tensors;
    bool room = make_room(&list, file->count, sizeof tensor);
    file->tensors = list;
    tensor.name = room ? strdup(name) : NULL;
    if (tensor.name == NULL) {
        return LAB_ENOMEM;
    }
    file->tensors[file->count++] = tensor;
    return LAB_OK;
}

static lab_status append_note(struct lab_tensor_file *file, const char *key,
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
        return LAB_ENOMEM;
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

// ---- reading ------------------------------------------------------------------------------

// Where a tensor lies, in bytes from the start of the data.
struct extent {
    size_t begin, end;
    size_t tensor; // its index
};

struct reader {
    struct lab_tensor_file *file;
    FILE *stream;
    size_t size;            // of the whole file
    size_t data_start;      // the header ends here
    char *text;             // the header
    cJSON *header;          // the header, understood
    struct extent *extents; // one for each tensor
};

// fail() for a reader.
#define REFUSE(reader, ...) fail((reader)->file, LAB_EFORMAT, __VA_ARGS__)

static lab_status out_of_memory(const struct reader *reader)
{
    return fail(reader->file, LAB_ENOMEM, "out of memory");
}

static lab_status read_bytes(const struct reader *reader, void *bytes, size_t count)
{
    if (fread(bytes, 1, count, reader->stream) == count) {
        return LAB_OK;
    }
    return fail(reader->file, LAB_EIO, "the file ended or broke while reading");
}

// Reads the length and the text of the header, and sets data_start.
static lab_status read_text(struct reader *reader)
{
    unsigned char length_bytes[LENGTH_BYTES];
    if (reader->size < LENGTH_BYTES) {
        return REFUSE(reader,
                      "%zu bytes long; a tensor file begins with 8 bytes of length",
                      reader->size);
    }
    lab_status status = read_bytes(reader, length_bytes, LENGTH_BYTES);
    if (status != LAB_OK) {
        return status;
    }
    uint64_t length = 0;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--) {
        length = length << 8 | length_bytes[i];
    }
    if (length > LAB_TENSOR_HEADER_LIMIT) {
        return REFUSE(reader,
                      "bytes 0-7 announce a header of %llu bytes; at most %d are read",
                      (unsigned long long)length, LAB_TENSOR_HEADER_LIMIT);
    }
    if (length > reader->size - LENGTH_BYTES) {
        return REFUSE(reader,
                      "bytes 0-7 announce a header of %llu bytes; only %zu follow",
                      (unsigned long long)length, reader->size - LENGTH_BYTES);
    }
    reader->data_start = LENGTH_BYTES + (size_t)length;
    reader->text = calloc((size_t)length + 1, 1); // ends in a zero that the file has not
    if (reader->text == NULL) {
        return out_of_memory(reader);
    }
    return read_bytes(reader, reader->text, (size_t)length);
}

// Turns the text into JSON. What cJSON would let pass is refused here: zero bytes (they cut
// names short), bytes that are not UTF-8, text after the end.
static lab_status read_header(struct reader *reader)
{
    const char *text = reader->text;
    size_t length = reader->data_start - LENGTH_BYTES;
    size_t good = utf8_prefix(text);
    if (good < length) {
        return REFUSE(reader, "the header is not UTF-8 text at byte %zu",
                      LENGTH_BYTES + good);
    }
    const char *zero = strstr(text, "\\u0000");
    if (zero != NULL) {
        return REFUSE(reader, "the header holds a zero character (\\u0000) at byte %zu",
                      LENGTH_BYTES + (size_t)(zero - text));
    }
    if (text[0] != '{') {
        return REFUSE(reader, "byte 8 should be the { that begins the header");
    }
    const char *end = text;
    reader->header = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    if (reader->header == NULL || end[strspn(end, " \t\r\n")] != '\0') {
        return REFUSE(reader, "the header is not JSON at byte %zu",
                      LENGTH_BYTES + (size_t)(end - text));
    }
    return LAB_OK;
}

// A size or an offset: a whole number from 0 up, below 2^53, where doubles are exact.
static bool whole_number(const cJSON *item, size_t *number)
{
    if (!cJSON_IsNumber(item)) {
        return false;
    }
    double value = item->valuedouble;
    if (!(value >= 0 && value < 0x1p53) || value != (double)(size_t)value) {
        return false;
    }
    *number = (size_t)value;
    return true;
}

// Reads "shape" or "data_offsets": at most limit whole numbers.
static bool whole_numbers(const cJSON *array, size_t *numbers, size_t *count,
                          size_t limit)
{
    *count = 0;
    if (!cJSON_IsArray(array)) {
        return false;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array)
    {
        if (*count == limit || !whole_number(item, &numbers[*count])) {
            return false;
        }
        ++*count;
    }
    return true;
}

static bool find_dtype(const cJSON *item, enum lab_dtype *dtype)
{
    for (int i = 0; i < DTYPES && cJSON_IsString(item); i++) {
        if (strcmp(item->valuestring, dtypes[i].name) == 0) {
            *dtype = (enum lab_dtype)i;
            return true;
        }
    }
    return false;
}

// Finds the three members of a tensor's entry. cJSON keeps members that come twice, and its
// own look-up does not tell "Shape" from "shape".
static lab_status find_members(const struct reader *reader, const cJSON *entry,
                               const cJSON *members[3])
{
    static const char *const names[3] = {"dtype", "shape", "data_offsets"};
    if (!cJSON_IsObject(entry)) {
        return REFUSE(reader, "tensor '%.60s' should be an object {...}", entry->string);
    }
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, entry)
    {
        int which = 0;
        while (which < 3 && strcmp(member->string, names[which]) != 0) {
            which++;
        }
        if (which == 3) {
            return REFUSE(reader, "tensor '%.60s' has an unknown member '%.40s'",
                          entry->string, member->string);
        }
        if (members[which] != NULL) {
            return REFUSE(reader, "tensor '%.60s' has two members '%s'", entry->string,
                          names[which]);
        }
        members[which] = member;
    }
    for (int i = 0; i < 3; i++) {
        if (members[i] == NULL) {
            return REFUSE(reader, "tensor '%.60s' has no member '%s'", entry->string,
                          names[i]);
        }
    }
    return LAB_OK;
}

// Understands one entry, and sets where the tensor lies.
static lab_status read_entry(const struct reader *reader, const cJSON *entry,
                             struct lab_tensor *tensor, struct extent *extent)
{
    const char *name = entry->string;
    const cJSON *members[3] = {NULL, NULL, NULL}; // dtype, shape, data_offsets
    lab_status status = find_members(reader, entry, members);
    if (status != LAB_OK) {
        return status;
    }
    if (name[0] == '\0') {
        return REFUSE(reader, "the header holds a tensor with an empty name");
    }
    if (!find_dtype(members[0], &tensor->dtype)) {
        const char *dtype = cJSON_GetStringValue(members[0]);
        return REFUSE(reader,
                      "tensor '%.60s' has dtype '%.20s'; known are F32 F64 I64 U8", name,
                      dtype == NULL ? "(no string)" : dtype);
    }
    if (!whole_numbers(members[1], tensor->shape, &tensor->dims, LAB_TENSOR_DIMS)) {
        return REFUSE(reader,
                      "the shape of tensor '%.60s' should be a list of at most %d whole "
                      "numbers from 0 up; number %zu is not",
                      name, LAB_TENSOR_DIMS, tensor->dims + 1);
    }
    size_t offsets[2] = {0, 0};
    size_t given = 0;
    if (!whole_numbers(members[2], offsets, &given, 2) || given != 2) {
        return REFUSE(
            reader,
            "the data_offsets of tensor '%.60s' should be two whole numbers from "
            "0 up, begin and end",
            name);
    }
    char shape[128];
    size_t bytes = 0;
    shape_text(shape, tensor->dims, tensor->shape);
    if (!measure(tensor, &bytes)) {
        return REFUSE(reader,
                      "tensor '%.60s' of shape %s has more bytes than can be counted",
                      name, shape);
    }
    size_t data_size = reader->size - reader->data_start;
    if (offsets[0] > offsets[1] || offsets[1] > data_size) {
        return REFUSE(
            reader, "tensor '%.60s' lies at bytes %zu to %zu of the data, which has %zu",
            name, offsets[0], offsets[1], data_size);
    }
    if (offsets[1] - offsets[0] != bytes) {
        return REFUSE(
            reader, "tensor '%.60s' has %zu bytes of data; %s of shape %s takes %zu",
            name, offsets[1] - offsets[0], lab_dtype_name(tensor->dtype), shape, bytes);
    }
    extent->begin = offsets[0];
    extent->end = offsets[1];
    return LAB_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Refuses an object in which a name comes twice: readers would disagree on which one counts.
static lab_status check_names(const struct reader *reader, const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object);
    const char **names = calloc(count + 1, sizeof names[0]);
    if (names == NULL) {
        return out_of_memory(reader);
    }
    size_t n = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object)
    {
        names[n++] = item->string;
    }
    qsort(names, n, sizeof names[0], by_text);
    lab_status status = LAB_OK;
    for (size_t i = 1; i < n && status == LAB_OK; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status =
                REFUSE(reader, "the name '%.60s' comes twice in the header", names[i]);
        }
    }
    free(names);
    return status;
}

static lab_status read_notes(const struct reader *reader, const cJSON *metadata)
{
    if (!cJSON_IsObject(metadata)) {
        return REFUSE(reader, "%s should be an object {...}", metadata_key);
    }
    lab_status status = check_names(reader, metadata);
    if (status != LAB_OK) {
        return status;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, metadata)
    {
        if (!cJSON_IsString(item)) {
            return REFUSE(reader, "%s: '%.60s' should be a string", metadata_key,
                          item->string);
        }
        if (append_note(reader->file, item->string, item->valuestring) != LAB_OK) {
            return out_of_memory(reader);
        }
    }
    return LAB_OK;
}

static lab_status read_entries(struct reader *reader)
{
    size_t entries = (size_t)cJSON_GetArraySize(reader->header);
    reader->extents = calloc(entries + 1, sizeof reader->extents[0]);
    if (reader->extents == NULL) {
        return out_of_memory(reader);
    }
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, reader->header)
    {
        if (strcmp(entry->string, metadata_key) == 0) {
            lab_status status = read_notes(reader, entry);
            if (status != LAB_OK) {
                return status;
            }
            continue;
        }
        struct lab_tensor tensor = {0};
        struct extent *extent = &reader->extents[reader->file->count];
        extent->tensor = reader->file->count;
        lab_status status = read_entry(reader, entry, &tensor, extent);
        if (status != LAB_OK) {
            return status;
        }
        if (append_tensor(reader->file, entry->string, tensor) != LAB_OK) {
            return out_of_memory(reader);
        }
    }
    return LAB_OK;
}

// In the order of the data; of two that begin together, the empty one first.
static int by_place(const void *a, const void *b)
{
    const struct extent *x = a;
    const struct extent *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return (x->end > y->end) - (x->end < y->end);
}

// Each tensor begins where the one before it ends, and the last ends with the file.
static lab_status check_layout(const struct reader *reader)
{
    struct lab_tensor_file *file = reader->file;
    qsort(reader->extents, file->count, sizeof reader->extents[0], by_place);
    size_t end = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct extent *extent = &reader->extents[i];
        if (extent->begin != end) {
            return REFUSE(
                reader, "tensor '%.60s' begins at byte %zu of the data, %s; expected %zu",
                file->tensors[extent->tensor].name, extent->begin,
                extent->begin < end ? "inside another tensor" : "after a hole", end);
        }
        end = extent->end;
    }
    size_t data_size = reader->size - reader->data_start;
    if (end != data_size) {
        return REFUSE(reader, "the tensors end at byte %zu of the data, which has %zu",
                      end, data_size);
    }
    return LAB_OK;
}

static size_t align(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Reads the tensors in the order of the file, each to an aligned place: the file aligns
// nothing.
static lab_status read_data(const struct reader *reader)
{
    struct lab_tensor_file *file = reader->file;
    size_t room = ALIGNMENT;
    for (size_t i = 0; i < file->count; i++) {
        room += align(bytes_of(&file->tensors[i]));
    }
    unsigned char *storage = aligned_alloc(ALIGNMENT, room);
    if (storage == NULL) {
        return fail(file, LAB_ENOMEM, "out of memory for %zu bytes of tensors", room);
    }
    file->storage = storage;
    for (size_t i = 0; i < file->count; i++) {
        struct lab_tensor *tensor = &file->tensors[reader->extents[i].tensor];
        lab_status status = read_bytes(reader, storage, bytes_of(tensor));
        if (status != LAB_OK) {
            return status;
        }
        tensor->data = storage;
        storage += align(bytes_of(tensor));
    }
    return LAB_OK;
}

static lab_status read_everything(struct reader *reader)
{
    lab_status status = read_text(reader);
    if (status == LAB_OK) {
        status = read_header(reader);
    }
    if (status == LAB_OK) {
        status = check_names(reader, reader->header);
    }
    if (status == LAB_OK) {
        status = read_entries(reader);
    }
    if (status == LAB_OK) {
        status = check_layout(reader);
    }
    if (status == LAB_OK) {
        status = read_data(reader);
    }
    return status;
}

// Reads a file of size bytes from stream, which it closes.
static lab_status load(struct lab_tensor_file *file, FILE *stream, size_t size)
{
    struct reader reader = {.file = file, .stream = stream, .size = size};
    lab_status status = read_everything(&reader);
    free(reader.text);
    free(reader.extents);
    cJSON_Delete(reader.header);
    fclose(stream);
    if (status != LAB_OK) {
        lab_tensor_file_close(file);
    }
    return status;
}

lab_status lab_tensor_file_open(struct lab_tensor_file *file, const char *path)
{
    *file = (struct lab_tensor_file){0};
    set_path(file, path);
    struct stat about;
    if (stat(path, &about) != 0) { // first: opening a FIFO would wait for a writer
        return fail(file, LAB_EIO, "%s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return fail(file, LAB_EIO, "not a regular file");
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return fail(file, LAB_EIO, "%s", strerror(errno));
    }
    return load(file, stream, (size_t)about.st_size);
}

lab_status lab_tensor_file_parse(struct lab_tensor_file *file, const void *bytes,
                                 size_t size)
{
    *file = (struct lab_tensor_file){0};
    set_path(file, "(memory)");
    if (size == 0) {
        return fail(file, LAB_EFORMAT, "empty");
    }
    FILE *stream = fmemopen((void *)bytes, size, "rb"); // "rb": never written
    if (stream == NULL) {
        return fail(file, LAB_ENOMEM, "%s", strerror(errno));
    }
    return load(file, stream, size);
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
        fail(file, LAB_EFORMAT, "there is no tensor '%.60s'", name);
        return NULL;
    }
    bool same = tensor->dtype == dtype && tensor->dims == dims;
    for (size_t i = 0; same && i < dims; i++) {
        same = tensor->shape[i] == shape[i];
    }
    if (!same) {
        char there[128];
        char wanted[128];
        fail(file, LAB_EFORMAT, "tensor '%.60s' is %s %s, expected %s %s", name,
             lab_dtype_name(tensor->dtype),
             shape_text(there, tensor->dims, tensor->shape), lab_dtype_name(dtype),
             shape_text(wanted, dims, shape));
        return NULL;
    }
    return tensor->data;
}

const float *lab_tensor_f32(struct lab_tensor_file *file, const char *name, size_t dims,
                            const size_t *shape)
{
    return expect(file, name, LAB_F32, dims, shape);
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

// ---- writing ------------------------------------------------------------------------------

lab_status lab_tensor_file_add(struct lab_tensor_file *file, const char *name,
                               enum lab_dtype dtype, const void *data, size_t dims,
                               const size_t *shape)
{
    if (name[0] == '\0' || strcmp(name, metadata_key) == 0 || !is_utf8(name)) {
        return fail(file, LAB_EVALUE, "the name '%.60s' is empty, reserved or not UTF-8",
                    name);
    }
    if (lab_tensor_find(file, name) != NULL) {
        return fail(file, LAB_EVALUE, "there is a tensor '%.60s' already", name);
    }
    if (dims > LAB_TENSOR_DIMS) {
        return fail(file, LAB_ESHAPE, "'%.60s' has %zu axes; at most %d are allowed",
                    name, dims, LAB_TENSOR_DIMS);
    }
    struct lab_tensor tensor = {.dtype = dtype, .dims = dims, .data = data};
    for (size_t i = 0; i < dims; i++) {
        tensor.shape[i] = shape[i];
    }
    size_t bytes = 0;
    if (!measure(&tensor, &bytes)) {
        return fail(file, LAB_ESHAPE, "'%.60s' has more bytes than can be counted", name);
    }
    if (append_tensor(file, name, tensor) != LAB_OK) {
        return fail(file, LAB_ENOMEM, "out of memory");
    }
    return LAB_OK;
}

lab_status lab_tensor_file_add_note(struct lab_tensor_file *file, const char *key,
                                    const char *value)
{
    if (!is_utf8(key) || !is_utf8(value)) {
        return fail(file, LAB_EVALUE, "'%.60s' or its value is not UTF-8", key);
    }
    if (lab_tensor_note(file, key) != NULL) {
        return fail(file, LAB_EVALUE, "there is a note '%.60s' already", key);
    }
    if (append_note(file, key, value) != LAB_OK) {
        return fail(file, LAB_ENOMEM, "out of memory");
    }
    return LAB_OK;
}

// The order of the data: wide types first, so that every tensor lies aligned to its type.
static const size_t widths[] = {8, 4, 1};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static bool add_entry(cJSON *header, const struct lab_tensor *tensor, size_t begin)
{
    cJSON *entry = cJSON_AddObjectToObject(header, tensor->name);
    bool good = cJSON_AddStringToObject(entry, "dtype", lab_dtype_name(tensor->dtype));
    cJSON *shape = cJSON_AddArrayToObject(entry, "shape");
    for (size_t i = 0; i < tensor->dims; i++) {
        good =
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape[i])) &&
            good;
    }
    cJSON *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
    size_t end = begin + bytes_of(tensor);
    return cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)begin)) &&
           cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)end)) && good;
}

// The header as text, to be freed, or NULL when memory runs out.
static char *make_header(const struct lab_tensor_file *file)
{
    cJSON *header = cJSON_CreateObject();
    bool good = header != NULL;
    if (file->note_count > 0) {
        cJSON *notes = cJSON_AddObjectToObject(header, metadata_key);
        for (size_t i = 0; i < file->note_count; i++) {
            good = cJSON_AddStringToObject(notes, file->notes[i].key,
                                           file->notes[i].value) &&
                   good;
        }
    }
    size_t begin = 0;
    for (size_t w = 0; w < WIDTHS; w++) {
        for (size_t i = 0; i < file->count; i++) {
            const struct lab_tensor *tensor = &file->tensors[i];
            if (lab_dtype_size(tensor->dtype) == widths[w]) {
                good = add_entry(header, tensor, begin) && good;
                begin += bytes_of(tensor);
            }
        }
    }
    char *text = good ? cJSON_PrintUnformatted(header) : NULL;
    cJSON_Delete(header);
    return text;
}

static void put_file(FILE *out, const struct lab_tensor_file *file, const char *header)
{
    size_t length = strlen(header);
    size_t padded = (length + LENGTH_BYTES - 1) / LENGTH_BYTES * LENGTH_BYTES;
    for (int i = 0; i < LENGTH_BYTES; i++) {
        fputc((int)(padded >> (8 * i) & 0xff), out);
    }
    fprintf(out, "%-*s", (int)padded, header); // spaces up to a multiple of 8
    for (size_t w = 0; w < WIDTHS; w++) {
        for (size_t i = 0; i < file->count; i++) {
            const struct lab_tensor *tensor = &file->tensors[i];
            if (lab_dtype_size(tensor->dtype) == widths[w] && tensor->count > 0) {
                fwrite(tensor->data, 1, bytes_of(tensor), out);
            }
        }
    }
}

lab_status lab_tensor_file_save(struct lab_tensor_file *file, const char *path)
{
    set_path(file, path);
    char *header = make_header(file);
    if (header == NULL) {
        return fail(file, LAB_ENOMEM, "out of memory");
    }
    struct lab_replacement replacement;
    lab_status status = LAB_OK;
    if (strlen(header) > LAB_TENSOR_HEADER_LIMIT - LENGTH_BYTES) {
        status = fail(file, LAB_EVALUE, "the names make a header above %d bytes",
                      LAB_TENSOR_HEADER_LIMIT);
    } else {
        status = lab_replace_begin(&replacement, path);
        if (status == LAB_OK) {
            put_file(replacement.file, file, header);
            status = lab_replace_commit(&replacement);
        }
        if (status != LAB_OK) {
            fail(file, status, "%s", strerror(errno));
        }
    }
    free(header);
    return status;
}
