// print.c - passes a student's printed output on to the judge.
//
// With a system call for every line, a function that prints in every step would exceed its
// time. So only the first bytes of each call are written at once, and the rest in large
// blocks: at the end of the call, or when the program ends.

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker/worker.h"

enum { AT_ONCE = 4096, HELD = 64 * 1024 };

static struct {
    char bytes[HELD];
    size_t held, sent; // sent: bytes written in this call, up to AT_ONCE
    bool ending;
    uint32_t call;
} printed;

// Output that cannot be written is lost, for example if the student has closed stdout.
static void send(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t wrote = write(STDOUT_FILENO, bytes, count);
        if (wrote <= 0) {
            return;
        }
        bytes += wrote;
        count -= (size_t)wrote;
    }
}

static void send_held(void)
{
    send(printed.bytes, printed.held);
    printed.held = 0;
}

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    (void)cookie;
    if (printed.sent < AT_ONCE || printed.ending || count > HELD) {
        send_held();
        send(bytes, count);
        printed.sent += count;
        return (ssize_t)count;
    }
    if (count > HELD - printed.held) {
        send_held();
    }
    memcpy(printed.bytes + printed.held, bytes, count);
    printed.held += count;
    return (ssize_t)count;
}

// The program may have been interrupted inside printf, so do not lock stdout.
void print_last(void)
{
    printed.ending = true;
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout);
        send_held();
        funlockfile(stdout);
    }
}

static void send_mark(const char *mark)
{
    fflush(stdout);
    send_held();
    send(mark, strlen(mark));
    printed.sent = 0;
}

void print_next_call(uint32_t index)
{
    char mark[32];
    snprintf(mark, sizeof mark, "\036%u\n", index);
    printed.call = index;
    send_mark(mark);
}

void print_next_repeat(enum contents contents)
{
    char mark[32];
    snprintf(mark, sizeof mark, "\036%u+%u\n", printed.call, (unsigned)contents);
    send_mark(mark);
}

// Standard input is /dev/null, open for reading only. In a box, the program may not open another one.
void print_nowhere(void)
{
    fflush(stdout);
    send_held();
    if (dup2(STDIN_FILENO, STDOUT_FILENO) < 0 || dup2(STDIN_FILENO, STDERR_FILENO) < 0) {
        worker_fail("dup2");
    }
}

// Defined by the sanitizers' runtime, if linked.
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

void print_begin(void)
{
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take});
    if (file == NULL) {
        worker_fail("stdout");
    }
    stdout = file;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // so that a crash loses no line
    atexit(print_last);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(print_last);
    }
}
