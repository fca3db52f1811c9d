// command.h - runs other programs: with their output collected, or on the terminal.

#ifndef LAB_LEARN_COMMAND_H
#define LAB_LEARN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MOST_WORDS = 24 };

struct words {
    const char *word[MOST_WORDS + 1]; // ends with NULL
    size_t count;
};

void words_add(struct words *words, const char *word);

// A program whose output is collected.
struct command {
    pid_t pid;
    int from; // its standard output and error; -1 after its end
    char *output;
    size_t size;
};

void command_start(struct command *command, const struct words *words);

// Reads what is there. Returns false when the program has ended; then *status is its exit status
// (128 and the signal's number if a signal ended it).
bool command_read(struct command *command, int *status);

// Ends the program and everything it started. Frees the output.
void command_stop(struct command *command);

// Runs a program on the terminal, as if it was typed there. Returns its exit status.
int command_run(const struct words *words);

#endif
