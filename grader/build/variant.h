// variant.h - other objects made from a lab's object, without compiling a file again.

#ifndef GRADER_VARIANT_H
#define GRADER_VARIANT_H

#include <stddef.h>

#include "build/build.h"
#include "build/workshop.h"

// A copy of a lab's build in which these functions come from the reference; the student's
// other functions call them, too. Link it with build_link and free it with
// build_free_variant.
struct build build_variant(const struct workshop *workshop, const struct build *build,
                           const struct build *reference, const char *const *functions,
                           size_t number);
void build_free_variant(struct build *variant);

// A copy of a lab's build that contains only these functions of the lab and what they need, so not the
// other functions' variables. Nothing of it runs before main. name distinguishes such copies. Link it
// with build_link and free it with build_free_alone.
struct build build_alone(const struct workshop *workshop, const struct build *build,
                         const char *const *functions, const char *name);
void build_free_alone(struct build *alone);

#endif
