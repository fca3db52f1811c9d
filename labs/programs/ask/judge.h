// judge.h - judges one answer.

#ifndef LAB_ASK_JUDGE_H
#define LAB_ASK_JUDGE_H

#include <stdbool.h>

#include "programs/ask/questions.h"

enum verdict { RIGHT, WRONG, UNREADABLE };

// Judges the answer in line, which has no blanks around it. If it is wrong, prints why; if it
// cannot be read, prints what is expected. After the last try the answer follows, so there is no hint
// about where to look. Not for KIND_EXPLAIN, which the student compares.
enum verdict judge_answer(const struct question *question, const char *line,
                          bool last_try);

#endif
