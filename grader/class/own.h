// own.h - the fingerprints of the workbook's own files (fingerprint.h).

#ifndef GRADER_OWN_H
#define GRADER_OWN_H

#include <stdbool.h>

#include "class/fingerprint.h"

// The fingerprints of all skeletons, with every run of tokens. Free this and the next with
// fingerprints_free.
struct fingerprints own_skeletons(const char *root);

// The fingerprints of the workbook's solution of a lab, computed as for a hand-in, without
// those in known. gpu: with its .cu files. Empty if there is no solution.
struct fingerprints own_solution(const char *root, int lab, bool gpu,
                                 const struct fingerprints *known);

#endif
