// log.c - the tables of a run (--log, --map-log), which survive an interrupted run.
//
// Just before each checkpoint, a complete new table is written and replaces the old one. So
// the table always has complete rows, at least up to the last checkpoint. A resumed run
// keeps the rows up to its checkpoint unchanged and appends its own.

#define _POSIX_C_SOURCE 200809L

#include "programs/train/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"

// ---- what an earlier run wrote ------------------------------------------------------------

// Checks that a row consists of numbers separated by tabs, and stores the first one in
// *step.
static bool read_row(const char *line, size_t columns, size_t *step)
{
    char *end;
    errno = 0;
    *step = (size_t)strtoull(line, &end, 10);
    bool good = '0' <= *line && *line <= '9' && errno == 0;
    for (size_t i = 1; good && i < columns; i++) {
        line = end + 1;
        good = *end == '\t' && *line != '\n';
        strtod(good ? line : end, &end);
    }
    return good && *end == '\n';
}

static void append(struct kept_rows *kept, const char *line, size_t length)
{
    char *text = realloc(kept->text, kept->length + length + 1);
    if (text == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    memcpy(text + kept->length, line, length + 1);
    kept->text = text;
    kept->length += length;
}

static _Noreturn void no_table(const char *path)
{
    train_fail(TRAIN_FAILED,
               "cannot continue %s: it is not a table of build/train; use another file",
               path);
}

struct kept_rows kept_rows_read(const char *path, const char *header, size_t last)
{
    struct kept_rows kept = {0};
    char *line = NULL;
    size_t room = 0, columns = 1, step;
    ssize_t length;
    FILE *file = fopen(path, "r");
    if (file == NULL && errno == ENOENT) {
        return kept;
    }
    if (file == NULL) {
        train_fail(TRAIN_FAILED, "cannot read %s: %s", path, strerror(errno));
    }
    for (const char *c = header; *c != '\0'; c++) {
        columns += *c == '\t';
    }
    if (getline(&line, &room, file) < 0 || strcmp(line, header) != 0) {
        no_table(path);
    }
    while ((length = getline(&line, &room, file)) > 0) {
        if (!read_row(line, columns, &step) || (kept.text != NULL && step < kept.last)) {
            no_table(path);
        }
        if (step > last) {
            break; // written after the checkpoint; these steps will be repeated
        }
        kept.first = kept.text == NULL ? step : kept.first;
        kept.gap = kept.gap || (kept.text != NULL && step > kept.last + 1);
        kept.last = step;
        append(&kept, line, (size_t)length);
    }
    free(line);
    fclose(file);
    return kept;
}

struct kept_rows kept_log_read(const char *path, const char *header, size_t step)
{
    struct kept_rows kept = kept_rows_read(path, header, step);
    if (kept.gap) {
        no_table(path);
    }
    if (kept.text != NULL && kept.last != step) {
        train_fail(TRAIN_FAILED,
                   "cannot continue %s: it ends with step %zu, and the checkpoint is at "
                   "%zu; use another file",
                   path, kept.last, step);
    }
    return kept;
}

// ---- writing ------------------------------------------------------------------------------

bool table_write(const char *path, const char *header, const struct kept_rows *kept,
                 void (*put_rows)(FILE *file, const void *context), const void *context)
{
    struct lab_replacement table;
    lab_status status = lab_replace_begin(&table, path);
    if (status == LAB_OK) {
        fputs(header, table.file);
        if (kept->length > 0) {
            fwrite(kept->text, 1, kept->length, table.file);
        }
        put_rows(table.file, context);
        status = lab_replace_commit(&table);
    }
    return status == LAB_OK;
}
