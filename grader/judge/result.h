// result.h - the result of judging one exercise.

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
    NOT_RUN // there is no device to run it on
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
    // judged, because the options select it or an exercise that builds on it
    bool chosen;
    bool asked;    // selected by the options
    bool absent;   // its lab's files are not in the tree
    bool apart;    // it uses none of the failing functions that it could build on
    bool followed; // judged with the workbook's versions of the functions it uses
    bool traced;   // it fails because of another exercise
    bool hidden;   // it passes on the public cases and fails on the hidden ones
    // not run with the student's own functions, because one of them does not return
    bool put_off;
    // timed out before the first call, as every exercise of its lab would
    bool never_starts;
    bool unjudged; // not run, because the hand-in had used up its time
    bool given;    // its verdict is the one on the public cases
    bool together; // passed in a worker together with other exercises (together.h)
    bool late;     // did not return there, and has not been judged since
    bool judging;  // a thread is judging it
    enum verdict verdict;
    const char *diagnosis; // id of the recognized mistake, or NULL
    bool guessed; // the diagnosis names an effect that may have one of several causes
    bool wrong_values;   // numbers are wrong, not a status, and not what is unwritten
    size_t failures;     // the number of wrong calls, if all calls returned
    struct drawn *drawn; // its cases, until it is judged
    // a mistake that explains the failure for certain (grade/repair.c), or NULL
    const struct mistake *repaired;
    // for a partly right "todo": a function that is not written
    const char *unwritten;
    // the function of the failing call that is shown, if it is not the first of the exercise, or NULL
    const char *failing;
    // for a "todo": the file with a function that is not written, or NULL; and whether all of its own
    // functions are written, so that one that they call is not
    const char *file;
    bool written;
    const struct exercise *waits_for; // then: the exercise that it waits for, or NULL
    char *note;     // which of the workbook's functions were used, or NULL
    char *lent;     // which of its earlier labs were used, and why, or NULL
    char *headline; // one line about the failure, "" for a pass
    char *details;  // the case, expected and got, where to read; "" for a pass
    char *printed;  // the student's output, unchanged; "" for none
    size_t printed_size;
    size_t printed_lines; // number of lines of output;
    bool printed_later;   // includes later calls, because not all was kept
    char *profile;        // the simulated GPU's profile, or NULL
    char *call; // the call described in details, as JSON (cases/call.h), or NULL
};

// Whether it is about the answers of make ask, not about code (grade/answers.h).
bool result_is_answers(const struct result *result);

// The points for this result.
double result_score(const struct result *result);

// Frees the contents of a result.
void result_clear(struct result *result);

// "3.3 masked_softmax", or "3.3 masked_softmax (gpu)". Caller frees.
char *result_title(const struct result *result);

#endif
