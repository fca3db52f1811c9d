// ran.h - runs a command of the shell, for tests of build/grade as a program.

#ifndef GRADER_TESTS_RAN_H
#define GRADER_TESTS_RAN_H

#include <stddef.h>

#ifndef GRADE
#define GRADE "build/grade"
#define TRANSPLANT "grader/tools/transplant.sh "
#define WRONG "grader/tests/submissions/wrong/"
#endif

struct ran {
    int status;   // the exit status; -1 if a signal ended it
    char *output; // stdout and stderr; free it
};

struct ran run(const char *format, ...) __attribute__((format(printf, 1, 2)));

size_t lines(const char *text);

// Expects one clear line and that exit status.
void expect_refusal(int status, const char *words, const char *command);

#endif
