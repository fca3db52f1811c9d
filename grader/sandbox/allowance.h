// allowance.h - the seconds that the programs of one hand-in may take together.
//
// Each program has its own limit (process.h), but a hand-in whose functions are all slow could
// use that limit again and again: on the workbook's versions, alone, on hidden cases. A program
// begins only if the seconds used so far, plus the limits of the programs that run now, are
// below the hand-in's total. So a hand-in uses at most its allowance and one more limit.
//
// As in process.h, seconds are processor time plus the time in which a program sleeps. So a
// busy machine makes no difference.
//
//     if (allowance_begin(allowance, 5)) {
//         struct outcome outcome = process_run(&program); // whose limit is 5 seconds
//         allowance_end(allowance, 5, outcome.used);
//     }
//
// Safe to call from several threads. NULL is an allowance without an end.

#ifndef GRADER_ALLOWANCE_H
#define GRADER_ALLOWANCE_H

#include <stdbool.h>

// All runs of a hand-in together may take this many times the limits of its exercises.
enum { MOST_TIMES_ITS_LIMIT = 3 };

struct allowance;

struct allowance *allowance_new(void); // of 0 seconds
void allowance_free(struct allowance *allowance);

// Sets the allowance in seconds, including those already used.
void allowance_set(struct allowance *allowance, double seconds);

// Returns false and reserves nothing if the time is used up.
bool allowance_begin(struct allowance *allowance, double seconds);
void allowance_end(struct allowance *allowance, double promised, double used);

// Adds seconds used by a program without a promise.
void allowance_charge(struct allowance *allowance, double used);

// Is more than half of it used? Then only runs that can change a mark are made.
bool allowance_is_low(struct allowance *allowance);
bool allowance_is_used_up(struct allowance *allowance);

double allowance_used(struct allowance *allowance);

#endif
