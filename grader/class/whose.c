// whose.c - see whose.h.

#define _GNU_SOURCE
#include "class/whose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/exit_code.h"
#include "cases/tables.h"

enum { FEW = 3 }; // times that tell nothing about a class

static bool is_one_of(int64_t lab, const int *labs, int count)
{
    for (int i = 0; i < count; i++) {
        if (labs[i] == lab) {
            return true;
        }
    }
    return false;
}

// "Lab 03" or "lab-3" in a text.
struct mention {
    int lab; // 0: there is none
    bool
        clear; // the words between two dashes, as in Moodle's "Grades-CS-Lab 2-4711.csv", or all of the name
};

// The next mention from *at on. Not "collab3" or "Lab 2026", nor a lab that the workbook does not have.
static struct mention next_mention(const char *text, const char **at)
{
    while ((*at = strcasestr(*at, "lab")) != NULL) {
        const char before = *at == text ? '\0' : (*at)[-1];
        *at += strlen("lab");
        const char *digits = *at + strspn(*at, " _-#");
        const size_t size = strspn(digits, "0123456789");
        const int lab = size > 0 && size < 3 ? atoi(digits) : 0;
        if (!isalpha((unsigned char)before) && lab > 0 &&
            lab <= last_place(lab_places)->number) {
            *at = digits + size;
            return (struct mention){lab, (before == '\0' || before == '-') &&
                                             strchr("-.", **at) != NULL};
        }
    }
    return (struct mention){.lab = 0};
}

// The last other lab that the text mentions; none if it mentions one of these.
static struct mention other_lab(const char *text, const int *labs, int count)
{
    const char *at = text;
    struct mention other = {.lab = 0}, one;
    while (at != NULL && (one = next_mention(text, &at)).lab != 0) {
        if (is_one_of(one.lab, labs, count)) {
            return (struct mention){.lab = 0};
        }
        other = one.clear || !other.clear ? one : other;
    }
    return other;
}

int whose_other_lab(const char *text, const int *labs, int count)
{
    const struct mention other = other_lab(text, labs, count);
    return other.clear ? other.lab : 0;
}

void whose_refuse_name(const char *path, const int *labs, int count)
{
    const char *slash = strrchr(path, '/');
    const struct mention other = other_lab(slash != NULL ? slash + 1 : path, labs, count);
    const char *more = count > 1 ? " and others" : "";
    if (other.lab != 0) {
        fflush(stdout);
    }
    if (other.clear) {
        fprintf(stderr,
                "grade: %s is named like the table of lab %d, and this run is about "
                "lab %d%s; rename it if that is wrong\n",
                path, other.lab, labs[0], more);
        exit(EXIT_USAGE);
    } else if (other.lab != 0) {
        fprintf(stderr, "Is %s the table of lab %d? This run is about lab %d%s\n", path,
                other.lab, labs[0], more);
    }
}

void whose_add(struct whose_times *times, struct gradebook *book, int64_t student,
               int64_t seconds, const int *labs, int count)
{
    int other = 0;
    bool own = false;
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT DISTINCT lab FROM moment JOIN submission ON submission.id = submission "
        "WHERE student = ? AND given = ?",
        "ii", student, seconds);
    while (gradebook_next(book, &row)) {
        const int lab = sqlite3_column_int(row, 0);
        own = own || is_one_of(lab, labs, count);
        other = lab;
    }
    times->seen++;
    if (other != 0 && !own) {
        times->others++;
        times->lab = other;
    }
}

bool whose_ask(const struct whose_times *times, const char *path)
{
    const bool asks = times->others >= FEW && 2 * times->others > times->seen;
    if (asks) {
        fflush(stdout);
        fprintf(stderr,
                "grade: %d of the %d times in %s are those of lab %d. Is it the table of "
                "lab %d?\n",
                times->others, times->seen, path, times->lab, times->lab);
    }
    return asks;
}
