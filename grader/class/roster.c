// roster.c - see roster.h.

#define _GNU_SOURCE
#include "class/roster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "class/people.h"
#include "report/text.h"

enum { NAME = PEOPLE_KINDS - 1, MOST_TOLD = 40 };

struct roster {
    struct gradebook *book;
    struct csv csv;
    struct people_columns columns;
    int name, first, last, team;
};

// ---- a row --------------------------------------------------------------------------------

// "Ann Lee". Caller frees.
static char *name_of(const struct roster *roster, size_t row)
{
    const char *name = csv_cell(&roster->csv, row, roster->name);
    const char *first = csv_cell(&roster->csv, row, roster->first);
    const char *last = csv_cell(&roster->csv, row, roster->last);
    const char *email = csv_cell(&roster->csv, row, roster->columns.of[1]);
    char *both =
        grader_print("%s%s%s", first, *first != '\0' && *last != '\0' ? " " : "", last);
    name = *name != '\0' ? name : *both != '\0' ? both : email;
    char *clean = report_clean(name, strlen(name));
    free(both);
    return clean;
}

// The cell that identifies the person from week to week: the first of id, e-mail address,
// Canvas's number, ... that is not empty. kind is its place in people_kinds.
static const char *identity_of(const struct roster *roster, size_t row, int *kind)
{
    for (*kind = 0; *kind < NAME; ++*kind) {
        const char *cell = csv_cell(&roster->csv, row, roster->columns.of[*kind]);
        if (*cell != '\0') {
            return cell;
        }
    }
    csv_refuse(&roster->csv, row,
               "this person needs an id, an e-mail address or a platform's number; two "
               "people may have one name");
}

// Canvas's second row is about the columns, and its last may be a made-up student.
static bool is_person(const struct roster *roster, size_t row)
{
    const char *student = csv_cell(&roster->csv, row, roster->columns.any);
    return strcmp(student, "Points Possible") != 0 &&
           strcmp(student, "Student, Test") != 0;
}

// No two rows may share an id, an address or a number.
static void check_twice(struct roster *roster, size_t row)
{
    for (int i = 0; i < NAME; i++) {
        const char *cell = csv_cell(&roster->csv, row, roster->columns.of[i]);
        int64_t before = gradebook_number(
            roster->book, -1,
            "SELECT line FROM temp.seen WHERE kind = ?1 AND value = lower(?2) AND ?2 != ''",
            "it", (int64_t)i, cell);
        if (before >= 0) {
            csv_refuse(&roster->csv, row, "%s %s is already in line %lld",
                       people_kinds[i].kind, cell, (long long)before);
        }
        gradebook_do(roster->book, "INSERT INTO temp.seen VALUES (?, lower(?), ?)", "iti",
                     (int64_t)i, cell, (int64_t)roster->csv.lines[row]);
    }
}

static bool shares_name(const struct roster *roster, size_t row, const char *name)
{
    int many = 0;
    for (size_t i = 0; i < roster->csv.rows; i++) {
        char *other = name_of(roster, i);
        many += i != row && strcasecmp(other, name) == 0;
        free(other);
    }
    return many > 0;
}

// A student of an earlier run, without a roster, who is this person; or 0.
static int64_t known_before(struct roster *roster, size_t row, const char *name)
{
    static const char *const strong[] = {"canvas", "email", "moodle"};
    int64_t student = 0;
    for (size_t i = 0; i < 3; i++) {
        for (int k = 0; k < NAME; k++) {
            const char *cell = csv_cell(&roster->csv, row, roster->columns.of[k]);
            if (strcmp(people_kinds[k].kind, strong[i]) == 0 &&
                people_find(roster->book, strong[i], cell, false, &student) == 1) {
                return student;
            }
        }
    }
    bool one = people_find(roster->book, "name", name, false, &student) == 1;
    return one && !shares_name(roster, row, name) ? student : 0;
}

