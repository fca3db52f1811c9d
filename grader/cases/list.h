// list.h - all cases of a function, drawn from a seed.

#ifndef GRADER_LIST_H
#define GRADER_LIST_H

#include "cases/case.h"

enum { TURNS = 24 }; // how often two calls of the same sizes alternate

// Draws every case of a part from the seed, smallest first. The same part and seed give the
// same cases on every machine. gpu: leave out the cases for the CPU only.
struct case_list cases_draw(const struct part *part, uint64_t seed, bool gpu);

// Which cases to draw. wanted is asked about a case that has its shapes, but no numbers yet.
struct case_filter {
    bool (*wanted)(const struct test_case *test, const void *context);
    const void *context;
};

// The same without the cases that are not wanted. Both cases of a property are drawn in any case.
struct case_list cases_draw_some(const struct part *part, uint64_t seed, bool gpu,
                                 const struct case_filter *filter);

// Draws the one case that spec describes.
struct case_list cases_of(const struct part *part, const struct case_spec *spec,
                          uint64_t seed);

// Moves the cases that only limit memory behind all others, which keep their order, and returns how many the
// others are. For a list without them: they are large, and known mistakes are not called in them.
size_t cases_put_memory_last(struct case_list *list);

// Adds an empty case.
struct test_case *cases_append(struct case_list *list);

// Computes the expected results with the reference. Call it after the student's code has
// run, which then cannot read them.
void cases_expect(struct case_list *list, const struct entry *reference);

// The same after another run, for oracles whose expected results depend on the student's.
void cases_expect_again(struct case_list *list, const struct entry *reference);
void cases_free(struct case_list *list);

// Removes the calls of sizes that no tensor has (struct case_spec, .most).
void cases_drop_most(struct case_list *list);

// The total number of elements in all tensors of all cases.
size_t cases_elements(const struct case_list *list);

#endif
