// progress.h - how far a class is: a bar with the time left on a terminal, lines otherwise.

#ifndef GRADER_PROGRESS_H
#define GRADER_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress {
    FILE *file;
    bool bar;
    int done, total;
    double started; // on the clock that only goes forward
};

void progress_begin(struct progress *progress, FILE *file, int total);
// Text that may hold a student's name or a file's, as one line for a terminal. Caller frees.
char *progress_line(const char *text);
// One submission is done; text says what became of it.
void progress_step(struct progress *progress, const char *text);
// Draws the bar again.
void progress_draw(const struct progress *progress);
// Takes the bar away.
void progress_clear(const struct progress *progress);

#endif
