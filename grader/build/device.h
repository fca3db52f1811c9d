// device.h - checks the contents of a student's GPU object.

#ifndef GRADER_DEVICE_H
#define GRADER_DEVICE_H

#include "build/backend.h"

// An object that uses what belongs to the worker is refused, and, simulated, one that replaces or
// steers the simulator, or calls what cannot be looked at: what to say, or NULL. Caller frees.
char *cuda_refuses(enum backend backend, const char *object);

#endif
