// process.h - run one program within limits and keep what it printed.
//
// Used for the compiler and for the worker. The program gets its own process group; when it
// ends or breaks a limit the whole group is killed. A program that leaves its group goes on,
// but in a box (sandbox/box.h): then nothing it started goes on.

#ifndef GRADER_PROCESS_H
#define GRADER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/box.h"
#include "sandbox/wall.h"

struct limits {
    // processor time of all its processes, and time in which all of them sleep
    double seconds;
    size_t megabytes; // resident memory, watched; in a box, of all its processes together
    // stdout and stderr together; 0: any number, of which some are kept
    size_t output_bytes;
    // megabytes of addresses, or 0: no limit (AddressSanitizer needs that)
    size_t address_space;
    double wall; // seconds by the clock; 0: wall_seconds, which is generous
    // seconds from SIGXCPU, when time has run out, to SIGKILL; 0: at once
    double last_words;
};

struct program {
    char *const *arguments; // arguments[0] is looked up in PATH
    const char *file;       // what runs, where it is not arguments[0]; else NULL
    char *const *environment;
    const char *directory;  // where it runs, or NULL
    const int *descriptors; // become 3, 4, ... in the program; all others are closed
    int descriptor_count;
    const struct limits *limits;
    const struct wall *wall; // what it may access, or NULL: everything
    // untrusted code: the box, whose .wall is then raised; or NULL
    const struct box *box;
};

enum ending {
    EXITED,        // .code is the exit status
    SIGNALED,      // .code is the signal
    TIMED_OUT,     // over .seconds or .wall, killed; .code is an enum overtime
    OUT_OF_MEMORY, // over .megabytes, killed
    FLOODED,       // over .output_bytes, killed
    NOT_STARTED,   // our failure: .code is errno
};

// What has used up the time.
enum overtime {
    COMPUTES, // most of .seconds was processor time
    SLEEPS,   // in most of it all processes slept, waited or were stopped
    STARVES,  // .wall has passed: the machine is too busy
};

// The clock's seconds after which a program is ended whatever it does. On a machine with many
// more programs than processors it may need that long for its own seconds.
static inline double wall_seconds(double seconds)
{
    return 10 * seconds + 30;
}

struct outcome {
    enum ending ending;
    int code;
    double seconds;
    char *output; // what was printed, NUL-terminated; may hold NULs
    size_t output_size;
    size_t output_lines; // newlines printed, kept or not
};

// Of a program that prints more than that, the first KEPT_OUTPUT bytes are kept and as many of the
// last, with OUTPUT_GAP between them: a report of a crash comes at the very end.
enum { KEPT_OUTPUT = 64 * 1024, WATCH_MILLISECONDS = 20 };
#define OUTPUT_GAP "\n\036\n"

// Takes off everything from `at` on, a place in the output.
void outcome_cut(struct outcome *outcome, const char *at);

// How many newlines there are.
size_t count_lines(const char *bytes, size_t size);

// Runs a program within its limits. The caller frees outcome.output. Safe to call from several
// threads.
struct outcome process_run(const struct program *program);

// The same in two steps, for a program that waits until it is told to go on: its seconds count
// from process_finish on. Not for a box. Until then the program must be ours, for nobody looks
// after it; it ends with the thread that has started it, at the latest. process_stop ends one
// that is not needed.
struct process *process_start(const struct program *program);
struct outcome process_finish(struct process *process);
void process_stop(struct process *process);

#endif
