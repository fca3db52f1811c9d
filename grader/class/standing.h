// standing.h - which hand-in of a student counts in a lab, and for how many points.

#ifndef GRADER_STANDING_H
#define GRADER_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "class/lateness.h"

struct report;

// The result of a student in a lab that counts: the newest submission that was graded or
// refused.
struct standing {
    bool there;   // the student handed it in, or was refused
    bool refused; // and has no points
    // a newer one could not be graded; the following is about the older one
    bool failed;
    bool graded;        // a grading exists
    bool absent;        // no file of this lab was handed in
    bool older;         // a newer hand-in of the student has no file of this lab
    int64_t grading;    // or 0
    int64_t submission; // the submission
    int64_t run;        // and its run
    int64_t partner;    // the student who handed it in, if it was a partner; or 0
    int64_t own;        // then: the student's own hand-in, which has nothing; or 0
    bool by_hand;       // points is set by hand, whatever was judged (hand.c)
    double points;
    int64_t hand; // the newest row of `hand` with a comment, or 0
    struct lateness late;
    double won, most; // before the penalty; most is 0 if unknown
    char seed[24];    // seed of the public cases; "" if there is no grading
};

// The points of a standing after the penalty, rounded to hundredths.
double standing_points(const struct standing *standing);
// Days late that cost points.
int64_t standing_days(const struct standing *standing);

// "80 of 100 points"; "80 points" if the maximum is not known. Caller frees.
char *standing_words(double points, double most);

// A student's result in a lab.
struct standing report_standing(struct report *report, int64_t student, int lab);

// Why the student's own hand-in does not count, if a partner's does: "it has attention.c (no code
// in it)", "no file of lab 1 (attention.c)", or "refused: ...". Otherwise "". Caller frees.
char *report_own(struct report *report, int lab, const struct standing *standing);

// True if the student, alone or with a partner, handed in something that counts.
bool report_handed_in(struct report *report, int64_t student);

// The maximum points of a lab when it was last judged.
double report_lab_points(struct report *report, int lab);

#endif
