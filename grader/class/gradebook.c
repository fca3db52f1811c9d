// gradebook.c - see gradebook.h.

#define _GNU_SOURCE
#include "class/gradebook.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/exit_code.h"
#include "base/memory.h"

static const char schema[] =
    "CREATE TABLE student ("
    "  id INTEGER PRIMARY KEY,"
    "  key TEXT NOT NULL UNIQUE,"
    "  name TEXT NOT NULL,"
    "  canvas TEXT,"
    "  email TEXT) STRICT;"
    "CREATE TABLE run ("
    "  id INTEGER PRIMARY KEY,"
    "  folder TEXT NOT NULL,"
    "  lab INTEGER NOT NULL,"
    "  seed TEXT NOT NULL,"
    "  hidden_seed TEXT NOT NULL,"
    "  backend TEXT NOT NULL,"
    "  follow TEXT NOT NULL,"
    "  trusted INTEGER NOT NULL,"
    "  started INTEGER NOT NULL,"
    "  finished INTEGER) STRICT;"
    "CREATE TABLE submission ("
    "  id INTEGER PRIMARY KEY,"
    "  run INTEGER NOT NULL REFERENCES run,"
    "  student INTEGER NOT NULL REFERENCES student,"
    "  files TEXT NOT NULL,"
    "  handed_in INTEGER,"
    "  late INTEGER NOT NULL," // as Canvas reports: 1 or 0; -1: unknown
    "  verdict TEXT NOT NULL CHECK (verdict IN"
    "    ('waiting', 'taken', 'refused', 'unreadable')),"
    "  reason TEXT NOT NULL,"
    "  UNIQUE (run, student)) STRICT;"
    "CREATE TABLE grading ("
    "  id INTEGER PRIMARY KEY,"
    "  hash TEXT NOT NULL,"
    "  lab INTEGER NOT NULL,"
    "  rubric TEXT NOT NULL,"
    "  seed TEXT NOT NULL,"
    "  hidden_seed TEXT NOT NULL,"
    "  backend TEXT NOT NULL,"
    "  attempt INTEGER NOT NULL,"
    "  graded INTEGER NOT NULL,"
    "  seconds REAL NOT NULL,"
    "  UNIQUE (hash, lab, rubric, seed, hidden_seed, backend, attempt)) STRICT;"
    "CREATE TABLE mark ("
    "  grading INTEGER NOT NULL REFERENCES grading ON DELETE CASCADE,"
    "  place INTEGER NOT NULL,"
    "  exercise TEXT NOT NULL,"
    "  title TEXT NOT NULL,"
    "  backend TEXT NOT NULL,"
    "  points REAL NOT NULL,"
    "  most REAL NOT NULL,"
    "  verdict TEXT NOT NULL,"
    "  diagnosis TEXT,"
    "  hidden INTEGER NOT NULL,"
    "  output TEXT NOT NULL,"
    "  call TEXT,"
    "  PRIMARY KEY (grading, place)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE piece ("
    "  submission INTEGER NOT NULL REFERENCES submission ON DELETE CASCADE,"
    "  lab INTEGER NOT NULL,"
    "  hash TEXT,"
    "  grading INTEGER REFERENCES grading,"
    "  failure TEXT,"
    "  PRIMARY KEY (submission, lab)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE source ("
    "  hash TEXT NOT NULL,"
    "  lab INTEGER NOT NULL,"
    "  tokens INTEGER NOT NULL,"
    "  fingerprints BLOB NOT NULL,"
    "  PRIMARY KEY (hash, lab)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE deadline ("
    "  lab INTEGER PRIMARY KEY,"
    "  due INTEGER NOT NULL,"
    "  penalty REAL NOT NULL) STRICT;"
    "CREATE INDEX submission_of_student ON submission (student, run);"
    "CREATE INDEX piece_of_grading ON piece (grading);";

