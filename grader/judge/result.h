// result.h - what came out of judging one exercise.

#ifndef GRADER_RESULT_H
#define GRADER_RESULT_H

#include "build/backend.h"
#include "exercises/exercise.h"
#include "judge/rubric.h"

enum verdict {
    PASS,
    WRONG,
    TODO,
    CRASH,
    TIMEOUT,
    MEMORY,
    NOCOMPILE,
    GRADER_ERROR,
    NOT_RUN // there is nothing here to run it on
};

// "pass", "wrong", "todo", "crash", "timeout", "memory", "nocompile",
// "grader_error", "not_run".
const char *verdict_name(enum verdict verdict);

struct drawn; // draw.h

struct result {
    const struct lab_place *place;
    const struct exercise *exercise;
    const struct rule *rule;
    enum backend backend;
    bool chosen;   // judged: asked for, or something asked for builds on it
    bool asked;    // by the options
    bool absent;   // its lab's files are not in the tree
    bool followed; // judged with the workbook's own versions of what it uses
    bool traced;   // its failure follows from that of another exercise
    bool hidden;   // it passes on the cases that are shown, and not on the hidden ones
    // it was not run with the student's own functions, because one that it uses does not
    // return
    bool put_off;
    bool given; // its verdict is that on the cases that are shown
    enum verdict verdict;
    const char *diagnosis; // id of the mistake recognised, or NULL
    struct drawn *drawn;   // its cases, until it is judged
    // of a "todo" of which a part is right: a function that is not written
    const char *unwritten;
    char *note;     // what it was judged on, when not all was the student's, or NULL
    char *headline; // one line on what is wrong, "" for a pass
    char *details;  // the case, expected and got, where to read; "" for a pass
    char *printed;  // what the student's code printed, unchanged; "" for nothing
    size_t printed_size;
    size_t printed_lines; // how many lines that was;
    bool printed_later;   // with those of later calls, where not all was kept
    char *profile;        // what the simulated GPU counted, or NULL
    char *call; // the call that details speak of, as JSON (cases/call.h), or NULL
};

// The points that it is worth.
double result_score(const struct result *result);

// Frees what a result holds.
void result_clear(struct result *result);

// "3.3 masked_softmax", or "3.3 masked_softmax (gpu)". Caller frees.
char *result_title(const struct result *result);

#endif
