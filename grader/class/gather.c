// gather.c - see gather.h. Start reading at gather_command.

#define _GNU_SOURCE
#include "class/gather.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "class/class.h"
#include "class/slice.h"
#include "base/memory.h"
#include "common/plural.h"

const char gather_help[] =
    "usage: grade collect --db GRADEBOOK [--wait SECONDS] SLICE.db ...\n\n"
    "Merges the gradebooks that grade class --slice made on several machines into one.\n"
    "List all slices: those that are missing are reported. You can run it again at\n"
    "any time.\n\n"
    "exit status: 0 every slice of the batches is there and every student is graded,\n"
    "             1 a slice is missing, damaged or not finished, or a student could not\n"
    "               be graded (the output names them): grade those again, then\n"
    "               collect again,\n"
    "             2 the command line is wrong, 3 the gradebook or the machine failed\n";

// A run in a slice's gradebook, and the run that it is merged into.
struct gathering {
    struct gradebook book; // the slice's gradebook is attached as "part"
    int64_t there, here;
    int64_t part, parts, again, stamp, finished;
    char *batch;
    bool complete; // nothing missing so far
};

static _Noreturn void usage(const char *what)
{
    fprintf(stderr, "grade: %s (see build/grade collect --help)\n", what);
    exit(CLASS_USAGE);
}

// ---- is it a slice's gradebook? -----------------------------------------------------------

// The result of a query as a number, or -1.
static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return number;
}

// Returns the problem, or NULL.
static const char *problem_of(const char *path)
{
    struct stat status;
    sqlite3 *db = NULL;
    const char *problem = NULL;
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? "is missing" : strerror(errno);
    }
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        problem = "cannot be opened";
    } else if (ask(db, "SELECT quick_check = 'ok' FROM pragma_quick_check") != 1) {
        problem = "is not a database, or is damaged";
    } else if (ask(db, "PRAGMA application_id") != GRADEBOOK_APPLICATION) {
        problem = "is a database, but not a gradebook";
    } else if (ask(db, "PRAGMA user_version") != GRADEBOOK_VERSION) {
        problem = "is a gradebook of another version";
    } else if (ask(db, "SELECT count(*) FROM slice") <= 0) {
        problem = "is a gradebook, but not of a slice (grade class --slice)";
    } else if (
        ask(db,
            "SELECT count(*) FROM sqlite_schema WHERE name IN ('moment', 'gpu_work')") !=
        2) {
        problem = "is a gradebook of an older version; grade the slice again";
    }
    sqlite3_close(db);
    return problem;
}

// ---- one run of a slice -------------------------------------------------------------------

static void find_run(struct gathering *all)
{
    struct gradebook *book = &all->book;
    all->here = gradebook_number(
        book, 0,
        "SELECT max(slice.run) FROM slice JOIN run AS ours ON ours.id = slice.run "
        "JOIN part.run AS theirs ON theirs.id = ? WHERE batch = ? AND parts = ? "
        "AND ours.lab = theirs.lab AND ours.seed = theirs.seed "
        "AND ours.hidden_seed = theirs.hidden_seed AND ours.backend = theirs.backend "
        "AND ours.follow = theirs.follow",
        "iti", all->there, all->batch, all->parts);
    if (all->here == 0) {
        gradebook_do(book,
                     "INSERT INTO run (folder, lab, seed, hidden_seed, backend, follow, "
                     "trusted, started) SELECT folder, lab, seed, hidden_seed, backend, "
                     "follow, trusted, started FROM part.run WHERE id = ?",
                     "i", all->there);
        all->here = sqlite3_last_insert_rowid(book->db);
    }
}

// Returns true if the slice contains nothing newer.
static bool known(struct gathering *all)
{
    return gradebook_number(&all->book, 0,
                            "SELECT 1 FROM slice WHERE run = ?1 AND part = ?2 AND "
                            "((stamp = ?3 AND finished = 1) OR (finished > ?4))",
                            "iiii", all->here, all->part, all->stamp, all->finished) != 0;
}

