// rival.c - see rival.h.

#define _GNU_SOURCE
#include "bench/rival/rival.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES_MOST = 8 };

static _Noreturn void become(const char *script, const size_t *sizes, size_t count,
                             const int *question, const int *reply)
{
    char words[SIZES_MOST][24], *arguments[SIZES_MOST + 3];
    const char *python = getenv("PYTHON") != NULL ? getenv("PYTHON") : "/usr/bin/python3";
    arguments[0] = (char *)python;
    arguments[1] = (char *)script;
    for (size_t i = 0; i < count; i++) {
        snprintf(words[i], sizeof words[i], "%zu", sizes[i]);
        arguments[2 + i] = words[i];
    }
    arguments[2 + count] = NULL;
    dup2(question[0], STDIN_FILENO);
    dup2(reply[1], STDOUT_FILENO);
    close(question[1]);
    close(reply[0]);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execvp(python, arguments);
    _exit(127);
}

bool rival_start(struct rival *rival, const char *script, const size_t *sizes,
                 size_t count)
{
    int question[2], reply[2];
    signal(SIGPIPE, SIG_IGN);
    if (count > SIZES_MOST || pipe(question) != 0 || pipe(reply) != 0) {
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        become(script, sizes, count, question, reply);
    }
    close(question[0]);
    close(reply[1]);
    rival->ask = fdopen(question[1], "w");
    rival->answer = fdopen(reply[0], "r");
    if (pid < 0 || rival->ask == NULL || rival->answer == NULL ||
        fgets(rival->name, sizeof rival->name, rival->answer) == NULL) {
        return false;
    }
    rival->name[strcspn(rival->name, "\n")] = '\0';
    return true;
}

double rival_ask(struct rival *rival)
{
    return rival_ask_for(rival, "");
}

double rival_ask_for(struct rival *rival, const char *question)
{
    char line[64];
    if (fprintf(rival->ask, "%s\n", question) < 0 || fflush(rival->ask) != 0 ||
        fgets(line, sizeof line, rival->answer) == NULL) {
        fprintf(stderr, "bench: PyTorch stopped answering\n");
        exit(1);
    }
    return atof(line);
}

void rival_end(struct rival *rival)
{
    fclose(rival->ask);
    fclose(rival->answer);
}
