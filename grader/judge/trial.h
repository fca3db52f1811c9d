// trial.h - one exercise while it is judged.

#ifndef GRADER_TRIAL_H
#define GRADER_TRIAL_H

#include "base/memory.h"
#include "build/build.h"
#include "cases/case.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/wire.h"
#include "sandbox/process.h"

enum { MAX_PARTS = 6 };

struct ahead; // worker.h

// Everything about one exercise while it is judged.
struct trial {
    const struct options *options;
    const struct build *build;
    struct result *result; // filled by judge_exercise
    struct wire_part parts[MAX_PARTS];
    size_t part_count;
    struct ahead *ahead;    // a worker that waits, or NULL
    double seconds;         // what the worker may take
    struct outcome outcome; // of the worker
    struct trespass trespass;
    const struct test_case *shown; // the call that the details speak of, or NULL
    struct text text;              // the details, while they are being written
};

// The call that did not come back; NULL when the worker never got to the first one or
// came back from the last.
const struct test_case *case_entered(const struct trial *trial);

// Writes "softmax_rows(T=2, S=3), large logits".
void describe_call(const struct trial *trial, const struct test_case *test);

// "_gpu" behind the names of the functions of a GPU side, "" otherwise.
const char *function_suffix(const struct lab_place *place);

#endif
