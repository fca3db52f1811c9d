// slot.h - processes one submission, one process after another, until all labs have marks.

#ifndef GRADER_SLOT_H
#define GRADER_SLOT_H

#include <cjson/cJSON.h>

#include "class/absence.h"
#include "class/class.h"

struct slot {
    struct class *class;
    char *folder;           // the slot's folder in the scratch folder
    int64_t submission;     // 0: free
    char *label;            // the student's name
    cJSON *manifest;        // the manifest, once collect has finished
    int lab;                // index of the current lab
    int attempt;            // failed attempts of the grader on this lab
    int together;           // labs that the current process judges
    bool apart;             // judge the labs one by one
    bool failed;            // some lab could not be graded
    char *hung;             // a file that was too much for the compiler, or NULL ...
    char *hung_hash;        // ... and the hash of its lab
    struct absence absence; // labs without a file
    double points, most;
    char *late; // what the terminal says on late labs, "" for none
    pid_t pid;  // the current process; 0: none
    int pidfd;
    double started, deadline;
};

// Puts the next waiting submission into a free slot. Returns false if there is none.
bool slot_take(struct slot *slot, int64_t *last);
// Call it when the slot's process has ended. Starts the next step, or frees the slot.
void slot_step(struct slot *slot);
// Call it when the slot's process has taken too long.
void slot_timeout(struct slot *slot);
// Ends the current process; the submission stays in the queue.
void slot_stop(struct slot *slot);

double slot_now(void);

// Reads the JSON file of one of our processes. NULL if it is missing, larger than `most`
// bytes, or not JSON. Caller deletes.
cJSON *slot_read_json(const char *path, size_t most);

// record.c: stores the results of a step in the gradebook.
//
// Stores the results of collect. A NULL manifest is a failure of the grader with the given
// reason.
void record_collected(struct slot *slot, const char *reason);
// The grading for the slot's lab, or 0 if it has not been graded yet.
int64_t record_known(struct slot *slot);
// Uses a grading for the slot's lab and adds its points.
void record_piece(struct slot *slot, int64_t grading);
// Why none of the submission's exercises has points: "4 are wrong, 2 are not written". Caller frees.
char *record_why_none(const struct slot *slot);
// Returns true if each lab's part of a report on several labs is what a report on this lab alone
// would be: no lab has cost another one its compilation or its time.
bool record_separable(const char *path);
// Stores the slot's lab's part of the report of a new grading. Returns NULL, or else a problem, which the caller
// frees.
char *record_report(struct slot *slot, const char *path, double seconds);
// The lab could not be graded.
void record_failure(struct slot *slot, const char *reason);

#endif
