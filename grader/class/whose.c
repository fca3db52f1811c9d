// whose.c - see whose.h.

#define _GNU_SOURCE
#include "class/whose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/exit_code.h"

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

// The number after the next "lab", "Lab 03" or "lab-3", from *at on, or 0. Not that of "collab3" or "Lab 2026".
static int next_lab(const char **at)
{
    const char *start = *at;
    while ((*at = strcasestr(*at, "lab")) != NULL) {
        const bool begins = *at == start || !isalpha((unsigned char)(*at)[-1]);
        *at += strlen("lab");
        const char *digits = *at + strspn(*at, " _-#");
        const size_t size = strspn(digits, "0123456789");
        if (begins && size > 0 && size < 3) {
            *at = digits + size;
            return atoi(digits);
        }
    }
    return 0;
}

int whose_other_lab(const char *text, const int *labs, int count)
{
    const char *at = text;
    int other = 0, lab;
    while (at != NULL && (lab = next_lab(&at)) != 0) {
        if (is_one_of(lab, labs, count)) {
            return 0;
        }
        other = lab;
    }
    return other;
}

void whose_refuse_name(const char *path, const int *labs, int count)
{
    const char *slash = strrchr(path, '/');
    const int other = whose_other_lab(slash != NULL ? slash + 1 : path, labs, count);
    if (other != 0) {
        fflush(stdout);
        fprintf(stderr,
                "grade: by its name, %s is the table of lab %d, and this is about lab "
                "%d%s; rename it if that is wrong\n",
                path, other, labs[0], count > 1 ? " and others" : "");
        exit(EXIT_USAGE);
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
