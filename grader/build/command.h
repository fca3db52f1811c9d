// command.h - running a compiler or a linker on a student's file, within limits and walls.

#ifndef GRADER_COMMAND_H
#define GRADER_COMMAND_H

#include "build/workshop.h"
#include "sandbox/process.h"

enum { MOST_ARGUMENTS = 256 };

// A command line while it is put together. The words belong to it; command_run frees them.
struct command {
    char *arguments[MOST_ARGUMENTS + 1];
    size_t count;
};

void command_add(struct command *command, char *argument);
// copies; ends with NULL
void command_add_words(struct command *command, const char *const *words);

// The words so far, in one line. Caller frees.
char *command_in_one_line(const struct command *command);

// Runs it. It may read the system's files and those that it names. A compiler gives source, the
// folder of the file that it compiles: then it may also read the headers made for students and, out
// of a box, that folder; any other tool gives NULL. It may write into the folder of its output. The
// caller frees outcome.output. A missing tool ends the grader.
struct outcome command_run(const struct workshop *workshop, struct command *command,
                           const char *source);

void command_free(struct command *command); // when it is not run after all

bool command_succeeded(const struct outcome *outcome);

// The error message of a tool that failed, or the output of one that succeeded. Caller frees.
char *command_complaint(const char *tool, struct outcome *outcome);

// Is this the message about a tool that took too much time or memory?
bool command_gave_up(const char *complaint);

// The compiler for students' files. Its version decides what "does not compile" means, so it
// is the same compiler for all students: gcc, unless GRADE_CC names another. Caller frees.
char *command_compiler(void);

// gold links a worker in a third of the time of the default linker, where it is installed.
bool command_have_gold(void);

#endif
