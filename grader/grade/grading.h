// grading.h - what was asked of a run, and what came out.

#ifndef GRADER_GRADING_H
#define GRADER_GRADING_H

#include "base/exit_code.h"
#include "judge/options.h"
#include "judge/result.h"

// What the compiler warns of in a file that compiled.
struct warnings {
    const struct lab_place *place;
    char *text;
};

struct grading {
    struct options options;
    struct rubric *rubric;
    struct result *results;
    size_t count;
    struct warnings *warnings;
    size_t warning_count;
    char *hung; // the file that the compiler did not come to an end with, or NULL
    // .cu files that a stranger handed in, of the labs asked for, when no GPU was
    size_t unseen;
    double seconds;
};

void grade_free(struct grading *grading);

// Chooses what the chosen ones build on as well; drops what is not chosen.
void grade_choose_used(struct grading *grading);
void grade_drop_others(struct grading *grading);

enum exit_code grade_exit_code(const struct grading *grading);

// The result of an exercise on the CPU, or of its GPU variant; NULL when it was not judged.
const struct result *grade_find(const struct grading *grading, const char *exercise);
const struct result *grade_find_on(const struct grading *grading, const char *exercise,
                                   bool gpu);

#endif
