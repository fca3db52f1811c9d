// lateness.h - how late a hand-in is, and by whose clock.
//
// In this order; the first that is known counts:
//
//   given      --times FILE, or Moodle's grading worksheet (times.h)
//   platform   Gradescope's created_at; Canvas says only that it is late
//   commit     the committer's time, if the hand-in is a clone (commit.h)
//   files      the time of the archive, or of the newest lab file. A copy or a download
//              changes it, so it costs nothing unless --file-times charge says so
//
// A student's extension moves the deadline for this student only.

#ifndef GRADER_LATENESS_H
#define GRADER_LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "class/gradebook.h"

enum clock {
    CLOCK_UNKNOWN,
    CLOCK_GIVEN,
    CLOCK_PLATFORM,
    CLOCK_CANVAS,
    CLOCK_COMMIT,
    CLOCK_FILES
};

struct lateness {
    enum clock clock;
    int64_t at;       // when it was handed in; 0 if unknown
    int64_t authored; // for CLOCK_COMMIT
    bool has_due, extended;
    int64_t due;       // with the student's extension
    int64_t first_due; // without it
    int64_t days;      // days late, whether charged or not
    bool charged;      // the days cost points
    double penalty;
    double share; // share of the points left: 1 if nothing is charged
};

// The lateness of a lab in a submission, for this student.
struct lateness lateness_of(struct gradebook *book, int64_t submission, int64_t student,
                            int64_t lab);

// "2 days late: 80 → 64"; "" if it is not late. Caller frees.
char *lateness_short(const struct lateness *lateness, double points);
// The same with the times: "2 days late: 80 → 64 (committed 2026-10-03 12:00 UTC, authored
// ...; due 2026-10-02 12:00 UTC)". Caller frees.
char *lateness_long(const struct lateness *lateness, double points);

#endif
