// slot.h - one submission on its way: a process after another, until all labs have their marks.

#ifndef GRADER_SLOT_H
#define GRADER_SLOT_H

#include <cjson/cJSON.h>

#include "class/absence.h"
#include "class/class.h"

struct slot {
    struct class *class;
    char *folder;       // of the slot, below the scratch folder
    int64_t submission; // 0: free
    char *label;        // the student's name
    cJSON *manifest;    // what collect found, once it has
    int lab;            // index of the lab that is being graded
    int attempt;        // of this lab, ours failing
    bool failed;        // some lab could not be graded
    char *hung;         // a file of it that was too much for the compiler, or NULL ...
    char *hung_hash;    // ... and the hash of its lab
    struct absence absence; // of its labs, those without a file
    double points, most;
    pid_t pid; // what we wait for; 0: nothing
    int pidfd;
    double started, deadline;
};

// The next waiting submission is put into a free slot. false: there is none.
bool slot_take(struct slot *slot, int64_t *last);
// Its process has ended: the next step. The slot is free again at the end.
void slot_step(struct slot *slot);
// Its process has taken too long.
void slot_timeout(struct slot *slot);
// Ends what it is doing; the submission goes on waiting.
void slot_stop(struct slot *slot);

double slot_now(void);

// What a process of ours left in a file; NULL when it is not there, larger than most bytes, or
// not JSON. Caller deletes.
cJSON *slot_read_json(const char *path, size_t most);

// record.c: what a step found, into the gradebook.
//
// What collect found; a NULL manifest is a failure of ours, and reason says which.
void record_collected(struct slot *slot, const char *reason);
// The grading that counts for the slot's lab, or 0 when it has not been graded yet.
int64_t record_known(struct slot *slot);
// The grading counts for the slot's lab; its points are added up.
void record_piece(struct slot *slot, int64_t grading);
// The report of a grading just made. NULL when all is well, else what is wrong with it; caller
// frees.
char *record_report(struct slot *slot, const char *path, double seconds);
// The lab could not be graded.
void record_failure(struct slot *slot, const char *reason);

#endif
