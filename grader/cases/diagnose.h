// diagnose.h - recognizes a mistake by its numbers.

#ifndef GRADER_DIAGNOSE_H
#define GRADER_DIAGNOSE_H

#include <stdbool.h>

#include "cases/case.h"

// The mistake whose outputs equal the student's on every case; otherwise the one that
// explains all failing cases, because a mistake may be made in only one of several places;
// or NULL.
const struct mistake *diagnose(const struct case_list *cases, const struct entry *entry);

// Returns true if the mistake found by diagnose() would also show in a call that is right, so only a part of
// the student's code makes it.
bool diagnosed_in_part(const struct case_list *cases, const struct entry *entry,
                       const struct mistake *mistake);

// Returns true if an earlier mistake in the table agrees, too, and would be named instead.
bool diagnosed_before(const struct case_list *cases, const struct entry *entry,
                      const struct mistake *mistake);

// A reader can follow a call with at most EASILY_READ numbers in its inputs.
enum { EASILY_READ = 128 };
bool easily_read(const struct test_case *test);

// The failing case to show as evidence of the mistake found by diagnose(): the smallest one that
// no other mistake explains. If only cases with too many numbers do that, the first that a reader
// can follow.
const struct test_case *telling_case(const struct case_list *cases,
                                     const struct entry *entry,
                                     const struct mistake *mistake);

// The only mistake that explains this failing case. NULL if there is none or more than one, if the case is too
// small to be conclusive, or if it must give NaN. If all wrong numbers are 0 or NaN, every output must equal the
// mistake's, even where it is right.
const struct mistake *resemblance(const struct entry *entry,
                                  const struct test_case *test);

// Returns true if each output of a failing case is either right or the mistake's, and the mistake stays within its
// arguments there.
bool resembles(const struct test_case *test, const struct entry *entry,
               const struct mistake *mistake);

// The wrong numbers of a failing case that are neither 0 nor NaN, which have many causes. Those of a mask count little.
size_t telling_numbers(const struct test_case *test);
size_t telling_values(const struct tensor *tensor); // of one output

#endif
