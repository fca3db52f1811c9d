// survey.h - measures margins over many seeds.

#ifndef GRADER_SURVEY_H
#define GRADER_SURVEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/options.h"

// Measures like margins.h for many seeds, starting with that of the options, in
// options->jobs processes. Also measures the solutions compiled in other ways. Prints the
// worst seed and case of each alternative, and of each mistake that comes too close.
// Returns true if all keep their margins.
bool margins_survey(FILE *file, const struct options *options, uint64_t seeds);

#endif
