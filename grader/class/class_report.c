// class_report.c - see class_report.h: the command line, and queries for all reports.

#define _GNU_SOURCE
#include "class/class_report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "cases/tables.h"
#include "class/absence.h"
#include "class/class.h"
#include "class/questions.h"
#include "class/triage.h"

enum { NAME_WIDTH = 32 };

// ---- words --------------------------------------------------------------------------------

const char *report_lab_title(int lab)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (place->number == lab) {
            return place->lab->title;
        }
    }
    return "";
}

const char *report_diagnosis(const char *id, const char *diagnosis)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    if (!find_exercise(id, &place, &exercise)) {
        return NULL;
    }
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        const struct mistake *mistake = part->mistakes;
        for (; mistake != NULL && mistake->id != NULL; mistake++) {
            if (strcmp(mistake->id, diagnosis) == 0) {
                return mistake->what;
            }
        }
        const struct property *property = part->properties;
        for (; property != NULL && property->id != NULL; property++) {
            if (strcmp(property->id, diagnosis) == 0) {
                return property->claim;
            }
        }
    }
    return NULL;
}

const char *report_kind(const char *verdict)
{
    return strcmp(verdict, "pass") == 0                                      ? "pass"
           : strcmp(verdict, "wrong") == 0                                   ? "wrong"
           : strcmp(verdict, "todo") == 0 || strcmp(verdict, "not_run") == 0 ? "todo"
                                                                             : "other";
}

// ---- names ----------------------------------------------------------------------------------

char *report_name(struct report *report, int64_t student)
{
    char *name = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT name FROM student WHERE id = ?", "i", student);
    while (gradebook_next(&report->book, &row)) {
        free(name);
        name = grader_print("%s", gradebook_text(row, 0));
    }
    return name;
}

char *report_label(struct report *report, int64_t student)
{
    char *label = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT label FROM called WHERE id = ?", "i", student);
    while (gradebook_next(&report->book, &row)) {
        free(label);
        label = grader_print("%s", gradebook_text(row, 0));
    }
    return label;
}

// ---- seeds --------------------------------------------------------------------------------

char *report_seeds(struct report *report, int lab)
{
    char *seeds = grader_print("%s", "");
    sqlite3_stmt *student =
        gradebook_query(&report->book, "SELECT id FROM student ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        struct standing standing =
            report_standing(report, sqlite3_column_int64(student, 0), lab);
        char *around = grader_print(", %s, ", seeds);
        char *wanted = grader_print(", %s, ", standing.seed);
        if (standing.graded && strstr(around, wanted) == NULL) {
            char *longer =
                grader_print("%s%s%s", seeds, *seeds != '\0' ? ", " : "", standing.seed);
            free(seeds);
            seeds = longer;
        }
        free(wanted);
        free(around);
    }
    return seeds;
}

// ---- absences -----------------------------------------------------------------------------

char *report_others(struct report *report, int64_t submission)
{
    char *others = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT reason FROM submission WHERE id = ? AND verdict = 'taken'",
        "i", submission);
    while (gradebook_next(&report->book, &row)) {
        free(others);
        others = grader_print("%s", gradebook_text(row, 0));
    }
    return others;
}

// Ends a sentence about the labs of one submission.
static void write_absence(struct report *report, FILE *file, struct absence *absence,
                          int64_t submission, bool nothing)
{
    char *others = report_others(report, submission);
    if (absence->count > 0 && (nothing || *others != '\0')) {
        char *line = absence_line(absence, others);
        fprintf(file, "%s%s", ftell(file) > 0 ? "; " : "", line);
        free(line);
    }
    absence->count = 0;
    free(others);
}

