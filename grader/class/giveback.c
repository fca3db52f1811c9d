// giveback.c - marks and feedback in the form in which a platform takes them back: its own
// table with the marks filled in, and a zip archive of feedback under the names of its
// export.

#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "class/class_report.h"
#include "class/csv.h"
#include "class/people.h"
#include "class/roster.h"
#include "class/times.h"
#include "class/whose.h"
#include "common/plural.h"
#include "report/text.h"

enum { CANVAS_KIND = 2, NAME_KIND = PEOPLE_KINDS - 1, LARGEST_UPLOAD = 1 << 20 };

// ---- a table ------------------------------------------------------------------------------

// What became of a row; a later one takes precedence if the table has several labs.
enum outcome { UNKNOWN, NOTHING, BLANK, LOCKED, MARKED, OUTCOMES };

struct filler {
    struct report *report;
    struct csv csv;
    struct people_columns columns;
    bool blank;
    int rows[OUTCOMES];
};

static void open_table(struct filler *filler, const char *path)
{
    csv_read(&filler->csv, path);
    filler->columns = people_columns(&filler->csv);
}

// A cell as the platform wrote it: no ' in front of a formula, because names must not
// change.
static void write_cell(const struct filler *filler, FILE *file, int column,
                       const char *cell)
{
    const char *special = strpbrk(cell, "\",;\t\r\n ");
    if (column > 0) {
        fputc(filler->csv.separator, file);
    }
    if (special == NULL) {
        fputs(cell, file);
        return;
    }
    fputc('"', file);
    for (; *cell != '\0'; cell++) {
        fputs(*cell == '"' ? "\"\"" : (char[]){*cell, '\0'}, file);
    }
    fputc('"', file);
}

static bool name_is_shared(const struct filler *filler, size_t row)
{
    int column = filler->columns.of[NAME_KIND];
    for (size_t i = 0; i < filler->csv.rows; i++) {
        if (i != row && strcasecmp(csv_cell(&filler->csv, i, column),
                                   csv_cell(&filler->csv, row, column)) == 0) {
            return true;
        }
    }
    return false;
}

// The student of a row. A name that the platform has twice says nothing.
static int64_t student_of(struct filler *filler, size_t row)
{
    struct people_columns columns = filler->columns;
    if (columns.of[NAME_KIND] >= 0 && name_is_shared(filler, row)) {
        columns.of[NAME_KIND] = -1;
    }
    columns.any = columns.of[CANVAS_KIND] >= 0 ? -1 : columns.any; // "Lee, Ann"
    return people_row(&filler->report->book, &filler->csv, &columns, row);
}

// The mark of a student for the cell; "" keeps the platform's. Caller frees.
static char *mark_of(const struct filler *filler, int64_t student, int lab, double scale,
                     enum outcome *outcome)
{
    struct standing standing = report_standing(filler->report, student, lab);
    const bool nothing = (standing.refused || standing.absent) && !standing.by_hand;
    const enum outcome is = student == 0               ? UNKNOWN
                            : !standing.there          ? NOTHING
                            : filler->blank && nothing ? BLANK
                                                       : MARKED;
    *outcome = is > *outcome ? is : *outcome;
    return is == MARKED ? grader_print("%g", standing_points(&standing) * scale)
                        : grader_print("%s", "");
}

// "; no mark for 3 of 40 rows (not in the gradebook: 1, no hand-in: 2)"
static void tell_unmarked(const struct filler *filler)
{
    static const char *const words[] = {[UNKNOWN] = "not in the gradebook",
                                        [NOTHING] = "no hand-in",
                                        [BLANK] = "left empty by --blank",
                                        [LOCKED] = "locked by Moodle"};
    int rows = 0;
    for (int i = 0; i < OUTCOMES; i++) {
        rows += filler->rows[i];
    }
    if (rows > filler->rows[MARKED]) {
        printf("; no mark for %d of %d rows", rows - filler->rows[MARKED], rows);
        const char *before = " (";
        for (int i = 0; i < MARKED; i++) {
            if (filler->rows[i] > 0) {
                printf("%s%s: %d", before, words[i], filler->rows[i]);
                before = ", ";
            }
        }
        fputs(")", stdout);
    }
}

