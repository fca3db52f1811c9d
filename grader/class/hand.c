// hand.c - see hand.h: grade set and grade undo.

#define _GNU_SOURCE
#include "class/hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "class/class.h"
#include "class/class_report.h"
#include "class/due.h"
#include "class/people.h"
#include "common/option_table.h"
#include "common/plural.h"
#include "report/text.h"

enum { MOST_POINTS = 10000 };

static const struct option_table set_table, undo_table;

// ": Sam Smith (17), Sam Smith (18)"
static void tell_namesakes(struct gradebook *book, const char *name)
{
    const char *between = ": ";
    sqlite3_stmt *row = gradebook_query(
        book, "SELECT label FROM called WHERE lower(name) = lower(?) ORDER BY key", "t",
        name);
    while (gradebook_next(book, &row)) {
        fprintf(stderr, "%s%s", between, gradebook_text(row, 0));
        between = gradebook_between(book);
    }
}

long long hand_person(struct gradebook *book, const char *word)
{
    int64_t student = 0;
    int found = people_find(book, NULL, word, false, &student);
    if (found == 0) {
        struct text names;
        text_begin(&names);
        const int near = people_suggest(book, word, names.file);
        char *them = text_end(&names);
        fprintf(stderr, "grade: nobody in %s is called '%s'%s%s\n", book->path, word,
                near == 0   ? ""
                : near == 1 ? "; there is "
                            : "; there are ",
                them);
        free(them);
    } else if (found > 1) {
        fprintf(stderr, "grade: in %s, '%s' may be any of several people", book->path,
                word);
        tell_namesakes(book, word);
        fputs("; say which by an id or an e-mail address\n", stderr);
    }
    if (found != 1) {
        exit(EXIT_USAGE);
    }
    return student;
}

// ---- grade set ----------------------------------------------------------------------------

struct set_wishes {
    const char *db, *person, *comment, *reason;
    double points, wait;
    bool points_given, bonus, clear;
    int lab;
};

static void take_points(void *settings, const struct option_row *row, const char *word)
{
    struct set_wishes *wishes = settings;
    wishes->points = option_real(&set_table, row, word);
    wishes->points_given = true;
}

static void take_person(void *settings, const char *word)
{
    struct set_wishes *wishes = settings;
    if (wishes->person != NULL) {
        option_refuse(&set_table, "unexpected argument %s", word);
    }
    wishes->person = word;
}

#define AT(member) offsetof(struct set_wishes, member)
static const struct option_row set_rows[] = {
    {"--db", "GRADEBOOK", NULL, OPTION_TEXT, AT(db)},
    {"--lab", "N", "the lab", OPTION_INT, AT(lab), 1, 99, .once = true},
    {"--points", "P",
     "the mark that replaces the judged one; the late penalty does not apply to it",
     OPTION_CALL, 0, 0, MOST_POINTS, .take = take_points},
    {"--bonus", NULL, "P may be more than the lab has", OPTION_YES, AT(bonus)},
    {"--comment", "TEXT", "a sentence for the student's feedback", OPTION_TEXT,
     AT(comment)},
    {"--reason", "TEXT", "why: for you, not for the student; required", OPTION_TEXT,
     AT(reason)},
    {"--clear", NULL, "the judged mark counts again, without a comment", OPTION_YES,
     AT(clear)},
    {"--wait", "SECONDS", "seconds to wait while another program uses the gradebook (30)",
     OPTION_DOUBLE, AT(wait), 0, 86400},
    {NULL},
};
#undef AT

static const struct option_table set_table = {
    .program = "grade",
    .more = "see build/grade set --help",
    .before =
        "usage: grade set PERSON --db GRADEBOOK --lab N --points P --reason TEXT [--bonus]\n"
        "       grade set PERSON --db GRADEBOOK --lab N --comment TEXT --reason TEXT\n"
        "       grade set PERSON --db GRADEBOOK --lab N --clear --reason TEXT\n\n"
        "PERSON is an id, an e-mail address, a platform's number, a login or a name.\n\n",
    .rows = set_rows,
    .column = 20,
    .after =
        "\n"
        "The change stays when the class is judged again. grade show PERSON lists\n"
        "all changes.\n\n"
        "exit status: 0 done, 2 the command line is wrong, or nobody has that name,\n"
        "             3 the gradebook could not be read or written\n",
    .argument = take_person,
};

