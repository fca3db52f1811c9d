// copy.c - see copy.h.

#define _GNU_SOURCE
#include "class/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class/slot.h"
#include "base/memory.h"

enum {
    SECONDS_BETWEEN = 10, // minimum seconds between copies
    COST = 20,            // a copy takes at most a 20th of the time
};

// A name that is unique across processes and machines. Caller frees.
static char *temporary(const char *path)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    return grader_print("%s.%s-%d.new", path, host, (int)getpid());
}

static bool to_disk(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0) {
        close(file);
    }
    return done;
}

static bool write_all(FILE *from, const char *path)
{
    char bytes[64 * 1024];
    FILE *to = fopen(path, "we");
    bool fine = to != NULL;
    for (size_t n; fine && (n = fread(bytes, 1, sizeof bytes, from)) > 0;) {
        fine = fwrite(bytes, 1, n, to) == n;
    }
    fine = fine && !ferror(from);
    return to != NULL && fclose(to) == 0 && fine;
}

void copy_fetch(const char *copy, const char *db)
{
    FILE *from = access(db, F_OK) != 0 ? fopen(copy, "re") : NULL;
    if (from == NULL) {
        return;
    }
    char *whole = temporary(db);
    if (!write_all(from, whole) || rename(whole, db) != 0) {
        int why = errno;
        unlink(whole);
        grader_fail("cannot copy %s to %s: %s", copy, db, strerror(why));
    }
    fclose(from);
    free(whole);
}

// Returns NULL on success, or else the error, which the caller frees.
static char *store(struct gradebook *book, const char *copy)
{
    char *whole = temporary(copy), *problem = NULL;
    sqlite3_stmt *statement = NULL;
    unlink(whole);
    errno = 0;
    bool done = sqlite3_prepare_v2(book->db, "VACUUM INTO ?", -1, &statement, NULL) ==
                    SQLITE_OK &&
                sqlite3_bind_text(statement, 1, whole, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    if (!done) {
        problem = grader_print("cannot write %s: %s", copy,
                               errno != 0 ? strerror(errno) : sqlite3_errmsg(book->db));
    }
    sqlite3_finalize(statement);
    if (done && (!to_disk(whole) || rename(whole, copy) != 0)) {
        problem = grader_print("cannot write %s: %s", copy, strerror(errno));
    }
    if (problem != NULL) {
        unlink(whole);
    }
    free(whole);
    return problem;
}

void copy_store(struct gradebook *book, const char *copy)
{
    char *problem = store(book, copy);
    if (problem != NULL) {
        grader_fail("%s; the previous copy is still there", problem);
    }
}

void copy_sometimes(struct gradebook *book, const char *copy, double *next)
{
    double started = slot_now();
    if (started < *next) {
        return;
    }
    char *problem = store(book, copy);
    if (problem != NULL) {
        fprintf(stderr, "grade: %s; going on\n", problem);
        free(problem);
    }
    double ended = slot_now(), pause = COST * (ended - started);
    *next = ended + (pause > SECONDS_BETWEEN ? pause : SECONDS_BETWEEN);
}
