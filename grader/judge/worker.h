// worker.h - runs a worker on the cases of an exercise.

#ifndef GRADER_WORKER_H
#define GRADER_WORKER_H

#include "build/build.h"
#include "build/workshop.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/trial.h"

// A worker that was started before the student's code was linked, with its cases laid out.
// judge_ahead starts one for the drawn cases of a result, if possible.
void judge_ahead(const struct options *options, const struct workshop *workshop,
                 const struct build *build, struct result *result);
void ahead_forget(struct ahead *ahead); // NULL is allowed

// Runs the worker on the cases and reads its answer. If the hand-in has used up its time, runs
// nothing, and the outcome's ending is USED_UP.
void worker_run(struct trial *trial);

// Runs the program on the parts of several exercises, those that are attempts last, and reads
// its answer. trial: one of them, for the build and the limits on memory. Caller frees .output.
struct outcome worker_run_parts(const struct trial *trial, double seconds,
                                struct wire_part *parts, size_t count,
                                struct trespass *trespass);

// Are the memory accesses of this exercise's kernels counted? Of those that others use, nobody reads them.
bool is_profiled(const struct options *options, const struct result *result);

// The limit of one run of an exercise, in seconds of processor time; a profiled run has more.
double seconds_of_run(const struct options *options, const struct result *result);

#endif
