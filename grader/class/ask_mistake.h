// ask_mistake.h - The call with a known mistake in the student's function: which value it would have, and why.

#ifndef GRADER_ASK_MISTAKE_H
#define GRADER_ASK_MISTAKE_H

#include "class/ask.h"

asker ask_mistake;

#endif
