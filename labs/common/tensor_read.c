// tensor_read.c - reads a tensor file: the length of the header, the header, the data.
// tensor_header.c reads the header. Start reading at load.

#define _POSIX_C_SOURCE 200809L

#include "common/tensor_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/plural.h"
#include "common/tensor_internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(size_t) == 8,
               "tensor files are little endian and may be larger than 4 GiB");

enum { ALIGNMENT = 64 };

struct reader {
    struct lab_tensor_file *file;
    FILE *stream;
    size_t size; // size of the whole file
};

static lab_status read_bytes(const struct reader *reader, void *bytes, size_t count)
{
    if (fread(bytes, 1, count, reader->stream) == count) {
        return LAB_OK;
    }
    return lab_tensor_fail(reader->file, LAB_EIO, "read error or unexpected end of file");
}

// Reads the length of the header and checks that it fits the file.
static lab_status read_length(const struct reader *reader, size_t *length)
{
    unsigned char bytes[LAB_TENSOR_LENGTH];
    if (reader->size < LAB_TENSOR_LENGTH) {
        return lab_tensor_fail(
            reader->file, LAB_EFORMAT,
            "%zu byte%s long; a tensor file begins with 8 bytes of length", reader->size,
            plural((double)reader->size));
    }
    lab_status status = read_bytes(reader, bytes, LAB_TENSOR_LENGTH);
    if (status != LAB_OK) {
        return status;
    }
    *length = 0;
    for (int i = LAB_TENSOR_LENGTH - 1; i >= 0; i--) {
        *length = *length << 8 | bytes[i];
    }
    if (*length > LAB_TENSOR_HEADER_LIMIT) {
        return lab_tensor_fail(
            reader->file, LAB_EFORMAT,
            "bytes 0-7 give a header length of %zu bytes; at most %d are allowed",
            *length, LAB_TENSOR_HEADER_LIMIT);
    }
    if (*length > reader->size - LAB_TENSOR_LENGTH) {
        return lab_tensor_fail(
            reader->file, LAB_EFORMAT,
            "bytes 0-7 give a header length of %zu bytes; only %zu follow", *length,
            reader->size - LAB_TENSOR_LENGTH);
    }
    return LAB_OK;
}

static lab_status read_header(const struct reader *reader, size_t length,
                              struct lab_tensor_extent **extents)
{
    char *text = calloc(length + 1, 1); // one more byte for a final zero
    if (text == NULL) {
        return lab_tensor_no_memory(reader->file);
    }
    lab_status status = read_bytes(reader, text, length);
    if (status == LAB_OK) {
        size_t data_size = reader->size - LAB_TENSOR_LENGTH - length;
        status = lab_tensor_header_parse(reader->file, text, length, data_size, extents);
    }
    free(text);
    return status;
}

static size_t align(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Reads the tensors in the order of the file, each to an aligned address. The file itself
// has no alignment.
static lab_status read_data(const struct reader *reader,
                            const struct lab_tensor_extent *extents)
{
    struct lab_tensor_file *file = reader->file;
    size_t room = ALIGNMENT;
    for (size_t i = 0; i < file->count; i++) {
        room += align(lab_tensor_bytes(&file->tensors[i]));
    }
    unsigned char *storage = aligned_alloc(ALIGNMENT, room);
    if (storage == NULL) {
        return lab_tensor_fail(file, LAB_ENOMEM, "out of memory for %zu bytes of tensors",
                               room);
    }
    file->storage = storage;
    for (size_t i = 0; i < file->count; i++) {
        struct lab_tensor *tensor = &file->tensors[extents[i].tensor];
        lab_status status = read_bytes(reader, storage, lab_tensor_bytes(tensor));
        if (status != LAB_OK) {
            return status;
        }
        tensor->data = storage;
        storage += align(lab_tensor_bytes(tensor));
    }
    return LAB_OK;
}

// Reads a file of size bytes from stream and closes stream.
static lab_status load(struct lab_tensor_file *file, FILE *stream, size_t size)
{
    const struct reader reader = {.file = file, .stream = stream, .size = size};
    size_t length = 0;
    struct lab_tensor_extent *extents = NULL;
    lab_status status = read_length(&reader, &length);
    if (status == LAB_OK) {
        status = read_header(&reader, length, &extents);
    }
    if (status == LAB_OK) {
        status = read_data(&reader, extents);
    }
    if (status == LAB_OK) {
        status = lab_tensor_check(file);
    }
    free(extents);
    fclose(stream);
    if (status != LAB_OK) {
        lab_tensor_file_close(file);
    }
    return status;
}

lab_status lab_tensor_file_open(struct lab_tensor_file *file, const char *path)
{
    *file = (struct lab_tensor_file){0};
    lab_tensor_set_path(file, path);
    struct stat about;
    if (stat(path, &about) != 0) { // before the open, because opening a FIFO would block
        return lab_tensor_fail(file, LAB_EIO, "%s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return lab_tensor_fail(file, LAB_EIO, "not a regular file");
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return lab_tensor_fail(file, LAB_EIO, "%s", strerror(errno));
    }
    return load(file, stream, (size_t)about.st_size);
}

lab_status lab_tensor_file_parse(struct lab_tensor_file *file, const void *bytes,
                                 size_t size)
{
    *file = (struct lab_tensor_file){0};
    lab_tensor_set_path(file, "(memory)");
    if (size == 0) {
        return lab_tensor_fail(file, LAB_EFORMAT, "empty");
    }
    // opened with "rb": nothing to flush
    FILE *stream = fmemopen((void *)bytes, size, "rb");
    if (stream == NULL) {
        return lab_tensor_fail(file, LAB_ENOMEM, "%s", strerror(errno));
    }
    return load(file, stream, size);
}
