// check.h - does a bank judge as the whole workbook does?

#ifndef GRADER_BANK_CHECK_H
#define GRADER_BANK_CHECK_H

#include "exercises/exercise.h"

// Reads a part's bank, and judges by it and by the whole workbook what the solution, every other
// right way and every mistake compute: case by case the same fault or none, and the same name.
// False after a line on stderr.
bool bank_check(const char *folder, const char *stem, const struct part *part,
                const struct entry *entry, uint64_t seed, bool gpu);

#endif
