// slice.c - see slice.h.

#define _GNU_SOURCE
#include "class/slice.h"

#include <stdio.h>
#include <stdlib.h>

bool slice_read(const char *word, int *part, int *parts)
{
    char *slash, *end;
    if (*word < '0' || *word > '9') {
        return false;
    }
    long first = strtol(word, &slash, 10);
    if (*slash != '/' || slash[1] < '0' || slash[1] > '9') {
        return false;
    }
    long second = strtol(slash + 1, &end, 10);
    *part = (int)first;
    *parts = (int)second;
    return *end == '\0' && second <= MOST_SLICES && first >= 1 && first <= second;
}

int slice_of(const char *key, int parts)
{
    uint8_t bytes[SHA256_DIGEST_LENGTH];
    uint64_t number = 0;
    SHA2_CTX context;
    SHA256Init(&context);
    digest_text(&context, key);
    SHA256Final(bytes, &context);
    for (int i = 0; i < 8; i++) {
        number = number << 8 | bytes[i];
    }
    return (int)(number % (uint64_t)parts) + 1;
}

static _Noreturn void refuse(const char *db, const char *batch, const char *why)
{
    fprintf(stderr, "grade: %s: batch %s %s\n", db, batch, why);
    exit(CLASS_USAGE);
}

int64_t slice_run(struct class *class)
{
    const struct class_options *options = &class->options;
    struct gradebook *book = &class->book;
    int64_t run = gradebook_number(book, 0, "SELECT max(run) FROM slice WHERE batch = ?",
                                   "t", options->batch);
    if (run == 0) {
        return 0;
    }
    if (gradebook_number(book, 0,
                         "SELECT count(*) FROM slice WHERE run = ? AND (part <> ? OR "
                         "parts <> ?)",
                         "iii", run, (int64_t)options->part,
                         (int64_t)options->parts) > 0) {
        refuse(options->db, options->batch,
               "has other slices in this gradebook; use a separate gradebook for each "
               "slice");
    }
    if (gradebook_number(book, 0,
                         "SELECT id FROM run WHERE id = ? AND lab = ? AND seed = ? AND "
                         "hidden_seed = ? AND backend = ? AND follow = ?",
                         "iitttt", run, (int64_t)options->lab, options->seed,
                         options->hidden_seed, options->backend, options->follow) == 0) {
        refuse(options->db, options->batch,
               "was started with another lab, seed or backend; use another name");
    }
    gradebook_do(book, "UPDATE run SET finished = NULL, folder = ? WHERE id = ?", "ti",
                 options->folder, run);
    return run;
}

// The random stamp distinguishes gradings of a slice, independently of the clock.
void slice_note(struct class *class)
{
    const struct class_options *options = &class->options;
    gradebook_do(&class->book,
                 "INSERT INTO slice (run, part, parts, batch, again, stamp, finished) "
                 "VALUES (?, ?, ?, ?, ?, random(), 0) ON CONFLICT DO UPDATE SET "
                 "again = excluded.again, stamp = excluded.stamp, finished = 0",
                 "iiiti", class->run, (int64_t)options->part, (int64_t)options->parts,
                 options->batch, (int64_t)options->again);
}

void slice_finish(struct class *class)
{
    gradebook_do(&class->book, "UPDATE slice SET finished = 1 WHERE run = ?", "i",
                 class->run);
}
