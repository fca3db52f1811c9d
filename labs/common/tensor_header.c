// tensor_header.c - parses and validates the header of a tensor file.
//
// The header may come from an untrusted source. So this file checks the text before it
// parses it as JSON, then every name, type, shape and offset, and finally the layout as a
// whole (no overlaps, no gaps, nothing left over). Start reading at
// lab_tensor_header_parse, at the end.

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "common/tensor_internal.h"
#include "common/utf8.h"

// ---- the text -----------------------------------------------------------------------------

// Parses the text as JSON. Rejects what cJSON would accept: zero bytes (which truncate
// names), bytes that are not UTF-8, and text after the end. Positions count from the start
// of the file.
static lab_status parse_json(struct lab_tensor_file *file, const char *text,
                             size_t length, cJSON **header)
{
    size_t good = lab_utf8_prefix(text);
    if (good < length) {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "the header is not UTF-8 text at byte %zu",
                               LAB_TENSOR_LENGTH + good);
    }
    const char *zero = strstr(text, "\\u0000");
    if (zero != NULL) {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "the header holds a zero character (\\u0000) at byte %zu",
                               LAB_TENSOR_LENGTH + (size_t)(zero - text));
    }
    if (text[0] != '{') {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "byte 8 should be the { that begins the header");
    }
    const char *end = text;
    *header = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    if (*header == NULL || end[strspn(end, " \t\r\n")] != '\0') {
        return lab_tensor_fail(file, LAB_EFORMAT, "the header is not JSON at byte %zu",
                               LAB_TENSOR_LENGTH + (size_t)(end - text));
    }
    return LAB_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Rejects an object with a duplicate name, because readers would disagree on which one
// counts.
static lab_status check_names(struct lab_tensor_file *file, const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object);
    const char **names = calloc(count + 1, sizeof names[0]);
    if (names == NULL) {
        return lab_tensor_no_memory(file);
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
                lab_tensor_fail(file, LAB_EFORMAT,
                                "the name '%.60s' comes twice in the header", names[i]);
        }
    }
    free(names);
    return status;
}

// ---- one tensor ---------------------------------------------------------------------------

// A size or an offset: a whole number from 0 up to 2^53, where doubles are exact.
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

enum { DTYPE, SHAPE, DATA_OFFSETS, MEMBERS };

// Finds the three members of a tensor's entry. cJSON keeps duplicate members, and its
// lookup does not distinguish "Shape" from "shape".
static lab_status find_members(struct lab_tensor_file *file, const cJSON *entry,
                               const cJSON *members[MEMBERS])
{
    static const char *const names[MEMBERS] = {"dtype", "shape", "data_offsets"};
    if (!cJSON_IsObject(entry)) {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "tensor '%.60s' should be an object {...}", entry->string);
    }
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, entry)
    {
        int which = 0;
        while (which < MEMBERS && strcmp(member->string, names[which]) != 0) {
            which++;
        }
        if (which == MEMBERS) {
            return lab_tensor_fail(file, LAB_EFORMAT,
                                   "tensor '%.60s' has an unknown member '%.40s'",
                                   entry->string, member->string);
        }
        if (members[which] != NULL) {
            return lab_tensor_fail(file, LAB_EFORMAT,
                                   "tensor '%.60s' has two members '%s'", entry->string,
                                   names[which]);
        }
        members[which] = member;
    }
    for (int i = 0; i < MEMBERS; i++) {
        if (members[i] == NULL) {
            return lab_tensor_fail(file, LAB_EFORMAT, "tensor '%.60s' has no member '%s'",
                                   entry->string, names[i]);
        }
    }
    return LAB_OK;
}

// Reads each of the three members.
static lab_status read_members(struct lab_tensor_file *file, const char *name,
                               const cJSON *const members[MEMBERS],
                               struct lab_tensor *tensor,
                               struct lab_tensor_extent *extent)
{
    const char *dtype = cJSON_GetStringValue(members[DTYPE]);
    if (dtype == NULL || !lab_tensor_find_dtype(dtype, &tensor->dtype)) {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "tensor '%.60s' has dtype '%.20s'; known are F32 F64 BF16 "
                               "F16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL",
                               name, dtype == NULL ? "(no string)" : dtype);
    }
    if (!whole_numbers(members[SHAPE], tensor->shape, &tensor->dims, LAB_TENSOR_DIMS)) {
        return lab_tensor_fail(
            file, LAB_EFORMAT,
            "the shape of tensor '%.60s' should be a list of at most %d whole "
            "numbers from 0 up; number %zu is not",
            name, LAB_TENSOR_DIMS, tensor->dims + 1);
    }
    size_t offsets[2] = {0, 0};
    size_t given = 0;
    if (!whole_numbers(members[DATA_OFFSETS], offsets, &given, 2) || given != 2) {
        return lab_tensor_fail(
            file, LAB_EFORMAT,
            "the data_offsets of tensor '%.60s' should be two whole numbers from "
            "0 up, begin and end",
            name);
    }
    extent->begin = offsets[0];
    extent->end = offsets[1];
    return LAB_OK;
}

