// screen.h - what the student sees, for 80 columns.

#ifndef LAB_LEARN_SCREEN_H
#define LAB_LEARN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "programs/learn/course.h"
#include "programs/learn/terminal.h"
#include "programs/learn/watched.h"

void screen_clear(const struct terminal *terminal);

// The judge's report. If it has more than rows lines, leaves out the numbers of the case.
// rows 0: prints everything. Returns true if nothing is left out.
bool screen_report(const char *report, int rows);

// The same for a whole lab: if it does not fit, the exercises that do not pass, as many as fit, and the
// failure of the first one, as much of it as fits. Returns true if nothing is left out.
bool screen_lab_report(const char *report, int rows);

// "done 7 of 84:  1 ✓  2 1/5  3 -": one line over all labs. Where the terminal is too narrow for it, a
// lab other than the current one has ~ instead of numbers.
void screen_progress(const struct course *course, size_t current);

// The last lines: where to go on, the progress, the keys. report is the last one on the current
// exercise, or NULL.
void screen_foot(const struct terminal *terminal, const struct watched *watched,
                 const struct course *course, size_t current, const char *report);

// How many rows of the terminal the last lines take.
int screen_foot_rows(const struct terminal *terminal, const struct watched *watched,
                     const struct course *course, size_t current, const char *report);

// The labs, and the exercises of the current one.
void screen_list(const struct course *course, size_t current);

// The other exercises of the lab that fail, with their verdicts, and what a save changed in them: before[e] is
// the state of exercise e until then. before may be NULL.
void screen_others(const struct course *course, size_t current, const enum state *before);

// After a pass: the solution, the section's question (its number, or 0; its title and text), and at
// the end of a lab what comes next. Without keys it names commands of make instead.
void screen_pass(const struct terminal *terminal, const struct course *course,
                 size_t current, size_t question, const char *title, const char *text);

// The next exercise after current that does not pass, from the beginning if there is none behind it. If
// current passes, one before it in its lab that fails comes first. exercise_count if all pass.
size_t screen_next(const struct course *course, size_t current);

// The last one before current that does not pass. exercise_count if there is none: the end of the course is
// not "back".
size_t screen_back(const struct course *course, size_t current);

#endif
