// triage.h - hand-ins that an instructor should look at before reading marks: those that
// earned no points for a reason that the student can probably fix quickly.

#ifndef GRADER_TRIAGE_H
#define GRADER_TRIAGE_H

#include <stdio.h>

#include "class/class_report.h"

enum { TRIAGE_KINDS = 9 };

struct triage_kind {
    const char *title; // on the class page: "does not compile"
    const char *note;  // in a student's note
};
// From the most to the least urgent.
extern const struct triage_kind triage_kinds[TRIAGE_KINDS];

// The kind of a student's hand-in of a lab, or -1 if there is nothing to say.
int triage_of(struct report *report, int lab, const struct standing *standing);

// What a student can do about a hand-in that earned nothing although nothing in it is wrong; ""
// for other hand-ins. Caller frees.
char *triage_advice(struct report *report, int lab, const struct standing *standing);

// "lab 1: does not compile"; "" for none. A kind that other notes explain already (a refusal,
// wrong names) has no note of its own. Caller frees.
char *triage_note(struct report *report, int64_t student);

// The section of the class page, with names.
void triage_write(struct report *report, FILE *file);

// clusters.c: below a lab on the class page, equal wrong results that no known mistake explains.
void triage_clusters(struct report *report, FILE *file, int lab);

#endif
