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
    bool hidden; // judge on hidden cases, too
    uint64_t hidden_seed;
    uint64_t seeds;     // of grade margins; 0: one, and every distance is printed
    const char *folder; // of grade bank
    bool colour;
};

extern const struct option_table grade_options;

// Reads everything after the command's name, and ends the program if it is wrong.
void command_line_read(struct command_line *line, int argc, char **argv);

// The hidden seed may come by the environment, and goes no further.
void inherit_hidden_seed(struct command_line *line);

// The seed when none is given: the one that everybody has.
uint64_t public_seed(void);

// Ends the program in the student archive, which has no solutions.
void check_whole(const char *command);

#endif
