// survey.h - measures margins over many seeds.

#ifndef GRADER_SURVEY_H
#define GRADER_SURVEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cases/case.h"
#include "judge/options.h"

// The launchers of a lab, in the order of the lab's entries.
struct built_lab {
    int number;
    const char *id; // "solution, fused"
    const struct entry *entries;
};

// Kernels to measure, and how to call them: like case_call, with the tensors on the host.
struct kernels {
    const struct built_lab *labs; // ends with {0}
    lab_status (*call)(const struct test_case *test, const struct entry *entry,
                       void *output[MAX_TENSORS]);
};

// Measures like margins.h for many seeds, starting with that of the options, in
// options->jobs processes. Also measures the solutions compiled in other ways. Prints the
// worst seed and case of each alternative, and of each mistake that comes too close.
// Returns true if all keep their margins. kernels: measures these on the cases of the GPU
// side, and nothing else; or NULL.
bool margins_survey(FILE *file, const struct options *options, uint64_t seeds,
                    const struct kernels *kernels);

#endif
