// moodle.c - see moodle.h.

#define _GNU_SOURCE
#include "class/moodle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/text.h"

// A name as Moodle writes it into a file's name (its PARAM_FILE), and for comparison in lower case. Caller frees.
static char *as_written(const char *name)
{
    char *word = report_clean(name, strlen(name)), *to = word;
    for (const char *from = word; *from != '\0'; from++) {
        const unsigned char byte = (unsigned char)*from;
        if (strchr("&<>\"`|':\\/", byte) == NULL && !iscntrl(byte)) {
            *to++ = (char)(byte == '_' ? ' ' : byte < 0x80 ? tolower(byte) : byte);
        }
    }
    while (to > word && to[-1] == ' ') {
        to--;
    }
    *to = '\0';
    return word;
}

// Is it this name, or this name after its group's?
static bool is_written(const char *wanted, const char *name, const char *team)
{
    char *plain = as_written(name), *both = grader_print("%s-%s", team, name);
    char *grouped = as_written(both);
    const bool is = *plain != '\0' && (strcmp(wanted, plain) == 0 ||
                                       (*team != '\0' && strcmp(wanted, grouped) == 0));
    free(grouped);
    free(both);
    free(plain);
    return is;
}

int moodle_find(struct gradebook *book, const char *written, int64_t *student)
{
    int found = 0;
    char *wanted = as_written(written);
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT listed.student, student.name, coalesce(team, '') FROM listed JOIN student "
        "ON student.id = listed.student",
        "");
    while (gradebook_next(book, &row)) {
        if (is_written(wanted, gradebook_text(row, 1), gradebook_text(row, 2))) {
            *student = sqlite3_column_int64(row, 0);
            found++;
        }
    }
    free(wanted);
    return found;
}