static bool save(struct filler *filler, struct text *text, const char *path)
{
    char *string = text_end(text);
    bool written = report_write(path, string, strlen(string));
    free(string);
    if (written) {
        const int marked = filler->rows[MARKED];
        printf("%s: marks of %d %s", path, marked, marked == 1 ? "person" : "people");
        tell_unmarked(filler);
        fputs("\n", stdout);
    }
    csv_free(&filler->csv);
    return written;
}

static const char *header(const struct filler *filler, size_t column)
{
    return filler->csv.cells[column];
}

// ---- Moodle -------------------------------------------------------------------------------

// "100.00", or "100,00" where Moodle speaks such a language.
static double number_of(const char *cell)
{
    char *copy = grader_print("%s", cell), *comma = strchr(copy, ',');
    if (comma != NULL) {
        *comma = '.';
    }
    double number = strtod(copy, NULL);
    free(copy);
    return number;
}

// The lateness and the comment, not the reasons, which are for the instructor. Caller frees.
static char *comment_of(struct filler *filler, int64_t student, int lab)
{
    struct standing standing = report_standing(filler->report, student, lab);
    char *line = standing.by_hand || standing.refused
                     ? grader_print("%s", "")
                     : lateness_short(&standing.late, standing.won);
    sqlite3_stmt *row =
        gradebook_query(&filler->report->book, "SELECT comment FROM hand WHERE id = ?",
                        "i", standing.hand);
    while (gradebook_next(&filler->report->book, &row)) {
        char *longer = grader_print("%s%s%s", line, *line != '\0' ? "; " : "",
                                    gradebook_text(row, 0));
        free(line);
        line = longer;
    }
    return line;
}

// Asks if most hand-ins have the times of another lab; one assignment may be about two labs.
static void ask_whose(struct filler *filler, int lab)
{
    struct whose_times times = {.seen = 0};
    const int column = csv_column(&filler->csv, "last modified (submission)");
    for (size_t row = 0; row < filler->csv.rows; row++) {
        int64_t seconds, student = student_of(filler, row);
        if (student != 0 && times_moment(csv_cell(&filler->csv, row, column), &seconds)) {
            whose_add(&times, &filler->report->book, student, seconds, &lab, 1);
        }
    }
    whose_ask(&times, filler->csv.path);
}

bool report_moodle(struct report *report, const char *worksheet, const char *path,
                   bool blank)
{
    struct filler filler = {.report = report, .blank = blank};
    int lab = report->labs[0];
    whose_refuse_name(worksheet, &lab, 1);
    open_table(&filler, worksheet);
    ask_whose(&filler, lab);
    int grade = csv_need(&filler.csv, "for the grade", "grade");
    int most = csv_column(&filler.csv, "maximum grade");
    int comments = csv_column(&filler.csv, "feedback comments");
    int open = csv_column(&filler.csv, "grade can be changed");
    struct text text;
    text_begin(&text);
    fputs(filler.csv.marked ? "\xef\xbb\xbf" : "", text.file);
    for (size_t i = 0; i < filler.csv.columns; i++) {
        write_cell(&filler, text.file, (int)i, header(&filler, i));
    }
    fputs("\r\n", text.file);
    double points = report_lab_points(report, lab), scaled = 0;
    for (size_t row = 0; row < filler.csv.rows; row++) {
        double top = number_of(csv_cell(&filler.csv, row, most));
        double scale = top > 0 && points > 0 ? top / points : 1;
        bool closed = strcasecmp(csv_cell(&filler.csv, row, open), "no") == 0;
        int64_t student = closed ? 0 : student_of(&filler, row);
        enum outcome outcome = closed ? LOCKED : UNKNOWN;
        char *mark = mark_of(&filler, student, lab, scale, &outcome);
        char *comment = comment_of(&filler, student, lab);
        filler.rows[outcome]++;
        scaled = scale != 1 ? top : scaled;
        for (int i = 0; i < (int)filler.csv.columns; i++) {
            const char *cell = csv_cell(&filler.csv, row, i);
            cell = i == grade && *mark != '\0'                          ? mark
                   : i == comments && *cell == '\0' && *comment != '\0' ? comment
                                                                        : cell;
            write_cell(&filler, text.file, i, cell);
        }
        fputs("\r\n", text.file);
        free(comment);
        free(mark);
    }
    if (scaled > 0) {
        printf("%s: lab %d has %g points, Moodle's maximum is %g: the marks are scaled\n",
               path, lab, points, scaled);
    }
    return save(&filler, &text, path);
}

