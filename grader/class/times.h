// times.h - grade class --times FILE: when each person handed in, by the platform's clock.
//
// A table (csv.h) with a column that names the person (people.h), one with the time, and perhaps one
// with the lab. Moodle's grading worksheet and GitHub Classroom's table are such tables.

#ifndef GRADER_TIMES_H
#define GRADER_TIMES_H

#include "class/class.h"

// Reads a moment: "2026-10-01T23:59", "2026-10-01 23:59:30 +0100", seconds since 1970, or
// Moodle's "Thursday, 1 October 2026, 11:59 PM". A date alone is refused. Without a time
// zone it is local time.
bool times_moment(const char *text, int64_t *seconds);

// Reads --times and checks it. With a roster, notes which of Moodle's participants is who,
// so call it before class_scan.
void times_read(struct class *class);
// Gives the hand-ins of this run their times; call it after class_scan.
void times_apply(struct class *class);

// Before anything is judged: if most hand-ins of a lab would lose points, or all were made
// within a minute, the deadline or the times are probably wrong. Ends the program with a
// question, unless the answer is --sure.
void times_question(struct class *class);

// After the run: which labs have hand-ins with only the times of their files.
void times_tell(struct class *class);

#endif
