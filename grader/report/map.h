// map.h - expected, got and their difference as three pictures beside each other.

#ifndef GRADER_MAP_H
#define GRADER_MAP_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

// Draws the first two wrong outputs of a call (cases/call.h) as inline SVG: one matrix of each,
// the first one that holds a wrong value. One scale for expected and got, another for the
// difference; the value under the pointer, and in the cell where there are few. false: there
// is nothing to draw.
bool map_draw(FILE *file, const cJSON *call);

#endif
