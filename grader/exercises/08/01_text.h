// 01_text.h - shared by the two files of 8.1.

#ifndef GRADER_08_01_TEXT_H
#define GRADER_08_01_TEXT_H

#include "exercises/exercise.h"

extern const struct mistake vocabulary_mistakes[];
extern const struct mistake vocabulary_alternatives[];
extern const struct mistake encode_mistakes[];
extern const struct mistake encode_alternatives[];
extern const struct mistake decode_mistakes[];

#endif
