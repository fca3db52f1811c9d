// options.h - the options of one run of the grader.

#ifndef GRADER_OPTIONS_H
#define GRADER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build/backend.h"

struct grading;   // from an earlier run: grade/grading.h
struct allowance; // sandbox/allowance.h
struct alias;     // build/workshop.h

// Which exercises that build on failing ones are judged again, with the workbook's versions
// of these (follow.c).
enum follow {
    FOLLOW_FAILING, // those that fail, too
    FOLLOW_ALL,     // and those that are "todo"
    FOLLOW_NONE
};

enum {
    PUBLIC_SEED = 1, // of a run without --seed
    MOST_LAB = 63,   // the largest number of a lab
};

struct options {
    const char *source;   // a tree with NN_name/file in it: "labs"
    const char *root;     // the workbook's folder, with labs/, grader/, build/
    int lab;              // the only lab, or 0: those of labs
    uint64_t labs;        // bit n is lab n; 0: all of the tree
    const char *exercise; // "1.3", several as in "1.3 1.5", or NULL
    bool no_cpu;          // judge only the GPU side
    enum backend gpu;     // judge the GPU side on this backend; CPU: no GPU side
    bool warnings;        // show all compiler warnings
    bool numbers;         // show every number of a failing call's inputs
    bool profile;         // report memory accesses of kernels, on the simulated GPU
    bool no_device;       // why the simulator is used instead of a device
    uint64_t seed;
    int hint; // failures show hints up to this level
    enum follow follow;
    // Exercises that were not asked for, in a lab of which others were, count as passed. Only
    // for trees in which their functions are known to be right: tests, mutants.
    bool others_pass;
    size_t jobs;      // tasks at a time; 0: one per processor
    double seconds;   // time limit; 0: as in the points table; tests shorten it
    const char *dump; // save the tensors of the shown call to this file, or NULL
    // Untrusted code: compile and run it in a box (sandbox/box.h), and read only the
    // contract's files from the tree. Without a box, nothing is judged.
    bool untrusted;
    // Untrusted code, in a box or not: if the workbook's functions are used, the report
    // contains nothing that this code could have chosen (withhold.c).
    bool strangers;
    // A file that was too much for the compiler in an earlier run on the same hand-in,
    // "01_name/file.c"; then nothing is compiled. Or NULL.
    const char *hung;
    // In a run on hidden cases: the results on the public cases. Only exercises that pass
    // there are judged. Otherwise NULL.
    const struct grading *shown;
    // The time for all programs of the hand-in, including the run on hidden cases. If NULL,
    // grade_run creates one.
    struct allowance *allowance;
    const struct alias *aliases; // for tests; otherwise NULL
    // A folder for expected results, which another judge of the same cases may use (cases/kept.h). No
    // student code may read or write there. Or NULL.
    const char *kept;
};

// Can make take the folder's name? It cannot take one with a blank.
bool options_fit_make(const struct options *options);

// For a command that a report names: " SRC=mine", or "" if the code is in labs, a stranger's, or in a folder whose
// name make cannot take. Caller frees.
char *options_make_source(const struct options *options);

// What to judge again.
struct again {
    int lab;
    const char *exercise; // or NULL: the lab
    bool gpu;
    unsigned long long seed; // 0: the usual one
    const char *show;        // "warnings", "numbers" or NULL
};

// "make check EX=1.2 GPU=1 SRC=mine", or, where make cannot take the folder's name,
// "build/grade check --src 'my code' --exercise 1.2 --backend gpu". Caller frees.
char *options_command(const struct options *options, const struct again *again);

// Do --lab and --exercise choose this exercise of this lab?
bool options_choose(const struct options *options, int lab, const char *exercise);

#endif
