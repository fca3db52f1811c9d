// device.h - checks the contents of a student's GPU object.

#ifndef GRADER_DEVICE_H
#define GRADER_DEVICE_H

#include "build/backend.h"

// Rejects an object that uses functions of the worker or, for the simulated GPU, that
// replaces or controls the simulator or calls functions that cannot be checked. Returns the
// message, or NULL if the object is fine. Caller frees.
char *cuda_refuses(enum backend backend, const char *object);

#endif