// The labs may come from several submissions, each with different other files.
char *report_absence(struct report *report, int64_t student)
{
    struct standing standings[MOST_REPORTED];
    struct absence absence = {.count = 0};
    struct text text;
    bool nothing = true;
    text_begin(&text);
    for (int i = 0; i < report->lab_count; i++) {
        standings[i] = report_standing(report, student, report->labs[i]);
        nothing = nothing && (standings[i].absent || !standings[i].there);
    }
    int64_t submission = 0;
    for (int i = 0; i < report->lab_count; i++) {
        if (standings[i].absent && standings[i].submission != submission) {
            write_absence(report, text.file, &absence, submission, nothing);
            submission = standings[i].submission;
        }
        if (standings[i].absent) {
            absence_add(&absence, report->labs[i]);
        }
    }
    write_absence(report, text.file, &absence, submission, nothing);
    return text_end(&text);
}

// ---- notes --------------------------------------------------------------------------------

bool report_waiting(struct report *report, int64_t student, int lab)
{
    return gradebook_number(
               &report->book, 0,
               "SELECT 1 FROM submission AS s "
               "LEFT JOIN piece ON submission = s.id AND piece.lab = ?2 "
               "WHERE student = ?1 AND s.run = "
               "(SELECT max(run) FROM counted JOIN run ON run.id = run "
               "WHERE student = ?1 AND run.lab IN (0, ?2)) "
               "AND (s.verdict = 'waiting' OR (s.verdict = 'taken' "
               "AND piece.lab NOT NULL AND grading IS NULL AND failure IS NULL))",
               "ii", student, (int64_t)lab) != 0;
}

// Appends a part unless it is the last one already, because several labs may share a
// submission.
static void add_part(char **note, const char *what, const char *why)
{
    char *part = grader_print("%s%s", what, why);
    size_t length = strlen(*note), end = strlen(part);
    if (length < end || strcmp(*note + length - end, part) != 0) {
        char *longer = grader_print("%s%s%s", *note, length > 0 ? "; " : "", part);
        free(*note);
        *note = longer;
    }
    free(part);
}

static void add_refusal(struct report *report, const char *prefix, char **note,
                        int64_t submission)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT reason FROM submission WHERE id = ?", "i", submission);
    while (gradebook_next(&report->book, &row)) {
        add_part(note, prefix, gradebook_text(row, 0));
    }
}

// One hand-in may hold several labs: its reason stands once.
static void add_refusals(struct report *report, const char *prefix, char **note,
                         int64_t student)
{
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing = report_standing(report, student, report->labs[i]);
        if (standing.refused) {
            add_refusal(report, prefix, note, standing.submission);
        }
    }
}

// The reason is for the instructor, who reads notes; feedback shows the comment.
static void add_by_hand(struct report *report, int64_t student, int lab,
                        const struct standing *standing, const char *prefix, char **note)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT reason FROM hand WHERE student = ? AND lab = ? AND points NOT NULL ORDER "
        "BY id DESC LIMIT 1",
        "ii", student, (int64_t)lab);
    while (gradebook_next(&report->book, &row)) {
        double judged = round(standing->won * standing->late.share * 100) / 100;
        char *what =
            grader_print("%sset by hand: %g → %g: ", prefix, judged, standing->points);
        add_part(note, what, gradebook_text(row, 0));
        free(what);
    }
}

// Lateness, partners and marks set by hand.
static void add_lab_notes(struct report *report, int64_t student, int lab, char **note)
{
    struct standing standing = report_standing(report, student, lab);
    char *prefix =
        report->lab_count > 1 ? grader_print("lab %d ", lab) : grader_print("%s", "");
    char *late = lateness_short(&standing.late, standing.won);
    if (*late != '\0' && !standing.refused && !standing.by_hand) {
        add_part(note, prefix, late);
    }
    if (standing.partner != 0) {
        char *partner = report_label(report, standing.partner);
        add_part(note, "handed in by ", partner);
        free(partner);
        char *own = report_own(report, lab, &standing);
        if (*own != '\0') {
            add_part(note, "the own hand-in does not count: ", own);
        }
        free(own);
    }
    if (standing.by_hand) {
        add_by_hand(report, student, lab, &standing, prefix, note);
    }
    free(late);
    free(prefix);
}

