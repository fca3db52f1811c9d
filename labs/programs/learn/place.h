// place.h - where an exercise is written: in the student's files, and in the workbook's.

#ifndef LAB_LEARN_PLACE_H
#define LAB_LEARN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "programs/learn/course.h"

struct place {
    char *path; // NULL: not found
    size_t line;
    bool todo; // a function is as in the skeleton
};

// The comment TODO; without it, the first line of the exercise's function. The caller frees path.
struct place place_of(const struct course *course, const struct exercise *exercise);

// Where to go after a failure: the line that the report names, such as that of a compiler's error, a
// crash or an endless loop; otherwise the function whose call it shows; otherwise as place_of.
struct place place_of_failure(const struct course *course,
                              const struct exercise *exercise, const char *report);

// The exercise of the lab in one of whose functions the place is, or exercise_count.
size_t place_owner(const struct course *course, size_t lab, const struct place *place);

// A hash of the lab's files without the exercise's functions. It changes when other exercises may have.
uint64_t place_around(const struct course *course, const struct exercise *exercise);

// Prints the student's functions of the exercise and the workbook's, beside each other if columns
// is large enough. Returns false if this copy has no solutions.
bool place_compare(FILE *out, const struct course *course,
                   const struct exercise *exercise, int columns);

#endif
