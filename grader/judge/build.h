// build.h - from a student's files to a worker that can be run.
//
//   attention.c --cc--> attention.o --ld -r, objcopy--> lab.o --cc + build/worker/lab01.o--> worker
//
// objcopy makes every symbol of the student's object local except the functions of the lab's
// contract. A file that brings its own main, cblas_sgemm, expf or __asan_default_options
// therefore replaces nothing outside of itself.

#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "judge/grade.h"

enum { MAX_MISSING = 32, MAX_READABLE = 128 };

struct build {
    const struct lab_place *place;
    bool reference;       // made from solutions/, to stand in for a student's lab
    enum backend backend; // of a GPU side: where its worker will run
    const char *not_run;  // why nothing of it can be run here, or NULL
    bool absent;          // the lab's files are not in the tree
    bool compiled;        // .object is there
    char *message; // errors, or warnings when it compiled, or which file is missing
    char *object;  // path of the object
    char *worker;  // path of the worker, NULL when it could not be linked
    const char *missing[MAX_MISSING]; // functions of the contract that no file defines
    size_t missing_count;
};

// A scratch folder under build/ for this run; removed by workshop_close.
struct workshop {
    const char *root;
    const char *source;
    char *folder;
    const char *readable[MAX_READABLE]; // by every tool; ends with NULL
    size_t readable_count;
    const char *writable[3];
};
struct workshop workshop_open(const char *root, const char *source);
void workshop_close(struct workshop *workshop);

// Compiles the files of one lab. Never fails: what went wrong is in the build.
void build_compile(const struct workshop *workshop, struct build *build);

// Links the worker of a lab with the objects of the labs it uses: used[i] for place->uses[i].
void build_link(const struct workshop *workshop, struct build *build,
                struct build *const *used);

void build_free(struct build *build);

// The path of one of a lab's files in a tree, or NULL when there is no regular file.
char *lab_file(const char *source, const struct lab_place *place, const char *file);

#endif
