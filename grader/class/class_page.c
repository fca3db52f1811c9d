// class_page.c - the class page: marks, most common mistakes, similar hand-ins.

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "class/beside.h"
#include "class/change.h"
#include "class/class_report.h"
#include "class/pictures.h"
#include "class/triage.h"
#include "report/html.h"
#include "report/text.h"

// The gradings that count, one row per student and lab handed in.
static const char make_standing[] =
    "CREATE TEMP TABLE standing AS SELECT student, newest.lab, grading FROM ("
    "  SELECT student, lab, grading, hash, row_number() OVER"
    "    (PARTITION BY student, lab ORDER BY run DESC) AS place"
    "  FROM piece JOIN counted ON counted.id = submission"
    "  WHERE grading NOT NULL OR verdict = 'refused') AS newest"
    " LEFT JOIN source ON source.hash = newest.hash AND source.lab = newest.lab"
    " WHERE place = 1 AND (tokens > 0 OR grading IS NULL)";

static int64_t count(struct report *report, const char *sql)
{
    return gradebook_number(&report->book, 0, sql, "");
}

// ---- the head -----------------------------------------------------------------------------

static void write_fact(FILE *file, int64_t number, const char *what)
{
    fprintf(file, "<div><b>%lld</b><span class=\"soft\">%s</span></div>\n",
            (long long)number, what);
}

static void write_head(struct report *report, FILE *file)
{
    html_begin(file, "The class");
    fputs("<header><h1>The class</h1>\n<p class=\"soft\">The Attention Workbook</p>\n"
          "<div class=\"facts\">\n",
          file);
    write_fact(file, count(report, "SELECT count(*) FROM student"), "students");
    write_fact(file,
               count(report, "SELECT count(*) FROM standing WHERE grading NOT NULL"),
               "lab hand-ins graded");
    write_fact(
        file,
        count(report,
              "SELECT count(DISTINCT student) FROM standing WHERE grading IS NULL"),
        "students with a refused hand-in");
    write_fact(
        file,
        count(report,
              "SELECT count(DISTINCT student) FROM counted AS s LEFT JOIN piece ON "
              "submission = s.id WHERE run = (SELECT max(run) FROM counted WHERE "
              "student = s.student) AND (failure NOT NULL OR verdict = 'waiting' OR "
              "(verdict = 'taken' AND lab NOT NULL AND grading IS NULL))"),
        "students not graded yet");
    fputs("</div></header>\n", file);
}

// ---- a lab --------------------------------------------------------------------------------

static void write_picture(FILE *file, const char *svg, const char *caption)
{
    if (svg != NULL) {
        fprintf(file, "<figure>%s<figcaption>%s</figcaption></figure>\n", svg, caption);
    }
}

static void write_bar(FILE *file, const int64_t kinds[4], int64_t total)
{
    static const char *const names[] = {"pass", "wrong", "todo", "other"};
    fputs("<div class=\"bar\">", file);
    for (int k = 0; k < 4; k++) {
        if (kinds[k] > 0) {
            fprintf(file,
                    "<span class=\"%s\" style=\"width:%.3f%%\" "
                    "title=\"%s: %lld of %lld\"></span>",
                    names[k], 100.0 * (double)kinds[k] / (double)total, names[k],
                    (long long)kinds[k], (long long)total);
        }
    }
    fputs("</div>", file);
}

static void write_exercise(FILE *file, const struct exercise_tally *exercise)
{
    fputs("<tr><td>", file);
    html_text(file, exercise->title);
    fputs("</td><td style=\"width:50%\">", file);
    write_bar(file, exercise->kinds, exercise->total);
    fprintf(file, "</td><td class=\"number\">%.0f %%</td></tr>\n",
            100.0 * (double)exercise->kinds[0] / (double)exercise->total);
}

static void write_exercises(FILE *file, const struct tally *tally)
{
    fputs(
        "<table><tr><th>exercise</th><th>verdicts</th><th class=\"number\">pass</th></tr>\n",
        file);
    for (size_t i = 0; i < tally->exercise_count; i++) {
        write_exercise(file, &tally->exercises[i]);
    }
    fputs("</table>\n", file);
}

// "31 % no-scale: the scores are not divided by sqrt(d)", as a share of the lab's hand-ins.
static void write_mistake(FILE *file, const struct mistake_tally *mistake,
                          int64_t handed_in)
{
    const char *what = report_diagnosis(mistake->exercise, mistake->id);
    fprintf(file, "<tr><td class=\"number\">%.0f %% (%lld)</td><td>",
            100.0 * (double)mistake->count / (double)(handed_in > 0 ? handed_in : 1),
            (long long)mistake->count);
    html_text(file, mistake->exercise);
    fputs("</td><td><code>", file);
    html_text(file, mistake->id);
    fputs("</code>", file);
    if (what != NULL) {
        fputs(": ", file);
        html_text(file, what);
    }
    fputs("</td></tr>\n", file);
}

