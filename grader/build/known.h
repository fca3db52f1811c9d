// known.h - the exercises that passed before with the very same worker.
//
// Checking lab 6 also judges the exercises of labs 2 to 5 that it uses, so that a failure is traced to
// its cause. The files of those labs seldom change. So passes are kept in build/cache/passes. A pass
// is valid as long as the judge, the cases and everything in the worker stay the same.
//
// Like objects (cache.h), passes are kept only where student code cannot write there.

#ifndef GRADER_KNOWN_H
#define GRADER_KNOWN_H

#include <stdbool.h>

#include "build/build.h"
#include "build/workshop.h"

// Describes everything that decides what a lab's worker does; used[i] is for place->uses[i]. NULL if no
// pass may be kept. Caller frees.
char *known_worker(const struct workshop *workshop, const struct build *build,
                   struct build *const *used);

// Returns the exercises that passed, as " 4.1 4.2 ", or NULL. `what` describes the worker and the cases.
// Caller frees.
char *known_find(const char *root, const char *what);

// Keeps such a list. If it cannot be written, nothing is kept; this is not an error.
void known_keep(const char *root, const char *what, const char *passed);

#endif
