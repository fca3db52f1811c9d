// numpy.c - numpy's files: .npy, one array; .npz, a zip archive of them.
//
// An .npy file:
//
//   "\x93NUMPY"  version 1 0    length    {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//    6 bytes      2 bytes       2 or 4    length bytes of text, then the numbers
//
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include "programs/attnmap/attnmap.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"

#ifdef LAB_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

enum { MAGIC = 6, HEADER_MOST = 65536 };

// ---- the header ---------------------------------------------------------------------------

struct header {
    char text[HEADER_MOST + 1]; // ends in 0
    size_t data;                // where the numbers begin
};

// The text behind 'key': in the header, or NULL.
static const char *value_of(const struct header *header, const char *key)
{
    const char *at = strstr(header->text, key);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    while (*at == ' ' || *at == ':') {
        at++;
    }
    return at;
}

static void read_header(struct header *header, const unsigned char *bytes, size_t size,
                        const char *where)
{
    if (size < MAGIC + 4 || memcmp(bytes, "\x93NUMPY", MAGIC) != 0) {
        map_fail(MAP_FAILED, "%s: this is not an .npy file", where);
    }
    const int version = bytes[MAGIC];
    const size_t field = version == 1 ? 2 : 4, begin = MAGIC + 2 + field;
    if (version < 1 || version > 3 || size < begin) {
        map_fail(MAP_FAILED, "%s: an .npy file of version %d cannot be read", where,
                 version);
    }
    size_t length = 0;
    for (size_t i = 0; i < field; i++) {
        length |= (size_t)bytes[MAGIC + 2 + i] << 8 * i;
    }
    if (length > size - begin || length > HEADER_MOST) {
        map_fail(MAP_FAILED,
                 "%s: the header should have %zu bytes, but the file has only %zu more",
                 where, length, size - begin);
    }
    memcpy(header->text, bytes + begin, length);
    header->text[length] = '\0';
    header->data = begin + length;
}

static struct element read_type(const struct header *header, const char *where)
{
    const char *text = value_of(header, "'descr'");
    struct element e = {0};
    char order = 0, kind = 0;
    int size = 0;
    if (text == NULL || sscanf(text, "'%c%c%d'", &order, &kind, &size) != 3 || size < 0) {
        map_fail(MAP_FAILED,
                 "%s: the header does not say which numbers follow (descr), or they are "
                 "not plain numbers",
                 where);
    }
    e.kind = kind == 'b' ? '?' : kind;
    e.size = (size_t)size;
    e.big_endian = order == '>';
    if (!element_is_known(&e)) {
        map_fail(MAP_FAILED,
                 "%s: numbers of type '%c%d' cannot be read; save them as float32", where,
                 kind, size);
    }
    return e;
}

static void read_shape(struct array *array, const struct header *header,
                       const char *where)
{
    const char *at = value_of(header, "'shape'");
    if (at == NULL || *at != '(') {
        map_fail(MAP_FAILED, "%s: the header has no shape", where);
    }
    for (at++; *at != ')';) {
        char *end;
        if (!isdigit((unsigned char)*at)) {
            map_fail(MAP_FAILED, "%s: the header's shape cannot be read", where);
        }
        errno = 0;
        const unsigned long long n = strtoull(at, &end, 10);
        if (array->axes == ARRAY_AXES) {
            map_fail(MAP_FAILED, "%s: the array has more than %d axes", where,
                     ARRAY_AXES);
        }
        if (errno != 0) {
            map_fail(MAP_FAILED, "%s: the array is too large", where);
        }
        array->shape[array->axes++] = (size_t)n;
        for (at = end; *at == ' ' || *at == ',';) {
            at++;
        }
    }
}

// ---- the numbers --------------------------------------------------------------------------

// From the order in which the first index is fastest to that in which the last one is.
static void last_index_fastest(struct array *array)
{
    float *sorted = map_allocate(array->count + 1, sizeof *sorted);
    for (size_t i = 0; i < array->count; i++) { // i counts in row-major order
        size_t rest = i, from = 0, stride = 1, index[ARRAY_AXES];
        for (size_t a = array->axes; a-- > 0;) {
            index[a] = rest % array->shape[a];
            rest /= array->shape[a];
        }
        for (size_t a = 0; a < array->axes; a++) {
            from += index[a] * stride;
            stride *= array->shape[a];
        }
        sorted[i] = array->data[from];
    }
    free(array->data);
    array->data = sorted;
}

