// roster.c - see roster.h.

#define _GNU_SOURCE
#include "class/roster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "class/class_report.h"
#include "class/moodle.h"
#include "class/people.h"
#include "report/text.h"

enum { NAME = PEOPLE_KINDS - 1, MOST_TOLD = 40 };

static const char FIRST_NAMES[] = "first name|given name|firstname";
static const char LAST_NAMES[] = "last name|surname|family name|lastname";

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
               "people may have the same name");
}

// Canvas's column of names, or the first of two such columns.
static const char *canvas_name(const struct csv *csv,
                               const struct people_columns *columns, size_t row)
{
    const char *name = csv_cell(
        csv, row, columns->any >= 0 ? columns->any : csv_column(csv, LAST_NAMES));
    return name + strspn(name, " ");
}

bool roster_is_worth(const struct csv *csv, const struct people_columns *columns,
                     size_t row)
{
    return strcmp(canvas_name(csv, columns, row), "Points Possible") == 0;
}

// The row below the header, if Canvas does not show marks before the teacher does.
static bool is_about_posting(const struct csv *csv, size_t row)
{
    static const char words[] = "Manual Posting";
    bool says = false;
    for (int i = 0; i < (int)csv->columns; i++) {
        const char *cell = csv_cell(csv, row, i);
        const bool posting = strncmp(cell, words, sizeof words - 1) == 0;
        if (*cell != '\0' && !posting) {
            return false;
        }
        says = says || posting;
    }
    return says;
}

