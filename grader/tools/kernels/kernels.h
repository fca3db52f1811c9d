// kernels.h - the solutions' kernels on the simulated GPU, in the judge's own process.

#ifndef GRADER_TOOLS_KERNELS_H
#define GRADER_TOOLS_KERNELS_H

#include <stdbool.h>

#include "cases/case.h"
#include "grade/survey.h"

// The labs' kernels; ends with {0}. grader/rules.mk generates it.
extern const struct built_lab kernel_labs[];

// Whether the compiler fuses for this processor.
extern const bool kernels_are_fused;

// Copies the tensors of a case to the device, calls the launcher, and copies the results back,
// as worker/gpu_simulated.c does. Free output with case_free_outputs. A finding of the simulator ends
// the program.
lab_status kernel_call(const struct test_case *test, const struct entry *entry,
                       void *output[MAX_TENSORS]);

#endif
