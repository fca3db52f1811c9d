// cpu.c - one call of a student's C function.
//
// Inputs lie in read-only pages, so writing one is a fault at the student's line. Around
// every tensor the bytes are poisoned for AddressSanitizer, so reading or writing past an end
// is reported with file and line. What the sanitizer cannot see (OpenBLAS is not
// instrumented) the judge finds in the guard zones afterwards.

#define _GNU_SOURCE
#include "worker/worker.h"

#include <string.h>
#include <sys/mman.h>

#include <sanitizer/asan_interface.h>

static char *make_arena(size_t bytes)
{
    void *arena = mmap((void *)ARENA_BASE, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (arena != (void *)ARENA_BASE) {
        worker_fail("mmap arena");
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

void backend_begin(const struct request *request)
{
    (void)request;
}

void backend_end(void)
{
}

void backend_call(const struct call_record *call, const char *image,
                  struct answer *answer, char *output)
{
    size_t bytes = call->input_bytes + call->output_bytes;
    char *arena = make_arena(bytes);
    memcpy(arena, image, bytes);
    if (mprotect(arena, call->input_bytes, PROT_READ) != 0) {
        worker_fail("mprotect");
    }
    poison_guards(arena, call);

    answer->progress = ENTERED;
    answer->status = (int32_t)call_student(arena, call);
    answer->progress = RETURNED;

    __asan_unpoison_memory_region(arena, bytes);
    memcpy(output, arena + call->input_bytes, call->output_bytes);
    munmap(arena, bytes);
}
