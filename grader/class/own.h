// own.h - the fingerprints of the workbook's own files (fingerprint.h).

#ifndef GRADER_OWN_H
#define GRADER_OWN_H

#include <stdbool.h>

#include "class/fingerprint.h"

// What everybody was given: every run of tokens of all labs' skeletons. Freed by
// fingerprints_free, as the next.
struct fingerprints own_skeletons(const char *root);

// The workbook's own solution of a lab, told as a hand-in's files are, without what is in known.
// gpu: with its .cu files. Empty where there is none.
struct fingerprints own_solution(const char *root, int lab, bool gpu,
                                 const struct fingerprints *known);

#endif
