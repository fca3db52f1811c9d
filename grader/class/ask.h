// ask.h - one question for an oral exam, about a student's own function and a call with numbers.
//
// Each kind takes the student's lines from the file, and the numbers of the expected answer from
// the workbook's solution or from a known mistake, run on this very call.

#ifndef GRADER_ASK_H
#define GRADER_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "class/code.h"
#include "exercises/exercise.h"

// What a question may be about.
struct subject {
    const struct lab_place *place;
    const struct exercise *exercise;
    const struct part *part;
    const struct code *code; // the part's function in the student's file
    uint64_t seed;           // of this student
    // of a wrong one: the failing call (docs/formats.md), the report, the diagnosis or NULL
    const char *call, *report, *diagnosis;
};

struct question {
    char *ask;            // what to ask
    char *call;           // the call with its inputs
    char *answer;         // what a right answer says
    uint32_t first, last; // the lines to show
};

// The kinds. Each returns false if it finds nothing to ask.
typedef bool asker(const struct subject *subject, struct question *question);

// The failing call, by hand: what is right, what came out, and why.
asker ask_failure;
// The element that one of the student's index expressions reads, and why not with another size.
asker ask_index;
// The call with one row of an input changed: what becomes of the output.
asker ask_change;
// The call with a known mistake in the student's function: which value it would have, and why.
asker ask_mistake;

void question_free(struct question *question);

#endif