static void write_mistakes(FILE *file, const struct tally *tally, const char *picture)
{
    if (tally->mistake_count == 0) {
        return;
    }
    fputs("<h3>Most common mistakes</h3>\n", file);
    write_picture(file, picture, "Hand-ins with each of the most common mistakes.");
    fputs("<table><tr><th class=\"number\">of hand-ins</th><th>exercise</th>"
          "<th>diagnosis</th></tr>\n",
          file);
    for (size_t i = 0; i < tally->mistake_count; i++) {
        write_mistake(file, &tally->mistakes[i], tally->handed_in);
    }
    fputs("</table>\n", file);
}

// How many students have 0 to 10 %, 10 to 20 %, ... of the lab's points.
static void write_points(FILE *file, const struct tally *tally)
{
    fputs("<table><tr><th>points</th>", file);
    for (int i = 0; i < TALLY_BINS; i++) {
        fprintf(file, "<th class=\"number\">%d–%d %%</th>", i * 100 / TALLY_BINS,
                (i + 1) * 100 / TALLY_BINS);
    }
    fputs("</tr><tr><td>students</td>", file);
    for (int i = 0; i < TALLY_BINS; i++) {
        fprintf(file, "<td class=\"number\">%lld</td>", (long long)tally->bins[i]);
    }
    fputs("</tr></table>\n", file);
}

static void write_key(FILE *file, bool before)
{
    fprintf(file,
            "<div class=\"key\"><span><i class=\"pass\"></i>pass</span>"
            "<span><i class=\"wrong\"></i>wrong</span>"
            "<span><i class=\"todo\"></i>not written, not run</span>"
            "<span><i class=\"other\"></i>crash, timeout, does not compile, ...</span>%s"
            "</div>\n",
            before ? "<span>◇ passed before the newest run</span>" : "");
}

// Without pictures, the tables say the same.
static void write_numbers(FILE *file, const struct tally *tally,
                          const struct pictures *pictures)
{
    bool drawn = pictures->svg[PICTURE_EXERCISES] != NULL;
    if (pictures->problem != NULL) {
        fputs("<p class=\"note\">", file);
        html_text(file, pictures->problem);
        fputs("</p>\n", file);
    }
    write_picture(file, pictures->svg[PICTURE_POINTS],
                  "Number of students by score in this lab, before any penalty.");
    write_picture(file, pictures->svg[PICTURE_EXERCISES],
                  "The verdicts on each exercise, in percent of the hand-ins.");
    write_key(file,
              drawn && tally->exercise_count > 0 && tally->exercises[0].before >= 0);
    fputs(drawn ? "<details><summary>The numbers</summary>\n" : "", file);
    write_points(file, tally);
    write_exercises(file, tally);
    fputs(drawn ? "</details>\n" : "", file);
}

static void write_lab(struct report *report, FILE *file, int lab)
{
    fprintf(file, "<h2>Lab %d <span>", lab);
    html_text(file, report_lab_title(lab));
    fputs("</span></h2>\n", file);
    char *seeds = report_seeds(report, lab);
    if (*seeds != '\0') {
        fprintf(file, "<p class=\"soft\">Cases of seed %s</p>\n", seeds);
    }
    free(seeds);
    struct tally tally = tally_read(report, lab);
    struct pictures pictures = pictures_draw(report->root, lab, &tally);
    write_numbers(file, &tally, &pictures);
    write_mistakes(file, &tally, pictures.svg[PICTURE_MISTAKES]);
    triage_clusters(report, file, lab);
    change_write(report, file, lab);
    if (pictures.problem != NULL) {
        fprintf(stderr, "grade: lab %d: %s\n", lab, pictures.problem);
    }
    pictures_free(&pictures);
    tally_free(&tally);
}

// ---- the students -------------------------------------------------------------------------

// Writes a line below the name and frees it.
static void write_remark(FILE *file, char *line)
{
    if (*line != '\0') {
        fputs("<br><span class=\"soft\">", file);
        html_text(file, line);
        fputs("</span>", file);
    }
    free(line);
}

static void write_student(struct report *report, FILE *file, sqlite3_stmt *student,
                          const char *feedback)
{
    double total = 0;
    const char *name = gradebook_text(student, 1);
    fputs("<tr><td>", file);
    if (feedback != NULL) {
        char *page = feedback_name(name, gradebook_text(student, 2));
        fputs("<a href=\"", file);
        html_text(file, feedback);
        fprintf(file, "/%s.html\">", page);
        free(page);
    }
    html_text(file, gradebook_text(student, 3));
    fputs(feedback != NULL ? "</a>" : "", file);
    write_remark(file, report_absence(report, sqlite3_column_int64(student, 0)));
    write_remark(file, report_note(report, sqlite3_column_int64(student, 0)));
    fputs("</td>", file);
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing =
            report_standing(report, sqlite3_column_int64(student, 0), report->labs[i]);
        total += standing_points(&standing);
        if (standing.by_hand) {
            fprintf(file, "<td class=\"number\">%g by hand</td>", standing.points);
        } else if (standing.absent) {
            fputs("<td class=\"number\">–</td>", file);
        } else if (standing.refused) {
            fputs("<td class=\"number\">refused</td>", file);
        } else if (standing.there) {
            fprintf(file, "<td class=\"number\">%g%s</td>", standing_points(&standing),
                    standing_days(&standing) > 0 ? " late" : "");
        } else {
            bool later =
                standing.failed ||
                report_waiting(report, sqlite3_column_int64(student, 0), report->labs[i]);
            fprintf(file, "<td class=\"number\">%s</td>", later ? "?" : "–");
        }
    }
    fprintf(file, "<td class=\"number\">%g</td></tr>\n", total);
}

