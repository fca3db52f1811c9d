// diagnose.h - naming a mistake from its numbers.

#ifndef GRADER_DIAGNOSE_H
#define GRADER_DIAGNOSE_H

#include <stdio.h>

#include "cases/case.h"

// The mistake whose outputs equal the student's on every case; else the one
// that explains all cases that fail, as a mistake made in one of several places does; or NULL.
const struct mistake *diagnose(const struct case_list *cases, const struct entry *entry);

// Does a mistake that stands before this one in its table agree, too? Then that would be named.
bool diagnosed_before(const struct case_list *cases, const struct entry *entry,
                      const struct mistake *mistake);

// The smallest failing case that only one mistake explains, to show as evidence
// for a mistake that diagnose() has named.
const struct test_case *telling_case(const struct case_list *cases,
                                     const struct entry *entry);

// The one mistake that explains this failing case, or NULL when
// there is none or more than one, or the case is too small to tell.
const struct mistake *resemblance(const struct entry *entry,
                                  const struct test_case *test);

// What can be said of a wrong output that equals no known mistake, or "".
void describe_output(FILE *file, const struct tensor *tensor);

#endif
