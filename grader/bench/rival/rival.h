// rival.h - PyTorch's side of a measurement, in a separate process.
//
// It is started once and answers every line with a time in seconds, so that both sides take turns.

#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { RIVAL_SIZES_MOST = 8 };

struct rival {
    FILE *ask, *answer;
    char name[128]; // "PyTorch 1.13.0, batched"
    // to start it again, and to tell why it ended
    const char *script;
    size_t sizes[RIVAL_SIZES_MOST], count;
    bool again;
    FILE *errors;
    pid_t process;
};

// Runs script with these sizes as its arguments; PYTHON names the interpreter. Returns false if
// it does not start or does not print its name, because PyTorch is not installed.
bool rival_start(struct rival *rival, const char *script, const size_t *sizes,
                 size_t count);

// Seconds of one turn. If the other process has ended, prints why and starts it again, once; exits if it
// ends a second time.
double rival_ask(struct rival *rival);

// The same for a script that can do several things; question is one line.
// Example: rival_ask_for(&rival, "prefill 512");
double rival_ask_for(struct rival *rival, const char *question);

// Ends the process.
void rival_end(struct rival *rival);

#endif
