// survey.h - margins on many seeds.

#ifndef GRADER_SURVEY_H
#define GRADER_SURVEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/options.h"

// What margins.h measures, on many seeds, from that of the options on, with as many processes as
// options->jobs says. Also measures the solutions as compiled in other ways. Prints the worst seed and
// case of each right way, and of each mistake that comes too close; returns whether all keep
// their margin.
bool margins_survey(FILE *file, const struct options *options, uint64_t seeds);

#endif
