// unpack.h - a student's archive, read without writing a file of it.

#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include "class/sources.h"

// Takes a lab's files from a zip or tar archive; everything else in it is passed over.
// A link, a device or a pipe is passed over, and named where a lab's file would be. Refused, with
// the reason in sources->refusal: what cannot be read to its end, as a zip archive without its
// directory; a name that leads outside or holds control characters; more than it may be (counts,
// sizes and processor time in unpack.c); a password.
bool unpack(struct sources *sources, int descriptor, const char *name);

#endif
