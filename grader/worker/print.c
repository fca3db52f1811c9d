// print.c - passes the output of a student's code on to the judge.
//
// A system call for every line would make a function that prints in every step run out of its
// time. So the first bytes of each call go out at once, and the rest in large pieces: at the end of
// the call, or when the program ends.

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
    size_t held, sent; // sent: in this call, as far as AT_ONCE
    bool ending;
    uint32_t call;
} printed;

// What cannot be written is lost: a student who has closed stdout has nothing to show.
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

// The program may have been interrupted inside printf, so do not wait for stdout.
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

// The sanitizers' runtime has it, where a worker is linked with it.
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
