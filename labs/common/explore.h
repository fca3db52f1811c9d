// explore.h - shared by the explore programs of all labs: their command line, the error
// message for a missing exercise, matrices with named rows and columns, and data files for
// plot.gp.
//
//     int main(int argc, char **argv)
//     {
//         struct explore e = {.lab = 1};
//         explore_arguments(&e, argc, argv);       // exits on --help or an error
//         explore_need(softmax_rows(weights, scores, T, S), "1.4 softmax_rows");
//         explore_show("weights", weights, T, S, "query ", "key ");
//         explore_map(&e, "weights.tsv", weights, T, S, NULL, NULL);
//         EXPLORE_PART(&e, softmax_by_hand(&e));   // a missing exercise ends only this part
//         return explore_end(&e);
//     }
//
// These programs show results and give no verdicts. After any error they print one line on
// stderr and exit with status 1, or with EXPLORE_UNWRITTEN if only exercises are missing. A file is
// written completely or not at all. A part that fails does not stop the other parts. One that crashes, or
// makes a call that does not end, is stopped, and a line says in which section.

#ifndef LAB_EXPLORE_H
#define LAB_EXPLORE_H

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/print.h"
#include "common/replace.h"
#include "common/status.h"

enum { EXPLORE_FAILED = 1, EXPLORE_UNWRITTEN = 3 };

struct explore {
    unsigned lab;
    const char *dir; // the folder for the tables
    int status;      // of the first part that failed, else of one that is unwritten, or 0
};

// The seconds of processor time that a call may use, far more than any needs. After a call that did
// not end, later calls get EXPLORE_SECONDS_AGAIN, since they may call the same function.
static int explore_seconds = 20;
enum { EXPLORE_SECONDS_AGAIN = 5 };

// The pipe on which a part reports the title of each section that it begins; -1: none.
static int explore_sections = -1;

struct explore_section {
    char title[80]; // "2. Three tokens"
};

// From now on, the process may use explore_seconds of processor time. Other programs do not count.
static inline void explore_renew_limit(void)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) == 0 && getrlimit(RLIMIT_CPU, &limit) == 0) {
        const rlim_t end = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec +
                           (rlim_t)explore_seconds + 2; // both times are rounded down
        limit.rlim_cur = end < limit.rlim_max ? end : limit.rlim_max;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

// Reads "explore OUTDIR". --help prints the usage and exits with 0. Any other command line
// exits with 2.
static inline void explore_arguments(struct explore *e, int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf(
            "usage: explore OUTDIR\n"
            "Shows lab %u, computed by the code it was built with, and writes the tables that\n"
            "plot.gp draws to the folder OUTDIR, which must exist.\n",
            e->lab);
        exit(0);
    }
    if (argc != 2 || argv[1][0] == '-' || argv[1][0] == '\0') {
        fprintf(stderr, "usage: explore OUTDIR (see explore --help)\n");
        exit(2);
    }
    e->dir = argv[1];
    setvbuf(stdout, NULL, _IOLBF, 0); // a crash loses no line
}

// Prints the heading of a section, "1. Title". Call it before anything that may need a missing exercise, so
// that grader/tools/explore.sh can name the sections that are left out.
static inline __attribute__((format(printf, 1, 2))) void explore_title(const char *title,
                                                                       ...)
{
    va_list arguments;
    char line[256];
    va_start(arguments, title);
    int width = vsnprintf(line, sizeof line, title, arguments);
    va_end(arguments);
    struct explore_section section = {""}; // no byte of it is indeterminate
    snprintf(section.title, sizeof section.title, "%.79s", line);
    if (explore_sections >= 0 &&
        write(explore_sections, &section, sizeof section) != sizeof section) {
        perror("explore");
    }
    puts(line);
    while (width-- > 0) {
        putchar('-');
    }
    putchar('\n');
}

// Fills a float, an array or a structure of floats with NaN before a function writes it, so that an unwritten
// number does not show the result of an earlier call. For memory from malloc: explore_blank_numbers.
#define explore_blank(floats)                                                            \
    explore_blank_numbers((float *)&(floats), sizeof(floats) / sizeof(float))

static inline void explore_blank_numbers(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = NAN;
    }
}

// The larger one of two differences. NaN if one is NaN: fmax would hide an unwritten number.
static inline double explore_larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

// Exits unless status is LAB_OK. what names the exercise, as in "1.3 attention_scores". The output
// names it, too, because a table may have a heading and no rows.
static inline void explore_need(lab_status status, const char *what)
{
    if (status != LAB_OK) {
        printf("    (the rest needs %s)\n\n", what);
        fflush(stdout);
        fprintf(stderr, "%s: %s; see make check LAB=%.*s\n", what,
                lab_status_message(status), (int)strcspn(what, "."), what);
        exit(status == LAB_TODO ? EXPLORE_UNWRITTEN : EXPLORE_FAILED);
    }
    explore_renew_limit();
}

