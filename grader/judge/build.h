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
#include "judge/symbols.h"
#include "sandbox/paths.h"

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

// workshop.c: a scratch folder under build/ for this run; removed by workshop_close.
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

// Links the worker of a lab with the objects of the labs it uses: used[i] for place->uses[i].
void build_link(const struct workshop *workshop, struct build *build,
                struct build *const *used);

// Where build_link puts the worker of a student's lab when that is a shared object, in a folder
// of its own; NULL when it will not be one. Caller frees.
char *build_shared_worker(const struct workshop *workshop, const struct build *build);

// The path of the program that loads it, with or without OpenBLAS, NULL when it is not there.
// Caller frees.
char *build_starter(const char *root, bool blas);

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
