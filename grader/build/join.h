// join.h - from the objects of a lab's files to one object, which exports only the functions of the contract.

#ifndef GRADER_JOIN_H
#define GRADER_JOIN_H

#include <stdbool.h>

#include "build/build.h"
#include "build/command.h"
#include "build/workshop.h"

// Makes build->object from the objects of the files. If that fails, the build's message says why.
bool join_objects(const struct workshop *workshop, struct build *build);

// Stores which functions of the contract the object lacks. Returns false if it cannot be read.
bool join_find_missing(struct build *build);

// Runs a command of a build. If it fails, the build's message says so.
bool join_run_tool(const struct workshop *workshop, struct build *build,
                   struct command *command, const char *name);

// A new message replaces the old one.
void join_say(char **message, char *text);

#endif
