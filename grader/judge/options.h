// options.h - what is asked of one run of the grader.

#ifndef GRADER_OPTIONS_H
#define GRADER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build/backend.h"

struct grading; // of an earlier run: grade/grading.h

// An exercise that builds on failing ones of its lab: is it judged once more, with the workbook's
// own versions in their place (follow.c)?
enum follow {
    FOLLOW_FAILING, // those that fail
    FOLLOW_ALL,     // and those that are "todo"
    FOLLOW_NONE
};

struct options {
    const char *source;   // a tree with NN_name/file in it: "labs"
    const char *root;     // where the workbook lies: labs/, grader/, build/
    int lab;              // 0: all of the tree
    const char *exercise; // "1.3", or NULL
    bool no_cpu;          // leave out the CPU side
    enum backend gpu;     // judge the GPU side, too, on this; CPU: leave it out
    bool warnings;        // show all that the compiler warns of
    bool profile;         // count what kernels do to memory, on the simulated GPU
    bool no_device;       // the device was wanted, and this is what there is instead
    uint64_t seed;
    int hint; // hints up to this level are shown with a failure
    enum follow follow;
    size_t jobs;      // things done at a time, 0: one per processor
    double seconds;   // 0: as the points table says; tests shorten it
    const char *dump; // write the tensors of the shown call to this file, or NULL
    // Strangers' code: compiled and run in a box (sandbox/box.h), and only the files of the
    // contract are taken from the tree. Where no box can be had, nothing is judged.
    bool untrusted;
    // Strangers' code, in a box or not: where the workbook's own functions stand in, the report
    // contains nothing that it could have chosen (withhold.c).
    bool strangers;
    // A file that was too much for the compiler in an earlier run on the same hand-in, "01_name/file.c",
    // or NULL: then nothing is compiled.
    const char *hung;
    // Of hidden cases: what came out on those that are shown, or NULL. What does not pass there is
    // not judged again.
    const struct grading *shown;
};

#endif
