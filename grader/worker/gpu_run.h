// gpu_run.h - a launcher's call on the simulated GPU, for the files listed in gpu.c.

#ifndef GRADER_WORKER_GPU_RUN_H
#define GRADER_WORKER_GPU_RUN_H

#include "gpu/simulator.h"
#include "worker/gpu_job.h"

// ---- gpu_simulated.c ----------------------------------------------------------------------

// In a call in which another one fails on purpose, what may follow from that is no finding.
extern enum findings { ALL_FINDINGS, NONE_OF_LAUNCHES, NO_FINDINGS } findings_counted;

bool runs_no_kernel(const struct call_record *call);
// New memory and a new stream. strict: the rules for launchers hold.
void begin_run(struct job *job, enum gpu_order order, bool strict);
// Calls the launcher, waits, and copies the outputs.
void finish_run(struct job *job, char *output);
// Both, strictly.
void run_in_order(struct job *job, enum gpu_order order, char *output);
void copy_back(const struct job *job, char *output);
void outputs_as_before(const struct job *job, char *output);

// ---- gpu_blocks.c -------------------------------------------------------------------------

void run_some_blocks(struct job *job, struct answer *answer, char *output);

// ---- gpu_failing.c ------------------------------------------------------------------------

// counts: failing_begin returned true
void call_with_failing_callee(struct job *job, struct answer *answer, bool counts,
                              char *output);
void call_with_failing_launch(struct job *job, struct answer *answer, char *output);

// ---- gpu_profile.c ------------------------------------------------------------------------

extern bool profiling;

void profile_begin(bool on);
// After a call: keeps, for each kernel, the call with the most accesses.
void profile_keep(void);
// Prints them.
void profile_end(void);

#endif
