// terminal.c - runs a program on a pseudo-terminal of 80 columns, for test_learn.sh and bench.sh. Reads what to do
// from standard input, one line each:
//
//     expect TEXT     wait until the program has printed this, after the last text expected
//     absent TEXT     it has not printed this between the last two texts expected
//     send KEYS       type these; \e is escape, \r the Enter key, \003 Ctrl-C, \004 Ctrl-D
//     run COMMAND     a shell command, beside the program
//     clock COMMAND   the same, and start a clock before it
//     ms TEXT         like expect, and print the milliseconds since then
//     end STATUS      wait until the program ends, with this exit status
//
//     build/box/terminal TRANSCRIPT PROGRAM ARGUMENTS...
//
// Everything printed is also written to TRANSCRIPT. Exit status: 0, or 1 after the first line that
// fails, which is printed.

#define _GNU_SOURCE

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

struct session {
    int terminal;
    pid_t pid;
    FILE *transcript;
    char printed[ROOM];
    size_t size, last, before; // the ends of the last two texts expected
    bool ended;
    double clock; // seconds
};

// Seconds for one step; a limit for a program that hangs, not a measure of speed.
static double limit(void)
{
    const char *given = getenv("TERMINAL_LIMIT");
    return given != NULL ? atof(given) : 300;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits for more output. Returns false at the end of the program or of the time.
static bool read_more(struct session *s, double until)
{
    struct pollfd ready = {.fd = s->terminal, .events = POLLIN};
    const double left = until - seconds();
    if (left <= 0 || s->size + 1 >= ROOM ||
        poll(&ready, 1, (int)(1000 * left) + 1) <= 0) {
        return false;
    }
    const ssize_t got = read(s->terminal, s->printed + s->size, ROOM - 1 - s->size);
    if (got <= 0) {
        s->ended = true;
        return false;
    }
    fwrite(s->printed + s->size, 1, (size_t)got, s->transcript);
    s->size += (size_t)got;
    s->printed[s->size] = '\0';
    return true;
}

static bool expect(struct session *s, const char *text)
{
    const double until = seconds() + limit();
    const char *at;
    while ((at = strstr(s->printed + s->last, text)) == NULL) {
        if (!read_more(s, until)) {
            printf("# printed instead:\n%s\n", s->printed + s->last);
            return false;
        }
    }
    s->before = s->last;
    s->last = (size_t)(at - s->printed) + strlen(text);
    return true;
}

static bool absent(struct session *s, const char *text)
{
    const char *at = strstr(s->printed + s->before, text);
    return at == NULL || at >= s->printed + s->last;
}

static bool send_keys(struct session *s, const char *keys)
{
    for (; *keys != '\0'; keys++) {
        char key = *keys;
        if (strncmp(keys, "\\003", 4) == 0 || strncmp(keys, "\\004", 4) == 0) {
            key = keys[3] == '3' ? '\003' : '\004';
            keys += 3;
        } else if (strncmp(keys, "\\e", 2) == 0 || strncmp(keys, "\\r", 2) == 0) {
            key = keys[1] == 'e' ? '\033' : '\r';
            keys++;
        }
        if (write(s->terminal, &key, 1) != 1) {
            return false;
        }
    }
    return true;
}

static bool end(struct session *s, int expected)
{
    const double until = seconds() + limit();
    int status = 0;
    while (read_more(s, until)) {
    }
    if (!s->ended) {
        return false;
    }
    waitpid(s->pid, &status, 0);
    s->pid = 0;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code != expected) {
        printf("# exit status %d\n", code);
    }
    return code == expected;
}

static bool start_clock(struct session *s, const char *command)
{
    s->clock = seconds();
    return system(command) == 0;
}

static bool print_clock(struct session *s, const char *text)
{
    const bool found = expect(s, text);
    printf("%.0f\n", 1000 * (seconds() - s->clock));
    return found;
}

static bool obey(struct session *s, char *line)
{
    char *words = strchr(line, ' ');
    if (words == NULL) {
        return false;
    }
    const size_t length = (size_t)(words++ - line);
    return strncmp(line, "expect", length) == 0   ? expect(s, words)
           : strncmp(line, "absent", length) == 0 ? absent(s, words)
           : strncmp(line, "send", length) == 0   ? send_keys(s, words)
           : strncmp(line, "run", length) == 0    ? system(words) == 0
           : strncmp(line, "clock", length) == 0  ? start_clock(s, words)
           : strncmp(line, "ms", length) == 0     ? print_clock(s, words)
           : strncmp(line, "end", length) == 0    ? end(s, atoi(words))
                                                  : false;
}

int main(int argc, char **argv)
{
    static struct session s;
    const struct winsize size = {.ws_row = 24, .ws_col = 80};
    char line[4096];
    bool fine = true;
    if (argc < 3 || (s.transcript = fopen(argv[1], "w")) == NULL) {
        fputs("usage: terminal TRANSCRIPT PROGRAM ARGUMENTS...\n", stderr);
        return 2;
    }
    fflush(NULL);
    s.pid = forkpty(&s.terminal, NULL, NULL, &size);
    if (s.pid == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    while (fine && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        fine = obey(&s, line);
        if (!fine) {
            printf("failed: %s\n", line);
        }
    }
    if (s.pid > 0) {
        kill(s.pid, SIGHUP);
        close(s.terminal);
        waitpid(s.pid, NULL, 0);
    }
    fclose(s.transcript);
    return fine ? 0 : 1;
}
