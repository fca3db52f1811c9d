// class.h - grade class: grades each hand-in in a separate process, and writes one
// gradebook.
//
// Theory of operation.
//
//   folder ── scan.c ──> one row per student ("waiting")
//                            │
//              ┌─────────────┴───────────┐
//            slot 0                    slot 1          --jobs slots; each handles one submission
//              │ grade collect             │           at a time, each step a process of its own
//              │ grade check --lab=1 ...   │           the labs without marks, in one process or
//              │                           │           one after the other (slot.c)
//              └─────────────┬───────────┘
//                     record.c ──> gradebook
//
// This process opens no submission and keeps nothing but its slots in memory; everything
// about the class is in the gradebook. It starts processes, records their results and
// continues, even if one of them fails. A lab with the same files, rubric, seed and backend
// is judged only once, so a second run is cheap and finds the same marks (new points of an
// exercise change the marks without judging again, worth.c). After a crash,
// run the same command again. (slice.h: several machines, each with a part of the class.)

#ifndef GRADER_CLASS_H
#define GRADER_CLASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/option_table.h"
#include "class/csv.h"
#include "class/gradebook.h"
#include "class/progress.h"
#include "class/digest.h"
#include "class/worth.h"
#include "exercises/exercise.h"

enum class_exit {
    CLASS_DONE = 0,    // every submission has marks, or a reason for having none
    CLASS_FAILED = 1,  // the grader failed on some; run again
    CLASS_USAGE = 2,   // the command line is wrong
    CLASS_BROKEN = 3,  // the gradebook or the machine failed; nothing is lost, run again
    CLASS_STOPPED = 4, // Ctrl-C; run again to continue
};

enum { MOST_JOBS = 64, MOST_LABS = 64 };

// Untrusted code is judged in a box.
#define UNTRUSTED_OPTION "--untrusted"

struct class_options {
    const char *root; // the workbook
    char *folder;     // the class
    const char *db;
    char *seed, *hidden_seed; // decimal digits; hidden_seed "" for none
    char *backend;
    char *follow; // as for grade check
    int lab;      // 0: all
    int jobs;
    bool trust, again, resume;
    const char *due; // or NULL
    int64_t due_seconds;
    double penalty; // percent a day
    bool penalty_given;
    const char *roster, *extensions; // tables (roster.h), or NULL
    const char *times;               // a table of times (times.h), or NULL
    char *file_times;                // "charge", "ignore", or NULL: as before
    bool sure;                       // most are late, and that is right
    double wait;
    int part, parts;          // from --slice; parts 0: all students
    const char *batch, *copy; // or NULL
};

// The labs to grade, each with the hash of the files that judge it.
struct class_lab {
    const struct lab_place *place;
    char rubric[DIGEST_SIZE];
    double seconds; // time limit of all its exercises together
    int marks;      // number of exercises in a report
    struct worth worth;
};

struct class
{
    struct class_options options;
    struct gradebook book;
    struct class_lab labs[MOST_LABS];
    int lab_count;
    int threads; // threads per slot: its share of the processors
    int64_t run;
    struct csv times; // of --times
    char *grade;      // the program that judges
    char *scratch;    // a folder below build/
    int lock;         // lock on it while this process runs
    struct progress progress;
    double next_copy;
    int graded, absent, refused, failed; // submissions; absent: no file of any lab
    int made, known;                     // gradings
    int rated;                           // gradings that got new points
    int unseen;   // hand-ins with edited .cu files that this run does not judge
    int left_out; // uploads that are neither archives nor source files
    int nobodys;  // entries of the folder without a student
};

// options.c: reads the command line and sets defaults. After a wrong command line prints
// one line and exits with CLASS_USAGE.
void class_read_options(struct class_options *options, int argc, char **argv);
// Says that the cases are those that every student has, if they are.
void class_tell_seed(const struct class_options *options);
extern const struct option_table class_table; // for option_refuse
void class_set(char **to, const char *value); // storage of an option's value

// labs.c: the lab of --lab, or all labs with exercises for this backend, with their hashes.
void class_choose_labs(struct class *class);

// Refuses the command line if there is no such lab.
void class_need_lab(const struct option_table *table, int number);
// The points of a lab in grader/points.txt, with its GPU side and its questions.
double class_lab_points(const char *root, int number);

// scan.c: ends the program if the folder holds no hand-in, unless there is a roster to read.
void class_check_folder(const struct class *class);
// scan.c: writes a row for every student to the gradebook and returns their number. Call it
// in a transaction.
int class_scan(struct class *class);

// scratch.c: creates a scratch folder under build/ and removes those of killed runs.
void scratch_open(struct class *class);
void scratch_close(struct class *class);
void scratch_empty(const char *folder); // removes its contents

// class.c: the command.
int class_command(const char *root, int argc, char **argv);

#endif