// The row of the table `student` for this person; a new one if there is none.
static int64_t student_of(struct roster *roster, size_t row, const char *identity,
                          const char *name)
{
    struct gradebook *book = roster->book;
    char *key = grader_print("roster %s", identity);
    int64_t student =
        gradebook_number(book, 0, "SELECT id FROM student WHERE key = ?", "t", key);
    if (student == 0) {
        student = known_before(roster, row, name);
        if (gradebook_number(book, 0,
                             "SELECT 1 FROM student WHERE id = ? AND key LIKE 'roster %'",
                             "i", student) != 0) {
            student = 0; // another person of this or an earlier roster
        }
    }
    if (student == 0) {
        gradebook_do(book, "INSERT INTO student (key, name) VALUES (?, ?)", "tt", key,
                     name);
        student = sqlite3_last_insert_rowid(book->db);
    }
    gradebook_do(book,
                 "UPDATE student SET key = ?, name = ?, email = coalesce(nullif(?, ''), "
                 "email), canvas = coalesce(nullif(?, ''), canvas) WHERE id = ?",
                 "tttti", key, name, csv_cell(&roster->csv, row, roster->columns.of[1]),
                 csv_cell(&roster->csv, row, roster->columns.of[2]), student);
    free(key);
    return student;
}

static void add_row(struct roster *roster, size_t row)
{
    int kind;
    const char *team = csv_cell(&roster->csv, row, roster->team);
    const char *identity = identity_of(roster, row, &kind);
    char *name = name_of(roster, row);
    check_twice(roster, row);
    int64_t student = student_of(roster, row, identity, name);
    gradebook_do(roster->book, "INSERT INTO listed VALUES (?, ?, nullif(?, ''), ?)",
                 "itti", student, identity, team, (int64_t)row);
    gradebook_do(roster->book, "DELETE FROM alias WHERE student = ? AND kind = 'name'",
                 "i", student);
    for (int i = 0; i < NAME; i++) {
        people_add(roster->book, people_kinds[i].kind,
                   csv_cell(&roster->csv, row, roster->columns.of[i]), student);
    }
    people_add(roster->book, "name", name, student);
    free(name);
}

// ---- the file -----------------------------------------------------------------------------

static void forget_strangers(struct gradebook *book)
{
    gradebook_do(
        book,
        "DELETE FROM student WHERE key LIKE 'roster %' AND id NOT IN (SELECT "
        "student FROM listed) AND id NOT IN (SELECT student FROM submission) AND "
        "id NOT IN (SELECT student FROM partner) AND id NOT IN (SELECT student "
        "FROM hand) AND id NOT IN (SELECT student FROM extension)",
        "");
}

static void tell(struct roster *roster)
{
    int64_t people = gradebook_number(roster->book, 0, "SELECT count(*) FROM listed", "");
    int64_t teams =
        gradebook_number(roster->book, 0, "SELECT count(DISTINCT team) FROM listed", "");
    printf("%s: %lld %s", roster->csv.path, (long long)people,
           people == 1 ? "person" : "people");
    if (teams > 0) {
        printf(" in %lld %s", (long long)teams, teams == 1 ? "group" : "groups");
    }
    printf("\n");
}

void roster_apply(struct class *class)
{
    if (class->options.roster == NULL) {
        return;
    }
    struct roster roster = {.book = &class->book};
    csv_read(&roster.csv, class->options.roster);
    roster.columns = people_columns(&roster.csv);
    roster.first = csv_column(&roster.csv, "first name|given name|firstname");
    roster.last = csv_column(&roster.csv, "last name|surname|family name|lastname");
    roster.team = csv_column(&roster.csv, "group|groups|team");
    roster.name = roster.columns.of[NAME];
    roster.name = roster.name >= 0 ? roster.name : roster.columns.any;
    if (roster.name < 0 && roster.last < 0) {
        csv_need(&roster.csv, "with the name", "name");
    }
    gradebook_do(roster.book,
                 "CREATE TEMP TABLE seen (kind INTEGER, value TEXT, line "
                 "INTEGER)",
                 "");
    gradebook_do(roster.book, "DELETE FROM listed", "");
    for (size_t row = 0; row < roster.csv.rows; row++) {
        if (is_person(&roster, row)) {
            add_row(&roster, row);
        }
    }
    gradebook_do(roster.book, "DROP TABLE temp.seen", "");
    forget_strangers(roster.book);
    tell(&roster);
    csv_free(&roster.csv);
}

