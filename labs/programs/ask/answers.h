// answers.h - prints the answers that questions.txt lists.

#ifndef LAB_ASK_ANSWERS_H
#define LAB_ASK_ANSWERS_H

#include "programs/ask/questions.h"

// Prints one line for each answer, four columns with tabs between them: the number of the question;
// right, wrong or points (of a checklist); the answer, or how many points there are; what ask says
// to it.
void print_answers(const struct questions *q);

#endif
