// ask.h - one question for an oral exam, about a student's own function and a call with numbers.
//
// Each kind takes the student's lines from the file, and the numbers of the expected answer from
// the workbook's solution or from a known mistake, run on this very call.

#ifndef GRADER_ASK_H
#define GRADER_ASK_H

#include <stdbool.h>
#include <stddef.h>
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

// A kind of question: ask_failure.h, ask_index.h, ask_change.h, ask_mistake.h. Returns false if it
// finds nothing to ask.
typedef bool asker(const struct subject *subject, struct question *question);

void question_free(struct question *question);

// A number below count: the same for the same student and salt, others for the neighbor.
size_t subject_choose(const struct subject *subject, int salt, size_t count);

// "1.3, attention_scores (attention.c, lines 61 to 77)". Caller frees.
char *subject_name(const struct subject *subject);

#endif
