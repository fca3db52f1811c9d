// worker.c - makes a worker (grader/worker) one that holds many changed solutions and forks for each.
//
// Before main begins, this constructor takes over. It waits for commands, and forks for each; only the
// child goes on to main, which makes the calls as in any worker, to the functions of one change.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/sieve/sieve.h"
#include "worker/protocol.h"

// Written by mutant_sieve.py: makes the lab's functions those of a change; an address in each change.
void sieve_choose(int change);
extern const void *const sieve_addresses[]; // ends with NULL

// The simulator's: the line at an address. For its first answer it reads the debugging information of
// the whole program, so that is asked for once, and not in every child.
struct place {
    const char *file;
    int line;
};
struct place line_at(const void *address) __asm__("_ZN11gpu_runtime8place_ofEPKv");

static void begin(const struct sieve_command *command)
{
    sieve_choose(command->change);
    const struct itimerval end = {
        .it_value = {command->microseconds / 1000000, command->microseconds % 1000000}};
    setitimer(ITIMER_PROF, &end, NULL); // SIGPROF ends the program
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(SIEVE_FILES + 2 * command->set, REQUEST_FD);
    dup2(SIEVE_FILES + 2 * command->set + 1, ANSWER_FD);
}

static long microseconds(const struct timeval *time)
{
    return time->tv_sec * 1000000 + time->tv_usec;
}

static void report(pid_t child)
{
    int status = 0;
    struct rusage used;
    wait4(child, &status, 0, &used);
    const struct sieve_outcome outcome = {
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status),
        .microseconds = microseconds(&used.ru_utime) + microseconds(&used.ru_stime)};
    if (write(SIEVE_OUTCOMES, &outcome, sizeof outcome) != sizeof outcome) {
        _exit(1);
    }
}

__attribute__((constructor)) static void serve(void)
{
    for (size_t i = 0; sieve_addresses[i] != NULL; i++) {
        (void)line_at(sieve_addresses[i]);
    }
    struct sieve_command command;
    while (read(SIEVE_COMMANDS, &command, sizeof command) == sizeof command) {
        const pid_t child = fork();
        if (child == 0) {
            begin(&command);
            return;
        }
        report(child);
    }
    _exit(0);
}
