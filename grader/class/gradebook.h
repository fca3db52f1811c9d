// gradebook.h - the one file that a class's marks live in (SQLite).
//
// Every change is one transaction: a process that is killed, a full disk or a locked file
// leaves the marks that were there, whole. What cannot be written ends the program with
// EXIT_GRADER and one line that says what to do; running it again goes on from there.
//
// docs/formats.md lists the tables. In short:
//
//   run         one `grade class`: folder, seeds, backend
//   student     whoever handed something in, once
//   submission  what a student had handed in at a run, and whether it could be taken
//   piece       a lab of a submission: the hash of its files, and the grading that counts
//   grading     a lab's files judged by one rubric, seed and backend: once and for everybody
//               whose files are the same; judged again, it is a new attempt beside the old one
//   mark        an exercise of a grading
//   source      the fingerprints of a lab's files
//   slice       a part of a run that one of several machines graded (slice.h)
//   deadline    when a lab was due, and what a day costs

#ifndef GRADER_GRADEBOOK_H
#define GRADER_GRADEBOOK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    GRADEBOOK_VERSION = 1,
    GRADEBOOK_APPLICATION = 0x41574742, // "AWGB"
};

struct gradebook {
    sqlite3 *db;
    const char *path;
    double wait; // seconds for another program to let go of it
};

// Opens or (create) makes it. Ends the program when that cannot be.
void gradebook_open(struct gradebook *book, const char *path, bool create, double wait);
void gradebook_close(struct gradebook *book);

// A statement, prepared. Its parameters are bound in order by a format: 'i' int64_t, 'd' double,
// 't' const char * (NULL is null), 'b' const void * and size_t. Ends the program on an error.
sqlite3_stmt *gradebook_query(struct gradebook *book, const char *sql, const char *format,
                              ...);
// Steps a query: false at the end, when the statement is freed.
bool gradebook_next(struct gradebook *book, sqlite3_stmt **statement);
// A statement without results.
void gradebook_do(struct gradebook *book, const char *sql, const char *format, ...);
// The first column of the first row as a number, or otherwise.
int64_t gradebook_number(struct gradebook *book, int64_t otherwise, const char *sql,
                         const char *format, ...);
// A column as a string, "" for null.
const char *gradebook_text(sqlite3_stmt *statement, int column);

// What this program writes from now on only its user may read: a gradebook holds the hidden seed and
// everybody's marks. (SQLite gives -wal and -shm the gradebook's own mode.) Programs that it starts
// go by the mask of before.
void gradebook_keep_private(void);
mode_t gradebook_mask_before(void);

// Everything between begin and commit happens or does not.
void gradebook_begin(struct gradebook *book);
void gradebook_commit(struct gradebook *book);

// The time, for what the tables note. GRADE_NOW=seconds overrules the clock: no mark depends on
// it, and a test says so.
int64_t gradebook_now(void);

#endif
