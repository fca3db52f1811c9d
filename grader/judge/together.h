// together.h - runs the exercises of a lab in one worker.
//
// To start a box and a program takes longer than most exercises. So in a box, the smaller
// exercises of a lab first run one after the other in the same worker. If one of them passes
// there, it has passed. Nothing else is concluded: any other exercise runs again, in a worker
// of its own, whose results the report describes.

#ifndef GRADER_TOGETHER_H
#define GRADER_TOGETHER_H

#include <stddef.h>

#include "build/build.h"
#include "judge/options.h"
#include "judge/result.h"

// Sets .together, and the verdict, of the exercises that pass, and .late of one that did not
// return. They must be of one lab, with the same worker.
void judge_together(const struct options *options, const struct build *build,
                    struct result *const results[], size_t count);

#endif
