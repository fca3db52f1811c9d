// run.h - what every training run has: how it ends, a line that moves, tables that go on.
//
//   run.c        errors and Ctrl-C
//   progress.c   the line that moves
//   log.c        the tables of a run, which go on where it does

#ifndef LAB_TRAIN_RUN_H
#define LAB_TRAIN_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// ---- run.c --------------------------------------------------------------------------------

// Exit statuses of the program; 0 is done.
enum {
    TRAIN_FAILED = 1,        // a file, a checkpoint, an exercise
    TRAIN_USAGE = 2,         // the command line
    TRAIN_DIVERGED = 3,      // the loss, or a parameter, is no number any more
    TRAIN_INTERRUPTED = 130, // Ctrl-C; what --save names was written
};

// The name that begins an error; "train" unless main changes it.
extern const char *run_program;

// Prints "train: ..." on stderr and leaves the program.
_Noreturn void train_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Ctrl-C sets run_interrupted from now on, and a file that may not grow is an error to report.
extern volatile sig_atomic_t run_interrupted;
void run_catch_interrupts(void);

// Leaves the program if path cannot be written. It is better to hear of it now than after an hour
// of training. path may be NULL.
void run_check_writable(const char *path);

// ---- progress.c ---------------------------------------------------------------------------

struct progress {
    bool quiet, terminal, colour, utf8;
    bool open;             // a line is still without its end
    size_t first, last;    // steps
    double started, shown; // seconds
    double busy;           // seconds spent on steps
};

// quiet: show nothing.
struct progress progress_start(bool quiet, size_t first, size_t last);

// figures: what is known after this step, as text: "loss 0.1234  right  97.1%". measured: one of
// them is new. Plain output has a line for each of these.
void progress_show(struct progress *progress, size_t step, const char *figures,
                   bool measured);

// Ends the moving line, so that others may be printed.
void progress_end(struct progress *progress);

// ---- log.c --------------------------------------------------------------------------------

// The rows of a table that an earlier run wrote, as text; {0}: there are none.
struct kept_rows {
    char *text;
    size_t length;
    size_t first, last; // steps
    bool gap;           // a step between them is missing
};

// The rows up to step `last` of the table at path; none when there is no file. Leaves the program
// when the file is something else. text is to be freed.
struct kept_rows kept_rows_read(const char *path, const char *header, size_t last);

// The same of a --log, for a run that goes on after step `step`; leaves the program as well when a
// step is missing.
struct kept_rows kept_log_read(const char *path, const char *header, size_t step);

// Writes header, kept rows and what put_rows writes, whole or not at all. false: errno says why not.
bool table_write(const char *path, const char *header, const struct kept_rows *kept,
                 void (*put_rows)(FILE *file, const void *context), const void *context);

#endif
