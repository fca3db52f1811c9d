// unpack.h - reads a student's archive without writing files.

#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include "class/sources.h"

// Reads a lab's files from a zip or tar archive and skips everything else. A link, device
// or pipe is skipped, but reported if it has the name of a lab's file. The archive is
// refused, with the reason in sources->refusal, if it cannot be read to its end (for
// example, a zip archive without its directory), if a name leads outside or contains
// control characters, if it exceeds a limit (number, size and processor time; see
// unpack.c), or if it has a password.
bool unpack(struct sources *sources, int descriptor, const char *name);

#endif
