// call.h - writes one call with its tensors as JSON and as a tensor file.

#ifndef GRADER_CALL_H
#define GRADER_CALL_H

#include "cases/case.h"

enum { CALL_MOST_VALUES = 1024 }; // elements; larger tensors appear without their values

// The call as JSON (docs/formats.md). Caller frees.
char *call_json(const struct test_case *test);

// Writes every tensor completely: inputs under their names, outputs as NAME.expected and
// NAME.got. Does nothing if path is NULL. Ends the grader if the file cannot be written.
void call_dump(const struct test_case *test, const char *path);

#endif
