// words.h - the tables of the labs in a student archive, and the names of their banks.

#ifndef GRADER_WORDS_H
#define GRADER_WORDS_H

#include <stdint.h>
#include <stdio.h>

#include "exercises/exercise.h"

// Writes the exercises, parts, tensors, properties and mistakes of a lab as C code.
void bank_write_tables(FILE *file, const struct lab_place *place, uint64_t seed);

// The name of a part's file without its suffix: "3.4-causal_attention". Caller frees.
char *bank_stem(const struct exercise *exercise, const struct part *part);

#endif
