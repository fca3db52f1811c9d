// repair_try.h - tries changed copies of a file.

#ifndef GRADER_REPAIR_TRY_H
#define GRADER_REPAIR_TRY_H

#include <stdbool.h>
#include <stddef.h>

#include "exercises/exercise.h"
#include "grade/slips.h"
#include "judge/result.h"

struct run;

enum { MOST_PARTS = 64 };

// A place that is not enough: once it is changed, fewer calls are wrong.
struct first_of_two {
    size_t failures;               // wrong calls of the copy; 0: no such place
    const struct mistake *mistake; // that the copy makes, or NULL
    size_t file;
    enum slip_kind kind;
    struct slip slip;
};

// A failing exercise, and places in one of its lab's files.
struct repair {
    struct run *run;
    size_t lab;
    struct result *result;
    char *functions[MOST_PARTS + 1]; // its own, as they are called in the file
    size_t file;
    char *text;
    struct slip slips[MOST_SLIPS];
    size_t count;
    struct first_of_two first; // the best one
    // A copy took too long or too much memory, or there is no time left for another one: nothing is known,
    // and nothing is claimed.
    bool gave_up;
};

// The exercise to judge once more.
struct result judged_again(const struct result *result);

// Does the exercise pass once these places are changed?
bool passes_with(struct repair *repair, const struct slip *slips, size_t count);

// The same for place i alone, of this kind. If it does not pass, but is better than before, and than repair->first,
// that becomes this place. Not an int: as a double it is also better where it was too small, and drops no fraction.
bool passes_with_one(struct repair *repair, enum slip_kind kind, size_t i);

#endif
