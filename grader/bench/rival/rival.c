// rival.c - see rival.h.

#define _GNU_SOURCE
#include "bench/rival/rival.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const struct rival *rival, const int *question,
                             const int *reply)
{
    char words[RIVAL_SIZES_MOST][24], *arguments[RIVAL_SIZES_MOST + 3];
    const char *python = getenv("PYTHON") != NULL ? getenv("PYTHON") : "/usr/bin/python3";
    arguments[0] = (char *)python;
    arguments[1] = (char *)rival->script;
    for (size_t i = 0; i < rival->count; i++) {
        snprintf(words[i], sizeof words[i], "%zu", rival->sizes[i]);
        arguments[2 + i] = words[i];
    }
    arguments[2 + rival->count] = NULL;
    dup2(question[0], STDIN_FILENO);
    dup2(reply[1], STDOUT_FILENO);
    close(question[1]);
    close(reply[0]);
    dup2(fileno(rival->errors), STDERR_FILENO);
    execvp(python, arguments);
    _exit(127);
}

// Starts the process and reads its name.
static bool start(struct rival *rival)
{
    int question[2], reply[2];
    rival->errors = tmpfile();
    if (rival->errors == NULL || pipe2(question, O_CLOEXEC) != 0 ||
        pipe2(reply, O_CLOEXEC) != 0) {
        return false;
    }
    rival->process = fork();
    if (rival->process == 0) {
        become(rival, question, reply);
    }
    close(question[0]);
    close(reply[1]);
    rival->ask = fdopen(question[1], "w");
    rival->answer = fdopen(reply[0], "r");
    if (rival->process < 0 || rival->ask == NULL || rival->answer == NULL ||
        fgets(rival->name, sizeof rival->name, rival->answer) == NULL) {
        return false;
    }
    rival->name[strcspn(rival->name, "\n")] = '\0';
    return true;
}

bool rival_start(struct rival *rival, const char *script, const size_t *sizes,
                 size_t count)
{
    signal(SIGPIPE, SIG_IGN);
    if (count > RIVAL_SIZES_MOST) {
        return false;
    }
    rival->script = script;
    rival->count = count;
    memcpy(rival->sizes, sizes, count * sizeof *sizes);
    return start(rival);
}

// ---- a process that has ended -------------------------------------------------------------

// The last two lines that it wrote to standard error.
static void print_last_words(FILE *errors)
{
    char line[2][256] = {"", ""};
    size_t lines = 0;
    rewind(errors);
    while (fgets(line[lines % 2], sizeof line[0], errors) != NULL) {
        lines++;
    }
    for (size_t i = lines < 2 ? 0 : lines - 2; i < lines; i++) {
        fprintf(stderr, "bench:     %.*s\n", (int)strcspn(line[i % 2], "\n"),
                line[i % 2]);
    }
}

// Waits for its end, and prints how it ended.
static void tell_why(struct rival *rival, const char *question)
{
    int status = 0;
    rival_end(rival);
    while (waitpid(rival->process, &status, 0) < 0 && errno == EINTR) {
    }
    fprintf(stderr, "bench: %s\nbench: ended when asked \"%s\": ", rival->name, question);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s\n", strsignal(WTERMSIG(status)));
    } else {
        fprintf(stderr, "exit status %d\n", WEXITSTATUS(status));
    }
    print_last_words(rival->errors);
    fclose(rival->errors);
}

// ---- questions ----------------------------------------------------------------------------

static bool answers(struct rival *rival, const char *question, double *seconds)
{
    char line[64];
    if (fprintf(rival->ask, "%s\n", question) < 0 || fflush(rival->ask) != 0 ||
        fgets(line, sizeof line, rival->answer) == NULL) {
        tell_why(rival, question);
        return false;
    }
    *seconds = atof(line);
    return true;
}

double rival_ask(struct rival *rival)
{
    return rival_ask_for(rival, "");
}

double rival_ask_for(struct rival *rival, const char *question)
{
    double seconds;
    while (!answers(rival, question, &seconds)) {
        if (rival->again || !start(rival)) {
            fprintf(stderr, "bench: it is not started again\n");
            exit(1);
        }
        rival->again = true;
        fprintf(stderr, "bench: started again: %s\n", rival->name);
    }
    return seconds;
}

void rival_end(struct rival *rival)
{
    fclose(rival->ask);
    fclose(rival->answer);
}
