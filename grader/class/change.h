// change.h - what a lab's newest run changed: who solves an exercise now, and who no longer.

#ifndef GRADER_CHANGE_H
#define GRADER_CHANGE_H

#include <stdbool.h>
#include <stdio.h>

#include "class/class_report.h"

// These use the table `standing` (class_page.c). Prepares a lab for the next two; returns false
// if it has had one run only.
bool change_prepare(struct report *report, int lab);
// The share of hand-ins, in percent, that passed an exercise before the newest run.
double change_before(struct report *report, int lab, const char *title);
// Below a lab on the class page. Writes nothing if the lab has had one run only.
void change_write(struct report *report, FILE *file, int lab);

#endif
