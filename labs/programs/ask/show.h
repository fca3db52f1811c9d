// show.h - prints questions for a terminal of 80 columns, with or without color.

#ifndef LAB_ASK_SHOW_H
#define LAB_ASK_SHOW_H

#include <stdbool.h>

#include "programs/ask/questions.h"

enum tone { TONE_PLAIN, TONE_RIGHT, TONE_WRONG, TONE_FAINT, TONE_TITLE };

// Color is used only on a terminal, and never if NO_COLOR is set.
void show_begin(void);

// Prints text, wrapped, indented by `indent`. Each line break of the text is kept where the next
// line begins with four spaces (code), and where a paragraph ends.
void show_text(enum tone tone, unsigned indent, const char *first, const char *text);

void show_question(const struct question *question, const char *title, size_t number,
                   size_t count);

// The right answer and the explanation.
void show_solution(const struct question *question);

#endif
