// main.c - the worker: the only program that holds a student's code.
//
// It does as little as possible: for each call of the request it passes the tensors to the
// student's function through the lab's adaptor (cpu.c, gpu.c) and copies the outputs. Only the
// judge (grader/judge), in another process, knows the expected results and the points.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker/worker.h"

void worker_fail(const char *what)
{
    print_last();
    fprintf(stderr, "worker: ");
    perror(what);
    _exit(WORKER_FAILED);
}

// Before Linux 6.7, a sealed file can only be mapped privately; the answer must be shared. All
// pages will be needed, and getting them at once is faster.
static void *map_file(int descriptor, int protection, int sharing)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        worker_fail("fstat");
    }
    void *map = mmap(NULL, (size_t)status.st_size, protection, sharing | MAP_POPULATE,
                     descriptor, 0);
    if (map == MAP_FAILED) {
        worker_fail("mmap");
    }
    close(descriptor);
    return map;
}

// The linker uses this for functions that the student's file does not define. The exercise
// is then "todo", and the rest still runs.
lab_status lab_function_missing(void);
lab_status lab_function_missing(void)
{
    return LAB_TODO;
}

int main(void)
{
    print_begin();
    late_begin();
    const char *request = map_file(REQUEST_FD, PROT_READ, MAP_PRIVATE);
    char *answers = map_file(ANSWER_FD, PROT_READ | PROT_WRITE, MAP_SHARED);
    const struct request *head = (const void *)request;
    if (head->magic != REQUEST_MAGIC) {
        worker_fail("request");
    }
    const struct call_record *calls = (const void *)(head + 1);
    backend_begin(head);
    for (uint32_t i = 0; i < head->calls; i++) {
        struct answer *answer = (struct answer *)(void *)answers + i;
        print_next_call(i);
        backend_call(&calls[i], request + calls[i].image, answer,
                     answers + calls[i].answer);
    }
    print_last();
    backend_end();
    _exit(0);
}