static void write_students(struct report *report, FILE *file, const char *feedback)
{
    fputs("<h2>Students</h2>\n<div class=\"scroll\"><table><tr><th>student</th>", file);
    for (int i = 0; i < report->lab_count; i++) {
        fprintf(file, "<th class=\"number\">lab %d</th>", report->labs[i]);
    }
    fputs("<th class=\"number\">total</th></tr>\n", file);
    sqlite3_stmt *student = gradebook_query(
        &report->book, "SELECT id, name, key, label FROM called ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        write_student(report, file, student, feedback);
    }
    fputs("</table></div>\n", file);
}

static bool write_similarity(struct report *report, FILE *file, const char *path)
{
    fputs(
        "<h2>Similar hand-ins</h2>\n"
        "<p>Names and layout make no difference here, nor does the order of functions, a "
        "while loop instead of a for loop, or a helper whose code is written out. The page "
        "lists every group of identical hand-ins. Pairs are compared without the code of the "
        "workbook, its solutions included, and without passages that more than a tenth of "
        "the class (and more than five students) have in common. Many copies of one "
        "solution, each changed a little, can therefore be missing from the pairs. "
        "<b>Similarity is a reason to look, never a verdict.</b> These functions are short "
        "and have one obvious form, so two honest solutions can be similar.</p>\n",
        file);
    struct pair_pages pages = beside_begin(path);
    for (int i = 0; i < report->lab_count; i++) {
        similarity_write(report, file, report->labs[i], &pages);
    }
    return beside_end(&pages);
}

// Writes a path as a link, with '#', '%' and the like escaped.
char *report_as_link(const char *path)
{
    struct text link;
    text_begin(&link);
    for (; *path != '\0'; path++) {
        bool plain = isalnum((unsigned char)*path) || strchr("-._~/", *path) != NULL;
        fprintf(link.file, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return text_end(&link);
}

// The relative path from one folder to another: "../feedback". Both paths must have no
// links and no dots. Caller frees.
static char *way_between(const char *from, const char *to)
{
    size_t same = 0; // the common prefix, whole names only
    for (size_t i = 0;; i++) {
        bool ends =
            (from[i] == '\0' || from[i] == '/') && (to[i] == '\0' || to[i] == '/');
        same = ends ? i : same;
        if (from[i] != to[i] || from[i] == '\0') {
            break;
        }
    }
    struct text way;
    text_begin(&way);
    for (const char *up = from + same; *up != '\0'; up++) {
        fputs(*up == '/' && up[1] != '\0' ? "../" : "", way.file);
    }
    const char *down = to + same + (to[same] == '/');
    fputs(*down != '\0' ? down : ".", way.file);
    return text_end(&way);
}

// The feedback's folder as a relative link for the page. It works as long as page and
// folder are not moved relative to each other. NULL: no links. Caller frees.
static char *link_to(const char *page, const char *feedback)
{
    const char *slash = strrchr(page, '/');
    int length = slash != NULL ? (int)(slash + 1 - page) : 0;
    char *folder = grader_print("%.*s", length, page);
    char *from = realpath(length > 0 ? folder : ".", NULL);
    char *to = feedback != NULL ? realpath(feedback, NULL) : NULL;
    char *way = from != NULL && to != NULL ? way_between(from, to) : NULL;
    char *link = way != NULL ? report_as_link(way) : NULL;
    free(way);
    free(to);
    free(from);
    free(folder);
    return link;
}

// Can a file be made in the folder of this path? If not, prints why: once, and not again for each page of pairs.
static bool has_folder(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return true; // a pipe, or /dev/stdout, is not replaced
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? grader_print(".")
                                 : grader_print("%.*s", (int)(slash - path) + 1, path);
    const bool there = access(folder, W_OK | X_OK) == 0;
    if (!there) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    }
    free(folder);
    return there;
}

bool report_page(struct report *report, const char *path, const char *feedback)
{
    struct text text;
    if (!has_folder(path)) {
        return false;
    }
    text_begin(&text);
    gradebook_do(&report->book, "DROP TABLE IF EXISTS temp.standing", "");
    gradebook_do(&report->book, make_standing, "");
    char *link = link_to(path, feedback);
    write_head(report, text.file);
    triage_write(report, text.file);
    for (int i = 0; i < report->lab_count; i++) {
        write_lab(report, text.file, report->labs[i]);
    }
    write_students(report, text.file, link);
    bool pairs = write_similarity(report, text.file, path);
    html_end(text.file);
    char *string = text_end(&text);
    bool written = report_write(path, string, strlen(string)) && pairs;
    free(string);
    free(link);
    return written;
}
