// run.h - what every training run has: how it ends, a progress line, tables that continue.
//
//   run.c        errors and Ctrl-C
//   progress.c   the progress line
//   log.c        the tables of a run, which a resumed run continues

#ifndef LAB_TRAIN_RUN_H
#define LAB_TRAIN_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// ---- run.c --------------------------------------------------------------------------------

// Exit statuses of the program; 0 is done.
enum {
    TRAIN_FAILED = 1,        // an error in a file, a checkpoint or an exercise
    TRAIN_USAGE = 2,         // wrong command line
    TRAIN_DIVERGED = 3,      // the loss or a parameter is not finite
    TRAIN_INTERRUPTED = 130, // Ctrl-C; the checkpoint of --save was written
};

// The name that begins an error; "train" unless main changes it.
extern const char *run_program;

// Prints "train: ..." on stderr and exits.
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
    bool quiet, terminal, color, utf8;
    bool open;             // the current line has no newline yet
    size_t first, last;    // steps
    double started, shown; // seconds
    double busy;           // seconds spent on steps
};

// If quiet, shows nothing.
struct progress progress_start(bool quiet, size_t first, size_t last);

// figures: what is known after this step, as text: "loss 0.1234  right  97.1%". measured: one of
// them is new. Plain output has a line for each of these.
void progress_show(struct progress *progress, size_t step, const char *figures,
                   bool measured);

// Ends the progress line before other output.
void progress_end(struct progress *progress);

// ---- log.c --------------------------------------------------------------------------------

// The rows of a table that an earlier run wrote, as text; {0} if there are none.
struct kept_rows {
    char *text;
    size_t length;
    size_t first, last; // steps
    bool gap;           // true if a step is missing
};

// Reads the rows up to step `last` of the table at path; none if there is no file. Exits if
// the file is not such a table. The caller frees text.
struct kept_rows kept_rows_read(const char *path, const char *header, size_t last);

// Like kept_rows_read, for the file of --log and a run that continues after step `step`. Also
// exits if a step is missing.
struct kept_rows kept_log_read(const char *path, const char *header, size_t step);

// Writes header, the kept rows and the output of put_rows, completely or not at all. On
// failure returns false with the reason in errno.
bool table_write(const char *path, const char *header, const struct kept_rows *kept,
                 void (*put_rows)(FILE *file, const void *context), const void *context);

#endif
