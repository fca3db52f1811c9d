// feedback.c - the feedback for each student: a text file and a self-contained HTML page.
//
// They contain only the student's own marks. About hidden cases the gradebook records only
// that an exercise fails there (grade/hidden.c).

#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "class/absence.h"
#include "class/class_report.h"
#include "class/digest.h"
#include "class/triage.h"
#include "report/html.h"
#include "report/map.h"
#include "report/text.h"

// Characters that every file system accepts, plus part of a hash to make names unique.
char *feedback_name(const char *name, const char *key)
{
    char hex[DIGEST_SIZE];
    SHA2_CTX context;
    SHA256Init(&context);
    digest_text(&context, key);
    digest_end(&context, hex);
    char *file = grader_print("%.60s-%.8s", name, hex);
    for (char *at = file; *at != '\0'; at++) {
        bool fine =
            isalnum((unsigned char)*at) || *at == '-' || (*at == '.' && at != file);
        *at = fine ? *at : '_';
    }
    return file;
}

struct page {
    struct report *report;
    FILE *text, *html;
    int64_t student;
    char *last; // the text of the previous exercise, to avoid repeating it
};

static sqlite3_stmt *marks(struct page *page, int64_t grading)
{
    return gradebook_query(&page->report->book,
                           "SELECT title, points, most, verdict, output, call, hidden "
                           "FROM mark WHERE grading = ? ORDER BY place",
                           "i", grading);
}

// ---- one exercise -------------------------------------------------------------------------

// The part of an output below its headline, the first line.
static const char *below_headline(const char *output)
{
    const size_t headline = strcspn(output, "\n");
    return output + headline + (output[headline] == '\n');
}

