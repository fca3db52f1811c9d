// ran.c - runs a command of the shell (ran.h).

#define _GNU_SOURCE
#include "tests/ran.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/memory.h"

struct ran run(const char *format, ...)
{
    char command[2048], buffer[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    char *whole = grader_print("{ %s ; } 2>&1", command);
    FILE *pipe = popen(whole, "r");
    cr_assert_not_null(pipe);
    struct text text;
    text_begin(&text);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        fwrite(buffer, 1, n, text.file);
    }
    int status = pclose(pipe);
    free(whole);
    return (struct ran){WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_end(&text)};
}

size_t lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

void expect_refusal(int status, const char *words, const char *command)
{
    struct ran ran = run("%s", command);
    cr_expect_eq(ran.status, status, "%s: status %d\n%s", command, ran.status,
                 ran.output);
    cr_expect_eq(lines(ran.output), 1, "%s:\n%s", command, ran.output);
    cr_expect_not_null(strstr(ran.output, words), "%s: %s", command, ran.output);
    free(ran.output);
}
