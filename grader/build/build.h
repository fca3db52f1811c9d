// build.h - from a student's files to a worker that can be run.
//
//   attention.c --cc--> attention.o --ld -r, objcopy--> lab.o --cc + build/worker/lab01.o--> worker
//
// objcopy makes every symbol of the student's object local except the functions of the
// lab's contract. So a file that defines its own main, cblas_sgemm, expf or
// __asan_default_options replaces nothing outside itself.

#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "build/backend.h"
#include "build/symbols.h"
#include "build/workshop.h"
#include "exercises/exercise.h"

enum { MAX_FILES = 16, MAX_MISSING = 32 };

// One file of a lab, compiled on its own.
struct unit {
    char *object;  // path of the object, once compiled
    char *message; // errors, warnings, or "no such file"
    bool absent, refused, compiled;
};

struct build {
    const struct lab_place *place;
    // built from solutions/ to replace a student's lab: outside the box, from the cache
    bool reference;
    bool trial;                   // made from solutions/ as if it were the student's
    enum backend backend;         // for a GPU side: where its worker will run
    const char *not_run;          // why it cannot run here, or NULL
    bool absent;                  // the lab's files are not in the tree
    struct unit units[MAX_FILES]; // of place->sources
    bool compiled;                // .object is there
    bool refused;                 // by foreign.h, before compiling
    char *message; // errors, or warnings when it compiled, or which file is missing
    char *object;  // path of the object
    char *instead; // another object whose functions replace the object's; or NULL
    struct symbols symbols; // of the object
    char *worker;           // path of the worker; NULL if linking failed
    bool alone;             // made by build_alone or build_changed
    bool lends;             // the workbook's own functions are linked into it
    bool shared;            // the worker is a shared object, loaded by worker/start.c
    const char *missing[MAX_MISSING]; // functions of the contract that no file defines
    size_t missing_count;
};

// The number of a lab's files, and the size of one, which suggests how long it takes to
// compile.
size_t build_files(const struct build *build);
size_t build_file_size(const struct workshop *workshop, const struct build *build,
                       size_t file);

// Compiles one file of a lab, unless why_not is given. Safe to call from several threads.
// Errors are stored in the build. When all files are compiled, build_join joins their
// objects.
void build_file(const struct workshop *workshop, struct build *build, size_t file,
                const char *why_not);
void build_join(const struct workshop *workshop, struct build *build);

// Does both, one file after the other.
void build_compile(const struct workshop *workshop, struct build *build);

// Guesses whether the lab uses OpenBLAS: its name occurs in the files, or the lab uses
// another lab. A wrong guess only costs time, because a worker loads what it needs.
bool build_may_need_blas(const struct workshop *workshop, const struct build *build);

// A copy of a lab's build in which one file has another text. Compiling it counts toward the hand-in's time.
// name distinguishes such copies; a later one of the same name replaces it. Link it with build_link and free it
// with build_free_changed.
struct build build_changed(const struct workshop *workshop, const struct build *build,
                           size_t file, const char *text, const char *name);
void build_free_changed(struct build *changed, size_t file);

void build_free(struct build *build);

// The name of an entry's function on this side of its lab; NULL if it has none there.
// Caller frees.
char *build_symbol(const struct lab_place *place, const struct entry *entry);

// The path of one of a lab's files in a tree, or NULL if there is no such regular file.
char *lab_file(const char *source, const struct lab_place *place, const char *file);

#endif