// The grading here that corresponds to one of the slice's, with the same points (worth.h). As in
// record_known, files are judged once, or once per run if everything is judged again.
static int64_t grading_here(struct gathering *all, int64_t there)
{
    struct gradebook *book = &all->book;
    int64_t here = gradebook_number(
        book, 0,
        "SELECT max(ours.id) FROM grading AS ours JOIN part.grading AS theirs USING "
        "(hash, lab, rubric, seed, hidden_seed, backend) WHERE theirs.id = ? AND (? = 0 "
        "OR EXISTS (SELECT 1 FROM piece JOIN submission ON submission.id = submission "
        "WHERE grading = ours.id AND run = ?)) AND NOT EXISTS (SELECT 1 FROM mark JOIN "
        "part.mark AS other USING (place) WHERE mark.grading = ours.id AND "
        "other.grading = theirs.id AND mark.most != other.most)",
        "iii", there, all->again, all->here);
    if (here == 0) {
        gradebook_do(
            book,
            "INSERT INTO grading (hash, lab, rubric, seed, hidden_seed, backend, "
            "attempt, graded, seconds) "
            "SELECT hash, lab, rubric, seed, hidden_seed, backend, "
            "1 + (SELECT count(*) FROM grading AS ours WHERE ours.hash = theirs.hash "
            "AND ours.lab = theirs.lab AND ours.rubric = theirs.rubric "
            "AND ours.seed = theirs.seed AND ours.hidden_seed = theirs.hidden_seed "
            "AND ours.backend = theirs.backend), graded, seconds "
            "FROM part.grading AS theirs WHERE id = ?",
            "i", there);
        here = sqlite3_last_insert_rowid(book->db);
        gradebook_do(book,
                     "INSERT INTO mark (grading, place, exercise, title, backend, "
                     "points, most, verdict, diagnosis, hidden, output, call) SELECT ?, "
                     "place, exercise, title, backend, points, most, verdict, "
                     "diagnosis, hidden, output, call FROM part.mark WHERE grading = ?",
                     "ii", here, there);
    }
    return here;
}

// temp.same maps the slice's gradings to gradings here.
static void take_gradings(struct gathering *all)
{
    struct gradebook *book = &all->book;
    gradebook_do(book,
                 "CREATE TEMP TABLE IF NOT EXISTS same (there INTEGER PRIMARY KEY, here "
                 "INTEGER NOT NULL)",
                 "");
    gradebook_do(book, "DELETE FROM temp.same", "");
    sqlite3_stmt *grading = gradebook_query(
        book,
        "SELECT DISTINCT grading FROM part.piece JOIN part.submission ON submission.id = "
        "submission WHERE run = ? AND grading NOT NULL ORDER BY grading",
        "i", all->there);
    while (gradebook_next(book, &grading)) {
        int64_t there = sqlite3_column_int64(grading, 0);
        gradebook_do(book, "INSERT INTO temp.same VALUES (?, ?)", "ii", there,
                     grading_here(all, there));
    }
    gradebook_do(book,
                 "INSERT INTO source SELECT * FROM part.source WHERE true "
                 "ON CONFLICT DO UPDATE "
                 "SET tokens = excluded.tokens, fingerprints = excluded.fingerprints",
                 "");
    gradebook_do(book, "INSERT OR IGNORE INTO text SELECT * FROM part.text", "");
}

// The students of the slice, including those no longer in it.
static void forget_people(struct gathering *all)
{
    struct gradebook *book = &all->book;
    sqlite3_stmt *student = gradebook_query(
        book,
        "SELECT submission.id, key FROM submission JOIN student ON student.id = student "
        "WHERE run = ?",
        "i", all->here);
    gradebook_do(book, "CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY)",
                 "");
    gradebook_do(book, "DELETE FROM temp.gone", "");
    while (gradebook_next(book, &student)) {
        if (slice_of(gradebook_text(student, 1), (int)all->parts) == (int)all->part) {
            gradebook_do(book, "INSERT INTO temp.gone VALUES (?)", "i",
                         (int64_t)sqlite3_column_int64(student, 0));
        }
    }
    gradebook_do(book, "DELETE FROM submission WHERE id IN temp.gone", "");
}

