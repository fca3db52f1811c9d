// show.c - grade show PERSON: everything that the gradebook has about one student. Start
// reading at hand_show_command.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "class/class_report.h"
#include "class/due.h"
#include "class/hand.h"
#include "common/option_table.h"
#include "common/plural.h"

struct show_wishes {
    const char *db, *person;
    double wait;
};

static const struct option_table show_table;

static void take_person(void *settings, const char *word)
{
    struct show_wishes *wishes = settings;
    if (wishes->person != NULL) {
        option_refuse(&show_table, "unexpected argument %s", word);
    }
    wishes->person = word;
}

#define AT(member) offsetof(struct show_wishes, member)
static const struct option_row show_rows[] = {
    {"--db", "GRADEBOOK", NULL, OPTION_TEXT, AT(db)},
    {"--wait", "SECONDS", "seconds to wait while another program uses the gradebook (30)",
     OPTION_DOUBLE, AT(wait), 0, 86400},
    {NULL},
};

static const struct option_table show_table = {
    .program = "grade",
    .more = "see build/grade show --help",
    .before =
        "usage: grade show PERSON --db GRADEBOOK\n\n"
        "Prints everything about a student: hand-ins and their times, marks and what "
        "they\ncome from, extensions, and changes by hand.\n\n"
        "PERSON is an id, an e-mail address, a platform's number, a login or a name.\n\n",
    .rows = show_rows,
    .column = 20,
    .after =
        "\n"
        "exit status: 0 done, 2 the command line is wrong, or nobody has that name,\n"
        "             3 the gradebook could not be read\n",
    .argument = take_person,
};

static void show_person(struct report *report, int64_t student)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT name, coalesce(listed.id, ''), coalesce(team, ''), (SELECT group_concat(kind || "
        "' ' || value, ', ') FROM alias WHERE alias.student = who AND kind NOT IN ('name', "
        "'id')) FROM (SELECT ? AS who) JOIN student ON student.id = who LEFT JOIN listed "
        "ON listed.student = who",
        "i", student);
    while (gradebook_next(&report->book, &row)) {
        const char *id = gradebook_text(row, 1), *team = gradebook_text(row, 2);
        const char *names = gradebook_text(row, 3);
        printf("%s%s%s%s%s\n", gradebook_text(row, 0), *id != '\0' ? ", id " : "", id,
               *team != '\0' ? ", group " : "", team);
        if (*names != '\0') {
            printf("  %s\n", names);
        }
    }
}

static void show_marks(struct report *report, const struct standing *standing)
{
    sqlite3_stmt *mark = gradebook_query(
        &report->book,
        "SELECT title, points, most, verdict, diagnosis, exercise FROM mark WHERE grading "
        "= ? ORDER BY place",
        "i", standing->grading);
    while (gradebook_next(&report->book, &mark)) {
        const char *diagnosis = gradebook_text(mark, 4);
        const char *meaning = report_diagnosis(gradebook_text(mark, 5), diagnosis);
        diagnosis = meaning != NULL ? meaning : diagnosis;
        printf("    %-36s %5g of %-5g %s%s%s\n", gradebook_text(mark, 0),
               sqlite3_column_double(mark, 1), sqlite3_column_double(mark, 2),
               gradebook_text(mark, 3), *diagnosis != '\0' ? ": " : "", diagnosis);
    }
}

// "not late, with an extension (handed in ...; due ..., not ...)", if it would be late without.
static void show_excuse(const struct lateness *late)
{
    char at[64], due[64], first[64];
    if (late->extended && late->days == 0 && late->at != 0 &&
        due_days_late(late->at, late->first_due) > 0) {
        due_write(late->at, at, sizeof at);
        due_write(late->due, due, sizeof due);
        due_write(late->first_due, first, sizeof first);
        printf("  not late, with an extension (handed in %s; due %s, not %s)\n", at, due,
               first);
    }
}

static void show_lab(struct report *report, int64_t student, int lab)
{
    struct standing standing = report_standing(report, student, lab);
    char *late = lateness_long(&standing.late, standing.won);
    char *points = standing_words(standing_points(&standing), standing.most);
    printf("\nLab %d: %s%s\n", lab, points,
           standing.by_hand   ? ", set by hand"
           : standing.refused ? ", refused"
           : standing.absent  ? ", no file of this lab"
           : standing.there   ? ""
                              : ", nothing handed in");
    if (*late != '\0') {
        printf("  %s%s\n", standing.by_hand ? "as judged: " : "", late);
    }
    show_excuse(&standing.late);
    if (standing.partner != 0) {
        char *name = report_label(report, standing.partner);
        printf("  handed in by %s\n", name);
        free(name);
        char *own = report_own(report, lab, &standing);
        printf(*own != '\0' ? "  the own hand-in does not count: %s\n" : "%s", own);
        free(own);
    }
    if (standing.submission != 0) {
        const bool judged = standing.seed[0] != '\0'; // a refused hand-in is not
        printf("  from run %lld%s%s\n", (long long)standing.run,
               judged ? ", cases of seed " : "", standing.seed);
    }
    free(points);
    free(late);
    show_marks(report, &standing);
}

