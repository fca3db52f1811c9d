// csv.h - reads the tables that an instructor gives us: rosters, times, extensions, and the
// tables that Canvas and Moodle export.
//
// A table is UTF-8, with or without a byte order mark, with any line ends, and separated by
// commas, semicolons or tabs (whichever the header has most of). Quoted cells may contain
// separators, line breaks and doubled quotes. The first line names the columns.
//
//     struct csv table;
//     csv_read(&table, "roster.csv");
//     int email = csv_column(&table, "email", "email|email address|e-mail");
//     for (size_t row = 0; row < table.rows; row++) {
//         puts(csv_cell(&table, row, email));
//     }
//     csv_free(&table);
//
// Any problem ends the program with one line that names the file and the line, and exit
// status 2. Nothing has been written by then, or the caller's transaction is not committed.

#ifndef GRADER_CSV_H
#define GRADER_CSV_H

#include <stdbool.h>
#include <stddef.h>

struct csv {
    const char *path;
    char separator;
    char *text;   // the whole file; cells are parts of it
    char **cells; // rows * columns, after `columns` cells of the header
    size_t rows, columns;
    int *lines;  // of each row, counted from 1
    bool marked; // begins with a byte order mark
};

void csv_read(struct csv *csv, const char *path);
void csv_free(struct csv *csv);

// The index of a column with one of these names ("a|b|c"; case does not matter), or -1.
int csv_column(const struct csv *csv, const char *names);
// The same, but the column must exist. what: how to call it in the message.
int csv_need(const struct csv *csv, const char *what, const char *names);

// A cell without surrounding blanks; "" for column -1.
const char *csv_cell(const struct csv *csv, size_t row, int column);

// Ends the program with "grade: roster.csv, line 4: ...".
_Noreturn void csv_refuse(const struct csv *csv, size_t row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
