// right.h - is an answer right? Says nothing else; judge.h also explains.

#ifndef LAB_ASK_RIGHT_H
#define LAB_ASK_RIGHT_H

#include "programs/ask/questions.h"

enum { EXPLANATION_LEAST = 20 }; // bytes of an explanation that counts as one

// Reads an answer such as "b a c" to an order; places[0] is the step, from 0, that comes first.
// Returns false unless it names each letter once.
bool read_letters(size_t *places, const struct question *question, const char *line);

// The option that a letter chooses, or NULL.
const struct item *chosen_item(const struct question *question, const char *line);

// Whether this answers the question: the right value, option or order. Nobody can judge an explanation
// here; it must only be one.
bool answer_is_right(const struct question *question, const char *line);

#endif
