// draw.h - the cases of one exercise.

#ifndef GRADER_DRAW_H
#define GRADER_DRAW_H

#include "judge/options.h"
#include "judge/result.h"
#include "judge/trial.h"

// The cases of an exercise, drawn early, because the other processors are idle while a file
// compiles.
struct drawn {
    struct wire_part parts[MAX_PARTS];
    size_t part_count;
    size_t elements;     // approximate amount of work
    struct ahead *ahead; // or NULL
};
void judge_draw(const struct options *options, struct result *result);

// What identifies a lab's cases, besides the judge and the seed: in the student archive the banks,
// one in a line; otherwise "". Caller frees.
char *drawn_from(const struct options *options, const struct lab_place *place);

#endif