// ---- Canvas -------------------------------------------------------------------------------

// The assignment's column: the one that --column names, or "Lab 3 (4711)".
static int canvas_column(const struct filler *filler, int lab, const char *const *columns)
{
    char *plain = grader_print("Lab %d", lab);
    const char *wanted = plain;
    int found = -1;
    bool given = false;
    for (size_t i = 0; columns[i] != NULL; i++) {
        if (atoi(columns[i]) == lab) {
            wanted = strchr(columns[i], '=') + 1;
            given = true;
        }
    }
    size_t length = strlen(wanted);
    for (size_t i = 0; i < filler->csv.columns; i++) {
        const char *name = header(filler, i);
        bool same =
            strncasecmp(name, wanted, length) == 0 &&
            (name[length] == '\0' || (!given && strncmp(name + length, " (", 2) == 0));
        found = same ? (int)i : found;
    }
    if (found < 0) {
        csv_need(&filler->csv, "of the lab's assignment (--column N=NAME says which)",
                 wanted);
    }
    free(plain);
    return found;
}

// Canvas shows "80 / 20" if the assignment has fewer points than the lab. What it is worth may be
// meant, so the marks stay as they are.
static void tell_canvas_points(const struct filler *filler, const int *lab_of,
                               const char *path)
{
    for (size_t row = 0; row < filler->csv.rows; row++) {
        if (!roster_is_worth(&filler->csv, &filler->columns, row)) {
            continue;
        }
        for (int i = 0; i < (int)filler->csv.columns; i++) {
            const double points =
                lab_of[i] > 0 ? report_lab_points(filler->report, lab_of[i]) : 0;
            const double most = number_of(csv_cell(&filler->csv, row, i));
            if (points > 0 && most > 0 && points != most) {
                printf("%s: lab %d has %g points, %s has %g: the marks are not scaled\n",
                       path, lab_of[i], points, header(filler, (size_t)i), most);
            }
        }
    }
}

