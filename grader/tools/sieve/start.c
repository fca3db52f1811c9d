// start.c - starting and ending a worker of the sieve.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tools/sieve/sieve.h"

enum { FILES = 2 + 2 * SIEVE_SETS, FREE = 40 };

// Moves descriptors out of the way first, because the numbers that the worker expects may be in
// use.
_Noreturn static void become(const char *worker, int files[FILES])
{
    for (int i = 0; i < FILES; i++) {
        files[i] = fcntl(files[i], F_DUPFD_CLOEXEC, FREE);
    }
    for (int i = 0; i < FILES; i++) {
        dup2(files[i], SIEVE_COMMANDS + i);
    }
    execl(worker, worker, (char *)NULL);
    _exit(127);
}

struct sieve_pipes sieve_start(const char *worker, const int files[2 * SIEVE_SETS])
{
    int commands[2], outcomes[2];
    if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(outcomes, O_CLOEXEC) != 0) {
        grader_fail("sieve: no pipe");
    }
    const pid_t child = fork();
    if (child < 0) {
        grader_fail("sieve: no process");
    }
    if (child == 0) {
        int all[FILES] = {commands[0], outcomes[1]};
        for (int i = 0; i < 2 * SIEVE_SETS; i++) {
            all[2 + i] = files[i];
        }
        become(worker, all);
    }
    close(commands[0]);
    close(outcomes[1]);
    return (struct sieve_pipes){commands[1], outcomes[0]};
}

void sieve_end(const struct sieve_pipes *pipes)
{
    close(pipes->commands);
    close(pipes->outcomes);
    wait(NULL);
}
