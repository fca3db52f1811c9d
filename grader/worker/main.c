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
#include <sys/time.h>
#include <unistd.h>

#include "worker/worker.h"

void worker_fail(const char *what)
{
    print_last();
    fprintf(stderr, "worker: ");
    perror(what);
    _exit(WORKER_FAILED);
}

static size_t size_of(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        worker_fail("fstat");
    }
    return (size_t)status.st_size;
}

static void *map(int descriptor, size_t from, size_t to, int protection, int flags)
{
    if (from == to) {
        return NULL;
    }
    void *memory = mmap(NULL, to - from, protection, flags, descriptor, (off_t)from);
    if (memory == MAP_FAILED) {
        worker_fail("mmap");
    }
    return memory;
}

// Before Linux 6.7, a sealed file can only be mapped privately. All pages will be needed, and
// getting them at once is faster.
static const char *map_request(void)
{
    const char *request =
        map(REQUEST_FD, 0, size_of(REQUEST_FD), PROT_READ, MAP_PRIVATE | MAP_POPULATE);
    close(REQUEST_FD);
    if (((const struct request *)(const void *)request)->magic != REQUEST_MAGIC) {
        worker_fail("request");
    }
    return request;
}

// The answer file in two parts. Of the second, few pages are needed: most repeats give the same results.
struct answer_file {
    char *first, *again;
};

static struct answer_file map_answer(size_t first_bytes)
{
    const size_t whole = size_of(ANSWER_FD);
    const int protection = PROT_READ | PROT_WRITE;
    const struct answer_file file = {
        map(ANSWER_FD, 0, first_bytes, protection, MAP_SHARED | MAP_POPULATE),
        map(ANSWER_FD, first_bytes, whole, protection, MAP_SHARED)};
    close(ANSWER_FD);
    return file;
}

// The linker uses this for functions that the student's file does not define. The exercise
// is then "todo", and the rest still runs.
lab_status lab_function_missing(void);
lab_status lab_function_missing(void)
{
    return LAB_TODO;
}

// What the last calls of a request print would be taken for output of the calls before, and one that
// does not return ends after a second, not after the exercise's limit: the judge makes them again in
// another worker if they do not end well (judge/callees.c).
static void begin_attempts(void)
{
    const struct itimerval second = {.it_value = {.tv_sec = 1}};
    print_nowhere();
    if (setitimer(ITIMER_PROF, &second, NULL) != 0) {
        worker_fail("setitimer");
    }
}

int main(void)
{
    print_begin();
    late_begin();
    const char *request = map_request();
    const struct request *head = (const void *)request;
    const struct answer_file file = map_answer(head->first_bytes);
    const struct call_record *calls = (const void *)(head + 1);
    backend_begin(head);
    for (uint32_t i = 0; i < head->calls; i++) {
        if (i == head->attempts_from) {
            begin_attempts();
        }
        print_next_call(i);
        const struct reply to = {(struct answer *)(void *)file.first + i,
                                 file.first + calls[i].answer,
                                 file.again + calls[i].again};
        backend_call(&calls[i], request, &to);
    }
    print_last();
    backend_end();
    _exit(0);
}