static void take_people(struct gathering *all)
{
    struct gradebook *book = &all->book;
    gradebook_do(
        book,
        "INSERT INTO student (key, name, canvas, email) SELECT key, name, "
        "canvas, email FROM part.student WHERE id IN (SELECT student FROM "
        "part.submission WHERE run = ?) OR id IN (SELECT student FROM part.listed) "
        "OR id IN (SELECT student FROM part.partner) ORDER BY id ON CONFLICT (key) "
        "DO UPDATE SET name = excluded.name, canvas = coalesce(excluded.canvas, "
        "canvas), email = coalesce(excluded.email, email)",
        "i", all->there);
    gradebook_do(
        book,
        "INSERT INTO submission (run, student, files, handed_in, late, verdict, reason) "
        "SELECT ?, ours.id, files, handed_in, late, verdict, reason FROM "
        "part.submission JOIN part.student AS theirs ON theirs.id = student JOIN student "
        "AS ours ON ours.key = theirs.key WHERE run = ? ORDER BY submission.id",
        "ii", all->here, all->there);
    gradebook_do(book,
                 "INSERT INTO piece (submission, lab, hash, grading, failure) "
                 "SELECT new.id, lab, hash, here, failure FROM part.piece "
                 "JOIN part.submission AS old ON old.id = submission "
                 "JOIN part.student AS theirs ON theirs.id = old.student "
                 "JOIN student AS ours ON ours.key = theirs.key "
                 "JOIN submission AS new ON new.student = ours.id AND new.run = ? "
                 "LEFT JOIN temp.same ON there = grading WHERE old.run = ?",
                 "ii", all->here, all->there);
}

// The roster, its aliases and the extensions, which are the same in all slices of a batch.
static void take_roster(struct gathering *all)
{
    struct gradebook *book = &all->book;
    if (gradebook_number(book, 0, "SELECT count(*) FROM part.listed", "") > 0) {
        gradebook_do(book, "DELETE FROM listed", "");
        gradebook_do(book, "DELETE FROM extension", "");
    }
    gradebook_do(
        book,
        "INSERT INTO listed (student, id, team, place) SELECT ours.id, listed.id, "
        "team, place FROM part.listed JOIN part.student AS theirs ON theirs.id = "
        "student JOIN student AS ours ON ours.key = theirs.key",
        "");
    gradebook_do(book,
                 "INSERT OR IGNORE INTO alias (kind, value, student) SELECT kind, value, "
                 "ours.id FROM part.alias JOIN part.student AS theirs ON theirs.id = "
                 "student JOIN student AS ours ON ours.key = theirs.key",
                 "");
    gradebook_do(book,
                 "INSERT OR REPLACE INTO extension (student, lab, days, until, reason) "
                 "SELECT ours.id, lab, days, until, reason FROM part.extension JOIN "
                 "part.student AS theirs ON theirs.id = student JOIN student AS ours ON "
                 "ours.key = theirs.key",
                 "");
}

static void take_partners(struct gathering *all)
{
    gradebook_do(
        &all->book,
        "INSERT OR IGNORE INTO partner (submission, student) SELECT new.id, mate.id FROM "
        "part.partner JOIN part.submission AS old ON old.id = submission "
        "JOIN part.student AS theirs ON theirs.id = old.student "
        "JOIN student AS ours ON ours.key = theirs.key "
        "JOIN submission AS new ON new.student = ours.id AND new.run = ? "
        "JOIN part.student AS other ON other.id = partner.student "
        "JOIN student AS mate ON mate.key = other.key WHERE old.run = ?",
        "ii", all->here, all->there);
}

static void take_moments(struct gathering *all)
{
    gradebook_do(
        &all->book,
        "INSERT OR IGNORE INTO gpu_work (submission, lab) SELECT new.id, lab FROM "
        "part.gpu_work JOIN part.submission AS old ON old.id = submission "
        "JOIN part.student AS theirs ON theirs.id = old.student "
        "JOIN student AS ours ON ours.key = theirs.key "
        "JOIN submission AS new ON new.student = ours.id AND new.run = ? "
        "WHERE old.run = ?",
        "ii", all->here, all->there);
    gradebook_do(&all->book,
                 "INSERT INTO moment (submission, lab, given, platform, authored, "
                 "committed) SELECT new.id, lab, given, platform, authored, committed "
                 "FROM part.moment JOIN part.submission AS old ON old.id = submission "
                 "JOIN part.student AS theirs ON theirs.id = old.student "
                 "JOIN student AS ours ON ours.key = theirs.key "
                 "JOIN submission AS new ON new.student = ours.id AND new.run = ? "
                 "WHERE old.run = ?",
                 "ii", all->here, all->there);
}

