// workshop.h - a scratch folder for one run, and what its tools may read.

#ifndef GRADER_WORKSHOP_H
#define GRADER_WORKSHOP_H

#include <stdbool.h>

#include "sandbox/paths.h"

// A scratch folder under build/ for this run; removed by workshop_close.
struct workshop {
    const char *root;
    const char *source;
    char *folder;
    struct paths system;  // what every tool may read of the machine
    struct paths headers; // what a compiler may read of the workbook
    bool anew;      // no object is kept, and none is taken that was; set for each build
    bool untrusted; // every tool runs in a box ...
    char *taken;    // ... and .source is this folder below .folder, NULL otherwise
    const char *named; // what .source is called in messages
};
struct workshop workshop_open(const char *root, const char *source);

// A stranger's tree: copies the files of the contract (sandbox/intake.h), and lets every tool
// run in a box.
void workshop_take(struct workshop *workshop);
void workshop_close(struct workshop *workshop);

#endif