// Exits unless the file was written. errno must still hold the reason.
static inline void explore_wrote(lab_status status, const char *path)
{
    if (status != LAB_OK) {
        int why = errno;
        fflush(stdout);
        fprintf(stderr, "explore: cannot write %s: %s\n", path,
                status == LAB_EIO && why != 0 ? strerror(why)
                                              : lab_status_message(status));
        exit(1);
    }
}

struct explore_path {
    char text[4096];
};

static inline struct explore_path explore_path(const struct explore *e, const char *name)
{
    struct explore_path path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s", e->dir, name);
    if (length < 0 || (size_t)length >= sizeof path.text) {
        fprintf(stderr, "explore: the folder's name is too long: %s\n", e->dir);
        exit(1);
    }
    return path;
}

// Writes a(rows,columns) as a map file. NaN becomes a blank cell. If the names are NULL,
// the numbers 0 1 2 ... are used.
static inline void explore_map(const struct explore *e, const char *name, const float *a,
                               size_t rows, size_t columns, const char *const *row_names,
                               const char *const *column_names)
{
    struct explore_path path = explore_path(e, name);
    explore_wrote(lab_write_map_tsv(path.text, a, rows, columns, row_names, column_names),
                  path.text);
}

// Begins a table. Print its lines to the .file of the result, then call explore_table_end.
// Compute everything before you begin a table: a program that exits in between leaves a
// temporary file.
static inline struct lab_replacement explore_table(const struct explore *e,
                                                   const char *name, const char *header)
{
    struct explore_path path = explore_path(e, name);
    struct lab_replacement table;
    explore_wrote(lab_replace_begin(&table, path.text), path.text);
    fprintf(table.file, "%s\n", header);
    return table;
}

static inline void explore_table_end(const struct explore *e, const char *name,
                                     struct lab_replacement *table)
{
    struct explore_path path = explore_path(e, name);
    explore_wrote(lab_replace_commit(table), path.text);
}

// Prints a(rows,columns) with rows and columns named row0 row1 ..., column0 column1 ...
static inline void explore_show(const char *title, const float *a, size_t rows,
                                size_t columns, const char *row, const char *column)
{
    struct lab_names row_names, column_names;
    explore_wrote(lab_print_matrix(stdout, title, a, rows, columns,
                                   lab_names(&row_names, row, rows),
                                   lab_names(&column_names, column, columns), 8, 4),
                  "the standard output");
    printf("\n");
}

// The last call of main. Returns the exit status: 0, that of a failed part, or 1 if standard output
// could not be written.
static inline int explore_end(const struct explore *e)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        explore_wrote(LAB_EIO, "the standard output");
    }
    return e->status;
}

// Says in which section a part ended by a signal, on stderr and in the output itself.
static inline void explore_say_stopped(const struct explore *e,
                                       const struct explore_section *section, int signal)
{
    if (signal == SIGPIPE) { // the reader has closed the pipe: make explore | head
        exit(128 + SIGPIPE);
    }
    printf("    (stopped here)\n\n");
    fprintf(stderr, "\"%s\" stopped: ", section->title);
    if (signal == SIGXCPU) {
        fprintf(stderr, "a call used more than %d s of processor time", explore_seconds);
        explore_seconds = explore_seconds < EXPLORE_SECONDS_AGAIN ? explore_seconds
                                                                  : EXPLORE_SECONDS_AGAIN;
    } else {
        fprintf(stderr, "the code crashed (signal %d)", signal);
    }
    fprintf(stderr, "; make check LAB=%u says where\n", e->lab);
}

// Begins a part in a new process, and returns true there. The program itself waits until that process
// ends, notes its status in e->status (128 + the signal's number if it crashed), and gets false.
static inline bool explore_begin_part(struct explore *e)
{
    struct explore_section section = {""}, next;
    int status = 0, ends[2];
    fflush(stdout);
    const pid_t part = pipe(ends) == 0 ? fork() : -1;
    if (part == 0) {
        close(ends[0]);
        explore_sections = ends[1];
        e->status = 0;
        explore_renew_limit();
        return true;
    }
    if (part > 0) {
        close(ends[1]);
        while (read(ends[0], &next, sizeof next) == sizeof next) {
            section = next;
        }
        close(ends[0]);
    }
    if (part < 0 || waitpid(part, &status, 0) < 0) {
        fprintf(stderr, "explore: cannot start a process: %s\n", strerror(errno));
        exit(1);
    }
    if (WIFSIGNALED(status)) {
        explore_say_stopped(e, &section, WTERMSIG(status));
    }
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (e->status == 0 || (e->status == EXPLORE_UNWRITTEN && code != 0)) {
        e->status = code; // a failure outweighs an unwritten exercise
    }
    return false;
}

// Runs statements as a part. They change only their own copy of the program's memory.
#define EXPLORE_PART(e, ...)                                                             \
    do {                                                                                 \
        if (explore_begin_part(e)) {                                                     \
            __VA_ARGS__;                                                                 \
            exit(explore_end(e));                                                        \
        }                                                                                \
    } while (0)

#endif
