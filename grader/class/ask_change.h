// ask_change.h - The call with one row of an input changed: what becomes of the output.

#ifndef GRADER_ASK_CHANGE_H
#define GRADER_ASK_CHANGE_H

#include "class/ask.h"

asker ask_change;

#endif