static bool identifies(const char *name)
{
    static const char *const known[] = {
        "Student",      "LastName",       "FirstName",    "ID",      "SIS User ID",
        "SIS Login ID", "Integration ID", "Root Account", "Section", NULL};
    for (size_t i = 0; known[i] != NULL; i++) {
        if (strcasecmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Writes one row: -1 is the header. Only the columns about the person and our labs' are
// written, so that an import changes no other mark.
static void write_canvas_row(struct filler *filler, FILE *file, int row,
                             const int *lab_of, int64_t student)
{
    int written = 0;
    enum outcome outcome = UNKNOWN;
    for (int i = 0; i < (int)filler->csv.columns; i++) {
        const char *cell =
            row < 0 ? header(filler, (size_t)i) : csv_cell(&filler->csv, (size_t)row, i);
        if (lab_of[i] == 0 && !identifies(header(filler, (size_t)i))) {
            continue;
        }
        char *mark = row >= 0 && lab_of[i] != 0
                         ? mark_of(filler, student, lab_of[i], 1, &outcome)
                         : grader_print("%s", "");
        write_cell(filler, file, written++, *mark != '\0' ? mark : cell);
        free(mark);
    }
    fputs("\r\n", file);
    if (row >= 0 && roster_is_person(&filler->csv, &filler->columns, (size_t)row)) {
        filler->rows[outcome]++;
    }
}

bool report_canvas_filled(struct report *report, const char *export, const char *path,
                          const char *const *columns, bool blank)
{
    struct filler filler = {.report = report, .blank = blank};
    open_table(&filler, export);
    int *lab_of = grader_alloc(filler.csv.columns * sizeof *lab_of);
    for (int i = 0; i < report->lab_count; i++) {
        lab_of[canvas_column(&filler, report->labs[i], columns)] = report->labs[i];
    }
    struct text text;
    text_begin(&text);
    fputs(filler.csv.marked ? "\xef\xbb\xbf" : "", text.file);
    write_canvas_row(&filler, text.file, -1, lab_of, 0);
    for (size_t row = 0; row < filler.csv.rows; row++) {
        write_canvas_row(&filler, text.file, (int)row, lab_of, student_of(&filler, row));
    }
    tell_canvas_points(&filler, lab_of, path);
    free(lab_of);
    return save(&filler, &text, path);
}

// ---- a zip archive ------------------------------------------------------------------------

// An archive that is being written.
struct output {
    struct archive *archive;
    const char *path, *temporary; // NULL: in memory
};

static void check(const struct output *output, int status)
{
    if (status >= ARCHIVE_WARN) {
        return;
    }
    if (output->temporary != NULL) {
        unlink(output->temporary);
    }
    const int code = archive_errno(output->archive);
    grader_fail("cannot write %s: %s",
                output->path != NULL ? output->path : "the archive",
                code > 0 ? strerror(code) : archive_error_string(output->archive));
}

static void add_member(const struct output *output, const char *name, const void *bytes,
                       size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (int64_t)size);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 946684800,
                            0); // the same bytes from the same gradebook
    check(output, archive_write_header(output->archive, entry));
    if (archive_write_data(output->archive, bytes, size) != (ssize_t)size) {
        check(output, ARCHIVE_FATAL);
    }
    archive_entry_free(entry);
}

// Canvas shows the feedback under the upload's name, so it must be a file of that type: an
// archive for an archive, text for anything else. Caller frees.
static char *as_upload(const char *name, const char *text, const char *html, size_t *size)
{
    struct archive *archive = archive_write_new();
    const struct output output = {.archive = archive};
    char *bytes = grader_alloc(LARGEST_UPLOAD);
    bool packed = strcasestr(name, ".zip") != NULL || strcasestr(name, ".tar") != NULL ||
                  strcasestr(name, ".tgz") != NULL;
    if (packed && archive_write_set_format_filter_by_ext(archive, name) == ARCHIVE_OK) {
        check(&output, archive_write_open_memory(archive, bytes, LARGEST_UPLOAD, size));
        add_member(&output, "feedback.txt", text, strlen(text));
        add_member(&output, "feedback.html", html, strlen(html));
        check(&output, archive_write_close(archive));
    } else {
        free(bytes);
        bytes = grader_print("%s", text);
        *size = strlen(text);
    }
    archive_write_free(archive);
    return bytes;
}

// The name of the student's first entry in the export. Caller frees.
static char *entry_of(struct report *report, int64_t submission)
{
    char *name = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book, "SELECT files FROM submission WHERE id = ?", "i", submission);
    while (gradebook_next(&report->book, &row)) {
        const char *hex = gradebook_text(row, 0);
        size_t skip = strcspn(hex, ":"), length = 0;
        hex += skip + (hex[skip] == ':');
        length = strcspn(hex, " ");
        free(name);
        name = grader_alloc(length / 2 + 1);
        for (size_t i = 0; i + 1 < length; i += 2) {
            char pair[3] = {hex[i], hex[i + 1], '\0'};
            name[i / 2] = (char)strtoul(pair, NULL, 16);
        }
        char *slash = strrchr(name, '/');
        if (slash != NULL) {
            memmove(name, slash + 1, strlen(slash + 1) + 1);
        }
    }
    return name;
}

// Adds a student's feedback. Returns false if the entry came from neither Moodle nor
// Canvas.
static bool add_feedback(struct report *report, const struct output *output,
                         int64_t student, int64_t submission)
{
    static const char moodle[] = "_assignsubmission_file_";
    char *entry = entry_of(report, submission), *text, *html;
    char *mark = strstr(entry, moodle);
    bool canvas = gradebook_number(&report->book, 0,
                                   "SELECT late >= 0 FROM submission WHERE id = ?", "i",
                                   submission) != 0;
    feedback_pages(report, student, &text, &html);
    if (mark != NULL) {
        mark[sizeof moodle - 1] = '\0';
        char *page = grader_print("%s/feedback.html", entry);
        char *plain = grader_print("%s/feedback.txt", entry);
        add_member(output, page, html, strlen(html));
        add_member(output, plain, text, strlen(text));
        free(plain);
        free(page);
    } else if (canvas) {
        size_t size = 0;
        char *bytes = as_upload(entry, text, html, &size);
        add_member(output, entry, bytes, size);
        free(bytes);
    }
    free(text);
    free(html);
    free(entry);
    return mark != NULL || canvas;
}

