// judge.h - the commands of the workbook that the program calls.

#ifndef LAB_LEARN_JUDGE_H
#define LAB_LEARN_JUDGE_H

#include <stdbool.h>

#include "programs/learn/command.h"
#include "programs/learn/course.h"

struct judge {
    const char *build;          // "build"
    const char *source;         // "labs"
    const char *seed, *backend; // or NULL
    bool profile, color;
    char *grader; // build/grade, or build/one/01/grade
    char *json;   // where it writes the results
};

// Builds the grader of a lab, on the terminal. Returns false if that fails.
bool judge_prepare(struct judge *judge, const struct course *course, size_t lab);

// Starts judging an exercise (id), or with id NULL the whole lab.
void judge_start(const struct judge *judge, struct command *command, int lab,
                 const char *id);

// Takes over the verdicts of the last run. If the files did not compile, no exercise was judged: the states
// stay, and course->uncompiled is set.
void judge_take(const struct judge *judge, struct course *course);

// Prints a hint.
void judge_hint(const struct judge *judge, const char *id, int level);

// make TARGET with LAB=, EX=, Q= where given, on the terminal.
int judge_make(const struct judge *judge, const char *target, int lab, const char *id,
               size_t question);

#endif
