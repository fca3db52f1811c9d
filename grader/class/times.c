// times.c - see times.h.

#define _GNU_SOURCE
#include "class/times.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/memory.h"
#include "class/csv.h"
#include "class/due.h"
#include "class/lateness.h"
#include "class/people.h"
#include "class/whose.h"

enum {
    MOST_NAMED = 5, // names in a message
    FEW = 3,        // hand-ins that tell nothing about a class
    MOMENT = 60,    // seconds: all hand-ins within them were copied, not handed in
};

static const char time_columns[] =
    "time|times|submitted|handed in|submission time|submission_timestamp|timestamp|last "
    "modified (submission)|created_at";

static const char time_needed[] = "with the time; Moodle must be set to English";

// ---- a moment -----------------------------------------------------------------------------

static int month_of(const char *word)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    size_t length = strlen(word);
    for (int i = 0; i < 12 && length >= 3; i++) {
        if (strncasecmp(word, months[i], length) == 0) {
            return i;
        }
    }
    return -1;
}

// "Thursday, 1 October 2026, 11:59 PM", also without the day of the week, or with 23:59.
static bool read_moodle(const char *text, int64_t *seconds)
{
    char month[16], half[3] = "";
    int day, year, hour, minute, used = 0;
    const char *start = text + strcspn(text, "0123456789");
    if (sscanf(start, "%2d %15[A-Za-z] %4d, %2d:%2d%n", &day, month, &year, &hour,
               &minute, &used) != 5) {
        return false;
    }
    const char *rest = start + used + strspn(start + used, " ");
    bool halves = sscanf(rest, "%2[AaPpMm]", half) == 1;
    if ((halves && (strlen(half) != 2 || hour < 1 || hour > 12 || rest[2] != '\0')) ||
        (!halves && *rest != '\0') || hour > 23 || minute > 59) {
        return false;
    }
    if (halves) {
        hour = hour % 12 + (tolower((unsigned char)half[0]) == 'p' ? 12 : 0);
    }
    struct tm time = {.tm_year = year - 1900,
                      .tm_mon = month_of(month),
                      .tm_mday = day,
                      .tm_hour = hour,
                      .tm_min = minute,
                      .tm_isdst = -1};
    if (time.tm_mon < 0) {
        return false;
    }
    int expected = time.tm_mon;
    *seconds = mktime(&time);
    return time.tm_mday == day && time.tm_mon == expected;
}

bool times_moment(const char *text, int64_t *seconds)
{
    size_t digits = strspn(text, "0123456789");
    if (text[digits] == '\0' && (digits == 9 || digits == 10)) {
        *seconds = strtoll(text, NULL, 10);
        return true;
    }
    return strchr(text, ':') != NULL &&
           (due_read(text, seconds) || read_moodle(text, seconds));
}

// ---- the file -----------------------------------------------------------------------------

static bool is_blank(const char *cell)
{
    return *cell == '\0' || strcmp(cell, "-") == 0;
}

// The time of a row. Returns false if it has none, because nothing was handed in.
static bool moment_of(const struct csv *csv, size_t row, int column, int64_t *seconds)
{
    const char *cell = csv_cell(csv, row, column);
    if (is_blank(cell)) {
        return false;
    }
    if (!times_moment(cell, seconds)) {
        csv_refuse(csv, row,
                   "'%s' is not a time such as 2026-11-01T23:59 or Moodle's \"Sunday, 1 "
                   "November 2026, 11:59 PM\" (in English)",
                   cell);
    }
    return true;
}

// The lab of a row; 0: all labs of this run.
static int64_t lab_of(const struct csv *csv, size_t row, int column)
{
    char *end;
    const char *cell = csv_cell(csv, row, column);
    cell += strncasecmp(cell, "lab ", 4) == 0 ? 4 : 0;
    long lab = strtol(cell, &end, 10);
    if (*cell != '\0' && (*end != '\0' || lab < 1 || lab > 99)) {
        csv_refuse(csv, row, "'%s' is not the number of a lab", cell);
    }
    return lab;
}

// Moodle's numbers, for entries that two people of one name handed in.
static void note_participants(struct class *class, const struct csv *csv,
                              const struct people_columns *columns)
{
    enum { MOODLE = 3 };
    struct people_columns others = *columns;
    others.of[MOODLE] = -1;
    for (size_t row = 0; columns->of[MOODLE] >= 0 && row < csv->rows; row++) {
        // A name alone may mean two people, and is then no reason to refuse the table.
        others.of[PEOPLE_KINDS - 1] = -1;
        int64_t student = people_row(&class->book, csv, &others, row);
        if (student != 0) {
            people_add(&class->book, "moodle", csv_cell(csv, row, columns->of[MOODLE]),
                       student);
        }
    }
}

// How many labs this run is about, and which.
static int graded(const struct class *class, int labs[MOST_LABS])
{
    for (int i = 0; i < class->lab_count; i++) {
        labs[i] = class->labs[i].place->number;
    }
    return class->lab_count;
}