bool roster_exists(struct gradebook *book)
{
    return gradebook_number(book, 0, "SELECT 1 FROM listed LIMIT 1", "") != 0;
}

// ---- an entry -----------------------------------------------------------------------------

// GitHub Classroom names a clone "lab-1-octocat": the end, after any dash, may be a login.
static int find_login(struct gradebook *book, const char *name, int64_t *student)
{
    for (const char *dash = strchr(name, '-'); dash != NULL;
         dash = strchr(dash + 1, '-')) {
        if (people_find(book, "github", dash + 1, true, student) == 1) {
            return 1;
        }
    }
    return 0;
}

static int find_listed(struct gradebook *book, const struct who *who, int64_t *student)
{
    const char *const known[][2] = {
        {"canvas", who->canvas}, {"email", who->email}, {"moodle", who->participant}};
    for (size_t i = 0; i < 3; i++) {
        if (people_find(book, known[i][0], known[i][1], true, student) == 1) {
            return 1;
        }
    }
    // A platform's name is only a name; a folder may be called by an id or a login.
    bool platform = who->canvas[0] != '\0' || who->participant[0] != '\0';
    int found = people_find(book, platform ? "name" : NULL, who->name, true, student);
    return found == 0 && !platform ? find_login(book, who->name, student) : found;
}

int roster_find(struct gradebook *book, struct who *who)
{
    int64_t student = 0;
    int found = find_listed(book, who, &student);
    if (found == 1) {
        people_add(book, "canvas", who->canvas, student);
        people_add(book, "moodle", who->participant, student);
        sqlite3_stmt *row = gradebook_query(
            book, "SELECT key, name FROM student WHERE id = ?", "i", student);
        while (gradebook_next(book, &row)) {
            snprintf(who->key, sizeof who->key, "%s", gradebook_text(row, 0));
            snprintf(who->name, sizeof who->name, "%s", gradebook_text(row, 1));
        }
    }
    return found;
}

// ---- who is missing -----------------------------------------------------------------------

// Prints the labels of a query's people after a heading.
static void tell_people(struct class *class, const char *heading, const char *query)
{
    struct gradebook *book = &class->book;
    int told = 0;
    sqlite3_stmt *row = gradebook_query(book, query, "i", class->run);
    while (gradebook_next(book, &row)) {
        if (told < MOST_TOLD) {
            printf("%s%s", told == 0 ? heading : ", ", gradebook_text(row, 0));
        }
        told++;
    }
    if (told > MOST_TOLD) {
        printf(", and %d more", told - MOST_TOLD);
    }
    if (told > 0) {
        printf(" (%d on the roster)\n", told);
    }
}

#define HERE                                                                             \
    "WITH here AS (SELECT student FROM submission WHERE run = ?1 UNION SELECT "          \
    "partner.student FROM partner JOIN submission ON submission.id = submission WHERE "  \
    "run = ?1), teams AS (SELECT team FROM listed WHERE student IN here AND team NOT "   \
    "NULL) SELECT label FROM listed JOIN called ON called.id = student WHERE student "   \
    "NOT IN here AND "
#define IN_ORDER " ORDER BY name, listed.id"

void roster_tell(struct class *class)
{
    if (class->options.parts > 0) {
        return; // the others are in other slices
    }
    tell_people(class, "with the mark of a partner in their group: ",
                HERE "team IN teams" IN_ORDER);
    tell_people(class,
                "no hand-in here: ", HERE "(team IS NULL OR team NOT IN teams)" IN_ORDER);
}
