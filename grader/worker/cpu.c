// cpu.c - calls a student's C function.
//
// Inputs are in read-only pages, so writing one is a fault at the student's line. The bytes
// around every tensor are poisoned for AddressSanitizer, so an access past its end is
// reported with file and line. Writes that the sanitizer cannot see (OpenBLAS is not
// instrumented) are found later in the guard zones.

#define _GNU_SOURCE
#include "worker/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

// The arena's pages are reused for every call, because getting new ones takes longer than
// most calls. They contain only the image of the current call; pages after it are
// inaccessible.
static struct {
    char *start;
    size_t bytes, used; // of the largest call; of the current call
} arena;

static size_t call_bytes(const struct call_record *call)
{
    return call->input_bytes + call->output_bytes;
}

static void protect(char *start, size_t bytes, int protection)
{
    if (bytes > 0 && mprotect(start, bytes, protection) != 0) {
        worker_fail("mprotect");
    }
}

void backend_begin(const struct request *request)
{
    const struct call_record *calls = (const void *)(request + 1);
    heap_begin(request->heap_kilobytes);
    for (uint32_t i = 0; i < request->calls; i++) {
        size_t bytes = call_bytes(&calls[i]);
        arena.bytes = bytes > arena.bytes ? bytes : arena.bytes;
    }
    if (arena.bytes == 0) {
        return;
    }
    void *start =
        mmap((void *)ARENA_BASE, arena.bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
    if (start != (void *)ARENA_BASE) {
        worker_fail("mmap arena");
    }
    arena.start = start;
    arena.used = arena.bytes;
}

void backend_end(void)
{
}

uint32_t backend_line(const void *address)
{
    char line[16] = "";
    __sanitizer_symbolize_pc((void *)(uintptr_t)address, "%l", line, sizeof line);
    return (uint32_t)strtoul(line, NULL, 10);
}

// A stack trace names the line of the byte before each address, because most addresses are those to which
// a call returns. The interrupted instruction has not run yet. If it is the first of its line, the byte
// before it belongs to another line, so the trace gets the address of its second byte.
static void step_into_first_of_line(ucontext_t *interrupted)
{
#if defined(__x86_64__)
    greg_t *address = &interrupted->uc_mcontext.gregs[REG_RIP];
    const greg_t step = 1;
#elif defined(__aarch64__)
    unsigned long long *address = &interrupted->uc_mcontext.pc;
    const unsigned long long step =
        4; // there, the trace goes back by a whole instruction
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (backend_line((void *)(uintptr_t)*address) !=
        backend_line((void *)(uintptr_t)(*address + step))) {
        *address += step;
    }
#else
    (void)interrupted;
#endif
}

bool backend_place(void *interrupted)
{
    if (interrupted != NULL) {
        step_into_first_of_line(interrupted); // the program ends without returning there
    }
    __sanitizer_print_stack_trace();
    return true;
}

static void fill_arena(const struct call_record *call, const char *request)
{
    size_t bytes = call_bytes(call);
    protect(arena.start, bytes, PROT_READ | PROT_WRITE);
    if (bytes != arena.used) {
        protect(arena.start + bytes, arena.bytes - bytes, PROT_NONE);
        arena.used = bytes;
    }
    image_lay_out(call, request, arena.start);
    protect(arena.start, call->input_bytes, PROT_READ);
}

// Poisons everything except the tensors.
static void poison_guards(const struct call_record *call)
{
    __asan_poison_memory_region(arena.start, call_bytes(call));
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] != ARENA_ABSENT) {
            __asan_unpoison_memory_region(arena.start + call->offset[i], call->bytes[i]);
        }
    }
}

static lab_status call_student(const struct call_record *call)
{
    void *tensor[PROTOCOL_TENSORS] = {NULL};
    size_t dim[PROTOCOL_DIMS] = {0};
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] != ARENA_ABSENT) {
            tensor[i] = arena.start + call->offset[i];
        }
    }
    for (int i = 0; i < PROTOCOL_DIMS; i++) {
        dim[i] = (size_t)call->dim[i];
    }
    const struct entry *entry = &lab_entries[call->entry];
    return entry->call(entry->function, tensor, dim);
}

// The first byte of the inputs, or between them, that was changed; input_bytes if none.
static uint64_t changed_input(const struct call_record *call, const char *request)
{
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] >= call->input_bytes || (call->sent >> i & 1) == 0) {
            continue;
        }
        const char *now = arena.start + call->offset[i],
                   *sent = image_sent(call, request, i);
        if (memcmp(now, sent, call->bytes[i]) != 0) {
            uint64_t b = 0;
            while (now[b] == sent[b]) {
                b++;
            }
            return call->offset[i] + b;
        }
    }
    return image_damage(call, arena.start, 0, call->input_bytes);
}

// Student code could make the inputs' pages writable. If it changed an input, writes to a
// read-only page, so that the program ends like any other that writes to an input.
static void check_inputs(const struct call_record *call, const char *request)
{
    const uint64_t at = changed_input(call, request);
    if (at == call->input_bytes) {
        return;
    }
    protect(arena.start, call->input_bytes, PROT_READ);
    *(volatile char *)(arena.start + at) = 0;
    abort(); // the fault was caught
}

static int32_t make_call(const struct call_record *call, const char *request,
                         const struct reply *to, enum contents contents)
{
    poison_guards(call);
    heap_call(true);
    int32_t status = (int32_t)call_student(call);
    heap_call(false);
    __asan_unpoison_memory_region(arena.start, call_bytes(call));
    check_inputs(call, request);
    reply(call, to, contents, arena.start + call->input_bytes);
    return status;
}

// Fills outputs and workspaces with other contents; the inputs stay.
static void refill_arena(const struct call_record *call, const char *request,
                         enum contents contents)
{
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (!call_writes(call, i)) {
            continue;
        }
        char *tensor = arena.start + call->offset[i];
        if ((call->given >> i & 1) != 0) {
            memcpy(tensor, image_sent(call, request, i), call->bytes[i]);
        } else {
            contents_fill(contents, call->element[i], tensor, call->bytes[i]);
        }
    }
}

void backend_call(const struct call_record *call, const char *request,
                  const struct reply *to)
{
    struct answer *answer = to->answer;
    fill_arena(call, request);
    const bool counts = failing_begin(call); // or ends the worker
    answer->progress = ENTERED;
    answer->status = make_call(call, request, to, POISONED);
    if (counts && failing_choose()) {
        fill_arena(call, request);
        answer->status = make_call(call, request, to, POISONED);
    }
    failing_end(answer);
    for (uint32_t contents = POISONED + 1; contents < CONTENTS; contents++) {
        if ((call->repeats >> contents & 1) != 0) {
            refill_arena(call, request, (enum contents)contents);
            answer->contents = contents;
            print_next_repeat((enum contents)contents);
            answer->repeat_status[contents] =
                make_call(call, request, to, (enum contents)contents);
        }
    }
    answer->progress = RETURNED;
}
