// side.h - the state of one side of the labs, CPU or GPU, during judging. Shared by run.c
// and its helpers.
//
//   run.c        the order of the steps
//   beneath.c    finds and describes the failing exercises that an exercise builds on
//   stand_in.c   replaces a failing earlier lab by the solutions
//   follow.c     replaces a failing earlier exercise of the same lab
//   repair.c     undoes slips in a failing function, to name the one that explains the failure
//   earlier.c    replaces earlier labs that pass, but make this one fail
//   fault.c      decides whether a failure is the student's or the grader's
//   reuse.c      reuses the passes of an earlier run
//   variables.c  leaves the variables of other exercises out of a worker

#ifndef GRADER_SIDE_H
#define GRADER_SIDE_H

#include <pthread.h>
#include <stdio.h>

#include "build/build.h"
#include "build/workshop.h"
#include "grade/grading.h"
#include "judge/result.h"

enum {
    MAX_LABS = 64,
    MAX_USED = 16,
    MAX_FAILING = 16,
    MAX_RESULTS = 512,
    MOST_AHEAD = 16
};
_Static_assert((int)MAX_USED == (int)MAX_FILES, "as in struct lab_place");

// One task to do before judging.
struct chore {
    struct build *build; // the lab of which a file is compiled; NULL: draw result's cases
    size_t file;
    struct result *result;
    size_t size;
};

// The progress of a lab; protected by the lock.
struct progress_of_lab {
    size_t files_left;    // files left to compile
    bool joined, linking; // its object is ready; a thread is linking its worker
    size_t unjudged;      // exercises without a verdict,
    size_t asked_left;    // and those of them that were asked for
    bool needs_seconds;   // one that was asked for did not pass
    enum { NOT_YET, NOW, DONE } firm; // the labs it uses are final
    char *worker; // a description of everything in its worker, or NULL (reuse.c)
    char *passed; // the exercises that passed before with the same one, or NULL
};

// One side of the labs, CPU or GPU, with its own files, objects and workers. Labs are
// indexed as in .places.
struct run {
    struct grading *grading;
    const struct workshop *workshop;
    const struct lab_place *places;
    size_t labs;
    bool wanted[MAX_LABS];             // something in it is judged or needed
    struct build own[MAX_LABS];        // builds from the student's tree
    struct build reference[MAX_LABS];  // builds from solutions/, once needed
    bool stood_in[MAX_LABS][MAX_USED]; // the workbook's version is used below a lab
    struct chore chores[MAX_LABS * MAX_FILES + MAX_RESULTS];
    size_t chore_count;
    pthread_t starter; // the thread that may start workers early; they end with it
    size_t ahead;      // number of workers started
    struct result *order[MAX_RESULTS]; // the order in which they are judged
    pthread_mutex_t lock, compiling;   // held while a solution is compiled
    pthread_cond_t change;
    struct progress_of_lab progress[MAX_LABS];
    const struct result *hangs[MAX_RESULTS + 1]; // exercises that did not return in time
    size_t hang_count;
    bool never_starts[MAX_LABS]; // the student's program does not reach a call
};

// Returns true if this exercise is judged on this side; if any exercise of this lab is.
bool is_ours(const struct run *run, const struct result *result);
bool is_judged(const struct run *run, size_t lab);

// Returns true if an exercise of the lab was asked for; others are judged because it uses them.
bool is_asked(const struct run *run, size_t lab);

// Returns true if the result was not asked for, and matters only if an exercise of its own lab
// that was asked for does not pass: then the report tells which of those it uses fails. (A lab
// above this one needs to know all the same, see stand_in.c.)
bool is_second(const struct run *run, const struct result *result);

// The labs that a lab calls, by index.
size_t used_labs(const struct run *run, size_t lab, size_t used[MAX_USED]);

// The objects of the labs that a lab calls, to link with it.
void list_beneath(const struct run *run, size_t lab, struct build *beneath[MAX_USED]);

// A lab's compiled solution; NULL if there is none (student archive). Safe to call from
// several threads.
struct build *reference_of(struct run *run, size_t lab);

// Returns true if the solutions exist, which they do not in the student archive.
bool has_solutions(const struct run *run);

#endif
