// explain.h - describes what is wrong with the results of a part.

#ifndef GRADER_EXPLAIN_H
#define GRADER_EXPLAIN_H

#include "cases/case.h"
#include "judge/trial.h"

// If an output or a status of the part is wrong (or if a property does not hold), sets the
// result and returns true.
bool explain_wrong(struct trial *trial, const struct wire_part *part);
bool explain_property(struct trial *trial, const struct wire_part *part);

// The smallest call of a part with a wrong result, or NULL.
const struct test_case *smallest_wrong(const struct wire_part *part);

// The first call of a part for which one of its properties does not hold, or NULL.
const struct test_case *broken_property(const struct wire_part *part);

// The same for a part that went out of bounds, if a known mistake does so in the same call
// and gives the same outputs in all others.
bool explain_before_crash(struct trial *trial, const struct wire_part *part,
                          const struct test_case *crashed);

// Adds to the report on a crash the mistake that result->repaired says explains it, if any.
void explain_repaired_crash(struct trial *trial);

#endif