// Does a row with a time say that it is about a lab of this run, or about none? Without such rows, the table
// is another lab's.
static void check_labs(const struct class *class, int time, int lab)
{
    const struct csv *csv = &class->times;
    int labs[MOST_LABS];
    const int count = graded(class, labs);
    int64_t other = 0, seconds;
    for (size_t row = 0; row < csv->rows; row++) {
        const bool timed = moment_of(csv, row, time, &seconds);
        const int64_t one = lab_of(csv, row, lab);
        for (int i = 0; i < count; i++) {
            if (timed && (one == 0 || one == labs[i])) {
                return;
            }
        }
        other = timed ? one : other;
    }
    if (other != 0) {
        fprintf(stderr,
                "grade: %s has times of lab %d, and none of a lab that is graded here\n",
                csv->path, (int)other);
        exit(CLASS_USAGE);
    }
}

// GitHub Classroom's column.
static void check_assignments(const struct csv *csv, int time, const int *labs, int count)
{
    const int column = csv_column(csv, "assignment_name|assignment");
    int64_t seconds;
    for (size_t row = 0; row < csv->rows; row++) {
        const char *name = csv_cell(csv, row, column);
        const int other = whose_other_lab(name, labs, count);
        if (other != 0 && moment_of(csv, row, time, &seconds)) {
            csv_refuse(csv, row,
                       "'%s' is lab %d, and this run is about lab %d%s; if all is "
                       "right, add --sure",
                       name, other, labs[0], count > 1 ? " and others" : "");
        }
    }
}

void times_read(struct class *class)
{
    struct csv *csv = &class->times;
    if (class->options.times == NULL) {
        return;
    }
    int64_t seconds;
    csv_read(csv, class->options.times);
    struct people_columns columns = people_columns(csv);
    int time = csv_need(csv, time_needed, time_columns), lab = csv_column(csv, "lab");
    for (size_t row = 0; row < csv->rows; row++) {
        moment_of(csv, row, time, &seconds);
        lab_of(csv, row, lab);
    }
    check_labs(class, time, lab);
    int labs[MOST_LABS];
    const int count = graded(class, labs);
    if (lab < 0 && !class->options.sure) { // a course may number its labs differently
        whose_refuse_name(csv->path, labs, count);
        check_assignments(csv, time, labs, count);
    }
    note_participants(class, csv, &columns);
}

// Two times of one hand-in: which one counts is the teacher's to say.
static void check_once(struct class *class, size_t row,
                       const struct people_columns *columns, int64_t submission,
                       int64_t lab, int64_t seconds)
{
    const struct csv *csv = &class->times;
    const int64_t line = gradebook_number(
        &class->book, 0,
        "SELECT line FROM temp.timed WHERE submission = ? AND lab = ? AND given != ?",
        "iii", submission, lab, seconds);
    if (line != 0) {
        csv_refuse(csv, row, "line %lld has another time of %s; delete one of them",
                   (long long)line, people_words(csv, columns, row));
    }
    gradebook_do(&class->book, "INSERT INTO temp.timed VALUES (?, ?, ?, ?)", "iiii",
                 submission, lab, seconds, (int64_t)csv->lines[row]);
}

// Returns false if the row is about another lab.
static bool give(struct class *class, size_t row, const struct people_columns *columns,
                 int64_t submission, int64_t lab, int64_t seconds)
{
    bool gave = false;
    for (int i = 0; i < class->lab_count; i++) {
        int64_t one = class->labs[i].place->number;
        if (lab == 0 || lab == one) {
            check_once(class, row, columns, submission, one, seconds);
            gradebook_do(
                &class->book,
                "INSERT INTO moment (submission, lab, given) VALUES (?, ?, ?) ON "
                "CONFLICT DO UPDATE SET given = excluded.given",
                "iii", submission, one, seconds);
            gave = true;
        }
    }
    return gave;
}

// Ends the program if the table seems to be another lab's.
static void question_times(const struct class *class, const struct whose_times *times)
{
    if (!class->options.sure && whose_ask(times, class->times.path)) {
        fputs("grade: nothing was judged. If all is right, add --sure\n", stderr);
        exit(CLASS_USAGE);
    }
}

void times_apply(struct class *class)
{
    const struct csv *csv = &class->times;
    struct gradebook *book = &class->book;
    if (class->options.times == NULL) {
        return;
    }
    struct people_columns columns = people_columns(csv);
    int time = csv_need(csv, time_needed, time_columns), lab = csv_column(csv, "lab");
    int given = 0, strangers = 0, labs[MOST_LABS];
    const int count = graded(class, labs);
    struct whose_times whose = {.seen = 0};
    gradebook_do(
        book,
        "CREATE TEMP TABLE timed (submission INTEGER, lab INTEGER, given INTEGER, "
        "line INTEGER)",
        "");
    for (size_t row = 0; row < csv->rows; row++) {
        int64_t seconds;
        if (!moment_of(csv, row, time, &seconds)) {
            continue;
        }
        int64_t student = people_row(book, csv, &columns, row);
        int64_t submission = gradebook_number(
            book, 0, "SELECT id FROM submission WHERE run = ? AND student = ?", "ii",
            class->run, student);
        if (submission != 0) {
            const int64_t one = lab_of(csv, row, lab);
            if (one == 0) {
                whose_add(&whose, book, student, seconds, labs, count);
            }
            given += give(class, row, &columns, submission, one, seconds);
        } else if (strangers++ < MOST_NAMED) {
            char *words = people_words(csv, &columns, row);
            printf("%s, line %d: no hand-in of %s here\n", csv->path, csv->lines[row],
                   words);
            free(words);
        }
    }
    gradebook_do(book, "DROP TABLE temp.timed", "");
    question_times(class, &whose);
    printf("%s: times of %d hand-in%s", csv->path, given, given == 1 ? "" : "s");
    printf(strangers > 0 ? ", and %d of people without a hand-in here\n" : "\n",
           strangers);
}

