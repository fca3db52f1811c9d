// main.c - the worker: the only program that holds a student's code.
//
// It does as little as possible: for each call of the request it builds the arena, calls the
// student's function through the lab's adaptor, and copies the outputs out. It knows neither
// what is right nor what it is worth; the judge (grader/judge) does, in another process.
//
// Inputs lie in read-only pages, so writing one is a fault at the student's line. Around
// every tensor the bytes are poisoned for AddressSanitizer, so reading or writing past an end
// is reported with file and line. What the sanitizer cannot see (OpenBLAS is not
// instrumented) the judge finds in the guard zones afterwards.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sanitizer/asan_interface.h>

#include "exercises/exercise.h"
#include "worker/protocol.h"

// Our own failure, never the student's: the judge reads this exit status as "grader_error".
enum { WORKER_FAILED = 99 };

static void fail(const char *what)
{
    fprintf(stderr, "worker: ");
    perror(what);
    _exit(WORKER_FAILED);
}

// A sealed file may only be mapped privately before Linux 6.7; the answer must be shared.
static void *map_file(int descriptor, int protection, int sharing)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        fail("fstat");
    }
    void *map = mmap(NULL, (size_t)status.st_size, protection, sharing, descriptor, 0);
    if (map == MAP_FAILED) {
        fail("mmap");
    }
    close(descriptor);
    return map;
}

static char *make_arena(size_t bytes)
{
    void *arena = mmap((void *)ARENA_BASE, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (arena != (void *)ARENA_BASE) {
        fail("mmap arena");
    }
    return arena;
}

// Everything but the tensors themselves is out of bounds.
static void poison_guards(char *arena, const struct call_record *call)
{
    __asan_poison_memory_region(arena, call->input_bytes + call->output_bytes);
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] != ARENA_ABSENT) {
            __asan_unpoison_memory_region(arena + call->offset[i], call->bytes[i]);
        }
    }
}

static lab_status call_student(char *arena, const struct call_record *call)
{
    void *tensor[PROTOCOL_TENSORS] = {NULL};
    size_t dim[PROTOCOL_DIMS] = {0};
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] != ARENA_ABSENT) {
            tensor[i] = arena + call->offset[i];
        }
    }
    for (int i = 0; i < PROTOCOL_DIMS; i++) {
        dim[i] = (size_t)call->dim[i];
    }
    const struct entry *entry = &lab_entries[call->entry];
    return entry->call(entry->function, tensor, dim);
}

// Tells the judge where the printing of one call begins; see keep_printed in judge.c.
static void announce(uint32_t index)
{
    char mark[32];
    int length = snprintf(mark, sizeof mark, "\036%u\n", index);
    fflush(stdout);
    if (write(STDOUT_FILENO, mark, (size_t)length) < 0) {
        return; // a student who has closed stdout has nothing to show
    }
}

static void run_call(const char *request, char *answers, uint32_t index)
{
    const struct call_record *calls = (const void *)(request + sizeof(struct request));
    const struct call_record *call = &calls[index];
    struct answer *answer = (struct answer *)(void *)answers + index;
    size_t bytes = call->input_bytes + call->output_bytes;

    char *arena = make_arena(bytes);
    memcpy(arena, request + call->image, bytes);
    if (mprotect(arena, call->input_bytes, PROT_READ) != 0) {
        fail("mprotect");
    }
    poison_guards(arena, call);

    announce(index);
    answer->progress = ENTERED;
    answer->status = (int32_t)call_student(arena, call);
    answer->progress = RETURNED;

    __asan_unpoison_memory_region(arena, bytes);
    memcpy(answers + call->answer, arena + call->input_bytes, call->output_bytes);
    munmap(arena, bytes);
}

// Stands in for a function of the contract that the student's file does not define (the
// judge tells the linker so): the exercise is then "todo", and the rest still runs.
lab_status lab_function_missing(void);
lab_status lab_function_missing(void)
{
    return LAB_TODO;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // what a student prints survives a crash
    const char *request = map_file(REQUEST_FD, PROT_READ, MAP_PRIVATE);
    char *answers = map_file(ANSWER_FD, PROT_READ | PROT_WRITE, MAP_SHARED);
    const struct request *head = (const void *)request;
    if (head->magic != REQUEST_MAGIC) {
        fail("request");
    }
    for (uint32_t i = 0; i < head->calls; i++) {
        run_call(request, answers, i);
    }
    fflush(stdout);
    _exit(0);
}
