// judge.h - one exercise, from a worker to a result.

#ifndef GRADER_JUDGE_H
#define GRADER_JUDGE_H

#include <stdio.h>

#include "judge/build.h"
#include "judge/case.h"
#include "judge/memory.h"
#include "judge/process.h"
#include "judge/wire.h"

enum { MAX_PARTS = 6 };

// The cases of an exercise, drawn before they are needed: while a file is being compiled, the
// other processors have nothing to do.
struct drawn {
    struct wire_part parts[MAX_PARTS];
    size_t part_count;
    size_t elements;     // how much there is to compute, roughly
    struct ahead *ahead; // or NULL
};
void judge_draw(const struct options *options, struct result *result);

// worker.c: a worker that was started before the student's code was linked, and its cases, laid
// out. judge_ahead gives the drawn cases of a result such a one, where build can have one.
struct ahead;
void judge_ahead(const struct options *options, const struct workshop *workshop,
                 const struct build *build, struct result *result);
void ahead_forget(struct ahead *ahead); // NULL is allowed

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

// Judges one exercise on its own, on the cases drawn for it if there are any. Does not look at what it builds on (grade.c does).
void judge_exercise(const struct options *options, const struct build *build,
                    struct result *result);

// worker.c: runs the worker on the cases and reads its answer.
void worker_run(struct trial *trial);

// alone.c: is the call right in a process of its own, with these contents in its outputs and
// workspaces? A result that differs there depends on the calls that came before.
bool right_alone(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test, enum contents contents);

// alone.c: do the same calls of the part fail, and does this one give the same numbers, when all are
// made once more in a new process? What one call alone shows says little of what does not.
bool fails_again(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test);

// accident.c: the worker did not come back from every call. Sets verdict and headline.
void explain_accident(struct trial *trial);

// accident.c: the call that did not come back; NULL when the worker never got to the first one or
// came back from the last.
const struct test_case *case_entered(const struct trial *trial);

// explain.c: sets the result and returns true when an output or a status of the part is wrong;
// when a property does not hold.
bool explain_wrong(struct trial *trial, const struct wire_part *part);
bool explain_property(struct trial *trial, const struct wire_part *part);

// explain.c: the same for a part that went out of bounds, when a known mistake does so in the
// same call and gives the same outputs in all others.
bool explain_before_crash(struct trial *trial, const struct wire_part *part,
                          const struct test_case *crashed);

// explain.c: "softmax_rows(T=2, S=3), large logits".
void describe_call(const struct trial *trial, const struct test_case *test);

// pretend.c: fills in got and the rest as if f were a student's, and settles. What is expected must
// be known; in a hand-out it is read once more, for of a long output it depends on what came out.
void cases_pretend(struct case_list *cases, const struct entry *entry, any_function f);

// diagnose.c: the mistake whose outputs equal the student's on every case of the part; else the one
// that explains all cases that fail, as a mistake made in one of several places does; or NULL.
const struct mistake *diagnose(const struct wire_part *part, const struct entry *entry);

// Does a mistake that stands before this one in its table agree, too? Then that would be named.
bool diagnosed_before(const struct wire_part *part, const struct entry *entry,
                      const struct mistake *mistake);

// diagnose.c: the smallest failing case that only one mistake explains, to show as evidence
// for a mistake that diagnose() has named.
const struct test_case *telling_case(const struct wire_part *part,
                                     const struct entry *entry);

// diagnose.c: the one mistake that explains this failing case, or NULL when
// there is none or more than one, or the case is too small to tell.
const struct mistake *resemblance(const struct entry *entry,
                                  const struct test_case *test);

// diagnose.c: what can be said of a wrong output that equals no known mistake, or "".
void describe_output(FILE *file, const struct tensor *tensor);

// withhold.c: is the program a stranger's, with functions of the workbook in it? Then this takes
// out of the result all that its code can have chosen, but for the verdict.
bool lends_to_a_stranger(const struct options *options, const struct build *build);
void tell_verdict_alone(struct trial *trial);

// "_gpu" behind the names of the functions of a GPU side, "" otherwise.
const char *function_suffix(const struct lab_place *place);

// finding.c: what the simulated GPU found in a student's kernel, if that is how the worker
// ended. Sets the result and returns true.
bool explain_finding(struct trial *trial);

// stages.c: of a function with steps, the first one whose result is not the solution's.
void explain_stages(FILE *file, const struct test_case *test);

// library.c: adds what OpenBLAS printed of arguments that make no sense, in whatever call.
void explain_library(struct trial *trial);

// The lab's entry of a part.
const struct entry *part_entry(const struct lab_place *place, const struct part *part);

#endif
