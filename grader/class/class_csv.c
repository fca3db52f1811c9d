// class_csv.c - writes marks as tables: our format, and the one that Canvas imports
// (docs/formats.md).

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/class_report.h"
#include "class/roster.h"
#include "report/text.h"

// Writes a field as in RFC 4180. A name that looks like a spreadsheet formula gets a ' in
// front.
static void write_field(FILE *file, const char *text)
{
    fputc('"', file);
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL) {
        fputc('\'', file);
    }
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text == '\n' ? ' ' : *text, file);
    }
    fputc('"', file);
}

static bool finish(struct text *text, const char *path)
{
    char *string = text_end(text);
    bool written = report_write(path, string, strlen(string));
    free(string);
    return written;
}

static sqlite3_stmt *students(struct report *report)
{
    return gradebook_query(&report->book,
                           "SELECT id, name, canvas, email FROM student "
                           "ORDER BY name, key",
                           "");
}

// ---- ours ---------------------------------------------------------------------------------

// With a roster: the id and the group.
static void write_listed(struct report *report, FILE *file, int64_t student)
{
    if (!roster_exists(&report->book)) {
        return;
    }
    sqlite3_stmt *row =
        gradebook_query(&report->book,
                        "SELECT id, team FROM (SELECT ? AS who) LEFT JOIN "
                        "listed ON student = who",
                        "i", student);
    while (gradebook_next(&report->book, &row)) {
        for (int i = 0; i < 2; i++) {
            fputc(',', file);
            if (sqlite3_column_type(row, i) != SQLITE_NULL) {
                write_field(file, gradebook_text(row, i));
            }
        }
    }
}

static void write_student(struct report *report, FILE *file, sqlite3_stmt *student)
{
    double total = 0, most = 0;
    write_field(file, gradebook_text(student, 1));
    fputc(',', file);
    write_field(file, gradebook_text(student, 2));
    fputc(',', file);
    write_field(file, gradebook_text(student, 3));
    for (int i = 0; i < report->lab_count; i++) {
        struct standing standing =
            report_standing(report, sqlite3_column_int64(student, 0), report->labs[i]);
        if (standing.there) {
            fprintf(file, ",%g,%lld", standing_points(&standing),
                    (long long)standing_days(&standing));
        } else {
            fputs(",,", file);
        }
        total += standing_points(&standing);
        most += standing.there ? standing.most : 0;
    }
    char *note = report_note(report, sqlite3_column_int64(student, 0));
    char *absence = report_absence(report, sqlite3_column_int64(student, 0));
    fprintf(file, ",%g,%g,", total, most);
    if (*note != '\0' || *absence != '\0') {
        write_field(file, *note != '\0' ? note : absence);
    }
    write_listed(report, file, sqlite3_column_int64(student, 0));
    fputs("\r\n", file);
    free(note);
    free(absence);
}

bool report_csv(struct report *report, const char *path)
{
    struct text text;
    text_begin(&text);
    fputs("student,canvas id,email", text.file);
    for (int i = 0; i < report->lab_count; i++) {
        fprintf(text.file, ",lab %d,lab %d days late", report->labs[i], report->labs[i]);
    }
    fputs(",total,of,note", text.file);
    fputs(roster_exists(&report->book) ? ",id,group\r\n" : "\r\n", text.file);
    sqlite3_stmt *student = students(report);
    while (gradebook_next(&report->book, &student)) {
        write_student(report, text.file, student);
    }
    return finish(&text, path);
}

// ---- Canvas's -----------------------------------------------------------------------------

static void write_column(FILE *file, int lab, const char *const *columns)
{
    char *name = grader_print("Lab %d", lab);
    for (size_t i = 0; columns[i] != NULL; i++) {
        if (atoi(columns[i]) == lab) {
            free(name);
            name = grader_print("%s", strchr(columns[i], '=') + 1);
        }
    }
    fputc(',', file);
    write_field(file, name);
    free(name);
}

bool report_canvas(struct report *report, const char *path, const char *const *columns,
                   bool blank)
{
    struct text text;
    int without = 0;
    text_begin(&text);
    fputs("Student,ID,SIS User ID,SIS Login ID,Section", text.file);
    for (int i = 0; i < report->lab_count; i++) {
        write_column(text.file, report->labs[i], columns);
    }
    fputs("\r\n    Points Possible,,,,", text.file);
    for (int i = 0; i < report->lab_count; i++) {
        fprintf(text.file, ",%g", report_lab_points(report, report->labs[i]));
    }
    fputs("\r\n", text.file);
    sqlite3_stmt *student = students(report);
    while (gradebook_next(&report->book, &student)) {
        if (*gradebook_text(student, 2) == '\0') {
            without++;
            continue;
        }
        write_field(text.file, gradebook_text(student, 1));
        fprintf(text.file, ",%s,,,", gradebook_text(student, 2));
        for (int i = 0; i < report->lab_count; i++) {
            struct standing standing = report_standing(
                report, sqlite3_column_int64(student, 0), report->labs[i]);
            fputc(',', text.file); // an empty cell leaves the mark in Canvas unchanged
            if (standing.there && !(blank && (standing.refused || standing.absent))) {
                fprintf(text.file, "%g", standing_points(&standing));
            }
        }
        fputs("\r\n", text.file);
    }
    if (without > 0) {
        fprintf(stderr,
                "grade: %d student%s no number from a Canvas export, and Canvas needs "
                "one for each student; %s not in %s\n",
                without, without == 1 ? " has" : "s have",
                without == 1 ? "this one is" : "they are", path);
    }
    return finish(&text, path);
}
