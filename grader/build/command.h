// command.h - runs a compiler or linker on a student's file, within limits and walls.

#ifndef GRADER_COMMAND_H
#define GRADER_COMMAND_H

#include "build/workshop.h"
#include "sandbox/process.h"

enum { MOST_ARGUMENTS = 256 };

// A command line under construction. It owns its words; command_run frees them.
struct command {
    char *arguments[MOST_ARGUMENTS + 1];
    size_t count;
};

void command_add(struct command *command, char *argument);
// copies; ends with NULL
void command_add_words(struct command *command, const char *const *words);

// The words so far as one line. Caller frees.
char *command_in_one_line(const struct command *command);

// Runs the command. It may read system files and the files it names, and write to the
// folder of its output. For a compiler, source is the folder of the compiled file; the
// compiler may then also read the headers for students and, outside a box, that folder. For
// other tools source is NULL. The caller frees outcome.output. A missing tool ends the
// grader.
struct outcome command_run(const struct workshop *workshop, struct command *command,
                           const char *source);

void command_free(struct command *command); // frees a command that is not run

bool command_succeeded(const struct outcome *outcome);

// The error message of a failed tool, or the output of a successful one. Caller frees.
char *command_complaint(const char *tool, struct outcome *outcome);

// Returns true if this message says that a tool took too much time or memory.
bool command_gave_up(const char *complaint);

// The compiler for students' files: gcc, or the one that GRADE_CC names. All students need
// the same compiler, because its version decides what "does not compile" means. Caller
// frees.
char *command_compiler(void);

// Uses gold if it is installed, because it links a worker three times as fast as the
// default linker.
bool command_have_gold(void);

#endif
