// run.c - errors and Ctrl-C; see run.h.

#define _POSIX_C_SOURCE 200809L

#include "programs/train/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"

const char *run_program = "train";

_Noreturn void train_fail(int status, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    fprintf(stderr, "%s: ", run_program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

// ---- Ctrl-C -------------------------------------------------------------------------------

volatile sig_atomic_t run_interrupted; // the only type that a signal handler may write

static void interrupt(int signal)
{
    (void)signal;
    run_interrupted = 1;
}

void run_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // report a file size limit as an error, like a full disk
    signal(SIGXFSZ, SIG_IGN);
}

// ---- files --------------------------------------------------------------------------------

void run_check_writable(const char *path)
{
    struct lab_replacement file;
    if (path == NULL) {
        return;
    }
    lab_replace_tidy(path); // left by a run that was killed while writing
    if (lab_replace_begin(&file, path) != LAB_OK) {
        train_fail(TRAIN_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    lab_replace_abort(&file);
}
