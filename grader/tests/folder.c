// folder.c - see folder.h.

#define _GNU_SOURCE
#include "tests/folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

char *make_folder(void)
{
    char *folder = grader_print("/tmp/test.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    return folder;
}

void remove_folder(char *folder)
{
    char *command = grader_print("rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
    free(command);
    free(folder);
}

void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(text, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}