// A run is finished when all its slices are.
static void note_slice(struct gathering *all)
{
    struct gradebook *book = &all->book;
    gradebook_do(book,
                 "INSERT INTO slice (run, part, parts, batch, again, stamp, finished) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET again = "
                 "excluded.again, stamp = excluded.stamp, finished = excluded.finished",
                 "iiitiii", all->here, all->part, all->parts, all->batch, all->again,
                 all->stamp, all->finished);
    gradebook_do(book,
                 "UPDATE run SET finished = CASE WHEN (SELECT total(finished) FROM slice "
                 "WHERE run = ?1) = ?2 THEN ?3 END WHERE id = ?1",
                 "iii", all->here, all->parts, gradebook_now());
}

// The deadlines of the newest run count.
static void take_deadlines(struct gathering *all)
{
    gradebook_do(&all->book,
                 "INSERT INTO deadline (lab, due, penalty) SELECT lab, due, penalty FROM "
                 "part.deadline WHERE ? = (SELECT max(id) FROM run) AND ? = (SELECT "
                 "max(id) FROM part.run) ON CONFLICT DO UPDATE SET due = excluded.due, "
                 "penalty = excluded.penalty",
                 "ii", all->here, all->there);
    gradebook_do(&all->book,
                 "INSERT OR IGNORE INTO file_times SELECT lab FROM part.file_times WHERE "
                 "? = (SELECT max(id) FROM run) AND ? = (SELECT max(id) FROM part.run)",
                 "ii", all->here, all->there);
}

static void take_run(struct gathering *all)
{
    find_run(all);
    bool before = known(all);
    if (!before) {
        take_gradings(all);
        forget_people(all);
        take_people(all);
        take_roster(all);
        take_partners(all);
        take_moments(all);
        note_slice(all);
    }
    take_deadlines(all);
    int64_t newest = gradebook_number(&all->book, 0, "SELECT max(id) FROM part.run", "");
    if (before && all->there != newest) {
        return; // from older batches only new data
    }
    const int64_t count = gradebook_number(
        &all->book, 0, "SELECT count(*) FROM part.submission WHERE run = ?", "i",
        all->there);
    printf("batch %s, slice %lld of %lld: %lld hand-in%s%s%s\n", all->batch,
           (long long)all->part, (long long)all->parts, (long long)count,
           plural((double)count), before ? ", collected before" : "",
           all->finished ? "" : ", not finished");
}

// ---- one slice after another --------------------------------------------------------------

static void take_slice(struct gathering *all, const char *path)
{
    struct gradebook *book = &all->book;
    gradebook_do(book, "ATTACH ? AS part", "t", path);
    gradebook_begin(book);
    sqlite3_stmt *slice = gradebook_query(
        book,
        "SELECT run, part, parts, batch, again, stamp, finished FROM part.slice "
        "ORDER BY run, part",
        "");
    while (gradebook_next(book, &slice)) {
        all->there = sqlite3_column_int64(slice, 0);
        all->part = sqlite3_column_int64(slice, 1);
        all->parts = sqlite3_column_int64(slice, 2);
        all->batch = grader_print("%s", gradebook_text(slice, 3));
        all->again = sqlite3_column_int64(slice, 4);
        all->stamp = sqlite3_column_int64(slice, 5);
        all->finished = sqlite3_column_int64(slice, 6);
        take_run(all);
        free(all->batch);
    }
    gradebook_commit(book);
    gradebook_do(book, "DETACH part", "");
}

