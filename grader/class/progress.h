// progress.h - shows the progress of grade class: a bar with the remaining time on a
// terminal, otherwise lines.

#ifndef GRADER_PROGRESS_H
#define GRADER_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress {
    FILE *file;
    bool bar;
    int done, total;
    double started; // monotonic time
};

void progress_begin(struct progress *progress, FILE *file, int total);
// Text that may contain names of students or files, made safe for a terminal, on one line.
// Caller frees.
char *progress_line(const char *text);
// Reports that a submission is done; text is its result.
void progress_step(struct progress *progress, const char *text);
// Redraws the bar.
void progress_draw(const struct progress *progress);
// Removes the bar.
void progress_clear(const struct progress *progress);

#endif
