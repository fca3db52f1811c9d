// trial.h - the state of one exercise during judging.

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

struct ahead;    // worker.h
struct attempts; // callees.h

// The state of one exercise during judging.
struct trial {
    const struct options *options;
    const struct build *build;
    struct result *result; // set by judge_exercise
    struct wire_part parts[MAX_PARTS];
    size_t part_count;
    // calls that the worker makes after those of the parts, or NULL
    struct attempts *attempts;
    bool profiled;          // count the kernels' memory accesses
    struct ahead *ahead;    // a waiting worker, or NULL
    double seconds;         // limits of the worker
    struct outcome outcome; // how the worker ended
    struct trespass trespass;
    const struct test_case *shown; // the call described in details, or NULL
    struct text text;              // the details, under construction
};

// The call that did not return. NULL if the worker ended before the first call or returned
// from the last.
const struct test_case *case_entered(const struct trial *trial);

// The worker did what it should, up to the calls' results. If not, calls may be missing.
bool ended_well(const struct trial *trial);

// "softmax_rows(T=2, S=3), large logits". Caller frees.
char *name_call(const struct trial *trial, const struct test_case *test);

// Writes it, and what the outputs held if the call is a repeat.
void describe_call(const struct trial *trial, const struct test_case *test);

// Prints the call's inputs: what fits on a screen, and the command that shows the rest, or all of them
// with --numbers.
void show_call_inputs(const struct trial *trial, const struct test_case *test);

// "_gpu" for the GPU side, otherwise "": the suffix of its function names.
const char *function_suffix(const struct lab_place *place);

#endif
