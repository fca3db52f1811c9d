// tally.c - see tally.h.

#include "class/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/change.h"

static int kind_number(const char *verdict)
{
    const char *kind = report_kind(verdict);
    return strcmp(kind, "pass") == 0    ? 0
           : strcmp(kind, "wrong") == 0 ? 1
           : strcmp(kind, "todo") == 0  ? 2
                                        : 3;
}

// The exercise of this title; the rows of one come one after the other.
static struct exercise_tally *exercise_of(struct tally *tally, const char *title)
{
    size_t count = tally->exercise_count;
    if (count == 0 || strcmp(tally->exercises[count - 1].title, title) != 0) {
        tally->exercises =
            grader_resize(tally->exercises, (count + 1) * sizeof *tally->exercises);
        tally->exercises[tally->exercise_count++] =
            (struct exercise_tally){.title = grader_print("%s", title), .before = -1};
    }
    return &tally->exercises[tally->exercise_count - 1];
}

static void read_exercises(struct report *report, struct tally *tally, int lab)
{
    sqlite3_stmt *mark =
        gradebook_query(&report->book,
                        "SELECT title, verdict, count(*) FROM standing "
                        "JOIN mark ON mark.grading = standing.grading WHERE lab = ? "
                        "GROUP BY place, title, verdict ORDER BY place, title",
                        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &mark)) {
        struct exercise_tally *exercise = exercise_of(tally, gradebook_text(mark, 0));
        int64_t many = sqlite3_column_int64(mark, 2);
        exercise->kinds[kind_number(gradebook_text(mark, 1))] += many;
        exercise->total += many;
    }
    bool any = change_prepare(report, lab);
    for (size_t i = 0; any && i < tally->exercise_count; i++) {
        tally->exercises[i].before =
            change_before(report, lab, tally->exercises[i].title);
    }
}

static void read_mistakes(struct report *report, struct tally *tally, int lab)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT exercise, diagnosis, count(*) AS many FROM standing JOIN mark ON "
        "mark.grading = standing.grading WHERE lab = ? AND diagnosis NOT NULL GROUP BY "
        "exercise, diagnosis ORDER BY many DESC, place, diagnosis LIMIT ?",
        "ii", (int64_t)lab, (int64_t)TALLY_MISTAKES);
    while (gradebook_next(&report->book, &row)) {
        tally->mistakes[tally->mistake_count++] = (struct mistake_tally){
            grader_print("%s", gradebook_text(row, 0)),
            grader_print("%s", gradebook_text(row, 1)), sqlite3_column_int64(row, 2)};
    }
}

static void read_points(struct report *report, struct tally *tally, int lab)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT total(points), total(most) FROM standing JOIN mark ON mark.grading = "
        "standing.grading WHERE lab = ? GROUP BY student",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        double most = sqlite3_column_double(row, 1);
        double share = most > 0 ? sqlite3_column_double(row, 0) / most : 0;
        tally->bins[share >= 1 ? TALLY_BINS - 1 : (int)(share * TALLY_BINS)]++;
    }
}

struct tally tally_read(struct report *report, int lab)
{
    struct tally tally = {.exercises = NULL};
    tally.handed_in = gradebook_number(
        &report->book, 0,
        "SELECT count(*) FROM standing WHERE lab = ? AND grading NOT NULL", "i",
        (int64_t)lab);
    read_exercises(report, &tally, lab);
    read_mistakes(report, &tally, lab);
    read_points(report, &tally, lab);
    return tally;
}

void tally_free(struct tally *tally)
{
    for (size_t i = 0; i < tally->exercise_count; i++) {
        free(tally->exercises[i].title);
    }
    for (size_t i = 0; i < tally->mistake_count; i++) {
        free(tally->mistakes[i].exercise);
        free(tally->mistakes[i].id);
    }
    free(tally->exercises);
}