// Reports what the newest run lacks; older runs no longer matter.
static void name_missing(struct gathering *all)
{
    struct gradebook *book = &all->book;
    sqlite3_stmt *slice = gradebook_query(
        book,
        "WITH RECURSIVE newest AS (SELECT run, batch, parts FROM slice ORDER BY run DESC "
        "LIMIT 1), every (part) AS (SELECT 1 UNION ALL SELECT part + 1 FROM every, "
        "newest WHERE part < parts) SELECT newest.batch, every.part, newest.parts, "
        "slice.run IS NULL FROM newest, every LEFT JOIN slice ON slice.run = newest.run "
        "AND slice.part = every.part WHERE slice.finished IS NOT 1",
        "");
    while (gradebook_next(book, &slice)) {
        fprintf(stderr, "grade: batch %s: slice %d of %d %s\n", gradebook_text(slice, 0),
                sqlite3_column_int(slice, 1), sqlite3_column_int(slice, 2),
                sqlite3_column_int(slice, 3) ? "is missing" : "is not finished");
        all->complete = false;
    }
    sqlite3_stmt *failure = gradebook_query(
        book,
        "SELECT label, lab, failure FROM piece JOIN submission ON submission.id = "
        "submission JOIN called ON called.id = student WHERE run = (SELECT max(run) "
        "FROM slice) AND failure NOT NULL ORDER BY label, lab",
        "");
    while (gradebook_next(book, &failure)) {
        fprintf(stderr, "grade: %s, lab %d: %s\n", gradebook_text(failure, 0),
                sqlite3_column_int(failure, 1), gradebook_text(failure, 2));
        all->complete = false;
    }
}

static void tell(struct gathering *all)
{
    struct gradebook *book = &all->book;
    sqlite3_stmt *run = gradebook_query(
        book,
        "SELECT batch, total(finished), parts, (SELECT count(*) FROM submission WHERE "
        "submission.run = slice.run AND verdict <> 'waiting') FROM slice WHERE run = "
        "(SELECT max(run) FROM slice) GROUP BY batch, parts",
        "");
    while (gradebook_next(book, &run)) {
        printf("batch %s: %d of %d slice%s finished, %d hand-in%s; %s\n",
               gradebook_text(run, 0), sqlite3_column_int(run, 1),
               sqlite3_column_int(run, 2), plural(sqlite3_column_int(run, 2)),
               sqlite3_column_int(run, 3), plural(sqlite3_column_int(run, 3)),
               book->path);
    }
}

bool gather_meant(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--into") == 0) {
        return false; // the remaining arguments are file names, whatever they look like
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--db") == 0 || strncmp(argv[i], "--db=", 5) == 0) {
            return true;
        }
    }
    return false;
}

static const char *parse(int argc, char **argv, double *wait)
{
    static const struct option known_options[] = {
        {"db", required_argument, NULL, 'd'},
        {"wait", required_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *db = NULL;
    char *end;
    opterr = 0;
    for (int option;
         (option = getopt_long(argc, argv, ":", known_options, NULL)) != -1;) {
        switch (option) {
        case 'd':
            db = optarg;
            break;
        case 'w':
            *wait = strtod(optarg, &end);
            if (*optarg == '\0' || *end != '\0' || !(*wait >= 0 && *wait <= 86400)) {
                usage("--wait needs a number of seconds");
            }
            break;
        case 'h':
            fputs(gather_help, stdout);
            exit(CLASS_DONE);
        default:
            usage("collect --db needs a gradebook and slices' gradebooks, and accepts "
                  "--wait");
        }
    }
    if (db == NULL || optind == argc) {
        usage("collect --db needs a gradebook and the slices' gradebooks");
    }
    return db;
}

int gather_command(int argc, char **argv)
{
    double wait = 30;
    struct gathering all = {.complete = true};
    const char *db = parse(argc, argv, &wait);
    gradebook_keep_private();
    gradebook_open(&all.book, db, true, wait);
    for (int i = optind; i < argc; i++) {
        const char *problem = problem_of(argv[i]);
        if (problem != NULL) {
            fprintf(stderr, "grade: %s %s\n", argv[i], problem);
            all.complete = false;
        } else {
            take_slice(&all, argv[i]);
        }
    }
    name_missing(&all);
    tell(&all);
    gradebook_close(&all.book);
    return all.complete ? CLASS_DONE : CLASS_FAILED;
}
