// options.h - the command line of build/grade.

#ifndef GRADER_COMMAND_OPTIONS_H
#define GRADER_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "judge/options.h"

struct command_line {
    struct options options;
    const char *json, *junit, *classroom50;
    bool autolab;
    bool hidden; // also judge on hidden cases
    uint64_t hidden_seed;
    uint64_t seeds;     // for grade margins; 0: one seed, and print every distance
    const char *folder; // for grade bank
    bool color;
    char exercises[1024]; // of every --exercise, "1.3 1.5": all fit, each once
};

extern const struct option_table grade_options;

// Reads the arguments after the command's name. Ends the program on errors.
void command_line_read(struct command_line *line, int argc, char **argv);

// Is a single exercise chosen?
bool one_exercise(const struct options *options);

// Reads the hidden seed and the folder of kept results from the environment, and removes them there.
void inherit_from_class(struct command_line *line);

// The default seed, which is public.
uint64_t public_seed(void);

// Ends the program in the student archive, which has no solutions.
void check_whole(const char *command);

#endif
