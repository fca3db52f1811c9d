// command.c - see command.h.

#define _GNU_SOURCE

#include "programs/learn/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/learn/terminal.h"
#include "programs/learn/text.h"

void words_add(struct words *words, const char *word)
{
    if (words->count < MOST_WORDS) {
        words->word[words->count++] = word;
    }
}

static _Noreturn void execute(const struct words *words)
{
    terminal_child();
    execvp(words->word[0], (char *const *)words->word);
    fprintf(stderr, "learn: cannot start %s: %s\n", words->word[0], strerror(errno));
    _exit(127);
}

static int exit_status(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void command_start(struct command *command, const struct words *words)
{
    int ends[2];
    *command = (struct command){.from = -1};
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0 || (command->pid = fork()) < 0) {
        fprintf(stderr, "learn: cannot start %s: %s\n", words->word[0], strerror(errno));
        exit(2);
    }
    if (command->pid == 0) {
        const int null = open("/dev/null", O_RDONLY);
        setpgid(0, 0); // so that command_stop reaches everything
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execute(words);
    }
    close(ends[1]);
    command->from = ends[0];
}

bool command_read(struct command *command, int *status)
{
    char some[4096];
    const ssize_t got = read(command->from, some, sizeof some);
    if (got < 0 && errno == EINTR) {
        return true;
    }
    if (got > 0) {
        command->output =
            or_die(realloc(command->output, command->size + (size_t)got + 1));
        memcpy(command->output + command->size, some, (size_t)got);
        command->size += (size_t)got;
        command->output[command->size] = '\0';
        return true;
    }
    close(command->from);
    command->from = -1;
    *status = exit_status(command->pid);
    command->pid = 0;
    return false;
}

void command_stop(struct command *command)
{
    if (command->pid > 0) {
        kill(-command->pid, SIGTERM);
        kill(command->pid, SIGTERM);
        exit_status(command->pid);
    }
    if (command->from >= 0) {
        close(command->from);
    }
    free(command->output);
    *command = (struct command){.from = -1};
}

int command_run(const struct words *words)
{
    fflush(stdout);
    terminal_raw(false);
    const pid_t pid = fork();
    if (pid == 0) {
        execute(words);
    }
    const int status = pid > 0 ? exit_status(pid) : 127;
    terminal_raw(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    return status;
}
