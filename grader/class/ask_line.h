// ask_line.h - the line of a function that has to do with a sentence.

#ifndef GRADER_ASK_LINE_H
#define GRADER_ASK_LINE_H

#include <stdint.h>

#include "class/ask.h"

enum { LIKE_FUNCTION = 100 }; // how much a called function says about a sentence

// The line of the function that has most of the words of a sentence. Returns how many.
int line_about(const struct code *code, const char *sentence, uint32_t *line);

// Makes the question show this line, or all lines of the function if it is 0.
void question_show(struct question *question, const struct code *code, uint32_t line);

#endif
