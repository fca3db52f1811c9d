// map.h - draws the expected and the student's values and their difference side by side.

#ifndef GRADER_MAP_H
#define GRADER_MAP_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

// Draws the first two wrong outputs of a call (cases/call.h) as inline SVG. For each output
// it draws the first matrix with a wrong value. Expected and got share a scale; the
// difference has its own. Values appear as tooltips, and in the cells of small matrices.
// Returns false if there is nothing to draw.
bool map_draw(FILE *file, const cJSON *call);

#endif