// The student's own entry in the export: the newest hand-in in the reported labs, even if a
// partner's counts. 0: there is none. *partner: whether a partner's counts in some lab.
static int64_t own_submission(struct report *report, int64_t student, bool *partner)
{
    int64_t newest = 0;
    *partner = false;
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing = report_standing(report, student, report->labs[i]);
        const int64_t own = standing.partner == 0 ? standing.submission : standing.own;
        newest = own > newest ? own : newest;
        *partner = *partner || standing.partner != 0;
    }
    return newest;
}

struct handed_out {
    int written, left; // left: from other platforms
    int without;       // no entry in the export
    struct text names; // of those without
    char *folder;      // the export of the first hand-in
    bool several;      // others are from another export
};

// An archive is for one assignment.
static void note_export(struct report *report, int64_t submission, struct handed_out *out)
{
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT folder FROM run JOIN submission ON run = run.id WHERE submission.id = ?",
        "i", submission);
    while (gradebook_next(&report->book, &row)) {
        const char *folder = gradebook_text(row, 0);
        out->several =
            out->several || (out->folder != NULL && strcmp(folder, out->folder) != 0);
        out->folder = out->folder != NULL ? out->folder : grader_print("%s", folder);
    }
}

static void add_student(struct report *report, const struct output *output,
                        int64_t student, struct handed_out *out)
{
    bool partner;
    int64_t submission = own_submission(report, student, &partner);
    if (submission != 0) {
        bool added = add_feedback(report, output, student, submission);
        out->written += added;
        out->left += !added;
        note_export(report, submission, out);
    } else if (partner) {
        char *label = report_label(report, student);
        fprintf(out->names.file, "%s%s",
                out->without++ > 0 ? gradebook_between(&report->book) : "", label);
        free(label);
    }
}

static void tell_handed_out(const char *path, int lab_count, struct handed_out *out)
{
    char *names = text_end(&out->names);
    printf("%s: feedback for %d hand-in%s", path, out->written, plural(out->written));
    if (out->left > 0) {
        printf("; %d came from neither Canvas nor Moodle", out->left);
    }
    if (out->without > 0) {
        printf(
            "; %d with a partner's mark %s no hand-in in the export, so the archive has "
            "no place for the feedback: %s",
            out->without, out->without == 1 ? "has" : "have", names);
    }
    fputs("\n", stdout);
    if (out->several && lab_count > 1) {
        printf("%s has names from the exports of several labs; for one assignment, "
               "write it with --lab\n",
               path);
    }
    free(names);
}

bool report_feedback_zip(struct report *report, const char *path)
{
    char *temporary = grader_print("%s.new", path);
    struct archive *archive = archive_write_new();
    const struct output output = {archive, path, temporary};
    struct handed_out out = {.written = 0};
    setlocale(LC_CTYPE, "C.UTF-8"); // for names
    check(&output, archive_write_set_format_zip(archive));
    archive_write_set_options(archive, "zip:hdrcharset=UTF-8");
    if (archive_write_open_filename(archive, temporary) != ARCHIVE_OK) {
        fprintf(stderr, "grade: cannot write %s: %s\n", temporary,
                archive_error_string(archive));
        archive_write_free(archive);
        free(temporary);
        return false;
    }
    text_begin(&out.names);
    sqlite3_stmt *student =
        gradebook_query(&report->book, "SELECT id FROM student ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        add_student(report, &output, sqlite3_column_int64(student, 0), &out);
    }
    check(&output, archive_write_close(archive));
    archive_write_free(archive);
    bool renamed = rename(temporary, path) == 0;
    if (!renamed) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
        unlink(temporary);
        free(text_end(&out.names));
    } else {
        tell_handed_out(path, report->lab_count, &out);
    }
    free(out.folder);
    free(temporary);
    return renamed;
}
