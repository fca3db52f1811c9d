// progress.c - shows progress: a line that is updated on a terminal, or else a line for
// each measurement.

#define _POSIX_C_SOURCE 200809L

#include "programs/train/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/timer.h"

enum { BAR = 14, WIDE = 79, NARROW = 64 }; // columns
static const double pause_between = 0.08;  // seconds between updates

static bool named_utf8(void)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
        }
    }
    return false;
}

struct progress progress_start(bool quiet, size_t first, size_t last)
{
    const char *terminal = getenv("TERM"), *no_color = getenv("NO_COLOR");
    struct progress p = {.quiet = quiet, .first = first, .last = last};
    p.terminal =
        isatty(STDOUT_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    p.color = p.terminal && (no_color == NULL || *no_color == '\0');
    p.utf8 = named_utf8();
    p.started = lab_seconds();
    return p;
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : 80;
}

// 75 -> "1:15", 0.24 -> "0.2 s"
static void write_time(char *text, size_t room, double seconds)
{
    if (seconds < 60) {
        snprintf(text, room, "%.1f s", seconds);
    } else if (seconds < 3600) {
        snprintf(text, room, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    } else {
        snprintf(text, room, "%.0f h %02d", seconds / 3600, (int)seconds / 60 % 60);
    }
}

static void print_bar(const struct progress *p, size_t step)
{
    const size_t done = p->last == 0 ? BAR : BAR * step / p->last;
    printf("%s", p->color ? "\033[32m" : "");
    for (size_t i = 0; i < BAR; i++) {
        if (i == done && p->color) {
            printf("\033[2m");
        }
        printf("%s", p->utf8 ? (i < done ? "━" : "─") : (i < done ? "#" : "."));
    }
    printf("%s", p->color ? "\033[0m" : "");
}

static void print_moving(struct progress *p, size_t step, const char *figures,
                         double rate, const char *left)
{
    const size_t room = columns();
    printf("\r\033[K%zu/%zu ", step, p->last);
    if (room >= WIDE) {
        print_bar(p, step);
    }
    printf(" %s", figures);
    if (room >= NARROW) {
        printf("  %.*f steps/s  %s left", rate < 10, rate, left);
    }
    p->open = true;
}

void progress_show(struct progress *p, size_t step, const char *figures, bool measured)
{
    const double now = lab_seconds(), done = (double)(step - p->first);
    const double rate = p->busy > 0 ? done / p->busy : 0; // excludes measuring and saving
    char left[32] = "?";
    if (done > 0) {
        write_time(left, sizeof left,
                   (now - p->started) / done * (double)(p->last - step));
    }
    if (p->quiet) {
        return;
    }
    if (p->terminal) {
        if (now - p->shown >= pause_between || step == p->last) {
            print_moving(p, step, figures, rate, left);
            fflush(stdout);
            p->shown = now;
        }
    } else if (measured) {
        printf("step %6zu  %s", step, figures);
        if (step > p->first) {
            printf("  %6.*f steps/s  %s left", rate < 10, rate, left);
        }
        printf("\n");
        fflush(stdout);
    }
}

void progress_end(struct progress *p)
{
    if (p->open) {
        printf("\n");
        fflush(stdout);
        p->open = false;
    }
}
