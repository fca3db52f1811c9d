// book.c - reads a gradebook for the tests of classes, without any code of the grader.
//
//   book dump FILE      every student's newest marks, sorted
//   book check FILE     SQLite's own check of the file and of its references
//   book query FILE SQL the first column of every row
//   book lock FILE      locks it, says so, and keeps it until the standard input ends

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void fail(const char *what)
{
    fprintf(stderr, "book: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static void print(const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail(sql);
    }
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(statement, 0);
        printf("%s\n", text != NULL ? (const char *)text : "");
    }
    if (status != SQLITE_DONE) {
        fail(sql);
    }
    sqlite3_finalize(statement);
}

static const char dump[] =
    "SELECT student.key || ' ' || submission.verdict || ' ' || reason || ' ' || "
    "piece.lab || ' ' || coalesce(piece.hash, '-') || ' ' || coalesce(failure, '-') || ' ' || "
    "coalesce(exercise || ' ' || points || '/' || most || ' ' || mark.verdict || ' ' || "
    "coalesce(diagnosis, '-') || ' ' || output || coalesce(call, ''), '-') "
    "FROM submission JOIN student ON student.id = student "
    "LEFT JOIN piece ON submission = submission.id LEFT JOIN mark ON mark.grading = "
    "piece.grading WHERE run = (SELECT max(id) FROM run) ORDER BY 1";

int main(int argc, char **argv)
{
    if (argc < 3 ||
        sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        fail(argc < 3 ? "usage" : argv[2]);
    }
    sqlite3_busy_timeout(db, 10000);
    if (strcmp(argv[1], "dump") == 0) {
        print(dump);
    } else if (strcmp(argv[1], "check") == 0) {
        print("SELECT integrity_check FROM pragma_integrity_check "
              "WHERE integrity_check <> 'ok'");
        print("SELECT 'reference of ' || \"table\" FROM pragma_foreign_key_check");
    } else if (strcmp(argv[1], "query") == 0 && argc > 3) {
        print(argv[3]);
    } else if (strcmp(argv[1], "lock") == 0) {
        print("BEGIN EXCLUSIVE");
        puts("locked");
        fflush(stdout);
        while (getchar() != EOF) {
        }
        print("COMMIT");
    } else {
        fail("usage");
    }
    return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
