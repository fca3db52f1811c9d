// class.h - grade class: grades each hand-in in a separate process, and writes one
// gradebook.
//
// Theory of operation.
//
//   folder ── scan.c ──> one row per student ("waiting")
//                            │
//              ┌─────────────┴───────────┐
//            slot 0                    slot 1          as many as --jobs; each one submission
//              │ grade collect             │           at a time, each step a process of its own
//              │ grade check --lab 1       │
//              │ grade check --lab 2 ...   │
//              └─────────────┬───────────┘
//                     record.c ──> gradebook
//
// This process opens no submission and holds no more than its slots: what it needs to know of a
// class is in the gradebook. It waits for processes, writes down what they found, and goes on,
// whatever becomes of one of them. (slice.h: several machines, each a part.) A lab whose files, rubric, seed and backend were judged
// before is not judged again, so a second run costs little and finds the same marks, and a run
// that was killed is simply started again.

#ifndef GRADER_CLASS_H
#define GRADER_CLASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/option_table.h"
#include "class/gradebook.h"
#include "class/progress.h"
#include "class/digest.h"
#include "exercises/exercise.h"

enum class_exit {
    CLASS_DONE = 0,    // every submission has its marks, or the reason why it has none
    CLASS_FAILED = 1,  // the grader failed on some; run again
    CLASS_USAGE = 2,   // the command line makes no sense
    CLASS_BROKEN = 3,  // the gradebook or the machine: nothing lost, run again
    CLASS_STOPPED = 4, // Ctrl-C; run again to go on
};

enum { MOST_JOBS = 64, MOST_LABS = 64 };

// How untrusted code is judged: in a box.
#define UNTRUSTED_OPTION "--untrusted"

struct class_options {
    const char *root; // the workbook
    char *folder;     // the class
    const char *db;
    char *seed, *hidden_seed; // decimal digits; hidden_seed "" for none
    char *backend;
    char *follow; // as of grade check
    int lab;      // 0: all
    int jobs;
    bool trust, again, resume;
    const char *due; // or NULL
    int64_t due_seconds;
    double penalty; // percent a day
    bool penalty_given;
    double wait;
    int part, parts;          // of --slice; parts 0: everybody
    const char *batch, *copy; // or NULL
};

// The labs that are graded, each with the hash of what it is judged by.
struct class_lab {
    const struct lab_place *place;
    char rubric[DIGEST_SIZE];
    double seconds; // all its exercises may take together
    int marks;      // how many there must be in a report
};

struct class
{
    struct class_options options;
    struct gradebook book;
    struct class_lab labs[MOST_LABS];
    int lab_count;
    int threads; // of a slot: its share of the processors
    int64_t run;
    char *grade;   // the program that judges
    char *scratch; // a folder below build/
    int lock;      // held on it while we live
    struct progress progress;
    double next_copy;
    int graded, absent, refused, failed; // submissions; absent: no file of any lab
    int made, known;                     // gradings
    int unseen;   // hand-ins with edited .cu files, which this run does not judge
    int left_out; // uploads that are neither archives nor source files
};

// options.c: reads the command line and fills in defaults. A wrong command line ends the program
// with CLASS_USAGE and one line.
void class_read_options(struct class_options *options, int argc, char **argv);
extern const struct option_table class_table; // for option_refuse
void class_set(char **to, const char *value); // one of the words that options own

// labs.c: those of --lab, or all, that have something to judge on this backend, with their hashes.
void class_choose_labs(struct class *class);

// scan.c: writes a row for every student into the gradebook; returns how many.
int class_scan(struct class *class);

// scratch.c: a folder of our own under build/, and none that a killed run left behind.
void scratch_open(struct class *class);
void scratch_close(struct class *class);
void scratch_empty(const char *folder); // removes all that is in it

// class.c: the whole command.
int class_command(const char *root, int argc, char **argv);

#endif
