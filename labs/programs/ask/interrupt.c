// interrupt.c - notices Ctrl-C.

#define _GNU_SOURCE // POSIX functions

#include <signal.h>

#include "programs/ask/interrupt.h"

static volatile sig_atomic_t came; // a handler has no other place to write to

static void notice(int signal)
{
    (void)signal;
    came = 1;
}

void interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = notice}; // without SA_RESTART: read returns
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool interrupted(void)
{
    return came != 0;
}
