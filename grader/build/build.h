// build.h - from a student's files to a worker that can be run.
//
//   attention.c --cc--> attention.o --ld -r, objcopy--> lab.o --cc + build/worker/lab01.o--> worker
//
// objcopy makes every symbol of the student's object local except the functions of the lab's
// contract. A file that brings its own main, cblas_sgemm, expf or __asan_default_options
// therefore replaces nothing outside of itself.

#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "build/backend.h"
#include "build/symbols.h"
#include "build/workshop.h"
#include "exercises/exercise.h"

enum { MAX_FILES = 8, MAX_MISSING = 32 };

// One file of a lab, compiled on its own.
struct unit {
    char *object;  // path of its object, once it is compiled
    char *message; // errors, warnings, or that it is not there
    bool absent, refused, compiled;
};

struct build {
    const struct lab_place *place;
    bool reference;       // made from solutions/, to stand in for a student's lab:
                          // out of the box, and from the cache
    bool trial;           // made from solutions/ as if it were the student's
    enum backend backend; // of a GPU side: where its worker will run
    const char *not_run;  // why nothing of it can be run here, or NULL
    bool absent;          // the lab's files are not in the tree
    struct unit units[MAX_FILES]; // of place->sources
    bool compiled;                // .object is there
    bool refused;                 // by foreign.h, before a compiler saw it
    char *message; // errors, or warnings when it compiled, or which file is missing
    char *object;  // path of the object
    char *instead; // of another, whose functions take the place of the object's; or NULL
    struct symbols symbols; // of the object
    char *worker;           // path of the worker, NULL when it could not be linked
    bool lends;             // the workbook's own functions are linked into it
    bool shared;            // it is a shared object, to be loaded by worker/start.c
    const char *missing[MAX_MISSING]; // functions of the contract that no file defines
    size_t missing_count;
};

// How many files a lab has, and the size of one of them: what compiling it may take.
size_t build_files(const struct build *build);
size_t build_file_size(const struct workshop *workshop, const struct build *build,
                       size_t file);

// Compiles one file of a lab, unless why_not is a sentence; several threads may do so. Never fails: what went wrong is in
// the build. build_join, once all are done, makes one object of them.
void build_file(const struct workshop *workshop, struct build *build, size_t file,
                const char *why_not);
void build_join(const struct workshop *workshop, struct build *build);

// Both, one file after the other.
void build_compile(const struct workshop *workshop, struct build *build);

// Does OpenBLAS's name stand in the lab's files, or does the lab use another? A guess, from which
// nothing follows but how long it takes: what a worker needs is loaded with it.
bool build_may_need_blas(const struct workshop *workshop, const struct build *build);

// A copy of a lab's build in which these functions are those of the reference: the object calls
// them, too. What links it goes through build_link; the copy's own by build_free_variant.
struct build build_variant(const struct workshop *workshop, const struct build *build,
                           const struct build *reference, const char *const *functions,
                           size_t number);
void build_free_variant(struct build *variant);

void build_free(struct build *build);

// What an entry's function is called on this side of its lab; NULL when it has none there.
// Caller frees.
char *build_symbol(const struct lab_place *place, const struct entry *entry);

// The path of one of a lab's files in a tree, or NULL when there is no regular file.
char *lab_file(const char *source, const struct lab_place *place, const char *file);

#endif