static void show_moment(const char *what, sqlite3_stmt *row, int column)
{
    char moment[64];
    if (sqlite3_column_type(row, column) != SQLITE_NULL) {
        due_write(sqlite3_column_int64(row, column), moment, sizeof moment);
        printf(", %s %s", what, moment);
    }
}

// ": 01_simple_attention/attention.c", the files of a hand-in that count.
static void show_files(struct report *report, int64_t submission)
{
    sqlite3_stmt *file = gradebook_query(
        &report->book,
        "SELECT piece.lab, text.name FROM piece JOIN text ON text.hash = piece.hash AND "
        "text.lab = piece.lab WHERE submission = ? ORDER BY piece.lab, text.name",
        "i", submission);
    bool any = false;
    while (gradebook_next(&report->book, &file)) {
        const struct lab_place *place = lab_places;
        while (place->folder != NULL && place->number != sqlite3_column_int(file, 0)) {
            place++;
        }
        printf("%s%s%s%s", any ? ", " : ": ", place->folder != NULL ? place->folder : "",
               place->folder != NULL ? "/" : "", gradebook_text(file, 1));
        any = true;
    }
}

// All of the student's own hand-ins, with every time that is known.
static void show_runs(struct report *report, int64_t student)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT run, verdict, reason, max(given), max(platform), max(committed), "
        "max(authored), handed_in, late, run IN (SELECT run FROM undone), id FROM submission "
        "LEFT JOIN moment ON submission = id WHERE student = ? GROUP BY id ORDER BY run",
        "i", student);
    bool any = false;
    while (gradebook_next(&report->book, &row)) {
        const char *reason = gradebook_text(row, 2);
        printf(any ? "" : "\nHand-ins\n");
        any = true;
        const bool taken = strcmp(gradebook_text(row, 1), "taken") == 0;
        printf("  run %lld: %s", (long long)sqlite3_column_int64(row, 0),
               gradebook_text(row, 1));
        if (taken) { // the reason names files that do not count
            show_files(report, sqlite3_column_int64(row, 10));
        }
        printf("%s%s%s",
               *reason == '\0' ? ""
               : taken         ? "; does not count: "
                               : ": ",
               reason, sqlite3_column_int(row, 9) ? ", undone" : "");
        show_moment("given", row, 3);
        show_moment("platform", row, 4);
        show_moment("committed", row, 5);
        show_moment("authored", row, 6);
        show_moment("files", row, 7);
        printf(sqlite3_column_int(row, 8) == 1 ? ", LATE in Canvas\n" : "\n");
    }
}

static void show_extensions(struct report *report, int64_t student)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT lab, days, until, reason FROM extension WHERE student = ? ORDER BY lab",
        "i", student);
    bool any = false;
    while (gradebook_next(&report->book, &row)) {
        printf(any ? "" : "\nExtensions\n");
        any = true;
        if (sqlite3_column_int(row, 0) == 0) {
            printf("  all labs");
        } else {
            printf("  lab %d", sqlite3_column_int(row, 0));
        }
        if (sqlite3_column_type(row, 1) != SQLITE_NULL) {
            printf(", %d days", sqlite3_column_int(row, 1));
        }
        show_moment("until", row, 2);
        printf(*gradebook_text(row, 3) != '\0' ? ": %s\n" : "\n", gradebook_text(row, 3));
    }
}

static void show_changes(struct report *report, int64_t student)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT at, lab, points, comment, cleared, reason FROM hand WHERE student = ? "
        "ORDER BY id",
        "i", student);
    bool any = false;
    while (gradebook_next(&report->book, &row)) {
        char moment[64];
        due_write(sqlite3_column_int64(row, 0), moment, sizeof moment);
        printf("%s  %s  lab %d", any ? "" : "\nChanges by hand\n", moment,
               sqlite3_column_int(row, 1));
        any = true;
        if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
            const double points = sqlite3_column_double(row, 2);
            printf(", %g point%s", points, plural(points));
        }
        if (sqlite3_column_type(row, 3) != SQLITE_NULL) {
            printf(", comment \"%s\"", gradebook_text(row, 3));
        }
        printf("%s: %s\n", sqlite3_column_int(row, 4) ? ", cleared" : "",
               gradebook_text(row, 5));
    }
}

int hand_show_command(const char *root, int argc, char **argv)
{
    struct show_wishes wishes = {.wait = 30};
    struct report report = {.root = root};
    option_table_read(&show_table, &wishes, argc, argv);
    if (wishes.db == NULL || wishes.person == NULL) {
        option_refuse(&show_table, "show needs a person and --db GRADEBOOK");
    }
    gradebook_keep_private();
    gradebook_open(&report.book, wishes.db, false, wishes.wait);
    gradebook_do(&report.book, "BEGIN", "");
    int64_t student = hand_person(&report.book, wishes.person);
    report_labs(&report, 0);
    show_person(&report, student);
    for (int i = 0; i < report.lab_count; i++) {
        show_lab(&report, student, report.labs[i]);
    }
    show_runs(&report, student);
    show_extensions(&report, student);
    show_changes(&report, student);
    gradebook_do(&report.book, "COMMIT", "");
    gradebook_close(&report.book);
    return EXIT_PASS;
}
