// change.h - what a lab's newest run changed: who solves an exercise now, and who no longer.

#ifndef GRADER_CHANGE_H
#define GRADER_CHANGE_H

#include <stdio.h>

#include "class/class_report.h"

// Below a lab on the class page. Uses the table `standing` (class_page.c). Writes nothing if
// the lab has had one run only.
void change_write(struct report *report, FILE *file, int lab);

#endif
