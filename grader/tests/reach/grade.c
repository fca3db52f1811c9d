// grade.c - a build/grade that looks around behind the walls of its steps (walls.h).
//
//   REACH=FOLDER FOLDER/workbook/build/grade check --src TREE ...
//
// It is build/grade but for grade_run, which the linker wraps. So class runs and Gradescope's
// container can use it as theirs (test_reach.sh). FOLDER holds the skeletons, the probe, and what
// their translation adds (translated). Each run appends a line to FOLDER/report: how many steps,
// walls and files it looked at, and how many files were wrong. Run from a workbook with solutions.

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/grade.h"
#include "knowledge.h"
#include "walls.h"

static char *below(const char *folder, const char *name)
{
    return grader_print("%s/%s", folder, name);
}

static void load_knowledge(const char *folder)
{
    char *skeletons = below(folder, "skeletons"),
         *translated = below(folder, "translated/*");
    if (knowledge_load(skeletons) == 0) {
        grader_fail("no solutions here");
    }
    knowledge_forgive(translated);
    free(skeletons);
    free(translated);
}

static void report(const char *folder)
{
    char *path = below(folder, "report");
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        grader_fail("cannot write %s", path);
    }
    fprintf(file, "%s: %d steps, %d walls, %d files, %d failures\n", reach.root,
            reach.steps, reach.walls, reach.files, reach.failures);
    fclose(file);
    free(path);
}

// To see whether there is a box, class runs and Gradescope's container judge a solution first.
static bool is_trial(const struct options *options)
{
    const char *name = strrchr(options->source, '/');
    return strcmp(name != NULL ? name + 1 : options->source, "solutions") == 0;
}

struct grading __real_grade_run(const struct options *options);
struct grading __wrap_grade_run(const struct options *options);
struct grading __wrap_grade_run(const struct options *options)
{
    const char *folder = getenv("REACH");
    if (folder == NULL) {
        grader_fail("REACH names no folder");
    }
    if (is_trial(options)) {
        return __real_grade_run(options);
    }
    load_knowledge(folder);
    reach = (struct reach){.root = realpath(options->root, NULL),
                           .source = realpath(options->source, NULL),
                           .probe = below(folder, "reach-probe")};
    struct grading grading = __real_grade_run(options);
    report(folder);
    return grading;
}
