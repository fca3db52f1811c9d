// memoryless.h - can code of a student find in one call what another call has left?

#ifndef GRADER_MEMORYLESS_H
#define GRADER_MEMORYLESS_H

#include <stdbool.h>

#include "build/build.h"
#include "build/workshop.h"

// Returns true if the files have no variables, call only functions that keep nothing, and have nothing
// in which the judge could overlook either, such as assembly. Right code without these may get
// false, too: then it is only judged more slowly.
bool build_is_memoryless(const struct workshop *workshop, const struct build *build);

// Returns true if the object calls functions that keep something between calls, such as setenv, other than
// those that print.
bool build_calls_keepers(const struct build *build);

#endif
