// margins.h - measures how well the cases of every exercise separate right from wrong.

#ifndef GRADER_MARGINS_H
#define GRADER_MARGINS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "exercises/exercise.h"
#include "judge/options.h"

// Every known mistake must be at least this many tolerances away from the expected results
// on some case, and every alternative at most this many on all cases.
#define MISTAKE_MARGIN 100.0
#define ALTERNATIVE_MARGIN 0.25

// Returns true if the options (lab, exercise) select this exercise.
bool margins_wanted(const struct options *options, const struct lab_place *place,
                    const struct exercise *exercise);

// Prints the distance of every mistake and every alternative in tolerances, for the seed of
// the options. Returns true if all keep their margins and no two mistakes of a function
// look alike.
bool margins_print(FILE *file, const struct options *options);

#endif
