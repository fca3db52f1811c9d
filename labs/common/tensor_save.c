// tensor_save.c - writes a tensor file, completely or not at all. Start reading at the end.

#include "common/tensor_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"
#include "common/tensor_internal.h"

// The order of the data: wide types first, so that every tensor is aligned to its type.
static const size_t widths[] = {8, 4, 2, 1};
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
    size_t end = begin + lab_tensor_bytes(tensor);
    return cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)begin)) &&
           cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)end)) && good;
}

// The header as text, which the caller frees; NULL if memory runs out.
static char *make_header(const struct lab_tensor_file *file)
{
    cJSON *header = cJSON_CreateObject();
    bool good = header != NULL;
    if (file->note_count > 0) {
        cJSON *notes = cJSON_AddObjectToObject(header, LAB_TENSOR_METADATA);
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
                begin += lab_tensor_bytes(tensor);
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
    size_t padded =
        (length + LAB_TENSOR_LENGTH - 1) / LAB_TENSOR_LENGTH * LAB_TENSOR_LENGTH;
    for (int i = 0; i < LAB_TENSOR_LENGTH; i++) {
        fputc((int)(padded >> (8 * i) & 0xff), out);
    }
    fprintf(out, "%-*s", (int)padded, header); // pad with spaces to a multiple of 8
    for (size_t w = 0; w < WIDTHS; w++) {
        for (size_t i = 0; i < file->count; i++) {
            const struct lab_tensor *tensor = &file->tensors[i];
            if (lab_dtype_size(tensor->dtype) == widths[w] && tensor->count > 0) {
                fwrite(tensor->data, 1, lab_tensor_bytes(tensor), out);
            }
        }
    }
}

lab_status lab_tensor_file_save(struct lab_tensor_file *file, const char *path)
{
    lab_tensor_set_path(file, path);
    char *header = make_header(file);
    if (header == NULL) {
        return lab_tensor_no_memory(file);
    }
    struct lab_replacement replacement;
    lab_status status = LAB_OK;
    if (strlen(header) > LAB_TENSOR_HEADER_LIMIT - LAB_TENSOR_LENGTH) {
        status = lab_tensor_fail(file, LAB_EVALUE,
                                 "the names need a header of more than %d bytes",
                                 LAB_TENSOR_HEADER_LIMIT);
    } else {
        status = lab_replace_begin(&replacement, path);
        if (status == LAB_OK) {
            put_file(replacement.file, file, header);
            status = lab_replace_commit(&replacement);
        }
        if (status != LAB_OK) {
            lab_tensor_fail(file, status, "%s", strerror(errno));
        }
    }
    free(header);
    return status;
}
