// locals.h - lets the compiler fill a student's local variables, so that one that is read before it is set
// shows in every call. By chance its place on the stack may hold a 0, and the function would be right.
//
// gcc (12 and later) fills them with bytes 0xFE: -1.7e38 as a float, -16843010 as an int. A bool becomes
// false. clang fills floats with NaN and integers with bytes 0xAA.

#ifndef GRADER_LOCALS_H
#define GRADER_LOCALS_H

#include "build/command.h"

// Adds the option to a compiler's command, unless the compiler is known to refuse it.
void locals_fill(struct command *command);

// As command_run. If the compiler refuses the option, it runs again without it.
struct outcome locals_compile(const struct workshop *workshop, struct command *command,
                              const char *source);

#endif
