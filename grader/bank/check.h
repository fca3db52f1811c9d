// check.h - checks that a bank gives the same verdicts as the full workbook.

#ifndef GRADER_BANK_CHECK_H
#define GRADER_BANK_CHECK_H

#include "exercises/exercise.h"

// Reads a part's bank. Judges the outputs of the solution, of every alternative and of
// every mistake with the bank and with the full workbook, and checks that each case gives
// the same fault or none, and the same diagnosis. On a difference prints a line on stderr
// and returns false. rows: the row of each case in the bank.
bool bank_check(const char *folder, const char *stem, const struct part *part,
                const struct entry *entry, uint64_t seed, bool gpu, const int64_t *rows);

#endif