static void check_set(const struct set_wishes *wishes)
{
    if (wishes->db == NULL || wishes->person == NULL || wishes->lab == 0) {
        option_refuse(&set_table, "set needs a person, --db and --lab");
    }
    class_need_lab(&set_table, wishes->lab);
    if (wishes->bonus && !wishes->points_given) {
        option_refuse(&set_table, "--bonus needs --points");
    }
    if (wishes->reason == NULL || *wishes->reason == '\0') {
        option_refuse(&set_table, "set needs a --reason");
    }
    if (wishes->clear == (wishes->points_given || wishes->comment != NULL)) {
        option_refuse(&set_table, "set needs --points or --comment, or else --clear");
    }
}

// No mark is above the lab's maximum by mistake. A lab that nobody's hand-in was judged in has the
// points of grader/points.txt.
static void check_most(struct report *report, const struct set_wishes *wishes)
{
    const double judged = report_lab_points(report, wishes->lab);
    const double most = judged > 0 ? judged : class_lab_points(report->root, wishes->lab);
    if (wishes->points_given && wishes->points > most && !wishes->bonus) {
        option_refuse(&set_table,
                      "lab %d has %g points, so it cannot get %g; with --bonus it can",
                      wishes->lab, most, wishes->points);
    }
}

// Is there a mark or a comment, set since the last --clear?
static bool is_set(struct gradebook *book, int64_t student, int lab)
{
    return gradebook_number(book, 0,
                            "SELECT NOT cleared FROM hand WHERE student = ? AND lab = ? "
                            "ORDER BY id DESC LIMIT 1",
                            "ii", student, (int64_t)lab) != 0;
}

// Prints what counts now.
static void tell_set(struct report *report, int64_t student, int lab, bool in_vain)
{
    struct standing standing = report_standing(report, student, lab);
    char *name = report_label(report, student);
    const double points = standing_points(&standing);
    printf("%s, lab %d: %g point%s%s", name, lab, points, plural(points),
           standing.by_hand ? ", set by hand" : "");
    if (in_vain) {
        printf("; nothing was set by hand");
    } else if (report_lab_points(report, lab) == 0) {
        printf("; no hand-in of lab %d has been judged yet", lab);
    }
    fputs("\n", stdout);
    free(name);
}

int hand_set_command(const char *root, int argc, char **argv)
{
    struct set_wishes wishes = {.wait = 30};
    struct gradebook book;
    option_table_read(&set_table, &wishes, argc, argv);
    check_set(&wishes);
    gradebook_keep_private();
    gradebook_open(&book, wishes.db, false, wishes.wait);
    gradebook_begin(&book);
    int64_t student = hand_person(&book, wishes.person);
    struct report report = {.book = book, .root = root};
    check_most(&report, &wishes);
    const bool in_vain = wishes.clear && !is_set(&book, student, wishes.lab);
    gradebook_do(&book,
                 "INSERT INTO hand (student, lab, points, comment, reason, cleared, at) "
                 "VALUES (?1, ?2, CASE WHEN ?3 THEN ?4 END, ?5, ?6, ?7, ?8)",
                 "iiidttii", student, (int64_t)wishes.lab, (int64_t)wishes.points_given,
                 wishes.points, wishes.comment, wishes.reason, (int64_t)wishes.clear,
                 gradebook_now());
    gradebook_commit(&book);
    tell_set(&report, student, wishes.lab, in_vain);
    gradebook_close(&book);
    return EXIT_PASS;
}

// ---- grade undo ---------------------------------------------------------------------------

struct undo_wishes {
    const char *db, *run;
    bool redo;
    double wait;
};

static void take_run(void *settings, const char *word)
{
    struct undo_wishes *wishes = settings;
    if (wishes->run != NULL) {
        option_refuse(&undo_table, "unexpected argument %s", word);
    }
    wishes->run = word;
}

#define AT(member) offsetof(struct undo_wishes, member)
static const struct option_row undo_rows[] = {
    {"--db", "GRADEBOOK", NULL, OPTION_TEXT, AT(db)},
    {"--redo", NULL, "the run counts again", OPTION_YES, AT(redo)},
    {"--wait", "SECONDS", "seconds to wait while another program uses the gradebook (30)",
     OPTION_DOUBLE, AT(wait), 0, 86400},
    {NULL},
};
#undef AT

static const struct option_table undo_table = {
    .program = "grade",
    .more = "see build/grade undo --help",
    .before =
        "usage: grade undo --db GRADEBOOK            lists the runs\n"
        "       grade undo RUN --db GRADEBOOK [--redo]\n\n"
        "Removes a run from the count: earlier marks count again. Nothing is deleted.\n"
        "Deadlines, rosters, extensions, times from --times and changes by hand are not\n"
        "part of a run: the list counts them, and they do not change.\n\n",
    .rows = undo_rows,
    .column = 20,
    .after =
        "\n"
        "exit status: 0 done, 2 the command line is wrong, or there is no such run,\n"
        "             3 the gradebook could not be read or written\n",
    .argument = take_run,
};

