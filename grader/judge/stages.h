// stages.h - finds the first wrong step of a function.

#ifndef GRADER_STAGES_H
#define GRADER_STAGES_H

#include "cases/case.h"
#include "cases/list.h"
#include "judge/trial.h"

// For a function with steps, reports the first step whose result differs from the
// solution's in the call that is shown, or else in another failing call, which it names.
void explain_stages(const struct trial *trial, const struct case_list *cases,
                    const struct test_case *shown);

#endif