struct array numpy_parse(const unsigned char *bytes, size_t size, const char *where)
{
    struct array array = {0};
    struct header *header = map_allocate(1, sizeof *header);
    read_header(header, bytes, size, where);
    const struct element element = read_type(header, where);
    read_shape(&array, header, where);
    if (!array_count(&array.count, array.shape, array.axes) ||
        array.count > (size - header->data) / element.size) {
        map_fail(MAP_FAILED,
                 "%s: the header promises more numbers than the file's %zu bytes hold",
                 where, size - header->data);
    }
    array.data = array_convert(bytes + header->data, array.count, &element);
    const char *order = value_of(header, "'fortran_order'");
    if (order != NULL && strncmp(order, "True", 4) == 0) {
        last_index_fastest(&array);
    }
    free(header);
    return array;
}

// ---- .npz ---------------------------------------------------------------------------------

#ifdef LAB_WITH_ARCHIVE

// An archive may claim any size, or grow a thousandfold when unpacked.
static const size_t member_most = (size_t)1 << 32;

static unsigned char *read_member(struct archive *archive, size_t *size,
                                  const char *where)
{
    unsigned char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    for (;;) {
        if (*size == room) {
            room = room == 0 ? 65536 : 2 * room;
            bytes = room > member_most ? NULL : realloc(bytes, room);
            if (bytes == NULL) {
                map_fail(MAP_FAILED, "%s: the array is too large", where);
            }
        }
        const la_ssize_t got = archive_read_data(archive, bytes + *size, room - *size);
        if (got < 0) {
            map_fail(MAP_FAILED, "%s: %s", where, archive_error_string(archive));
        }
        if (got == 0) {
            return bytes;
        }
        *size += (size_t)got;
    }
}

static void add_member(struct arrays *arrays, struct archive *archive, const char *name,
                       const char *path)
{
    const size_t length = strlen(name);
    char where[512];
    size_t size;
    if (length < 4 || strcmp(name + length - 4, ".npy") != 0) {
        return;
    }
    snprintf(where, sizeof where, "%s: %s", path, name);
    unsigned char *bytes = read_member(archive, &size, where);
    struct array array = numpy_parse(bytes, size, where);
    snprintf(array.name, sizeof array.name, "%.*s", (int)(length - 4), name);
    arrays_add(arrays, &array);
    free(bytes);
}

void numpy_read_archive(struct arrays *arrays, const char *path)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    if (archive == NULL) {
        map_fail(MAP_FAILED, "out of memory");
    }
    archive_read_support_format_zip(archive);
    int got = archive_read_open_filename(archive, path, 1 << 16);
    while (got == ARCHIVE_OK &&
           (got = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        add_member(arrays, archive, name == NULL ? "" : name, path);
    }
    if (got != ARCHIVE_EOF) {
        map_fail(MAP_FAILED, "%s: %s", path, archive_error_string(archive));
    }
    archive_read_free(archive);
}

#else

void numpy_read_archive(struct arrays *arrays, const char *path)
{
    (void)arrays;
    map_fail(MAP_FAILED,
             "%s: reading .npz needs libarchive-dev; install it and build again, or save "
             "the array with numpy.save",
             path);
}

#endif

// ---- writing ------------------------------------------------------------------------------

void numpy_write(const char *path, const float *data, const size_t *shape, size_t axes)
{
    enum {
        LINE = 128
    }; // the header's length with everything before it, a multiple of 64
    struct lab_replacement r;
    char header[2 * LINE] = ""; // the first room bytes of it are written
    char sizes[96] = "";
    size_t count = 1;
    for (size_t i = 0; i < axes; i++) {
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%zu, ", shape[i]);
        count *= shape[i];
    }
    snprintf(header, sizeof header,
             "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", sizes);
    const size_t room = LINE - MAGIC - 4;
    for (size_t i = strlen(header); i < room - 1; i++) {
        header[i] = ' ';
    }
    header[room - 1] = '\n';
    if (lab_replace_begin(&r, path) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    fwrite("\x93NUMPY\x01\x00", 1, MAGIC + 2, r.file);
    fputc((int)(room & 255), r.file);
    fputc((int)(room >> 8), r.file);
    fwrite(header, 1, room, r.file);
    fwrite(data, sizeof *data, count,
           r.file); // this machine is little-endian, as are all of ours
    if (lab_replace_commit(&r) != LAB_OK) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
}
