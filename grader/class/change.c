// change.c - compares the marks that count with those before the lab's newest run (change.h).
//
//     standing   student, lab, grading   what counts now
//     earlier    student, grading        what counted before the newest run of this lab

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "class/change.h"
#include "common/plural.h"
#include "report/html.h"
#include "report/text.h"

enum { MOST_NAMES = 20 };

static const char clear_earlier[] = "DROP TABLE IF EXISTS temp.earlier";
static const char make_earlier[] =
    "CREATE TEMP TABLE earlier (student INTEGER PRIMARY KEY, grading INTEGER NOT NULL)";
static const char fill_earlier[] =
    "INSERT INTO earlier SELECT student, grading FROM ("
    "  SELECT student, grading, piece.hash, piece.lab, row_number() OVER"
    "    (PARTITION BY student ORDER BY run DESC) AS place"
    "  FROM piece JOIN counted ON counted.id = submission"
    "  WHERE piece.lab = ? AND run < ? AND grading NOT NULL) AS old"
    " JOIN source ON source.hash = old.hash AND source.lab = old.lab"
    " WHERE place = 1 AND tokens > 0";

// The students who solve exercise ?2 of lab ?1 by `standing` or `earlier`.
#define SOLVED_NOW                                                                       \
    "SELECT student FROM standing JOIN mark ON mark.grading = standing.grading "         \
    "WHERE lab = ?1 AND title = ?2 AND verdict = 'pass'"
#define SOLVED_BEFORE                                                                    \
    "SELECT student FROM earlier JOIN mark ON mark.grading = earlier.grading "           \
    "WHERE ?1 > 0 AND title = ?2 AND verdict = 'pass'"
static const char solved_now[] = "SELECT count(*) FROM (" SOLVED_NOW ")";
static const char solved_before[] = "SELECT count(*) FROM (" SOLVED_BEFORE ")";
static const char gained[] = "SELECT label FROM called WHERE id IN (" SOLVED_NOW
                             " EXCEPT " SOLVED_BEFORE ") ORDER BY name, key";
static const char lost[] = "SELECT label FROM called WHERE id IN (" SOLVED_BEFORE
                           " EXCEPT " SOLVED_NOW ") ORDER BY name, key";

// "Ann, Bo", "Ann, ... and 12 more"; returns how many.
static int write_names(struct report *report, FILE *file, const char *sql, int lab,
                       const char *title)
{
    int found = 0;
    const char *between = gradebook_between(&report->book);
    sqlite3_stmt *row = gradebook_query(&report->book, sql, "it", (int64_t)lab, title);
    while (gradebook_next(&report->book, &row)) {
        if (found++ < MOST_NAMES) {
            fputs(found > 1 ? between : "", file);
            html_text(file, gradebook_text(row, 0));
        }
    }
    if (found > MOST_NAMES) {
        fprintf(file, " and %d more", found - MOST_NAMES);
    }
    return found;
}

static double share(struct report *report, const char *sql, int lab, const char *title,
                    int64_t of)
{
    int64_t many = gradebook_number(&report->book, 0, sql, "it", (int64_t)lab, title);
    return of > 0 ? 100.0 * (double)many / (double)of : 0;
}

// A row for an exercise that somebody solves now or no longer.
static void write_exercise(struct report *report, FILE *file, int lab, const char *title,
                           const int64_t people[2])
{
    struct text row;
    text_begin(&row);
    fputs("<tr><td>", row.file);
    html_text(row.file, title);
    fprintf(row.file, "</td><td class=\"number\">%.0f %% → %.0f %%</td><td>",
            share(report, solved_before, lab, title, people[0]),
            share(report, solved_now, lab, title, people[1]));
    int moved = write_names(report, row.file, gained, lab, title);
    fputs("</td><td>", row.file);
    moved += write_names(report, row.file, lost, lab, title);
    fputs("</td></tr>\n", row.file);
    char *line = text_end(&row);
    fputs(moved > 0 ? line : "", file);
    free(line);
}

static char *write_rows(struct report *report, int lab, const int64_t people[2])
{
    struct text rows;
    text_begin(&rows);
    sqlite3_stmt *exercise = gradebook_query(
        &report->book,
        "SELECT title FROM standing JOIN mark ON mark.grading = standing.grading "
        "WHERE lab = ? GROUP BY title ORDER BY min(place), title",
        "i", (int64_t)lab);
    while (gradebook_next(&report->book, &exercise)) {
        write_exercise(report, rows.file, lab, gradebook_text(exercise, 0), people);
    }
    return text_end(&rows);
}

static int64_t people_before(struct report *report)
{
    return gradebook_number(&report->book, 0, "SELECT count(*) FROM earlier", "");
}

bool change_prepare(struct report *report, int lab)
{
    struct gradebook *book = &report->book;
    int64_t newest = gradebook_number(book, 0,
                                      "SELECT max(run) FROM piece JOIN counted ON "
                                      "counted.id = submission WHERE lab = ?",
                                      "i", (int64_t)lab);
    gradebook_do(book, clear_earlier, "");
    gradebook_do(book, make_earlier, "");
    gradebook_do(book, fill_earlier, "ii", (int64_t)lab, newest);
    return people_before(report) > 0;
}

double change_before(struct report *report, int lab, const char *title)
{
    return share(report, solved_before, lab, title, people_before(report));
}

void change_write(struct report *report, FILE *file, int lab)
{
    if (!change_prepare(report, lab)) {
        return;
    }
    const int64_t people[2] = {
        people_before(report),
        gradebook_number(&report->book, 0,
                         "SELECT count(*) FROM standing WHERE lab = ? AND grading NOT "
                         "NULL",
                         "i", (int64_t)lab)};
    char *rows = write_rows(report, lab, people);
    fprintf(
        file,
        "<h3>Since the previous run</h3>\n<p class=\"soft\">%lld hand-in%s then, %lld "
        "now%s.</p>\n",
        (long long)people[0], plural((double)people[0]), (long long)people[1],
        *rows == '\0' ? "; the same students pass each exercise" : "");
    if (*rows != '\0') {
        fprintf(file,
                "<div class=\"scroll\"><table><tr><th>exercise</th><th "
                "class=\"number\">pass</th><th>pass now</th><th>no longer</th></tr>\n%s"
                "</table></div>\n",
                rows);
    }
    free(rows);
}
