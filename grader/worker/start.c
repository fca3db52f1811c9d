// start.c - the program that a worker runs in, started before there is anything to run.
//
//   start ── loads the libraries ── waits ──────────────> loads the worker ── its main
//   judge ── compiles and links the student's files ── go ──┘
//
// Starting a program with AddressSanitizer and OpenBLAS takes as long as most exercises do. So
// that is done while the compiler runs; the worker itself is a shared object, whose path is this
// program's name (argv[0]). Up to "go" nothing of the student's is in here.

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "worker/protocol.h"

static void wait_for_go(void)
{
    eventfd_t event;
    while (eventfd_read(GO_FD, &event) != 0) {
        if (errno != EINTR) {
            perror("worker: eventfd");
            _exit(WORKER_FAILED);
        }
    }
    close(GO_FD);
}

int main(int argc, char **argv)
{
    (void)argc;
    wait_for_go();
    void *worker = dlopen(argv[0], RTLD_NOW);
    void *symbol = worker != NULL ? dlsym(worker, "main") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "worker: %s\n", dlerror());
        _exit(WORKER_FAILED);
    }
    int (*run)(void); // ISO C has no cast from an object's address to a function's
    memcpy(&run, &symbol, sizeof run);
    return run();
}
