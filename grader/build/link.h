// link.h - links objects into a worker.

#ifndef GRADER_LINK_H
#define GRADER_LINK_H

#include "build/build.h"
#include "build/workshop.h"

// Links the worker of a lab with the objects of the labs it uses: used[i] for place->uses[i].
void build_link(const struct workshop *workshop, struct build *build,
                struct build *const *used);

// The path of the prebuilt part of a lab's worker. Caller frees.
char *link_harness(const struct workshop *workshop, const struct build *build);

// Where build_link puts the worker of a student's lab if it is a shared object, in a
// separate folder; NULL if it will not be one. Caller frees.
char *build_shared_worker(const struct workshop *workshop, const struct build *build);

// The path of the program that loads it, with or without OpenBLAS; NULL if it does not
// exist. Caller frees.
char *build_starter(const char *root, bool blas);

#endif
