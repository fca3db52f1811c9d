// process.h - runs one program within limits and captures its output.
//
// Used for compilers and workers. The program gets its own process group. When it ends or
// exceeds a limit, the whole group is killed. Only a box (sandbox/box.h) also ends
// processes that have left the group.

#ifndef GRADER_PROCESS_H
#define GRADER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/box.h"
#include "sandbox/wall.h"

struct limits {
    // processor time of all its processes, and time in which all of them sleep
    double seconds;
    size_t megabytes; // limit on resident memory; in a box, of all its processes together
    // limit on stdout and stderr together; 0: no limit, but only some is stored
    size_t output_bytes;
    // megabytes of address space; 0: no limit (needed for AddressSanitizer)
    size_t address_space;
    double wall; // seconds by the clock; 0: wall_seconds, which is generous
    // seconds from SIGXCPU, when time has run out, to SIGKILL; 0: at once
    double last_words;
    // processes at a time, including the program; 0: no limit. More end it as the filter
    // against processes would (sandbox/wall.h)
    size_t processes;
};

struct program {
    char *const *arguments; // arguments[0] is looked up in PATH
    const char *file;       // the program, if it is not arguments[0]; else NULL
    char *const *environment;
    const char *directory; // working directory, or NULL
    // become 3, 4, ... in the program; all other descriptors are closed
    const int *descriptors;
    int descriptor_count;
    const struct limits *limits;
    const struct wall *wall; // its permissions; NULL: no restrictions
    // for untrusted code: the box, which also applies .wall; otherwise NULL
    const struct box *box;
};

enum ending {
    EXITED,        // .code is the exit status
    SIGNALED,      // .code is the signal
    TIMED_OUT,     // over .seconds or .wall, killed; .code is an enum overtime
    OUT_OF_MEMORY, // over .megabytes, killed
    FLOODED,       // over .output_bytes, killed
    NOT_STARTED,   // the grader failed: .code is errno
    MULTIPLIED,    // within process.c: over .processes, killed
    USED_UP,       // not from process_run: the hand-in's allowance is used up
};

// The limit that was exceeded.
enum overtime {
    COMPUTES, // most of .seconds was processor time
    SLEEPS,   // for most of it, all processes slept, waited or were stopped
    STARVES,  // .wall has passed: the machine is too busy
};

// The limit in real time. On a machine with many more programs than processors, a program
// may need this long to use its own seconds.
static inline double wall_seconds(double seconds)
{
    return 10 * seconds + 30;
}

struct outcome {
    enum ending ending;
    int code;
    double seconds; // by the clock
    double used;    // as counted for limits.seconds
    char *output;   // the output, NUL-terminated; may contain NULs
    size_t output_size;
    size_t output_lines; // newlines printed, stored or not
};

// If a program prints more than that, the first and the last KEPT_OUTPUT bytes are stored,
// with OUTPUT_GAP between them, because a crash report comes at the very end.
enum { KEPT_OUTPUT = 64 * 1024, WATCH_MILLISECONDS = 20 };
#define OUTPUT_GAP "\n\036\n"

// Truncates the output at `at`.
void outcome_cut(struct outcome *outcome, const char *at);

// Counts newlines.
size_t count_lines(const char *bytes, size_t size);

// Runs a program within its limits. The caller frees outcome.output. Safe to call from several
// threads.
struct outcome process_run(const struct program *program);

// The same in two steps, for a program that waits for a signal to continue; its time counts
// from process_finish on. Not for a box. Until process_finish the program is unsupervised,
// so it must be trusted code. It ends with the thread that started it at the latest.
// process_stop ends one that is not needed.
struct process *process_start(const struct program *program);
struct outcome process_finish(struct process *process);
void process_stop(struct process *process);

#endif
