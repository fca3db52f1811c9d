// memory.c - errors, memory, arrays that grow, whole files.

#define _POSIX_C_SOURCE 200809L

#include "programs/reading/read_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- errors -------------------------------------------------------------------------------

// Names in a file may hold anything, so control characters become question marks.
static void say(const char *format, va_list arguments)
{
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "read_model: ");
    for (const char *c = text; *c != '\0'; c++) {
        fputc((unsigned char)*c < 32 || *c == 127 ? '?' : *c, stderr);
    }
}

void reader_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s\n",
            status == READER_USAGE ? " (see build/read_model --help)" : "");
    exit(status);
}

void reader_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void student_must_succeed(lab_status status, const char *exercise)
{
    if (status == LAB_TODO) {
        reader_fail(READER_FAILED, "%s is not written yet; see make check", exercise);
    }
    if (status != LAB_OK) {
        reader_fail(READER_FAILED, "%s failed: %s; see make check", exercise,
                    lab_status_message(status));
    }
}

// ---- memory -------------------------------------------------------------------------------

void *reader_allocate(size_t count, size_t size)
{
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        reader_fail(READER_FAILED, "out of memory: %zu times %zu bytes", count, size);
    }
    return memory;
}

float *reader_floats(size_t axes, const size_t *shape)
{
    size_t count = 1;
    for (size_t i = 0; i < axes; i++) {
        if (__builtin_mul_overflow(count, shape[i], &count)) {
            reader_fail(READER_FAILED, "out of memory: the sizes are too large");
        }
    }
    return reader_allocate(count, sizeof(float));
}

// Makes room for more items of size bytes behind the first count.
static void *grow(void *items, size_t *room, size_t count, size_t more, size_t size)
{
    if (more <= *room - count) {
        return items;
    }
    const size_t wanted = (count + more) * 2 + 64;
    void *larger = wanted > SIZE_MAX / 2 / size ? NULL : realloc(items, wanted * size);
    if (larger == NULL) {
        reader_fail(READER_FAILED, "out of memory: %zu times %zu bytes", wanted, size);
    }
    *room = wanted;
    return larger;
}

void bytes_add(struct bytes *bytes, const void *more, size_t size)
{
    if (size > 0) {
        bytes->at = grow(bytes->at, &bytes->room, bytes->size, size, 1);
        memcpy(bytes->at + bytes->size, more, size);
        bytes->size += size;
    }
}

void sizes_add(struct sizes *sizes, size_t value)
{
    sizes->at = grow(sizes->at, &sizes->room, sizes->count, 1, sizeof *sizes->at);
    sizes->at[sizes->count++] = value;
}

// ---- files --------------------------------------------------------------------------------

void path_join(char path[PATH_SIZE], const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    if (length < 0 || length >= PATH_SIZE) {
        reader_fail(READER_FAILED, "%.100s...: the name is too long", folder);
    }
}

// Refuses a folder, a device or a FIFO, and a file that is too large.
static void check_file(FILE *file, const char *path)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0) {
        reader_fail(READER_FAILED, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        reader_fail(READER_FAILED, "%s: not a regular file", path);
    }
    if (about.st_size > FILE_LIMIT) {
        reader_fail(READER_FAILED, "%s: %lld bytes; at most %d are read", path,
                    (long long)about.st_size, FILE_LIMIT);
    }
}

bool file_read(struct bytes *contents, const char *path)
{
    struct stat about;
    *contents = (struct bytes){0};
    if (stat(path, &about) != 0 && errno == ENOENT) {
        return false;
    }
    // Opening a FIFO would block.
    FILE *file =
        stat(path, &about) == 0 && S_ISFIFO(about.st_mode) ? NULL : fopen(path, "rb");
    if (file == NULL) {
        reader_fail(READER_FAILED, "%s: %s", path,
                    S_ISFIFO(about.st_mode) ? "not a regular file" : strerror(errno));
    }
    check_file(file, path);
    bytes_add(contents, "", 1); // so that at is never NULL
    contents->size = 0;
    char part[65536];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) {
        bytes_add(contents, part, got);
    }
    if (ferror(file)) {
        reader_fail(READER_FAILED, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    return true;
}
