// triage.c - see triage.h.

#define _GNU_SOURCE
#include "class/triage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/absence.h"
#include "report/html.h"

enum { REFUSED, UTF16, BROKEN, NAMES, MISSING, GPU_ONLY, SKELETON, FOREIGN, SLOW };

const struct triage_kind triage_kinds[TRIAGE_KINDS] = {
    [REFUSED] = {"The hand-in was refused", ""}, // the note has the reason
    [UTF16] = {"A file is UTF-16 or UTF-32",
               "saved as UTF-16 or UTF-32; save it as UTF-8"},
    [BROKEN] = {"Does not compile", "does not compile"},
    [NAMES] = {"Files with other names, and none of the lab's", ""}, // so has this note
    [MISSING] = {"One of several files is missing", ""},             // the note names it
    [GPU_ONLY] = {"Only .cu files are written",
                  "only the .cu files are written; --backend gpu judges them"},
    [SKELETON] = {"The skeleton, unchanged", "the skeleton, unchanged"},
    [FOREIGN] = {"None of the lab's functions", "none of its functions is there"},
    [SLOW] = {"Runs into a time limit", "runs into a time limit"},
};

// ---- one hand-in --------------------------------------------------------------------------

// How many marks of a grading have a verdict, and an output like a pattern.
static int64_t count(struct report *report, int64_t grading, const char *verdict,
                     const char *output)
{
    return gradebook_number(
        &report->book, 0,
        "SELECT count(*) FROM mark WHERE grading = ? AND verdict LIKE "
        "? AND output LIKE ?",
        "itt", grading, verdict, output);
}

static bool is_skeleton(struct report *report, int64_t submission, int lab)
{
    return gradebook_number(&report->book, 0,
                            "SELECT length(fingerprints) = 0 FROM piece JOIN source ON "
                            "source.hash = piece.hash AND source.lab = piece.lab WHERE "
                            "submission = ? AND piece.lab = ?",
                            "ii", submission, (int64_t)lab) != 0;
}

static bool has_gpu_work(struct report *report, int64_t submission, int lab)
{
    return gradebook_number(&report->book, 0,
                            "SELECT 1 FROM gpu_work WHERE submission = ? AND lab = ?",
                            "ii", submission, (int64_t)lab) != 0;
}

// The name of a lab's file without which nothing is judged, from "todo: 06_copy_task/loss.c is missing".
// Caller frees.
static char *missing_file(struct report *report, int64_t grading)
{
    char *name = grader_print("%s", "");
    sqlite3_stmt *row = gradebook_query(
        &report->book,
        "SELECT output FROM mark WHERE grading = ? AND output LIKE 'todo: % is missing%' "
        "LIMIT 1",
        "i", grading);
    while (gradebook_next(&report->book, &row)) {
        const char *output = gradebook_text(row, 0);
        const char *end = strstr(output, " is missing"), *begin = end;
        while (begin > output && begin[-1] != '/' && begin[-1] != ' ') {
            begin--;
        }
        free(name);
        name = grader_print("%.*s", (int)(end - begin), begin);
    }
    return name;
}

// Is a file of the lab missing, but not each?
static bool lacks_a_file(struct report *report, const struct standing *standing, int lab,
                         int64_t all)
{
    return count(report, standing->grading, "todo", "todo: %.c is missing%") == all &&
           gradebook_number(&report->book, 0,
                            "SELECT 1 FROM text JOIN piece ON text.hash = piece.hash AND "
                            "text.lab = piece.lab WHERE submission = ? AND piece.lab = ? "
                            "AND text.name LIKE '%.c'",
                            "ii", standing->submission, (int64_t)lab) != 0;
}

static bool has_other_names(struct report *report, int64_t submission)
{
    char *others = report_others(report, submission);
    bool has = *others != '\0';
    free(others);
    return has;
}

// Nothing is written: is it the skeleton, or is it without functions that the skeleton has?
static int unwritten_kind(struct report *report, const struct standing *standing, int lab,
                          int64_t all)
{
    const int64_t lacking =
        count(report, standing->grading, "todo", "%is not in the file%");
    return lacks_a_file(report, standing, lab, all)                         ? MISSING
           : has_gpu_work(report, standing->submission, lab)                ? GPU_ONLY
           : lacking == all                                                 ? FOREIGN
           : lacking == 0 && is_skeleton(report, standing->submission, lab) ? SKELETON
                                                                            : -1;
}

