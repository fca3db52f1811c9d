// run.c - runs the value of a prediction with the student's code.
//
// The process may print anything, crash, or never end, so it gets a pipe of its own, no input, and
// a limit of time. Only the last line "@ name value" of its output counts.

#define _GNU_SOURCE // POSIX functions

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "programs/ask/interrupt.h"
#include "programs/ask/run.h"

enum { KEPT = 4096 }; // the end of the output

static _Noreturn void child(int out, const char *program, const char *name)
{
    const int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0) {
        _exit(126);
    }
    execl(program, program, name, (char *)NULL);
    _exit(127);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Reads until the pipe is closed, and keeps the last bytes. Returns false if the time is up
// before, or after Ctrl-C.
static bool read_end(int from, char *kept)
{
    const double until = seconds() + RUN_SECONDS;
    size_t n = 0;
    for (double left = RUN_SECONDS; left > 0 && !interrupted();
         left = until - seconds()) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const int some = poll(&ready, 1, (int)(1000 * left) + 1);
        char text[KEPT / 2];
        if (some <= 0) {
            continue;
        }
        const ssize_t got = read(from, text, sizeof text);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            kept[n] = '\0';
            return true;
        }
        if (got > 0) {
            const size_t keep = n < KEPT / 2 - 1 ? n : KEPT / 2 - 1;
            memmove(kept, kept + n - keep, keep);
            memcpy(kept + keep, text, (size_t)got);
            n = keep + (size_t)got;
        }
    }
    kept[n] = '\0';
    return false;
}

static bool find_value(double *value, char *text, const char *name)
{
    bool found = false;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const size_t n = strlen(name);
        if (strncmp(line, "@ ", 2) == 0 && strncmp(line + 2, name, n) == 0 &&
            line[n + 2] == ' ') {
            *value = strtod(line + n + 3, NULL);
            found = true;
        }
    }
    return found;
}

bool run_prediction(double *value, char *why, size_t size, const char *program,
                    const char *name)
{
    int ends[2], status = 0;
    char kept[KEPT];
    if (pipe(ends) != 0) {
        snprintf(why, size, "it cannot be run: %s", strerror(errno));
        return false;
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(ends[1], program, name);
    }
    close(ends[1]);
    const bool in_time = pid > 0 && read_end(ends[0], kept);
    close(ends[0]);
    if (pid > 0) {
        kill(-pid, SIGKILL); // also what it may have started
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (interrupted()) {
        snprintf(why, size, "it was stopped");
        return false;
    }
    if (!in_time) {
        snprintf(why, size, "it does not end within %d seconds", RUN_SECONDS);
        return false;
    }
    if (strstr(kept, "not written yet") != NULL) {
        snprintf(why, size, "it is not written yet");
        return false;
    }
    if (!find_value(value, kept, name)) {
        snprintf(why, size, "%s",
                 WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
                     ? "it crashes"
                     : "it gives no value");
        return false;
    }
    return true;
}
