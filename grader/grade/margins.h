// margins.h - how well the cases of every exercise tell right from wrong.

#ifndef GRADER_MARGINS_H
#define GRADER_MARGINS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "exercises/exercise.h"
#include "judge/options.h"

// Every known mistake must be at least this many tolerances away from what is expected on
// some case, every other right way at most this many on all of them.
#define MISTAKE_MARGIN 100.0
#define ALTERNATIVE_MARGIN 0.25

// Is this exercise among those that the options name (lab, exercise)?
bool margins_wanted(const struct options *options, const struct lab_place *place,
                    const struct exercise *exercise);

// Prints the distance of every mistake and of every alternative, in tolerances, on the seed of
// the options; returns whether all keep their margin, and no two mistakes of a function look alike.
bool margins_print(FILE *file, const struct options *options);

#endif
