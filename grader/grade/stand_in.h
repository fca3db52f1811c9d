// stand_in.h - replaces failing earlier labs by their solutions.

#ifndef GRADER_STAND_IN_H
#define GRADER_STAND_IN_H

#include "grade/side.h"

// Students may call functions of earlier labs that the solution does not call. These must
// be judged, too, to know whether they need replacement.
void choose_called(struct run *run);

// Is a lab that it uses missing? Then only stand_in links its worker.
bool lacks_a_lab(const struct run *run, size_t lab);

// Links the worker again if an earlier lab must be replaced.
void stand_in(struct run *run, size_t lab);

#endif