char *report_note(struct report *report, int64_t student)
{
    char *note = grader_print("%s", "");
    add_refusals(report, "refused: ", &note, student);
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing = report_standing(report, student, report->labs[i]);
        if (standing.failed) {
            add_part(&note, "a lab could not be graded", "");
        } else if (report_waiting(report, student, report->labs[i])) {
            add_part(&note, "not graded yet",
                     standing.there ? ": the newest hand-in" : "");
        }
    }
    for (int i = 0; i < report->lab_count; i++) {
        add_lab_notes(report, student, report->labs[i], &note);
    }
    char *triage = triage_note(report, student);
    if (*triage != '\0') {
        add_part(&note, triage, "");
    }
    free(triage);
    if (!report_handed_in(report, student)) {
        add_part(&note, "handed in nothing", "");
    }
    return note;
}

// ---- the command --------------------------------------------------------------------------

struct wishes {
    const char *db, *csv, *canvas, *feedback, *html;
    const char *canvas_export, *moodle, *worksheet, *zip, *questions;
    const char *columns[MOST_REPORTED + 1];
    int column_count, lab;
    bool blank;
    double wait;
};

static const struct option_table table;

static void take_column(void *settings, const struct option_row *row, const char *word)
{
    struct wishes *wishes = settings;
    if (strchr(word, '=') == NULL || atoi(word) == 0 ||
        wishes->column_count == MOST_REPORTED) {
        option_refuse(&table, "%s takes N=NAME, not '%s'", row->name, word);
    }
    wishes->columns[wishes->column_count++] = word;
}

#define AT(member) offsetof(struct wishes, member)
static const struct option_row rows[] = {
    {"--db", "GRADEBOOK", NULL, OPTION_TEXT, AT(db)}, // shown in the first line of --help
    {"--csv", "FILE", "marks: a line for each student, a column for each lab",
     OPTION_TEXT, AT(csv)},
    {"--canvas", "FILE", "the same marks, in the form that Canvas imports", OPTION_TEXT,
     AT(canvas)},
    {"--column", "N=NAME",
     "the name of lab N's assignment, as in Canvas's export: "
     "--column '3=Lab 3 (12345)'; repeat it for each lab",
     OPTION_CALL, .take = take_column},
    {"--canvas-export", "FILE",
     "Canvas's own table (Grades, Export): --canvas keeps its rows "
     "and names, and fills in the marks",
     OPTION_TEXT, AT(canvas_export)},
    {"--worksheet", "FILE", "Moodle's grading worksheet of the lab", OPTION_TEXT,
     AT(worksheet)},
    {"--moodle", "FILE", "the same worksheet with the marks, to upload to Moodle",
     OPTION_TEXT, AT(moodle)},
    {"--blank", NULL,
     "with --canvas or --moodle: an empty cell, not a 0, for students whose "
     "hand-in was refused or has no file of the lab",
     OPTION_YES, AT(blank)},
    {"--feedback", "FOLDER", "a text file and an HTML page for each student", OPTION_TEXT,
     AT(feedback)},
    {"--feedback-zip", "FILE",
     "the same as one archive that Moodle or Canvas can hand out; its files have the "
     "export's names",
     OPTION_TEXT, AT(zip)},
    {"--html", "FILE", "an HTML page on the class: marks, diagnoses, similar hand-ins",
     OPTION_TEXT, AT(html)},
    {"--questions", "FILE",
     "an HTML page with three questions for an oral exam for each student, about "
     "the student's own code, with the answers: for you, not for students",
     OPTION_TEXT, AT(questions)},
    {"--lab", "N", "only this lab", OPTION_INT, AT(lab), 1, 99, .once = true},
    {"--wait", "SECONDS", "seconds to wait while another program uses the gradebook (30)",
     OPTION_DOUBLE, AT(wait), 0, 86400},
    {NULL},
};

static const struct option_table table = {
    .program = "grade",
    .more = "see build/grade report --help",
    .before = "usage: grade report --db GRADEBOOK [options]\n"
              "\n",
    .rows = rows,
    .column = 23,
    .after = "\n"
             "exit status: 0 everything is written, 2 the command line is wrong,\n"
             "             3 a file could not be read or written\n",
};

