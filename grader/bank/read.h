// read.h - a hand-out's cases, from a bank (bank.h).

#ifndef GRADER_READ_H
#define GRADER_READ_H

#include "cases/case.h"

// The cases of a part that has a bank, as cases_draw would have drawn them, from the folder
// that banks lie in. A bank that is not there or broken ends the grader.
struct case_list bank_draw(const char *folder, const struct part *part, bool gpu);

#endif
