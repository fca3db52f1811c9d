// watched.h - notices saved files in a folder: by inotify, or, where that does not work, by looking
// several times a second.

#ifndef LAB_LEARN_WATCHED_H
#define LAB_LEARN_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOK_MILLISECONDS = 150 };

struct watched {
    int notify;        // a descriptor that becomes readable, or -1: polls
    const char *polls; // why it polls, or NULL
    char *folder;
    uint64_t seen; // a hash of names, sizes and times
};

// poll: does not try inotify.
void watched_begin(struct watched *watched, const char *folder, bool poll);
void watched_end(struct watched *watched);

// True if a C or CUDA file changed since the last call. Call it when notify is readable, or every
// LOOK_MILLISECONDS.
bool watched_changed(struct watched *watched);

#endif
