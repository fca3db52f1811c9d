// ask_failure.h - The failing call, by hand: what is right, what came out, and why.

#ifndef GRADER_ASK_FAILURE_H
#define GRADER_ASK_FAILURE_H

#include "class/ask.h"

asker ask_failure;

#endif
