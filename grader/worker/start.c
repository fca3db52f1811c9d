// start.c - a program that is started early, and later loads a worker.
//
//   start ── loads the libraries ── waits ──────────────> loads the worker ── its main
//   judge ── compiles and links the student's files ── go ──┘
//
// Starting a program with AddressSanitizer and OpenBLAS takes as long as most exercises. So
// this happens while the compiler runs. The worker is a shared object, whose path is this
// program's argv[0]. Before "go", this process contains no student code.

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
    int (*run)(void); // ISO C cannot cast an object pointer to a function pointer
    memcpy(&run, &symbol, sizeof run);
    return run();
}