int triage_of(struct report *report, int lab, const struct standing *standing)
{
    int64_t grading = standing->grading, submission = standing->submission;
    if (standing->refused) {
        return REFUSED;
    }
    if (standing->absent) {
        return has_other_names(report, submission) ? NAMES : -1;
    }
    if (!standing->graded) {
        return -1;
    }
    int64_t broken = count(report, grading, "nocompile", "%");
    int64_t all = count(report, grading, "%", "%");
    if (broken > 0) {
        // A file that the compiler has read may hold these words.
        return count(report, grading, "nocompile", "% is saved as UTF-__; %") > 0 &&
                       count(report, grading, "nocompile", "%: error: %") == 0
                   ? UTF16
                   : BROKEN;
    }
    if (count(report, grading, "todo", "%") == all) {
        return unwritten_kind(report, standing, lab, all);
    }
    return count(report, grading, "timeout", "%") > 0 ? SLOW : -1;
}

char *triage_advice(struct report *report, int lab, const struct standing *standing)
{
    const int kind = triage_of(report, lab, standing);
    if (kind == SKELETON) {
        return grader_print(
            "This is the skeleton, unchanged. Did you hand in the right file?");
    }
    if (kind == MISSING) {
        char *name = missing_file(report, standing->grading);
        char *advice =
            grader_print("%s is missing, and without it nothing of this lab is "
                         "judged. Did you hand in all your files?",
                         name);
        free(name);
        return advice;
    }
    if (kind != GPU_ONLY && kind != FOREIGN) {
        return grader_print("%s", "");
    }
    char *files = absence_files(lab);
    if (kind == FOREIGN) {
        char *advice = grader_print(
            "No function of this lab is in %s. Did you hand in the right file?", files);
        free(files);
        return advice;
    }
    char *advice = grader_print("Only your .cu code is written, and these points are for "
                                "%s. Did you hand in all your files?",
                                files);
    free(files);
    return advice;
}

static char *note_of(struct report *report, const struct standing *standing, int kind)
{
    if (kind != MISSING) {
        return grader_print("%s", kind >= 0 ? triage_kinds[kind].note : "");
    }
    char *name = missing_file(report, standing->grading);
    char *note = grader_print("%s is missing", name);
    free(name);
    return note;
}

char *triage_note(struct report *report, int64_t student)
{
    struct text line;
    text_begin(&line);
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing = report_standing(report, student, report->labs[i]);
        char *note =
            note_of(report, &standing, triage_of(report, report->labs[i], &standing));
        if (*note != '\0') {
            fprintf(line.file, "%slab %d: %s", ftell(line.file) > 0 ? "; " : "",
                    report->labs[i], note);
        }
        free(note);
    }
    return text_end(&line);
}

// ---- the class page -----------------------------------------------------------------------

// The names of all students with this kind, by lab.
static void write_kind(struct report *report, FILE *file, int lab, int kind)
{
    struct text names;
    const char *between = gradebook_between(&report->book);
    int found = 0;
    text_begin(&names);
    sqlite3_stmt *student = gradebook_query(
        &report->book, "SELECT id, label FROM called ORDER BY name, key", "");
    while (gradebook_next(&report->book, &student)) {
        struct standing standing =
            report_standing(report, sqlite3_column_int64(student, 0), lab);
        if (triage_of(report, lab, &standing) == kind) {
            fprintf(names.file, "%s%s", found > 0 ? between : "",
                    gradebook_text(student, 1));
            found++;
        }
    }
    char *line = text_end(&names);
    if (found > 0) {
        fprintf(file, "<tr><td>lab %d</td><td>%s</td><td class=\"number\">%d</td><td>",
                lab, triage_kinds[kind].title, found);
        html_text(file, line);
        fputs("</td></tr>\n", file);
    }
    free(line);
}

void triage_write(struct report *report, FILE *file)
{
    struct text rows;
    text_begin(&rows);
    for (int kind = 0; kind < TRIAGE_KINDS; kind++) {
        for (int i = 0; i < report->lab_count; i++) {
            write_kind(report, rows.file, report->labs[i], kind);
        }
    }
    char *table = text_end(&rows);
    if (*table != '\0') {
        fprintf(
            file,
            "<h2>To look at first</h2>\n<p>These hand-ins earned few or no points, for a "
            "reason that the student can probably fix quickly.</p>\n<div "
            "class=\"scroll\"><table><tr><th></th><th></th><th "
            "class=\"number\">students</th><th></th></tr>\n%s</table></div>\n",
            table);
    }
    free(table);
}
