// near.h - the function of a student's object whose name is nearly that of one that is missing: who writes
// attention_score has not left attention_scores out.

#ifndef GRADER_BUILD_NEAR_H
#define GRADER_BUILD_NEAR_H

#include "build/build.h"

// "attention_score" for "attention_scores": the name of a function in the lab's object that differs from
// this symbol in one character, or two of a long name, and is none of the lab's own functions. NULL if there
// is none, or two. The caller frees it.
char *build_near(const struct build *build, const char *symbol);

#endif
