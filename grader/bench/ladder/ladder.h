// ladder.h - from a plain function to its fast twin, one step at a time.
//
// Every step is a function with the type of the lab's: first the one of solutions/, then what the
// fast twin's head describes, at last the one of solutions/fast/. main.c draws the arguments as the
// judge does for the exercise, checks that each step computes what the first does, within the
// exercise's tolerance, and times them in turns.
//
// A file here for each fast twin; all are listed in main.c.

#ifndef BENCH_LADDER_H
#define BENCH_LADDER_H

#include "exercises/exercise.h"

enum { MOST_STEPS = 8 };

struct step {
    const char *what;
    any_function function; // NULL: the one of solutions/
};

struct ladder {
    const char *function; // "gelu"
    int lab;
    struct case_spec sizes; // "N=32768"; unit normals, but for its fill
    struct step steps[MOST_STEPS];
};

// Each ends with {0}.
extern const struct ladder ladders_batching[], ladders_causal[], ladders_heads[],
    ladders_block[], ladders_gradients[], ladders_loss[], ladders_optimizer[];

#endif
