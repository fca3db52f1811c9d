// workshop.h - a scratch folder for one run, and the files that its tools may read.

#ifndef GRADER_WORKSHOP_H
#define GRADER_WORKSHOP_H

#include <stdbool.h>

#include "sandbox/paths.h"

struct allowance; // sandbox/allowance.h

// In a run of this project's own tests: which of a file's functions has a contract's name. A file
// may then hold many versions of a function and is compiled once (grader/tests/snippets.h).
struct alias {
    int lab; // 0 ends a list
    char function[64], version[72];
};

// Creates a scratch folder under build/ for this run; workshop_close removes it.
struct workshop {
    const char *root;
    const char *source;
    char *folder;
    struct paths system;  // files of the system that every tool may read
    struct paths headers; // files of the workbook that a compiler may read
    char *precompiled;    // a folder with a compiled header (cuda.h), or NULL
    bool uncached;        // do not use the cache; set for each build
    bool untrusted;       // every tool runs in a box ...
    char *taken;          // ... and .source is this folder below .folder, NULL otherwise
    bool strangers;       // untrusted code, in a box or not: no link leads out of .source
    // charged for linking and other tools, but not for compiling (grade/run.c); or NULL
    struct allowance *allowance;
    bool charges_compiler; // charge it for compiling, too; set for build_changed
    const char *named;     // the name of .source in messages
    bool fast; // .source is the workbook's solutions/fast, which share some code
    const struct alias *aliases; // or NULL
};
struct workshop workshop_open(const char *root, const char *source);

// For an untrusted tree: copies the files of the contract (sandbox/intake.h), and makes
// every tool run in a box.
void workshop_take(struct workshop *workshop);
void workshop_close(struct workshop *workshop);

// Returns true if a file lies in the tree (.source), also after following all links.
bool workshop_holds(const struct workshop *workshop, const char *path);

#endif
