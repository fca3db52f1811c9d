// ladder.h - from a plain function to its fast twin, one step at a time.
//
// Every step has the type of the lab's function: first the one in solutions/, then the steps
// described in the fast twin's header comment, and finally the one in solutions/fast/. main.c
// draws the arguments as the judge does, checks that all steps agree with the first within the
// exercise's tolerance, and times them alternately.
//
// There is a file for each fast twin; main.c lists them.

#ifndef BENCH_LADDER_H
#define BENCH_LADDER_H

#include "exercises/exercise.h"

enum { MOST_STEPS = 8 };

struct step {
    const char *what;
    any_function function; // NULL: the function of solutions/
};

struct ladder {
    const char *function; // "gelu"
    int lab;
    struct case_spec sizes; // "N=32768"; inputs are unit normals unless fill changes them
    struct step steps[MOST_STEPS];
};

// Each ends with {0}.
extern const struct ladder ladders_batching[], ladders_causal[], ladders_heads[],
    ladders_block[], ladders_gradients[], ladders_loss[], ladders_optimizer[],
    ladders_layers[], ladders_language[], ladders_cache[], ladders_generation[],
    ladders_int8[], ladders_partial[], ladders_flash[], ladders_flash_backward[],
    ladders_flash_decode[], ladders_bert[];

// Makes the parameters of a language model, unit normals, such as a model would have (08_model.c).
void scale_language_params(struct test_case *test, struct lab_rng *rng);

#endif