// A passing exercise may have text below its headline, too: that it was judged with the
// workbook's own version of another exercise.
static void write_mark_text(FILE *file, sqlite3_stmt *mark, bool again)
{
    bool pass = strcmp(gradebook_text(mark, 3), "pass") == 0;
    fprintf(file, "  %s %-40s %5g of %g\n", pass ? "+" : "-", gradebook_text(mark, 0),
            sqlite3_column_double(mark, 1), sqlite3_column_double(mark, 2));
    const char *line = gradebook_text(mark, 4);
    if (pass) {
        line = below_headline(line);
    } else if (again) {
        fprintf(file, "      %.*s, see above\n", (int)strcspn(line, "\n"), line);
        return;
    }
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        fprintf(file, "      %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void write_map(FILE *file, const char *text)
{
    cJSON *call = cJSON_Parse(text);
    if (call != NULL) {
        map_draw(file, call);
    }
    cJSON_Delete(call);
}

static void write_mark_page(FILE *file, sqlite3_stmt *mark, bool again)
{
    static const char *const signs[][2] = {
        {"pass", "✓"}, {"wrong", "✗"}, {"todo", "·"}, {"other", "!"}};
    const char *verdict = gradebook_text(mark, 3), *kind = report_kind(verdict);
    const char *sign = "";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        sign = strcmp(signs[i][0], kind) == 0 ? signs[i][1] : sign;
    }
    const char *output = gradebook_text(mark, 4);
    size_t first = strcspn(output, "\n");
    fprintf(file, "<section class=\"card %s\">\n<h3><span class=\"mark\">%s</span> ",
            kind, sign);
    html_text(file, gradebook_text(mark, 0));
    fprintf(file, "<span class=\"points\">%g of %g</span></h3>\n",
            sqlite3_column_double(mark, 1), sqlite3_column_double(mark, 2));
    if (strcmp(verdict, "pass") != 0) {
        char *headline =
            grader_print("%.*s%s", (int)first, output, again ? ", see above" : "");
        fputs("<p class=\"headline\">", file);
        html_text(file, headline);
        fputs("</p>\n", file);
        free(headline);
        if (sqlite3_column_type(mark, 5) != SQLITE_NULL &&
            sqlite3_column_int(mark, 6) == 0) {
            write_map(file, gradebook_text(mark, 5));
        }
    }
    const char *below = below_headline(output);
    if ((!again || strcmp(verdict, "pass") == 0) && *below != '\0') {
        fputs("<pre>", file);
        html_text(file, below);
        fputs("</pre>\n", file);
    }
    fputs("</section>\n", file);
}

// ---- one lab ------------------------------------------------------------------------------

// The reason of a refusal. Caller frees.
static char *refusal(struct page *page, int64_t submission)
{
    char *line = grader_print("%s", "");
    sqlite3_stmt *row =
        gradebook_query(&page->report->book, "SELECT reason FROM submission WHERE id = ?",
                        "i", submission);
    while (gradebook_next(&page->report->book, &row)) {
        free(line);
        line = grader_print("%s", gradebook_text(row, 0));
    }
    return line;
}

static void write_note(struct page *page, const char *format, const char *what)
{
    char *line = grader_print("%s%s", format, what);
    fprintf(page->text, "  %s\n", line);
    fputs("<p class=\"note\">", page->html);
    html_text(page->html, line);
    fputs("</p>\n", page->html);
    free(line);
}

// Files with other names are never accepted, but they are listed.
static void write_absence(struct page *page, int lab, const struct standing *standing)
{
    const bool partner = standing->partner != 0; // the line before names the hand-in
    char *names = absence_files(lab), *line;
    char *files = grader_print(*names != '\0' ? " (%s)" : "%s", names);
    char *others = report_others(page->report, standing->submission);
    if (absence_has_remark(lab, others)) {
        line = grader_print("Nothing in %s counts for this lab%s. It has: ",
                            partner ? "it" : "your hand-in", files);
        write_note(page, line, others);
    } else {
        line = grader_print(partner ? "It has no file of this lab%s."
                                    : "You handed in no file of this lab%s.",
                            files);
        write_note(page, line, "");
        if (*others != '\0') {
            write_note(page,
                       partner ? "A file counts only under its exact name. There is: "
                               : "A file counts only under its exact name. Your hand-in "
                                 "has: ",
                       others);
        }
    }
    free(line);
    free(others);
    free(files);
    free(names);
}

static void write_partner(struct page *page, int lab, const struct standing *standing)
{
    if (standing->partner == 0) {
        return;
    }
    char *name = report_name(page->report, standing->partner);
    char *own = report_own(page->report, lab, standing);
    write_note(page, "Your group's hand-in counts. It was handed in by ", name);
    if (*own != '\0') {
        write_note(page, "Your own hand-in does not count: ", own);
    }
    free(own);
    free(name);
}

// A mark or a comment set by hand. The reason is for the instructor alone.
static void write_by_hand(struct page *page, const struct standing *standing)
{
    if (standing->by_hand) {
        write_note(page, "Your instructor has set this mark by hand.", "");
    }
    sqlite3_stmt *row =
        gradebook_query(&page->report->book, "SELECT comment FROM hand WHERE id = ?", "i",
                        standing->hand);
    while (gradebook_next(&page->report->book, &row)) {
        write_note(page, "Comment: ", gradebook_text(row, 0));
    }
}

static void write_lab(struct page *page, int lab, const struct standing *standing)
{
    char *words = standing_words(standing_points(standing), standing->most);
    fprintf(page->text, "\nLab %d  %s  %s\n", lab, report_lab_title(lab), words);
    fprintf(page->html, "<h2>Lab %d <span>", lab);
    html_text(page->html, report_lab_title(lab));
    fprintf(page->html, "</span><span class=\"points\">%s</span></h2>\n", words);
    free(words);
    write_by_hand(page, standing);
    write_partner(page, lab, standing);
    if (standing->absent) {
        write_absence(page, lab, standing);
        return;
    }
    if (standing->older) {
        write_note(
            page,
            "These marks are from an earlier hand-in: your latest one has no file of "
            "this lab, or could not be read.",
            "");
    }
    char *late = lateness_long(&standing->late, standing->won);
    if (*late != '\0' && !standing->by_hand) {
        write_note(page, late, "");
    }
    free(late);
    if (standing->refused) {
        char *why = refusal(page, standing->submission);
        write_note(page, "Your hand-in was refused: ", why);
        free(why);
    }
    if (standing->failed) {
        write_note(page,
                   "Your latest hand-in has not been graded yet. This is not your fault.",
                   "");
    }
    char *advice = triage_advice(page->report, lab, standing);
    if (*advice != '\0') {
        write_note(page, advice, "");
    }
    free(advice);
    sqlite3_stmt *mark = marks(page, standing->grading);
    while (gradebook_next(&page->report->book, &mark)) {
        const char *output = gradebook_text(mark, 4);
        bool again = page->last != NULL && strcmp(page->last, output) == 0;
        write_mark_text(page->text, mark, again);
        write_mark_page(page->html, mark, again);
        free(page->last);
        page->last = grader_print("%s", output);
    }
    free(page->last);
    page->last = NULL;
}

// ---- one student --------------------------------------------------------------------------

static void write_head(struct page *page, const char *name)
{
    double won = 0, most = 0;
    for (int i = 0; i < page->report->lab_count; i++) {
        struct standing standing =
            report_standing(page->report, page->student, page->report->labs[i]);
        won += standing_points(&standing);
        most += standing.most;
    }
    char *words = standing_words(won, most);
    fprintf(page->text, "%s: %s\n", name, words);
    free(words);
    char *of = most > 0 ? grader_print(" of %g", most) : grader_print("%s", "");
    html_begin(page->html, name);
    fputs("<header><h1>", page->html);
    html_text(page->html, name);
    fprintf(page->html,
            "</h1>\n<p class=\"soft\">The Attention Workbook</p>\n"
            "<div class=\"facts\">"
            "<div><b>%g%s</b><span class=\"soft\">points</span></div></div></header>\n",
            won, of);
    free(of);
}

// How to run the same cases, for each lab that was judged. Hidden cases are not mentioned.
static void write_foot(struct page *page)
{
    fputs("<footer>An exercise gets its points when every case passes. The workbook's "
          "docs/grader.md explains the verdicts.",
          page->html);
    bool other = false, any = false;
    for (int i = 0; i < page->report->lab_count; i++) {
        int lab = page->report->labs[i];
        struct standing standing = report_standing(page->report, page->student, lab);
        if (!standing.graded || standing.absent) {
            continue;
        }
        char *command = grader_print("make check LAB=%d SEED=%s", lab, standing.seed);
        fprintf(page->text,
                any ? "    %s\n"
                    : "\n"
                      "To run the same cases:\n"
                      "    %s\n",
                command);
        fputs(any ? ", <code>" : " To run the same cases: <code>", page->html);
        html_text(page->html, command);
        fputs("</code>", page->html);
        free(command);
        any = true;
        other = other || strcmp(standing.seed, "1") != 0;
    }
    static const char alone[] =
        "If your copy has no folder solutions, leave SEED out: it has only the cases of "
        "seed 1.";
    if (other) {
        fprintf(page->text, "%s\n", alone);
        fprintf(page->html, " %s", alone);
    }
    fputs("</footer>\n", page->html);
}

void feedback_pages(struct report *report, int64_t student, char **text_string,
                    char **html_string)
{
    struct text text, html;
    text_begin(&text);
    text_begin(&html);
    struct page page = {report, text.file, html.file, student, NULL};
    char *name = report_name(report, student);
    write_head(&page, name);
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing = report_standing(report, student, report->labs[i]);
        if (standing.there || standing.failed || standing.hand != 0) {
            write_lab(&page, report->labs[i], &standing);
        }
    }
    if (!report_handed_in(report, student)) {
        write_note(&page, "You have handed in nothing yet.", "");
    }
    write_foot(&page);
    html_end(html.file);
    free(name);
    *text_string = text_end(&text);
    *html_string = text_end(&html);
}

static bool write_student(struct report *report, const char *folder, int64_t student,
                          const char *name, const char *key)
{
    char *text, *html;
    feedback_pages(report, student, &text, &html);
    char *file = feedback_name(name, key);
    char *text_path = grader_print("%s/%s.txt", folder, file);
    char *html_path = grader_print("%s/%s.html", folder, file);
    bool fine = report_write(text_path, text, strlen(text)) &&
                report_write(html_path, html, strlen(html));
    free(text_path);
    free(html_path);
    free(file);
    free(text);
    free(html);
    return fine;
}

bool report_feedback(struct report *report, const char *folder)
{
    bool fine = true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "grade: cannot make %s: %s\n", folder, strerror(errno));
        return false;
    }
    sqlite3_stmt *student = gradebook_query(
        &report->book, "SELECT id, name, key FROM student ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        if (fine) {
            fine = write_student(report, folder, sqlite3_column_int64(student, 0),
                                 gradebook_text(student, 1), gradebook_text(student, 2));
        }
    }
    return fine;
}
