// shared.h - shared by the exercises of lab 8.

#ifndef GRADER_08_SHARED_H
#define GRADER_08_SHARED_H

#include "exercises/common/inputs.h"
#include "exercises/common/language.h"
#include "exercises/common/own.h"
#include "exercises/exercise.h"

enum { BYTES = 256 }; // how many there are

// The result on a GPU if the lanes of a warp do not share their sums: lane l sees only the
// elements l, l + 32, ...
enum { LANES = 32 };

#endif
