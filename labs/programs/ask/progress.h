// progress.h - remembers which questions have been answered, in a file below build/:
//
//     first	the weight of a masked key        answered right at once
//     later	...                               right after a wrong answer
//     shown	...                               the answer was shown
//
// Questions are remembered by their title, so new ones may be put in between. Nothing depends on
// this file: anyone can write it, and it earns no points.

#ifndef LAB_ASK_PROGRESS_H
#define LAB_ASK_PROGRESS_H

#include <stddef.h>

#include "programs/ask/questions.h"

enum state { STATE_OPEN, STATE_FIRST, STATE_LATER, STATE_SHOWN, STATE_COUNT };
extern const char *const state_names[STATE_COUNT];

// states (q->count) written. A missing file, or NULL, leaves all questions open.
void progress_read(enum state *states, const char *path, const struct questions *q);

// Writes the file anew; NULL: nothing. If that fails, says so on stderr.
void progress_write(const enum state *states, const char *path,
                    const struct questions *q);

#endif