// Checks that the extent lies inside the data and that its size matches type and shape.
// Sets count.
static lab_status check_extent(struct lab_tensor_file *file, const char *name,
                               struct lab_tensor *tensor,
                               const struct lab_tensor_extent *extent, size_t data_size)
{
    char shape[LAB_TENSOR_SHAPE_TEXT];
    size_t bytes = 0;
    lab_tensor_shape_text(shape, tensor->dims, tensor->shape);
    if (!lab_tensor_measure(tensor, &bytes)) {
        return lab_tensor_fail(
            file, LAB_EFORMAT,
            "tensor '%.60s' of shape %s has more bytes than can be counted", name, shape);
    }
    if (extent->begin > extent->end || extent->end > data_size) {
        return lab_tensor_fail(
            file, LAB_EFORMAT,
            "tensor '%.60s' lies at bytes %zu to %zu of the data, which has %zu", name,
            extent->begin, extent->end, data_size);
    }
    if (extent->end - extent->begin != bytes) {
        return lab_tensor_fail(
            file, LAB_EFORMAT,
            "tensor '%.60s' has %zu byte%s of data; %s of shape %s takes %zu", name,
            extent->end - extent->begin, plural((double)(extent->end - extent->begin)),
            lab_dtype_name(tensor->dtype), shape, bytes);
    }
    return LAB_OK;
}

static lab_status read_tensor(struct lab_tensor_file *file, const cJSON *entry,
                              size_t data_size, struct lab_tensor_extent *extent)
{
    const char *name = entry->string;
    const cJSON *members[MEMBERS] = {NULL, NULL, NULL};
    struct lab_tensor tensor = {0};
    LAB_TRY(find_members(file, entry, members));
    if (name[0] == '\0') {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "the header holds a tensor with an empty name");
    }
    LAB_TRY(read_members(file, name, members, &tensor, extent));
    LAB_TRY(check_extent(file, name, &tensor, extent, data_size));
    extent->tensor = file->count;
    return lab_tensor_append(file, name, tensor);
}

// ---- all of it ----------------------------------------------------------------------------

static lab_status read_notes(struct lab_tensor_file *file, const cJSON *metadata)
{
    if (!cJSON_IsObject(metadata)) {
        return lab_tensor_fail(file, LAB_EFORMAT, "%s should be an object {...}",
                               LAB_TENSOR_METADATA);
    }
    LAB_TRY(check_names(file, metadata));
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, metadata)
    {
        if (!cJSON_IsString(item)) {
            return lab_tensor_fail(file, LAB_EFORMAT, "%s: '%.60s' should be a string",
                                   LAB_TENSOR_METADATA, item->string);
        }
        LAB_TRY(lab_tensor_append_note(file, item->string, item->valuestring));
    }
    return LAB_OK;
}

static lab_status read_entries(struct lab_tensor_file *file, const cJSON *header,
                               size_t data_size, struct lab_tensor_extent **extents)
{
    size_t entries = (size_t)cJSON_GetArraySize(header);
    *extents = calloc(entries + 1, sizeof **extents);
    if (*extents == NULL) {
        return lab_tensor_no_memory(file);
    }
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, header)
    {
        lab_status status =
            strcmp(entry->string, LAB_TENSOR_METADATA) == 0
                ? read_notes(file, entry)
                : read_tensor(file, entry, data_size, &(*extents)[file->count]);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
}

// Sorts by position in the data; if two begin at the same byte, the empty one comes first.
static int by_place(const void *a, const void *b)
{
    const struct lab_tensor_extent *x = a;
    const struct lab_tensor_extent *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return (x->end > y->end) - (x->end < y->end);
}

// Checks that each tensor begins where the previous one ends, and that the last one ends
// with the file.
static lab_status check_layout(struct lab_tensor_file *file,
                               struct lab_tensor_extent *extents, size_t data_size)
{
    qsort(extents, file->count, sizeof extents[0], by_place);
    size_t end = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct lab_tensor_extent *extent = &extents[i];
        if (extent->begin != end) {
            return lab_tensor_fail(
                file, LAB_EFORMAT,
                "tensor '%.60s' begins at byte %zu of the data, %s; expected %zu",
                file->tensors[extent->tensor].name, extent->begin,
                extent->begin < end ? "inside another tensor" : "after a gap", end);
        }
        end = extent->end;
    }
    if (end != data_size) {
        return lab_tensor_fail(file, LAB_EFORMAT,
                               "the tensors end at byte %zu of the data, which has %zu",
                               end, data_size);
    }
    return LAB_OK;
}

lab_status lab_tensor_header_parse(struct lab_tensor_file *file, const char *text,
                                   size_t length, size_t data_size,
                                   struct lab_tensor_extent **extents)
{
    cJSON *header = NULL;
    *extents = NULL;
    lab_status status = parse_json(file, text, length, &header);
    if (status == LAB_OK) {
        status = check_names(file, header);
    }
    if (status == LAB_OK) {
        status = read_entries(file, header, data_size, extents);
    }
    if (status == LAB_OK) {
        status = check_layout(file, *extents, data_size);
    }
    cJSON_Delete(header);
    return status;
}
