// tables.h - looking things up in the tables of grader/exercises.

#ifndef GRADER_TABLES_H
#define GRADER_TABLES_H

#include "exercises/exercise.h"

// The lab's entry of a part.
const struct entry *part_entry(const struct lab_place *place, const struct part *part);

// Returns true if this exercise has a GPU variant.
bool has_gpu_variant(const struct lab_place *place, const struct exercise *exercise);

// Finds the lab and exercise of an id like "1.3". Returns false if there is none.
bool find_exercise(const char *id, const struct lab_place **place,
                   const struct exercise **exercise);

// The last of lab_places or gpu_places.
const struct lab_place *last_place(const struct lab_place *places);

#endif