bool roster_is_person(const struct csv *csv, const struct people_columns *columns,
                      size_t row)
{
    const char *name = canvas_name(csv, columns, row);
    const bool made_up =
        strcmp(name, "Student, Test") == 0 ||
        (columns->any < 0 && strcmp(name, "Student") == 0 &&
         strcmp(csv_cell(csv, row, csv_column(csv, FIRST_NAMES)), "Test") == 0);
    return !made_up && !roster_is_worth(csv, columns, row) && !is_about_posting(csv, row);
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
    static const char *const strong[] = {"canvas", "email", "id", "moodle"};
    int64_t student = 0;
    for (size_t i = 0; i < 4; i++) {
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

// Has the row an id, and the student another one?
static bool has_another_id(struct roster *roster, size_t row, int64_t student)
{
    return gradebook_number(roster->book, 0,
                            "SELECT 1 FROM alias WHERE student = ?1 AND kind = 'id' AND "
                            "?2 != '' AND value != lower(?2)",
                            "it", student,
                            csv_cell(&roster->csv, row, roster->columns.of[0])) != 0;
}

// A person of an earlier roster that identified people by another column, or 0. Moodle's numbers
// differ between assignments, and names may be shared.
static int64_t listed_before(struct roster *roster, size_t row)
{
    int64_t student = 0;
    for (int i = 0; i < NAME; i++) {
        const char *cell = csv_cell(&roster->csv, row, roster->columns.of[i]);
        if (strcmp(people_kinds[i].kind, "moodle") != 0 &&
            people_find(roster->book, people_kinds[i].kind, cell, false, &student) == 1 &&
            gradebook_number(roster->book, 0, "SELECT 1 FROM listed WHERE student = ?",
                             "i", student) == 0 &&
            !has_another_id(roster, row, student)) {
            return student;
        }
    }
    return 0;
}

// The row of the table `student` for this person; a new one if there is none.
static int64_t student_of(struct roster *roster, size_t row, const char *identity,
                          const char *name)
{
    struct gradebook *book = roster->book;
    char *key = grader_print("roster %s", identity);
    int64_t student =
        gradebook_number(book, 0, "SELECT id FROM student WHERE key = ?", "t", key);
    student = student != 0 ? student : listed_before(roster, row);
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

void roster_tell_size(struct class *class)
{
    struct gradebook *book = &class->book;
    if (class->options.roster == NULL) {
        return;
    }
    int64_t people = gradebook_number(book, 0, "SELECT count(*) FROM listed", "");
    int64_t teams =
        gradebook_number(book, 0, "SELECT count(DISTINCT team) FROM listed", "");
    printf("%s: %lld %s", class->options.roster, (long long)people,
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
    roster.first = csv_column(&roster.csv, FIRST_NAMES);
    roster.last = csv_column(&roster.csv, LAST_NAMES);
    roster.team = csv_column(&roster.csv, "group|groups|team");
    roster.name = roster.columns.of[NAME];
    roster.name = roster.name >= 0 ? roster.name : roster.columns.any;
    if (roster.name < 0 && roster.last < 0) {
        csv_need(&roster.csv, "with the name", "name");
    }
    gradebook_do(roster.book,
                 "CREATE TEMP TABLE seen (kind INTEGER, value TEXT, line INTEGER)", "");
    gradebook_do(roster.book, "DELETE FROM listed", "");
    for (size_t row = 0; row < roster.csv.rows; row++) {
        if (roster_is_person(&roster.csv, &roster.columns, row)) {
            add_row(&roster, row);
        }
    }
    gradebook_do(roster.book, "DROP TABLE temp.seen", "");
    forget_strangers(roster.book);
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
    const char *const known[][2] = {{"canvas", who->canvas},
                                    {"email", who->email},
                                    {"id", who->id},
                                    {"moodle", who->participant}};
    for (size_t i = 0; i < 4; i++) {
        if (people_find(book, known[i][0], known[i][1], true, student) == 1) {
            return 1;
        }
    }
    // A platform's name is only a name; a folder may be called by an id or a login.
    bool platform = who->canvas[0] != '\0' || who->participant[0] != '\0';
    int found = people_find(book, platform ? "name" : NULL, who->name, true, student);
    if (found == 0 && who->participant[0] != '\0') {
        return moodle_find(book, who->name, student);
    }
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

// A list of labels: the first ones, and how many there are.
struct list {
    const char *between;
    struct text names;
    int count;
};

static void begin_list(struct list *list, struct gradebook *book)
{
    list->between = gradebook_between(book);
    list->count = 0;
    text_begin(&list->names);
}

static void add_name(struct list *list, const char *label)
{
    if (list->count < MOST_TOLD) {
        fprintf(list->names.file, "%s%s", list->count > 0 ? list->between : "", label);
    }
    list->count++;
}

// Prints the list after a heading.
static void tell_list(struct list *list, const char *heading)
{
    char *names = text_end(&list->names);
    if (list->count > MOST_TOLD) {
        printf("%s%s%sand %d more (%d on the roster)\n", heading, names, list->between,
               list->count - MOST_TOLD, list->count);
    } else if (list->count > 0) {
        printf("%s%s (%d on the roster)\n", heading, names, list->count);
    }
    free(names);
}

// Has a partner's mark in a lab of this run?
static bool has_partners_mark(struct class *class, int64_t student)
{
    struct report report = {.book = class->book};
    bool has = false;
    for (int i = 0; i < class->lab_count && !has; i++) {
        has =
            report_standing(&report, student, class->labs[i].place->number).partner != 0;
    }
    return has;
}

// Everybody on the roster: has an own hand-in in this run, is one of Gradescope's submitters, or
// has a partner with one.
static sqlite3_stmt *everybody(struct class *class)
{
    return gradebook_query(
        &class->book,
        "WITH own AS (SELECT student FROM submission WHERE run = ?1), shared AS (SELECT "
        "partner.student FROM partner JOIN submission ON submission.id = submission "
        "WHERE run = ?1), teams AS (SELECT team FROM listed WHERE team NOT NULL AND "
        "(student IN own OR student IN shared)) SELECT label, student, student IN own, "
        "student IN shared, coalesce(team IN teams, 0) FROM listed JOIN called ON "
        "called.id = student ORDER BY name, listed.id",
        "i", class->run);
}

void roster_tell(struct class *class)
{
    if (class->options.parts > 0) {
        return; // the others are in other slices
    }
    struct list partners, missing;
    begin_list(&partners, &class->book);
    begin_list(&missing, &class->book);
    sqlite3_stmt *row = everybody(class);
    while (gradebook_next(&class->book, &row)) {
        const bool own = sqlite3_column_int(row, 2), shared = sqlite3_column_int(row, 3);
        if (!shared && sqlite3_column_int(row, 4) &&
            has_partners_mark(class, sqlite3_column_int64(row, 1))) {
            add_name(&partners, gradebook_text(row, 0));
        } else if (!own && !shared) {
            add_name(&missing, gradebook_text(row, 0));
        }
    }
    tell_list(&partners, "with the mark of a partner in their group: ");
    tell_list(&missing, "no hand-in here: ");
}
