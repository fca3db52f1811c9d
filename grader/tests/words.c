// words.c - see words.h.

#define _GNU_SOURCE
#include "tests/words.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "report/text.h"

char words_tree[64];

static void run(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

void end_words(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", words_tree);
    run(command);
}

void replace_function(const char *where, const char *body, const char *suffix)
{
    char *path = grader_print("%s/snippet.%s", words_tree, suffix);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "// %s x\n%s", where, body);
    fclose(file);
    char *command =
        grader_print("grader/tools/transplant.sh %s %s && rm %s", path, words_tree, path);
    run(command);
    free(command);
    free(path);
}

void write_function(const char *where, const char *body, const char *suffix)
{
    strcpy(words_tree, "build/tmp/words.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(words_tree));
    replace_function(where, body, suffix);
}

struct options options_for(const char *where)
{
    static char exercise[16];
    snprintf(exercise, sizeof exercise, "%.*s", (int)strcspn(where, " "), where);
    return (struct options){
        .source = words_tree, .root = ".", .seed = 1, .exercise = exercise};
}

char *report_of(const struct options *options, enum verdict expected)
{
    struct grading grading = grade_run(options);
    const struct result *result =
        grade_find_on(&grading, options->exercise, options->gpu != CPU);
    char *details = report_text(&grading, result);
    char *text = grader_print("%s\n%s", result->headline, details);
    cr_expect_eq(result->verdict, expected, "%s is %s\n%s", result->exercise->id,
                 verdict_name(result->verdict), text);
    free(details);
    grade_free(&grading);
    return text;
}

char *judge(const char *where, const char *body, enum verdict expected)
{
    write_function(where, body, "c");
    struct options options = options_for(where);
    return report_of(&options, expected);
}

char *judge_gpu(const char *exercise, enum verdict expected)
{
    struct options options = options_for(exercise);
    options.gpu = GPU_SIMULATED;
    options.no_cpu = true;
    return report_of(&options, expected);
}

void expect_words(const char *text, const char *words)
{
    cr_expect_not_null(strstr(text, words), "no \"%s\" in\n%s", words, text);
}

void expect_none(const char *text, const char *words)
{
    cr_expect_null(strstr(text, words), "\"%s\" in\n%s", words, text);
}