static void list_runs(struct gradebook *book)
{
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT id, started, lab, seed, (SELECT count(*) FROM submission WHERE run = "
        "run.id), finished IS NULL, id IN (SELECT run FROM undone), folder, hidden_seed <> '' "
        "FROM run ORDER BY id",
        "");
    while (gradebook_next(book, &row)) {
        char moment[64];
        char *lab = sqlite3_column_int(row, 2) == 0
                        ? grader_print("all labs")
                        : grader_print("lab %d", sqlite3_column_int(row, 2));
        due_write(sqlite3_column_int64(row, 1), moment, sizeof moment);
        printf("run %lld  %s  %s, seed %s%s, %lld hand-in%s%s%s  %s\n",
               (long long)sqlite3_column_int64(row, 0), moment, lab,
               gradebook_text(row, 3), sqlite3_column_int(row, 8) ? ", hidden cases" : "",
               (long long)sqlite3_column_int64(row, 4),
               plural(sqlite3_column_double(row, 4)),
               sqlite3_column_int(row, 5) ? ", not finished" : "",
               sqlite3_column_int(row, 6) ? ", undone" : "", gradebook_text(row, 7));
        free(lab);
    }
}

// What the gradebook holds beside the runs, in one line.
static void list_the_rest(struct gradebook *book)
{
    const char *before = "not part of a run, so undo leaves them: ";
    sqlite3_stmt *row = gradebook_query(
        book,
        "SELECT count(*), '', 'deadline', 'deadlines' FROM deadline "
        "UNION ALL SELECT count(*), '', 'person of the roster', 'people of the roster' "
        "FROM listed UNION ALL SELECT count(*), '', 'extension', 'extensions' FROM "
        "extension UNION ALL SELECT count(DISTINCT submission), 'the given times of ', "
        "'hand-in', 'hand-ins' FROM moment WHERE given IS NOT NULL "
        "UNION ALL SELECT count(*), '', 'change by hand', 'changes by hand' FROM hand",
        "");
    bool any = false;
    while (gradebook_next(book, &row)) {
        const long long count = sqlite3_column_int64(row, 0);
        if (count > 0) {
            printf("%s%s%lld %s", any ? ", " : before, gradebook_text(row, 1), count,
                   gradebook_text(row, count == 1 ? 2 : 3));
            any = true;
        }
    }
    fputs(any ? " (grade show prints those of one person)\n" : "", stdout);
}

static void undo(struct gradebook *book, int64_t run, bool redo)
{
    if (gradebook_number(book, 0, "SELECT id FROM run WHERE id = ?", "i", run) == 0) {
        option_refuse(&undo_table,
                      "%s has no run %lld; without a number, grade undo lists the runs",
                      book->path, (long long)run);
    }
    bool undone =
        gradebook_number(book, 0, "SELECT 1 FROM undone WHERE run = ?", "i", run) != 0;
    if (undone != redo) {
        option_refuse(&undo_table, "run %lld %s", (long long)run,
                      redo ? "counts already" : "is undone already");
    }
    if (redo) {
        gradebook_do(book, "DELETE FROM undone WHERE run = ?", "i", run);
    } else {
        gradebook_do(book, "INSERT INTO undone VALUES (?, ?)", "ii", run,
                     gradebook_now());
    }
    printf("run %lld %s\n", (long long)run,
           redo ? "counts again"
                : "does not count any more; grade undo --redo brings it back");
}

int hand_undo_command(int argc, char **argv)
{
    struct undo_wishes wishes = {.wait = 30};
    struct gradebook book;
    option_table_read(&undo_table, &wishes, argc, argv);
    if (wishes.db == NULL) {
        option_refuse(&undo_table, "say where the gradebook is: --db gradebook.db");
    }
    int64_t run = wishes.run != NULL ? (int64_t)option_whole(&undo_table, "RUN",
                                                             wishes.run, 1, INT64_MAX)
                                     : 0;
    if (run == 0 && wishes.redo) {
        option_refuse(&undo_table, "--redo needs the number of a run");
    }
    gradebook_keep_private();
    gradebook_open(&book, wishes.db, false, wishes.wait);
    gradebook_begin(&book);
    if (run == 0) {
        list_runs(&book);
        list_the_rest(&book);
    } else {
        undo(&book, run, wishes.redo);
    }
    gradebook_commit(&book);
    gradebook_close(&book);
    return EXIT_PASS;
}