// Each option that writes needs a name: several may be given, and messages go to standard output.
static void check_names(const struct wishes *wishes)
{
    const char *const files[][2] = {{"--csv", wishes->csv},
                                    {"--canvas", wishes->canvas},
                                    {"--moodle", wishes->moodle},
                                    {"--feedback", wishes->feedback},
                                    {"--feedback-zip", wishes->zip},
                                    {"--html", wishes->html},
                                    {"--questions", wishes->questions}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i][1] != NULL && strcmp(files[i][1], "-") == 0) {
            option_refuse(&table, "%s needs a name, and - is not standard output here",
                          files[i][0]);
        }
    }
}

static void parse(struct wishes *wishes, int argc, char **argv)
{
    option_table_read(&table, wishes, argc, argv);
    check_names(wishes);
    if (wishes->db == NULL) {
        option_refuse(&table, "say where the gradebook is: --db gradebook.db");
    }
    if (wishes->blank && wishes->canvas == NULL && wishes->moodle == NULL) {
        option_refuse(&table, "--blank needs --canvas FILE or --moodle FILE");
    }
    if (wishes->column_count > 0 && wishes->canvas == NULL) {
        option_refuse(&table, "--column needs --canvas FILE");
    }
    if (wishes->canvas_export != NULL && wishes->canvas == NULL) {
        option_refuse(&table, "--canvas-export needs --canvas FILE");
    }
    if ((wishes->worksheet != NULL) != (wishes->moodle != NULL)) {
        option_refuse(&table, "--worksheet and --moodle need each other");
    }
    if (wishes->moodle != NULL && wishes->lab == 0) {
        option_refuse(&table, "a worksheet is about one lab: --moodle needs --lab");
    }
}

int report_labs(struct report *report, int only)
{
    sqlite3_stmt *lab = gradebook_query(
        &report->book,
        "SELECT lab FROM piece WHERE ?1 IN (0, lab) UNION SELECT lab FROM hand WHERE ?1 "
        "IN (0, lab) ORDER BY lab",
        "i", (int64_t)only);
    while (gradebook_next(&report->book, &lab)) {
        if (report->lab_count < MOST_REPORTED) {
            report->labs[report->lab_count++] = sqlite3_column_int(lab, 0);
        }
    }
    return report->lab_count;
}

static void find_labs(struct report *report, int only)
{
    if (report_labs(report, only) == 0) {
        fprintf(stderr, "grade: %s has no marks%s\n", report->book.path,
                only > 0 ? " of this lab" : "");
        exit(EXIT_USAGE);
    }
}

static void print_partner(struct report *report, const struct standing *standing)
{
    if (standing->partner != 0) {
        char *partner = report_label(report, standing->partner);
        printf(" (handed in by %s)", partner);
        free(partner);
    }
}

// "lab 1: 80 of 100", "lab 1: refused"; nothing for a lab that was not handed in.
static void print_standing(struct report *report, int64_t student, int lab,
                           const struct standing *standing)
{
    if (standing->by_hand) {
        printf("  lab %d: %g", lab, standing->points);
        printf(standing->most > 0 ? " of %g (set by hand)" : " (set by hand)",
               standing->most);
    } else if (standing->refused) {
        printf("  lab %d: refused", lab);
    } else if (standing->there) {
        char *late = lateness_short(&standing->late, standing->won);
        printf("  lab %d: %g of %g%s%s%s", lab, standing_points(standing), standing->most,
               *late != '\0' ? " (" : "", late, *late != '\0' ? ")" : "");
        free(late);
        print_partner(report, standing);
    } else if (standing->failed || report_waiting(report, student, lab)) {
        printf("  lab %d: not graded yet", lab);
    }
}

// Blanks behind a name, so that what follows is in one column.
static int blanks_behind(const char *name)
{
    int length = 0;
    for (; *name != '\0'; name++) {
        length += ((unsigned char)*name & 0xc0) != 0x80; // the first byte of a character
    }
    return length < NAME_WIDTH ? NAME_WIDTH - length : 0;
}

