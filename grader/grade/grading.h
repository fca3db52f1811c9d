// grading.h - the options and results of a run.

#ifndef GRADER_GRADING_H
#define GRADER_GRADING_H

#include "base/exit_code.h"
#include "judge/options.h"
#include "judge/result.h"

// The compiler's warnings about a file that compiled.
struct warnings {
    const struct lab_place *place;
    char *text;
};

// An earlier lab that was replaced by the workbook's own below the lab at `place`.
struct loan {
    const struct lab_place *place;
    // "judged with the workbook's own lab 2 instead of 2.1 and 2.4, which are todo"
    char *line;
};

struct grading {
    struct options options;
    struct rubric *rubric;
    struct result *results;
    size_t count;
    struct warnings *warnings;
    size_t warning_count;
    struct loan *loans;
    size_t loan_count;
    struct question_row *question_rows; // the exercises of the results "3.q" (answers.h)
    char *hung; // the file that was too much for the compiler, or NULL
    // edited .cu files of the chosen labs, if only the CPU side is judged
    size_t unseen;
    double seconds;
    // options.allowance, if grade_run created it; or NULL
    struct allowance *own_allowance;
};

void grade_free(struct grading *grading);

// Sets the hand-in's allowance to a multiple of the limits of all chosen exercises. Call it again
// after choosing more.
void grade_allow(const struct grading *grading);

// Also chooses all exercises that chosen ones build on, and drops the rest.
void grade_choose_used(struct grading *grading);
void grade_drop_others(struct grading *grading);

enum exit_code grade_exit_code(const struct grading *grading);

// The result of an exercise or of its GPU variant; NULL if it was not judged.
const struct result *grade_find(const struct grading *grading, const char *exercise);
const struct result *grade_find_on(const struct grading *grading, const char *exercise,
                                   bool gpu);

#endif
