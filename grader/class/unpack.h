// unpack.h - a student's archive, read without writing a file of it.

#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include "class/sources.h"

// Takes a lab's files from a zip or tar archive; everything else in it is passed over.
// Refused, with the reason in sources->refusal: what cannot be read to its end; a name that
// leads outside, is not UTF-8 or holds control characters; a link, a device or a pipe; more
// than it may be (counts and sizes in unpack.c); a password.
bool unpack(struct sources *sources, int descriptor, const char *name);

#endif