// Old gradebooks do not have these tables; they are added when they are opened.
static const char additions[] =
    "CREATE TABLE IF NOT EXISTS slice ("
    "  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
    "  part INTEGER NOT NULL,"
    "  parts INTEGER NOT NULL,"
    "  batch TEXT NOT NULL,"
    "  again INTEGER NOT NULL,"
    "  stamp INTEGER NOT NULL,"
    "  finished INTEGER NOT NULL,"
    "  PRIMARY KEY (run, part)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS moment (" // lateness.h
    "  submission INTEGER NOT NULL REFERENCES submission ON DELETE CASCADE,"
    "  lab INTEGER NOT NULL,"
    "  given INTEGER,"
    "  platform INTEGER,"
    "  authored INTEGER,"
    "  committed INTEGER,"
    "  PRIMARY KEY (submission, lab)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS alias (" // people.h
    "  kind TEXT NOT NULL,"
    "  value TEXT NOT NULL,"
    "  student INTEGER NOT NULL REFERENCES student ON DELETE CASCADE,"
    "  PRIMARY KEY (kind, value, student)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS alias_of_student ON alias (student);"
    "CREATE TABLE IF NOT EXISTS listed (" // on the roster (roster.h)
    "  student INTEGER PRIMARY KEY REFERENCES student ON DELETE CASCADE,"
    "  id TEXT NOT NULL UNIQUE,"
    "  team TEXT,"
    "  place INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS file_times (lab INTEGER PRIMARY KEY) STRICT;"
    "CREATE TABLE IF NOT EXISTS partner (" // with Gradescope's other submitters
    "  submission INTEGER NOT NULL REFERENCES submission ON DELETE CASCADE,"
    "  student INTEGER NOT NULL REFERENCES student ON DELETE CASCADE,"
    "  PRIMARY KEY (submission, student)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS hand (" // marks set by hand (hand.h)
    "  id INTEGER PRIMARY KEY,"
    "  student INTEGER NOT NULL REFERENCES student,"
    "  lab INTEGER NOT NULL,"
    "  points REAL,"
    "  comment TEXT,"
    "  reason TEXT NOT NULL,"
    "  cleared INTEGER NOT NULL,"
    "  at INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS text (" // the lab's own files (similarity.c, questions.c)
    "  hash TEXT NOT NULL,"
    "  lab INTEGER NOT NULL,"
    "  name TEXT NOT NULL,"
    "  bytes BLOB NOT NULL,"
    "  PRIMARY KEY (hash, lab, name)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS gpu_work (" // edited .cu files (triage.h)
    "  submission INTEGER NOT NULL REFERENCES submission ON DELETE CASCADE,"
    "  lab INTEGER NOT NULL,"
    "  PRIMARY KEY (submission, lab)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS undone ("
    "  run INTEGER PRIMARY KEY REFERENCES run, at INTEGER NOT NULL) STRICT;"
    "CREATE TEMP VIEW counted AS SELECT * FROM submission WHERE run NOT IN (SELECT run "
    "FROM undone);"
    // Students as lists for the instructor name them: with an id if two have the same name.
    "CREATE INDEX IF NOT EXISTS student_of_name ON student (name);"
    "CREATE TEMP VIEW called AS SELECT id, key, name, CASE WHEN (SELECT count(*) FROM student "
    "AS other WHERE other.name = student.name) > 1 THEN name || ' (' || coalesce((SELECT "
    "min(value) FROM alias WHERE student = student.id AND kind = 'id'), email, canvas, key) "
    "|| ')' ELSE name END AS label FROM student;"
    "CREATE TABLE IF NOT EXISTS confirmed (" // with --sure
    "  lab INTEGER PRIMARY KEY, due INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS extension ("
    "  student INTEGER NOT NULL REFERENCES student ON DELETE CASCADE,"
    "  lab INTEGER NOT NULL," // 0: all labs
    "  days INTEGER,"
    "  until INTEGER," // if days is null
    "  reason TEXT NOT NULL,"
    "  PRIMARY KEY (student, lab)) STRICT, WITHOUT ROWID;";

// ---- errors -------------------------------------------------------------------------------

static _Noreturn void fail(const struct gradebook *book)
{
    const char *kept = "all marks so far are saved in it; fix the problem and run again";
    int code = sqlite3_errcode(book->db) & 0xff;
    if (code == SQLITE_IOERR && sqlite3_system_errno(book->db) == ENOSPC) {
        code = SQLITE_FULL;
    }
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        grader_fail("%s is locked by another program (waited %g s); %s", book->path,
                    book->wait, kept);
    case SQLITE_FULL:
        grader_fail("%s: no space left on the disk; %s", book->path, kept);
    case SQLITE_READONLY:
        grader_fail(
            "%s: you may not write to it, or to its folder: copy it to a folder of "
            "yours, and use the copy",
            book->path);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        grader_fail("%s is not a gradebook, or it is damaged (%s); restore it from a "
                    "copy",
                    book->path, sqlite3_errmsg(book->db));
    default:
        grader_fail("%s: %s%s%s; %s", book->path, sqlite3_errmsg(book->db),
                    sqlite3_system_errno(book->db) != 0 ? ": " : "",
                    sqlite3_system_errno(book->db) != 0
                        ? strerror(sqlite3_system_errno(book->db))
                        : "",
                    kept);
    }
}

// ---- statements ---------------------------------------------------------------------------

static void bind(struct gradebook *book, sqlite3_stmt *statement, const char *format,
                 va_list values)
{
    for (int i = 1; *format != '\0'; i++, format++) {
        int status = SQLITE_ERROR;
        if (*format == 'i') {
            status = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
        } else if (*format == 'd') {
            status = sqlite3_bind_double(statement, i, va_arg(values, double));
        } else if (*format == 't') {
            const char *text = va_arg(values, const char *);
            status = sqlite3_bind_text(statement, i, text, -1, SQLITE_TRANSIENT);
        } else if (*format == 'b') {
            const void *bytes = va_arg(values, const void *);
            size_t size = va_arg(values, size_t);
            status = sqlite3_bind_blob64(statement, i, bytes != NULL ? bytes : "", size,
                                         SQLITE_TRANSIENT);
        }
        if (status != SQLITE_OK) {
            fail(book);
        }
    }
}

