// call.h - one call with its tensors, for programs: as JSON and as a tensor file.

#ifndef GRADER_CALL_H
#define GRADER_CALL_H

#include "cases/case.h"

enum {
    CALL_MOST_VALUES = 1024
}; // of one tensor; larger ones are named without their values

// docs/formats.md describes it. Caller frees.
char *call_json(const struct test_case *test);

// Writes every tensor, whole: inputs by their names, outputs as NAME.expected and NAME.got.
// path NULL: nothing. Ends the grader when it cannot be written.
void call_dump(const struct test_case *test, const char *path);

#endif
