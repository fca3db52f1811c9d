// session.h - the loop of make learn: saves, keys and verdicts.

#ifndef LAB_LEARN_SESSION_H
#define LAB_LEARN_SESSION_H

#include <stdbool.h>

struct session_options {
    const char *source, *build, *exercise, *seed, *backend;
    int lab;
    bool watch, profile, poll;
    bool with_parent; // SIGTERM when the parent ends (main.c)
};

enum session_end {
    SESSION_ENDED,
    SESSION_NO_LAB,      // --lab or --exercise does not exist
    SESSION_NO_GRADER,   // could not be built; make has said why
    SESSION_NO_TERMINAL, // for the keys of make learn; --watch goes on without
};

enum session_end session_run(const struct session_options *options);

#endif
