// progress.h - remembers which questions have been answered, and how, in a file below build/:
//
//     first	the weight of a masked key	0.5          right at once
//     later	...	b a c                            right after a wrong answer
//     shown	...	                                 the answer was shown; an answer behind it was
//                                                       given afterwards
//
// Questions are remembered by their title, so new ones may be put in between. make handin hands
// the file in, if the course gives points for answers (docs/instructor.md): then the judge reads
// only the titles and answers, and checks each answer itself.

#ifndef LAB_ASK_PROGRESS_H
#define LAB_ASK_PROGRESS_H

#include <stddef.h>

#include "programs/ask/questions.h"

enum state { STATE_OPEN, STATE_FIRST, STATE_LATER, STATE_SHOWN, STATE_COUNT };
extern const char *const state_names[STATE_COUNT];

enum { MOST_GIVEN = 1000 }; // bytes of an answer that are kept

// What was done with one question.
struct progress {
    enum state state;
    char *given; // the right answer, or the explanation, in one line; NULL: none
};

// all (q->count) written. A missing file, or NULL, leaves all questions open.
void progress_read(struct progress *all, const char *path, const struct questions *q);

// Reads one line of the file, which it changes; a line without a known title is ignored.
void progress_read_line(struct progress *all, char *line, const struct questions *q);

// Keeps an answer, without line breaks and tabs.
void progress_keep(struct progress *progress, const char *given);

// Writes the file anew; NULL: nothing. If that fails, says so on stderr.
void progress_write(const struct progress *all, const char *path,
                    const struct questions *q);

void progress_free(struct progress *all, size_t count);

#endif
