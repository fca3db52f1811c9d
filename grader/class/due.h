// due.h - deadlines and late penalties.

#ifndef GRADER_DUE_H
#define GRADER_DUE_H

#include <stdbool.h>
#include <stdint.h>

// Reads "2026-11-01", "2026-11-01T23:59", "2026-11-01 23:59:30.5 +0100" or "...Z" as
// seconds since 1970. Without a time zone it is local time. A date alone means the end of
// the day, and so does 23:59.
bool due_read(const char *text, int64_t *seconds);

// Writes "2026-11-01 23:59 UTC" to buffer.
void due_write(int64_t seconds, char *buffer, int size);

// The same time of the day, that many days later, by the local clock: a day in which the clocks
// change has 23 or 25 hours.
int64_t due_later(int64_t due, int64_t days);

// Days late: 0 up to the deadline; after that, every started day counts.
int64_t due_days_late(int64_t handed_in, int64_t due);

// The share of the points left after that many days: 1 - days * percent / 100, at least 0.
double due_share(int64_t days, double percent);

#endif
