// ask_index.h - The element that one of the student's index expressions reads, and why not with another size.

#ifndef GRADER_ASK_INDEX_H
#define GRADER_ASK_INDEX_H

#include "class/ask.h"

asker ask_index;

#endif
