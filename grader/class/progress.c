// progress.c - see progress.h.

#define _GNU_SOURCE
#include "class/progress.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { BAR_WIDTH = 30 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_begin(struct progress *progress, FILE *file, int total)
{
    *progress = (struct progress){file, isatty(fileno(file)), 0, total, now()};
    progress_draw(progress);
}

// "about 4 min left", once there is enough data for an estimate.
static void write_left(const struct progress *progress)
{
    double spent = now() - progress->started;
    if (progress->done == 0 || spent < 1) {
        return;
    }
    double left = spent / progress->done * (progress->total - progress->done);
    if (left < 90) {
        fprintf(progress->file, "  about %.0f s left", left);
    } else {
        fprintf(progress->file, "  about %.0f min left", left / 60);
    }
}

void progress_draw(const struct progress *progress)
{
    if (!progress->bar) {
        return;
    }
    int filled = progress->total > 0 ? BAR_WIDTH * progress->done / progress->total : 0;
    fprintf(progress->file, "\r\033[K  ");
    for (int i = 0; i < BAR_WIDTH; i++) {
        fputs(i < filled ? "█" : "░", progress->file);
    }
    fprintf(progress->file, "  %d of %d", progress->done, progress->total);
    write_left(progress);
    fflush(progress->file);
}

void progress_clear(const struct progress *progress)
{
    if (progress->bar) {
        fprintf(progress->file, "\r\033[K");
        fflush(progress->file);
    }
}

char *progress_line(const char *text)
{
    char *line = grader_print("%s", text);
    for (char *at = line; *at != '\0'; at++) {
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    }
    return line;
}

void progress_step(struct progress *progress, const char *text)
{
    char *line = progress_line(text);
    progress->done++;
    progress_clear(progress);
    fprintf(progress->file, "  %*d of %d  %s\n", progress->total > 99 ? 3 : 2,
            progress->done, progress->total, line);
    free(line);
    fflush(progress->file);
    progress_draw(progress);
}
