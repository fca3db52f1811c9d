// rival.h - the other side of a measurement, PyTorch, in a process of its own.
//
// It is started once and answers every line with a time in seconds, so that both sides take turns.

#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rival {
    FILE *ask, *answer;
    char name[128]; // "PyTorch 1.13.0, batched"
};

// Runs script with these sizes as its arguments; PYTHON names the interpreter. false if it does not
// start or does not say its name: PyTorch is not installed.
bool rival_start(struct rival *rival, const char *script, const size_t *sizes,
                 size_t count);

// Seconds of one turn. Exits if the other side is gone.
double rival_ask(struct rival *rival);

// Ends the process.
void rival_end(struct rival *rival);

#endif