// Without output options, prints a line per student and the seed of the cases.
static void print_summary(struct report *report)
{
    struct gradebook *book = &report->book;
    sqlite3_stmt *student =
        gradebook_query(book, "SELECT id, label FROM called ORDER BY name, key", "");
    while (gradebook_next(book, &student)) {
        const char *label = gradebook_text(student, 1);
        const int64_t id = sqlite3_column_int64(student, 0);
        printf("%s%*s", label, blanks_behind(label), "");
        for (int i = 0; i < report->lab_count; i++) {
            struct standing standing = report_standing(report, id, report->labs[i]);
            print_standing(report, id, report->labs[i], &standing);
        }
        char *refusals = grader_print("%s", "");
        add_refusals(report, "", &refusals, id);
        char *absence = report_absence(report, id);
        bool nothing = !report_handed_in(report, id);
        char *triage = triage_note(report, id);
        printf("%s%s%s%s%s%s%s\n", *refusals != '\0' ? "  " : "", refusals,
               *absence != '\0' ? "  " : "", absence, *triage != '\0' ? "  " : "", triage,
               nothing ? "  handed in nothing" : "");
        free(triage);
        free(absence);
        free(refusals);
    }
    for (int i = 0; i < report->lab_count; i++) {
        similarity_print(report, report->labs[i]);
    }
    for (int i = 0; i < report->lab_count; i++) {
        char *seeds = report_seeds(report, report->labs[i]);
        if (*seeds != '\0') {
            printf("lab %d: cases of seed %s\n", report->labs[i], seeds);
        }
        free(seeds);
    }
}

static bool tell(bool written, const char *path, const char *what)
{
    if (written) {
        printf("%s: %s\n", path, what);
    }
    return written;
}

int report_command(const char *root, int argc, char **argv)
{
    struct wishes wishes = {.wait = 30};
    struct report report = {.root = root};
    parse(&wishes, argc, argv);
    gradebook_keep_private();
    gradebook_open(&report.book, wishes.db, false, wishes.wait);
    // Reads a single state of the gradebook, even if another program writes to it.
    gradebook_do(&report.book, "BEGIN", "");
    find_labs(&report, wishes.lab);
    bool fine = true;
    if (wishes.csv != NULL) {
        fine = tell(report_csv(&report, wishes.csv), wishes.csv, "the marks") && fine;
    }
    if (wishes.canvas != NULL && wishes.canvas_export != NULL) {
        fine = report_canvas_filled(&report, wishes.canvas_export, wishes.canvas,
                                    wishes.columns, wishes.blank) &&
               fine;
    } else if (wishes.canvas != NULL) {
        fine = tell(report_canvas(&report, wishes.canvas, wishes.columns, wishes.blank),
                    wishes.canvas, "the marks for Canvas") &&
               fine;
    }
    if (wishes.moodle != NULL) {
        fine =
            report_moodle(&report, wishes.worksheet, wishes.moodle, wishes.blank) && fine;
    }
    if (wishes.zip != NULL) {
        fine = report_feedback_zip(&report, wishes.zip) && fine;
    }
    if (wishes.feedback != NULL) {
        fine = tell(report_feedback(&report, wishes.feedback), wishes.feedback,
                    "a text file and an HTML page for each student") &&
               fine;
    }
    if (wishes.html != NULL) {
        fine = tell(report_page(&report, wishes.html, wishes.feedback), wishes.html,
                    "the class") &&
               fine;
    }
    if (wishes.questions != NULL) {
        fine = tell(report_questions(&report, wishes.questions), wishes.questions,
                    "questions for an oral exam, with the answers") &&
               fine;
    }
    if (wishes.csv == NULL && wishes.canvas == NULL && wishes.feedback == NULL &&
        wishes.html == NULL && wishes.moodle == NULL && wishes.zip == NULL &&
        wishes.questions == NULL) {
        print_summary(&report);
    }
    gradebook_do(&report.book, "COMMIT", "");
    gradebook_close(&report.book);
    return fine ? EXIT_PASS : EXIT_GRADER;
}
