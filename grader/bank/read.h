// read.h - reads the cases of a student archive from a bank (bank.h).

#ifndef GRADER_READ_H
#define GRADER_READ_H

#include "cases/case.h"

// The file that holds a part's bank in the folder of banks. Caller frees.
char *bank_path(const char *folder, const struct part *part);

// Returns the cases of a part from its bank in the folder of banks, as cases_draw would
// draw them. Ends the grader if the bank is missing or damaged.
struct case_list bank_draw(const char *folder, const struct part *part, bool gpu);

#endif
