// standing.c - see standing.h. Start reading at report_standing.

#define _GNU_SOURCE
#include "class/standing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/absence.h"
#include "class/class_report.h"
#include "common/plural.h"

enum { MOST_IN_GROUP = 32 };

double standing_points(const struct standing *standing)
{
    return standing->by_hand ? standing->points
                             : round(standing->won * standing->late.share * 100) / 100;
}

char *standing_words(double points, double most)
{
    return most > 0 ? grader_print("%g of %g points", points, most)
                    : grader_print("%g point%s", points, plural(points));
}

int64_t standing_days(const struct standing *standing)
{
    return standing->late.charged && !standing->by_hand ? standing->late.days : 0;
}

double report_lab_points(struct report *report, int lab)
{
    double points = 0;
    sqlite3_stmt *sum = gradebook_query(
        &report->book,
        "SELECT total(most) FROM mark WHERE grading = (SELECT max(id) FROM grading "
        "WHERE lab = ?)",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &sum)) {
        points = sqlite3_column_double(sum, 0);
    }
    return points;
}

static struct standing read_piece(sqlite3_stmt *piece)
{
    struct standing standing = {.late.share = 1};
    standing.refused = strcmp(gradebook_text(piece, 1), "refused") == 0;
    standing.grading = sqlite3_column_int64(piece, 0);
    standing.graded = standing.grading != 0;
    standing.submission = sqlite3_column_int64(piece, 4);
    standing.failed = sqlite3_column_type(piece, 2) != SQLITE_NULL;
    standing.absent = standing.graded && sqlite3_column_int64(piece, 3) == 0;
    standing.run = sqlite3_column_int64(piece, 6);
    standing.partner = sqlite3_column_int64(piece, 7);
    return standing;
}

// The submissions of a student: the own ones, those of the group's partners, and those of
// Gradescope's first submitter. In one run, the own one comes first.
#define SUBMISSIONS_OF                                                                   \
    "(student = ?1 OR submission IN (SELECT submission FROM partner WHERE student = "    \
    "?1) OR student IN (SELECT student FROM listed WHERE team = (SELECT team FROM "      \
    "listed WHERE student = ?1))) "

// Whose newest hand-in has nothing, so that their older ones do not count.
struct ended {
    int64_t student[MOST_IN_GROUP], run[MOST_IN_GROUP];
    int count;
};

static bool has_ended(const struct ended *ended, int64_t student, int64_t run)
{
    for (int i = 0; i < ended->count; i++) {
        if (ended->student[i] == student && ended->run[i] != run) {
            return true;
        }
    }
    return false;
}

static void end_at(struct ended *ended, int64_t student, int64_t run)
{
    if (ended->count < MOST_IN_GROUP) {
        ended->student[ended->count] = student;
        ended->run[ended->count++] = run;
    }
}

// Of a hand-in without anything, the one with something takes the place.
static struct standing better(struct standing chosen, struct standing one)
{
    const bool own = chosen.submission != 0 && chosen.partner == 0;
    one.own = own && one.partner != 0 ? chosen.submission : 0;
    one.older = own && one.partner == 0 && one.run != chosen.run;
    return one;
}

// The newest hand-in counts. But in a run of all labs, a hand-in may be about some labs
// only: if it has no file of this lab or cannot be read, an older mark stays. And of the
// partners of a group, one who has handed in nothing of the lab does not take the others'
// mark away.
static struct standing choose_piece(struct gradebook *book, int64_t student, int lab)
{
    struct standing chosen = {.late.share = 1};
    struct ended ended = {.count = 0};
    bool settled = false, failed = false;
    sqlite3_stmt *piece = gradebook_query(
        book,
        "SELECT grading, verdict, failure, tokens, counted.id, "
        "(SELECT lab FROM run WHERE id = counted.run), run, nullif(student, ?1) "
        "FROM piece JOIN counted ON counted.id = submission "
        "LEFT JOIN source ON source.hash = piece.hash AND source.lab = piece.lab "
        "WHERE piece.lab = ?2 AND " SUBMISSIONS_OF
        "ORDER BY run DESC, student = ?1 DESC, handed_in DESC, counted.id",
        "ii", student, (int64_t)lab);
    while (gradebook_next(book, &piece)) {
        struct standing one = read_piece(piece);
        const bool all_labs = sqlite3_column_int(piece, 5) == 0;
        const bool first = !chosen.graded && !chosen.refused;
        failed = failed || (one.failed && !settled && first);
        if (settled || (!one.graded && !one.refused) ||
            has_ended(&ended, one.partner, one.run)) {
            continue;
        }
        const bool nothing = one.absent || one.refused;
        // An own hand-in says more about the student than a partner's.
        if (first || !nothing || (chosen.partner != 0 && one.partner == 0)) {
            chosen = better(chosen, one);
        }
        settled = !nothing;
        if (nothing && !all_labs) {
            end_at(&ended, one.partner, one.run);
        }
    }
    chosen.failed = failed;
    return chosen;
}

// The newest mark and comment set by hand, since the last --clear.
static void add_hand(struct report *report, int64_t student, int lab,
                     struct standing *standing)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT points, comment NOT NULL, id FROM hand WHERE student = ?1 AND lab = ?2 "
        "AND id > (SELECT coalesce(max(id), 0) FROM hand WHERE student = ?1 AND lab = ?2 "
        "AND cleared) ORDER BY id",
        "ii", student, (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        if (sqlite3_column_type(row, 0) != SQLITE_NULL) {
            standing->by_hand = true;
            standing->points = sqlite3_column_double(row, 0);
        }
        if (sqlite3_column_int(row, 1) != 0) {
            standing->hand = sqlite3_column_int64(row, 2);
        }
    }
}

struct standing report_standing(struct report *report, int64_t student, int lab)
{
    struct gradebook *book = &report->book;
    struct standing standing = choose_piece(book, student, lab);
    add_hand(report, student, lab, &standing);
    standing.there = standing.graded || standing.refused || standing.by_hand;
    sqlite3_stmt *sum = gradebook_query(
        book,
        "SELECT total(points), total(most), (SELECT seed FROM grading WHERE id = ?1) "
        "FROM mark WHERE grading = ?1",
        "i", standing.grading);
    while (gradebook_next(book, &sum)) {
        standing.won = sqlite3_column_double(sum, 0);
        standing.most = sqlite3_column_double(sum, 1);
        snprintf(standing.seed, sizeof standing.seed, "%s", gradebook_text(sum, 2));
    }
    if (!standing.graded) {
        standing.most = report_lab_points(report, lab);
    }
    if (standing.submission != 0 && !standing.absent) {
        standing.late = lateness_of(book, standing.submission, student, lab);
    }
    return standing;
}

char *report_own(struct report *report, int lab, const struct standing *standing)
{
    struct absence absence = {.count = 0};
    char *why = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT verdict = 'refused', reason FROM submission WHERE id = ?",
        "i", standing->own);
    absence_add(&absence, lab);
    while (gradebook_next(&report->book, &row)) {
        const char *reason = gradebook_text(row, 1);
        free(why);
        why = sqlite3_column_int(row, 0) != 0   ? grader_print("refused: %s", reason)
              : absence_has_remark(lab, reason) ? grader_print("it has %s", reason)
                                                : absence_line(&absence, reason);
    }
    return why;
}

bool report_handed_in(struct report *report, int64_t student)
{
    return gradebook_number(&report->book, 0,
                            "SELECT 1 FROM (SELECT id AS submission, student FROM "
                            "counted) WHERE " SUBMISSIONS_OF "LIMIT 1",
                            "i", student) != 0;
}
