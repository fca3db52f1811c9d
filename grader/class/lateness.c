// lateness.c - see lateness.h.

#define _GNU_SOURCE
#include "class/lateness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/due.h"

// ---- when ---------------------------------------------------------------------------------

// Columns: given, platform, committed, authored, handed_in, late.
static void choose_clock(sqlite3_stmt *row, struct lateness *lateness)
{
    static const enum clock clocks[] = {CLOCK_GIVEN, CLOCK_PLATFORM, CLOCK_COMMIT};
    int canvas = sqlite3_column_int(row, 5);
    for (int i = 0; i < 3 && lateness->clock == CLOCK_UNKNOWN; i++) {
        if (i == 2 && canvas >= 0) {
            break; // the platform's word, though it carries no time
        }
        if (sqlite3_column_type(row, i) != SQLITE_NULL) {
            lateness->clock = clocks[i];
            lateness->at = sqlite3_column_int64(row, i);
        }
    }
    if (lateness->clock == CLOCK_COMMIT) {
        lateness->authored = sqlite3_column_int64(row, 3);
    } else if (lateness->clock == CLOCK_UNKNOWN && canvas >= 0) {
        lateness->clock = CLOCK_CANVAS;
        lateness->days = canvas; // one day: how many is not known
    } else if (lateness->clock == CLOCK_UNKNOWN &&
               sqlite3_column_type(row, 4) != SQLITE_NULL) {
        lateness->clock = CLOCK_FILES;
        lateness->at = sqlite3_column_int64(row, 4);
    }
}

// An extension for one lab takes precedence over one for all labs.
static void extend(struct gradebook *book, int64_t student, int64_t lab,
                   struct lateness *lateness)
{
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT days, until FROM extension WHERE student = ? AND lab IN (0, ?) "
        "ORDER BY lab",
        "ii", student, lab);
    int64_t due = lateness->due;
    while (gradebook_next(book, &row)) {
        lateness->extended = true;
        const int64_t later = sqlite3_column_type(row, 0) != SQLITE_NULL
                                  ? due_later(due, sqlite3_column_int64(row, 0))
                                  : sqlite3_column_int64(row, 1);
        lateness->due = later > due ? later : due; // the class's may have moved since
    }
}

static void count_days(struct gradebook *book, int64_t lab, struct lateness *lateness)
{
    if (lateness->clock != CLOCK_CANVAS && lateness->clock != CLOCK_UNKNOWN) {
        lateness->days = due_days_late(lateness->at, lateness->due);
    } else if (lateness->extended) {
        lateness->days = 0; // Canvas compares with its own deadline, not with this one
    }
    bool files = gradebook_number(book, 0, "SELECT 1 FROM file_times WHERE lab = ?", "i",
                                  lab) != 0;
    lateness->charged = lateness->days > 0 && (lateness->clock != CLOCK_FILES || files);
    if (lateness->charged) {
        lateness->share = due_share(lateness->days, lateness->penalty);
    }
}

struct lateness lateness_of(struct gradebook *book, int64_t submission, int64_t student,
                            int64_t lab)
{
    struct lateness lateness = {.share = 1};
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT given, platform, committed, authored, handed_in, late, due, penalty "
        "FROM submission LEFT JOIN moment ON submission = submission.id AND "
        "moment.lab = ?2 LEFT JOIN deadline ON deadline.lab = ?2 WHERE submission.id = ?1",
        "ii", submission, lab);
    while (gradebook_next(book, &row)) {
        choose_clock(row, &lateness);
        lateness.has_due = sqlite3_column_type(row, 6) != SQLITE_NULL;
        lateness.due = lateness.first_due = sqlite3_column_int64(row, 6);
        lateness.penalty = sqlite3_column_double(row, 7);
    }
    if (lateness.has_due) {
        extend(book, student, lab, &lateness);
        count_days(book, lab, &lateness);
    } else {
        lateness.charged = lateness.days > 0; // Canvas's LATE is shown without a deadline
    }
    return lateness;
}

// ---- in words -----------------------------------------------------------------------------

char *lateness_short(const struct lateness *lateness, double points)
{
    if (lateness->days == 0) {
        return grader_print("%s", "");
    }
    char *days = grader_print("%lld day%s late", (long long)lateness->days,
                              lateness->days == 1 ? "" : "s");
    char *line;
    if (!lateness->charged) {
        line = grader_print("%s by the time of its files, not charged", days);
    } else if (lateness->share < 1 && points > 0) {
        line = grader_print("%s: %g → %g", days, points,
                            round(points * lateness->share * 100) / 100);
    } else {
        line = grader_print("%s", days);
    }
    free(days);
    return line;
}

static void write_moment(FILE *file, const char *what, int64_t at)
{
    char moment[64];
    due_write(at, moment, sizeof moment);
    fprintf(file, "%s %s", what, moment);
}

char *lateness_long(const struct lateness *lateness, double points)
{
    static const char *const verbs[] = {
        [CLOCK_GIVEN] = "handed in",
        [CLOCK_PLATFORM] = "handed in",
        [CLOCK_COMMIT] = "committed",
        [CLOCK_FILES] = "its newest file is of",
    };
    char *line = lateness_short(lateness, points);
    if (lateness->days == 0 || lateness->clock == CLOCK_UNKNOWN) {
        return line;
    }
    if (lateness->clock == CLOCK_CANVAS) {
        char *longer = grader_print("%s (LATE in Canvas, which gives no time)", line);
        free(line);
        return longer;
    }
    struct text text;
    text_begin(&text);
    fprintf(text.file, "%s (", line);
    write_moment(text.file, verbs[lateness->clock], lateness->at);
    if (lateness->clock == CLOCK_COMMIT) {
        write_moment(text.file, ", authored", lateness->authored);
    }
    write_moment(text.file, "; due", lateness->due);
    fputs(lateness->extended ? ", with an extension)" : ")", text.file);
    free(line);
    return text_end(&text);
}
