// gradebook.h - the SQLite file with the marks of a class.
//
// Every change is one transaction, so a killed process, a full disk or a locked file does
// not damage existing marks. If a write fails, the program prints one line with advice and
// exits with EXIT_GRADER; run it again to continue.
//
// docs/formats.md describes the tables. In short:
//
//   run         one `grade class`: folder, seeds, backend
//   student     everyone who handed something in
//   submission  a student's hand-in at the time of a run, and whether it was accepted
//   piece       a lab in a submission: the hash of its files, and the grading that counts
//   grading     a lab's files judged by one rubric, seed and backend: once and for everybody
//               whose files are the same; judged again, it is a new attempt beside the old one
//   mark        an exercise of a grading
//   source      the fingerprints of a lab's files
//   text        the files
//   slice       a part of a run, graded by one of several machines (slice.h)
//   deadline    when a lab is due, and the penalty per day
//   moment      when a submission was handed in, by each clock that knows (lateness.h)
//   alias       an id, e-mail address, login, ... by which a student is known (people.h)
//   listed      the students on the roster, with their group (roster.h)
//   file_times  labs whose penalty counts the times of files, too
//   partner     other students of a submission
//   hand        marks and comments set by hand, with their history (hand.c)
//   gpu_work    labs of a submission with edited .cu files
//   undone      runs that do not count; the view `counted` is the submissions of the others
//   confirmed   deadlines that --sure has said are right
//   extension   a student's own deadline

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
    double wait; // seconds to wait for another program's lock
};

// Opens the gradebook or, if create is true, creates it. Ends the program on failure.
void gradebook_open(struct gradebook *book, const char *path, bool create, double wait);
void gradebook_close(struct gradebook *book);

// Prepares a statement and binds its parameters in order. The format has a letter for each:
// 'i' int64_t, 'd' double, 't' const char * (NULL is null), 'b' const void * and size_t.
// Ends the program on an error.
sqlite3_stmt *gradebook_query(struct gradebook *book, const char *sql, const char *format,
                              ...);
// Steps a query. At the end frees the statement and returns false.
bool gradebook_next(struct gradebook *book, sqlite3_stmt **statement);
// A statement without results.
void gradebook_do(struct gradebook *book, const char *sql, const char *format, ...);
// The first column of the first row as a number; the value of `otherwise` if there is no
// row.
int64_t gradebook_number(struct gradebook *book, int64_t otherwise, const char *sql,
                         const char *format, ...);
// A column as a string, "" for null.
const char *gradebook_text(sqlite3_stmt *statement, int column);

// What stands between two names in a list: ", ", or "; " if somebody is called "Smith, Sam".
const char *gradebook_between(struct gradebook *book);

// Makes all files that this program creates from now on private, because a gradebook
// contains the hidden seed and all marks. (SQLite gives -wal and -shm the mode of the
// gradebook.) Child programs get the old mask.
void gradebook_keep_private(void);
mode_t gradebook_mask_before(void);

// Everything between begin and commit is one transaction.
void gradebook_begin(struct gradebook *book);
void gradebook_commit(struct gradebook *book);

// The current time, as stored in the tables. GRADE_NOW=seconds overrides the clock. No mark
// depends on it; a test checks that.
int64_t gradebook_now(void);

#endif
