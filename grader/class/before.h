// before.h - what a run does differently from the run before it.

#ifndef GRADER_BEFORE_H
#define GRADER_BEFORE_H

#include "class/class.h"

// Says so on the standard error if seeds, backend or --follow differ, because then hand-ins are judged
// again that were judged before. Never prints a hidden seed. Says nothing about slices.
void before_tell(struct class *class);

#endif
