// slip_kinds.h - which word of a function is a place for a slip.

#ifndef GRADER_SLIP_KINDS_H
#define GRADER_SLIP_KINDS_H

#include "grade/slips.h"

// text: without comments and strings; word: a place in it where a word begins, or any other character.
bool find_slip(const char *text, const char *word, enum slip_kind kind,
               struct slip *slip);

#endif
