// side.h - one side of the labs, CPU or GPU, while it is judged. Shared by run.c and its helpers.
//
//   run.c        what happens when
//   beneath.c    what an exercise builds on and does not pass, and the words for it
//   stand_in.c   an earlier lab that does not pass is stood in for by the solutions
//   follow.c     so is an earlier exercise of the same lab
//   fault.c      was a failure the student's, or the grader's?

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
    MAX_USED = 8,
    MAX_FAILING = 16,
    MAX_RESULTS = 512,
    MOST_AHEAD = 16
};
_Static_assert((int)MAX_USED == (int)MAX_FILES, "as in struct lab_place");

// One thing to do before anything is judged.
struct chore {
    struct build *build; // compile its file, or NULL: draw the cases of result
    size_t file;
    struct result *result;
    size_t size;
};

// How far a lab has come; only looked at and changed under the lock.
struct progress_of_lab {
    size_t files_left;    // to compile
    bool joined, linking; // its one object is there; a thread links its worker
    size_t unjudged;      // exercises that have no verdict yet
    enum { NOT_YET, NOW, DONE } firm; // is it decided what lies beneath?
};

// One side of the labs, CPU or GPU: each has its own files, objects and workers. Labs are
// numbered here by their place in .places.
struct run {
    struct grading *grading;
    const struct workshop *workshop;
    const struct lab_place *places;
    size_t labs;
    bool wanted[MAX_LABS];             // something of it is judged, or calls it
    struct build own[MAX_LABS];        // from the student's tree
    struct build reference[MAX_LABS];  // from solutions/, once it is needed
    bool stood_in[MAX_LABS][MAX_USED]; // beneath a lab lies the workbook's own
    struct chore chores[MAX_LABS * MAX_FILES + MAX_RESULTS];
    size_t chore_count;
    pthread_t starter; // who may start workers ahead: they end with the thread that did
    size_t ahead;      // how many it has started
    struct result *order[MAX_RESULTS]; // in which exercises are judged
    pthread_mutex_t lock, compiling;   // the latter while a solution is compiled
    pthread_cond_t change;
    struct progress_of_lab progress[MAX_LABS];
    const struct result *hangs[MAX_RESULTS + 1]; // those that did not come back in time
    size_t hang_count;
};

// Is this exercise judged, and on this side? Is anything of this lab?
bool is_ours(const struct run *run, const struct result *result);
bool is_judged(const struct run *run, size_t lab);

// The labs that a lab calls: each as its number here.
size_t used_labs(const struct run *run, size_t lab, size_t used[MAX_USED]);

// The objects of the labs that a lab calls, as they are to be linked beneath it.
void list_beneath(const struct run *run, size_t lab, struct build *beneath[MAX_USED]);

// A lab's solution, compiled; NULL where there is none (the student archive). Safe in several threads.
struct build *reference_of(struct run *run, size_t lab);

// Are the solutions here? Not in the student archive.
bool has_solutions(const struct run *run);

#endif
