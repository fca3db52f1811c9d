// kept.c - see kept.h.

#define _GNU_SOURCE
#include "cases/kept.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

// Identifies a case of a part, in one line. The calls that alternate have one seed, as have the two cases
// of a property, so the place in the list counts. Caller frees.
static char *describe(const struct case_list *list, size_t i)
{
    const struct test_case *test = &list->cases[i];
    struct text text;
    text_begin(&text);
    fprintf(text.file, "%s %zu of %zu, %" PRIu64 ", contents %d, sizes",
            test->part->function, i, list->count, test->drawn_from, (int)test->contents);
    for (size_t d = 0; d < test->dims; d++) {
        fprintf(text.file, " %zu", test->dim[d]);
    }
    fputs(", tensors", text.file);
    for (size_t t = 0; t < test->tensors; t++) {
        fprintf(text.file, " %zu%s", test->tensor[t].count,
                test->tensor[t].absent ? "-" : "");
    }
    fputc('\n', text.file);
    return text_end(&text);
}

// A hash (FNV-1a) of the line. If two cases had the same, the line would tell them apart.
static char *path_of(const struct case_list *list, const char *line)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = line; *c != '\0'; c++) {
        hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    }
    return grader_print("%s%016" PRIx64, list->kept, hash);
}

static size_t bytes_of(const struct test_case *test)
{
    size_t bytes = sizeof(int32_t);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        bytes += tensor->expected != NULL ? tensor->count * tensor->element_size : 0;
    }
    return bytes;
}

// A file that ends early, for example on a full disk, has another size.
static bool is_whole(FILE *file, const struct test_case *test, const char *line)
{
    struct stat status;
    const size_t length = strlen(line);
    char *first = grader_alloc(length + 1);
    const bool whole = fstat(fileno(file), &status) == 0 &&
                       (size_t)status.st_size == length + bytes_of(test) &&
                       fread(first, 1, length, file) == length &&
                       memcmp(first, line, length) == 0;
    free(first);
    return whole;
}

static bool read_results(FILE *file, struct test_case *test)
{
    int32_t status;
    bool fine = fread(&status, sizeof status, 1, file) == 1;
    for (size_t i = 0; fine && i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        const size_t bytes = tensor->count * tensor->element_size;
        fine =
            tensor->expected == NULL || fread(tensor->expected, 1, bytes, file) == bytes;
    }
    test->expected_status = fine ? (lab_status)status : test->expected_status;
    return fine;
}

static void write_results(FILE *file, const struct test_case *test)
{
    const int32_t status = (int32_t)test->expected_status;
    fwrite(&status, sizeof status, 1, file);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->expected != NULL) {
            fwrite(tensor->expected, tensor->element_size, tensor->count, file);
        }
    }
}

// A call on what an earlier call left depends on the student's results.
static bool may_be_kept(const struct case_list *list, size_t i)
{
    return list->kept != NULL && list->cases[i].contents != KEPT;
}

bool kept_read(struct case_list *list, size_t i)
{
    if (!may_be_kept(list, i)) {
        return false;
    }
    char *line = describe(list, i), *path = path_of(list, line);
    FILE *file = fopen(path, "re");
    const bool found = file != NULL && is_whole(file, &list->cases[i], line) &&
                       read_results(file, &list->cases[i]);
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    free(line);
    return found;
}

// Other judges may read and write the same file meanwhile, so it gets its name when it is complete.
static void write_file(const char *path, const struct test_case *test, const char *line)
{
    char *draft = grader_print("%s.XXXXXX", path);
    const int descriptor = mkostemp(draft, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file != NULL) {
        fputs(line, file);
        write_results(file, test);
        const bool written = ferror(file) == 0;
        if (fclose(file) != 0 || !written || rename(draft, path) != 0) {
            unlink(draft);
        }
    }
    free(draft);
}

void kept_write(const struct case_list *list, size_t i)
{
    if (may_be_kept(list, i)) {
        char *line = describe(list, i), *path = path_of(list, line);
        write_file(path, &list->cases[i], line);
        free(path);
        free(line);
    }
}