// ---- a question ---------------------------------------------------------------------------

struct tally {
    int timed, late,
        files; // hand-ins with a time that counts, late ones, only file times
    int64_t first, last;
    int moments; // of those, known to the second
};

static struct tally count_lab(struct class *class, int64_t lab)
{
    struct tally tally = {0};
    struct gradebook *book = &class->book;
    bool files = gradebook_number(book, 0, "SELECT 1 FROM file_times WHERE lab = ?", "i",
                                  lab) != 0;
    sqlite3_stmt *row = gradebook_query(
        book, "SELECT id, student FROM submission WHERE run = ?", "i", class->run);
    while (gradebook_next(book, &row)) {
        struct lateness one = lateness_of(book, sqlite3_column_int64(row, 0),
                                          sqlite3_column_int64(row, 1), lab);
        tally.files += one.clock == CLOCK_FILES;
        if (one.clock == CLOCK_UNKNOWN || (one.clock == CLOCK_FILES && !files)) {
            continue;
        }
        tally.timed++;
        tally.late += one.charged;
        if (one.at != 0) {
            tally.first =
                tally.moments == 0 || one.at < tally.first ? one.at : tally.first;
            tally.last = one.at > tally.last ? one.at : tally.last;
            tally.moments++;
        }
    }
    return tally;
}

// Prints the question. Returns true if there is one.
static bool question_lab(struct class *class, int64_t lab, int64_t deadline)
{
    struct tally tally = count_lab(class, lab);
    char due[64], first[64];
    due_write(deadline, due, sizeof due);
    due_write(tally.first, first, sizeof first);
    if (tally.timed >= FEW && 2 * tally.late > tally.timed) {
        fprintf(
            stderr,
            "grade: lab %d: %d of %d hand-ins are late. Is the deadline right (%s)?\n",
            (int)lab, tally.late, tally.timed, due);
        return true;
    }
    if (tally.moments >= FEW && tally.moments == tally.timed &&
        tally.last - tally.first <= MOMENT) {
        fprintf(stderr,
                "grade: lab %d: all %d hand-ins were made within %lld seconds of %s. Is "
                "that when they were copied?\n",
                (int)lab, tally.moments, (long long)(tally.last - tally.first), first);
        return true;
    }
    return false;
}

// The answer holds as long as the deadline does.
static bool is_confirmed(struct class *class, int64_t lab, int64_t due)
{
    if (class->options.sure) {
        gradebook_do(&class->book, "INSERT OR REPLACE INTO confirmed VALUES (?, ?)", "ii",
                     lab, due);
    }
    return gradebook_number(&class->book, 0,
                            "SELECT 1 FROM confirmed WHERE lab = ? AND due = ?", "ii",
                            lab, due) != 0;
}

void times_question(struct class *class)
{
    bool asked = false;
    for (int i = 0; i < class->lab_count; i++) {
        int64_t lab = class->labs[i].place->number;
        int64_t due = gradebook_number(
            &class->book, 0, "SELECT due FROM deadline WHERE lab = ? AND penalty > 0",
            "i", lab);
        asked = (due != 0 && !is_confirmed(class, lab, due) &&
                 question_lab(class, lab, due)) ||
                asked;
    }
    if (asked) {
        fputs(
            "grade: nothing was judged. Correct --due, or give the platform's times with "
            "--times FILE; if all is right, add --sure\n",
            stderr);
        exit(CLASS_USAGE);
    }
}

void times_tell(struct class *class)
{
    for (int i = 0; i < class->lab_count; i++) {
        int64_t lab = class->labs[i].place->number;
        if (gradebook_number(&class->book, 0,
                             "SELECT 1 FROM deadline WHERE lab = ?1 AND lab NOT IN "
                             "(SELECT lab FROM file_times)",
                             "i", lab) == 0) {
            continue;
        }
        int files = count_lab(class, lab).files;
        if (files > 0) {
            printf(
                "lab %d: for %d hand-in%s only the files' times are known. Copying changes "
                "these, so they cost no points. Give the platform's times with "
                "--times FILE, or use the files' with --file-times charge\n",
                (int)lab, files, files == 1 ? "" : "s");
        }
    }
}
