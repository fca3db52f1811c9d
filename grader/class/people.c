// people.c - see people.h.

#define _GNU_SOURCE
#include "class/people.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/distance.h"
#include "base/memory.h"

const struct people_kind people_kinds[PEOPLE_KINDS] = {
    {"id", "id|student id|student number|student_id|id number|sis user id|matriculation "
           "number|sid"},
    {"email", "email|e-mail|email address|e-mail address|mail"},
    {"canvas", "canvas id|canvas|canvas_id"},
    {"moodle", "moodle|moodle id|participant|identifier"},
    {"github", "github|github login|github username|github_username"},
    {"login", "login|username|user name|user|sis login id|roster_identifier"},
    {"name", "name|full name|student name"},
};
static const char any_columns[] = "person|student|who";

// ASCII letters in lower case; bytes of other letters stay. Caller frees.
static char *plain(const char *kind, const char *value)
{
    static const char participant[] = "participant ";
    value += strspn(value, " \t");
    if (strcmp(kind, "moodle") == 0 &&
        strncasecmp(value, participant, sizeof participant - 1) == 0) {
        value += sizeof participant - 1;
    }
    char *word = grader_print("%s", value);
    for (char *at = word; *at != '\0'; at++) {
        *at = (unsigned char)*at < 0x80 ? (char)tolower((unsigned char)*at) : *at;
    }
    for (char *end = word + strlen(word); end > word && end[-1] == ' ';) {
        *--end = '\0';
    }
    return word;
}

void people_add(struct gradebook *book, const char *kind, const char *value,
                int64_t student)
{
    char *word = plain(kind, value);
    if (*word != '\0') {
        gradebook_do(book,
                     "INSERT OR IGNORE INTO alias (kind, value, student) VALUES "
                     "(?, ?, ?)",
                     "tti", kind, word, student);
    }
    free(word);
}

static int find_kind(struct gradebook *book, const char *kind, const char *value,
                     bool listed, int64_t *student)
{
    int found = 0;
    char *word = plain(kind, value);
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT student FROM alias WHERE kind = ? AND value = ? AND value != '' AND "
        "(? = 0 OR student IN (SELECT student FROM listed))",
        "tti", kind, word, (int64_t)listed);
    while (gradebook_next(book, &row)) {
        *student = sqlite3_column_int64(row, 0);
        found++;
    }
    free(word);
    return found;
}

int people_find(struct gradebook *book, const char *kind, const char *value, bool listed,
                int64_t *student)
{
    if (kind != NULL) {
        return find_kind(book, kind, value, listed, student);
    }
    for (int i = 0; i < PEOPLE_KINDS; i++) {
        int found = find_kind(book, people_kinds[i].kind, value, listed, student);
        if (found > 0) {
            return found;
        }
    }
    // Gradebooks from before there were aliases.
    *student =
        gradebook_number(book, 0,
                         "SELECT id FROM student WHERE (key = ?1 OR name = ?1) AND "
                         "(?2 = 0 OR id IN (SELECT student FROM listed))",
                         "ti", value, (int64_t)listed);
    return *student != 0;
}

// ---- a suggestion -------------------------------------------------------------------------

// Both in lower case. An e-mail address and a login have parts, too.
static bool resembles(const char *value, const char *word)
{
    static const char between[] = " \t,.@-_";
    const size_t length = strlen(word);
    if (strstr(value, word) != NULL) {
        return true;
    }
    for (const char *part = value; *part != '\0'; part += strspn(part, between)) {
        const size_t size = strcspn(part, between);
        if (distance_between(part, size, word, length) <= distance_near(length)) {
            return true;
        }
        part += size;
    }
    return distance_between(value, strlen(value), word, length) <= distance_near(length);
}

int people_suggest(struct gradebook *book, const char *word, FILE *file)
{
    enum { MOST_SUGGESTED = 5, SHORTEST = 3 };
    char *wanted = plain("name", word);
    int found = 0;
    int64_t last = 0;
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT called.id, label, lower(known.value) FROM called JOIN (SELECT id AS "
        "student, name AS value FROM student UNION SELECT student, value FROM alias) AS "
        "known ON known.student = called.id ORDER BY called.name, key",
        "");
    while (gradebook_next(book, &row)) {
        const int64_t student = sqlite3_column_int64(row, 0);
        if (student != last && strlen(wanted) >= SHORTEST &&
            resembles(gradebook_text(row, 2), wanted)) {
            last = student;
            if (found++ < MOST_SUGGESTED) {
                fprintf(file, "%s%s", found > 1 ? gradebook_between(book) : "",
                        gradebook_text(row, 1));
            }
        }
    }
    if (found > MOST_SUGGESTED) {
        fprintf(file, "%sand %d more", gradebook_between(book), found - MOST_SUGGESTED);
    }
    free(wanted);
    return found;
}

// ---- rows of a table ----------------------------------------------------------------------

struct people_columns people_columns(const struct csv *csv)
{
    struct people_columns columns;
    // Canvas's table calls its own number "ID", and the university's "SIS User ID".
    bool canvas = csv_column(csv, "sis login id") >= 0;
    bool any = false;
    for (int i = 0; i < PEOPLE_KINDS; i++) {
        const char *kind = people_kinds[i].kind, *names = people_kinds[i].columns;
        names = !canvas                       ? names
                : strcmp(kind, "id") == 0     ? "sis user id"
                : strcmp(kind, "canvas") == 0 ? "id"
                                              : names;
        columns.of[i] = csv_column(csv, names);
        any = any || columns.of[i] >= 0;
    }
    columns.any = csv_column(csv, any_columns);
    if (!any && columns.any < 0) {
        csv_need(csv, "that names the person (person, id, email, name, ...)",
                 any_columns);
    }
    return columns;
}

char *people_words(const struct csv *csv, const struct people_columns *columns,
                   size_t row)
{
    struct text words;
    text_begin(&words);
    for (int i = -1; i < PEOPLE_KINDS; i++) {
        const char *cell = csv_cell(csv, row, i < 0 ? columns->any : columns->of[i]);
        if (*cell != '\0') {
            fprintf(words.file, "%s%s", ftell(words.file) > 0 ? ", " : "", cell);
        }
    }
    return text_end(&words);
}

static void check_one(const struct csv *csv, size_t row, const char *cell, int found)
{
    if (found > 1) {
        csv_refuse(
            csv, row,
            "'%s' may be any of %d people; say which by an id or an e-mail address", cell,
            found);
    }
}

int64_t people_row(struct gradebook *book, const struct csv *csv,
                   const struct people_columns *columns, size_t row)
{
    int64_t student = 0;
    for (int i = 0; i < PEOPLE_KINDS; i++) {
        const char *cell = csv_cell(csv, row, columns->of[i]);
        int found = people_find(book, people_kinds[i].kind, cell, false, &student);
        check_one(csv, row, cell, found);
        if (found == 1) {
            return student;
        }
    }
    const char *cell = csv_cell(csv, row, columns->any);
    int found = *cell != '\0' ? people_find(book, NULL, cell, false, &student) : 0;
    check_one(csv, row, cell, found);
    return found == 1 ? student : 0;
}
