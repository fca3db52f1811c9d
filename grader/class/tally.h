// tally.h - the numbers of a lab on the class page, for its tables and its pictures.

#ifndef GRADER_TALLY_H
#define GRADER_TALLY_H

#include <stddef.h>

#include "class/class_report.h"

enum { TALLY_BINS = 10, TALLY_MISTAKES = 8, TALLY_KINDS = 4 };

// Which part of a lab's hand-ins passes an exercise, and so on.
struct exercise_tally {
    char *title;
    int64_t kinds[TALLY_KINDS]; // pass, wrong, todo, other
    int64_t total;
    double before; // the share that passed before the newest run, or -1
};

struct mistake_tally {
    char *exercise, *id;
    int64_t count;
};

struct tally {
    int64_t handed_in;
    struct exercise_tally *exercises;
    size_t exercise_count;
    struct mistake_tally mistakes[TALLY_MISTAKES]; // the most common ones first
    size_t mistake_count;
    int64_t bins[TALLY_BINS]; // students with 0 to 10 %, 10 to 20 %, ... of the points
};

// Uses the table `standing` (class_page.c). Freed by tally_free.
struct tally tally_read(struct report *report, int lab);
void tally_free(struct tally *tally);

#endif
