// own.h - the fingerprints of the workbook's own files (fingerprint.h).

#ifndef GRADER_OWN_H
#define GRADER_OWN_H

#include <stdbool.h>

#include "class/fingerprint.h"

// The fingerprints of all skeletons, with every run of tokens. Free this and the others with
// fingerprints_free.
struct fingerprints own_skeletons(const char *root);

// The fingerprints of the workbook's solution of a lab, computed as for a hand-in, without
// those in known. fast: of solutions/fast. gpu: with its .cu files. Empty if there is none.
struct fingerprints own_solution(const char *root, int lab, bool fast, bool gpu,
                                 const struct fingerprints *known);

// What anybody may write, because the workbook writes it: every run of tokens, and every
// passage (passages.h), of all skeletons and solutions, plain and fast, of all labs.
struct own_code {
    struct fingerprints runs, passages;
};
struct own_code own_code_read(const char *root);
void own_code_free(struct own_code *code);

// The text of a file of a lab; an empty one if there is none. Caller frees.
char *own_text(const char *root, const char *folder, const char *lab, const char *name,
               size_t *size);

#endif
