// extension.c - grade class --extensions FILE: later deadlines for single students.
//
// A table (csv.h) with a column that names the person (people.h), perhaps "lab" (empty: all labs),
// "days" or "until", and perhaps "reason". An extension is personal: each partner of a group
// needs one.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "cases/tables.h"
#include "class/due.h"
#include "class/people.h"
#include "class/roster.h"

enum { MOST_DAYS = 3660 };

struct extensions {
    struct gradebook *book;
    struct csv csv;
    struct people_columns columns;
    int lab, days, until, reason;
    int count, strangers;
};

// A whole number from least to most, or -1 for an empty cell.
static int64_t whole(const struct extensions *all, size_t row, int column, long least,
                     long most, const char *what)
{
    char *end;
    const char *cell = csv_cell(&all->csv, row, column);
    const char *start = cell + (strncasecmp(cell, "lab ", 4) == 0 ? 4 : 0);
    long number = strtol(start, &end, 10);
    if (*cell == '\0') {
        return -1;
    }
    if (*start < '0' || *start > '9' || *end != '\0' || number < least || number > most) {
        csv_refuse(&all->csv, row, "'%s' is not %s from %ld to %ld", cell, what, least,
                   most);
    }
    return number;
}

static void add(struct extensions *all, size_t row, int64_t student)
{
    int64_t lab = whole(all, row, all->lab, 1, last_place(lab_places)->number, "a lab");
    int64_t days = whole(all, row, all->days, 0, MOST_DAYS, "a number of days");
    int64_t until = 0;
    const char *date = csv_cell(&all->csv, row, all->until);
    lab = lab < 0 ? 0 : lab;
    if ((days < 0) == (*date == '\0')) {
        csv_refuse(&all->csv, row, "give either days or until");
    }
    if (days < 0 && !due_read(date, &until)) {
        csv_refuse(&all->csv, row, "'%s' is not a time such as 2026-11-08T23:59", date);
    }
    if (gradebook_number(all->book, 0,
                         "SELECT 1 FROM extension WHERE student = ? AND lab = ?", "ii",
                         student, lab) != 0) {
        csv_refuse(&all->csv, row, "this person has two extensions for the same lab");
    }
    gradebook_do(all->book,
                 "INSERT INTO extension (student, lab, days, until, reason) VALUES (?, "
                 "?, CASE WHEN ?3 >= 0 THEN ?3 END, CASE WHEN ?3 < 0 THEN ?4 END, ?5)",
                 "iiiit", student, lab, days, until,
                 csv_cell(&all->csv, row, all->reason));
    all->count++;
}

// Without a roster, somebody who has not handed in anything yet is not known.
static void add_row(struct extensions *all, size_t row, bool roster)
{
    int64_t student = people_row(all->book, &all->csv, &all->columns, row);
    char *words = people_words(&all->csv, &all->columns, row);
    if (student == 0 && roster) {
        csv_refuse(&all->csv, row, "%s is not on the roster", words);
    }
    if (student == 0) {
        printf("%s, line %d: %s has handed in nothing yet; give this file again later, "
               "or a roster now\n",
               all->csv.path, all->csv.lines[row], words);
        all->strangers++;
    } else {
        add(all, row, student);
    }
    free(words);
}

void extensions_apply(struct class *class)
{
    if (class->options.extensions == NULL) {
        return;
    }
    struct extensions all = {.book = &class->book};
    csv_read(&all.csv, class->options.extensions);
    all.columns = people_columns(&all.csv);
    all.lab = csv_column(&all.csv, "lab");
    all.days = csv_column(&all.csv, "days");
    all.until = csv_column(&all.csv, "until|date|new deadline");
    all.reason = csv_column(&all.csv, "reason|comment");
    if (all.days < 0 && all.until < 0) {
        csv_need(&all.csv, "with the days or the new deadline", "days|until");
    }
    gradebook_do(all.book, "DELETE FROM extension", "");
    for (size_t row = 0; row < all.csv.rows; row++) {
        add_row(&all, row, roster_exists(all.book));
    }
    printf("%s: %d extension%s\n", all.csv.path, all.count, all.count == 1 ? "" : "s");
    csv_free(&all.csv);
}