static sqlite3_stmt *prepare(struct gradebook *book, const char *sql, const char *format,
                             va_list values)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(book->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail(book);
    }
    bind(book, statement, format, values);
    return statement;
}

sqlite3_stmt *gradebook_query(struct gradebook *book, const char *sql, const char *format,
                              ...)
{
    va_list values;
    va_start(values, format);
    sqlite3_stmt *statement = prepare(book, sql, format, values);
    va_end(values);
    return statement;
}

bool gradebook_next(struct gradebook *book, sqlite3_stmt **statement)
{
    int status = sqlite3_step(*statement);
    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE || sqlite3_finalize(*statement) != SQLITE_OK) {
        fail(book);
    }
    *statement = NULL;
    return false;
}

void gradebook_do(struct gradebook *book, const char *sql, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    sqlite3_stmt *statement = prepare(book, sql, format, values);
    va_end(values);
    while (gradebook_next(book, &statement)) {
    }
}

int64_t gradebook_number(struct gradebook *book, int64_t otherwise, const char *sql,
                         const char *format, ...)
{
    va_list values;
    va_start(values, format);
    sqlite3_stmt *statement = prepare(book, sql, format, values);
    va_end(values);
    int64_t number = otherwise;
    if (gradebook_next(book, &statement)) {
        number = sqlite3_column_type(statement, 0) == SQLITE_NULL
                     ? otherwise
                     : sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    return number;
}

const char *gradebook_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text != NULL ? (const char *)text : "";
}

void gradebook_begin(struct gradebook *book)
{
    gradebook_do(book, "BEGIN IMMEDIATE", "");
}

void gradebook_commit(struct gradebook *book)
{
    gradebook_do(book, "COMMIT", "");
}

// ---- who may read it ------------------------------------------------------------------------

static mode_t mask_before = 022;

const char *gradebook_between(struct gradebook *book)
{
    const int64_t comma = gradebook_number(
        book, 0, "SELECT 1 FROM student WHERE name LIKE '%,%' LIMIT 1", "");
    return comma != 0 ? "; " : ", ";
}

void gradebook_keep_private(void)
{
    mask_before = umask(077);
    umask(mask_before | 077);
}

mode_t gradebook_mask_before(void)
{
    return mask_before;
}

// ---- opening ------------------------------------------------------------------------------

// Two programs may create it at the same time: the second one finds it there.
static void make(struct gradebook *book)
{
    gradebook_begin(book);
    if (gradebook_number(book, 0, "PRAGMA user_version", "") == 0) {
        char pragmas[128];
        snprintf(pragmas, sizeof pragmas,
                 "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                 (int)GRADEBOOK_APPLICATION, (int)GRADEBOOK_VERSION);
        if (sqlite3_exec(book->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(book->db, pragmas, NULL, NULL, NULL) != SQLITE_OK) {
            fail(book);
        }
    }
    gradebook_commit(book);
}

void gradebook_open(struct gradebook *book, const char *path, bool create, double wait)
{
    struct stat status;
    *book = (struct gradebook){.path = path, .wait = wait};
    if (!create && stat(path, &status) != 0) {
        fprintf(stderr, "grade: cannot read the gradebook %s: %s\n", path,
                strerror(errno));
        exit(EXIT_USAGE);
    }
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &book->db, flags, NULL) != SQLITE_OK) {
        const int reason = sqlite3_system_errno(book->db);
        grader_fail("cannot open the gradebook %s: %s", path,
                    reason != 0 ? strerror(reason) : sqlite3_errmsg(book->db));
    }
    sqlite3_busy_timeout(book->db, (int)(wait * 1000));
    gradebook_number(book, 0, "PRAGMA journal_mode = WAL", "");
    gradebook_do(book, "PRAGMA synchronous = NORMAL", "");
    gradebook_do(book, "PRAGMA foreign_keys = ON", "");
    int64_t version = gradebook_number(book, 0, "PRAGMA user_version", "");
    int64_t application = gradebook_number(book, 0, "PRAGMA application_id", "");
    int64_t tables = gradebook_number(book, 0, "SELECT count(*) FROM sqlite_schema", "");
    if (version == 0 && tables == 0 && create) {
        make(book);
    } else if (application != GRADEBOOK_APPLICATION) {
        grader_fail("%s is a database, but not a gradebook", path);
    } else if (version != GRADEBOOK_VERSION) {
        grader_fail("%s is a gradebook of version %lld; this program knows version %d",
                    path, (long long)version, (int)GRADEBOOK_VERSION);
    }
    if (sqlite3_exec(book->db, additions, NULL, NULL, NULL) != SQLITE_OK) {
        fail(book);
    }
}

void gradebook_close(struct gradebook *book)
{
    sqlite3_close(book->db);
    book->db = NULL;
}

int64_t gradebook_now(void)
{
    const char *given = getenv("GRADE_NOW");
    return given != NULL ? strtoll(given, NULL, 10) : (int64_t)time(NULL);
}
